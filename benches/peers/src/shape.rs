//! Which tensors a synthetic model has, and how each is stored.

use sterna_bundle::ModelConfig;
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
    /// The whole configuration of a Gemma 4, whose layers are of several shapes.
    pub gemma4: Option<ModelConfig>,
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
    /// For a vector of divisors of rotary frequencies: how many pairs turn.
    pub turning: Option<usize>,
}

fn matrix(name: String, encoding: Encoding, cols: usize, rows: usize) -> Tensor {
    Tensor { name, encoding, cols, rows: Some(rows), turning: None }
}

fn vector(name: String, cols: usize) -> Tensor {
    Tensor { name, encoding: Encoding::F32, cols, rows: None, turning: None }
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

/// Three special tokens, the bytes, a space.
const LEAST_VOCAB: usize = 260;

/// The models whose smaller variants share one table for embedding and head.
const TIED: [&str; 2] = ["bitnet-2b", "bonsai-1.7b"];

impl Shape {
    /// The published shape `name` with linear layers in `linear`; `layers` of them, or all. Those of Gemma 4 repeat in groups
    /// of five, and a number of them is rounded up to whole groups.
    pub fn new(name: &str, linear: Encoding, layers: Option<usize>, seed: u64) -> Result<Self, PeersError> {
        let unknown =
            || PeersError::UnknownModel { name: name.to_owned(), shapes: synthetic::SHAPES.join(", ") };
        let c = synthetic::config(name, None, None).ok_or_else(unknown)?;
        if layers == Some(0) {
            return Err(PeersError::Options("a model needs at least one layer: give --layers 1".into()));
        }
        if c.hybrid.is_some() {
            return Err(PeersError::Options(format!(
                "{name} cannot be written: its layers are of kinds that are not"
            )));
        }
        let group = if c.gemma4.is_some() { 5 } else { 1 };
        let layers = layers.map_or(c.layers, |n| n.next_multiple_of(group).min(c.layers));
        let gemma4 = synthetic::config(name, Some(layers), None).filter(|c| c.gemma4.is_some());
        let (embedding, head) = tables(writable(linear)?);
        Ok(Self {
            name: name.to_owned(),
            hidden: c.hidden,
            ffn: c.ffn,
            layers,
            all_layers: c.layers,
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            vocab: c.vocab,
            tied: TIED.contains(&name) || gemma4.is_some(),
            linear,
            embedding,
            head,
            seed,
            gemma4,
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

    /// The same with another number of tokens, where given.
    pub fn with_vocab(mut self, vocab: Option<usize>) -> Result<Self, PeersError> {
        let Some(vocab) = vocab else { return Ok(self) };
        if vocab < LEAST_VOCAB {
            let message = format!(
                "a vocabulary has a token for each byte and some more: give --vocab {LEAST_VOCAB} or more"
            );
            return Err(PeersError::Options(message));
        }
        self.vocab = vocab;
        if let Some(c) = &mut self.gemma4 {
            c.vocab = vocab;
        }
        Ok(self)
    }

    /// "bitcpm-8b tq2_0" or "bitcpm-8b tq2_0, 4 of 32 layers".
    pub fn title(&self) -> String {
        let Self { name, linear, layers, all_layers, vocab, .. } = self;
        let mut title = format!("{name} {linear}");
        if layers != all_layers {
            title.push_str(&format!(", {layers} of {all_layers} layers"));
        }
        if synthetic::config(name, None, None).is_none_or(|c| c.vocab != *vocab) {
            title.push_str(&format!(", {vocab} tokens"));
        }
        title
    }

    /// A name that no other content has.
    pub fn file_name(&self) -> String {
        let Self { name, layers, vocab, linear, embedding, head, seed, .. } = self;
        let tables = if self.tied { head.name().to_owned() } else { format!("{embedding}-{head}") };
        let own = synthetic::config(name, None, None).is_some_and(|c| c.vocab == *vocab);
        let tokens = if own { String::new() } else { format!("-{vocab}t") };
        format!("{name}-{layers}l{tokens}-{linear}-{tables}-seed{seed}.gguf")
    }

    /// Every tensor, in the order of the file.
    pub fn tensors(&self) -> Vec<Tensor> {
        if let Some(c) = &self.gemma4 {
            return self.gemma4_tensors(c);
        }
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

    /// Those of a Gemma 4, stored as llama-quantize chooses: both tables as the head, which is tied to one of them; the
    /// projection of the embedding as published; of Q4_K (its `Q4_K_M`) about half of the layers' v and down in Q6_K.
    fn gemma4_tensors(&self, c: &ModelConfig) -> Vec<Tensor> {
        let Some(g) = &c.gemma4 else { return Vec::new() };
        let Self { linear, head, .. } = *self;
        let (hidden, own) = (c.hidden, c.own_kv_layers());
        let mixed = |i, n| if linear == Encoding::Q4K && more_bits(i, n) { Encoding::Q6K } else { linear };
        let table = |name: &str, cols| matrix(format!("{name}.weight"), head, cols, c.vocab);
        let mut out = vec![
            table("token_embd", hidden),
            table("per_layer_token_embd", c.layers * g.ple),
            matrix("per_layer_model_proj.weight".into(), Encoding::BF16, hidden, c.layers * g.ple),
            vector("per_layer_proj_norm.weight".into(), g.ple),
            vector("output_norm.weight".into(), hidden),
            Tensor {
                turning: Some(g.full_head_dim / 8),
                ..vector("rope_freqs.weight".into(), g.full_head_dim / 2)
            },
        ];
        for i in 0..c.layers {
            let name = |part: &str| format!("blk.{i}.{part}.weight");
            let (head_dim, q, kv, ffn) = (c.heads_of(i).1, c.q_width_of(i), c.kv_width_of(i), c.ffn_of(i));
            for norm in ["attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm", "post_norm"] {
                out.push(vector(name(norm), hidden));
            }
            out.push(matrix(name("attn_q"), linear, hidden, q));
            out.push(vector(name("attn_q_norm"), head_dim));
            if i < own {
                out.push(matrix(name("attn_k"), linear, hidden, kv));
                out.push(vector(name("attn_k_norm"), head_dim));
                out.push(matrix(name("attn_v"), mixed(i, own), hidden, kv));
            }
            out.push(matrix(name("attn_output"), linear, q, hidden));
            out.push(matrix(name("ffn_gate"), linear, hidden, ffn));
            out.push(matrix(name("ffn_up"), linear, hidden, ffn));
            out.push(matrix(name("ffn_down"), mixed(i, c.layers), ffn, hidden));
            out.push(matrix(name("inp_gate"), linear, hidden, g.ple));
            out.push(matrix(name("proj"), linear, g.ple, hidden));
            out.push(vector(name("layer_output_scale"), 1));
        }
        out
    }
}

/// Which of `n` tensors llama-quantize gives more bits in its `Q4_K_M`: the first and the last eighth, and every third between.
fn more_bits(i: usize, n: usize) -> bool {
    let first = n / 8;
    i < first || i >= 7 * n / 8 || (i - first) % 3 == 2
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
    fn gemma_is_stored_as_llama_quantize_chooses() {
        let all = Shape::new("gemma4-e2b", Encoding::Q4K, None, 1).unwrap();
        let tensors = all.tensors();
        let encoding = |name: &str| tensors.iter().find(|t| t.name == name).map(|t| t.encoding);
        assert_eq!(tensors.len(), 6 + 35 * 14 + 15 * 3);
        for (name, want) in [
            ("token_embd.weight", Encoding::Q6K),
            ("per_layer_token_embd.weight", Encoding::Q6K),
            ("per_layer_model_proj.weight", Encoding::BF16),
            ("blk.0.attn_q.weight", Encoding::Q4K),
            // Of 15: the first, those from 13 on, and 3, 6, 9 and 12.
            ("blk.0.attn_v.weight", Encoding::Q6K),
            ("blk.1.attn_v.weight", Encoding::Q4K),
            ("blk.3.attn_v.weight", Encoding::Q6K),
            ("blk.14.attn_v.weight", Encoding::Q6K),
            // Of 35: the first four, those from 30 on, and 6, 9, 12 and so on.
            ("blk.3.ffn_down.weight", Encoding::Q6K),
            ("blk.4.ffn_down.weight", Encoding::Q4K),
            ("blk.6.ffn_down.weight", Encoding::Q6K),
            ("blk.34.ffn_down.weight", Encoding::Q6K),
            ("blk.34.proj.weight", Encoding::Q4K),
        ] {
            assert_eq!(encoding(name), Some(want), "{name}");
        }
        assert_eq!(encoding("blk.15.attn_k.weight"), None);
        let small =
            Shape::new("gemma4-e2b", Encoding::Q4_0, Some(6), 1).unwrap().with_vocab(Some(4096)).unwrap();
        assert_eq!(small.title(), "gemma4-e2b q4_0, 10 of 35 layers, 4096 tokens");
        assert_eq!(small.file_name(), "gemma4-e2b-10l-4096t-q4_0-q6_k-seed1.gguf");
        assert!(small.tensors().iter().all(|t| t.encoding != Encoding::Q4K));
        assert!(Shape::new("gemma4-e2b", Encoding::Q4_0, None, 1).unwrap().with_vocab(Some(100)).is_err());
    }

    #[test]
    fn mistakes_say_what_can_be_chosen() {
        let error = |r: Result<Shape, PeersError>| r.unwrap_err().to_string();
        let e = error(Shape::new("bitcpm-9b", Encoding::TQ2_0, None, 1));
        assert!(e.contains("bitcpm-9b") && e.contains("bonsai-8b"), "{e}");
        let e = error(Shape::new("bitcpm-8b", Encoding::F16, None, 1));
        assert!(e.contains("f16") && e.contains("tq2_0"), "{e}");
        assert!(Shape::new("bitcpm-8b", Encoding::TQ2_0, Some(0), 1).is_err());
        assert!(error(Shape::new("qwen35-0.8b", Encoding::Q4_0, None, 1)).contains("qwen35-0.8b"));
    }
}
