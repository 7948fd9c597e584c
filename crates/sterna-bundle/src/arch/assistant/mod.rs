//! Gemma 4's drafter for multi-token prediction (`Gemma4AssistantForCausalLM`): a few narrow layers that have no keys of their
//! own and read the target's.
//!
//! A drafter is a Hugging Face directory of its own. It is read for one target: everything that both must agree on is
//! checked here.

mod config;
mod tensors;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sterna_checkpoint::{open_config, open_raw};
use sterna_format::Encoding;

use super::head_file::{HeadFile, HeadSource, first_class};
use crate::error::BundleError;
use crate::{ModelConfig, Quantise, RowOrder, Weight, WeightSource};

/// The class, which messages name.
const CLASS: &str = "Gemma4AssistantForCausalLM";

/// Where configuration values were read.
const PLACE: &str = "config.json of the drafter";

/// The cluster of every token, as a weight: `[vocab]` f32.
pub(crate) const CLUSTER: &str = "assistant.cluster";

/// A head that names only tokens of the clusters whose centroids the hidden state is nearest to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderedHead {
    /// Clusters, all of one size.
    pub clusters: usize,
    /// How many of them a row keeps.
    pub keep: usize,
}

/// Shapes of a drafter and of what it reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssistantConfig {
    /// Its layers in a model's terms; vocabulary, context and the factor on embeddings are the target's. Windows count the
    /// row's own position, of which there is no key. Its layers have no inputs of their own (`ple` is 0).
    pub layers: ModelConfig,
    /// Width of the target's residual stream.
    pub backbone: usize,
    /// For every layer, the target's layer whose keys and values it reads.
    pub sources: Vec<usize>,
    /// Present when only some tokens compete in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordered: Option<OrderedHead>,
}

/// A weight of a drafter, in a bundle.
pub(crate) struct AssistantWeight {
    /// Canonical name.
    pub name: String,
    /// 1 for a vector.
    pub rows: usize,
    pub cols: usize,
    /// Whether it multiplies; others are vectors.
    pub linear: bool,
}

impl AssistantConfig {
    /// Every weight that a drafter of this shape has.
    pub(crate) fn weights(&self) -> Vec<AssistantWeight> {
        let mut weights: Vec<AssistantWeight> = tensors::parts(self)
            .into_iter()
            .map(|p| AssistantWeight { name: p.name, rows: p.rows.max(1), cols: p.cols, linear: p.rows > 0 })
            .collect();
        if self.ordered.is_some() {
            let (name, cols) = (CLUSTER.to_owned(), self.layers.vocab);
            weights.push(AssistantWeight { name, rows: 1, cols, linear: false });
        }
        weights
    }

    /// Refuses what a bundle's manifest says of a drafter that is not one for `target`.
    ///
    /// # Errors
    /// The first value that no drafter of this target can have.
    pub(crate) fn check_bundled(&self, target: &ModelConfig) -> Result<(), BundleError> {
        config::check_bundled(self, target)
    }

    /// Refuses clusters of tokens (f32, little endian) that the head does not have.
    ///
    /// # Errors
    /// The first token's that is no whole number below their count.
    pub(crate) fn check_clusters(&self, bytes: &[u8]) -> Result<(), BundleError> {
        let clusters = self.ordered.map_or(0, |o| o.clusters) as f32;
        let values = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
        match values.enumerate().find(|(_, v)| !(*v >= 0.0 && *v < clusters && v.fract() == 0.0)) {
            Some((token, v)) => {
                let supported = format!("a whole number below {clusters}");
                Err(BundleError::key("bundle", format!("{CLUSTER}[{token}]"), v, supported))
            }
            None => Ok(()),
        }
    }
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
        first_class(&map) == Some(CLASS)
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

    /// Has the matrices of layers and projections handed out in `to` from now on, and the head in Q8_0, each row encoded when
    /// it is read. Norms, and the centroids that say which tokens compete, stay as they are. What it proposes changes
    /// a little, and no text.
    ///
    /// # Errors
    /// An encoding that is not one of [`Quantise::ENCODINGS`], or whose blocks do not divide a row.
    pub fn quantise(&mut self, to: Encoding) -> Result<(), BundleError> {
        if !Quantise::ENCODINGS.contains(&to) {
            let supported = Quantise::ENCODINGS.map(Encoding::name).join(" or ");
            return Err(BundleError::key("drafter", "linears", to, supported));
        }
        let weights = self.config.weights();
        let chosen = |name: &str| {
            let linear = weights.iter().find(|w| w.linear && w.name == name)?;
            match linear.name.as_str() {
                "assistant.centroids" => None,
                "assistant.head" => Some((Encoding::Q8_0, linear.cols)),
                _ => Some((to, linear.cols)),
            }
        };
        let misfit = weights
            .iter()
            .find(|w| chosen(&w.name).is_some_and(|(e, cols)| !cols.is_multiple_of(e.block_len())));
        if let Some(w) = misfit {
            let supported =
                format!("rows that its blocks divide, and those of {:?} have {} weights", w.name, w.cols);
            return Err(BundleError::key("drafter", "linears", to, supported));
        }
        self.file.recode(&|name| chosen(name).map(|(e, _)| e));
        Ok(())
    }

    /// The drafter's weights together with those it borrows from its target.
    pub fn with_target<'a>(&'a self, target: &'a dyn WeightSource) -> HeadSource<'a> {
        HeadSource::new(self, target)
    }
}

/// A drafter, and where its weights are.
#[derive(Debug)]
pub enum Drafter {
    /// In files of its own.
    File(Box<AssistantHead>),
    /// In its target's bundle.
    Bundled(Box<AssistantConfig>),
}

impl Drafter {
    /// Its shapes.
    pub fn config(&self) -> &AssistantConfig {
        match self {
            Self::File(head) => &head.config,
            Self::Bundled(config) => config,
        }
    }

    /// Its weights together with those of its target.
    pub fn with_target<'a>(&'a self, target: &'a dyn WeightSource) -> HeadSource<'a> {
        match self {
            Self::File(head) => head.with_target(target),
            Self::Bundled(_) => HeadSource::new(target, target),
        }
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
