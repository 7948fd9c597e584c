//! Speculation on real models: the same answers and states whoever proposes what, the head for multi-token prediction
//! against its golden, turns that evaluate no more than they must, and what is refused.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use sterna::engine::{Device, Engine, EngineOptions};
use sterna::speculate::{Mode, SpeculateOptions, proposers};
use sterna_plan::{Kin, Outputs, PlanOptions, RowTable, Taps, Wanted};
use sterna_run::speculate::{Ask, Draft, HeadModel, Proposer};
use sterna_run::{Request, SamplingParams, Session, Silent, generate};

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(path)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the program; gives what it said and whether it succeeded.
fn sterna(args: &[&str]) -> (String, bool) {
    let out = Command::new(env!("CARGO_BIN_EXE_sterna")).args(args).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (said, out.status.success())
}

fn passes(args: &[&str]) {
    let (said, passed) = sterna(args);
    println!("{said}");
    assert!(passed, "sterna {args:?}\n{said}");
}

const PROMPTS: [&str; 4] = [
    "Once upon a time",
    "red, green, blue, red, green, blue, red, green, blue, red,",
    "<|im_start|>user\nTell me a story about a fox.<|im_end|>\n<|im_start|>assistant\n",
    "The fox said: I am a fox. The owl said: I am an owl. The fox said:",
];

fn prompts() -> Vec<&'static str> {
    PROMPTS.iter().flat_map(|p| ["--prompt", p]).collect()
}

/// T12 on the built-in model: its draft model, lookups, drafters that know the answer, chains and trees.
#[test]
fn the_built_in_model_says_the_same_whoever_drafts() {
    let who = "ngram,draft,auto,oracle,perfect,hostile";
    let args = ["gate", "lossless", "-n", "40", "--seed", "7", "--draft", "builtin", "--speculate", who];
    passes(&[&args[..], &["--draft-tokens", "1,3,8"], &prompts()].concat());
    let tree = ["--speculate", "draft", "--draft-alternatives", "2", "--draft-tokens", "4"];
    passes(&[&args[..8], &tree, &prompts()].concat());
}

/// T12 on a hybrid: its own head, and drafters that know the answer, so that every depth is accepted and rejected.
#[test]
fn a_hybrid_says_the_same_whoever_drafts() {
    let model = data("oracle/c_qwen35");
    let args = ["gate", "lossless", "-m", text(&model), "-n", "50", "--seed", "3", "--ignore-end"];
    let who = ["--speculate", "oracle,perfect,hostile,auto", "--draft-tokens", "1,2,5,8"];
    passes(&[&args[..], &who, &prompts()[..4]].concat());
    // A random model's head agrees with it about as often as chance: what it drafts is rejected, and that is fine.
    let (said, passed) =
        sterna(&[&args[..], &["--speculate", "mtp", "--draft-tokens", "3"], &prompts()[..4]].concat());
    assert!(passed || said.contains("no draft was accepted") && said.contains("No answer differs"), "{said}");
}

/// Writes `c_qwen35` with layers that change their input little, and a head for multi-token prediction that reads the next
/// token's embedding: it says what the model says, mostly.
fn write_agreeing_hybrid(dir: &Path) {
    let from = data("oracle/c_qwen35");
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir).unwrap();
    for file in ["config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json"] {
        std::fs::copy(from.join(file), dir.join(file)).unwrap();
    }
    let mut bytes = std::fs::read(from.join("model.safetensors")).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let place = |name: &str| {
        let at = |i: usize| 8 + length + header[name]["data_offsets"][i].as_u64().unwrap() as usize;
        at(0)..at(1)
    };
    let read = |bytes: &[u8], i: usize| {
        f32::from_bits(u32::from(u16::from_le_bytes([bytes[i], bytes[i + 1]])) << 16)
    };
    let put = |bytes: &mut [u8], i: usize, x: f32| {
        bytes[i..i + 2].copy_from_slice(&((x.to_bits() >> 16) as u16).to_le_bytes());
    };
    for name in header.as_object().unwrap().keys() {
        let factor = match name {
            n if n.ends_with(".out_proj.weight") || n.ends_with(".o_proj.weight") => 0.05,
            n if n.ends_with(".down_proj.weight") => 0.05,
            // Norms of this family multiply by 1 + w.
            n if n == "mtp.pre_fc_norm_embedding.weight" => 0.0,
            _ => continue,
        };
        for i in place(name).step_by(2) {
            let x = factor * read(&bytes, i);
            put(&mut bytes, i, x);
        }
    }
    assert_eq!(header["mtp.fc.weight"]["dtype"], "BF16");
    assert_eq!(header["mtp.fc.weight"]["shape"], serde_json::json!([256, 512]));
    // The head's first layer joins the embedding, first, and the hidden state.
    let (fc, hidden) = (place("mtp.fc.weight"), 256);
    for (k, i) in fc.step_by(2).enumerate() {
        put(&mut bytes, i, f32::from(u8::from(k % (2 * hidden) == k / (2 * hidden))));
    }
    let norm = bytes[place("model.norm.weight")].to_vec();
    bytes[place("mtp.norm.weight")].copy_from_slice(&norm);
    std::fs::write(dir.join("model.safetensors"), bytes).unwrap();
}

/// T12 with a head whose drafts are accepted and rejected, from an empty state and from one that is kept.
#[test]
fn a_hybrid_says_the_same_when_its_head_is_right() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agreeing_hybrid");
    write_agreeing_hybrid(&dir);
    let args = ["gate", "lossless", "-m", text(&dir), "-n", "50", "--seed", "3", "--ignore-end"];
    passes(&[&args[..], &["--speculate", "mtp", "--draft-tokens", "1,2,3,8"], &prompts()].concat());
}

/// What cannot propose is told before the machine is measured or any arm has answered.
#[test]
fn misfits_are_refused_before_work_begins() {
    let other = data("oracle/f_llama");
    let auto = format!("speculate=auto,draft={}", text(&other));
    let hybrid = data("oracle/c_qwen35");
    let tree = ["gate", "lossless", "-m", text(&hybrid), "--speculate", "oracle"];
    let tree = [&tree[..], &["--draft-alternatives", "1", "--prompt", "x"]].concat();
    for (args, why) in [
        (vec!["probe", "verify-cost", "--draft", text(&other)], "cannot draft for llama-tern-30m"),
        (vec!["bench", "--arm", "speculate=mtp"], "no head for multi-token prediction"),
        (vec!["bench", "--arm", &auto], "cannot draft for llama-tern-30m"),
        (
            vec!["gate", "lossless", "--speculate", "ngram,mtp", "--prompt", "x"],
            "no head for multi-token prediction",
        ),
        (
            vec!["gate", "lossless", "--speculate", "ngram,draft", "--draft", text(&other), "--prompt", "x"],
            "cannot draft",
        ),
        (vec!["gate", "lossless", "--speculate", "ngram", "--draft-alternatives", "9"], "0..=8"),
        (tree, "recurrent layers"),
    ] {
        let (said, passed) = sterna(&args);
        assert!(!passed && said.contains(why), "{args:?}: {said}");
        // The machine's limits, the list of arms, and the arm whose turn it was.
        for late in ["memory read", "arms against the first", "a round"] {
            assert!(!said.contains(late), "{args:?}: {said}");
        }
    }
}

/// An EAGLE-3 head through the command: random, so what it drafts is rejected, and the text is the model's.
#[test]
fn an_eagle_head_changes_no_text() {
    let (model, head) = (data("oracle/f_qwen3"), data("oracle/f_qwen3_eagle3"));
    let run = |more: &[&str]| {
        let args = ["run", "-m", text(&model), "once upon a time", "-n", "30", "--ignore-end", "--json"];
        let (said, passed) = sterna(&[&args[..], more].concat());
        assert!(passed, "{said}");
        serde_json::from_str::<serde_json::Value>(&said).unwrap()
    };
    let plain = run(&["--speculate", "off"]);
    let drafted = run(&["--speculate", "eagle3", "--eagle", text(&head), "--draft-tokens", "3"]);
    assert_eq!(plain["tokens"], drafted["tokens"]);
    assert!(drafted["drafts_proposed"].as_u64() > Some(20), "{drafted}");
}

/// A checkpoint and a GGUF of one family, of which one names the tokens that fill its vocabulary up and the other does not.
#[test]
fn a_padded_vocabulary_is_the_same_vocabulary() {
    let (model, padded) = (data("oracle/a_minicpm"), data("oracle/a_minicpm.tq2_0.gguf"));
    for (model, draft) in [(&model, &padded), (&padded, &model)] {
        let run = |more: &[&str]| {
            let args = ["run", "-m", text(model), "once upon a time", "-n", "20", "--ignore-end", "--json"];
            let (said, passed) = sterna(&[&args[..], more].concat());
            assert!(passed, "{said}");
            serde_json::from_str::<serde_json::Value>(&said).unwrap()
        };
        let plain = run(&["--speculate", "off"]);
        let drafted = run(&["--draft", text(draft), "--speculate", "draft", "--draft-tokens", "3"]);
        assert_eq!(plain["tokens"], drafted["tokens"]);
        assert!(drafted["drafts_accepted"].as_u64() > Some(5), "{drafted}");
    }
}

#[test]
fn what_cannot_draft_is_refused_before_the_first_request() {
    let hybrid = data("oracle/c_qwen35");
    let dense = data("oracle/f_llama");
    let eagle = data("oracle/f_qwen3_eagle3");
    let gemma = data("oracle/d_gemma4");
    for (args, why) in [
        (vec!["--draft", text(&dense)], "cannot draft for llama-tern-30m"),
        (vec!["--speculate", "mtp"], "no head for multi-token prediction"),
        (vec!["--speculate", "draft"], "needs --draft MODEL"),
        (vec!["--speculate", "eagle3"], "needs --eagle FOLDER"),
        (vec!["--eagle", text(&eagle)], "cannot open"),
        (vec!["--draft", text(&eagle)], "give it with --eagle instead of --draft"),
        (vec!["--draft", "/nowhere"], "there is no model at /nowhere"),
        (vec!["-m", text(&hybrid), "--draft-alternatives", "1"], "recurrent layers"),
        (vec!["-m", text(&gemma), "--draft-alternatives", "1"], "windows of keys"),
        (vec!["--draft-tokens", "0"], "1..=63"),
        (vec!["--speculate", "ngram", "--draft", "builtin"], "--draft would be ignored"),
        (vec!["--speculate", "off", "--draft-tokens", "3"], "--draft-tokens would be ignored"),
        (vec!["--eagle-taps", "outputs"], "--eagle-taps would be ignored"),
    ] {
        let (said, passed) = sterna(&[&["run", "Hello", "-n", "3"], &args[..]].concat());
        assert!(!passed && said.contains(why), "{args:?}: {said}");
    }
}

fn golden() -> Vec<u8> {
    std::fs::read(data("oracle/c_qwen35/golden.safetensors")).unwrap()
}

fn ids(golden: &safetensors::SafeTensors<'_>, name: &str) -> Vec<u32> {
    let bytes = golden.tensor(name).unwrap().data().to_vec();
    bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as u32).collect()
}

/// The head's logits at every position, and the chain that it drafts, are transformers' and the oracle's.
#[test]
fn the_head_for_multi_token_prediction_meets_its_golden() {
    let bytes = golden();
    let golden = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let (prompt, greedy) = (ids(&golden, "input_ids"), ids(&golden, "greedy_ids"));
    let drafts = ids(&golden, "mtp_draft_ids");
    let want: Vec<f32> = (golden.tensor("mtp_logits").unwrap().data().as_chunks::<4>().0.iter())
        .map(|b| f32::from_le_bytes(*b))
        .collect();
    for (device, bound) in [(Device::RefFloat, 4e-6), (Device::Cpu, 0.01)] {
        let options = EngineOptions {
            device: device.clone(),
            speculate: SpeculateOptions { mode: Mode::Mtp, ..SpeculateOptions::default() },
            ..EngineOptions::default()
        };
        let engine = Engine::open(Some(&data("oracle/c_qwen35")), &options).unwrap();
        let mut session = engine.session(&mut |_, _| {}).unwrap();
        let mut taps = Vec::new();
        session
            .feed(&prompt, prompt.len(), Wanted::Argmax, &mut |_| {}, &mut |_, out, row| {
                let h = engine.plan.tap_width();
                taps.extend_from_slice(&out.taps[row * h..(row + 1) * h]);
            })
            .unwrap();
        let model = &engine.model;
        let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
        let plan_options = PlanOptions { taps: Taps::None, ..engine.options.clone() };
        let plan = sterna_plan::build_mtp(&model.config, model, &numerics, &plan_options).unwrap();
        let plan = Arc::new(plan);
        let load = || {
            let executor = session.executor();
            let mut head = executor.beside(plan.clone(), model, Kin::SameModel, &mut |_, _| {}).unwrap();
            head.allocate(1, 200).unwrap();
            head
        };
        let mut text: Vec<u32> = prompt.clone();
        text.push(greedy[0]);
        let mut head = load();
        let (mut rows, mut out) = (RowTable::new(), Outputs::default());
        rows.push_chain(0, 0, &text[1..], prompt.len(), Wanted::Logits);
        rows.set_inputs(&taps);
        head.execute(plan.entry_for(prompt.len()).unwrap(), &rows, &mut out).unwrap();
        let got = out.logits.iter().flatten();
        let worst = got.zip(&want).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
        println!("{device:?}: largest difference of {} logits {worst:e}", want.len());
        assert!(out.logits.len() == prompt.len() && worst <= bound, "{device:?}: {worst}");
        // As a proposer, the prompt read in pieces.
        let mut head = HeadModel::new("mtp", load(), 8);
        let h = engine.plan.tap_width();
        for (first, piece) in [(0, 40), (40, 41), (81, 15)] {
            head.absorb(&text[..first + piece], first, &taps[first * h..(first + piece) * h]).unwrap();
        }
        let sampling = SamplingParams::default();
        let mut draft = Draft::default();
        head.propose(
            &Ask { text: &text, most: drafts.len(), reads: usize::MAX, sampling: &sampling },
            &mut draft,
        )
        .unwrap();
        if device == Device::RefFloat {
            assert_eq!(draft.tokens, drafts);
        }
        // After a cut its own drafts and the state before the cut are gone; it still drafts as many.
        let again = std::mem::take(&mut draft);
        head.cut(60).unwrap();
        head.absorb(&text, 60, &taps[60 * h..]).unwrap();
        head.propose(
            &Ask { text: &text, most: drafts.len(), reads: usize::MAX, sampling: &sampling },
            &mut draft,
        )
        .unwrap();
        assert_eq!(draft.tokens.len(), again.tokens.len());
        // Where text is not worth reading, the head knows its end and no more, and can still be cut anywhere.
        let ask = |head: &mut HeadModel, text: &[u32]| {
            let mut draft = Draft::default();
            let ask = Ask { text, most: 3, reads: usize::MAX, sampling: &sampling };
            head.propose(&ask, &mut draft).unwrap();
            (draft.read, draft.tokens.len())
        };
        let mut head = HeadModel::new("mtp", load(), 8);
        head.follow(false);
        for t in 0..96 {
            head.absorb(&text, t, &taps[t * h..(t + 1) * h]).unwrap();
        }
        let (read, drafted) = ask(&mut head, &text);
        assert!((16..=32).contains(&read) && drafted == 3, "{read} {drafted}");
        for keep in [90, 40, 2] {
            head.cut(keep).unwrap();
            for t in keep..96 {
                head.absorb(&text, t, &taps[t * h..(t + 1) * h]).unwrap();
            }
            let (read, drafted) = ask(&mut head, &text);
            assert!(read <= 32 && drafted == 3, "cut to {keep}: {read} {drafted}");
        }
    }
}

fn hybrid_session(state_cache: usize) -> (Engine, Session) {
    let options = EngineOptions { state_cache, ..EngineOptions::default() };
    let engine = Engine::open(Some(&data("oracle/c_qwen35")), &options).unwrap();
    let session = engine.session(&mut |_, _| {}).unwrap();
    (engine, session)
}

/// T11: turns of 5, 40 and 300 tokens on a hybrid, an edit in the middle, the last answer made anew. No more is evaluated
/// than what follows the deepest snapshot, and answers and states are those of a cold run.
#[test]
fn turns_of_a_hybrid_evaluate_what_is_new() {
    let bytes = golden();
    let golden = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let words = ids(&golden, "input_ids");
    let turn = |n: usize, salt: usize| -> Vec<u32> {
        (0..n).map(|i| words[(i * 7 + salt * 13) % words.len()]).collect()
    };
    let answer = |session: &mut Session, engine: &Engine, prompt: &[u32]| {
        let request =
            Request { prompt: prompt.to_vec(), max_tokens: Some(9), ignore_end: true, ..Request::default() };
        let made = generate(session, &engine.model.tokenizer, &request, &mut Silent).unwrap();
        (made.tokens, made.reused_tokens, session.executor().state_bytes(0).unwrap())
    };
    let check = |session: &mut Session, engine: &Engine, prompt: &[u32], reused: usize, what: &str| {
        let (tokens, kept, state) = answer(session, engine, prompt);
        let (_, mut cold) = hybrid_session(0);
        let (want, none, cold_state) = answer(&mut cold, engine, prompt);
        assert_eq!((kept, none), (reused, 0), "{what}");
        assert!(tokens == want && state == cold_state, "{what}");
        tokens
    };
    let (engine, mut session) = hybrid_session(1 << 30);
    let mut text = turn(5, 1);
    let said = check(&mut session, &engine, &text, 0, "the first turn");
    text.extend(&said);
    // The last token that was said is not evaluated before the next turn.
    let mut held = text.len() - 1;
    let first_end = held;
    text.extend(turn(40, 2));
    text.extend(check(&mut session, &engine, &text, held, "the second turn goes on"));
    held = text.len() - 1;
    let (third_begin, second_end) = (text.len(), held);
    text.extend(turn(300, 3));
    let third = text.clone();
    text.extend(check(&mut session, &engine, &text, held, "the third turn goes on"));
    // Made anew: the deepest snapshot is at the last whole call of the prompt.
    let calls = (third.len() - second_end) / 128;
    let deepest = second_end + calls * 128;
    check(&mut session, &engine, &third, deepest, "the last answer anew");
    // The third turn edited in its middle, in its first call, and the second turn edited.
    let mut edited = third.clone();
    edited[second_end + 200] ^= 1;
    check(&mut session, &engine, &edited, second_end + 128, "an edit in the middle");
    edited[third_begin + 3] ^= 1;
    check(&mut session, &engine, &edited, second_end, "an edit near the turn's beginning");
    edited[first_end + 9] ^= 1;
    check(&mut session, &engine, &edited, first_end, "an edit of the second turn");
    // Without snapshots everything is evaluated again.
    let (engine, mut session) = hybrid_session(0);
    answer(&mut session, &engine, &third);
    assert_eq!(answer(&mut session, &engine, &third).1, 0);
}

/// A draft model that has not followed a text reads no more of it than is worth it: its end, as a text of its own. From there
/// on it follows, and it reads all when that is worth it.
#[test]
fn a_draft_model_reads_what_is_worth_it() {
    let sampling = SamplingParams::default();
    let options = SpeculateOptions {
        mode: Mode::Draft,
        draft: Some("builtin".into()),
        tokens: Some(4),
        ..SpeculateOptions::default()
    };
    let engine = Engine::open(None, &EngineOptions::default()).unwrap();
    let session = engine.session(&mut |_, _| {}).unwrap();
    let fresh = || proposers(&engine, &session, &options, &mut |_, _| {}).unwrap().pop().unwrap().proposer;
    let ask = |who: &mut Box<dyn Proposer>, text: &[u32], reads: usize| {
        let mut draft = Draft::default();
        who.propose(&Ask { text, most: 4, reads, sampling: &sampling }, &mut draft).unwrap();
        assert_eq!(draft.tokens.len(), 4);
        (draft.tokens, draft.read)
    };
    let prompt = "One day a fox met an owl in the wood. The owl had lost a lantern. ".repeat(6);
    let text = engine.model.tokenizer.encode(&prompt, true).unwrap();
    let n = text.len();
    assert!(n > 100, "{n}");

    let whole = ask(&mut fresh(), &text, usize::MAX);
    assert_eq!(whole.1, n);
    let mut draft = fresh();
    let part = ask(&mut draft, &text[..n - 3], 40);
    assert_eq!(part, ask(&mut fresh(), &text[n - 43..n - 3], usize::MAX), "as if the end were the text");
    assert_eq!(part.1, 40);
    // Three tokens more: it follows, whatever it is worth.
    let (tokens, read) = ask(&mut draft, &text, 0);
    assert_eq!(tokens, ask(&mut fresh(), &text[n - 43..], usize::MAX).0);
    assert!((1..=3).contains(&read), "{read}: less where it had drafted what came");
    // A text that it does not know.
    let other: Vec<u32> = text.iter().rev().copied().collect();
    assert_eq!(ask(&mut draft, &other, 0).1, 16);
    assert_eq!(ask(&mut draft, &text, 2 * n), whole);
    assert_eq!(ask(&mut draft, &text[..n - 1], 2 * n).1, 1, "it read all and has not forgotten");
}
