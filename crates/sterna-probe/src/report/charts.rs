//! Which charts a topic has; every run's tables are drawn into one.

use super::figures::{Topic, topic};
use super::page::Chart;
use super::svg::{Axis, Bars, HUES, Mark, Plot, Scale, Series};
use crate::limits::Limits;
use crate::record::TableValue;
use crate::table::{bytes, number, percent};
use crate::verify::Stair;

/// A table with what it is called in a chart.
pub struct Named<'a> {
    /// "run 2: TQ2_0 4096x4096", or without the run where there is only one.
    pub name: String,
    /// Of the same topic as its neighbours.
    pub table: &'a TableValue,
    /// The limits that bound it.
    pub limits: Option<&'a Limits>,
    /// Where those are from.
    pub run: usize,
}

fn line(name: &str, hue: usize, mark: Mark, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), mark, hue, points }
}

/// A chart with at most as many hues as can be told apart; the tables below it have everything.
fn plot(title: &str, x: Axis, y: Axis, series: Vec<Series>, about: String) -> Option<Chart> {
    let hues = series.iter().map(|s| s.hue).max()?;
    let about = if hues < HUES { about } else { format!("{about} Colours repeat after {HUES}.") };
    Some(Chart::Plot(Plot { title: title.to_owned(), about, x, y, series }))
}

/// "from 18.7 at 1 to 44 at 64".
fn ends(name: &str, points: &[(f64, f64)]) -> Option<String> {
    let ((x0, y0), (x1, y1)) = (points.first()?, points.last()?);
    Some(format!("{name}: {} at {} to {} at {}.", number(*y0), x0, number(*y1), x1))
}

fn told(series: &[Series]) -> String {
    series
        .iter()
        .filter(|s| s.mark != Mark::Fit)
        .filter_map(|s| ends(&s.name, &s.points))
        .collect::<Vec<_>>()
        .join(" ")
}

/// All charts of a topic.
pub fn charts(of: Topic, tables: &[Named<'_>]) -> Vec<Chart> {
    debug_assert!(tables.iter().all(|t| topic(t.table) == of));
    match of {
        Topic::Widths => widths(tables),
        Topic::Generation => generation(tables),
        Topic::Verify => verify(tables),
        Topic::BreakEven => break_even(tables),
        Topic::Kernels => kernels(tables),
        Topic::Profile => tables.iter().filter_map(profile).collect(),
        Topic::Memory => tables.iter().filter_map(memory).collect(),
        Topic::Overheads => dispatch(tables),
        Topic::Speculation => super::speculation::charts(tables),
        Topic::Comparison => Vec::new(),
    }
}

fn widths(tables: &[Named<'_>]) -> Vec<Chart> {
    let (mut speed, mut cost) = (Vec::new(), Vec::new());
    for (hue, t) in tables.iter().enumerate() {
        let table = match t.table {
            TableValue::Widths(w) => w,
            TableValue::Chunks(c) => &c.widths,
            _ => continue,
        };
        let points = |f: fn(&crate::bench::WidthRow) -> f64| {
            table.rows.iter().map(|r| (r.width as f64, f(r))).collect()
        };
        speed.push(line(&t.name, hue, Mark::Line, points(|r| r.tokens_per_s)));
        cost.push(line(&t.name, hue, Mark::Line, points(|r| r.cost_in_steps)));
    }
    let rows = || Axis::new("rows of a call", Scale::Log2);
    let (a, b) = (told(&speed), told(&cost));
    let speed = plot("Tokens a second by width", rows(), Axis::new("tokens/s", Scale::Linear), speed, a);
    let cost = plot(
        "Cost of a call in steps",
        rows(),
        Axis::new("calls of the first width", Scale::Linear),
        cost,
        b,
    );
    speed.into_iter().chain(cost).collect()
}

fn generation(tables: &[Named<'_>]) -> Vec<Chart> {
    let bars = tables.iter().filter_map(|t| {
        let TableValue::Generation(g) = t.table else { return None };
        let rows: Vec<_> = g
            .rows
            .iter()
            .map(|r| (r.name.clone(), vec![r.tokens_per_s], format!("{}/s", number(r.tokens_per_s))))
            .collect();
        let about = rows.iter().map(|r| format!("{}: {}.", r.0, r.2)).collect::<Vec<_>>().join(" ");
        Some(Chart::Bars(Bars {
            title: format!("Tokens a second, {}", t.name),
            about,
            parts: Vec::new(),
            rows,
        }))
    });
    bars.collect()
}

fn verify(tables: &[Named<'_>]) -> Vec<Chart> {
    let mut series = Vec::new();
    for (hue, t) in tables.iter().enumerate() {
        let TableValue::VerifyCost(v) = t.table else { continue };
        series.push(line(
            &t.name,
            hue,
            Mark::Points,
            v.points.iter().map(|p| (p.width as f64, p.steps)).collect(),
        ));
        if let Some(d) = &v.drafts {
            let points = d.points.iter().map(|p| (p.drafts as f64, p.steps)).collect();
            series.push(line(&format!("{}, drafts by {}", t.name, d.proposer), hue + 2, Mark::Line, points));
        }
        if let (Some(first), Some(last)) = (v.points.first(), v.points.last()) {
            let at = |w: usize| (w as f64, v.line.fixed + v.line.per_row * w as f64);
            let name = format!("{}, line", t.name);
            series.push(line(&name, hue, Mark::Fit, vec![at(first.width), at(last.width)]));
        }
        series.push(line(&format!("{}, stairs", t.name), hue + 1, Mark::Fit, steps(&v.stairs.stairs)));
    }
    let about = told(&series);
    let (x, y) = (Axis::new("rows of a call", Scale::Linear), Axis::new("decode steps", Scale::Linear));
    plot("Verify cost", x, y, series, about).into_iter().collect()
}

/// Flat over the widths of each stair, upright half way to the next.
fn steps(stairs: &[Stair]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut from = stairs.first().map_or(0.0, |s| s.from as f64);
    for (i, s) in stairs.iter().enumerate() {
        let to = stairs.get(i + 1).map_or(s.to as f64, |next| 0.5 * (s.to as f64 + next.from as f64));
        points.extend([(from, s.cost), (to, s.cost)]);
        from = to;
    }
    points
}

fn break_even(tables: &[Named<'_>]) -> Vec<Chart> {
    let (mut needed, mut speedup, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
    for (hue, t) in tables.iter().enumerate() {
        let TableValue::BreakEven(b) = t.table else { continue };
        let k = |f: fn(&crate::verify::BreakEvenRow) -> Option<f64>| {
            b.rows.iter().filter_map(|r| Some((r.k as f64, f(r)?))).collect::<Vec<_>>()
        };
        needed.push(line(&t.name, hue, Mark::Line, k(|r| r.needed_acceptance.map(|a| 100.0 * a))));
        let given = k(|r| r.acceptance.map(|a| 100.0 * a));
        if !given.is_empty() {
            needed.push(line(&format!("{}, given", t.name), hue, Mark::Fit, given));
        }
        let s = k(|r| r.speedup);
        if !s.is_empty() {
            speedup.push(line(&t.name, hue, Mark::Line, s));
        }
        if !b.acceptance.is_empty() {
            let points = b.acceptance.iter().enumerate().map(|(i, a)| ((i + 1) as f64, 100.0 * a)).collect();
            accepted.push(line(&t.name, hue, Mark::Line, points));
        }
    }
    let drafts = || Axis::new("drafts a round", Scale::Linear);
    let chance = || Axis::new("percent", Scale::Linear);
    let place = Axis::new("place in the draft", Scale::Linear);
    let (a, b, c) = (told(&needed), told(&speedup), told(&accepted));
    [
        plot("Acceptance needed to break even", drafts(), chance(), needed, a),
        plot("Speed over plain decoding", drafts(), Axis::new("times", Scale::Linear), speedup, b),
        plot("Acceptance by position", place, chance(), accepted, c),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Operations a byte against operations a second, below the roof of the machine.
fn kernels(tables: &[Named<'_>]) -> Vec<Chart> {
    let mut series = Vec::new();
    let mut runs = Vec::new();
    let mut intensities: Vec<f64> = Vec::new();
    for (hue, t) in tables.iter().enumerate() {
        let TableValue::Kernels(k) = t.table else { continue };
        let of = |l: &crate::bench::Load| (l.macs as f64 / l.weight_bytes.max(1) as f64, l.gmac_s);
        let points: Vec<_> = k.rows.iter().map(|r| of(&r.load)).collect();
        intensities.extend(points.iter().map(|p| p.0).filter(|x| x.is_finite() && *x > 0.0));
        series.push(line(&t.name, hue, Mark::Line, points));
    }
    let about = told(&series);
    let (low, high) =
        intensities.iter().fold((f64::INFINITY, 0f64), |(low, high), x| (low.min(*x), high.max(*x)));
    for t in tables {
        let Some(limits) = t.limits else { continue };
        if runs.contains(&t.run) || !low.is_finite() {
            continue;
        }
        runs.push(t.run);
        let (read, peak) = (limits.read_gb_s(), limits.int8_gmac_s());
        if read <= 0.0 || peak <= 0.0 {
            continue;
        }
        let knee = peak / read;
        let roof: Vec<_> = [low, knee.clamp(low, high), high].map(|x| (x, (x * read).min(peak))).to_vec();
        let name = format!("roof of run {}: {} GB/s, {} GMAC/s", t.run, number(read), number(peak));
        series.push(line(&name, HUES - 1, Mark::Fit, roof));
    }
    let (x, y) =
        (Axis::new("multiply-adds a byte of weights", Scale::Log2), Axis::new("GMAC/s", Scale::Log10));
    plot("Roofline of kernels", x, y, series, about).into_iter().collect()
}

fn profile(t: &Named<'_>) -> Option<Chart> {
    let TableValue::Profile(p) = t.table else { return None };
    let rows: Vec<_> = p
        .ops
        .iter()
        .take(10)
        .map(|o| {
            let text = format!("{} ms, {}", number(o.ms), percent(o.share));
            (o.name.clone(), vec![o.ms - o.wait_ms, o.wait_ms], text)
        })
        .collect();
    let about = rows.iter().map(|r| format!("{}: {}.", r.0, r.2)).collect::<Vec<_>>().join(" ");
    let parts = vec!["work".into(), "waiting for other threads".into()];
    Some(Chart::Bars(Bars { title: format!("Time of a call, {}", t.name), about, parts, rows }))
}

fn memory(t: &Named<'_>) -> Option<Chart> {
    let TableValue::Memory(m) = t.table else { return None };
    let rows: Vec<_> = m
        .stages
        .iter()
        .filter_map(|s| {
            let rss = s.rss?;
            let file = s.file.unwrap_or(0).min(rss);
            Some((s.name.clone(), vec![(rss - file) as f64, file as f64], bytes(rss)))
        })
        .collect();
    let about = rows.iter().map(|r| format!("{}: {}.", r.0, r.2)).collect::<Vec<_>>().join(" ");
    let parts = vec!["own memory".into(), "mapped files".into()];
    Some(Chart::Bars(Bars { title: format!("Resident memory by stage, {}", t.name), about, parts, rows }))
}

fn dispatch(tables: &[Named<'_>]) -> Vec<Chart> {
    let mut series = Vec::new();
    for (hue, t) in tables.iter().enumerate() {
        let TableValue::Dispatch(d) = t.table else { continue };
        series.push(line(
            &t.name,
            hue,
            Mark::Points,
            d.points.iter().map(|p| (p.ops as f64, p.us)).collect(),
        ));
        if let (Some(a), Some(b)) = (d.points.first(), d.points.last()) {
            let at = |n: usize| (n as f64, d.per_call_us + d.per_op_us * n as f64);
            series.push(line(&format!("{}, line", t.name), hue, Mark::Fit, vec![at(a.ops), at(b.ops)]));
        }
    }
    let about = told(&series);
    let (x, y) = (Axis::new("ops of a call", Scale::Linear), Axis::new("microseconds", Scale::Linear));
    plot("Cost of calls and ops", x, y, series, about).into_iter().collect()
}
