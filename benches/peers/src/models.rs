//! Which models are measured, and where their files are.

use std::path::{Path, PathBuf};

use sterna_checkpoint::Checkpoint;
use sterna_format::Encoding;
use sterna_probe::synthetic;

use crate::error::PeersError;
use crate::make::make;
use crate::shape::Shape;

/// The ternary model that comes with the source.
pub const BUILT_IN: &str = "builtin";
/// A small model that is fetched.
pub const SMOLLM2: &str = "smollm2";

/// Where things are in a checkout.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The checkout.
    pub root: PathBuf,
    /// Synthetic models.
    pub models: PathBuf,
    /// Other engines.
    pub engines: PathBuf,
}

impl Folders {
    /// Those of the checkout that this program was built from.
    pub fn new(models: Option<PathBuf>, engines: Option<PathBuf>) -> Self {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own.ancestors().nth(2).unwrap_or(own).to_owned();
        let models = models.unwrap_or_else(|| root.join("target/peers/models"));
        let engines = engines.unwrap_or_else(|| root.join("target/peers"));
        Self { root, models, engines }
    }

    /// The file of the built-in model.
    pub fn built_in(&self) -> PathBuf {
        self.root.join("models/llama-tern-30m/llama-tern-30m-TQ2_0.gguf")
    }

    /// The file of SmolLM2, once it is fetched.
    pub fn smollm2(&self) -> PathBuf {
        self.root.join("target/models/SmolLM2-135M-Instruct.Q4_1.gguf")
    }
}

/// How synthetic models are made.
#[derive(Clone, Debug)]
pub struct MakeOptions {
    /// Formats of the linear layers; one model for each.
    pub formats: Vec<Encoding>,
    /// Layers; all where not given.
    pub layers: Option<usize>,
    /// Tokens; all where not given.
    pub vocab: Option<usize>,
    /// Format of the embedding table.
    pub embedding: Option<Encoding>,
    /// Format of the head.
    pub head: Option<Encoding>,
    /// Seed of the weights.
    pub seed: u64,
}

/// A model to measure.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A file that is there.
    File {
        /// For people.
        title: String,
        /// Where.
        path: PathBuf,
    },
    /// A model that is made.
    Synthetic(Box<Shape>),
}

impl Choice {
    /// The models that `name` stands for.
    pub fn of(name: &str, folders: &Folders, options: &MakeOptions) -> Result<Vec<Self>, PeersError> {
        if name == BUILT_IN {
            return Ok(vec![Self::File { title: "llama-tern-30m tq2_0".into(), path: folders.built_in() }]);
        }
        if name == SMOLLM2 {
            let path = folders.smollm2();
            if !path.is_file() {
                let script = "scripts/fetch-smollm2.sh";
                return Err(PeersError::NotFetched { name: SMOLLM2, path, script });
            }
            return Ok(vec![Self::File { title: "SmolLM2-135M q4_1".into(), path }]);
        }
        if synthetic::SHAPES.contains(&name) {
            return options.shapes(name)?.into_iter().map(|s| Ok(Self::Synthetic(Box::new(s)))).collect();
        }
        let path = PathBuf::from(name);
        if !path.is_file() {
            let shapes = synthetic::SHAPES.join(", ");
            return Err(PeersError::UnknownModel { name: name.to_owned(), shapes });
        }
        let title = path.file_stem().map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned());
        Ok(vec![Self::File { title, path }])
    }

    /// For people.
    pub fn title(&self) -> String {
        match self {
            Self::File { title, .. } => title.clone(),
            Self::Synthetic(shape) => shape.title(),
        }
    }

    /// Its file, made if need be.
    pub fn file(&self, folders: &Folders) -> Result<PathBuf, PeersError> {
        match self {
            Self::File { path, .. } => Ok(path.clone()),
            Self::Synthetic(shape) => make(shape, &folders.models),
        }
    }
}

impl MakeOptions {
    /// One shape for each format.
    pub fn shapes(&self, name: &str) -> Result<Vec<Shape>, PeersError> {
        let shape = |format: &Encoding| {
            let shape = Shape::new(name, *format, self.layers, self.seed)?.with_vocab(self.vocab)?;
            shape.with_tables(self.embedding, self.head)
        };
        self.formats.iter().map(shape).collect()
    }
}

/// What a model asks of a machine.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Needs {
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of weights that a token takes as stored: all tensors, but of an embedding table that is no head nothing, and of
    /// a table of per-layer inputs a row.
    pub token_bytes: u64,
    /// Multiply-accumulates of linear layers for a token without results.
    pub token_macs: u64,
    /// Those of the head, for a token whose logits are wanted.
    pub head_macs: u64,
}

impl Needs {
    /// Those of a GGUF file.
    pub fn of(path: &Path) -> Result<Self, PeersError> {
        let file_bytes =
            path.metadata().map_err(PeersError::io(format!("reading {}", path.display())))?.len();
        let file = Checkpoint::open(path)?;
        let tied = file.tensor("output.weight").is_none();
        let mut needs = Self { file_bytes, token_bytes: 0, token_macs: 0, head_macs: 0 };
        for t in file.tensors() {
            let is_table = t.name == "token_embd.weight";
            if is_table && !tied {
                continue;
            }
            if t.name == "per_layer_token_embd.weight" {
                needs.token_bytes += t.row_bytes() as u64;
                continue;
            }
            needs.token_bytes += t.data.len() as u64;
            // Vectors are norms.
            let macs = if t.shape.len() < 2 { 0 } else { (t.rows() * t.cols()) as u64 };
            if is_table || t.name == "output.weight" {
                needs.head_macs += macs;
            } else {
                needs.token_macs += macs;
            }
        }
        Ok(needs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> MakeOptions {
        let formats = vec![Encoding::TQ2_0, Encoding::Q8_0];
        MakeOptions { formats, layers: Some(2), vocab: None, embedding: None, head: None, seed: 1 }
    }

    #[test]
    fn names_stand_for_models() {
        let folders = Folders::new(None, None);
        let of = |name: &str| Choice::of(name, &folders, &options());
        let titles: Vec<String> = of("bitnet-2b").unwrap().iter().map(Choice::title).collect();
        assert_eq!(titles, ["bitnet-2b tq2_0, 2 of 30 layers", "bitnet-2b q8_0, 2 of 30 layers"]);
        assert_eq!(of("builtin").unwrap()[0].title(), "llama-tern-30m tq2_0");
        let e = of("no-such-model").unwrap_err().to_string();
        assert!(e.contains("no-such-model") && e.contains("builtin") && e.contains("bitcpm-8b"), "{e}");
    }

    #[test]
    fn needs_of_the_built_in_model() {
        let path = Folders::new(None, None).built_in();
        let needs = Needs::of(&path).unwrap();
        assert!(
            needs.token_bytes < needs.file_bytes && needs.token_bytes > needs.file_bytes / 3,
            "{needs:?}"
        );
        assert!(needs.token_macs > 10_000_000 && needs.head_macs > 1_000_000, "{needs:?}");
    }
}
