//! Runs against the first of them: the same table, figure by figure, and what makes the comparison doubtful.

use super::figures::{figures, limit_figures, settings, title, topic};
use super::page::{Better, Figure, Grid, Section};
use super::read::RunData;
use super::{bound, run_name};
use crate::record::{Run, TableValue};
use crate::table::number;

/// Tables that at least two runs have, side by side.
pub fn section(runs: &[RunData]) -> Option<Section> {
    if runs.len() < 2 {
        return None;
    }
    let mut grids = Vec::new();
    let limits: Vec<Vec<Figure>> =
        runs.iter().map(|r| bound(r).map(limit_figures).unwrap_or_default()).collect();
    grids.extend(grid(runs, "limits of the machines", &limits));
    for (label, tables) in common(runs) {
        let of: Vec<Vec<Figure>> = tables.iter().map(|t| t.map(figures).unwrap_or_default()).collect();
        grids.extend(grid(runs, &label, &of));
    }
    let about = "The same tables of several runs; ratios are against the first that has the figure. They are medians of different times, without an \
        interval: for a verdict measure both as arms of one run.";
    (!grids.is_empty()).then_some(Section {
        id: "side-by-side",
        title: "Side by side",
        about,
        charts: Vec::new(),
        grids,
    })
}

/// Title, kind, and the table of every run that has it.
type Common<'a> = (String, std::mem::Discriminant<TableValue>, Vec<Option<&'a TableValue>>);

/// A fact of a run, and what it is called.
type Fact = (&'static str, fn(&Run) -> String);

/// Tables of one topic and title, one for each run that has it; of several in a run the last.
fn common(runs: &[RunData]) -> Vec<(String, Vec<Option<&TableValue>>)> {
    let mut all: Vec<Common<'_>> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        for (name, table) in &run.tables {
            let (label, kind) = (title(name, table), std::mem::discriminant(table));
            let found = all.iter().position(|(l, k, _)| *l == label && *k == kind).unwrap_or_else(|| {
                all.push((label, kind, vec![None; runs.len()]));
                all.len() - 1
            });
            all[found].2[at] = Some(table);
        }
    }
    all.retain(|(_, _, tables)| tables.iter().flatten().count() > 1);
    all.sort_by_key(|(_, _, tables)| tables.iter().flatten().next().map(|t| topic(t)));
    all.into_iter().map(|(label, _, tables)| (label, tables)).collect()
}

fn grid(runs: &[RunData], caption: &str, figures: &[Vec<Figure>]) -> Option<Grid> {
    let mut labels: Vec<(&str, Better)> = Vec::new();
    for f in figures.iter().flatten() {
        if !labels.iter().any(|(l, _)| *l == f.label) {
            labels.push((&f.label, f.better));
        }
    }
    let have: Vec<usize> = (0..runs.len()).filter(|i| !figures[*i].is_empty()).collect();
    if have.len() < 2 || labels.is_empty() {
        return None;
    }
    let mut head = vec!["figure".to_owned()];
    for (i, at) in have.iter().enumerate() {
        head.push(run_name(runs, *at));
        if i > 0 {
            head.push(format!("{} / {}", at + 1, have[0] + 1));
        }
    }
    let mut g = Grid { caption: caption.to_owned(), head, ..Grid::default() };
    for (label, better) in labels {
        let of = |at: usize| figures[at].iter().find(|f| f.label == label).map(|f| f.value);
        let base = of(have[0]);
        let mut cells = vec![label.to_owned()];
        for (i, at) in have.iter().enumerate() {
            cells.push(of(*at).map_or("-".into(), number));
            if i > 0 {
                cells.push(ratio(base, of(*at), better));
            }
        }
        g.row(cells);
    }
    Some(g)
}

/// "1.08 better".
fn ratio(base: Option<f64>, value: Option<f64>, better: Better) -> String {
    let (Some(base), Some(value)) = (base, value) else { return "-".into() };
    let ratio = value / base;
    if !ratio.is_finite() || ratio <= 0.0 {
        return "-".into();
    }
    let word = match (better, ratio) {
        // Less than what runs of one program differ by on a quiet machine.
        (_, r) if (0.99..=1.01).contains(&r) => "",
        (Better::Higher, r) if r > 1.0 => " better",
        (Better::Lower, r) if r < 1.0 => " better",
        _ => " worse",
    };
    format!("{ratio:.3}{word}")
}

/// What makes runs hard to compare.
pub fn differences(runs: &[RunData]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, r) in runs.iter().enumerate().filter(|(_, r)| r.run.is_none()) {
        found.push(format!(
            "run {} ({}) has no line that says what was run: nobody knows where its figures are from",
            at + 1,
            r.id
        ));
    }
    for (at, r) in runs.iter().enumerate().filter(|(_, r)| 10 * r.flagged > r.samples && r.flagged > 0) {
        found.push(format!(
            "run {}: {} of {} samples are flagged as disturbed or throttled",
            at + 1,
            r.flagged,
            r.samples
        ));
    }
    let told: Vec<(usize, &Run)> =
        runs.iter().enumerate().filter_map(|(i, r)| Some((i, r.run.as_ref()?))).collect();
    let facts: [Fact; 9] = [
        ("processors", |r| r.machine.cpu.clone()),
        ("numbers of cores", |r| r.machine.cores.to_string()),
        ("instruction sets", |r| r.machine.isa.clone()),
        ("memory sizes", |r| r.machine.memory.map_or("unknown".into(), |m| m.to_string())),
        ("systems", |r| r.machine.os.clone()),
        ("versions", |r| r.version.clone()),
        ("devices", |r| r.device.clone()),
        ("threads", |r| r.threads.to_string()),
        ("models", |r| r.model.clone()),
    ];
    if let Some(((_, first), rest)) = told.split_first() {
        for (what, fact) in facts {
            let others: Vec<String> = rest
                .iter()
                .filter(|(_, r)| fact(r) != fact(first))
                .map(|(i, r)| format!("run {} has {}", i + 1, or_none(&fact(r))))
                .collect();
            if !others.is_empty() {
                let base = told[0].0 + 1;
                found.push(format!(
                    "runs differ in {what}: run {base} has {}, {}",
                    or_none(&fact(first)),
                    others.join(", ")
                ));
            }
        }
    }
    for (label, tables) in common(runs) {
        let mut all = tables.iter().enumerate().filter_map(|(i, t)| Some((i, settings((*t)?))));
        let Some((base, first)) = all.next() else { continue };
        for (at, other) in all {
            let differing = differing(&first, &other);
            if !differing.is_empty() {
                let (a, b) = (base + 1, at + 1);
                found.push(format!(
                    "“{label}” was measured with other settings in run {b} than in run {a}: {}",
                    differing.join(", ")
                ));
            }
        }
    }
    found
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// Names of the values that differ, those of objects by their own names.
fn differing(a: &serde_json::Value, b: &serde_json::Value) -> Vec<String> {
    use serde_json::Value::{Null, Object};
    let (Object(a), Object(b)) = (a, b) else { return Vec::new() };
    let mut names = Vec::new();
    let keys = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
    for key in keys {
        let (x, y) = (a.get(key).unwrap_or(&Null), b.get(key).unwrap_or(&Null));
        match (x, y) {
            (Object(_), Object(_)) => names.extend(differing(x, y)),
            _ if x != y => names.push(key.clone()),
            _ => {}
        }
    }
    names
}
