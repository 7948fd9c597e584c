//! Float weights in a low-bit encoding, by choice: which ones, and what that cost.

use serde::{Deserialize, Serialize};
use sterna_format::Encoding;

use crate::error::BundleError;
use crate::pack::{PackedTensor, check_keep, check_tables};
use crate::wanted::{Role, Wanted, wanted};
use crate::{Model, default_numerics};

const PLACE: &str = "quantise options";

/// Which float weights to encode anew.
///
/// The matrices of the layers (attention, gated and plain; feed-forward; delta layers' inputs and output), those of a head for
/// multi-token prediction, and the output head. Norms, convolution taps and the constants of delta layers stay floats,
/// and so do `delta_a` and `delta_b`: two rows per value head are too few to save anything, and each step of a
/// recurrent memory multiplies with what they say, so their errors add up over a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantise {
    /// For the matrices of layers: one of [`Quantise::ENCODINGS`].
    pub linears: Encoding,
    /// For a float head; where it is tied to the embedding, for the one tensor that is both. `None` keeps it.
    pub head: Option<Encoding>,
    /// Matrices of layers that keep their floats: canonical names (`layers.0.down`) or parts (`down`).
    pub keep: Vec<String>,
}

impl Quantise {
    /// What linear weights can become: int8 (absmax / 127) and int4 (signed absmax / -8), an f16 scale per 32 weights,
    /// with the bytes of GGML's own quantisers ([`sterna_format::encode_row`]).
    pub const ENCODINGS: [Encoding; 2] = [Encoding::Q8_0, Encoding::Q4_0];

    /// Layers in `linears`, the head in Q8_0 whatever they are: it is read by every token and decides between them.
    pub fn new(linears: Encoding) -> Self {
        Self { linears, head: Some(Encoding::Q8_0), keep: Vec::new() }
    }

    fn target(&self, w: &Wanted, tied: bool) -> Option<Encoding> {
        match w.role {
            Role::Linear => (!steers(w.part) && !is_kept(&self.keep, w)).then_some(self.linears),
            Role::Head => self.head,
            Role::Table if tied => self.head,
            Role::Table | Role::Vector | Role::Taps | Role::Lookup => None,
        }
    }
}

/// What steers a delta layer's memory stays as it is: few rows, and sensitive.
pub(crate) fn steers(part: &str) -> bool {
    matches!(part, "delta_a" | "delta_b")
}

/// Whether a linear weight is among the names and parts to keep.
pub(crate) fn is_kept(keep: &[String], w: &Wanted) -> bool {
    keep.iter().any(|k| *k == w.name || k == w.part)
}

impl Model {
    /// Has float weights handed out in another encoding from now on, each row encoded when it is read: nothing is
    /// converted here, and no second copy of the model is made. A bundle packed from this model holds the same bits.
    ///
    /// # Errors
    /// [`BundleError::LowBit`] for a matrix that is not floats; an encoding that is not for linear weights, or whose blocks
    /// do not divide a row; names to keep that the model does not have. The model is unchanged then. Values that cannot
    /// be encoded (not finite, or past the largest f16 scale) are found when they are read.
    pub fn quantise(&mut self, how: &Quantise) -> Result<(), BundleError> {
        let to = how.linears;
        if !Quantise::ENCODINGS.contains(&to) {
            let supported = Quantise::ENCODINGS.map(Encoding::name).join(" or ");
            return Err(BundleError::key(PLACE, "linears", to, supported));
        }
        check_tables(&self.config, how.head, None)?;
        let wants: Vec<_> = wanted(&self.config).collect();
        check_keep(PLACE, &how.keep, &wants)?;
        let mut chosen = Vec::new();
        for w in wants {
            let Some(to) = how.target(&w, self.config.tied) else { continue };
            let Some(located) = self.tensors.get(&w.name) else { continue };
            if !located.encoding.is_float() {
                if w.role == Role::Linear {
                    return Err(BundleError::LowBit { name: w.name, encoding: located.encoding });
                }
                // A head that is small already is left as it is.
                continue;
            }
            if !w.cols.is_multiple_of(to.block_len()) {
                let supported = format!(
                    "rows that blocks of {} divide, and those of {:?} have {} weights; keep it as it is (--keep {})",
                    to.block_len(),
                    w.name,
                    w.cols,
                    w.part
                );
                return Err(BundleError::key(PLACE, "linears", to, supported));
            }
            chosen.push((w.name, to, w.cols));
        }
        for (name, to, cols) in chosen {
            if let Some(located) = self.tensors.get_mut(&name) {
                located.recode = Some(to);
            }
            self.numerics.linears.insert(name, default_numerics(to, cols));
        }
        Ok(())
    }

    /// Weights that were encoded anew from other values, by kind: those that the file says so of, and those of
    /// [`Model::quantise`], whose loss nobody has measured.
    pub fn quantised(&self) -> Vec<Quantised> {
        let recoded = self.tensors.iter().filter_map(|(name, t)| Some((name, t.encoding, t.recode?)));
        let mut kinds = Kinds::default();
        for (name, from, to) in recoded {
            kinds.add(name, from, to, None);
        }
        kinds.after(&self.noted)
    }

    /// Whether any weight is handed out in another encoding than its own.
    pub(crate) fn is_recoded(&self) -> bool {
        self.tensors.values().any(|t| t.recode.is_some())
    }
}

/// Weights of one kind that were encoded anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantised {
    /// Canonical name without the layer: `down`, `mtp.q`, `head`.
    pub kind: String,
    /// [`Encoding::name`] of the source.
    pub from: String,
    /// [`Encoding::name`] of what was made of it.
    pub to: String,
    /// How many weights.
    pub tensors: usize,
    /// `sqrt(sum (w - w')^2 / sum w^2)` over all of them; `None` where nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
}

/// Kinds as they are counted up.
#[derive(Default)]
struct Kinds(Vec<(Quantised, [f64; 2])>);

impl Kinds {
    /// Counts a weight, with the sums of squares of its error and of its values where they were measured.
    fn add(&mut self, name: &str, from: Encoding, to: Encoding, sums: Option<[f64; 2]>) {
        let (kind, from, to) = (kind_of(name), from.name(), to.name());
        let same = |k: &&mut (Quantised, _)| k.0.kind == kind && k.0.from == from && k.0.to == to;
        let found = match self.0.iter_mut().find(same) {
            Some(found) => found,
            None => {
                let [kind, from, to] = [kind, from, to].map(str::to_owned);
                self.0.push((Quantised { kind, from, to, tensors: 0, residual: None }, [0.0; 2]));
                let Some(last) = self.0.last_mut() else { return };
                last
            }
        };
        found.0.tensors += 1;
        if let Some([errors, squares]) = sums {
            found.1[0] += errors;
            found.1[1] += squares;
            found.0.residual = Some(relative(found.1));
        }
    }

    /// All kinds, after those of `earlier` that were not encoded once more.
    fn after(self, earlier: &[Quantised]) -> Vec<Quantised> {
        let again = |e: &&Quantised| !self.0.iter().any(|k| k.0.kind == e.kind);
        let mut all: Vec<_> = earlier.iter().filter(again).cloned().collect();
        all.extend(self.0.into_iter().map(|k| k.0));
        all
    }
}

/// Root of error squares over squares; 0 for zeros.
fn relative([errors, squares]: [f64; 2]) -> f64 {
    if squares > 0.0 { (errors / squares).sqrt() } else { 0.0 }
}

/// The name without the layer.
fn kind_of(name: &str) -> &str {
    name.strip_prefix("layers.").and_then(|rest| rest.split_once('.')).map_or(name, |(_, part)| part)
}

/// The kinds of packed tensors that were floats and are none now, or whose codes were made anew, after those noted in the
/// source. Floats in another width are no kind of quantisation.
pub(crate) fn kinds(tensors: &[PackedTensor], earlier: &[Quantised]) -> Vec<Quantised> {
    let mut kinds = Kinds::default();
    for t in tensors.iter().filter(|t| t.squares > 0.0 && !t.to.is_float()) {
        kinds.add(&t.name, t.from, t.to, Some([t.residual * t.residual * t.squares, t.squares]));
    }
    kinds.after(earlier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_lose_their_layer_and_weigh_by_squares() {
        assert_eq!(
            ["layers.12.down", "mtp.q", "embed", "layers.x"].map(kind_of),
            ["down", "mtp.q", "embed", "layers.x"]
        );
        let mut kinds = Kinds::default();
        let [f, q] = [Encoding::BF16, Encoding::Q8_0];
        kinds.add("layers.0.q", f, q, Some([1.0, 4.0]));
        kinds.add("layers.1.q", f, q, Some([3.0, 12.0]));
        kinds.add("layers.1.k", f, q, None);
        kinds.add("layers.2.q", Encoding::F32, q, Some([0.0, 0.0]));
        let note = |kind: &str, from: &str, tensors, residual| Quantised {
            kind: kind.into(),
            from: from.into(),
            to: "q8_0".into(),
            tensors,
            residual,
        };
        let earlier = [note("q", "f16", 9, None), note("head", "f16", 1, Some(0.25))];
        let want = [
            note("head", "f16", 1, Some(0.25)),
            note("q", "bf16", 2, Some(0.5)),
            note("k", "bf16", 1, None),
            note("q", "f32", 1, Some(0.0)),
        ];
        assert_eq!(kinds.after(&earlier), want);
    }
}
