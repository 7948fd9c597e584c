//! The few functions of llama.cpp's C interface that are needed, found at run time.
//!
//! Its parameter structs are passed and returned by value. Here a larger block of bytes stands for each: both are of
//! the size class that the C ABIs of Linux pass in memory, so the callee reads and writes only its own part. Where the
//! fields are, a [`Dialect`] says; the defaults read back ([`Library::open`]) and what the context then says of itself
//! prove that it is right.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library as Handle, RTLD_GLOBAL, RTLD_NOW};

use super::dialect::Dialect;
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

/// Tokens of a call. Mainline's struct ends before the last three numbers and never looks at them.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Batch {
    /// How many.
    pub n_tokens: i32,
    /// Their ids.
    pub tokens: *const i32,
    /// Embeddings, positions, sequences, outputs: null for the next positions of sequence 0 with the last one's logits.
    pub others: [*mut c_void; 5],
    /// Position of the first, step from each to the next, and sequence, where positions are null.
    pub run: [i32; 3],
}

/// A model, a context, a vocabulary, a memory: only their addresses are known here.
pub type Opaque = *mut c_void;
type Log = extern "C" fn(c_int, *const c_char, *mut c_void);

macro_rules! functions {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The open library. It is never closed: its threads may outlive any owner.
        pub struct Library {
            folder: PathBuf,
            dialect: &'static Dialect,
            state: State,
            extra: Extra,
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Library {
            fn bind(
                handle: &Handle,
                dialect: &'static Dialect,
                folder: PathBuf,
            ) -> Result<Self, libloading::Error> {
                Ok(Self {
                    folder,
                    dialect,
                    state: State::bind(handle, dialect)?,
                    extra: Extra::bind(handle),
                    $($field: {
                        // SAFETY: both dialects have this function with this signature.
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
    /// 0 on success.
    decode = "llama_decode": fn(Opaque, Batch) -> i32;
    /// Waits.
    synchronize = "llama_synchronize": fn(Opaque);
    /// Logits of an output row; -1 for the last.
    logits = "llama_get_logits_ith": fn(Opaque, i32) -> *const f32;
}

type Clear = unsafe extern "C" fn(Opaque, bool);
type Remove = unsafe extern "C" fn(Opaque, i32, i32, i32) -> bool;
type Of = unsafe extern "C" fn(Opaque) -> Opaque;
type Empty = unsafe extern "C" fn(Opaque);

/// How positions are forgotten: of a memory that belongs to the context, or of the context itself.
enum State {
    Memory { of: Of, clear: Clear, remove: Remove },
    Context { clear: Empty, remove: Remove },
}

impl State {
    fn bind(handle: &Handle, dialect: &Dialect) -> Result<Self, libloading::Error> {
        // SAFETY: the functions of each dialect have these signatures.
        unsafe {
            Ok(if dialect.has_memory {
                Self::Memory {
                    of: *handle.get(b"llama_get_memory")?,
                    clear: *handle.get(b"llama_memory_clear")?,
                    remove: *handle.get(b"llama_memory_seq_rm")?,
                }
            } else {
                Self::Context {
                    clear: *handle.get(b"llama_kv_cache_clear")?,
                    remove: *handle.get(b"llama_kv_cache_seq_rm")?,
                }
            })
        }
    }
}

/// What only some dialects have.
struct Extra {
    load_backends: Option<unsafe extern "C" fn(*const c_char)>,
    version: Option<unsafe extern "C" fn() -> *const c_char>,
    ggml_version: Option<unsafe extern "C" fn() -> *const c_char>,
    gpu_offload: Option<unsafe extern "C" fn() -> bool>,
}

impl Extra {
    fn bind(handle: &Handle) -> Self {
        // SAFETY: where they exist, they have these signatures.
        unsafe {
            Self {
                load_backends: handle.get(b"ggml_backend_load_all_from_path").ok().map(|s| *s),
                version: handle.get(b"llama_version").ok().map(|s| *s),
                ggml_version: handle.get(b"ggml_version").ok().map(|s| *s),
                gpu_offload: handle.get(b"llama_supports_gpu_offload").ok().map(|s| *s),
            }
        }
    }
}

extern "C" fn only_errors(level: c_int, text: *const c_char, _: *mut c_void) {
    const ERROR: c_int = 4;
    if level == ERROR && !text.is_null() {
        // SAFETY: the library passes a string that lives during the call.
        eprint!("{}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
}

/// The library of `dialect` in `folder`.
pub fn find(dialect: &Dialect, folder: &Path) -> Result<PathBuf, PeersError> {
    let path = folder.join(dialect.library);
    if path.is_file() {
        return Ok(path);
    }
    Err(dialect.failed(format!(
        "{} is not there: benches/peers/run.sh fetches it, or leave this engine out with --peer",
        path.display()
    )))
}

impl Library {
    /// Opens the library in `folder` and lets it choose its CPU code.
    pub fn open(dialect: &'static Dialect, folder: &Path) -> Result<Self, PeersError> {
        let failed = |e: &dyn std::fmt::Display| dialect.failed(e.to_string());
        let path = find(dialect, folder)?;
        let c_folder = CString::new(folder.as_os_str().as_encoded_bytes()).map_err(|e| failed(&e))?;
        // SAFETY: the library's initialisers only register its own backends.
        let handle = unsafe { Handle::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) }.map_err(|e| failed(&e))?;
        let library = Self::bind(&handle, dialect, folder.to_owned()).map_err(|e| failed(&e))?;
        std::mem::forget(handle);
        library.check_layout()?;
        // SAFETY: the callback is a function that lives for ever; the folder is a string that outlives the call.
        unsafe {
            (library.log_set)(only_errors, std::ptr::null_mut());
            if let Some(load) = library.extra.load_backends {
                load(c_folder.as_ptr());
            }
            (library.backend_init)();
        }
        Ok(library)
    }

    fn check_layout(&self) -> Result<(), PeersError> {
        // SAFETY: neither takes anything; the space for the result is larger than what they write.
        let (model, context) = unsafe { ((self.model_defaults)(), (self.context_defaults)()) };
        let d = self.dialect;
        for (params, defaults) in [(model, d.model_defaults), (context, d.context_defaults)] {
            if let Some((offset, want)) = defaults.iter().find(|(offset, want)| params.get(*offset) != *want)
            {
                let found = params.get(*offset);
                return Err(d.failed(format!(
                    "the default at byte {offset} of its parameters is {found}, not {want}: this is another \
                     version than {}, whose structs are laid out otherwise",
                    d.version
                )));
            }
        }
        Ok(())
    }

    /// Forgets the positions of `context` from `len` on; false when it cannot.
    pub fn forget(&self, context: Opaque, len: i32) -> bool {
        // SAFETY: the context is one of this library's and is never freed, nor is its memory.
        unsafe {
            match self.state {
                State::Memory { of, clear, .. } if len == 0 => clear(of(context), false),
                State::Memory { of, remove, .. } => return remove(of(context), 0, len, -1),
                State::Context { clear, .. } if len == 0 => clear(context),
                State::Context { remove, .. } => return remove(context, 0, len, -1),
            }
        }
        true
    }

    /// Its version, as far as it says.
    pub fn version(&self) -> String {
        // SAFETY: both return constant strings.
        let says = |f: Option<unsafe extern "C" fn() -> *const c_char>| f.map(|f| unsafe { text(f()) });
        let own = says(self.extra.version).unwrap_or_else(|| self.dialect.version.to_owned());
        says(self.extra.ggml_version).map(|ggml| format!("{own} (ggml {ggml})")).unwrap_or(own)
    }

    /// Whether a backend that was loaded has a GPU.
    pub fn has_gpu(&self) -> bool {
        // SAFETY: takes nothing.
        self.extra.gpu_offload.is_some_and(|f| unsafe { f() })
    }

    /// The CPU library that was chosen, and the features it names.
    pub fn kernels(&self) -> String {
        // SAFETY: returns a string that lives until the next call.
        let info = unsafe { text((self.system_info)()) };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let mut files = maps.lines().filter_map(|l| l.rsplit('/').next());
        let file = files.find(|f| f.starts_with("libggml-cpu")).unwrap_or("one build for all machines");
        let features: Vec<&str> = info.trim_start_matches("CPU :").split('|').map(str::trim).collect();
        let on = features.iter().filter_map(|f| f.strip_suffix(" = 1")).collect::<Vec<_>>().join(" ");
        format!("{file} ({on})")
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
