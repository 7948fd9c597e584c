//! The report for people.

use std::fmt::{self, Write};

use sterna_probe::stats::Summary;

use crate::machine::Machine;
use crate::report::{ArmReport, ModelReport, Report};

/// Weights below this many bytes may stay in a cache from token to token, so memory does not bound them.
const CACHED: u64 = 64_000_000;

/// `report` as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = page(&mut out, report);
    out
}

fn page(out: &mut String, report: &Report) -> fmt::Result {
    let p = &report.plan;
    writeln!(out, "# Sterna and other engines on the same files\n")?;
    machine(out, &report.machine, p.threads)?;
    writeln!(
        out,
        "{} rounds after {} for warm-up; engines take turns in every round. Medians; in brackets the quartiles. \
         Threads of each engine: {}, in a process of its own.\n",
        p.rounds, p.warmup, p.threads
    )?;
    let mut named: Vec<&str> = Vec::new();
    for engine in report.models.iter().flat_map(|m| &m.engines) {
        let a = &engine.about;
        if named.contains(&a.engine.as_str()) {
            continue;
        }
        named.push(&a.engine);
        let commit = report.machine.commit.as_ref().filter(|_| a.engine == "sterna");
        let commit = commit.map(|c| format!(", commit {c}")).unwrap_or_default();
        writeln!(out, "- {} {}{commit}: {}", a.engine, a.version, a.kernels)?;
    }
    writeln!(out)?;
    overview(out, report)?;
    for model in &report.models {
        one(out, model, report)?;
    }
    Ok(())
}

fn machine(out: &mut String, m: &Machine, threads: usize) -> fmt::Result {
    let memory = m.memory.map_or_else(String::new, |b| format!(", {:.0} GB", b as f64 / 1e9));
    writeln!(
        out,
        "{}, {} cores{memory}; {}. Measured in this run, threads {threads}: memory read {:.1} GB/s, int8 peak \
         {:.0} GMAC/s ({}).\n",
        m.cpu,
        m.cores,
        m.isa.join(" "),
        m.limits.read_gb_s(),
        m.limits.int8_gmac_s(),
        m.limits.int8.kernel,
    )
}

/// How many times faster Sterna is, and how much memory it takes of the other's.
fn overview(out: &mut String, report: &Report) -> fmt::Result {
    for peer in peers(report) {
        writeln!(out, "## Sterna / {peer}\n")?;
        let mut head = vec!["model".to_owned()];
        head.extend(report.plan.arms().into_iter().map(|(name, _)| name));
        head.push("peak memory".to_owned());
        row(out, &head)?;
        rule(out, head.len(), 1)?;
        for model in &report.models {
            // Not every engine can run every model.
            let Some(at) = model.engines.iter().position(|e| e.about.engine == peer) else { continue };
            let mut cells = vec![model.title.clone()];
            cells.extend(model.arms.iter().map(|a| a.ratios.get(at - 1).map_or_else(String::new, times)));
            let memory = |at: usize| model.engines.get(at).and_then(|e| e.peak_memory).map(|b| b as f64);
            let memory = memory(0).zip(memory(at)).map(|(own, other)| format!("{:.2}x", own / other));
            cells.push(memory.unwrap_or_default());
            row(out, &cells)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Names of the engines that Sterna was compared with on any model, in order.
fn peers(report: &Report) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for engine in report.models.iter().flat_map(|m| m.engines.iter().skip(1)) {
        if !names.contains(&engine.about.engine) {
            names.push(engine.about.engine.clone());
        }
    }
    names
}

fn one(out: &mut String, model: &ModelReport, report: &Report) -> fmt::Result {
    writeln!(out, "## {}\n", model.title)?;
    let n = &model.needs;
    write!(out, "File {}; a token reads {} of it.", bytes(n.file_bytes), bytes(n.token_bytes))?;
    match model.others {
        Some(others) => write!(out, " Others used {others:.2} cores ({} noisy samples).", model.noisy)?,
        None => write!(out, " What others used is unknown.")?,
    }
    let names = model.engines.iter().skip(1).map(|e| &e.about.engine);
    let agree: Vec<String> =
        model.greedy.agree.iter().zip(names).map(|(n, name)| format!("{n} with {name}")).collect();
    write!(out, " Greedy text: of {} tokens the first {} agree.", model.greedy.tokens, agree.join(", "))?;
    writeln!(out, "\n")?;
    row(out, &["arm", "engine", "tokens/s", "best", "Sterna is", "of the limit"].map(str::to_owned))?;
    rule(out, 6, 2)?;
    for arm in &model.arms {
        for (i, (engine, samples)) in model.engines.iter().zip(&arm.engines).enumerate() {
            let ratio = i.checked_sub(1).and_then(|i| arm.ratios.get(i)).map(times);
            row(
                out,
                &[
                    arm.name.clone(),
                    engine.about.engine.clone(),
                    range(&samples.rate),
                    number(samples.rate.max),
                    ratio.unwrap_or_default(),
                    share(arm, samples.seconds.median, &report.machine),
                ],
            )?;
        }
    }
    writeln!(out)?;
    row(out, &["engine", "peak memory", "of the file", "loaded in"].map(str::to_owned))?;
    rule(out, 4, 1)?;
    for engine in &model.engines {
        let peak = engine.peak_memory;
        let of_file = peak.map(|b| format!("{:.2}x", b as f64 / n.file_bytes.max(1) as f64));
        let peak = peak.map_or_else(|| "unknown".to_owned(), bytes);
        let loaded = format!("{:.1} s", engine.about.load_seconds);
        row(out, &[engine.about.engine.clone(), peak, of_file.unwrap_or_default(), loaded])?;
    }
    writeln!(out)
}

/// Decoding against the memory's bandwidth, a prompt against the integer peak.
fn share(arm: &ArmReport, seconds: f64, machine: &Machine) -> String {
    let (work, limit, unit, what) = if arm.is_decode {
        (arm.bytes, machine.limits.read_gb_s(), "GB/s", "memory")
    } else {
        (arm.macs, machine.limits.int8_gmac_s(), "GMAC/s", "int8")
    };
    if seconds <= 0.0 || limit <= 0.0 {
        return String::new();
    }
    let rate = work as f64 / seconds / 1e9;
    let cached = arm.is_decode && arm.bytes / (arm.tokens.max(1) as u64) < CACHED;
    let what = if cached { "memory (in cache)" } else { what };
    format!("{} {unit}, {:.0} % {what}", number(rate), 100.0 * rate / limit)
}

fn row(out: &mut String, cells: &[String]) -> fmt::Result {
    writeln!(out, "| {} |", cells.join(" | "))
}

/// The line under the head: the first `left` columns are text, the others numbers.
fn rule(out: &mut String, columns: usize, left: usize) -> fmt::Result {
    let cells: Vec<&str> = (0..columns).map(|i| if i < left { "---" } else { "---:" }).collect();
    writeln!(out, "|{}|", cells.join("|"))
}

fn times(s: &Summary) -> String {
    format!("**{:.2}x** [{:.2} .. {:.2}]", s.median, s.q1, s.q3)
}

fn range(s: &Summary) -> String {
    format!("{} [{} .. {}]", number(s.median), number(s.q1), number(s.q3))
}

fn number(x: f64) -> String {
    let digits = match x.abs() {
        a if a >= 100.0 => 0,
        a if a >= 10.0 => 1,
        _ => 2,
    };
    format!("{x:.digits$}")
}

fn bytes(n: u64) -> String {
    if n >= 1_000_000_000 { format!("{:.2} GB", n as f64 / 1e9) } else { format!("{:.0} MB", n as f64 / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Plan;
    use crate::protocol::{About, Request};
    use crate::report::tests::{needs, timed};
    use crate::report::{EngineReport, GreedyReport};
    use sterna_probe::limits::{Limit, Limits, Rate};

    fn report() -> Report {
        let limit = |best: f64| {
            let rate = Rate { threads: 2, median: best, best, runs: 1 };
            Limit { kernel: "mock".into(), one: rate, all: rate }
        };
        let (read, copy, int8, fma) = (limit(10.0), limit(5.0), limit(100.0), limit(50.0));
        let limits = Limits {
            threads: 2,
            buffer_bytes: 1 << 30,
            huge_pages: true,
            read,
            copy,
            int8,
            fma,
            others: None,
        };
        let (cpu, isa) = ("A CPU".to_owned(), vec!["avx2".to_owned()]);
        let machine = Machine { cpu, isa, cores: 2, memory: None, commit: Some("abc".into()), limits };
        let plan = Plan {
            prompts: vec![],
            decode: 8,
            after: 1,
            warmup: 1,
            rounds: 2,
            threads: 2,
            seed: 1,
            gpu: false,
        };
        let request = Request::Decode { tokens: 8, after: 1 };
        let samples = vec![vec![timed(1.0), timed(1.0)], vec![timed(2.0), timed(2.0)]];
        let arm = ArmReport::of("decode 8 after 1".into(), &request, samples, &needs());
        let engine = |name: &str, peak| {
            EngineReport::of(&About { engine: name.into(), ..About::default() }, Some(peak))
        };
        let engines = vec![engine("sterna", 1_500), engine("llama.cpp", 3_000)];
        let greedy = GreedyReport { tokens: 32, agree: vec![30] };
        let file = std::path::Path::new("/x/a.gguf");
        let model = ModelReport::of("a model".into(), file, needs(), engines, vec![arm], greedy);
        Report { version: 1, unix_time: 0, machine, plan, models: vec![model] }
    }

    #[test]
    fn tables_hold_the_figures() {
        let text = markdown(&report());
        for part in [
            "| a model | **2.00x** [2.00 .. 2.00] | 0.50x |",
            "| decode 8 after 1 | sterna | 8.00 [8.00 .. 8.00] | 8.00 |  | 0.00 GB/s, 0 % memory (in cache) |",
            "| decode 8 after 1 | llama.cpp | 4.00 [4.00 .. 4.00] | 4.00 | **2.00x** [2.00 .. 2.00] |",
            "| sterna | 0 MB | 1.50x | 0.0 s |",
            "Others used 0.10 cores (0 noisy samples). Greedy text: of 32 tokens the first 30 with llama.cpp agree.",
            "- sterna , commit abc",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
        // Every row of a table has as many cells as its head.
        let mut columns = None;
        for line in text.lines() {
            let cells = line.starts_with('|').then(|| line.matches('|').count());
            assert!(columns.is_none() || cells.is_none() || cells == columns, "{line}");
            columns = cells;
        }
    }

    #[test]
    fn the_report_is_json() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["models"][0]["file"], "a.gguf");
        assert_eq!(json["models"][0]["arms"][0]["engines"][1]["samples"][0]["seconds"], 2.0);
        assert_eq!(json["models"][0]["engines"][0]["engine"], "sterna");
    }
}
