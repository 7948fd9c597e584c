//! `sterna devices`: the GPUs that `--device gpu` can take.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use sterna_wgpu::{AdapterFacts, adapters};

use super::Outcome;
use super::output::{megabytes, say};

/// `sterna devices`.
#[derive(Args, Debug)]
pub struct DevicesArgs {
    /// Machine-readable output on standard output
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn main(args: &DevicesArgs) -> Outcome {
    let all = adapters();
    if args.json {
        let all: Vec<_> = all.iter().map(as_json).collect();
        say!("{}", json!({ "devices": all }));
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        say!("no GPU: no Vulkan, Metal or DirectX 12 driver answered; --device cpu is what there is");
    }
    for adapter in &all {
        describe(adapter)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One adapter, for a person.
pub(super) fn describe(a: &AdapterFacts) -> std::io::Result<()> {
    let AdapterFacts { index, name, kind, api, driver, .. } = a;
    say!("gpu:{index}  {name}");
    say!("  {}, {api}, {driver}", kind.name());
    say!(
        "  buffers to {}, {} of them seen at a time; {} KiB of workgroup memory",
        megabytes(a.buffer_bytes),
        megabytes(a.binding_bytes),
        a.workgroup_bytes >> 10
    );
    let subgroup = a.subgroup.map(|(least, most)| {
        if least == most {
            format!("subgroups of {least}")
        } else {
            format!("subgroups of {least} to {most}")
        }
    });
    let named = [
        (a.f16, "f16"),
        (a.immediates, "immediates"),
        (a.timestamps, "timestamps"),
        (a.matrix, "matrix units"),
    ];
    let has: Vec<_> = named.iter().filter(|n| n.0).map(|n| n.1.to_owned()).chain(subgroup).collect();
    say!("  {}", if has.is_empty() { "no optional features".to_owned() } else { has.join(", ") });
    for missing in &a.missing {
        say!("  cannot be used: {missing}");
    }
    Ok(())
}

pub(super) fn as_json(a: &AdapterFacts) -> serde_json::Value {
    json!({
        "device": format!("gpu:{}", a.index),
        "name": a.name,
        "kind": a.kind.name(),
        "api": a.api,
        "driver": a.driver,
        "buffer_bytes": a.buffer_bytes,
        "binding_bytes": a.binding_bytes,
        "workgroup_bytes": a.workgroup_bytes,
        "buffers_per_kernel": a.buffers,
        "threads_per_workgroup": a.threads,
        "f16": a.f16,
        "subgroup": a.subgroup.map(|(least, most)| json!({ "least": least, "most": most })),
        "immediates": a.immediates,
        "timestamps": a.timestamps,
        "matrix_units": a.matrix,
        "missing": a.missing,
    })
}
