//! Pages of made-up runs: what is said, what is escaped, what is refused.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::record::{Line, Record, SCHEMA};

fn line(run: &str, record: Record) -> String {
    serde_json::to_string(&Line { schema: SCHEMA, run: run.into(), record }).unwrap()
}

fn run_line(id: &str, change: impl FnOnce(&mut Run)) -> String {
    let mut run: Run = serde_json::from_value(json!({
        "time": 1_764_466_137, "command": ["sterna", "bench"], "version": "0.1.0",
        "machine": {"cpu": "Test CPU", "cores": 2, "isa": "AVX2", "memory": 8_000_000_000u64, "os": "linux x86_64"},
        "weather": {"load": 0.5, "mhz": null, "celsius": null}, "device": "cpu", "threads": 2, "model": "m",
    }))
    .unwrap();
    change(&mut run);
    line(id, Record::Run(Box::new(run)))
}

fn summary(median: f64) -> serde_json::Value {
    json!({"count": 3, "median": median, "min": median, "max": median, "q1": median, "q3": median, "mad": 0.0})
}

fn samples() -> serde_json::Value {
    let rounds = json!({"warmup": 1, "rounds": 3, "noise_limit": 0.1, "clock_limit": 0.9});
    json!({
        "arms": [], "rounds": rounds, "others": 0.25, "others_by_round": [], "noisy": [1], "clock_by_round": [],
        "throttled": [], "weather": [],
    })
}

fn load(gb_s: f64) -> serde_json::Value {
    json!({
        "weight_bytes": 16_000_000, "macs": 34_000_000, "gb_s": gb_s, "bandwidth_share": 0.5, "gmac_s": 10.0 * gb_s,
        "gmac_s_per_thread": 5.0 * gb_s, "peak_share": 0.1, "implausible": gb_s > 100.0,
    })
}

fn with(mut a: serde_json::Value, b: &serde_json::Value) -> serde_json::Value {
    for (k, v) in b.as_object().unwrap() {
        a[k] = v.clone();
    }
    a
}

fn table(run: &str, name: &str, kind: &str, value: &serde_json::Value) -> String {
    json!({"schema": SCHEMA, "run": run, "kind": "table", "name": name, "table": {"type": kind, "value": value}}).to_string()
}

fn widths(run: &str, name: &str, speed: f64, rounds: u64) -> String {
    let rows: Vec<_> = [1u64, 4, 16]
        .iter()
        .map(|w| {
            let row = json!({
                "width": w, "entry": "main", "ms": summary(10.0), "quiet_ms": null,
                "tokens_per_s": speed * *w as f64, "speedup": *w, "cost_in_steps": 1.25,
            });
            with(row, &load(2.0))
        })
        .collect();
    let rounds = json!({"warmup": 1, "rounds": rounds, "noise_limit": 0.1, "clock_limit": 0.9});
    let options = json!({"widths": [1, 4, 16], "prefix": 64, "wanted": "all", "rounds": rounds, "seed": 1});
    table(run, name, "widths", &json!({"options": options, "rows": rows, "threads": 2, "samples": samples()}))
}

fn verify(run: &str) -> String {
    let value = json!({
        "model": "m", "device": "cpu", "threads": 2, "prefix": 64,
        "points": [{"width": 1, "seconds": 0.01, "steps": 1.0}, {"width": 2, "seconds": 0.0125, "steps": 1.25}],
        "line": {"fixed": 0.75, "per_row": 0.25, "residuals": [0.0, 0.0], "rms": 0.0, "bic": -30.0},
        "stairs": {"stairs": [{"from": 1, "to": 2, "cost": 1.125}], "residuals": [-0.125, 0.125], "rms": 0.125, "bic": -8.0},
        "samples": samples(),
    });
    table(run, "m", "verify_cost", &value)
}

fn break_even(run: &str) -> String {
    let row = json!({
        "k": 4, "width": 5, "verify": 2.0, "draft": 0.4, "needed_accepted": 1.4, "needed_acceptance": 0.53,
        "emitted": 3.0, "speedup": 1.25,
    });
    let never = json!({
        "k": 8, "width": 9, "verify": 20.0, "draft": 0.8, "needed_accepted": 19.8, "needed_acceptance": null,
        "emitted": null, "speedup": null,
    });
    let value = json!({"draft_cost": 0.1, "acceptance": [0.9, 0.7, 0.5], "rows": [row, never]});
    table(run, "m", "break_even", &value)
}

fn kernels(run: &str) -> String {
    let rows: Vec<_> = [(1u64, 1.0), (64, 20.0)]
        .iter()
        .map(|(w, gb)| {
            let row = json!({"width": w, "ms": summary(1.0), "cost": 1.0, "over_roofline": 1.1});
            with(row, &load(*gb))
        })
        .collect();
    let rounds = json!({"warmup": 1, "rounds": 3, "noise_limit": 0.1, "clock_limit": 0.9});
    let options = json!({"encoding": "tq2_0", "rows": 4096, "cols": 2048, "widths": [1, 64], "cold_bytes": 1, "rounds": rounds});
    table(
        run,
        "tq2_0 4096x2048 cold",
        "kernels",
        &json!({"options": options, "matrices": 3, "rows": rows, "samples": samples()}),
    )
}

fn memory(run: &str) -> String {
    let stage = |name: &str, rss: Option<u64>| json!({"name": name, "rss": rss, "peak": rss, "file": 1_000_000, "weights": 5, "states": 0, "scratch": 0});
    let stages =
        [stage("start", Some(10_000_000)), stage("loaded", Some(90_000_000)), stage("first chunk", None)];
    table(run, "m", "memory", &json!({"model": "m", "stages": stages}))
}

fn limits(run: &str) -> String {
    let limit = |x: f64| {
        let rate = json!({"threads": 2, "median": x, "best": x, "runs": 3});
        json!({"kernel": "k", "one": rate, "all": rate})
    };
    let limits = json!({
        "threads": 2, "buffer_bytes": 1, "huge_pages": true, "read": limit(20.0), "copy": limit(10.0),
        "int8": limit(300.0), "fma": limit(50.0), "others": null,
    });
    json!({"schema": SCHEMA, "run": run, "kind": "limits", "when": "before", "limits": limits}).to_string()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sterna-report-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn file(&self, name: &str, lines: &[String]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn speculation(run: &str, set: &str) -> String {
    let row = |name: &str, speed: f64, accepted: u64, proposers: serde_json::Value| {
        json!({
            "name": name, "ms": summary(1e3 / speed), "tokens_per_s": speed, "tokens": 200, "rounds": 200 - accepted,
            "proposed": 2 * accepted, "accepted": accepted, "proposers": proposers,
            "roles": {"draft": 0.1, "verify": 0.4, "decode": 0.2, "rest": 0.02},
        })
    };
    let places = json!([{"proposed": 60, "accepted": 45}, {"proposed": 60, "accepted": 30}]);
    let proposers =
        json!([{"name": "suffix", "rounds": 60, "places": places, "propose": 0.1, "verify": 0.4}]);
    let comparison = json!({
        "what": set, "base": "off", "arm": "speculate=ngram", "rounds": 12, "flagged": 0, "ratio": 0.8, "low": 0.75,
        "high": 0.85, "confidence": 0.9995, "zone": 0.01, "resolution": 0.03, "verdict": "faster",
    });
    let value = json!({
        "set": set, "prompts": 6, "most": 64, "comparisons": [comparison], "samples": samples(),
        "rows": [row("off", 40.0, 0, json!([])), row("speculate=ngram", 50.0, 75, proposers)],
    });
    table(run, set, "speculation", &value)
}

fn everything(run: &str) -> Vec<String> {
    let all = [run_line(run, |_| {}), limits(run), widths(run, "m", 50.0, 3), verify(run), break_even(run)];
    all.into_iter().chain([kernels(run), memory(run)]).collect()
}

/// Tags that open and close, in order; `<br>` and its like do not occur.
fn assert_well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in html.split('<').skip(1) {
        let tag = part.split('>').next().unwrap();
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        if tag.starts_with('!') || tag.ends_with('/') || ["meta", "link"].contains(&name) {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "in {}", &html[..200.min(html.len())]),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Arms of each set, where the time went, and acceptance by place; every chart is a table too.
#[test]
fn speculation_is_told_by_set_and_arm() {
    let folder = Folder::new("speculation");
    let lines = [run_line("r", |_| {}), speculation("r", "copy"), speculation("r", "story")];
    let page = build(&[folder.file("a.jsonl", &lines)]).unwrap();
    let section = page.sections.iter().find(|s| s.id == "speculation").unwrap();
    assert_eq!(section.charts.len(), 3, "acceptance of all sets, and roles of each");
    let captions: Vec<&str> = section.grids.iter().map(|g| g.caption.as_str()).collect();
    assert_eq!(captions[..3], ["copy", "copy: milliseconds a token", "copy: drafts accepted by place"]);
    assert_eq!(captions.len(), 6);
    let row =
        |grid: usize, name: &str| section.grids[grid].rows.iter().find(|r| r[0] == name).unwrap().join(" ");
    // 75 of 150 drafts in 125 calls; a time ratio of 0.8 is a speed of 1.25.
    let arm = row(0, "speculate=ngram");
    for part in ["50.00", "1.250 1.176 to 1.333 faster 75 150 50.0%", "0.600 1.60"] {
        assert!(arm.contains(part), "{part}: {arm}");
    }
    assert!(row(0, "off").contains("- - -"), "the first arm is held against nothing");
    assert_eq!(row(1, "off"), "off 3.60 0.500 2.00 1.00 0.100 1.00");
    assert_eq!(row(2, "speculate=ngram"), "speculate=ngram suffix 60 75.0% of 60 50.0% of 60");
    let html = page.html().unwrap();
    assert_well_formed(&html);
    assert!(html.contains("Drafts accepted by place") && html.contains("draft 0.500, verify 2.00"));
    // Two runs are held side by side by their speeds.
    let faster = speculation("s", "copy").replace("\"tokens_per_s\":50.0", "\"tokens_per_s\":75.0");
    let lines = [run_line("r", |_| {}), speculation("r", "copy"), run_line("s", |_| {}), faster];
    let both = build(&[folder.file("b.jsonl", &lines)]).unwrap().markdown();
    assert!(both.contains("speculate=ngram, tokens/s") && both.contains("1.50"), "{both}");
}

#[test]
fn measured_drafting_and_given_acceptance_stand_beside_each_other() {
    let folder = Folder::new("drafting");
    let drafts = "\"drafts\":{\"proposer\":\"mtp\",\"points\":[{\"drafts\":1,\"seconds\":0.001,\"steps\":0.125}]},\"device\"";
    let verify = verify("r").replacen("\"device\"", drafts, 1);
    let given = "\"proposer\":\"mtp\",\"draft_cost\"";
    let even = break_even("r").replacen("\"draft_cost\"", given, 1).replacen(
        "\"emitted\"",
        "\"acceptance\":0.75,\"emitted\"",
        1,
    );
    let page = build(&[folder.file("a.jsonl", &[run_line("r", |_| {}), verify, even])]).unwrap();
    let text = page.markdown();
    for part in [
        "drafts by mtp, in steps: 1: 0.125",
        "drafting by mtp as measured",
        "| 53.0% | 2.00 | 75.0% |",
        "m, given",
    ] {
        assert!(text.contains(part) || page.html().unwrap().contains(part), "{part}: {text}");
    }
}

#[test]
fn every_topic_is_a_section_with_a_table_a_chart_and_words() {
    let folder = Folder::new("all");
    let page = build(&[folder.file("a.jsonl", &everything("r1"))]).unwrap();
    let ids: Vec<&str> = page.sections.iter().map(|s| s.id).collect();
    assert_eq!(ids, ["runs", "widths", "verify", "break-even", "kernels", "memory", "limits"]);
    assert!(page.warnings.is_empty(), "{:?}", page.warnings);
    // The template's escapes cover more than those of the plots.
    let html = page.html().unwrap().replace("&#x2f;", "/");
    assert_well_formed(&html);
    for words in [
        "2025-11-30 01:28",
        "Tokens a second by width",
        "800", // tokens a second at 16 rows
        "the line describes it better",
        "Acceptance by position",
        "never",
        "roof of run 1: 20.00 GB/s, 300.0 GMAC/s",
        "tq2_0 4096x2048 cold",
        "1 disturbed by other programs",
        "90.00 MB",
        "unknown",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert_eq!(
        html.matches("<svg viewBox=\"0 0 520").count(),
        8,
        "two of widths, verify, three of break-even, roofline, memory"
    );
    // A name stands above its table, where it wraps, and names it.
    assert!(
        html.contains("<h3 id=\"kernels-1\">tq2_0 4096x2048 cold</h3>")
            && html.contains("<table aria-labelledby=\"kernels-1\">")
    );
    // Nothing is fetched and nothing runs.
    for never in ["http:", "https:", "<script", "src=", "url(", "@import", "onload"] {
        assert!(!html.contains(never), "{never}");
    }
    let markdown = page.markdown();
    for words in [
        "| 16 | 10.00 |",
        "## Verify cost",
        "*Verify cost*: m: 1.00 at 1 to 1.25 at 2.",
        "| first chunk | unknown |",
    ] {
        assert!(markdown.contains(words), "{words} in {markdown}");
    }
    let columns = |l: &str| l.replace("\\|", "").matches('|').count();
    let mut before = 0;
    for l in markdown.lines() {
        let n = columns(l);
        assert!(n == 0 || before == 0 || n == before, "columns differ at {l}");
        before = n;
    }
}

#[test]
fn runs_are_put_side_by_side_and_told_apart() {
    let folder = Folder::new("two");
    let mut second = vec![run_line("r2", |r| {
        r.machine.cpu = "Other CPU".into();
        r.version = "0.2.0".into();
        r.threads = 1;
    })];
    second.extend([widths("r2", "m", 60.0, 5), verify("r2")]);
    let files = [folder.file("a.jsonl", &everything("r1")), folder.file("b.jsonl", &second)];
    let page = build(&files).unwrap();
    let side = page.sections.iter().find(|s| s.id == "side-by-side").unwrap();
    let speeds = side.grids.iter().find(|g| g.rows.iter().any(|r| r[0] == "4 rows, tokens/s")).unwrap();
    assert_eq!(speeds.head, ["figure", "run 1", "run 2", "2 / 1"]);
    let row = speeds.rows.iter().find(|r| r[0] == "4 rows, tokens/s").unwrap();
    assert_eq!(row[1..], ["200.0", "240.0", "1.200 better"]);
    let costs = side.grids.iter().find(|g| g.rows.iter().any(|r| r[0] == "2 rows, steps")).unwrap();
    assert_eq!(costs.rows[1][3], "1.000", "no word for no difference");
    let said = page.warnings.join("\n");
    for words in [
        "processors: run 1 has Test CPU, run 2 has Other CPU",
        "versions",
        "threads",
        "“m: after 64 positions, results of every row” was measured with other settings in run 2 than in run 1: rounds",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    assert!(!said.contains("models") && !said.contains("cores"), "{said}");
    assert!(page.html().unwrap().contains("run 2: m: after 64"));
    // A second copy of a run is no second run.
    let again = build(&[files[0].clone(), files[0].clone()]).unwrap();
    assert!(
        again.warnings[0].contains("counted once") && again.sections.iter().all(|s| s.id != "side-by-side")
    );
    // Nor is a line twice in one file a second sample or table; a later file may add to a run.
    let sample = |round| {
        line(
            "r1",
            Record::Sample(crate::record::Sample {
                table: "t".into(),
                arm: "a".into(),
                round,
                seconds: 0.5,
                flags: vec![],
            }),
        )
    };
    let lines = [everything("r1"), vec![sample(0), sample(0)], everything("r1")].concat();
    let doubled = folder.file("doubled.jsonl", &lines);
    let rest = folder.file("rest.jsonl", &[sample(0), sample(1)]);
    let page = build(&[doubled, rest]).unwrap();
    let said = page.warnings.join("\n");
    assert!(said.contains("8 lines of run r1") && said.contains("rest.jsonl: 1 line of run r1"), "{said}");
    assert_eq!(page.sections[0].grids[0].rows[0][12], "2", "samples");
    assert_eq!(page.sections.iter().map(|s| s.grids.len()).sum::<usize>(), 7);
    // Two runs alike have nothing to be told apart by.
    let twin = folder.file("c.jsonl", &[run_line("r3", |_| {}), widths("r3", "m", 50.0, 3)]);
    assert!(build(&[files[0].clone(), twin]).unwrap().warnings.is_empty());
}

#[test]
fn nothing_that_a_file_says_becomes_markup() {
    let folder = Folder::new("hostile");
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=y>|`*[a](b)\n# h";
    let lines = [
        run_line(evil, |r| {
            r.model = evil.into();
            r.machine.cpu = evil.into();
            r.command = vec![evil.into()];
        }),
        widths(evil, evil, 50.0, 3),
        memory(evil).replace("\"start\"", &json!(evil).to_string()),
    ];
    let page = build(&[folder.file("<b>.jsonl", &lines)]).unwrap();
    let html = page.html().unwrap();
    assert_well_formed(&html);
    assert!(
        !html.contains("<script")
            && !html.contains("<img")
            && !html.contains("<b>")
            && html.contains("&lt;script&gt;")
    );
    let markdown = page.markdown();
    assert!(!markdown.contains("<script") && !markdown.contains("\n# h") && !markdown.contains("[a](b)"));
}

#[test]
fn broken_lines_and_empty_files_are_refused_and_newer_ones_listed() {
    let folder = Folder::new("broken");
    let refused = |lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        build(&[folder.file("x.jsonl", &lines)]).unwrap_err().to_string()
    };
    let good = run_line("r", |_| {});
    let said = refused(&[&good, "", "{\"schema\":1,\"run\":\"r\",\"kind\":\"sample\"}"]);
    assert!(said.contains("x.jsonl, line 3") && said.contains("missing field"), "{said}");
    assert!(refused(&[&good, "not json"]).contains("line 2"));
    assert!(refused(&[]).contains("no measurement") && refused(&[]).contains("--record"));
    let newer = refused(&["{\"schema\":99}", "{\"schema\":1,\"run\":\"r\",\"kind\":\"tree\"}"]);
    assert!(newer.contains("newer than this program (kind `tree`, schema 99)"), "{newer}");
    let missing = build(&[Path::new("/no/such.jsonl").to_owned()]).unwrap_err();
    assert!(matches!(missing, ReportError::File { .. }) && missing.to_string().contains("/no/such.jsonl"));
    std::fs::write(folder.0.join("latin"), [good.as_bytes(), b"\n{\"\xe9\"}\n"].concat()).unwrap();
    assert!(build(&[folder.0.join("latin")]).unwrap_err().to_string().contains("line 2"));
    let newer = [
        good,
        "{\"schema\":2}".into(),
        "{\"schema\":2,\"x\":1}".into(),
        "{\"schema\":1,\"run\":\"r\",\"kind\":\"tree\"}".into(),
    ];
    let page = build(&[folder.file("new.jsonl", &newer)]).unwrap();
    let said = page.warnings.join("\n");
    assert!(
        said.contains("2 lines of schema 2 left out, the first is line 2") && said.contains("kind `tree`"),
        "{said}"
    );
}

#[test]
fn a_line_that_was_cut_off_is_told_and_the_rest_is_shown() {
    let folder = Folder::new("cut");
    let mut lines = everything("r");
    let whole = build(&[folder.file("whole.jsonl", &lines)]).unwrap();
    let last = lines[1].clone();
    lines.push(last[..last.len() - 9].to_owned());
    let page = build(&[folder.file("cut.jsonl", &lines)]).unwrap();
    let at = format!("cut.jsonl: line {} ends in the middle", lines.len());
    assert!(page.warnings.iter().any(|w| w.contains(&at)), "{:?}", page.warnings);
    assert_eq!(page.sections.len(), whole.sections.len());
}

#[test]
fn more_accepted_than_drafted_is_refused() {
    let folder = Folder::new("more");
    let line = speculation("r", "copy");
    let mut value: serde_json::Value = serde_json::from_str(&line).unwrap();
    let rows = value["table"]["value"]["rows"].as_array_mut().unwrap();
    for row in rows.iter_mut() {
        row["accepted"] = json!(row["proposed"].as_u64().unwrap() + 1);
    }
    let lines = [run_line("r", |_| {}), value.to_string()];
    let said = build(&[folder.file("x.jsonl", &lines)]).unwrap_err().to_string();
    assert!(said.contains("line 2") && said.contains("drafts accepted"), "{said}");
}

#[test]
fn what_has_no_end_or_no_meaning_is_refused() {
    let folder = Folder::new("endless");
    let refused = |path: PathBuf| build(&[path]).unwrap_err().to_string();
    assert!(refused(folder.0.clone()).contains("no plain file"));
    #[cfg(unix)]
    assert!(refused("/dev/zero".into()).contains("no plain file"));
    let path = folder.file("mark.jsonl", &[format!("\u{feff}{}", run_line("r", |_| {}))]);
    assert_eq!(build(&[path]).unwrap().sections[0].grids[0].rows.len(), 1, "a byte order mark is no error");
}

/// Figures that no machine has: they are shown somehow, and the plots stay within their frames.
#[test]
fn absurd_figures_make_no_absurd_page() {
    let folder = Folder::new("absurd");
    for value in ["1e308", "5e-324", "-1e308", "1e200"] {
        let lines = everything("r1").into_iter().enumerate().map(|(i, l)| {
            if i == 0 {
                return l;
            }
            let mut v: serde_json::Value = serde_json::from_str(&l).unwrap();
            fn all(v: &mut serde_json::Value, x: f64) {
                match v {
                    serde_json::Value::Number(n) if n.is_f64() => *v = json!(x),
                    serde_json::Value::Array(a) => a.iter_mut().for_each(|v| all(v, x)),
                    serde_json::Value::Object(o) => o.values_mut().for_each(|v| all(v, x)),
                    _ => {}
                }
            }
            all(&mut v, value.parse().unwrap());
            v.to_string()
        });
        let page = build(&[folder.file("a.jsonl", &lines.collect::<Vec<_>>())]).unwrap();
        let html = page.html().unwrap();
        assert_well_formed(&html);
        for svg in html.split("<svg").skip(1).map(|s| s.split("</svg>").next().unwrap()) {
            assert!(!svg.contains("inf") && !svg.contains("NaN"), "{value}: {svg}");
        }
    }
}

#[test]
fn a_staircase_has_steps() {
    let folder = Folder::new("steps");
    let stairs = json!([{"from": 1, "to": 1, "cost": 1.0}, {"from": 2, "to": 4, "cost": 2.0}, {"from": 5, "to": 8, "cost": 3.0}]);
    let mut line: serde_json::Value = serde_json::from_str(&verify("r")).unwrap();
    line["table"]["value"]["stairs"]["stairs"] = stairs;
    let page = build(&[folder.file("s.jsonl", &[run_line("r", |_| {}), line.to_string()])]).unwrap();
    let section = page.sections.iter().find(|s| s.id == "verify").unwrap();
    let Chart::Plot(plot) = &section.charts[0] else { panic!("{section:?}") };
    let drawn = &plot.series.iter().find(|s| s.name.ends_with("stairs")).unwrap().points;
    assert_eq!(drawn[..], [(1.0, 1.0), (1.5, 1.0), (1.5, 2.0), (4.5, 2.0), (4.5, 3.0), (8.0, 3.0)]);
}

#[test]
fn figures_without_their_run_are_said_to_be_so() {
    let folder = Folder::new("orphan");
    let page = build(&[folder.file("o.jsonl", &[widths("lost", "m", 1.0, 3)])]).unwrap();
    assert!(page.warnings[0].contains("no line that says what was run"));
    assert!(page.html().unwrap().contains("unknown"));
}

#[test]
fn dates_are_those_of_the_calendar() {
    let known = [
        (0, "1970-01-01 00:00"),
        (951_782_399, "2000-02-28 23:59"),
        (951_868_800, "2000-03-01 00:00"),
        (1_709_164_800, "2024-02-29 00:00"),
        (1_764_466_137, "2025-11-30 01:28"),
        (4_102_444_799, "2099-12-31 23:59"),
    ];
    for (seconds, text) in known {
        assert_eq!(date(seconds), text);
    }
}
