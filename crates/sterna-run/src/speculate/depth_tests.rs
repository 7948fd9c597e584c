//! The policy on a mock clock, against the best fixed depth and against worlds made to hurt it.

use sterna_plan::choose::{COST_SCHEMA, CostTable};

use super::*;

const STEP: f64 = 0.03;
const MOST: usize = 12;
/// Tokens of a run.
const TOKENS: usize = 2000;

/// What calls cost in plain steps by rows.
#[derive(Clone, Copy, Debug)]
enum Costs {
    Flat,
    Linear(f64),
    /// 1.1 to 4 rows, 1.9 to 8, 2.7 from there.
    Stairs,
    /// 1.5 for anything past one row.
    Cliff,
    /// As measured on two cores with an 8B ternary model (notes/measurement.md).
    Measured,
}

const ALL_COSTS: [Costs; 6] =
    [Costs::Flat, Costs::Linear(0.3), Costs::Linear(1.0), Costs::Stairs, Costs::Cliff, Costs::Measured];

impl Costs {
    fn verify(self, width: usize) -> f64 {
        let x = (width - 1) as f64;
        match self {
            Costs::Flat => 1.0,
            Costs::Linear(each) => 1.0 + each * x,
            Costs::Stairs => [1.0, 1.1, 1.1, 1.1, 1.9, 1.9, 1.9, 1.9].get(width - 1).copied().unwrap_or(2.7),
            Costs::Cliff => 1.0 + 0.5 * x.min(1.0),
            Costs::Measured => {
                let few = [1.0, 1.04, 1.11, 1.27, 1.71, 2.02, 2.33, 2.63];
                few.get(width - 1).copied().unwrap_or(0.2 + 0.3077 * width as f64)
            }
        }
    }

    fn table(self) -> CostTable {
        CostTable {
            schema: COST_SCHEMA,
            model: "m".into(),
            weight_bytes: 1,
            device: "d".into(),
            prefix: 0,
            calls: (1..=MOST + 1).map(|w| (w, STEP * self.verify(w))).collect(),
        }
    }
}

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What the target and the proposer do.
struct World<'a> {
    costs: Costs,
    /// Plain steps of one drafted token.
    draft: f64,
    /// Plain steps of one token of text that the proposer reads.
    reading: f64,
    /// Plain steps that the plain round after a draft takes longer.
    after: f64,
    /// Drafts given and accepted of `k` asked for with `n` tokens made.
    answer: &'a mut dyn FnMut(usize, usize) -> (usize, usize),
    /// Factor of a call's time.
    noise: &'a mut dyn FnMut() -> f64,
}

/// What came of it, in plain steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Outcome {
    steps: f64,
    tokens: usize,
    /// Rounds that drafted.
    rounds: usize,
    /// Tokens that the proposer read.
    read: usize,
    /// Loss of rounds that drafted and were not worth it.
    lost: f64,
}

fn simulate(policy: &mut DepthPolicy, tokens: usize, world: &mut World<'_>) -> Outcome {
    simulate_on(policy, &mut Account::default(), tokens, world)
}

fn simulate_on(
    policy: &mut DepthPolicy,
    account: &mut Account,
    tokens: usize,
    world: &mut World<'_>,
) -> Outcome {
    let mut out = Outcome::default();
    // Tokens that the proposer has not read: a prompt.
    let mut unread = 200;
    let mut drafted = false;
    while out.tokens < tokens {
        let asked = policy.choose(MOST, account);
        let (proposed, accepted) = if asked == 0 { (0, 0) } else { (world.answer)(asked, out.tokens) };
        assert!(asked <= MOST && proposed <= asked && accepted <= proposed);
        let read = if asked == 0 { 0 } else { policy.reads(account).min(unread) };
        let draft = world.draft * asked as f64 + world.reading * read as f64;
        let follows_draft = std::mem::replace(&mut drafted, asked > 0);
        let left_behind = if follows_draft && asked == 0 { world.after } else { 0.0 };
        let verify = world.costs.verify(proposed + 1) + left_behind;
        out.steps += draft + verify;
        out.tokens += accepted + 1;
        out.rounds += usize::from(asked > 0);
        out.read += read;
        unread = if asked > 0 { 0 } else { unread } + accepted + 1;
        out.lost += (draft + verify - (accepted + 1) as f64).max(0.0);
        let (draft_seconds, verify_seconds) =
            (STEP * draft * (world.noise)(), STEP * verify * (world.noise)());
        let rows = proposed + 1;
        if asked == 0 {
            if follows_draft {
                policy.followed_plainly(verify_seconds, account);
            }
            account.round(1, 1.0);
        }
        let round =
            Round { asked, proposed, accepted, rows, read, draft_seconds, verify_seconds, follows_draft };
        policy.report(&round, account);
    }
    out
}

fn policy(costs: Costs, draft: f64, tabled: bool) -> DepthPolicy {
    let table = tabled.then(|| costs.table());
    let settings =
        DepthSettings { depth: Depth::Auto, most: MOST, table: table.as_ref(), draft_steps: draft };
    DepthPolicy::new(&settings).unwrap()
}

/// A text whose tokens can each be foreseen with a chance of its own, whatever came before: the same text for every
/// policy that is tried on it.
fn text(a: f64, seed: u64) -> Vec<bool> {
    let mut random = Random(seed);
    (0..2 * TOKENS).map(|_| random.unit() < a).collect()
}

/// Drafts that are right where the text can be foreseen.
fn drafts(text: &[bool]) -> impl FnMut(usize, usize) -> (usize, usize) + '_ {
    |k, n| (k, text[n..n + k].iter().take_while(|right| **right).count())
}

fn quiet() -> f64 {
    1.0
}

/// Plain steps a token at the best fixed depth for `text[from..to]`, 0 included.
fn best_fixed(costs: Costs, draft: f64, text: &[bool], (from, to): (usize, usize)) -> f64 {
    let mut drafts = drafts(text);
    let mut each = |k: usize| {
        let (mut n, mut steps) = (from, 0.0);
        while n < to {
            steps += costs.verify(k + 1) + draft * k as f64;
            n += 1 + drafts(k, n).1;
        }
        steps / (n - from) as f64
    };
    (0..=MOST).map(&mut each).fold(f64::INFINITY, f64::min)
}

const CHANCES: [f64; 11] = [0.0, 0.05, 0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

#[test]
fn where_nothing_changes_it_is_as_fast_as_the_best_fixed_depth() {
    let (mut worst, mut bad) = (0.0f64, 0);
    for costs in ALL_COSTS {
        for (draft, a, tabled) in [0.0, 0.05, 0.3]
            .iter()
            .flat_map(|d| CHANCES.iter().flat_map(move |a| [true, false].map(move |t| (*d, *a, t))))
        {
            let (mut total, mut best) = (0.0, 0.0);
            for seed in 0..4 {
                let text = text(a, seed);
                let mut answer = drafts(&text);
                let mut world =
                    World { costs, draft, reading: 0.0, after: 0.0, answer: &mut answer, noise: &mut quiet };
                let out = simulate(&mut policy(costs, draft, tabled), TOKENS, &mut world);
                total += out.steps / out.tokens as f64;
                best += best_fixed(costs, draft, &text, (0, TOKENS));
            }
            let ratio = total / best;
            worst = worst.max(ratio);
            if ratio > 1.055 {
                bad += 1;
                println!(
                    "{costs:?} draft {draft} chance {a} table {tabled}: {ratio:.3} of the best fixed depth"
                );
            }
        }
    }
    println!("worst {worst:.3}");
    assert_eq!(bad, 0);
}

#[test]
fn hostile_drafts_cost_next_to_nothing() {
    let mut worst = (0.0f64, 0.0f64);
    for costs in ALL_COSTS {
        for (draft, tabled) in [(0.0, true), (0.05, false), (0.3, true), (0.8, false), (3.0, false)] {
            let mut answer = |k: usize, _: usize| (k, 0);
            let mut world =
                World { costs, draft, reading: 0.0, after: 0.0, answer: &mut answer, noise: &mut quiet };
            let (mut policy, mut account) = (policy(costs, draft, tabled), Account::default());
            let start = simulate_on(&mut policy, &mut account, 1000, &mut world);
            let later = simulate_on(&mut policy, &mut account, 20_000, &mut world);
            let (whole, probes) = (start.steps / start.tokens as f64, later.lost / later.steps);
            assert!(whole <= 1.02, "{costs:?} draft {draft}: {whole:.3} of plain at first, {start:?}");
            assert!(probes <= 0.0105, "{costs:?} draft {draft}: probes take {probes:.4}, {later:?}");
            assert!(later.rounds >= 5, "never probes again: {later:?}");
            worst = (worst.0.max(whole), worst.1.max(probes));
        }
    }
    println!("worst {:.4} of plain in 1000 tokens, probes {:.4} of the time later", worst.0, worst.1);
}

/// A rejected draft loses 0.3 steps here: 75 plain rounds make that 0.4 % of the time.
#[test]
fn waits_between_probes_double_until_probes_cost_nothing() {
    let mut policy = policy(Costs::Linear(0.3), 0.0, true);
    let (mut plain, mut account) = (vec![0], Account::default());
    for _ in 0..600 {
        let asked = policy.choose(MOST, &account);
        if asked == 0 {
            plain[0] += 1;
        } else {
            plain.insert(0, 0);
        }
        let verify_seconds = STEP * Costs::Linear(0.3).verify(asked + 1);
        let (proposed, rows) = (asked, asked + 1);
        if asked == 0 {
            account.round(1, 1.0);
        }
        policy.report(&Round { asked, proposed, rows, verify_seconds, ..Round::default() }, &mut account);
    }
    plain.reverse();
    let waits: Vec<i32> = plain.iter().copied().filter(|n| *n > 0).collect();
    assert!(waits.ends_with(&[75, 75, waits[waits.len() - 1]]), "{waits:?}");
    assert!(waits.windows(3).any(|w| w == [32, 64, 75]), "{waits:?}");
}

/// The bound of the account holds against proposers that know what the policy does.
#[test]
fn no_adversary_gains_more_than_the_account_holds() {
    let mut worst = 0.0f64;
    for costs in ALL_COSTS {
        for (draft, accepts, rejects) in [
            (0.0, 1, 1),
            (0.3, 1, 1),
            (0.3, 1, 4),
            (0.8, 2, 3),
            (0.05, 12, 12),
            (0.3, 40, 7),
            (3.0, 1, 1),
            (0.3, 0, 1),
        ] {
            // Accepts only drafts of one token, which probes are, and only so many in a row.
            let mut turn = 0;
            let mut answer = |k: usize, _: usize| {
                turn += 1;
                (k, if k == 1 && turn % (accepts + rejects) < accepts { 1 } else { 0 })
            };
            let mut world =
                World { costs, draft, reading: 0.0, after: 0.0, answer: &mut answer, noise: &mut quiet };
            let out = simulate(&mut policy(costs, draft, false), 4000, &mut world);
            let largest = costs.verify(MOST + 1) + draft * MOST as f64 - 1.0;
            let bound = 1.01 * out.tokens as f64 + 2.5 + largest;
            assert!(
                out.steps <= bound,
                "{costs:?} draft {draft} {accepts}/{rejects}: {out:?}, bound {bound}"
            );
            worst = worst.max(out.steps / out.tokens as f64);
        }
    }
    println!("worst {worst:.4} of plain");
    assert!(worst <= 1.02, "{worst}");
}

/// A draft model that is not asked does not follow the text, and reads what it missed when it is.
#[test]
fn reading_what_was_missed_is_in_the_account() {
    let mut worst = (0.0f64, 0.0f64);
    for costs in ALL_COSTS {
        for (draft, reading) in [(0.17, 0.034), (0.17, 0.3), (0.03, 0.003), (0.8, 1.0), (0.05, 0.1)] {
            let mut answer = |k: usize, _: usize| (k, 0);
            let mut world =
                World { costs, draft, reading, after: 0.0, answer: &mut answer, noise: &mut quiet };
            let (mut policy, mut account) = (policy(costs, draft, false), Account::default());
            let out = simulate_on(&mut policy, &mut account, 4000, &mut world);
            let largest = costs.verify(MOST + 1) + draft * MOST as f64 - 1.0 + 32.0 * reading;
            let bound = 1.01 * out.tokens as f64 + 2.5 + largest;
            assert!(out.steps <= bound, "{costs:?} {draft}/{reading}: {out:?}, bound {bound}");
            worst.0 = worst.0.max(out.steps / out.tokens as f64);
            let later = simulate_on(&mut policy, &mut account, 20_000, &mut world);
            worst.1 = worst.1.max(later.steps / later.tokens as f64);
        }
    }
    println!("worst {:.4} of plain, later {:.4}", worst.0, worst.1);
    assert!(worst.0 <= 1.02 && worst.1 <= 1.006, "{worst:?}");
}

/// All text is worth reading where drafts pay, and where nobody chose how many to draft there is no limit.
#[test]
fn what_pays_may_read_more() {
    let mut policy = policy(Costs::Flat, 0.05, true);
    let mut account = Account::default();
    let mut answer = |k: usize, _: usize| (k, k);
    let mut world = World {
        costs: Costs::Flat,
        draft: 0.05,
        reading: 0.01,
        after: 0.0,
        answer: &mut answer,
        noise: &mut quiet,
    };
    simulate_on(&mut policy, &mut account, 500, &mut world);
    let (later, poor) = (policy.reads(&account), policy.reads(&Account::default()));
    assert!(later > 600 && poor < 250 && poor > 150, "{later} {poor}");
    let settings = DepthSettings { depth: Depth::Fixed(5), most: MOST, table: None, draft_steps: 0.05 };
    assert_eq!(DepthPolicy::new(&settings).unwrap().reads(&account), usize::MAX);
}

/// A head reads along with the text, or knows the last 16 to 32 tokens of it where that is not worth it.
#[test]
fn a_head_that_is_not_asked_does_not_spend_what_it_could_draft_with() {
    let (costs, draft, reading) = (Costs::Linear(0.2), 0.2, 0.045);
    for seed in 0..4 {
        let text: Vec<bool> = [text(0.0, seed), text(0.85, seed), text(0.85, seed + 9)].concat();
        let mut answer = drafts(&text);
        let (mut policy, mut account) = (policy(costs, draft, false), Account::default());
        let (mut unread, mut tokens, mut steps) = (60, 0, 0.0);
        let (hopeless, end) = (2 * TOKENS, 5 * TOKENS);
        let mut until_then = 0.0;
        while tokens < end {
            let asked = policy.choose(MOST.min(end - tokens), &account);
            let (proposed, accepted) = if asked == 0 { (0, 0) } else { answer(asked, tokens) };
            let read = if asked == 0 { 0 } else { unread };
            let (drafting, verify) =
                (draft * asked as f64 + reading * read as f64, costs.verify(proposed + 1));
            let (draft_seconds, verify_seconds) = (STEP * drafting, STEP * verify);
            if asked == 0 {
                account.round(1, 1.0);
            }
            let rows = proposed + 1;
            let round = Round {
                asked,
                proposed,
                accepted,
                rows,
                read,
                draft_seconds,
                verify_seconds,
                ..Round::default()
            };
            policy.report(&round, &mut account);
            (tokens, steps) = (tokens + accepted + 1, steps + drafting + verify);
            unread = if asked == 0 { unread } else { 0 } + accepted + 1;
            if policy.follows() && unread > 64 {
                steps += reading * unread as f64;
                policy.read_ahead(unread, STEP * reading * unread as f64, &mut account);
                unread = 0;
            } else if !policy.follows() && unread > 32 {
                unread = 16;
            }
            if tokens <= hopeless {
                until_then = steps / tokens as f64;
            }
        }
        let after = (steps - until_then * hopeless as f64) / (end - hopeless) as f64;
        println!("{until_then:.3} steps a token while nothing is right, then {after:.3}");
        assert!(until_then < 1.015 && after < 0.93, "seed {seed}: {until_then:.3}, then {after:.3}");
    }
}

#[test]
fn it_notices_that_the_text_has_changed() {
    let half = TOKENS / 2;
    let mut worst = 0.0f64;
    for costs in ALL_COSTS {
        for (draft, before, after) in [
            (0.0, 0.9, 0.0),
            (0.0, 0.0, 0.9),
            (0.05, 0.8, 0.3),
            (0.05, 0.3, 0.8),
            (0.3, 0.0, 0.95),
            (0.3, 0.95, 0.0),
        ] {
            let (mut steps, mut ideal) = (0.0, 0.0);
            for seed in 0..4 {
                let text = [&text(before, seed)[..half], &text(after, seed + 100)].concat();
                let mut answer = drafts(&text);
                let mut world =
                    World { costs, draft, reading: 0.0, after: 0.0, answer: &mut answer, noise: &mut quiet };
                let out = simulate(&mut policy(costs, draft, true), TOKENS, &mut world);
                steps += out.steps / out.tokens as f64;
                ideal += 0.5 * best_fixed(costs, draft, &text, (0, half));
                ideal += 0.5 * best_fixed(costs, draft, &text, (half, TOKENS));
            }
            worst = worst.max(steps / ideal);
        }
    }
    println!("worst {worst:.3} of the best of each half");
    assert!(worst <= 1.1, "{worst:.3}");
}

#[test]
fn clocks_may_be_noisy() {
    for (costs, a) in
        [(Costs::Measured, 0.7), (Costs::Stairs, 0.5), (Costs::Linear(0.3), 0.0), (Costs::Flat, 0.9)]
    {
        let (text, mut random) = (text(a, 5), Random(6));
        let mut answer = drafts(&text);
        // A fifth more or less, and one call in fifty takes thirty times as long.
        let mut noise = || 0.8 + 0.4 * random.unit() + if random.unit() < 0.02 { 30.0 } else { 0.0 };
        let mut world =
            World { costs, draft: 0.02, reading: 0.0, after: 0.0, answer: &mut answer, noise: &mut noise };
        let out = simulate(&mut policy(costs, 0.02, false), TOKENS, &mut world);
        let ratio = out.steps / out.tokens as f64 / best_fixed(costs, 0.02, &text, (0, TOKENS));
        assert!(ratio <= 1.05, "{costs:?} chance {a}: {ratio:.3}");
    }
}

/// A draft that leaves the next plain step slower must not become the measure of plain steps.
#[test]
fn what_drafts_leave_behind_is_charged() {
    let mut worst = 0.0f64;
    for (costs, draft, a) in [
        (Costs::Cliff, 0.3, 0.6),
        (Costs::Linear(0.3), 0.4, 0.6),
        (Costs::Linear(1.0), 0.1, 0.8),
        (Costs::Linear(0.3), 0.0, 0.2),
    ] {
        for seed in 0..4 {
            let text: Vec<bool> = (0..10).flat_map(|i| text(a, 100 * seed + i)).collect();
            let mut answer = drafts(&text);
            let mut world =
                World { costs, draft, reading: 0.0, after: 0.25, answer: &mut answer, noise: &mut quiet };
            let out = simulate(&mut policy(costs, draft, false), 18 * TOKENS, &mut world);
            worst = worst.max(out.steps / out.tokens as f64);
        }
    }
    println!("worst {worst:.4} of plain");
    assert!(worst <= 1.011, "{worst:.4}");
}

/// Other programs come and go, and all calls of a while take half as long again. What plain steps took before is then no
/// measure of what a draft has gained.
#[test]
fn a_machine_that_gets_slower_and_faster_is_no_reason_to_draft() {
    let mut worst = (0.0f64, 0.0f64);
    for (costs, draft, a) in [
        (Costs::Cliff, 0.3, 0.65),
        (Costs::Cliff, 0.3, 0.75),
        (Costs::Linear(0.3), 0.4, 0.6),
        (Costs::Measured, 0.6, 0.6),
        (Costs::Linear(1.0), 0.1, 0.8),
        (Costs::Linear(0.3), 0.0, 0.2),
    ] {
        for seed in 0..8 {
            let text: Vec<bool> = (0..10).flat_map(|i| text(a, 100 * seed + i)).collect();
            let mut answer = drafts(&text);
            let (mut random, mut left, mut slow) = (Random(seed), 0.0, false);
            let mut noise = || {
                if left < 0.0 {
                    (left, slow) = (50.0 + 2000.0 * random.unit(), !slow);
                }
                left -= 1.0;
                if slow { 1.6 } else { 1.0 }
            };
            let mut world =
                World { costs, draft, reading: 0.0, after: 0.0, answer: &mut answer, noise: &mut noise };
            let tokens = 18 * TOKENS;
            let out = simulate(&mut policy(costs, draft, false), tokens, &mut world);
            let (each, best) = (out.steps / out.tokens as f64, best_fixed(costs, draft, &text, (0, tokens)));
            worst = (worst.0.max(each), worst.1.max(each / best));
        }
    }
    println!("worst {:.4} of plain, {:.3} of the best fixed depth", worst.0, worst.1);
    assert!(worst.0 <= 1.013 && worst.1 <= 1.07, "{worst:?}");
}

/// A lookup mostly finds nothing, and is right when it does. Rounds without drafts are plain ones and no failures.
#[test]
fn a_proposer_that_seldom_has_something_is_asked_on() {
    let mut random = Random(3);
    let mut answer = |k: usize, _: usize| {
        if random.unit() < 0.9 { (0, 0) } else { (k, (0..k).take_while(|_| random.unit() < 0.9).count()) }
    };
    let mut world = World {
        costs: Costs::Measured,
        draft: 1e-4,
        reading: 0.0,
        after: 0.0,
        answer: &mut answer,
        noise: &mut quiet,
    };
    let out = simulate(&mut policy(Costs::Measured, 0.0, false), 4000, &mut world);
    let plain = out.tokens as f64;
    // A tenth of the rounds drafts, at best E(4) = 4.1 tokens for 1.71 steps: (0.9 + 0.171) / (0.9 + 0.41).
    assert!(out.steps < 0.85 * plain, "{out:?}");
}

#[test]
fn depth_grows_by_doubling_and_no_further_after_a_rejection() {
    let mut policy = policy(Costs::Flat, 0.0, true);
    let (mut seen, mut account) = (Vec::new(), Account::default());
    for i in 0..6 {
        let asked = policy.choose(MOST, &account);
        seen.push(asked);
        let accepted = if i == 1 { asked - 1 } else { asked };
        let (proposed, rows, verify_seconds) = (asked, asked + 1, STEP);
        let round = Round { asked, proposed, accepted, rows, verify_seconds, ..Round::default() };
        policy.report(&round, &mut account);
    }
    assert_eq!(seen, [2, 4, 4, 8, 12, 12]);
    assert_eq!(policy.choose(3, &account), 3, "no more than there is room for");
    assert_eq!(policy.choose(0, &account), 0);
    assert!(policy.speedup(4).unwrap() > 3.0 && policy.speedup(MOST + 1).is_none());
    assert_eq!((policy.acceptance().counts()[0].proposed, policy.costs().verify(1).is_some()), (6, true));
}

#[test]
fn a_fixed_depth_stays_whatever_happens() {
    let settings = DepthSettings { depth: Depth::Fixed(5), most: MOST, table: None, draft_steps: 0.0 };
    let mut policy = DepthPolicy::new(&settings).unwrap();
    let mut answer = |k: usize, _: usize| (k, 0);
    let mut world = World {
        costs: Costs::Linear(1.0),
        draft: 1.0,
        reading: 0.0,
        after: 0.0,
        answer: &mut answer,
        noise: &mut quiet,
    };
    assert_eq!(simulate(&mut policy, 100, &mut world).rounds, 100);
    assert_eq!((policy.choose(MOST, &Account::default()), policy.choose(2, &Account::default())), (5, 2));
    assert_eq!(policy.acceptance().counts().len(), 5);
}

#[test]
fn tables_from_elsewhere_are_refused() {
    let table = CostTable { schema: 9, ..Costs::Flat.table() };
    let settings = DepthSettings { depth: Depth::Auto, most: MOST, table: Some(&table), draft_steps: 0.0 };
    assert_eq!(DepthPolicy::new(&settings).err(), Some(CostError::Schema(9)));
}
