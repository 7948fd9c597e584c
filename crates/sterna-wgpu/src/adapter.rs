//! Which GPUs there are, what they can do, and which one is taken.

use std::fmt;

use wgpu::{DeviceType, DownlevelFlags, Features, Limits};

/// Why there is no device to run on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No driver answered.
    #[error(
        "no GPU was found: no Vulkan, Metal or DirectX 12 driver answered; install the GPU's driver (on Linux with its \
         Vulkan part), or run on the CPU with --device cpu"
    )]
    NoAdapter,
    /// Adapters that compute on the CPU are taken only by name.
    #[error(
        "only software adapters were found ({0}); --device cpu is faster, and --device gpu:NUMBER takes one anyway"
    )]
    OnlySoftware(String),
    /// None has that number or name.
    #[error("no adapter is called {asked}; there are: {present}")]
    NoSuch {
        /// As given.
        asked: String,
        /// Those present.
        present: String,
    },
    /// It lacks what the kernels need.
    #[error("{adapter} cannot run the kernels: {missing}")]
    Missing {
        /// Its name.
        adapter: String,
        /// What is missing, with numbers.
        missing: String,
    },
    /// The driver refused to open it.
    #[error("{adapter} could not be opened: {why}")]
    Refused {
        /// Its name.
        adapter: String,
        /// The driver's words.
        why: String,
    },
}

/// Which adapter to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first discrete GPU, or else the first integrated or virtual one.
    #[default]
    Best,
    /// By its number in [`adapters`].
    Index(usize),
    /// The first whose name contains this, in either case.
    Name(String),
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Best => f.write_str("gpu"),
            Choice::Index(n) => write!(f, "gpu:{n}"),
            Choice::Name(name) => write!(f, "gpu:{name}"),
        }
    }
}

/// Where an adapter computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A card with memory of its own.
    Discrete,
    /// A part of the processor's chip.
    Integrated,
    /// A share of a host's GPU.
    Virtual,
    /// Not said.
    Other,
    /// The CPU, through a driver in software.
    Software,
}

impl Kind {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Discrete => "discrete",
            Kind::Integrated => "integrated",
            Kind::Virtual => "virtual",
            Kind::Other => "other",
            Kind::Software => "software",
        }
    }
}

/// One adapter, as its driver describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct AdapterFacts {
    /// Number for `gpu:NUMBER`.
    pub index: usize,
    /// Name.
    pub name: String,
    /// Where it computes.
    pub kind: Kind,
    /// "vulkan", "metal" or "dx12".
    pub api: &'static str,
    /// The driver and its version.
    pub driver: String,
    /// Largest buffer, bytes.
    pub buffer_bytes: u64,
    /// Largest part of a buffer that a kernel sees at a time, bytes.
    pub binding_bytes: u64,
    /// Memory of a workgroup, bytes.
    pub workgroup_bytes: u32,
    /// Most buffers of a kernel.
    pub buffers: u32,
    /// Most threads of a workgroup.
    pub threads: u32,
    /// Multiplies in f16.
    pub f16: bool,
    /// Smallest and largest subgroup, where kernels may use them. No kernel relies on a size.
    pub subgroup: Option<(u32, u32)>,
    /// Takes small parameters without a buffer.
    pub immediates: bool,
    /// Has a clock.
    pub timestamps: bool,
    /// Has f16 matrix units of 16 x 16 x 16 that sum in f32, for subgroups of 32.
    pub matrix: bool,
    /// What the kernels need and it lacks, in words with numbers; empty for one that can be used.
    pub missing: Vec<String>,
}

impl AdapterFacts {
    fn read(index: usize, adapter: &wgpu::Adapter) -> Self {
        let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
        let kind = match info.device_type {
            DeviceType::DiscreteGpu => Kind::Discrete,
            DeviceType::IntegratedGpu => Kind::Integrated,
            DeviceType::VirtualGpu => Kind::Virtual,
            DeviceType::Other => Kind::Other,
            DeviceType::Cpu => Kind::Software,
        };
        let subgroup =
            features.contains(Features::SUBGROUP).then_some((info.subgroup_min_size, info.subgroup_max_size));
        Self {
            index,
            name: info.name,
            kind,
            api: info.backend.to_str(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            buffer_bytes: limits.max_buffer_size,
            binding_bytes: limits.max_storage_buffer_binding_size,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            buffers: limits.max_storage_buffers_per_shader_stage,
            threads: limits.max_compute_invocations_per_workgroup,
            f16: features.contains(Features::SHADER_F16),
            subgroup,
            immediates: features.contains(Features::IMMEDIATES),
            timestamps: features.contains(Features::TIMESTAMP_QUERY),
            matrix: subgroup == Some((32, 32)) && features.contains(MATRIX) && has_tiles(adapter),
            missing: missing(&limits, adapter.get_downlevel_capabilities().flags),
        }
    }
}

/// What kernels on matrix units need.
const MATRIX: Features = Features::EXPERIMENTAL_COOPERATIVE_MATRIX
    .union(Features::SHADER_F16)
    .union(Features::SUBGROUP)
    .union(Features::SUBGROUP_BARRIER);

fn has_tiles(adapter: &wgpu::Adapter) -> bool {
    let half_in_single = |c: &wgpu::wgt::CooperativeMatrixProperties| {
        (c.m_size, c.n_size, c.k_size) == (16, 16, 16)
            && c.ab_type == wgpu::wgt::CooperativeScalarType::F16
            && c.cr_type == wgpu::wgt::CooperativeScalarType::F32
    };
    adapter.cooperative_matrix_properties().iter().any(half_in_single)
}

/// A name, the least value, and where an adapter says its own.
type Need = (&'static str, u32, fn(&Limits) -> u32);

/// What the kernels need: buffers at once, threads and memory of a workgroup, workgroups in a row.
const NEEDS: [Need; 4] = [
    ("buffers in a kernel", 7, |l| l.max_storage_buffers_per_shader_stage),
    ("threads in a workgroup", 64, |l| l.max_compute_invocations_per_workgroup),
    ("bytes of workgroup memory", 28_672, |l| l.max_compute_workgroup_storage_size),
    ("workgroups in a row", MOST_GROUPS, |l| l.max_compute_workgroups_per_dimension),
];

/// Most workgroups of one dispatch in a direction.
pub(crate) const MOST_GROUPS: u32 = 65_535;

fn missing(limits: &Limits, flags: DownlevelFlags) -> Vec<String> {
    let short = |(what, need, of): &Need| {
        let has = of(limits);
        (has < *need).then(|| format!("{need} {what} are needed and it has {has}"))
    };
    let halves = flags.contains(DownlevelFlags::SHADER_F16_IN_F32);
    let halves = (!halves).then(|| "it cannot unpack halves".to_owned());
    NEEDS.iter().filter_map(short).chain(halves).collect()
}

fn instance() -> wgpu::Instance {
    // Without validation layers of the system: wgpu checks on its own.
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

fn found() -> Vec<(AdapterFacts, wgpu::Adapter)> {
    let adapters = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::PRIMARY));
    let computes =
        |a: &wgpu::Adapter| a.get_downlevel_capabilities().flags.contains(DownlevelFlags::COMPUTE_SHADERS);
    let adapters = adapters.into_iter().filter(computes).enumerate();
    adapters.map(|(i, adapter)| (AdapterFacts::read(i, &adapter), adapter)).collect()
}

/// Every adapter that computes, in the order of the drivers: their numbers for [`Choice::Index`].
pub fn adapters() -> Vec<AdapterFacts> {
    found().into_iter().map(|(facts, _)| facts).collect()
}

/// The place in `all` of what is asked for.
fn choose(all: &[AdapterFacts], choice: &Choice) -> Result<usize, DeviceError> {
    if all.is_empty() {
        return Err(DeviceError::NoAdapter);
    }
    let names = || {
        let one = |a: &AdapterFacts| format!("{} {} ({})", a.index, a.name, a.kind.name());
        all.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let named = |name: &str| all.iter().position(|a| a.name.to_lowercase().contains(name));
    let at = match choice {
        Choice::Best => {
            let real = all.iter().enumerate().filter(|(_, a)| a.kind != Kind::Software);
            // One that lacks something is taken only when all do; the error then names what.
            let best = real.min_by_key(|(i, a)| (!a.missing.is_empty(), a.kind, *i));
            return best.map(|(i, _)| i).ok_or_else(|| DeviceError::OnlySoftware(names()));
        }
        // Where there is no such number it may be part of a name, as in `gpu:4090`.
        Choice::Index(n) => all.iter().position(|a| a.index == *n).or_else(|| named(&n.to_string())),
        Choice::Name(name) => named(&name.to_lowercase()),
    };
    at.ok_or_else(|| DeviceError::NoSuch { asked: choice.to_string(), present: names() })
}

/// An adapter that was opened.
pub(crate) struct Opened {
    pub facts: AdapterFacts,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// What wgpu calls compiled kernels of it; `None` where there are none to be had.
    pub cache_key: Option<String>,
}

/// Opens the adapter that is asked for.
///
/// # Errors
/// [`DeviceError`].
pub(crate) fn open(choice: &Choice) -> Result<Opened, DeviceError> {
    let mut found = found();
    let all: Vec<AdapterFacts> = found.iter().map(|f| f.0.clone()).collect();
    let (facts, adapter) = found.swap_remove(choose(&all, choice)?);
    if !facts.missing.is_empty() {
        return Err(DeviceError::Missing { adapter: facts.name, missing: facts.missing.join("; ") });
    }
    let mut features = Features::SUBGROUP | Features::TIMESTAMP_QUERY | Features::PIPELINE_CACHE;
    if facts.matrix {
        features |= MATRIX;
    }
    let device = adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("sterna"),
        required_features: adapter.features() & features,
        required_limits: adapter.limits(),
        experimental_features: experimental(facts.matrix),
        ..wgpu::DeviceDescriptor::default()
    });
    let caches = adapter.features().contains(Features::PIPELINE_CACHE);
    let cache_key = wgpu::util::pipeline_cache_key(&adapter.get_info()).filter(|_| caches);
    match pollster::block_on(device) {
        Ok((device, queue)) => Ok(Opened { facts, device, queue, cache_key }),
        Err(e) => Err(DeviceError::Refused { adapter: facts.name, why: e.to_string() }),
    }
}

/// Leave for matrix units, which wgpu calls experimental.
#[allow(unsafe_code)]
fn experimental(matrix: bool) -> wgpu::ExperimentalFeatures {
    if !matrix {
        return wgpu::ExperimentalFeatures::disabled();
    }
    // SAFETY: what is experimental is used by one kernel of this crate, which is checked against the others' results on
    // the device before it serves.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(index: usize, name: &str, kind: Kind, missing: &[&str]) -> AdapterFacts {
        AdapterFacts {
            index,
            name: name.into(),
            kind,
            api: "vulkan",
            driver: "d 1".into(),
            buffer_bytes: 1 << 30,
            binding_bytes: 1 << 30,
            workgroup_bytes: 32 << 10,
            buffers: 8,
            threads: 256,
            f16: true,
            subgroup: Some((32, 32)),
            immediates: true,
            timestamps: true,
            matrix: false,
            missing: missing.iter().map(|m| (*m).to_owned()).collect(),
        }
    }

    #[test]
    fn a_discrete_gpu_is_taken_first_and_software_only_when_named() {
        let all = [
            facts(0, "llvmpipe", Kind::Software, &[]),
            facts(1, "Intel Iris", Kind::Integrated, &[]),
            facts(2, "Old card", Kind::Discrete, &["64 threads"]),
            facts(3, "NVIDIA H200", Kind::Discrete, &[]),
        ];
        let at = |choice| choose(&all, &choice).unwrap();
        assert_eq!(at(Choice::Best), 3);
        assert_eq!(choose(&all[..3], &Choice::Best).unwrap(), 1);
        assert_eq!(at(Choice::Index(0)), 0);
        assert_eq!(at(Choice::Name("LLVM".into())), 0);
        assert_eq!(at(Choice::Name("nvidia h".into())), 3);
        assert_eq!(at(Choice::Index(200)), 3, "digits of a name");
        let said = |choice, all: &[AdapterFacts]| choose(all, &choice).unwrap_err().to_string();
        assert!(said(Choice::Best, &all[..1]).contains("0 llvmpipe (software)"));
        assert!(said(Choice::Index(9), &all).contains("gpu:9; there are: 0 llvmpipe (software), 1 Intel"));
        assert!(said(Choice::Name("radeon".into()), &all).contains("gpu:radeon"));
        assert!(said(Choice::Index(0), &[]).contains("no GPU was found"));
    }

    #[test]
    fn limits_that_are_short_are_named_with_numbers() {
        let enough = Limits { max_compute_workgroup_storage_size: 32_768, ..Limits::default() };
        let few = Limits {
            max_storage_buffers_per_shader_stage: 4,
            max_compute_invocations_per_workgroup: 64,
            ..enough.clone()
        };
        let all = DownlevelFlags::all();
        assert_eq!(missing(&few, all), ["7 buffers in a kernel are needed and it has 4"]);
        assert_eq!(
            missing(&Limits::default(), all),
            ["28672 bytes of workgroup memory are needed and it has 16384"]
        );
        assert!(missing(&enough, all).is_empty());
        let none = missing(&enough, DownlevelFlags::empty());
        assert_eq!(none, ["it cannot unpack halves"]);
    }
}
