//! llama.cpp as a peer: a prebuilt library from a package, driven through its C interface.

mod ffi;

use std::ffi::CString;
use std::path::Path;
use std::time::Instant;

use crate::error::PeersError;
use crate::peer::{Peer, Setup};
use crate::protocol::About;
pub use ffi::find;
use ffi::{Library, Opaque};

/// The package's folder for this machine.
pub const PLATFORM: &str = if cfg!(target_arch = "aarch64") { "linux-arm64" } else { "linux-x64" };

/// Tokens of a call and of one computation, the engine's own choice.
const BATCH: usize = 512;

/// A context of llama.cpp.
pub struct LlamaCpp {
    library: Library,
    context: Opaque,
    memory: Opaque,
    about: About,
}

fn failed(what: impl Into<String>) -> PeersError {
    PeersError::LlamaCpp(what.into())
}

impl LlamaCpp {
    /// Opens a model with the library in `folder`.
    pub fn open(folder: &Path, model: &Path, setup: Setup) -> Result<Self, PeersError> {
        let library = Library::open(folder)?;
        let start = Instant::now();
        let path = CString::new(model.as_os_str().as_encoded_bytes()).map_err(|e| failed(e.to_string()))?;
        let small = |n: usize| i32::try_from(n).map_err(|_| failed(format!("{n} is too large")));
        let (threads, context_len) = (small(setup.threads)?, small(setup.context)?);
        // SAFETY: takes nothing.
        let mut params = unsafe { (library.model_defaults)() };
        params.set(ffi::N_GPU_LAYERS, 0);
        // SAFETY: the path is a string that outlives the call; the parameters are the defaults but for one number.
        let model_at = unsafe { (library.load_model)(path.as_ptr(), params) };
        if model_at.is_null() {
            return Err(failed(format!("it cannot load {}", model.display())));
        }
        // SAFETY: takes nothing.
        let mut params = unsafe { (library.context_defaults)() };
        for (offset, value) in [
            (ffi::N_CTX, context_len),
            (ffi::N_BATCH, small(BATCH)?),
            (ffi::N_UBATCH, small(BATCH)?),
            (ffi::N_SEQ_MAX, 1),
            (ffi::N_THREADS, threads),
            (ffi::N_THREADS_BATCH, threads),
        ] {
            params.set(offset, value);
        }
        // SAFETY: the model was just loaded and is never freed.
        let context = unsafe { (library.new_context)(model_at, params) };
        if context.is_null() {
            return Err(failed(format!("it cannot make a context of {context_len} positions")));
        }
        // SAFETY: model and context are valid.
        let (memory, vocab) = unsafe {
            ((library.memory)(context), usize::try_from((library.vocab_len)((library.vocab)(model_at))))
        };
        let about = About {
            engine: "llama.cpp".to_owned(),
            version: library.versions(),
            kernels: library.kernels(),
            threads: setup.threads,
            vocab: vocab.map_err(|_| failed("the model has no vocabulary"))?,
            load_seconds: start.elapsed().as_secs_f64(),
        };
        let peer = Self { library, context, memory, about };
        peer.check_settings(setup)?;
        Ok(peer)
    }

    /// What was asked for is what the context has.
    fn check_settings(&self, setup: Setup) -> Result<(), PeersError> {
        let (l, c) = (&self.library, self.context);
        // SAFETY: the context is valid.
        let (positions, batch, ubatch, one, many) = unsafe {
            ((l.n_ctx)(c), (l.n_batch)(c), (l.n_ubatch)(c), (l.n_threads)(c), (l.n_threads_batch)(c))
        };
        // A batch is never larger than the context.
        let batches = (positions as usize).min(BATCH);
        let wanted = (setup.context, batches, batches, setup.threads, setup.threads);
        let found = (positions as usize, batch as usize, ubatch as usize, one as usize, many as usize);
        // The engine rounds contexts up.
        if found.0 < wanted.0
            || (found.1, found.2, found.3, found.4) != (wanted.1, wanted.2, wanted.3, wanted.4)
        {
            return Err(failed(format!(
                "context, batch, micro-batch and threads are {found:?} where {wanted:?} were asked for: the \
                 library in {} is not the version that this program knows",
                l.folder().display()
            )));
        }
        Ok(())
    }
}

impl Peer for LlamaCpp {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn keep(&mut self, len: usize) -> Result<(), PeersError> {
        let from = i32::try_from(len).map_err(|_| failed("too many positions"))?;
        // SAFETY: the memory belongs to the context, which is never freed.
        let done = unsafe {
            if len == 0 {
                (self.library.memory_clear)(self.memory, false);
                true
            } else {
                (self.library.memory_remove)(self.memory, 0, from, -1)
            }
        };
        if done { Ok(()) } else { Err(failed(format!("it cannot forget positions from {len} on"))) }
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<(), PeersError> {
        for chunk in tokens.chunks(BATCH) {
            let mut ids = chunk
                .iter()
                .map(|t| i32::try_from(*t))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_| failed("a token id is too large"))?;
            // SAFETY: the batch borrows `ids`, at most BATCH of them, until decode returns.
            let status = unsafe {
                let batch = (self.library.batch_of)(ids.as_mut_ptr(), ids.len() as i32);
                (self.library.decode)(self.context, batch)
            };
            if status != 0 {
                return Err(failed(format!("decoding {} tokens failed with status {status}", ids.len())));
            }
        }
        // SAFETY: the context is valid.
        unsafe { (self.library.synchronize)(self.context) };
        Ok(())
    }

    fn best(&mut self) -> Result<u32, PeersError> {
        // SAFETY: the context is valid.
        let logits = unsafe { (self.library.logits)(self.context, -1) };
        if logits.is_null() {
            return Err(failed("it has no logits of the last token"));
        }
        // SAFETY: a row has one float for each token, and lives until the next call.
        let logits = unsafe { std::slice::from_raw_parts(logits, self.about.vocab) };
        let mut best = 0;
        for (i, logit) in logits.iter().enumerate() {
            if *logit > logits[best] {
                best = i;
            }
        }
        Ok(best as u32)
    }

    fn weight_bytes(&self) -> Option<u64> {
        None
    }
}
