//! The few functions of llama.cpp's C interface that are needed, found at run time.
//!
//! Its parameter structs are passed and returned by value. Here a larger block of bytes stands for each: both are of
//! the size class that the C ABIs of Linux pass in memory, so the callee reads and writes only its own part. Fields
//! are set by their offsets in version 0.4.0; the defaults read back ([`Library::open`]) and what the context then
//! says of itself prove that they fit.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library as Handle, RTLD_GLOBAL, RTLD_NOW};

use crate::error::PeersError;

/// Space for a parameter struct, which is smaller.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Params([i32; 1024]);

impl Params {
    /// The 32-bit field at a byte offset.
    pub fn get(&self, offset: usize) -> i32 {
        self.0[offset / 4]
    }
    /// Sets it.
    pub fn set(&mut self, offset: usize, value: i32) {
        self.0[offset / 4] = value;
    }
}

/// Offsets in the model's parameters.
pub const N_GPU_LAYERS: usize = 16;
/// Offsets in the context's parameters.
pub const N_CTX: usize = 0;
/// Tokens of a call.
pub const N_BATCH: usize = 4;
/// Tokens computed together.
pub const N_UBATCH: usize = 8;
/// Sequences.
pub const N_SEQ_MAX: usize = 12;
/// Threads of a call of one token.
pub const N_THREADS: usize = 28;
/// Threads of other calls.
pub const N_THREADS_BATCH: usize = 32;
/// -1: the engine decides.
pub const FLASH_ATTENTION: usize = 52;
/// Type of stored keys.
pub const TYPE_K: usize = 104;
/// Type of stored values.
pub const TYPE_V: usize = 108;

/// Offset and default of every field above.
const MODEL_DEFAULTS: &[(usize, i32)] = &[(N_GPU_LAYERS, -1)];
const CONTEXT_DEFAULTS: &[(usize, i32)] = &[
    (N_CTX, 512),
    (N_BATCH, 2048),
    (N_UBATCH, 512),
    (N_SEQ_MAX, 1),
    (N_THREADS, 4),
    (N_THREADS_BATCH, 4),
    (FLASH_ATTENTION, -1),
    (TYPE_K, 1),
    (TYPE_V, 1),
];

/// Tokens of a call.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Batch {
    n_tokens: i32,
    pointers: [*mut c_void; 6],
}

/// A model, a context, a vocabulary, a memory: only their addresses are known here.
pub type Opaque = *mut c_void;
type Log = extern "C" fn(c_int, *const c_char, *mut c_void);

macro_rules! functions {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The open library. It is never closed: its threads may outlive any owner.
        pub struct Library {
            folder: PathBuf,
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Library {
            fn bind(handle: &Handle, folder: PathBuf) -> Result<Self, libloading::Error> {
                Ok(Self {
                    folder,
                    $($field: {
                        // SAFETY: the symbol is a function of version 0.4.0 with this signature.
                        let symbol = unsafe {
                            handle.get::<unsafe extern "C" fn($($arg),*) $(-> $ret)?>($symbol.as_bytes())?
                        };
                        *symbol
                    },)*
                })
            }
        }
    };
}

functions! {
    /// Finds the best CPU library in a folder.
    load_backends = "ggml_backend_load_all_from_path": fn(*const c_char);
    /// Version of ggml.
    ggml_version = "ggml_version": fn() -> *const c_char;
    /// Version of llama.cpp.
    version = "llama_version": fn() -> *const c_char;
    /// Features in use.
    system_info = "llama_print_system_info": fn() -> *const c_char;
    /// Where messages go.
    log_set = "llama_log_set": fn(Log, *mut c_void);
    /// Start.
    backend_init = "llama_backend_init": fn();
    /// Defaults.
    model_defaults = "llama_model_default_params": fn() -> Params;
    /// Defaults.
    context_defaults = "llama_context_default_params": fn() -> Params;
    /// Null on failure.
    load_model = "llama_model_load_from_file": fn(*const c_char, Params) -> Opaque;
    /// Null on failure.
    new_context = "llama_init_from_model": fn(Opaque, Params) -> Opaque;
    /// Vocabulary of a model.
    vocab = "llama_model_get_vocab": fn(Opaque) -> Opaque;
    /// Its size.
    vocab_len = "llama_vocab_n_tokens": fn(Opaque) -> i32;
    /// Positions of a context.
    n_ctx = "llama_n_ctx": fn(Opaque) -> u32;
    /// Tokens of a call.
    n_batch = "llama_n_batch": fn(Opaque) -> u32;
    /// Tokens computed together.
    n_ubatch = "llama_n_ubatch": fn(Opaque) -> u32;
    /// Threads.
    n_threads = "llama_n_threads": fn(Opaque) -> i32;
    /// Threads.
    n_threads_batch = "llama_n_threads_batch": fn(Opaque) -> i32;
    /// A batch that borrows its tokens.
    batch_of = "llama_batch_get_one": fn(*mut i32, i32) -> Batch;
    /// 0 on success.
    decode = "llama_decode": fn(Opaque, Batch) -> i32;
    /// Waits.
    synchronize = "llama_synchronize": fn(Opaque);
    /// Logits of an output row; -1 for the last.
    logits = "llama_get_logits_ith": fn(Opaque, i32) -> *const f32;
    /// State of a context.
    memory = "llama_get_memory": fn(Opaque) -> Opaque;
    /// Empties it; whether the buffers are cleared too.
    memory_clear = "llama_memory_clear": fn(Opaque, bool);
    /// Removes positions of a sequence, from (inclusive) to (exclusive, -1 for the end).
    memory_remove = "llama_memory_seq_rm": fn(Opaque, i32, i32, i32) -> bool;
}

/// Its file in the package.
const LIBRARY: &str = "libllama.v0.4.0.so";

extern "C" fn only_errors(level: c_int, text: *const c_char, _: *mut c_void) {
    const ERROR: c_int = 4;
    if level == ERROR && !text.is_null() {
        // SAFETY: the library passes a string that lives during the call.
        eprint!("{}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
}

/// The library in `folder`.
pub fn find(folder: &Path) -> Result<PathBuf, PeersError> {
    let path = folder.join(LIBRARY);
    if path.is_file() {
        return Ok(path);
    }
    let path = path.display();
    Err(PeersError::LlamaCpp(format!(
        "{path} is not there: benches/peers/run.sh fetches it, or name its folder with --llamacpp"
    )))
}

impl Library {
    /// Opens the library in `folder` and lets it choose its CPU code.
    pub fn open(folder: &Path) -> Result<Self, PeersError> {
        let failed = |e: &dyn std::fmt::Display| PeersError::LlamaCpp(e.to_string());
        let path = find(folder)?;
        let c_folder = CString::new(folder.as_os_str().as_encoded_bytes()).map_err(|e| failed(&e))?;
        // SAFETY: the library's initialisers only register its own backends.
        let handle = unsafe { Handle::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) }.map_err(|e| failed(&e))?;
        let library = Self::bind(&handle, folder.to_owned()).map_err(|e| failed(&e))?;
        std::mem::forget(handle);
        library.check_layout()?;
        // SAFETY: the callback is a function that lives for ever; the folder is a string that outlives the call.
        unsafe {
            (library.log_set)(only_errors, std::ptr::null_mut());
            (library.load_backends)(c_folder.as_ptr());
            (library.backend_init)();
        }
        Ok(library)
    }

    fn check_layout(&self) -> Result<(), PeersError> {
        // SAFETY: neither takes anything; the space for the result is larger than what they write.
        let (model, context) = unsafe { ((self.model_defaults)(), (self.context_defaults)()) };
        for (params, defaults) in [(model, MODEL_DEFAULTS), (context, CONTEXT_DEFAULTS)] {
            if let Some((offset, want)) = defaults.iter().find(|(offset, want)| params.get(*offset) != *want)
            {
                let found = params.get(*offset);
                return Err(PeersError::LlamaCpp(format!(
                    "the default at byte {offset} of its parameters is {found}, not {want}: this is another \
                     version than 0.4.0, whose structs are laid out otherwise"
                )));
            }
        }
        Ok(())
    }

    /// Versions of llama.cpp and ggml.
    pub fn versions(&self) -> String {
        // SAFETY: both return constant strings.
        unsafe { format!("{} (ggml {})", text((self.version)()), text((self.ggml_version)())) }
    }

    /// The CPU library that was chosen, and the features it names.
    pub fn kernels(&self) -> String {
        // SAFETY: returns a string that lives until the next call.
        let info = unsafe { text((self.system_info)()) };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let file = maps.lines().filter_map(|l| l.rsplit('/').next()).find(|f| f.starts_with("libggml-cpu"));
        let features: Vec<&str> = info.trim_start_matches("CPU :").split('|').map(str::trim).collect();
        let on = features.iter().filter_map(|f| f.strip_suffix(" = 1")).collect::<Vec<_>>().join(" ");
        format!("{} ({on})", file.unwrap_or("unknown CPU library"))
    }

    /// Where it was found.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A C string as text.
///
/// # Safety
/// `text` is null, or a string that lives during the call.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
