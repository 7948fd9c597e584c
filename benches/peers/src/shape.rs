//! Which tensors a synthetic model has, and how each is stored.

use sterna_format::Encoding;
use sterna_probe::synthetic;

use crate::error::PeersError;

/// Formats of the linear layers that the generator writes.
pub const FORMATS: &[Encoding] =
    &[Encoding::TQ2_0, Encoding::TQ1_0, Encoding::Q4_0, Encoding::Q8_0, Encoding::Q4K, Encoding::Q6K];

/// A synthetic model: dimensions of a published one, random weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The published model.
    pub name: String,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Width of the MLP.
    pub ffn: usize,
    /// Layers written.
    pub layers: usize,
    /// Layers of the published model.
    pub all_layers: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Tokens.
    pub vocab: usize,
    /// The head is the embedding table.
    pub tied: bool,
    /// How linear layers are stored.
    pub linear: Encoding,
    /// How the embedding table is stored.
    pub embedding: Encoding,
    /// How the head is stored; of a tied model, how the one table is.
    pub head: Encoding,
    /// Seed of the weights.
    pub seed: u64,
}

/// One tensor to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// GGUF name.
    pub name: String,
    /// How it is stored.
    pub encoding: Encoding,
    /// Length of a row.
    pub cols: usize,
    /// Rows; `None` for a vector.
    pub rows: Option<usize>,
}

impl Tensor {
    /// Bytes of one row and of all.
    pub fn bytes(&self) -> Result<(usize, u64), PeersError> {
        let row = self.encoding.row_bytes(self.cols)?;
        Ok((row, row as u64 * self.rows.unwrap_or(1) as u64))
    }
}

/// What llama-quantize makes of embedding and head when the linear layers are stored in `linear`.
fn tables(linear: Encoding) -> (Encoding, Encoding) {
    match linear {
        Encoding::Q8_0 => (Encoding::Q8_0, Encoding::Q8_0),
        Encoding::Q4_0 => (Encoding::Q4_0, Encoding::Q6K),
        Encoding::Q6K => (Encoding::Q6K, Encoding::Q6K),
        _ => (Encoding::Q4K, Encoding::Q6K),
    }
}

fn writable(encoding: Encoding) -> Result<Encoding, PeersError> {
    if FORMATS.contains(&encoding) {
        return Ok(encoding);
    }
    let known = FORMATS.iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
    Err(PeersError::Format { format: encoding.name().to_owned(), known })
}

/// The models whose smaller variants share one table for embedding and head.
const TIED: [&str; 2] = ["bitnet-2b", "bonsai-1.7b"];

impl Shape {
    /// The published shape `name` with linear layers in `linear`; `layers` of them, or all.
    pub fn new(name: &str, linear: Encoding, layers: Option<usize>, seed: u64) -> Result<Self, PeersError> {
        let unknown =
            || PeersError::UnknownModel { name: name.to_owned(), shapes: synthetic::SHAPES.join(", ") };
        let c = synthetic::config(name, None, None).ok_or_else(unknown)?;
        if layers == Some(0) {
            return Err(PeersError::Options("a model needs at least one layer: give --layers 1".into()));
        }
        let (embedding, head) = tables(writable(linear)?);
        Ok(Self {
            name: name.to_owned(),
            hidden: c.hidden,
            ffn: c.ffn,
            layers: layers.map_or(c.layers, |n| n.min(c.layers)),
            all_layers: c.layers,
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            vocab: c.vocab,
            tied: TIED.contains(&name),
            linear,
            embedding,
            head,
            seed,
        })
    }

    /// The same with embedding and head stored otherwise, where given.
    pub fn with_tables(
        mut self,
        embedding: Option<Encoding>,
        head: Option<Encoding>,
    ) -> Result<Self, PeersError> {
        self.embedding = writable(embedding.unwrap_or(self.embedding))?;
        self.head = writable(head.unwrap_or(self.head))?;
        Ok(self)
    }

    /// "bitcpm-8b tq2_0" or "bitcpm-8b tq2_0, 4 of 32 layers".
    pub fn title(&self) -> String {
        let Self { name, linear, layers, all_layers, .. } = self;
        if layers == all_layers {
            format!("{name} {linear}")
        } else {
            format!("{name} {linear}, {layers} of {all_layers} layers")
        }
    }

    /// A name that no other content has.
    pub fn file_name(&self) -> String {
        let Self { name, layers, linear, embedding, head, seed, .. } = self;
        let tables = if self.tied { head.name().to_owned() } else { format!("{embedding}-{head}") };
        format!("{name}-{layers}l-{linear}-{tables}-seed{seed}.gguf")
    }

    /// Every tensor, in the order of the file.
    pub fn tensors(&self) -> Vec<Tensor> {
        let matrix = |name: String, encoding, cols, rows| Tensor { name, encoding, cols, rows: Some(rows) };
        let vector = |name: String, cols| Tensor { name, encoding: Encoding::F32, cols, rows: None };
        let Self { hidden, ffn, vocab, linear, .. } = *self;
        let (q, kv) = (self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let table = if self.tied { self.head } else { self.embedding };
        let mut out = vec![matrix("token_embd.weight".into(), table, hidden, vocab)];
        for i in 0..self.layers {
            let name = |part: &str| format!("blk.{i}.{part}.weight");
            out.push(vector(name("attn_norm"), hidden));
            out.push(matrix(name("attn_q"), linear, hidden, q));
            out.push(matrix(name("attn_k"), linear, hidden, kv));
            out.push(matrix(name("attn_v"), linear, hidden, kv));
            out.push(matrix(name("attn_output"), linear, q, hidden));
            out.push(vector(name("ffn_norm"), hidden));
            out.push(matrix(name("ffn_gate"), linear, hidden, ffn));
            out.push(matrix(name("ffn_up"), linear, hidden, ffn));
            out.push(matrix(name("ffn_down"), linear, ffn, hidden));
        }
        out.push(vector("output_norm.weight".into(), hidden));
        if !self.tied {
            out.push(matrix("output.weight".into(), self.head, hidden, vocab));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_names_and_tensors_of_their_own() {
        let all = Shape::new("bitcpm-8b", Encoding::TQ2_0, None, 1).unwrap();
        assert_eq!(all.title(), "bitcpm-8b tq2_0");
        assert_eq!(all.tensors().len(), 32 * 9 + 3);
        let two = Shape::new("bitnet-2b", Encoding::Q8_0, Some(2), 1).unwrap();
        assert_eq!(two.title(), "bitnet-2b q8_0, 2 of 30 layers");
        assert_eq!(two.file_name(), "bitnet-2b-2l-q8_0-q8_0-seed1.gguf");
        assert_eq!(two.tensors().len(), 2 * 9 + 2, "a tied model has no head of its own");
        let other = two.clone().with_tables(None, Some(Encoding::Q6K)).unwrap();
        assert_ne!(other.file_name(), two.file_name());
    }

    #[test]
    fn mistakes_say_what_can_be_chosen() {
        let error = |r: Result<Shape, PeersError>| r.unwrap_err().to_string();
        let e = error(Shape::new("bitcpm-9b", Encoding::TQ2_0, None, 1));
        assert!(e.contains("bitcpm-9b") && e.contains("bonsai-8b"), "{e}");
        let e = error(Shape::new("bitcpm-8b", Encoding::F16, None, 1));
        assert!(e.contains("f16") && e.contains("tq2_0"), "{e}");
        assert!(Shape::new("bitcpm-8b", Encoding::TQ2_0, Some(0), 1).is_err());
    }
}
