//! A weight as backends see it: rows of one encoding, in canonical order.

use std::borrow::Cow;

use sterna_format::{Encoding, FormatError, decode_row, encode_row};

/// Order of rows in the file relative to the canonical one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// As stored.
    Plain,
    /// GGUF `llama` and `minicpm` store q and k for interleaved rotation: canonical row `half * d/2 + i` of a head
    /// is stored at `2i + half`.
    Interleaved {
        /// Rows of one head, even.
        head_dim: usize,
    },
    /// Every head's rows of q are followed by its gate's; canonical is all of q, then all gates.
    Gated {
        /// Rows of one head of q.
        head_dim: usize,
    },
    /// No row is stored: each is made when it is read, so that a source of random weights holds none.
    Made(RowMaker),
}

/// A recipe for rows that are not stored.
#[derive(Clone, Copy)]
pub struct RowMaker {
    /// The weight's own seed.
    pub seed: u64,
    /// Writes row `i` of a weight of this encoding and so many columns; the same for the same seed and row.
    pub make: fn(encoding: Encoding, cols: usize, seed: u64, i: usize, out: &mut [u8]),
}

impl PartialEq for RowMaker {
    fn eq(&self, other: &Self) -> bool {
        self.seed == other.seed && std::ptr::fn_addr_eq(self.make, other.make)
    }
}
impl Eq for RowMaker {}

impl std::fmt::Debug for RowMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowMaker").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// A matrix `[rows, cols]` (or a vector: one row) whose bytes live in a mapped file. Its rows may be handed out in another
/// encoding than the file's, each encoded when it is read, so that the whole never lies in memory twice.
#[derive(Clone, Copy, Debug)]
pub struct Weight<'a> {
    /// Encoding of every row that is handed out.
    pub encoding: Encoding,
    /// Encoding of every row in `data`.
    pub stored: Encoding,
    /// Output features, or table entries.
    pub rows: usize,
    /// Input features.
    pub cols: usize,
    /// `rows * stored_row_bytes` bytes, proven by the reader; empty where rows are [made](RowOrder::Made).
    pub data: &'a [u8],
    /// Order of the rows in `data`.
    pub order: RowOrder,
}

impl<'a> Weight<'a> {
    /// The matrix as it is stored.
    pub fn as_stored(&self) -> Self {
        Self { encoding: self.stored, ..*self }
    }

    /// Bytes of one row in `data`, or of one that is made.
    pub fn stored_row_bytes(&self) -> usize {
        if matches!(self.order, RowOrder::Made(_)) {
            return self.stored.row_bytes(self.cols).unwrap_or(0);
        }
        self.data.len().checked_div(self.rows).unwrap_or(0)
    }

    /// Bytes of one row that is handed out; 0 where the encoding does not allow a row of this length.
    pub fn row_bytes(&self) -> usize {
        if self.encoding == self.stored {
            return self.stored_row_bytes();
        }
        self.encoding.row_bytes(self.cols).unwrap_or(0)
    }

    /// Bytes of all rows that are handed out.
    pub fn bytes(&self) -> u64 {
        self.row_bytes() as u64 * self.rows as u64
    }

    /// Canonical row `i` in [`Self::encoding`]; empty when `i` is outside the matrix.
    ///
    /// # Errors
    /// Where the row must be encoded anew: stored bytes that do not decode, values that are not finite or too large for
    /// a scale.
    pub fn row(&self, i: usize) -> Result<Cow<'a, [u8]>, FormatError> {
        if let RowOrder::Made(maker) = self.order {
            let mut row = vec![0; if i < self.rows { self.stored_row_bytes() } else { 0 }];
            (maker.make)(self.stored, self.cols, maker.seed, i, &mut row);
            return self.recoded(Cow::Owned(row));
        }
        self.recoded(Cow::Borrowed(self.stored_row(i)))
    }

    /// A stored row in [`Self::encoding`].
    fn recoded(&self, stored: Cow<'a, [u8]>) -> Result<Cow<'a, [u8]>, FormatError> {
        if self.encoding == self.stored || stored.is_empty() {
            return Ok(stored);
        }
        let (mut values, mut row) = (vec![0.0; self.cols], vec![0; self.encoding.row_bytes(self.cols)?]);
        decode_row(self.stored, &stored, &mut values)?;
        encode_row(self.encoding, &values, &mut row)?;
        Ok(Cow::Owned(row))
    }

    /// Bytes of canonical row `i` as it is stored; empty when `i` is outside the matrix.
    fn stored_row(&self, i: usize) -> &'a [u8] {
        let stored = match self.order {
            RowOrder::Plain | RowOrder::Made(_) => i,
            RowOrder::Interleaved { head_dim } => {
                let (head, at) = (i / head_dim, i % head_dim);
                head * head_dim + 2 * (at % (head_dim / 2)) + at / (head_dim / 2)
            }
            RowOrder::Gated { head_dim } => {
                let half = (self.rows / 2).max(1);
                let (gate, at) = (i / half, i % half);
                at / head_dim * 2 * head_dim + gate * head_dim + at % head_dim
            }
        };
        let n = self.stored_row_bytes();
        stored.checked_mul(n).and_then(|a| self.data.get(a..a + n)).unwrap_or(&[])
    }
}

/// Anything that can hand out weights by canonical name.
///
/// Names: `embed`, `head`, `norm`, and per layer `layers.N.` + `attn_norm`, `q`, `k`, `v`, `o`, `q_norm`, `k_norm`,
/// `ffn_norm`, `gate`, `up`, `down`. A delta layer has, in place of the attention's, `delta_qkv`, `delta_z`, `delta_b`,
/// `delta_a`, `delta_conv` (`[channels, taps]`, the newest input's tap last), `delta_decay` (`-exp(A_log)`), `delta_dt`,
/// `delta_norm`, `delta_out`. A head for multi-token prediction is `mtp.` + `fc`, `embed_norm`, `hidden_norm`, `norm`
/// and the parts of one attention layer. An EAGLE-3 head is `eagle.` + `fc`, `embed_norm`, `hidden_norm`, `norm`, `head`
/// (`[draft tokens, hidden]`), sometimes `embed`, and the parts of one layer without its `attn_norm`; its q, k and v read
/// two rows side by side. A model with inputs for every layer (Gemma 4) has `ple_embed` (`[vocab * layers, ple]`, the rows of
/// a token one after the other), `ple_model_proj` and `ple_model_norm`, and per layer also `attn_post_norm`,
/// `ffn_post_norm`, `ple_gate`, `ple_proj`, `ple_norm` and `layer_scalar` (one value); layers that read another's keys have
/// no `k`, `v` and `k_norm`. Every norm weight is the factor itself, 1 included.
pub trait WeightSource: Sync {
    /// The weight called `name`, if the model has it.
    fn weight(&self, name: &str) -> Option<Weight<'_>>;
    /// Says that `name` was copied elsewhere and its mapped pages may go.
    fn release(&self, name: &str);
    /// The same for some rows, in the order in which they are stored. A source that maps nothing does nothing.
    fn release_rows(&self, name: &str, rows: std::ops::Range<usize>) {
        let _ = (name, rows);
    }
}
