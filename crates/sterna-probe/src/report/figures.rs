//! Every kind of recorded table as rows of a page, and as figures that two runs can be compared by.

use super::page::{Better, Figure, Grid};
use crate::bench::{GenerationTable, KernelTable, Load, Profile, RowsWanted, WidthTable};
use crate::compare::{Comparison, SelfCheck, Verdict};
use crate::dispatch::{DispatchCost, ThreadCost};
use crate::interleave::Interleaved;
use crate::limits::{Limit, Limits, Rate};
use crate::memory::MemoryStages;
use crate::record::TableValue;
use crate::stats::Summary;
use crate::table::{bytes, count, number, percent};
use crate::verify::{BreakEven, VerifyCost};

/// Heading of the section that a kind of table belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Call widths, with or without an argmax check.
    Widths,
    /// Prefill and decode.
    Generation,
    /// Verify cost.
    Verify,
    /// Answers with and without drafts.
    Speculation,
    /// Break-even and acceptance.
    BreakEven,
    /// Kernels.
    Kernels,
    /// Where the time goes.
    Profile,
    /// Calls and threads.
    Overheads,
    /// Memory.
    Memory,
    /// Comparisons.
    Comparison,
}

/// Topic of a table.
pub fn topic(table: &TableValue) -> Topic {
    match table {
        TableValue::Widths(_) | TableValue::Chunks(_) => Topic::Widths,
        TableValue::Generation(_) => Topic::Generation,
        TableValue::Kernels(_) => Topic::Kernels,
        TableValue::Profile(_) => Topic::Profile,
        TableValue::VerifyCost(_) => Topic::Verify,
        TableValue::BreakEven(_) => Topic::BreakEven,
        TableValue::Speculation(_) => Topic::Speculation,
        TableValue::Memory(_) => Topic::Memory,
        TableValue::Dispatch(_) | TableValue::Threads(_) => Topic::Overheads,
        TableValue::Comparison(_) | TableValue::SelfCheck(_) => Topic::Comparison,
    }
}

/// What tells a table from the others of its run: its name, and what its own options add.
pub fn title(name: &str, table: &TableValue) -> String {
    match table {
        TableValue::Widths(w) => {
            let rows = if w.options.wanted == RowsWanted::All { "every row" } else { "the last row" };
            format!("{name}: after {} positions, results of {rows}", w.options.prefix)
        }
        TableValue::Profile(p) => {
            format!("{name}: {} after {}", count(p.width, "row"), count(p.prefix, "position"))
        }
        TableValue::Chunks(_) => format!("{name}, chunks with argmax check"),
        TableValue::Dispatch(_) => format!("{name}: calls and ops"),
        TableValue::Threads(_) => format!("{name}: threads"),
        TableValue::SelfCheck(_) => format!("{name}: error rates"),
        _ => name.to_owned(),
    }
}

/// The table as it is shown.
pub fn grid(caption: &str, table: &TableValue) -> Grid {
    match table {
        TableValue::Widths(t) => widths(caption, t, &[]),
        TableValue::Chunks(t) => {
            let agree: Vec<String> = t.agreement.iter().map(|a| format!("{}/{}", a.equal, a.width)).collect();
            widths(caption, &t.widths, &agree)
        }
        TableValue::Generation(t) => generation(caption, t),
        TableValue::Kernels(t) => kernels(caption, t),
        TableValue::Profile(t) => profile(caption, t),
        TableValue::VerifyCost(t) => verify(caption, t),
        TableValue::BreakEven(t) => break_even(caption, t),
        TableValue::Memory(t) => memory(caption, t),
        TableValue::Dispatch(t) => dispatch(caption, t),
        TableValue::Threads(t) => threads(caption, t),
        TableValue::Comparison(t) => comparison(caption, t),
        TableValue::SelfCheck(t) => self_check(caption, t),
        TableValue::Speculation(t) => super::speculation::grid(caption, t),
    }
}

fn spread(s: &Summary) -> String {
    format!("{} to {}", number(s.q1), number(s.q3))
}

fn loads(l: &Load) -> [String; 4] {
    let share = percent(l.bandwidth_share);
    let share = if l.implausible { format!("{share} (implausible)") } else { share };
    [number(l.gb_s), share, number(l.gmac_s), percent(l.peak_share)]
}

const LOADS: [&str; 4] = ["GB/s", "of bandwidth", "GMAC/s", "of int8 peak"];

/// How it was measured, below a table.
pub fn noise(grid: &mut Grid, s: &Interleaved) {
    let rounds = count(s.rounds.rounds, "round");
    let mut text = format!("{rounds} in turns after {} of warm-up", s.rounds.warmup);
    if !s.noisy.is_empty() {
        text += &format!("; {} disturbed by other programs", s.noisy.len());
    }
    if !s.throttled.is_empty() {
        text += &format!("; {} on a slowed clock", s.throttled.len());
    }
    if let Some(others) = s.others {
        text += &format!("; others used {} cores", number(others));
    }
    grid.note(text);
}

fn widths(caption: &str, t: &WidthTable, agree: &[String]) -> Grid {
    let head = ["rows", "ms", "middle half", "tokens/s", "speed-up", "cost in steps"];
    let agreed: &[&str] = if agree.is_empty() { &[] } else { &["argmax equal"] };
    let mut g = Grid::new(caption, &[&head[..], &LOADS[..], agreed].concat());
    for (i, r) in t.rows.iter().enumerate() {
        let cells = [
            r.width.to_string(),
            number(r.ms.median),
            spread(&r.ms),
            number(r.tokens_per_s),
            number(r.speedup),
            number(r.cost_in_steps),
        ];
        g.row(cells.into_iter().chain(loads(&r.load)).chain(agree.get(i).cloned()));
    }
    g.note(count(t.threads, "thread"));
    noise(&mut g, &t.samples);
    g
}

fn generation(caption: &str, t: &GenerationTable) -> Grid {
    let head = ["arm", "tokens", "ms", "middle half", "tokens/s", "ms a token"];
    let mut g = Grid::new(caption, &[&head[..], &LOADS[..]].concat());
    for r in &t.rows {
        let cells = [
            r.name.clone(),
            r.tokens.to_string(),
            number(r.ms.median),
            spread(&r.ms),
            number(r.tokens_per_s),
            number(r.ms_per_token),
        ];
        g.row(cells.into_iter().chain(loads(&r.load)));
    }
    noise(&mut g, &t.samples);
    g
}

fn kernels(caption: &str, t: &KernelTable) -> Grid {
    let head = ["rows", "ms", "middle half", "cost", "over roofline"];
    let mut g = Grid::new(caption, &[&head[..], &LOADS[..]].concat());
    for r in &t.rows {
        let cells = [
            r.width.to_string(),
            number(r.ms.median),
            spread(&r.ms),
            number(r.cost),
            number(r.over_roofline),
        ];
        g.row(cells.into_iter().chain(loads(&r.load)));
    }
    noise(&mut g, &t.samples);
    g
}

fn profile(caption: &str, t: &Profile) -> Grid {
    let mut g = Grid::new(caption, &["op", "ops", "ms a call", "share", "waiting ms"]);
    for o in &t.ops {
        g.row([o.name.clone(), o.ops.to_string(), number(o.ms), percent(o.share), number(o.wait_ms)]);
    }
    g.note(format!(
        "{}: {} ms of wall time each, {} in ops",
        count(t.calls, "call"),
        number(t.wall_ms),
        number(t.op_ms)
    ));
    g.note(t.threads.to_string());
    g
}

fn verify(caption: &str, t: &VerifyCost) -> Grid {
    let mut g = Grid::new(caption, &["rows", "ms", "cost in steps", "off the line", "off the stairs"]);
    for (i, p) in t.points.iter().enumerate() {
        let residual = |r: &[f64]| r.get(i).map_or("-".into(), |r| format!("{r:+.3}"));
        let (line, stairs) = (residual(&t.line.residuals), residual(&t.stairs.residuals));
        g.row([p.width.to_string(), number(1e3 * p.seconds), number(p.steps), line, stairs]);
    }
    if let Some(d) = &t.drafts {
        let steps: Vec<String> =
            d.points.iter().map(|p| format!("{}: {}", p.drafts, number(p.steps))).collect();
        g.note(format!("drafts by {}, in steps: {}", d.proposer, steps.join(", ")));
    }
    let (fixed, each) = (number(t.line.fixed), number(t.line.per_row));
    g.note(format!(
        "line: {fixed} + {each} a row, residuals of {} rms, BIC {:.1}",
        number(t.line.rms),
        t.line.bic
    ));
    let stairs: Vec<String> =
        t.stairs.stairs.iter().map(|s| format!("{}-{}: {}", s.from, s.to, number(s.cost))).collect();
    g.note(format!(
        "stairs: {}; residuals of {} rms, BIC {:.1}",
        stairs.join(", "),
        number(t.stairs.rms),
        t.stairs.bic
    ));
    let better = if t.stairs.bic < t.line.bic {
        "the stairs describe it better"
    } else {
        "the line describes it better"
    };
    g.note(format!("{better} (lower BIC)"));
    if let Some(warning) = &t.warning {
        g.note(format!("warning: {warning}"));
    }
    g.note(format!("{}, {}, after {}", t.device, count(t.threads, "thread"), count(t.prefix, "position")));
    noise(&mut g, &t.samples);
    g
}

fn break_even(caption: &str, t: &BreakEven) -> Grid {
    let head = [
        "drafts",
        "rows",
        "verify",
        "draft",
        "accepted, to break even",
        "chance each",
        "accepted, as given",
        "chance each",
        "tokens a round",
        "speed-up",
    ];
    let mut g = Grid::new(caption, &head);
    let or_dash = |v: Option<f64>, f: fn(f64) -> String| v.map_or("-".into(), f);
    for r in &t.rows {
        let needed = r.needed_acceptance.map_or("never".into(), percent);
        g.row([
            r.k.to_string(),
            r.width.to_string(),
            number(r.verify),
            number(r.draft),
            number(r.needed_accepted),
            needed,
            or_dash(r.emitted.map(|e| e - 1.0), number),
            or_dash(r.acceptance, percent),
            or_dash(r.emitted, number),
            or_dash(r.speedup, number),
        ]);
    }
    let each = number(t.draft_cost);
    g.note(match &t.proposer {
        Some(who) => format!("drafting by {who} as measured, {each} a draft; costs are in decode steps"),
        None => format!("a draft costs {each} decode steps; costs are in decode steps"),
    });
    g
}

fn memory(caption: &str, t: &MemoryStages) -> Grid {
    let mut g =
        Grid::new(caption, &["stage", "resident", "of it files", "peak", "weights", "states", "scratch"]);
    let told = |v: Option<u64>| v.map_or("unknown".into(), bytes);
    for s in &t.stages {
        let own = [bytes(s.weights), bytes(s.states), bytes(s.scratch)];
        g.row([s.name.clone(), told(s.rss), told(s.file), told(s.peak)].into_iter().chain(own));
    }
    g
}

fn dispatch(caption: &str, t: &DispatchCost) -> Grid {
    let mut g = Grid::new(caption, &["ops", "microseconds a call", "off the line"]);
    for (p, r) in t.points.iter().zip(&t.residuals_us) {
        g.row([p.ops.to_string(), number(p.us), format!("{r:+.3}")]);
    }
    let (call, op) = (number(t.per_call_us), number(t.per_op_us));
    g.note(format!("{call} us a call and {op} us an op, {}", count(t.threads, "thread")));
    g
}

fn threads(caption: &str, t: &ThreadCost) -> Grid {
    let mut g = Grid::new(caption, &["ms of rest", "one thread, us", "all threads, us", "to wake them, us"]);
    for r in &t.rows {
        g.row([r.idle_ms, r.one_us, r.all_us, r.wake_us].map(number));
    }
    let barrier = t.barrier_us.map_or("no barriers".into(), |us| format!("{} us a barrier", number(us)));
    g.note(format!("{}, {barrier}", count(t.threads, "thread")));
    g
}

fn verdict(v: Verdict) -> &'static str {
    match v {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::Same => "same",
        Verdict::Undecided => "undecided",
    }
}

fn comparison(caption: &str, all: &[Comparison]) -> Grid {
    let head = ["what", "arm", "base", "time ratio", "interval", "verdict", "rounds", "flagged"];
    let mut g = Grid::new(caption, &head);
    for c in all {
        g.row([
            c.what.clone(),
            c.arm.clone(),
            c.base.clone(),
            format!("{:.4}", c.ratio),
            format!("{:.4} to {:.4}", c.low, c.high),
            verdict(c.verdict).to_owned(),
            c.rounds.to_string(),
            c.flagged.to_string(),
        ]);
    }
    if let Some(c) = all.first() {
        g.note(format!(
            "intervals of {}; ratios within {} of 1 count as the same",
            format_args!("{:.2}%", 100.0 * c.confidence),
            percent(c.zone)
        ));
    }
    g
}

fn self_check(caption: &str, t: &SelfCheck) -> Grid {
    let mut g = Grid::new(caption, &["comparison", "made", "reported a difference"]);
    g.row(["an arm with itself".into(), t.same.len().to_string(), t.false_alarms.to_string()]);
    let slowed = format!("with {} of work added", percent(t.injected));
    g.row([slowed, t.slowed.len().to_string(), t.found.to_string()]);
    g
}

/// Limits of machines: run, when they were measured, and what came out.
pub fn limits<'a>(all: impl Iterator<Item = (String, &'a str, &'a Limits)>) -> Grid {
    let head = [
        "run",
        "measured",
        "threads",
        "read, GB/s",
        "median",
        "copy, GB/s",
        "median",
        "int8, GMAC/s",
        "median",
    ];
    let mut g = Grid::new(
        "Limits of the machine: best run and median",
        &[&head[..], &["f32, GMAC/s", "median", "others' cores"]].concat(),
    );
    for (run, when, l) in all {
        let moment = if when == "only" { "alone" } else { when };
        for (threads, rate) in
            [(1, (|l: &Limit| l.one) as fn(&Limit) -> Rate), (l.threads, |l: &Limit| l.all)]
        {
            if threads == 1 && l.threads == 1 && rate(&l.read) != l.read.all {
                continue; // one thread is all threads
            }
            let cells = each(l)
                .into_iter()
                .flat_map(|(_, limit, _)| [rate(limit).best, rate(limit).median].map(number));
            let others = l.others.map_or("unknown".into(), number);
            let first = [run.clone(), moment.to_owned(), threads.to_string()];
            g.row(first.into_iter().chain(cells).chain([others]));
        }
    }
    g
}

fn each(l: &Limits) -> [(&'static str, &Limit, &'static str); 4] {
    [
        ("read memory", &l.read, "GB/s"),
        ("copy memory", &l.copy, "GB/s"),
        ("int8", &l.int8, "GMAC/s"),
        ("f32", &l.fma, "GMAC/s"),
    ]
}

/// Figures of limits.
pub fn limit_figures(l: &Limits) -> Vec<Figure> {
    let figure = |(name, limit, unit): (&str, &Limit, &str)| Figure {
        label: format!("{name}, {unit}, best of all threads"),
        value: limit.all.best,
        better: Better::Higher,
    };
    each(l).into_iter().map(figure).collect()
}

/// Figures by which two tables of one title are held against each other.
pub fn figures(table: &TableValue) -> Vec<Figure> {
    let higher = |label: String, value| Figure { label, value, better: Better::Higher };
    let lower = |label: String, value| Figure { label, value, better: Better::Lower };
    let width = |t: &WidthTable| -> Vec<Figure> {
        t.rows
            .iter()
            .map(|r| higher(format!("{}, tokens/s", count(r.width, "row")), r.tokens_per_s))
            .collect()
    };
    match table {
        TableValue::Widths(t) => width(t),
        TableValue::Chunks(t) => width(&t.widths),
        TableValue::Generation(t) => {
            t.rows.iter().map(|r| higher(format!("{}, tokens/s", r.name), r.tokens_per_s)).collect()
        }
        TableValue::Kernels(t) => {
            t.rows.iter().map(|r| lower(format!("{}, ms", count(r.width, "row")), r.ms.median)).collect()
        }
        TableValue::Profile(t) => {
            let all = [lower("wall, ms".into(), t.wall_ms)].into_iter();
            all.chain(t.ops.iter().map(|o| lower(format!("{}, ms", o.name), o.ms))).collect()
        }
        TableValue::VerifyCost(t) => {
            t.points.iter().map(|p| lower(format!("{}, steps", count(p.width, "row")), p.steps)).collect()
        }
        TableValue::BreakEven(t) => t
            .rows
            .iter()
            .map(|r| lower(format!("{}, accepted to break even", count(r.k, "draft")), r.needed_accepted))
            .collect(),
        TableValue::Memory(t) => {
            let stages = t.stages.iter();
            stages
                .filter_map(|s| Some(lower(format!("{}, resident MB", s.name), s.rss? as f64 / 1e6)))
                .collect()
        }
        TableValue::Dispatch(t) => {
            vec![lower("a call, us".into(), t.per_call_us), lower("an op, us".into(), t.per_op_us)]
        }
        TableValue::Threads(t) => {
            let barrier = t.barrier_us.map(|us| lower("a barrier, us".into(), us));
            let wake = t.rows.iter().map(|r| lower(format!("after {} ms, us", number(r.idle_ms)), r.all_us));
            barrier.into_iter().chain(wake).collect()
        }
        TableValue::Speculation(t) => {
            t.rows.iter().map(|r| higher(format!("{}, tokens/s", r.name), r.tokens_per_s)).collect()
        }
        // They are comparisons already.
        TableValue::Comparison(_) | TableValue::SelfCheck(_) => Vec::new(),
    }
}

/// What was set for a table, for telling two apart: everything but its results.
pub fn settings(table: &TableValue) -> serde_json::Value {
    use serde_json::json;
    let rounds = |s: &Interleaved| json!({ "rounds": s.rounds.rounds, "warmup": s.rounds.warmup });
    match table {
        TableValue::Widths(t) => json!({ "options": t.options, "threads": t.threads }),
        TableValue::Chunks(t) => json!({ "options": t.widths.options, "threads": t.widths.threads }),
        TableValue::Generation(t) => json!({ "options": t.options }),
        TableValue::Kernels(t) => json!({ "options": t.options, "matrices": t.matrices }),
        TableValue::Profile(t) => json!({ "calls": t.calls, "threads": t.threads.threads }),
        TableValue::VerifyCost(t) => json!({
            "model": t.model, "device": t.device, "threads": t.threads, "prefix": t.prefix, "rounds": rounds(&t.samples),
        }),
        TableValue::BreakEven(t) => match &t.proposer {
            // What was measured is a result.
            Some(who) => json!({ "drafts by": who, "acceptance": t.acceptance }),
            None => json!({ "draft cost": t.draft_cost, "acceptance": t.acceptance }),
        },
        TableValue::Memory(t) => json!({ "model": t.model }),
        TableValue::Dispatch(t) => json!({ "threads": t.threads }),
        TableValue::Threads(t) => json!({ "threads": t.threads }),
        TableValue::Speculation(t) => json!({ "prompts": t.prompts, "most": t.most }),
        TableValue::Comparison(_) | TableValue::SelfCheck(_) => json!({}),
    }
}
