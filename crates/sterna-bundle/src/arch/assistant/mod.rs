//! Gemma 4's drafter for multi-token prediction (`Gemma4AssistantForCausalLM`): a few narrow layers that have no keys of their
//! own and read the target's.
//!
//! A drafter is a Hugging Face directory of its own. It is read for one target: everything that both must agree on is
//! checked here.

mod config;
mod tensors;

use std::path::Path;

use serde_json::Value;
use sterna_checkpoint::{open_config, open_raw};
use sterna_format::Encoding;

use super::head_file::{HeadFile, HeadSource};
use crate::error::BundleError;
use crate::{ModelConfig, RowOrder, Weight, WeightSource};

/// The class, which messages name.
const CLASS: &str = "Gemma4AssistantForCausalLM";

/// Where configuration values were read.
const PLACE: &str = "config.json of the drafter";

/// The cluster of every token, as a weight: `[vocab]` f32.
const CLUSTER: &str = "assistant.cluster";

/// A head that names only tokens of the clusters whose centroids the hidden state is nearest to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedHead {
    /// Clusters, all of one size.
    pub clusters: usize,
    /// How many of them a row keeps.
    pub keep: usize,
}

/// Shapes of a drafter and of what it reads.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantConfig {
    /// Its layers in a model's terms; vocabulary, context and the factor on embeddings are the target's. Windows count the
    /// row's own position, of which there is no key. Its layers have no inputs of their own (`ple` is 0).
    pub layers: ModelConfig,
    /// Width of the target's residual stream.
    pub backbone: usize,
    /// For every layer, the target's layer whose keys and values it reads.
    pub sources: Vec<usize>,
    /// Present when only some tokens compete in a row.
    pub ordered: Option<OrderedHead>,
}

/// An open drafter: shapes and the mapped weights.
///
/// As a [`WeightSource`] it has `assistant.pre` `[hidden, 2 * backbone]`, `assistant.post` `[backbone, hidden]`,
/// `assistant.norm`, `assistant.head` `[vocab, hidden]`, those of its layers (`assistant.layers.0.q` and so on) and, with an
/// ordered head, `assistant.centroids` `[clusters, hidden]` and `assistant.cluster` (f32, the cluster of every token).
#[derive(Debug)]
pub struct AssistantHead {
    /// Shapes.
    pub config: AssistantConfig,
    /// The bytes of [`CLUSTER`]; none without an ordered head.
    cluster: Vec<u8>,
    file: HeadFile,
}

impl AssistantHead {
    /// Whether the configuration at `path`, a directory or a file beside a config.json, names this class. False where there
    /// is none that can be read: whoever opens the path as a model says why.
    pub fn is_at(path: &Path) -> bool {
        let Ok(Value::Object(map)) = open_config(path) else { return false };
        let named = map.get("architectures").and_then(Value::as_array).and_then(|list| list.first());
        named.is_some_and(|name| name.as_str() == Some(CLASS))
            || map.get("model_type").and_then(Value::as_str) == Some("gemma4_assistant")
    }

    /// Opens the drafter at `path`, a directory or its safetensors file, for a target.
    ///
    /// # Errors
    /// [`BundleError`]: files that cannot be read, are damaged, ask for what this crate does not do, or are of a drafter for
    /// another target (its architecture, vocabulary, width, or the shapes of its keys).
    pub fn open(path: &Path, target: &ModelConfig) -> Result<Self, BundleError> {
        let (config, file) = open_raw(path)?;
        let config = config::read(&config, target)?;
        let (file, cluster) = tensors::claim(&config, file)?;
        Ok(Self { config, cluster, file })
    }

    /// The drafter's weights together with those it borrows from its target.
    pub fn with_target<'a>(&'a self, target: &'a dyn WeightSource) -> HeadSource<'a> {
        HeadSource::new(self, target)
    }
}

impl WeightSource for AssistantHead {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        if name != CLUSTER || self.cluster.is_empty() {
            return self.file.weight(name);
        }
        let (encoding, order) = (Encoding::F32, RowOrder::Plain);
        let (data, cols) = (self.cluster.as_slice(), self.config.layers.vocab);
        Some(Weight { encoding, stored: encoding, rows: 1, cols, data, order })
    }

    fn release(&self, name: &str) {
        self.file.release(name);
    }

    fn release_rows(&self, name: &str, rows: std::ops::Range<usize>) {
        self.file.release_rows(name, rows);
    }
}
