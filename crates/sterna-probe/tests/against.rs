//! One model against another: a model against itself, against a changed head, and against faults made on purpose.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use common::{Fault, broken, tiny, tiny_law};
use sterna_probe::gate::{GateArm, against};
use sterna_probe::tokens;

fn ids(n: usize) -> Vec<u32> {
    tokens::seeded(3, n, 100)
}

#[test]
fn a_model_agrees_with_itself_bit_for_bit() {
    let (mut a, mut b) = (tiny(GateArm::BASE, 70).unwrap(), tiny(GateArm::BASE, 90).unwrap());
    let mut heard = Vec::new();
    let r = against(&mut a, &mut b, &ids(150), 70, &mut |n| heard.push(n)).unwrap();
    assert_eq!((r.rows, r.agree, r.identical, r.window, r.vocab), (150, 150, 150, 70, 100));
    assert_eq!((r.mean_kl, r.mean_abs, r.max_abs), (0.0, 0.0, 0.0));
    // Windows of 70, 70 and 10: the last row of each has no next token.
    assert_eq!(r.scored, 147);
    assert_eq!(r.base_loss, r.other_loss);
    assert!(r.worst.is_empty() && r.passed(1.0));
    assert_eq!(heard, [64, 70, 134, 140, 150]);
    // The law of the reference has the same bits.
    let mut law = tiny_law(GateArm::BASE, 70).unwrap();
    let r = against(&mut a, &mut law, &ids(40), 40, &mut |_| {}).unwrap();
    assert_eq!(r.identical, 40);
}

#[test]
fn faults_are_seen() {
    let mut base = tiny(GateArm::BASE, 130).unwrap();
    // One bit of one logit of the last row of each part.
    let mut other = broken(GateArm::BASE, 130, Fault::FlipBit).unwrap();
    let r = against(&mut base, &mut other, &ids(128), 128, &mut |_| {}).unwrap();
    assert_eq!((r.rows, r.agree, r.identical), (128, 128, 126));
    assert!(r.max_abs > 0.0);
    // Another best token there.
    let mut other = broken(GateArm::BASE, 130, Fault::WrongTop).unwrap();
    let r = against(&mut base, &mut other, &ids(128), 128, &mut |_| {}).unwrap();
    assert_eq!((r.agree, r.worst.len()), (126, 2));
    assert!(r.passed(0.98) && !r.passed(0.99));
    assert!(r.worst.iter().all(|d| d.other == d.base + 1 && d.base_lead >= d.base_margin));
    assert!(r.worst[0].base_margin >= r.worst[1].base_margin);
    assert!(r.worst.iter().all(|d| d.position == 63 || d.position == 127));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let (mut a, mut b) = (tiny(GateArm::BASE, 70).unwrap(), tiny(GateArm::BASE, 60).unwrap());
    for (ids, window) in [(vec![], 10), (vec![1; 10], 0), (vec![1; 70], 61), (vec![100], 10)] {
        assert!(against(&mut a, &mut b, &ids, window, &mut |_| {}).is_err(), "{ids:?} {window}");
    }
}
