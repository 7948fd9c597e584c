//! Where to run: `--device cpu`, `gpu`, `gpu:1`, `gpu:radeon`.

use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sterna_wgpu::Choice;

/// Where to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The CPU's kernels.
    #[default]
    Cpu,
    /// The CPU's kernels in plain Rust, without SIMD of their own.
    CpuPortable,
    /// A GPU, through Vulkan, Metal or DirectX 12.
    Gpu(Choice),
    /// The reference in the kernels' written order: slow, the same bits.
    RefLaw,
    /// The reference in double precision: slow, activations not quantised.
    RefFloat,
    /// The reference in double precision with int8 activations.
    RefFloatA8,
}

/// Every name with its help.
const NAMES: [(&str, &str); 6] = [
    ("cpu", "The CPU's kernels"),
    ("cpu-portable", "The CPU's kernels in plain Rust, without SIMD of their own"),
    ("gpu", "The best GPU; gpu:NUMBER or gpu:NAME takes the one that `sterna devices` lists so"),
    ("ref-law", "The reference in the kernels' written order: slow, the same bits"),
    ("ref-float", "The reference in double precision: slow, activations not quantised"),
    ("ref-float-a8", "The reference in double precision with int8 activations"),
];

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.to_lowercase();
        Ok(match lower.as_str() {
            "cpu" => Device::Cpu,
            "cpu-portable" => Device::CpuPortable,
            "gpu" => Device::Gpu(Choice::Best),
            "ref-law" => Device::RefLaw,
            "ref-float" => Device::RefFloat,
            "ref-float-a8" => Device::RefFloatA8,
            _ => match lower.strip_prefix("gpu:").filter(|which| !which.is_empty()) {
                Some(which) => Device::Gpu(match which.parse() {
                    Ok(number) => Choice::Index(number),
                    Err(_) => Choice::Name(which.to_owned()),
                }),
                None => {
                    let all: Vec<_> = NAMES.iter().map(|n| n.0).collect();
                    return Err(format!(
                        "`{text}` is no device; there are {} and gpu:NUMBER or gpu:NAME",
                        all.join(", ")
                    ));
                }
            },
        })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::CpuPortable => f.write_str("cpu-portable"),
            Device::Gpu(choice) => choice.fmt(f),
            Device::RefLaw => f.write_str("ref-law"),
            Device::RefFloat => f.write_str("ref-float"),
            Device::RefFloatA8 => f.write_str("ref-float-a8"),
        }
    }
}

/// Reads a device on the command line, and tells shells and help which there are.
#[derive(Clone, Copy, Debug)]
pub struct DeviceParser;

impl TypedValueParser for DeviceParser {
    type Value = Device;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Device, clap::Error> {
        let text = value.to_string_lossy();
        text.parse().map_err(|_| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            if let Some(arg) = arg {
                error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(text.into_owned()));
            let all = NAMES.iter().map(|n| n.0.to_owned()).chain(["gpu:NUMBER".into(), "gpu:NAME".into()]);
            error.insert(ContextKind::ValidValue, ContextValue::Strings(all.collect()));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMES.iter().map(|(name, help)| PossibleValue::new(*name).help(*help))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_by_name_number_and_part_of_a_name() {
        for (text, want) in [
            ("cpu", Device::Cpu),
            ("CPU-Portable", Device::CpuPortable),
            ("gpu", Device::Gpu(Choice::Best)),
            ("gpu:2", Device::Gpu(Choice::Index(2))),
            ("gpu:Radeon RX", Device::Gpu(Choice::Name("radeon rx".into()))),
            ("ref-float-a8", Device::RefFloatA8),
        ] {
            let read: Device = text.parse().unwrap();
            assert_eq!(read, want);
            assert_eq!(read.to_string().parse::<Device>().unwrap(), want);
        }
        for (name, _) in NAMES {
            assert_eq!(name.parse::<Device>().unwrap().to_string(), name);
        }
        for bad in ["", "gpu:", "abacus", "cpu:0"] {
            assert!(bad.parse::<Device>().unwrap_err().contains("ref-float-a8 and gpu:NUMBER"), "{bad}");
        }
    }
}
