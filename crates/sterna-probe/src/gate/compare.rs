//! Fingerprints of rows and states: 32 bytes stand for a row of logits, so a long walk fits in memory.

use sha2::{Digest, Sha256};
use sterna_plan::{Outputs, Top2};
use sterna_run::Session;

use super::GateError;

/// Bytes of state that one hash stands for.
pub(super) const STATE_BLOCK: usize = 4096;

pub(super) type Hash = [u8; 32];

/// One row of the base walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fingerprint {
    /// SHA-256 of the logits' bits.
    pub logits: Hash,
    /// Best two tokens.
    pub top: Top2,
}

/// SHA-256 of a row's f32 bits.
pub(super) fn hash(row: &[f32]) -> Hash {
    Sha256::digest(bytemuck::cast_slice::<f32, u8>(row)).into()
}

/// Whether token and both logits have the same bits.
pub(super) fn same_top(a: Top2, b: Top2) -> bool {
    a.token == b.token && a.logit.to_bits() == b.logit.to_bits() && a.second.to_bits() == b.second.to_bits()
}

/// Lowest index of the greatest value (C6).
pub(super) fn argmax(row: &[f32]) -> u32 {
    let mut best = (f32::NEG_INFINITY, 0);
    for (i, x) in row.iter().enumerate() {
        if *x > best.0 {
            best = (*x, i as u32);
        }
    }
    best.1
}

/// `ln(sum(exp(row)))` in f64.
pub(super) fn log_sum_exp(row: &[f32]) -> f64 {
    let most = f64::from(row.iter().fold(f32::NEG_INFINITY, |m, v| m.max(*v)));
    most + row.iter().map(|v| (f64::from(*v) - most).exp()).sum::<f64>().ln()
}

/// A state: length and one hash per block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatePrint {
    pub bytes: usize,
    blocks: Vec<Hash>,
}

impl StatePrint {
    /// The state of a session; `arm` names it in errors.
    pub fn read(session: &Session, arm: &str) -> Result<Self, GateError> {
        let bytes = session.executor().state_bytes(0);
        let bytes = bytes.map_err(|e| GateError::Session { arm: arm.into(), source: e.into() })?;
        Ok(Self::of(&bytes))
    }

    pub fn of(state: &[u8]) -> Self {
        let blocks = state.chunks(STATE_BLOCK).map(|b| Sha256::digest(b).into()).collect();
        Self { bytes: state.len(), blocks }
    }

    /// Blocks that differ, a difference in number included.
    pub fn differing(&self, other: &Self) -> usize {
        let pairs = self.blocks.iter().zip(&other.blocks).filter(|(a, b)| a != b).count();
        pairs + self.blocks.len().abs_diff(other.blocks.len())
    }
}

/// What one walk found against the base.
pub(super) struct Collector<'a> {
    base: &'a [Fingerprint],
    pub rows: usize,
    pub rows_differing: usize,
    pub argmax_agree: usize,
    /// Position, token, and logits (empty where only the argmax was asked for) of the first row that differs.
    pub first: Option<(usize, Top2, Vec<f32>)>,
}

impl<'a> Collector<'a> {
    pub fn new(base: &'a [Fingerprint]) -> Self {
        Self { base, rows: 0, rows_differing: 0, argmax_agree: 0, first: None }
    }

    pub fn row(&mut self, position: usize, outputs: &Outputs, row: usize) {
        self.rows += 1;
        let top = outputs.top_of(row);
        let logits = outputs.logits_of(row);
        let Some(base) = self.base.get(position) else {
            self.rows_differing += 1;
            return;
        };
        self.argmax_agree += usize::from(top.is_some_and(|t| t.token == base.top.token));
        let same =
            top.is_some_and(|t| same_top(t, base.top)) && logits.is_none_or(|l| hash(l) == base.logits);
        if !same {
            self.rows_differing += 1;
            if self.first.is_none() {
                self.first = Some((position, top.unwrap_or_default(), logits.unwrap_or_default().to_vec()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_see_every_bit() {
        assert_ne!(hash(&[0.0]), hash(&[-0.0]));
        assert_eq!(hash(&[1.5, 2.0]), hash(&[1.5, 2.0]));
        assert_eq!(argmax(&[1.0, 3.0, 3.0, 2.0]), 1);
        let (a, mut b) = (vec![7u8; 10_000], vec![7u8; 10_000]);
        b[5000] ^= 1;
        assert_eq!(StatePrint::of(&a).differing(&StatePrint::of(&b)), 1);
        assert_eq!(StatePrint::of(&a).differing(&StatePrint::of(&a[..4096])), 2);
        assert_eq!(StatePrint::of(&a).differing(&StatePrint::of(&a)), 0);
        assert!(StatePrint::of(&a).differing(&StatePrint::of(&a[..9000])) > 0);
    }

    #[test]
    fn a_row_of_its_own_differs() {
        let row = vec![1.0f32, 2.0, 0.5];
        let top = Top2 { token: 1, logit: 2.0, second: 1.0 };
        let base = [Fingerprint { logits: hash(&row), top }];
        let mut out = Outputs { rows: vec![0], top: vec![top], logits: vec![row], ..Outputs::default() };
        let mut c = Collector::new(&base);
        c.row(0, &out, 0);
        assert_eq!((c.rows, c.rows_differing, c.argmax_agree), (1, 0, 1));
        out.logits[0][2] = f32::from_bits(out.logits[0][2].to_bits() ^ 1);
        c.row(0, &out, 0);
        assert_eq!((c.rows, c.rows_differing, c.argmax_agree), (2, 1, 2));
        c.row(1, &out, 0);
        assert_eq!((c.rows, c.rows_differing), (3, 2), "a position that the base never saw");
        assert_eq!(c.first.as_ref().map(|f| f.0), Some(0));
    }
}
