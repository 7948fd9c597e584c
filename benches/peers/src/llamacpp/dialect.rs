//! What differs between llama.cpp and a fork of it: where the fields of its parameter structs are.

use crate::error::PeersError;

/// Byte offset of a 32-bit field, and its default.
pub type Default = (usize, i32);

/// A C interface.
pub struct Dialect {
    /// Name of the engine.
    pub engine: &'static str,
    /// File of its library.
    pub library: &'static str,
    /// Version that this is about.
    pub version: &'static str,
    /// Positions are those of a memory, not of the context.
    pub has_memory: bool,
    /// Reads TQ1_0 and TQ2_0; otherwise ternary models are rewritten for it.
    pub has_tq: bool,
    /// In the model's parameters.
    pub n_gpu_layers: usize,
    /// What is asked for there.
    pub gpu_layers: i32,
    /// In the context's parameters: positions.
    pub n_ctx: usize,
    /// Tokens of a call.
    pub n_batch: usize,
    /// Tokens computed together.
    pub n_ubatch: usize,
    /// Sequences.
    pub n_seq_max: usize,
    /// Threads of a call of one token.
    pub n_threads: usize,
    /// Threads of other calls.
    pub n_threads_batch: usize,
    /// Defaults of the model's parameters that prove the offsets.
    pub model_defaults: &'static [Default],
    /// Defaults of the context's: the fields above, the types of keys and values, flash attention.
    pub context_defaults: &'static [Default],
}

/// llama.cpp, from `@node-llama-cpp/linux-x64` 3.21.1.
pub const MAINLINE: Dialect = Dialect {
    engine: "llama.cpp",
    library: "libllama.v0.4.0.so",
    version: "0.4.0",
    has_memory: true,
    has_tq: true,
    n_gpu_layers: 16,
    gpu_layers: 0,
    n_ctx: 0,
    n_batch: 4,
    n_ubatch: 8,
    n_seq_max: 12,
    n_threads: 28,
    n_threads_batch: 32,
    model_defaults: &[(16, -1)],
    // 52 is -1: flash attention as the engine decides. 104 and 108 are f16 keys and values.
    context_defaults: &[
        (0, 512),
        (4, 2048),
        (8, 512),
        (12, 1),
        (28, 4),
        (32, 4),
        (52, -1),
        (104, 1),
        (108, 1),
    ],
};

/// The same with its Vulkan backend, from `@node-llama-cpp/linux-x64-vulkan` 3.21.1, all layers on the GPU.
pub const VULKAN: Dialect =
    Dialect { engine: "llama.cpp-vulkan", library: "libllama.vulkan.v0.4.0.so", gpu_layers: 999, ..MAINLINE };

/// ik_llama.cpp, from `ik-llama-cpp-python` 0.1.5.
pub const IK: Dialect = Dialect {
    engine: "ik_llama.cpp",
    library: "libllama.so",
    version: "of ik-llama-cpp-python 0.1.5",
    has_memory: false,
    has_tq: false,
    n_gpu_layers: 8,
    gpu_layers: 0,
    n_ctx: 4,
    n_batch: 8,
    n_ubatch: 12,
    n_seq_max: 16,
    n_threads: 20,
    n_threads_batch: 24,
    model_defaults: &[(8, 0), (32, 1), (36, 1), (44, 1), (48, 512)],
    // 96 and 100 are f16 keys and values; the last byte of 140 is flash attention, on.
    context_defaults: &[
        (4, 512),
        (8, 2048),
        (12, 512),
        (16, 1),
        (20, 4),
        (24, 4),
        (96, 1),
        (100, 1),
        (140, 0x0101_0000),
    ],
};

impl Dialect {
    /// An error of this engine.
    pub fn failed(&self, what: impl Into<String>) -> PeersError {
        PeersError::Engine { engine: self.engine, what: what.into() }
    }
}
