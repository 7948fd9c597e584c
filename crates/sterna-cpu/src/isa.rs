//! What the machine can do, asked once at start.

/// Instruction sets that this crate has kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust.
    Portable,
    /// AVX2 with FMA and F16C (Haswell, Zen and later).
    Avx2,
}

impl Isa {
    /// The best one that this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
        {
            return Isa::Avx2;
        }
        Isa::Portable
    }

    /// `self`, or the best one below it that this machine has.
    pub fn available(self) -> Self {
        if self == Isa::Portable { self } else { Self::detect() }
    }

    /// For a person.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "AVX2+FMA+F16C",
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
                if $isa == $crate::isa::Isa::Avx2 {
                    // SAFETY: `Isa::Avx2` is only made after detection.
                    return unsafe { avx2($($arg),*) };
                }
            }
            let _ = $isa;
            body($($arg),*)
        }
    };
}
pub(crate) use multiversion;
