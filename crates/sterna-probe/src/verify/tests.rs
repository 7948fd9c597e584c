use super::*;

fn points(costs: &[(usize, f64)]) -> Vec<CostPoint> {
    costs
        .iter()
        .map(|(width, steps)| CostPoint {
            width: *width,
            seconds: steps * 0.01,
            steps: *steps,
            roofline: None,
        })
        .collect()
}

fn cost(costs: &[(usize, f64)]) -> VerifyCost {
    let points = points(costs);
    let mut arms = vec![crate::interleave::Arm::told("a", |_: &mut ()| Ok(1.0))];
    VerifyCost {
        model: "m".into(),
        device: "d".into(),
        threads: 1,
        prefix: 0,
        line: fit_line(&points).unwrap(),
        stairs: fit_stairs(&points).unwrap(),
        roofline: None,
        accept: Vec::new(),
        points,
        samples: crate::interleave::interleave(&mut (), &mut arms, Default::default()).unwrap(),
        drafts: None,
        warning: None,
    }
}

#[test]
fn measured_drafting_counts_instead_of_a_given_cost() {
    use crate::drafting::{DraftCost, DraftPoint};
    let point = |(drafts, steps)| DraftPoint { drafts, seconds: steps, steps };
    let points = [(1, 0.4), (2, 0.6), (4, 1.0)].map(point).to_vec();
    let drafts = Some(DraftCost { proposer: "draft".into(), points });
    let c = VerifyCost { drafts, ..cost(&[(1, 1.0), (3, 1.5), (5, 2.0), (9, 3.0)]) };
    let b = break_even(&c, 7.0, &[0.8]);
    let draft: Vec<f64> = b.rows.iter().map(|r| r.draft).collect();
    assert!(draft.iter().zip([0.6, 1.0, 1.8]).all(|(a, b)| (a - b).abs() < 1e-12), "{draft:?}");
    assert!(
        (b.rows[0].needed_accepted - 1.1).abs() < 1e-12,
        "1.5 + 0.6 steps, and one token comes in any case"
    );
    assert!((b.draft_cost - 0.25).abs() < 1e-12 && b.to_string().contains("drafting by draft"), "{b}");
    let said = c.to_string();
    assert!(said.contains("drafts by draft: 1: 0.40, 2: 0.60, 4: 1.00 decode steps"), "{said}");
    let read: VerifyCost = serde_json::from_str(&serde_json::to_string(&c).unwrap()).unwrap();
    assert_eq!(read, c);
    let plain = serde_json::to_string(&cost(&[(1, 1.0), (2, 1.5)])).unwrap();
    assert!(!plain.contains("drafts"), "lines without it are as they were");
}

#[test]
fn costs_of_flagged_rounds_carry_a_warning() {
    let mut c = cost(&[(1, 1.0), (2, 1.1)]);
    (c.samples.noisy, c.samples.throttled) = (vec![], vec![]);
    assert_eq!(c.samples.warning(), None);
    assert!(!c.to_string().contains("warning") && !serde_json::to_string(&c).unwrap().contains("warning"));
    (c.samples.noisy, c.samples.throttled) = (vec![0, 2], vec![2]);
    c.warning = c.samples.warning();
    let said = c.to_string();
    assert!(said.contains("warning: 2 of 7 rounds flagged (2 noisy, 1 on a slow clock)"), "{said}");
    let read: VerifyCost = serde_json::from_str(&serde_json::to_string(&c).unwrap()).unwrap();
    assert_eq!(read, c, "a record keeps it");
}

/// Published costs of a verify on a GPU, with the fit and the residuals worked out by others.
#[test]
fn the_line_is_that_of_the_published_table() {
    let fit = fit_line(&points(&[(16, 4.49), (32, 6.97), (64, 10.90), (128, 20.25)])).unwrap();
    assert!((fit.fixed - 2.276).abs() < 5e-3 && (fit.per_row - 0.13966).abs() < 1e-4, "{fit:?}");
    for (r, want) in fit.residuals.iter().zip([-0.016, 0.227, -0.311, 0.101]) {
        assert!((r - want).abs() < 5e-3, "{fit:?}");
    }
    assert_eq!(fit_line(&points(&[(1, 1.0)])), None);
}

/// A published staircase, in milliseconds, with steps at 4 and 9 rows.
const STAIRCASE: [(usize, f64); 11] = [
    (1, 36.9),
    (2, 37.1),
    (3, 37.7),
    (4, 53.6),
    (5, 54.0),
    (6, 54.4),
    (7, 54.7),
    (8, 54.9),
    (9, 84.6),
    (12, 84.7),
    (16, 81.0),
];

#[test]
fn the_stairs_are_found_where_they_are() {
    let p = points(&STAIRCASE);
    let (line, stairs) = (fit_line(&p).unwrap(), fit_stairs(&p).unwrap());
    let ends: Vec<_> = stairs.stairs.iter().map(|s| (s.from, s.to)).collect();
    assert_eq!(ends[..2], [(1, 3), (4, 8)], "{stairs:?}");
    assert_eq!(ends.last().unwrap().1, 16);
    assert!(stairs.bic < line.bic && stairs.rms < line.rms);
    let even: Vec<_> = (1..=16).map(|w| (w, 1.0 + 0.25 * w as f64)).collect();
    let p = points(&even);
    assert!(fit_line(&p).unwrap().bic < fit_stairs(&p).unwrap().bic, "a line is no staircase");
    let flat: Vec<_> = (1..=16).map(|w| (w, 2.0)).collect();
    assert_eq!(fit_stairs(&points(&flat)).unwrap().stairs.len(), 1);
    assert_eq!(fit_stairs(&points(&[(1, 1.0)])), None);
}

#[test]
fn drafting_pays_from_the_acceptance_at_which_tokens_cost_the_same() {
    let c = cost(&[(1, 1.0), (3, 1.5), (5, 2.83), (9, 12.0)]);
    let b = break_even(&c, 0.1, &[0.8, 0.5]);
    let k: Vec<_> = b.rows.iter().map(|r| (r.k, r.width)).collect();
    assert_eq!(k, [(2, 3), (4, 5), (8, 9)], "k drafts are verified in k + 1 rows");
    let r = b.rows[0];
    assert!((r.needed_accepted - 0.7).abs() < 1e-12, "1.5 + 0.2 steps, and one token comes in any case");
    let a = r.needed_acceptance.unwrap();
    assert!((a + a * a - 0.7).abs() < 1e-9);
    assert!((r.emitted.unwrap() - (1.0 + 0.8 + 0.4)).abs() < 1e-12);
    assert!((r.speedup.unwrap() - 2.2 / 1.7).abs() < 1e-12);
    assert!((b.rows[1].emitted.unwrap() - (1.0 + 0.8 + 0.4 + 0.2 + 0.1)).abs() < 1e-12);
    assert_eq!(b.rows[2].needed_acceptance, None, "12.8 steps for at most 9 tokens");
    let each = r.acceptance.unwrap();
    assert!((each + each * each - 1.2).abs() < 1e-9, "one chance that accepts as many as 80 % and then half");
    assert!(each > a, "it pays");
    let text = b.to_string();
    assert!(text.contains("never") && text.contains("1.29x"), "{text}");
    assert_eq!(break_even(&c, 0.0, &[]).rows[0].speedup, None);
    assert_eq!(break_even(&c, 0.0, &[1.0]).rows[0].acceptance, Some(1.0));
    let text = c.to_string();
    assert!(text.contains("staircase:") && text.contains("BIC"), "{text}");
    let table = c.table(7);
    table.check().unwrap();
    assert_eq!((table.steps(4), table.weight_bytes), (Some(2.83), 7));
}
