//! EAGLE-3 heads: one decoder layer that reads a target model's hidden states and drafts for it.
//!
//! A head is a Hugging Face directory of its own: the layout of its authors (`midlayer.*`, a flat config.json), which
//! SGLang's heads share, or that of the speculators library (`layers.0.*`, the layer's shapes in
//! `transformer_layer_config`). It is read for one target: everything that both must agree on is checked here.

mod config;
mod tensors;

use std::path::Path;

use serde_json::Value;
use sterna_checkpoint::{open_config, open_raw};

use super::head_file::{HeadFile, HeadSource};
use crate::error::BundleError;
use crate::{ModelConfig, Weight, WeightSource};

/// Named in messages.
const ARCH: &str = "EAGLE-3";

/// Where configuration values were read.
const PLACE: &str = "config.json of the draft head";

/// What the numbers of target layers in a head's configuration mean. Files do not say; a head read the wrong way drafts
/// little that is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TapIds {
    /// `id` is the input of layer `id`: vLLM and the speculators library.
    #[default]
    Inputs,
    /// `id` is the output of layer `id`: SGLang.
    Outputs,
}

/// Shapes of a head and of what it reads.
#[derive(Clone, Debug, PartialEq)]
pub struct EagleConfig {
    /// Its one layer in a model's terms; vocabulary and context are the target's.
    pub layer: ModelConfig,
    /// Width of the target's residual stream.
    pub target_hidden: usize,
    /// Layers of the target whose inputs are read, side by side in this order; the number of its layers stands for the
    /// output of the last.
    pub taps: Vec<usize>,
    /// Tokens that the head can name.
    pub draft_vocab: usize,
    /// Whether the layer's residual stream starts from the normed hidden state instead of the plain one.
    pub norm_before_residual: bool,
    /// Whether the head has an embedding table of its own.
    pub own_embedding: bool,
}

impl EagleConfig {
    /// Columns of what is read of the target for one token.
    pub fn tap_width(&self) -> usize {
        self.taps.len() * self.target_hidden
    }
}

/// An open head: shapes, the mapped weights, and which of the target's tokens its tokens are.
#[derive(Debug)]
pub struct EagleHead {
    /// Shapes.
    pub config: EagleConfig,
    /// Target token of every draft token; empty when they are the same.
    ids: Vec<u32>,
    file: HeadFile,
}

impl EagleHead {
    /// Whether the configuration at `path`, a directory or a file beside a config.json, is a head's. False where there is
    /// none that can be read: whoever opens the path as a model says why.
    pub fn is_at(path: &Path) -> bool {
        matches!(open_config(path), Ok(Value::Object(map)) if config::is_head(&map))
    }

    /// Opens the head at `path`, a directory or its safetensors file, for a target. `ids` says how the head's numbers of
    /// target layers are meant; without such numbers the usual three layers are read, of which there is no doubt.
    ///
    /// # Errors
    /// [`BundleError`]: files that cannot be read, are damaged, ask for what this crate does not do, or are of a head for
    /// another target.
    pub fn open(path: &Path, target: &ModelConfig, ids: TapIds) -> Result<Self, BundleError> {
        let (config, file) = open_raw(path)?;
        let own_embedding = tensors::has(&file, tensors::EMBED);
        let config = config::read(&config, target, ids, own_embedding)?;
        let (file, ids) = tensors::claim(&config, file)?;
        Ok(Self { config, ids, file })
    }

    /// Target tokens of the draft tokens, in order; `None` when a draft token is the target's token of the same number.
    pub fn target_ids(&self) -> Option<&[u32]> {
        (!self.ids.is_empty()).then_some(&self.ids)
    }

    /// The head's weights together with those it borrows from its target.
    pub fn with_target<'a>(&'a self, target: &'a dyn WeightSource) -> HeadSource<'a> {
        HeadSource::new(self, target)
    }
}

impl WeightSource for EagleHead {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        self.file.weight(name)
    }

    fn release(&self, name: &str) {
        self.file.release(name);
    }

    fn release_rows(&self, name: &str, rows: std::ops::Range<usize>) {
        self.file.release_rows(name, rows);
    }
}
