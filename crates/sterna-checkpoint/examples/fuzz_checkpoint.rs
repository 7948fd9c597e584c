//! Mutation fuzzer: `cargo run --release -p sterna-checkpoint --example fuzz_checkpoint -- --seconds 60`.
//!
//! Options: `--seed N` (default 1), `--seconds N`, `--iterations N` (default: no end), `--replay KIND FILE`.
//! An input that panics, allocates past 16 MiB beyond its size or takes over 2 s of CPU is saved in the
//! temporary directory, and the exit status is 1.

#[path = "../tests/common/alloc.rs"]
mod alloc;
#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/fuzz/mod.rs"]
mod fuzz;

use std::process::ExitCode;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOC: alloc::Counting = alloc::Counting;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let at = args.iter().position(|a| a == name)?;
        args.get(at + 1)?.parse::<u64>().ok()
    };
    if args.first().is_some_and(|a| a == "--replay") {
        return replay(&args[1..]);
    }
    let started = Instant::now();
    let plan = fuzz::Plan {
        seed: number("--seed").unwrap_or(1),
        iterations: number("--iterations").unwrap_or(u64::MAX),
        until: number("--seconds").map(|s| started + Duration::from_secs(s)),
    };
    let report = fuzz::run(&plan);
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{} inputs in {seconds:.1} s ({:.0}/s), {} accepted, largest allocation beyond the input {} bytes, most \
         parser steps per byte {:.2}",
        report.inputs,
        report.inputs as f64 / seconds,
        report.accepted,
        report.largest_peak,
        report.most_steps_per_byte
    );
    for (name, count) in &report.refused {
        println!("{count:>10} {name}");
    }
    for (at, (what, kind, bytes)) in report.failures.iter().enumerate() {
        let path = std::env::temp_dir().join(format!("sterna-crash-{}-{at}", plan.seed));
        let saved = std::fs::write(&path, bytes);
        println!("FAILED ({kind:?}) {what}; saved as {} ({saved:?})", path.display());
    }
    if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn replay(args: &[String]) -> ExitCode {
    let kind = match args.first().map(String::as_str) {
        Some("gguf") => fuzz::Kind::Gguf,
        Some("safetensors") => fuzz::Kind::Safetensors,
        Some("folder") => fuzz::Kind::Folder,
        Some("tokenizer") => fuzz::Kind::Tokenizer,
        _ => {
            eprintln!("--replay gguf|safetensors|folder|tokenizer FILE");
            return ExitCode::FAILURE;
        }
    };
    let Some(bytes) = args.get(1).and_then(|path| std::fs::read(path).ok()) else {
        eprintln!("the file cannot be read");
        return ExitCode::FAILURE;
    };
    let folder = std::env::temp_dir().join("sterna-replay");
    let _ = std::fs::create_dir_all(&folder);
    let started = Instant::now();
    let (outcome, peak) = alloc::peak(|| fuzz::exercise(kind, &bytes, &folder));
    println!("{outcome:?}\n{peak} bytes, {:?}", started.elapsed());
    ExitCode::SUCCESS
}
