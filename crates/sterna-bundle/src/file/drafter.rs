//! A drafter that comes in the same file as its target.

use std::collections::BTreeMap;

use sterna_checkpoint::SafetensorsFile;
use sterna_format::Encoding;

use super::{DrafterEntry, locate};
use crate::arch::Located;
use crate::arch::assistant::CLUSTER;
use crate::error::BundleError;
use crate::wanted::Role;
use crate::{AssistantConfig, default_numerics};

/// A drafter's shapes and where its weights lie.
#[derive(Clone, Debug)]
pub(crate) struct BundledDrafter {
    pub config: AssistantConfig,
    pub tensors: BTreeMap<String, Located>,
    /// As the manifest has it.
    pub entry: DrafterEntry,
}

/// Each weight that the drafter's configuration wants, in the manifest and in the file, with numerics that there are kernels for.
pub(super) fn read(entry: &DrafterEntry, file: &SafetensorsFile) -> Result<BundledDrafter, BundleError> {
    const ARCH: &str = "drafter";
    let mut tensors = BTreeMap::new();
    for w in entry.config.weights() {
        let role = if w.linear { Role::Linear } else { Role::Vector };
        let located = locate(&entry.weights, file, ARCH, (&w.name, role, w.rows, w.cols))?;
        if w.linear {
            let (found, wanted) = (entry.linears.get(&w.name), default_numerics(located.encoding, w.cols));
            if found != Some(&wanted) {
                let found = found.map_or_else(|| "missing".to_owned(), |n| format!("{n:?}"));
                let key = format!("drafter.linears.{}", w.name);
                return Err(BundleError::key("bundle manifest", key, found, format!("{wanted:?}")));
            }
        }
        if w.name == CLUSTER {
            if located.encoding != Encoding::F32 {
                let key = format!("drafter.weights.{CLUSTER}.encoding");
                return Err(BundleError::key("bundle manifest", key, located.encoding.name(), "f32"));
            }
            entry.config.check_clusters(file.tensor(CLUSTER).map_or(&[], |t| t.data))?;
        }
        tensors.insert(w.name, located);
    }
    let listed = entry.weights.keys().chain(entry.linears.keys());
    match listed.into_iter().find(|name| !tensors.contains_key(*name)) {
        Some(extra) => {
            Err(BundleError::bundle(extra, "the manifest lists it, and the drafter has no use for it"))
        }
        None => Ok(BundledDrafter { config: entry.config.clone(), tensors, entry: entry.clone() }),
    }
}
