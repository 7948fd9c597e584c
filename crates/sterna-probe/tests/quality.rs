//! Quality figures: equal to those of other code, the same on every walk, and refused where they mean nothing.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod common;

use std::sync::OnceLock;

use common::{Fault, broken_file, built_in, file_session, root};
use sterna_bundle::Model;
use sterna_checkpoint::Tokenizer;
use sterna_probe::gate::quality::{
    Bos, PerplexityOptions, Protocol, QualityReport, RULES, Subject, TaskOptions, TaskResult, Tasks, compare,
    perplexity, tasks,
};
use sterna_probe::gate::{GateArm, GateError, against, fingerprint};
use sterna_run::Session;

const CONTEXT: usize = 512;

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(built_in)
}

fn session(threads: usize) -> Session {
    file_session(model(), GateArm { threads, ..GateArm::BASE }, CONTEXT).unwrap()
}

fn text() -> String {
    std::fs::read_to_string(root().join("models/llama-tern-30m/quality/story.txt")).unwrap()
}

fn items() -> Tasks {
    Tasks::open(&root().join("models/llama-tern-30m/quality/tasks.jsonl")).unwrap()
}

const OPTIONS: PerplexityOptions =
    PerplexityOptions { window: 128, stride: 64, bos: Bos::Model, budget: usize::MAX };
const TASK_OPTIONS: TaskOptions = TaskOptions { bos: Bos::Model, max_tokens: 16, limit: usize::MAX };

/// Windows without overlap over the same tokens are what `against` walks: the same loss by other code.
#[test]
fn perplexity_is_the_loss_of_other_code() {
    let mut s = session(2);
    let ids = model().tokenizer.encode(&text(), false).unwrap();
    for window in [64, CONTEXT] {
        let options = PerplexityOptions { window, stride: window, ..OPTIONS };
        let (_, ours) = perplexity(&mut s, &model().tokenizer, &text(), &options, &mut |_, _| {}).unwrap();
        let theirs = against(&mut s, &mut session(1), &ids, window, &mut |_| {}).unwrap();
        assert_eq!(ours.scored, theirs.scored);
        assert!((ours.loss - theirs.base_loss).abs() < 1e-9, "{} {}", ours.loss, theirs.base_loss);
        assert!((ours.perplexity.ln() - ours.loss).abs() < 1e-12);
    }
}

#[test]
fn context_helps_and_threads_change_nothing() {
    let mut s = session(1);
    let run = |s: &mut Session, window, stride, budget| {
        let options = PerplexityOptions { window, stride, budget, ..OPTIONS };
        perplexity(s, &model().tokenizer, &text(), &options, &mut |_, _| {}).unwrap()
    };
    let (protocol, wide) = run(&mut s, 128, 64, usize::MAX);
    assert_eq!(wide.scored, wide.tokens - 1, "all but the first token, which nothing stands before");
    let (_, narrow) = run(&mut s, 16, 16, usize::MAX);
    assert!(narrow.loss > wide.loss + 0.1, "{narrow}\n{wide}");
    let (same, two) = run(&mut session(2), 128, 64, usize::MAX);
    assert_eq!((&same, &two), (&protocol, &wide), "bit for bit");
    let (cut, few) = run(&mut s, 128, 64, 50);
    assert_eq!((cut.budget, few.scored), (50, 50));
    assert_ne!(cut, protocol);
}

/// Logits that belong to another row, or to a key that was lost, show in the figure.
#[test]
fn a_broken_executor_has_another_perplexity() {
    // Calls of 128 rows, and more after them.
    let options = PerplexityOptions { window: 300, stride: 150, ..OPTIONS };
    let run = |s: &mut Session| {
        perplexity(s, &model().tokenizer, &text(), &options, &mut |_, _| {}).unwrap().1.loss
    };
    let honest = run(&mut session(1));
    for fault in [Fault::StaleLogits, Fault::LoseKv(128)] {
        let loss = run(&mut broken_file(model(), CONTEXT, fault).unwrap());
        assert!((loss - honest).abs() > 1e-6, "{fault:?}: {loss} {honest}");
    }
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let mut s = session(1);
    for (window, stride, budget) in [(1, 1, 9), (0, 0, 9), (513, 9, 9), (64, 0, 9), (64, 65, 9), (64, 32, 0)]
    {
        let options = PerplexityOptions { window, stride, budget, ..OPTIONS };
        let e = perplexity(&mut s, &model().tokenizer, &text(), &options, &mut |_, _| {}).unwrap_err();
        assert!(e.to_string().contains("a window has 2 to 512"), "{e}");
    }
    for short in ["", "a"] {
        let e = perplexity(&mut s, &model().tokenizer, short, &OPTIONS, &mut |_, _| {}).unwrap_err();
        assert!(e.to_string().contains("nothing to score"), "{e}");
    }
    let bos = PerplexityOptions { bos: Bos::Always, ..OPTIONS };
    let e = perplexity(&mut s, &model().tokenizer, &text(), &bos, &mut |_, _| {}).unwrap_err();
    assert!(e.to_string().contains("no begin token"), "{e}");
    let bare = Tasks::parse("f", r#"{"task":"choice","context":"","choices":["a","b"],"answer":0}"#).unwrap();
    let e = tasks(&mut s, &model().tokenizer, &bare, &TASK_OPTIONS, &mut |_, _| {}).unwrap_err();
    assert!(e.to_string().contains("longer context"), "{e}");
    let long = Tasks::parse(
        "f",
        &serde_json::json!({ "task": "answer", "prompt": text().repeat(3), "answers": ["x"] }).to_string(),
    );
    let e = tasks(&mut s, &model().tokenizer, &long.unwrap(), &TASK_OPTIONS, &mut |_, _| {}).unwrap_err();
    assert!(matches!(e, GateError::Generate { .. }) && e.to_string().starts_with("item 1"), "{e}");
}

/// Scores of each choice as a cold, whole evaluation gives them, one row a call.
#[test]
fn choices_are_those_of_a_plain_evaluation() {
    let all = items();
    let run =
        |s: &mut Session, t: &Tasks| tasks(s, &model().tokenizer, t, &TASK_OPTIONS, &mut |_, _| {}).unwrap();
    let (protocol, result) = run(&mut session(1), &all);
    assert_eq!(protocol.items, (20, 10));
    let choice = result.choice.as_ref().unwrap();
    let mut s = session(1);
    let mut at = 0;
    for item in &all.items {
        let sterna_probe::gate::quality::Item::Choice(c) = item else { continue };
        let context = model().tokenizer.encode(&c.context, false).unwrap();
        let mut sums = Vec::new();
        for text in &c.choices {
            let ids = model().tokenizer.encode(&format!("{}{text}", c.context), false).unwrap();
            assert!(ids.starts_with(&context), "these items have clean seams");
            s.truncate(0).unwrap();
            let mut sum = 0.0;
            for (i, id) in ids.iter().enumerate() {
                s.ask(&[*id], sterna_plan::Wanted::Logits, &mut |_| {}).unwrap();
                if let Some(next) = ids.get(i + 1).filter(|_| i + 1 >= context.len()) {
                    let row = s.outputs().logits_of(0).unwrap();
                    let z: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
                    sum += f64::from(row[*next as usize]) - z.ln();
                }
            }
            sums.push((sum, sum / (ids.len() - context.len()) as f64, sum / text.len() as f64));
        }
        let best = |f: fn(&(f64, f64, f64)) -> f64| {
            (0..sums.len()).max_by(|a, b| f(&sums[*a]).total_cmp(&f(&sums[*b]))).unwrap()
        };
        assert_eq!(choice.chosen[at], [best(|s| s.0), best(|s| s.1), best(|s| s.2)], "{:?}", c.context);
        at += 1;
    }
    assert_eq!(at, 20);
    // The right answers are where the file says: an altered key is a wrong answer.
    let right = choice.right_by_sum;
    assert!(right > 10 && right < 20, "the file tells models apart: {right} of 20");
    let mut altered = all.clone();
    for item in &mut altered.items {
        if let sterna_probe::gate::quality::Item::Choice(c) = item {
            c.answer = (c.answer + 1) % c.choices.len();
        }
    }
    let (_, worse) = run(&mut session(2), &altered);
    let worse = worse.choice.unwrap();
    assert!(worse.right_by_sum < 20 - right + 1 && worse.chosen == choice.chosen);
}

#[test]
fn short_answers_are_judged_by_their_text() {
    let of = |answers: &str| {
        let line = format!(
            r#"{{"task":"answer","prompt":"They lived happily ever","answers":[{answers}],"stop":[".",","],"max_tokens":4}}"#
        );
        let t = Tasks::parse("f", &line).unwrap();
        let (_, r) = tasks(&mut session(1), &model().tokenizer, &t, &TASK_OPTIONS, &mut |_, _| {}).unwrap();
        r.answer.unwrap()
    };
    let right = of(r#""no","The AFTER!""#);
    assert_eq!((right.items, right.right), (1, 1), "{right:?}");
    assert_eq!(of(r#""before","afterwards""#).right, 0);
}

/// The same greedy text, judged by its last number; the protocol says so.
#[test]
fn numbers_are_judged_by_their_value() {
    let of = |judge: &str, answers: &str| {
        let line = format!(
            r#"{{"task":"answer","prompt":"One, two, three, 4, 5, 6, 7, 8, 9,","judge":"{judge}","answers":[{answers}],"stop":[","],"max_tokens":4}}"#
        );
        let t = Tasks::parse("f", &line).unwrap();
        let (p, r) = tasks(&mut session(1), &model().tokenizer, &t, &TASK_OPTIONS, &mut |_, _| {}).unwrap();
        (p.answer, r.answer.unwrap())
    };
    let (rule, made) = of("text", r#""ten""#);
    assert!(!rule.contains("last-number"));
    let (rule, same) = of("last-number", r#""ten 10.0""#);
    assert!(rule.contains("last-number"), "{rule}");
    assert_eq!(made.answers, same.answers, "{made:?}");
    let number = sterna_probe::gate::quality::last_number(&same.answers[0]);
    let number = number.expect("the prompt makes the model count");
    assert_eq!((same.right_items, same.without_number), (vec![number == "10"], 0));
    assert_eq!(of("last-number", &format!("\"$ {number}.00\"")).1.right, 1);
    assert_eq!(of("last-number", &format!("\"1{number}\"")).1.right, 0);
}

/// A message is put into the template; a model without one refuses.
#[test]
fn a_chat_prompt_goes_through_the_template() {
    let json = std::fs::read(root().join("tests/data/llama-tern-30m/tokenizer.json")).unwrap();
    let line = |form: &str, prompt: &str| {
        let line = format!(
            r#"{{"task":"answer","prompt":"{prompt}","form":"{form}","answers":["x"],"max_tokens":1}}"#
        );
        Tasks::parse("f", &line).unwrap()
    };
    let protocol = |template: Option<&str>, t: &Tasks| {
        let mut config = model().tokenizer.config().clone();
        config.chat_template = template.map(str::to_owned);
        let tokenizer = Tokenizer::from_json(&json, config).unwrap();
        sterna_probe::gate::quality::task_protocol(&tokenizer, t, &TASK_OPTIONS).map(|p| p.tokens_sha256)
    };
    let template = "{% for m in messages %}{{ m.role }} says {{ m.content }}{% endfor %}{% if add_generation_prompt %} so{% endif %}";
    let told = protocol(Some(template), &line("chat", "hello")).unwrap();
    assert_eq!(told, protocol(None, &line("text", "user says hello so")).unwrap());
    assert_ne!(told, protocol(None, &line("text", "hello")).unwrap());
    let e = protocol(None, &line("chat", "hello")).unwrap_err();
    assert!(e.to_string().starts_with("item 1: ") && e.to_string().contains("no chat template"), "{e}");
    let e = protocol(Some("{{ raise_exception('no users') }}"), &line("chat", "hello")).unwrap_err();
    assert!(e.to_string().contains("no users"), "{e}");
}

/// A tokenizer rebuilt from a GGUF file is the original; another end token makes another tokenizer.
#[test]
fn the_fingerprint_is_of_what_tokens_mean() {
    let json = std::fs::read(root().join("tests/data/llama-tern-30m/tokenizer.json")).unwrap();
    let rebuilt = &model().tokenizer;
    let of = |config| fingerprint::tokenizer(&Tokenizer::from_json(&json, config).unwrap());
    let mut config = rebuilt.config().clone();
    assert_eq!(of(config.clone()), fingerprint::tokenizer(rebuilt));
    config.eos = vec![0];
    assert_ne!(of(config), fingerprint::tokenizer(rebuilt));
}

fn report(perplexity: bool, task: bool) -> QualityReport {
    let mut s = session(2);
    let tokenizer = &model().tokenizer;
    let mut out = QualityReport {
        protocol: Protocol {
            rules: RULES,
            tokenizer: fingerprint::tokenizer(tokenizer),
            perplexity: None,
            tasks: None,
        },
        subject: Subject::default(),
        perplexity: None,
        tasks: None,
    };
    if perplexity {
        let (p, r) = self::perplexity(&mut s, tokenizer, &text(), &OPTIONS, &mut |_, _| {}).unwrap();
        (out.protocol.perplexity, out.perplexity) = (Some(p), Some(r));
    }
    if task {
        let (p, r) = tasks(&mut s, tokenizer, &items(), &TASK_OPTIONS, &mut |_, _| {}).unwrap();
        (out.protocol.tasks, out.tasks) = (Some(p), Some(r));
    }
    out
}

/// A change of a protocol.
type Change = fn(&mut Protocol);

#[test]
fn a_drop_fails_and_another_protocol_is_refused() {
    let now = report(true, true);
    let stored: QualityReport = serde_json::from_str(&serde_json::to_string(&now).unwrap()).unwrap();
    assert_eq!(stored, now, "a stored result comes back bit for bit");
    let same = compare(&now, &stored, 0.0).unwrap();
    assert!(same.passed() && same.changes.len() == 5 && same.changes.iter().all(|c| c.drop == 0.0));

    let mut better = now.clone();
    better.perplexity.as_mut().unwrap().perplexity *= 0.99;
    let found = compare(&now, &better, 1.0).unwrap();
    assert!(!found.passed() && found.to_string().contains("FAIL"), "{found}");
    assert!(compare(&now, &better, 1.02).unwrap().passed());
    let mut better = now.clone();
    let answer = better.tasks.as_mut().unwrap().answer.as_mut().unwrap();
    answer.right += 1;
    let impossible = compare(&now, &better, 1e9).unwrap_err();
    assert!(impossible.to_string().contains("impossible"), "one more than the list says: {impossible}");
    let answer = better.tasks.as_mut().unwrap().answer.as_mut().unwrap();
    let wrong = answer.right_items.iter().position(|r| !r).unwrap();
    answer.right_items[wrong] = true;
    let pairs = compare(&now, &better, 1e9).unwrap().pairs.unwrap();
    assert_eq!((pairs.both, pairs.baseline_only, pairs.now_only, pairs.neither, pairs.p), (5, 1, 0, 4, 1.0));
    let answer = better.tasks.as_mut().unwrap().answer.as_mut().unwrap();
    let listed = std::mem::take(&mut answer.right_items);
    assert!(compare(&now, &better, 1e9).unwrap().pairs.is_none(), "an older result has no list");
    better.tasks.as_mut().unwrap().answer.as_mut().unwrap().right_items = listed;
    assert!(!compare(&now, &better, 9.9).unwrap().passed() && compare(&now, &better, 10.1).unwrap().passed());
    let TaskResult { choice, .. } = better.tasks.as_mut().unwrap();
    choice.as_mut().unwrap().right_by_byte += 20;
    let impossible = compare(&now, &better, 1e9).unwrap_err();
    assert!(impossible.to_string().contains("impossible"), "more right answers than items: {impossible}");
    for cut in [|r: &mut QualityReport| r.perplexity = None, |r: &mut QualityReport| r.tasks = None] {
        let mut less = now.clone();
        cut(&mut less);
        assert!(compare(&now, &less, 1e9).is_err(), "a baseline without its results compares nothing");
    }
    let mut bad = now.clone();
    bad.perplexity.as_mut().unwrap().perplexity = f64::NAN;
    assert!(!compare(&bad, &now, f64::INFINITY).unwrap().passed(), "no number is no pass");
    assert!(compare(&now, &bad, f64::INFINITY).is_err());

    let changes: [(Change, &str); 7] = [
        (|p| p.rules += 1, "rules"),
        (|p| p.tokenizer.push('x'), "tokenizer"),
        (|p| p.perplexity.as_mut().unwrap().budget -= 1, "perplexity.budget"),
        (|p| p.perplexity.as_mut().unwrap().stride = 32, "perplexity.stride"),
        (|p| p.perplexity.as_mut().unwrap().bos = Some(1), "perplexity.bos"),
        (|p| p.tasks.as_mut().unwrap().max_tokens = 8, "tasks.max_tokens"),
        (|p| p.tasks = None, "tasks"),
    ];
    for (change, what) in changes {
        let mut other = now.clone();
        change(&mut other.protocol);
        let e = compare(&now, &other, 1e9).unwrap_err();
        assert!(matches!(&e, GateError::Refused(r) if r.len() == 1 && r[0].what == what), "{what}: {e}");
    }
}
