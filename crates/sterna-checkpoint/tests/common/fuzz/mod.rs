//! A deterministic mutation fuzzer for everything this crate reads. Stable Rust, no coverage feedback: the
//! mutations know the formats instead. Used by examples/fuzz_checkpoint.rs and, briefly, by tests/fuzz.rs.
#![allow(dead_code)]

mod mutate;
pub mod seeds;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sterna_checkpoint::{
    Checkpoint, CheckpointError, SafetensorsFile, Tokenizer, TokenizerConfig, parser_steps,
};

use crate::alloc;
use mutate::{Rng, make};
use seeds::{Seed, seeds};

/// Bytes that one input may make the crate hold, beyond the input's own size.
const BOUND: usize = 16 << 20;
/// CPU time after which an input counts as a hang.
const HANG: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Gguf,
    Safetensors,
    Tokenizer,
    Folder,
}

const SAMPLE: &str = "hello <s>world</s> 12 <|im_end|>\r\n\t  é🙂▁ hell <think>";

fn use_tokenizer(tokenizer: &Tokenizer, deep: bool) {
    for text in ["", SAMPLE] {
        for ids in [tokenizer.encode(text, true), tokenizer.encode_plain(text)].into_iter().flatten() {
            let _ = tokenizer.decode(&ids, true);
            let _ = ids.iter().filter_map(|id| tokenizer.token_bytes(*id)).count();
        }
    }
    let size = tokenizer.vocab_size() as u32;
    for id in (0..size.min(300)).chain([size, u32::MAX]) {
        assert!(tokenizer.token_bytes(id).is_none_or(|bytes| bytes.is_empty() || !tokenizer.is_special(id)));
    }
    if deep && let Ok(json) = tokenizer.to_json() {
        let _ = Tokenizer::from_json(json.as_bytes(), tokenizer.config().clone());
    }
}

fn use_checkpoint(checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
    for tensor in checkpoint.tensors() {
        let (rows, each) = (tensor.rows(), tensor.row_bytes());
        assert_eq!(rows * each, tensor.data.len(), "{}", tensor.name);
        assert!(rows > 0 && tensor.cols() > 0);
        assert_eq!(tensor.row(rows - 1).map(<[u8]>::len), Some(each));
        assert!(tensor.row(rows).is_none());
        if let Ok(values) = tensor.to_f32() {
            assert_eq!(values.len(), rows * tensor.cols());
        }
        checkpoint.release(tensor.name);
    }
    let tokenizer = checkpoint.tokenizer()?;
    // Building it twice is slow (regular expressions are compiled), so only some inputs do.
    use_tokenizer(&tokenizer, checkpoint.len().is_multiple_of(4));
    Ok(())
}

/// Reads one input as far as it goes.
pub fn exercise(kind: Kind, bytes: &[u8], folder: &std::path::Path) -> Result<(), CheckpointError> {
    match kind {
        Kind::Gguf => use_checkpoint(&Checkpoint::from_gguf_bytes(bytes.to_vec().into())?),
        Kind::Tokenizer => {
            use_tokenizer(&Tokenizer::from_json(bytes, TokenizerConfig::default())?, false);
            Ok(())
        }
        Kind::Safetensors => {
            let file = SafetensorsFile::from_bytes(bytes.to_vec().into())?;
            for name in file.names() {
                assert!(file.tensor(name).is_some());
            }
            Ok(())
        }
        Kind::Folder => {
            let io = |source| CheckpointError::Io { path: folder.to_owned(), source };
            std::fs::write(folder.join("config.json"), b"{}").map_err(io)?;
            // A new file each time: a mapping of the last one may still be there.
            let path = folder.join("model.safetensors");
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, bytes).map_err(io)?;
            use_checkpoint(&Checkpoint::open(folder)?)
        }
    }
}

/// What a run did.
#[derive(Default, Debug)]
pub struct Report {
    pub inputs: u64,
    pub accepted: u64,
    /// Refusals by error variant.
    pub refused: BTreeMap<String, u64>,
    pub largest_peak: usize,
    pub most_steps_per_byte: f64,
    /// Inputs that broke a rule: what, and the input.
    pub failures: Vec<(String, Kind, Vec<u8>)>,
}

/// CPU time of this thread; wall time where the system does not say.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

pub struct Plan {
    pub seed: u64,
    pub iterations: u64,
    pub until: Option<Instant>,
}

/// The input being read, for the watchdog.
static CURRENT: Mutex<(u64, Vec<u8>)> = Mutex::new((0, Vec::new()));
static STARTED: AtomicU64 = AtomicU64::new(0);

/// Saves the input being read, when there will be no report.
fn save_current(what: &str) {
    if let Ok(current) = CURRENT.try_lock() {
        let path = std::env::temp_dir().join(format!("sterna-crash-{}", current.0));
        let saved = std::fs::write(&path, &current.1);
        eprintln!("input {} {what}; saved as {} ({saved:?})", current.0, path.display());
    }
}

/// Runs the plan on fresh threads (the tokenizer library keeps a cache per thread and tokenizer). A watchdog
/// ends the process when an input never returns.
pub fn run(plan: &Plan) -> Report {
    let _ = alloc::BEFORE_ABORT.set(|| save_current("allocates far past the bound"));
    let seeds = seeds();
    let folder = std::env::temp_dir().join(format!("sterna-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let mut report = Report::default();
    let mut next = 0;
    let past = |at: u64| at >= plan.iterations || plan.until.is_some_and(|until| Instant::now() >= until);
    while !past(next) {
        std::thread::scope(|scope| {
            let end = plan.iterations.min(next + 500);
            let (seeds, folder, report) = (&seeds, &folder, &mut report);
            let worker = std::thread::Builder::new()
                .stack_size(2 << 20)
                .spawn_scoped(scope, move || {
                    for at in next..end {
                        one(plan.seed, at, seeds, folder, report);
                    }
                })
                .expect("a thread");
            let mut seen = (0, Instant::now());
            while !worker.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
                let started = STARTED.load(Ordering::Relaxed);
                if started != seen.0 {
                    seen = (started, Instant::now());
                } else if seen.1.elapsed() > Duration::from_secs(60) {
                    save_current("hangs");
                    std::process::exit(3);
                }
            }
            next = end;
        });
    }
    let _ = std::fs::remove_dir_all(&folder);
    report
}

fn one(seed: u64, at: u64, seeds: &[Seed], folder: &std::path::Path, report: &mut Report) {
    // Each input has its own draws, so that any one can be made again alone.
    let mut rng = Rng::new(seed ^ at.wrapping_mul(0xD134_2543_DE82_EF95));
    (0..4).for_each(|_| {
        rng.next();
    });
    let (kind, bytes) = make(seeds, &mut rng);
    if let Ok(mut current) = CURRENT.lock() {
        current.0 = at;
        current.1.clear();
        current.1.extend_from_slice(&bytes);
    }
    STARTED.fetch_add(1, Ordering::Relaxed);
    let (cpu, started, steps) = (cpu_time(), Instant::now(), parser_steps());
    let (outcome, peak) = alloc::peak(|| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| exercise(kind, &bytes, folder)))
    });
    let steps = parser_steps() - steps;
    report.inputs += 1;
    report.largest_peak = report.largest_peak.max(peak.saturating_sub(bytes.len()));
    let mut fail = |what: String| report.failures.push((format!("input {at}: {what}"), kind, bytes.clone()));
    match outcome {
        Ok(Ok(())) => report.accepted += 1,
        Ok(Err(error)) => {
            let debug = format!("{error:?}");
            let name = debug.split([' ', '(', '{']).next().unwrap_or_default();
            if error.to_string().len() > 2_000 {
                fail(format!("an error text of {} bytes", error.to_string().len()));
            }
            *report.refused.entry(name.to_owned()).or_default() += 1;
        }
        Err(_) => fail("panic".to_owned()),
    }
    let bytes_len = bytes.len();
    if peak > BOUND + bytes_len {
        report.failures.push((format!("input {at}: {peak} bytes allocated for {bytes_len}"), kind, bytes));
    } else if started.elapsed() > HANG
        && cpu.zip(cpu_time()).is_none_or(|(before, after)| after - before > HANG)
    {
        report.failures.push((format!("input {at}: {:?}", started.elapsed()), kind, bytes));
    }
    report.most_steps_per_byte = report.most_steps_per_byte.max(steps as f64 / (bytes_len + 64) as f64);
}
