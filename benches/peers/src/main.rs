//! Sterna and other engines side by side, on the same weights, in one interleaved run. See README.md.

#[cfg(not(target_os = "linux"))]
compile_error!("this benchmark reads /proc and drives a Linux library; it runs on Linux only");

mod cli;
mod engines;
mod error;
mod fill;
mod gguf;
mod iq2_bn;
mod llamacpp;
mod machine;
mod make;
mod markdown;
mod measure;
mod models;
mod peer;
mod process;
mod protocol;
mod report;
mod shape;
mod sterna_peer;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use sterna_format::Encoding;

use cli::{Cli, Command};
use engines::Engine;
use error::PeersError;
use machine::Machine;
use measure::Plan;
use models::{BUILT_IN, Choice, Folders, SMOLLM2};
use peer::Setup;
use report::Report;

/// Formats of synthetic models when none are named.
const FORMATS: &[Encoding] = &[Encoding::TQ2_0, Encoding::TQ1_0, Encoding::Q4_0, Encoding::Q8_0];
/// Layers of synthetic models in the short run.
const SHORT_LAYERS: usize = 2;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(options) => run(&options),
        Command::Make(options) => make(&options),
        Command::Worker(options) => worker(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("peers: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &cli::Run) -> Result<(), PeersError> {
    let folders = Folders::new(options.synthetic.models.clone(), options.engines.clone());
    let threads = if options.threads == 0 { machine::cores() } else { options.threads };
    let plan = Plan {
        prompts: options.prompts.clone(),
        decode: options.decode,
        after: options.after,
        warmup: options.warmup,
        rounds: options.rounds,
        threads,
        seed: options.synthetic.seed,
        gpu: options.gpu,
    };
    plan.check()?;
    let peers = peers(options, &folders)?;
    let choices = choices(options, &folders)?;
    // Errors of one model come before hours of measuring another.
    let files = choices.iter().map(|c| c.file(&folders)).collect::<Result<Vec<_>, _>>()?;
    eprintln!("measuring the machine");
    let machine = Machine::measure(&folders.root, threads)?;
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let out = options.out.clone().unwrap_or_else(|| folders.root.join("target/peers/results"));
    let mut report = Report { version: 1, unix_time: time, machine, plan, models: Vec::new() };
    for (i, (choice, file)) in choices.iter().zip(&files).enumerate() {
        eprintln!("{} of {}: {}", i + 1, choices.len(), choice.title());
        report.models.push(measure::measure(choice, file, &report.plan, &peers, &folders)?);
        report.machine.measure_again()?;
        // After every model: a run that is interrupted leaves what it has.
        write(&report, &out)?;
    }
    println!("{}", markdown::markdown(&report));
    eprintln!("written: report.md and report.json in {}", out.display());
    Ok(())
}

fn peers(options: &cli::Run, folders: &Folders) -> Result<Vec<Engine>, PeersError> {
    if !options.peers.is_empty() {
        options.peers.iter().try_for_each(|e| e.check(&folders.engines))?;
        return Ok(options.peers.clone());
    }
    if options.gpu {
        return Engine::LlamaCppVulkan.check(&folders.engines).map(|()| vec![Engine::LlamaCppVulkan]);
    }
    let (there, missing): (Vec<Engine>, Vec<Engine>) =
        Engine::PEERS.into_iter().partition(|e| e.check(&folders.engines).is_ok());
    for engine in &missing {
        eprintln!("{} is left out: benches/peers/run.sh fetches it", engine.name());
    }
    if there.is_empty() { Engine::LlamaCpp.check(&folders.engines).map(|()| there) } else { Ok(there) }
}

fn choices(options: &cli::Run, folders: &Folders) -> Result<Vec<Choice>, PeersError> {
    let formats = if options.full { &FORMATS[..2] } else { FORMATS };
    let make = options.synthetic.make(formats, (!options.full).then_some(SHORT_LAYERS));
    let mut names: Vec<&str> = options.select.iter().map(String::as_str).collect();
    if names.is_empty() {
        names = vec![BUILT_IN, SMOLLM2, "bitcpm-8b"];
        if options.full {
            names.push("bitnet-2b");
        }
        if !folders.smollm2().is_file() {
            eprintln!("{SMOLLM2} is left out: scripts/fetch-smollm2.sh fetches it");
            names.retain(|n| *n != SMOLLM2);
        }
    }
    let mut choices = Vec::new();
    for name in names {
        choices.extend(Choice::of(name, folders, &make)?);
    }
    Ok(choices)
}

fn write(report: &Report, folder: &Path) -> Result<(), PeersError> {
    let failed = || PeersError::io(format!("writing the report to {}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed())?;
    let json = serde_json::to_string_pretty(report)?;
    std::fs::write(folder.join("report.json"), json + "\n").map_err(failed())?;
    std::fs::write(folder.join("report.md"), markdown::markdown(report)).map_err(failed())
}

fn make(options: &cli::Make) -> Result<(), PeersError> {
    let folders = Folders::new(options.synthetic.models.clone(), None);
    for shape in options.synthetic.make(&FORMATS[..1], None).shapes(&options.shape)? {
        let path: PathBuf = make::make(&shape, &folders.models)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn worker(options: &cli::Worker) -> Result<(), PeersError> {
    let setup = Setup { threads: options.threads, context: options.context };
    Engine::of(&options.engine)?.work(&options.model, &options.engines, setup, options.seed)
}
