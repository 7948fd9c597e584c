//! Answers with and without drafts: tables and charts.

use super::charts::Named;
use super::figures::noise;
use super::page::{Chart, Grid};
use super::svg::{Axis, Bars, Mark, Plot, Scale, Series};
use crate::bench::{ProposerUse, SpeculationRow, SpeculationTable};
use crate::record::TableValue;
use crate::table::{count, number, percent};

/// Arms of one set.
pub fn grid(caption: &str, t: &SpeculationTable) -> Grid {
    let head = [
        "arm",
        "tokens/s",
        "ms",
        "middle half",
        "speed",
        "interval",
        "verdict",
        "accepted",
        "of drafted",
        "share",
        "accepted a call",
        "tokens a call",
    ];
    let mut g = Grid::new(caption, &head);
    for r in &t.rows {
        let c = t.comparisons.iter().find(|c| c.arm == r.name);
        let dash = || "-".to_owned();
        g.row([
            r.name.clone(),
            number(r.tokens_per_s),
            number(r.ms.median),
            format!("{} to {}", number(r.ms.q1), number(r.ms.q3)),
            c.map_or_else(dash, |c| format!("{:.3}", 1.0 / c.ratio)),
            c.map_or_else(dash, |c| format!("{:.3} to {:.3}", 1.0 / c.high, 1.0 / c.low)),
            c.map_or_else(dash, |c| c.verdict.word().to_owned()),
            r.accepted.to_string(),
            r.proposed.to_string(),
            r.acceptance().map_or_else(dash, percent),
            number(r.accepted_a_round()),
            number(r.tokens_a_round()),
        ]);
    }
    if let Some(c) = t.comparisons.first() {
        g.note(format!(
            "speed over {}, paired by round, with {:.2}% intervals; the time is that of the answers, not of their prompts",
            c.base,
            100.0 * c.confidence
        ));
    }
    let (prompts, most) = (count(t.prompts, "prompt"), count(t.most, "token"));
    g.note(format!("{prompts}, answers of at most {most}, the same from every arm"));
    for (r, p) in proposers(t) {
        if let Some(why) = &p.failure {
            g.note(format!("{}: {} was not asked any more: {why}", r.name, p.name));
        }
    }
    noise(&mut g, &t.samples);
    g
}

fn proposers(t: &SpeculationTable) -> impl Iterator<Item = (&SpeculationRow, &ProposerUse)> {
    t.rows.iter().flat_map(|r| r.proposers.iter().map(move |p| (r, p)))
}

/// Milliseconds a token by role: draft, verify, decode, rest.
fn roles(r: &SpeculationRow) -> [f64; 4] {
    let tokens = r.tokens.max(1) as f64;
    [r.roles.draft, r.roles.verify, r.roles.decode, r.roles.rest].map(|s| 1e3 * s / tokens)
}

const ROLES: [&str; 4] = ["draft", "verify", "decode", "rest"];

/// What is below the arms of a set: where the time went, and acceptance by place.
pub fn details(caption: &str, table: &TableValue) -> Vec<Grid> {
    let TableValue::Speculation(t) = table else { return Vec::new() };
    let time = format!("{caption}: milliseconds a token");
    let mut time = Grid::new(time, &[&["arm", "all"], &ROLES[..], &["calls a token"]].concat());
    for r in &t.rows {
        let parts = roles(r);
        let calls = r.rounds as f64 / r.tokens.max(1) as f64;
        let cells = [parts.iter().sum()].into_iter().chain(parts).chain([calls]).map(number);
        time.row([r.name.clone()].into_iter().chain(cells));
    }
    time.note("rest: choosing tokens, text, keeping accepted rows, telling proposers what was kept");
    let deepest = proposers(t).map(|(_, p)| p.places.len()).max().unwrap_or(0);
    if deepest == 0 {
        return vec![time];
    }
    let places: Vec<String> = (1..=deepest).map(|i| i.to_string()).collect();
    let head: Vec<&str> =
        ["arm", "proposer", "rounds"].into_iter().chain(places.iter().map(String::as_str)).collect();
    let mut grid = Grid::new(format!("{caption}: drafts accepted by place"), &head);
    for (r, p) in proposers(t) {
        let cells = p
            .places
            .iter()
            .zip(p.shares())
            .map(|(place, share)| format!("{} of {}", percent(share), place.proposed));
        let missing = (p.places.len()..deepest).map(|_| "-".to_owned());
        grid.row(
            [r.name.clone(), p.name.clone(), p.rounds.to_string()].into_iter().chain(cells).chain(missing),
        );
    }
    vec![time, grid]
}

/// Acceptance by place over all sets, and where the time went in each.
pub fn charts(tables: &[Named<'_>]) -> Vec<Chart> {
    let all = || {
        tables.iter().filter_map(|t| match t.table {
            TableValue::Speculation(s) => Some((t, s)),
            _ => None,
        })
    };
    let mut series: Vec<Series> = Vec::new();
    for (t, table) in all() {
        for (r, p) in proposers(table) {
            let points: Vec<_> =
                p.shares().iter().enumerate().map(|(i, a)| ((i + 1) as f64, 100.0 * a)).collect();
            let name = format!("{}: {}, {}", t.name, r.name, p.name);
            series.push(Series { name, mark: Mark::Line, hue: series.len(), points });
        }
    }
    let ends = series.iter().filter_map(|s| {
        let ((_, first), (deepest, last)) = (s.points.first()?, s.points.last()?);
        Some(format!("{}: {} at 1 to {} at {deepest}.", s.name, number(*first), number(*last)))
    });
    let about = ends.collect::<Vec<_>>().join(" ");
    let (x, y) =
        (Axis::new("place in the draft", Scale::Linear), Axis::new("percent accepted", Scale::Linear));
    let plot = Plot { title: "Drafts accepted by place".into(), about, x, y, series };
    let mut out = if plot.series.is_empty() { Vec::new() } else { vec![Chart::Plot(plot)] };
    for (t, table) in all() {
        let rows = table.rows.iter().map(|r| {
            let parts = roles(r).to_vec();
            let text = format!("{} ms a token", number(parts.iter().sum()));
            (r.name.clone(), parts, text)
        });
        let rows: Vec<_> = rows.collect();
        let about = rows.iter().map(|(name, parts, text)| {
            let parts: Vec<String> =
                ROLES.iter().zip(parts).map(|(role, ms)| format!("{role} {}", number(*ms))).collect();
            format!("{name}: {text}, {}.", parts.join(", "))
        });
        let about = about.collect::<Vec<_>>().join(" ");
        let parts = ROLES.iter().map(|r| (*r).to_owned()).collect();
        out.push(Chart::Bars(Bars {
            title: format!("Where the time of a token goes, {}", t.name),
            about,
            parts,
            rows,
        }));
    }
    out
}
