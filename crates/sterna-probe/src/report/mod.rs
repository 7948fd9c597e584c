//! Reports: one self-contained HTML page, or Markdown, from recorded JSON lines.
//!
//! The page asks nothing of a network, runs no script and loads nothing; plots are SVG inside it. Every plot is also a
//! table and a sentence. What two runs have in common is held side by side, with what makes them hard to compare.

mod charts;
mod figures;
mod page;
mod read;
mod side_by_side;
mod speculation;
mod svg;

use std::path::PathBuf;

use figures::Topic;
use minijinja::{Environment, Value, context};
pub use page::{Chart, Grid, Page, Section};
pub use read::{CutOff, Doubled, Reader, ReportError, RunData, Skipped};
pub use svg::{Axis, Bars, Mark, Plot, Scale, Series};

use crate::limits::Limits;
use crate::record::Run;
use crate::table::{bytes, count, number};

/// Reads files and makes their report. A line that is there twice counts once.
///
/// # Errors
/// [`ReportError`]: a file that cannot be read, a broken line, or no run at all.
pub fn build(files: &[PathBuf]) -> Result<Page, ReportError> {
    let mut reader = Reader::default();
    for file in files {
        reader.read(file)?;
    }
    let Reader { runs, skipped, doubled, cut_off, .. } = reader;
    if runs.is_empty() {
        let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        let files = names.join(", ");
        if skipped.is_empty() {
            return Err(ReportError::Nothing(files));
        }
        let mut what: Vec<&str> = skipped.iter().map(|s| &*s.what).collect();
        what.sort_unstable();
        what.dedup();
        return Err(ReportError::Newer { files, what: what.join(", ") });
    }
    let mut warnings = Vec::new();
    for d in &doubled {
        let lines = count(d.lines, "line");
        warnings
            .push(format!("{}: {lines} of run {}, which begins in {}, counted once", d.file, d.run, d.first));
    }
    for s in &skipped {
        let lines = if s.lines == 1 { "one line".to_owned() } else { format!("{} lines", s.lines) };
        warnings.push(format!(
            "{}: {lines} of {} left out, the first is line {}: a newer sterna wrote them",
            s.file, s.what, s.line
        ));
    }
    for c in &cut_off {
        warnings.push(format!("{}: line {} ends in the middle and was left out", c.file, c.line));
    }
    Ok(page(&runs, warnings))
}

/// "run 2", or nothing where there is only one.
fn run_name(runs: &[RunData], at: usize) -> String {
    if runs.len() < 2 { String::new() } else { format!("run {}", at + 1) }
}

/// "run 2: text".
fn named(runs: &[RunData], at: usize, text: &str) -> String {
    if runs.len() < 2 { text.to_owned() } else { format!("run {}: {text}", at + 1) }
}

fn page(runs: &[RunData], mut warnings: Vec<String>) -> Page {
    warnings.extend(side_by_side::differences(runs));
    let mut sections = vec![overview(runs)];
    sections.extend(side_by_side::section(runs));
    for (topic, id, title, about) in TOPICS {
        let mut section = Section { id, title, about, ..Section::default() };
        let mut tables = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            for (name, table) in run.tables.iter().filter(|(_, t)| figures::topic(t) == topic) {
                let name = named(runs, at, &figures::title(name, table));
                section.grids.push(figures::grid(&name, table));
                section.grids.extend(speculation::details(&name, table));
                tables.push(charts::Named { name, table, limits: bound(run), run: at + 1 });
            }
        }
        if !tables.is_empty() {
            section.charts = charts::charts(topic, &tables);
            sections.push(section);
        }
    }
    sections.extend(limits(runs));
    Page { title: "Sterna: measurements".into(), warnings, sections }
}

/// The limits that figures of a run are held against: the first that were measured.
fn bound(run: &RunData) -> Option<&Limits> {
    run.limits.first().map(|(_, l)| l)
}

const TOPICS: [(Topic, &str, &str, &str); 10] = [
    (
        Topic::Widths,
        "widths",
        "Tokens a second by width",
        "One call computes so many rows together. Every row has the bits it has alone, so only time depends on the width.",
    ),
    (
        Topic::Generation,
        "generation",
        "Prefill and decode",
        "Reading a prompt in chunks, and making one token at a time.",
    ),
    (
        Topic::Verify,
        "verify",
        "Verify cost",
        "What a call of so many rows costs in calls of one row, with a result for every row: the price of checking drafts. A line and a staircase are fitted; the one with the lower BIC describes it better.",
    ),
    (
        Topic::BreakEven,
        "break-even",
        "Break-even of drafting",
        "How many drafts of a round must be accepted so that it is no slower than plain decoding, what drafting takes included; the round's own token comes on top. Beside it what the given acceptance makes of it.",
    ),
    (
        Topic::Speculation,
        "speculation",
        "Speculation",
        "Whole answers to sets of prompts, with drafts and without. Every arm makes the same tokens; a run in which one does not is no result.",
    ),
    (
        Topic::Kernels,
        "kernels",
        "Kernels against the roofline",
        "Linear layers alone, with weights out of every cache (cold) or small enough to stay in one (hot). The roof is the least of memory and arithmetic, as measured on the same machine in the same run. In the tables, “over roofline” is against memory and the rate that this kernel itself reaches at its widest call, so the widest is 1 where arithmetic limits it.",
    ),
    (
        Topic::Profile,
        "profile",
        "Where the time of a call goes",
        "On the clock of the first thread, layers taken together.",
    ),
    (Topic::Overheads, "overheads", "Cost of calls and threads", "What is paid besides the work itself."),
    (
        Topic::Memory,
        "memory",
        "Memory by stage",
        "Resident memory as the system counts it; mapped files may be dropped and read again.",
    ),
    (
        Topic::Comparison,
        "comparisons",
        "Comparisons within a run",
        "Arms in turns in one process: paired ratios with intervals, so these verdicts can be trusted more than ratios between runs.",
    ),
];

fn overview(runs: &[RunData]) -> Section {
    let mut grid = Grid::new(
        "",
        &[
            "run",
            "when (UTC)",
            "version",
            "model",
            "device",
            "threads",
            "processor",
            "cores",
            "memory",
            "system",
            "load",
            "clock",
            "samples",
            "flagged",
        ],
    );
    for (at, data) in runs.iter().enumerate() {
        let told = |f: &dyn Fn(&Run) -> String| data.run.as_ref().map_or("unknown".to_owned(), f);
        let some = |v: Option<String>| v.unwrap_or_else(|| "unknown".to_owned());
        grid.row([
            format!("{}", at + 1),
            told(&|r| date(r.time)),
            told(&|r| r.version.clone()),
            told(&|r| if r.model.is_empty() { "-".into() } else { r.model.clone() }),
            told(&|r| r.device.clone()),
            told(&|r| r.threads.to_string()),
            told(&|r| format!("{} {}", r.machine.cpu, r.machine.isa).trim().to_owned()),
            told(&|r| r.machine.cores.to_string()),
            told(&|r| some(r.machine.memory.map(bytes))),
            told(&|r| r.machine.os.clone()),
            told(&|r| some(r.weather.load.map(number))),
            told(&|r| some(r.weather.mhz.map(|m| format!("{m:.0} MHz")))),
            data.samples.to_string(),
            data.flagged.to_string(),
        ]);
        let command = told(&|r| r.command.join(" "));
        grid.note(format!("{} {command}, from {}", named(runs, at, "").trim(), data.file).trim().to_owned());
    }
    let grids = vec![grid];
    let about = "What was run where. A figure is worth no more than the quiet of its machine: look at the load and at flagged samples.";
    Section { id: "runs", title: "Runs", about, charts: Vec::new(), grids }
}

/// The limits of every run, last on the page.
fn limits(runs: &[RunData]) -> Option<Section> {
    let all =
        || runs.iter().enumerate().flat_map(|(at, r)| r.limits.iter().map(move |(when, l)| (at, when, l)));
    all().next()?;
    let grid = figures::limits(all().map(|(at, when, l)| ((at + 1).to_string(), when.as_str(), l)));
    let about =
        "What the machine gave when nothing else was asked of it, before and after the tables of a run.";
    Some(Section {
        id: "limits",
        title: "Limits of the machine",
        about,
        charts: Vec::new(),
        grids: vec![grid],
    })
}

/// "2026-11-30 01:28" of seconds since 1970.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days to a date by eras of 400 years that begin on 1 March.
    let z = days + 719_468;
    let (era, day) = (z / 146_097, z % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let d = of_year - (153 * month + 2) / 5 + 1;
    let (m, shift) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{m:02}-{d:02} {:02}:{:02}", era * 400 + year + shift, rest / 3600, rest / 60 % 60)
}

const TEMPLATE: &str = include_str!("page.html.j2");
const STYLE: &str = include_str!("page.css");

impl Page {
    /// The page as HTML.
    ///
    /// # Errors
    /// A broken template, which is part of the program.
    pub fn html(&self) -> Result<String, ReportError> {
        let safe = |text: String| Value::from_safe_string(text);
        let strings = |all: &[String]| Value::from(all.to_vec());
        let sections: Vec<Value> = self.sections.iter().map(|s| {
            let charts: Vec<Value> = s.charts.iter().enumerate().filter_map(|(i, chart)| {
                let id = format!("{}-{i}", s.id);
                let (title, svg, keys) = match chart {
                    Chart::Plot(p) => (&p.title, p.svg(&id)?, p.keys()),
                    Chart::Bars(b) => (&b.title, b.svg(&id)?, b.keys()),
                };
                let key = |(name, hue, mark): svg::Key| context! { picture => safe(svg::swatch(hue, mark)), name };
                let keys: Vec<Value> = keys.into_iter().map(key).collect();
                Some(context! { title => title.clone(), svg => safe(svg), keys })
            }).collect();
            let grids: Vec<Value> = s.grids.iter().map(|g| {
                let rows: Vec<Value> = g.rows.iter().map(|r| strings(r)).collect();
                context! { caption => g.caption.clone(), head => strings(&g.head), rows, notes => strings(&g.notes) }
            }).collect();
            context! { id => s.id, title => s.title, about => s.about, charts, grids }
        }).collect();
        let mut env = Environment::new();
        // The name's ending turns escaping on for every value that is not marked as safe.
        env.add_template("page.html", TEMPLATE)?;
        let style = safe(STYLE.to_owned());
        let page = env.get_template("page.html")?;
        Ok(page.render(
            context! { title => self.title.clone(), warnings => strings(&self.warnings), sections, style },
        )?)
    }

    /// The page as Markdown: the tables, and a sentence for every chart.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", plain(&self.title));
        for w in &self.warnings {
            out += &format!("\n> **Note:** {}\n", plain(w));
        }
        for s in &self.sections {
            out += &format!("\n## {}\n\n{}\n", s.title, s.about);
            for chart in &s.charts {
                let (title, about) = match chart {
                    Chart::Plot(p) => (&p.title, &p.about),
                    Chart::Bars(b) => (&b.title, &b.about),
                };
                if !about.is_empty() {
                    out += &format!("\n*{}*: {}\n", plain(title), plain(about));
                }
            }
            for g in &s.grids {
                out += "\n";
                if !g.caption.is_empty() {
                    out += &format!("**{}**\n\n", plain(&g.caption));
                }
                let line = |cells: &[String]| {
                    let cells: Vec<String> = cells.iter().map(|c| plain(c)).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                out += &line(&g.head);
                let rule: Vec<&str> = (0..g.head.len()).map(|i| if i == 0 { ":--" } else { "--:" }).collect();
                out += &format!("| {} |\n", rule.join(" | "));
                g.rows.iter().for_each(|r| out += &line(r));
                for n in &g.notes {
                    out += &format!("\n{}\n", plain(n));
                }
            }
        }
        out
    }
}

/// Text that Markdown takes for nothing but text, on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '*' | '_' | '[' | ']' | '\\' | '#' | '`' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
