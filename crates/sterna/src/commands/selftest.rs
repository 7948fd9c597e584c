//! `sterna selftest`: checks a device and prints a report to attach to an issue.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use sterna_wgpu::adapters;

use super::devices;
use super::output::{complain, say};
use super::{Outcome, report_error};
use crate::device::DeviceParser;
use crate::engine::{self, Device, EngineOptions};
use crate::selftest::{self, Check, Effort};

const EXIT_CODES: &str = "Exit codes:
  0  passed
  1  failed: something that the device computes is not as it must be
  2  not run: wrong usage, no such device";

/// `sterna selftest`.
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct SelftestArgs {
    /// What to check; `gpu:1` or `gpu:radeon` takes another GPU than the best, see `sterna devices`
    #[arg(long, default_value_t = Device::Gpu(sterna_wgpu::Choice::Best), value_parser = DeviceParser)]
    pub device: Device,
    /// Some checks of every kind, for drivers in software
    #[arg(long)]
    pub quick: bool,
    /// Machine-readable output on standard output
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn main(args: &SelftestArgs) -> Outcome {
    let options = EngineOptions { device: args.device.clone(), governor: false, ..EngineOptions::default() };
    match run(args, &options) {
        Err(error) if !super::broken_pipe(&*error) => {
            report_error(&*error);
            Ok(ExitCode::from(2))
        }
        other => other,
    }
}

fn run(args: &SelftestArgs, options: &EngineOptions) -> Outcome {
    if matches!(args.device, Device::RefFloat | Device::RefFloatA8) {
        return Err(format!("{} is not held to the law: take cpu or a GPU", args.device).into());
    }
    let limits = engine::backend(options)?.limits();
    let (version, os, arch) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    let all = if matches!(args.device, Device::Gpu(_)) { adapters() } else { vec![] };
    if !args.json {
        say!("sterna {version} selftest, {os} {arch}");
        say!("device {}: {}", args.device, limits.description);
        for adapter in &all {
            devices::describe(adapter)?;
        }
        say!("");
    }
    let effort = if args.quick { Effort::Quick } else { Effort::Full };
    let mut lost = None;
    let mut said = |check: &Check| {
        if !args.json {
            let one = || -> std::io::Result<()> {
                say!("{check}");
                Ok(())
            };
            lost = lost.take().or(one().err());
        }
    };
    let report = selftest::run(options, effort, &mut said)?;
    if let Some(e) = lost {
        return Err(e.into());
    }
    let passed = report.passed();
    if args.json {
        let adapters: Vec<_> = all.iter().map(devices::as_json).collect();
        say!(
            "{}",
            json!({
                "selftest": 1, "version": version, "os": os, "arch": arch, "device": args.device.to_string(),
                "description": limits.description, "adapters": adapters, "quick": args.quick, "passed": passed,
                "checks": report.checks,
            })
        );
    } else {
        say!("\n{report}");
        if !passed {
            complain("please attach this report to an issue");
        }
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
