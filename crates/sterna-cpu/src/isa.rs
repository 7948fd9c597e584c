//! What the machine can do, asked once at start.

/// Instruction sets that this crate has kernels for, better ones later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust.
    Portable,
    /// NEON, which every 64-bit ARM has.
    Neon,
    /// NEON with the dot product instructions (Cortex-A75 and later, Apple M1 and later).
    NeonDot,
    /// AVX2 with FMA and F16C (Haswell, Zen and later).
    Avx2,
    /// AVX-512 F, BW, DQ and VL (Skylake-X and later).
    Avx512,
    /// The same with VNNI (Cascade Lake, Ice Lake, Zen 4 and later).
    Avx512Vnni,
}

impl Isa {
    /// All of them.
    pub const ALL: [Isa; 6] =
        [Isa::Portable, Isa::Neon, Isa::NeonDot, Isa::Avx2, Isa::Avx512, Isa::Avx512Vnni];

    /// The best one that this machine has.
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|isa| isa.is_here()).unwrap_or(Isa::Portable)
    }

    /// Whether this machine has it.
    pub fn is_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            match self {
                Isa::Portable => true,
                Isa::Neon | Isa::NeonDot => false,
                Isa::Avx2 => avx2,
                Isa::Avx512 => avx512,
                Isa::Avx512Vnni => avx512 && is_x86_feature_detected!("avx512vnni"),
            }
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        {
            match self {
                Isa::Portable | Isa::Neon => true,
                Isa::NeonDot => std::arch::is_aarch64_feature_detected!("dotprod"),
                _ => false,
            }
        }
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
        {
            self == Isa::Portable
        }
    }

    /// `self`, or the best one below it that this machine has.
    pub fn available(self) -> Self {
        Self::ALL.into_iter().rev().find(|isa| *isa <= self && isa.is_here()).unwrap_or(Isa::Portable)
    }

    /// Those that this machine has, best first.
    pub fn here() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().rev().filter(|isa| isa.is_here())
    }

    /// Whether it has kernels for six-bit codes; others read them as bytes.
    pub fn has_six_bits(self) -> bool {
        matches!(self, Isa::Portable | Isa::Avx512 | Isa::Avx512Vnni)
    }

    /// For a person.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Neon => "NEON",
            Isa::NeonDot => "NEON+dotprod",
            Isa::Avx2 => "AVX2+FMA+F16C",
            Isa::Avx512 => "AVX-512",
            Isa::Avx512Vnni => "AVX-512+VNNI",
        }
    }
}

/// Compiles a function once for every instruction set and picks one by `isa`. The body is ordinary Rust, so the bits
/// are the same: floats are never reordered, and `mul_add` is one rounding everywhere.
macro_rules! multiversion {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($isa:ident $(, $arg:ident: $ty:ty)* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name($isa: $crate::isa::Isa $(, $arg: $ty)*) $(-> $ret)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body($($arg: $ty),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,f16c")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $ty),*) $(-> $ret)? { body($($arg),*) }
                if $isa >= $crate::isa::Isa::Avx2 {
                    // SAFETY: this one and those above it are only made after detection.
                    return unsafe { avx2($($arg),*) };
                }
            }
            let _ = $isa;
            body($($arg),*)
        }
    };
}
pub(crate) use multiversion;

/// Whether one row is faster with fetching ahead in software: Intel's own fetching stops at the end of a page and leaves
/// 30 % of the memory's speed, Zen 4 read ternary rows at 44 GB/s with (2 KiB ahead) and at 57 without.
#[cfg(target_arch = "x86_64")]
pub fn fetches_ahead() -> bool {
    static INTEL: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *INTEL.get_or_init(|| {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
    })
}
