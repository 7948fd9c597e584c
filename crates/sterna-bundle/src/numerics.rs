//! How a model's arithmetic is done, by name: written to the manifest, read from it, never implied.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sterna_format::{CodeBits, Encoding, ScaleGroup};

use crate::error::BundleError;
use crate::{INT16_COLS, LinearNumerics};

/// Which dimensions of a head turn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RopeStyle {
    /// Dimension `i` with `i + dim / 2`.
    Neox,
}

/// The formula of int8 activations and the order of sums, spelled out. A bundle that says anything else is refused.
pub const ROUNDING: &str = "int8 activations: d = max|x| / 127 per row and group, q = round half to even of x / d, \
                            0 where d is 0; i32 dots per group; groups ascending by f32 fused multiply-add";

/// How recurrent layers compute and what they keep (contract C5), spelled out. A hybrid bundle that says anything else is
/// refused.
pub const RECURRENCE: &str = "f32 states; conv taps oldest first by fused multiply-add, silu; q, k over their 2-norm; \
                              u = beta (v - decay S'k), S = decay S + k u', o = S'q, chains over k ascending by fused \
                              multiply-add";

/// The formula of int8 activations whose scales the model names, spelled out. A bundle that has some and says anything
/// else is refused.
pub const STATIC_ROUNDING: &str = "static int8 activations: q = round half to even of x / input within -128 to 127; one \
                                   i32 dot, as f32 times (weight scale * input); outputs, where they have a scale, \
                                   round half to even of y / output within -128 to 127, times output";

/// Keys of one attention piece (contract C4).
pub const ATTENTION_PIECE: usize = 64;

/// The numerics of a model: everything beside the weights that decides an output's bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numerics {
    /// Keys per attention piece.
    pub attention_piece: usize,
    /// Pairing of the rotation.
    pub rope: RopeStyle,
    /// [`ROUNDING`].
    pub rounding: String,
    /// [`RECURRENCE`] in a model with recurrent layers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    /// [`STATIC_ROUNDING`] in a model with static activation scales.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_rounding: Option<String>,
    /// Every matrix that multiplies activations, by canonical name.
    pub linears: BTreeMap<String, LinearNumerics>,
}

impl Numerics {
    /// Default numerics of these linears, given as `(name, encoding, cols)`.
    pub fn of<'a>(linears: impl IntoIterator<Item = (&'a str, Encoding, usize)>) -> Self {
        let linears =
            linears.into_iter().map(|(n, e, cols)| (n.to_owned(), default_numerics(e, cols))).collect();
        Self {
            attention_piece: ATTENTION_PIECE,
            rope: RopeStyle::Neox,
            rounding: ROUNDING.to_owned(),
            recurrence: None,
            static_rounding: None,
            linears,
        }
    }

    /// How the linear weight called `name` meets its activations: as named, or by [`default_numerics`] for a weight
    /// that the list leaves out.
    pub fn linear(&self, name: &str, encoding: Encoding, cols: usize) -> LinearNumerics {
        self.linears.get(name).copied().unwrap_or_else(|| default_numerics(encoding, cols))
    }

    /// Has some linears meet their activations otherwise than by default.
    pub(crate) fn set(&mut self, named: impl IntoIterator<Item = (String, LinearNumerics)>) {
        for (name, numerics) in named {
            if matches!(numerics, LinearNumerics::Static { .. }) {
                self.static_rounding = Some(STATIC_ROUNDING.to_owned());
            }
            self.linears.insert(name, numerics);
        }
    }

    /// Refuses numerics that no kernel implements for a weight `[_, cols]` of `encoding`.
    pub(crate) fn check(&self, name: &str, encoding: Encoding, cols: usize) -> Result<(), BundleError> {
        let named = self.linears.get(name).copied();
        let fits = match named {
            None => false,
            Some(LinearNumerics::Float) => encoding.is_float() || matches!(encoding, Encoding::PerRow(_)),
            Some(LinearNumerics::Static { input, output }) => {
                let scale = |s: f32| s.is_normal() && s > 0.0;
                matches!(encoding, Encoding::PerRow(_)) && scale(input) && output.is_none_or(scale)
            }
            Some(LinearNumerics::Int16) => encoding == Encoding::PerRow(CodeBits::Two) && cols <= INT16_COLS,
            Some(LinearNumerics::Int8 { group }) => {
                let default = match default_numerics(encoding, cols) {
                    LinearNumerics::Int8 { group } => group,
                    _ => 0,
                };
                // A row with one scale is exact under any grouping of its inputs; blocks keep their own.
                let any =
                    encoding == Encoding::Ternary(ScaleGroup::Row) && group > 0 && cols.is_multiple_of(group);
                group == default || (any && group.is_multiple_of(16))
            }
        };
        if fits {
            return Ok(());
        }
        let found = named.map_or_else(|| "missing".to_owned(), |n| format!("{n:?}"));
        let wanted =
            format!("{:?} for a matrix in {encoding} of {cols} inputs", default_numerics(encoding, cols));
        Err(BundleError::key("bundle manifest", format!("numerics.linears.{name}"), found, wanted))
    }
}

/// How weights of `encoding` and `cols` inputs meet activations unless a manifest says otherwise: floats stay floats;
/// integer codes meet int8 activations with one scale per weight group. A ternary row with one scale keeps groups of
/// 256 where they fit, so that folding equal block scales changes no result.
pub fn default_numerics(encoding: Encoding, cols: usize) -> LinearNumerics {
    match (encoding, encoding.int_layout(cols)) {
        (_, None) => LinearNumerics::Float,
        (Encoding::Ternary(ScaleGroup::Row), _) if cols.is_multiple_of(256) && cols > 0 => {
            LinearNumerics::Int8 { group: 256 }
        }
        (Encoding::Ternary(ScaleGroup::Row), _) => LinearNumerics::Int8 { group: cols },
        (_, Some(layout)) => LinearNumerics::Int8 { group: layout.group },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_the_encoding() {
        let int8 = |group| LinearNumerics::Int8 { group };
        for (encoding, cols, want) in [
            (Encoding::BF16, 512, LinearNumerics::Float),
            (Encoding::Q4_0, 512, int8(32)),
            (Encoding::Q6K, 512, int8(256)),
            (Encoding::Q2_0, 512, int8(64)),
            (Encoding::PQ2_0, 512, int8(128)),
            (Encoding::TQ2_0, 512, int8(256)),
            (Encoding::Ternary(ScaleGroup::Block256), 512, int8(256)),
            (Encoding::Ternary(ScaleGroup::Block128), 384, int8(128)),
            (Encoding::Ternary(ScaleGroup::Block64), 320, int8(64)),
            (Encoding::Ternary(ScaleGroup::Row), 512, int8(256)),
            (Encoding::Ternary(ScaleGroup::Row), 80, int8(80)),
        ] {
            assert_eq!(default_numerics(encoding, cols), want, "{encoding} {cols}");
            let n = Numerics::of([("q", encoding, cols)]);
            n.check("q", encoding, cols).unwrap();
            assert!(n.check("k", encoding, cols).is_err());
        }
        let int16 = |encoding, cols| {
            let mut n = Numerics::of([("head", encoding, cols)]);
            n.set([("head".to_owned(), LinearNumerics::Int16)]);
            n.check("head", encoding, cols).is_ok()
        };
        let [two, four] = [CodeBits::Two, CodeBits::Four].map(Encoding::PerRow);
        assert!(int16(two, INT16_COLS) && !int16(two, 2 * INT16_COLS) && !int16(four, 512));
        let n = Numerics::of([("q", Encoding::TQ2_0, 512)]);
        assert!(n.check("q", Encoding::F16, 512).is_err());
        assert!(n.check("q", Encoding::Q8_0, 512).is_err());
    }
}
