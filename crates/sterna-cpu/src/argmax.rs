//! Best and second-best token of a row of logits.

use sterna_plan::Top2;

use crate::isa::multiversion;

const PART: usize = 64;

/// `None` when a logit is not finite. Ties go to the lowest index (C6).
pub fn top2(isa: crate::isa::Isa, logits: &[f32]) -> Option<Top2> {
    let mut best = Top2 { token: 0, logit: f32::NEG_INFINITY, second: f32::NEG_INFINITY };
    for (p, part) in logits.chunks(PART).enumerate() {
        let (max, finite) = peak(isa, part);
        if !finite {
            return None;
        }
        if max > best.second {
            for (i, &v) in part.iter().enumerate() {
                if v > best.logit {
                    best = Top2 { token: (p * PART + i) as u32, logit: v, second: best.logit };
                } else if v > best.second {
                    best.second = v;
                }
            }
        }
    }
    Some(best)
}

multiversion! {
    /// Largest value, and whether all are finite.
    fn peak(isa, part: &[f32]) -> (f32, bool) {
        let mut lanes = [f32::NEG_INFINITY; 8];
        let mut bits = [0u32; 8];
        for eight in part.chunks(8) {
            for ((l, b), v) in lanes.iter_mut().zip(&mut bits).zip(eight) {
                *l = if *v > *l { *v } else { *l };
                *b = (*b).max(v.to_bits() & 0x7fff_ffff);
            }
        }
        let max = lanes.iter().fold(f32::NEG_INFINITY, |m, v| if *v > m { *v } else { m });
        (max, bits.iter().all(|b| *b < 0x7f80_0000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;

    #[test]
    fn ties_go_to_the_lowest_and_bad_values_are_seen() {
        for isa in [Isa::Portable, Isa::detect()] {
            let mut v = vec![-1.0f32; 200];
            v[70] = 2.0;
            v[150] = 2.0;
            assert_eq!(top2(isa, &v), Some(Top2 { token: 70, logit: 2.0, second: 2.0 }));
            v[199] = 3.0;
            assert_eq!(top2(isa, &v), Some(Top2 { token: 199, logit: 3.0, second: 2.0 }));
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                v[131] = bad;
                assert_eq!(top2(isa, &v), None);
            }
        }
    }
}
