//! The manifest: what a bundle holds and how it computes, as JSON.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use sterna_checkpoint::TokenizerConfig;
use sterna_format::Encoding;

use super::{FORMAT, VERSION, same_hash};
use crate::check::check;
use crate::error::{BundleError, shorten};
use crate::{
    ATTENTION_PIECE, AssistantConfig, LinearNumerics, ModelConfig, Numerics, Quantised, RECURRENCE, ROUNDING,
    STATIC_ROUNDING,
};

const PLACE: &str = "bundle manifest";

/// Everything in a bundle that is neither weights nor vocabulary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The model's name.
    pub name: String,
    /// Kind of file that it was packed from: `huggingface`, `gguf` or `bundle`.
    pub source: String,
    /// Shapes, scalings, rotation.
    pub config: ModelConfig,
    /// How weights meet activations.
    pub numerics: Numerics,
    /// What a backend is asked to run.
    pub entry_points: Vec<EntryPoint>,
    /// Every weight by canonical name.
    pub weights: BTreeMap<String, WeightEntry>,
    /// What was encoded anew on the way here, and what that lost. For people: nothing is computed from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantised: Vec<Quantised>,
    /// A drafter that comes in the same file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafter: Option<DrafterEntry>,
    /// Special tokens, chat template and the like.
    pub tokenizer: TokenizerConfig,
    /// SHA-256 of the tensor `tokenizer.json`.
    pub tokenizer_sha256: String,
}

/// A drafter for the model of a [`Manifest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrafterEntry {
    /// Shapes, and what it reads of the model.
    pub config: AssistantConfig,
    /// Every weight by canonical name.
    pub weights: BTreeMap<String, WeightEntry>,
    /// How each of its matrices meets its activations.
    pub linears: BTreeMap<String, LinearNumerics>,
}

/// One weight of a [`Manifest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightEntry {
    /// [`sterna_format::Encoding::name`].
    pub encoding: String,
    /// Output features, table entries, or 1 for a vector.
    pub rows: usize,
    /// Input features.
    pub cols: usize,
    /// SHA-256 of the bytes.
    pub sha256: String,
}

/// A function of the model, and the numbers of rows that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryPoint {
    /// `main`, `verify` or `prefill`.
    pub name: String,
    /// Rows per call, ascending.
    pub widths: Vec<usize>,
}

/// The entry points of a decoder: `main` with 1 row, `verify` with 2 to 32, `prefill` with 16, 64 and 128.
pub fn entry_points() -> Vec<EntryPoint> {
    let entry = |name: &str, widths| EntryPoint { name: name.to_owned(), widths };
    vec![entry("main", vec![1]), entry("verify", (2..=32).collect()), entry("prefill", vec![16, 64, 128])]
}

impl Manifest {
    /// Reads the header's metadata; what needs no tensors is checked here.
    pub(crate) fn read(metadata: &HashMap<String, String>) -> Result<Self, BundleError> {
        let text = |key: &str| {
            metadata.get(key).ok_or_else(|| BundleError::bundle(format!("metadata {key:?}"), "it is missing"))
        };
        if text("format")? != FORMAT {
            return Err(BundleError::bundle("metadata \"format\"", format!("it is not {FORMAT:?}")));
        }
        let version = text("sterna_version")?;
        if version != VERSION {
            return Err(BundleError::Version { found: shorten(version), supported: VERSION });
        }
        let json = text("manifest")?;
        same_hash("the manifest", json.as_bytes(), text("manifest_sha256")?)?;
        let manifest: Self =
            serde_json::from_str(json).map_err(|e| BundleError::bundle("the manifest", e.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), BundleError> {
        check(&self.config, PLACE)?;
        let n = &self.numerics;
        if n.attention_piece != ATTENTION_PIECE {
            let found = n.attention_piece;
            return Err(BundleError::key(
                PLACE,
                "numerics.attention_piece",
                found,
                ATTENTION_PIECE.to_string(),
            ));
        }
        if n.rounding != ROUNDING {
            return Err(BundleError::key(PLACE, "numerics.rounding", &n.rounding, ROUNDING));
        }
        let recurrence = self.config.hybrid.is_some().then_some(RECURRENCE);
        if n.recurrence.as_deref() != recurrence {
            let found = n.recurrence.as_deref().unwrap_or("absent");
            let wanted = recurrence.unwrap_or("no recurrence in a model without recurrent layers");
            return Err(BundleError::key(PLACE, "numerics.recurrence", found, wanted));
        }
        let has_static = n.linears.values().any(|l| matches!(l, LinearNumerics::Static { .. }));
        match n.static_rounding.as_deref() {
            None if !has_static => {}
            Some(STATIC_ROUNDING) => {}
            other => {
                let found = other.unwrap_or("absent");
                return Err(BundleError::key(PLACE, "numerics.static_rounding", found, STATIC_ROUNDING));
            }
        }
        for q in &self.quantised {
            let known = [&q.from, &q.to].iter().all(|e| e.parse::<Encoding>().is_ok());
            if !known || q.residual.is_some_and(|r| !(r.is_finite() && r >= 0.0)) {
                let found = format!("{} to {}, lost {:?}", q.from, q.to, q.residual);
                let key = format!("quantised.{}", shorten(&q.kind));
                return Err(BundleError::key(
                    PLACE,
                    key,
                    found,
                    "names of encodings, and a loss of 0 or more",
                ));
            }
        }
        if let Some(drafter) = &self.drafter {
            drafter.config.check_bundled(&self.config)?;
        }
        let ascending = |e: &EntryPoint| {
            e.widths.first().is_some_and(|w| *w > 0)
                && e.widths.last().is_some_and(|w| *w <= 4096)
                && e.widths.windows(2).all(|w| w[0] < w[1])
        };
        if let Some(entry) = self.entry_points.iter().find(|e| !ascending(e)) {
            let key = format!("entry_points.{}", shorten(&entry.name));
            return Err(BundleError::key(
                PLACE,
                key,
                format!("{:?}", entry.widths),
                "widths of 1 to 4096, ascending",
            ));
        }
        match self.entry_points.iter().find(|e| e.name == "main").map(|e| e.widths.as_slice()) {
            Some([1]) => Ok(()),
            other => Err(BundleError::key(PLACE, "entry_points.main", format!("{other:?}"), "one row")),
        }
    }
}
