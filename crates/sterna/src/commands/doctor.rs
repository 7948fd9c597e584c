//! `sterna doctor`: what this machine can do, what to use, and known traps.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use sterna_cpu::Isa;

use super::Outcome;
use super::output::{self, say};
use crate::cli::ModelArgs;
use crate::doctor::checks::{self, Check, Status, size};
use crate::doctor::machine::{Machine, Program};
use crate::doctor::model::{self, Need};
use crate::doctor::system::Real;
use crate::engine::EngineOptions;
use crate::pull::{Dest, PullOptions};

/// `sterna doctor`.
#[derive(Args, Debug)]
#[command(
    after_help = "Nothing is changed and nothing is loaded. Exit code 1 when something makes running impossible: a model that \
cannot be opened or can never fit, no memory.

Examples:
  sterna doctor                       the machine alone
  sterna doctor -m model.gguf         whether a model fits, and in which encoding it would run better
  sterna doctor --json | jq '.checks[] | select(.status == \"warning\")'"
)]
pub struct DoctorArgs {
    /// Model and machine.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Show what is as it should be, too
    #[arg(long)]
    pub all: bool,
}

fn program(options: &EngineOptions) -> Program {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let cache = PullOptions::from_env().ok().and_then(|o| match o.dest {
        Dest::Cache(path) => Some(path),
        Dest::Folder(_) => None,
    });
    Program {
        version: env!("CARGO_PKG_VERSION"),
        debug: cfg!(debug_assertions),
        os: std::env::consts::OS,
        arch: std::env::consts::ARCH,
        isas: Isa::here().map(Isa::name).collect(),
        threads: if options.threads == 0 { cores } else { options.threads },
        cache,
    }
}

/// What to type.
fn command(model: Option<&PathBuf>, threads: Option<usize>) -> String {
    let mut text = "sterna run".to_owned();
    if let Some(path) = model {
        text += &format!(" -m {}", path.display());
    }
    if let Some(n) = threads {
        text += &format!(" --threads {n}");
    }
    text + " \"Once upon a time\""
}

/// Threads to ask for by name: only where the default, one per hardware thread, is more than a control group allows.
fn threads(machine: &Machine) -> Option<usize> {
    let cpus = machine.cgroup.as_ref()?.cpus?;
    let allowed = (cpus.floor() as usize).max(1);
    (allowed < machine.program.threads).then_some(allowed)
}

fn bundle(need: Option<&Need>, checks: &[Check]) -> String {
    let Some(need) = need else {
        return "ternary models as GGUF run as they are; `sterna pack` makes one file of a ternary float checkpoint".into();
    };
    let note = |id: &str| checks.iter().any(|c| c.id == id && c.status == Status::Note);
    if note("model-encoding") {
        return "a smaller encoding is worth while: see model-encoding".into();
    }
    if note("model-head") {
        return "a bundle with a smaller head is worth while: see model-head".into();
    }
    format!("{} runs as it is; a bundle would not be smaller", need.name)
}

/// Runs the command.
pub fn main(args: &DoctorArgs) -> Outcome {
    let options = args.model.options();
    let machine = Machine::read(&Real, program(&options));
    let mut checks = checks::all(&machine);
    let path = args.model.model.as_ref();
    let mut need = None;
    if path.is_some() {
        let (n, more) = model::judge(&Real, &machine, path.map(PathBuf::as_path), &options);
        need = n;
        checks.extend(more);
    }
    let failed = checks.iter().any(|c| c.status == Status::Failure);
    let code = if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    let isa = options.isa.available().name();
    let threads = threads(&machine);
    let bundle = bundle(need.as_ref(), &checks);
    let fits = machine.free_memory().map(model::fits).unwrap_or_default();
    if args.model.json {
        let fits: Vec<_> =
            fits.iter().map(|(name, n)| json!({"weights": name, "parameters": n.round()})).collect();
        say!(
            "{}",
            json!({
                "machine": machine, "model": need, "checks": checks, "ok": !failed,
                "use": {
                    "backend": "cpu", "isa": isa, "threads": threads.unwrap_or(machine.program.threads),
                    "bundle": bundle, "command": command(path, threads), "fits": fits,
                },
            })
        );
        return Ok(code);
    }
    show(&machine, isa)?;
    say!("\nuse");
    say!("  backend   cpu, the only one of this build, with {isa}");
    let why = if threads.is_some() { "what the control group allows" } else { "the default" };
    say!("  threads   {} ({why})", threads.unwrap_or(machine.program.threads));
    say!("  model     {bundle}");
    if need.is_none() && !fits.is_empty() {
        let fits: Vec<String> = fits.iter().map(|(name, n)| format!("{:.1} B at {name}", n / 1e9)).collect();
        say!("  room for  about {}", fits.join(", "));
    }
    say!("  try       {}", command(path, threads));
    let quiet = checks.iter().filter(|c| c.status == Status::Ok).count();
    say!("\nchecks ({quiet} of {} are as they should be)", checks.len());
    for check in checks.iter().filter(|c| args.all || c.status != Status::Ok) {
        say!("  {:8} {:14} {}", check.status.name(), check.id, check.found);
        if let Some(advice) = &check.advice {
            say!("  {:8} {:14} -> {advice}", "", "");
        }
    }
    if !args.all && quiet > 0 {
        say!("  (--all shows those too)");
    }
    if failed {
        output::complain("error: something makes running impossible, see above");
    }
    Ok(code)
}

fn show(m: &Machine, isa: &str) -> std::io::Result<()> {
    let known = |n: Option<usize>| n.map_or("unknown".to_owned(), |n| n.to_string());
    let bytes = |n: Option<u64>| n.map_or("unknown".to_owned(), size);
    say!("sterna {} on {} {}", m.program.version, m.program.os, m.program.arch);
    say!("  processor {}", m.cpu.model.as_deref().unwrap_or("unknown"));
    say!("  kernels   {isa} (of {})", m.program.isas.join(", "));
    let (logical, cores, allowed) = (known(m.cpu.logical), known(m.cpu.cores), known(m.cpu.allowed));
    let quota = m.cgroup.as_ref().and_then(|c| c.cpus).map_or(String::new(), |c| format!(", quota {c:.2}"));
    say!("  threads   {logical} in hardware, {cores} cores, {allowed} allowed{quota}");
    if !m.cpu.caches.is_empty() {
        say!("  caches    {}", m.cpu.caches.join(", "));
    }
    let limit =
        m.cgroup.as_ref().and_then(|c| c.memory).map_or(String::new(), |l| format!(", limit {}", size(l)));
    say!("  memory    {}, {} free for a model{limit}", bytes(m.memory.total), bytes(m.free_memory()));
    let gpus = m.gpus.as_ref().map_or("unknown".to_owned(), |g| {
        let names: Vec<&str> = g.devices.iter().map(|d| d.name.as_str()).collect();
        let mut text = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        if let Some(v) = &g.nvidia_driver {
            text += &format!("; NVIDIA driver {v}");
        }
        if g.vulkan_loader {
            text += &format!("; Vulkan loader with {} drivers", g.vulkan_drivers.len());
        }
        text
    });
    say!("  GPUs      {gpus}");
    let cache = m.program.cache.as_ref().map_or("unknown".to_owned(), |p| p.display().to_string());
    let on = m.cache.as_ref().map_or(String::new(), |c| format!(" ({}, {} free)", c.kind, bytes(c.free)));
    say!("  downloads {cache}{on}");
    Ok(())
}
