//! llama.cpp and ik_llama.cpp as peers: prebuilt libraries from packages, driven through their C interface.

mod dialect;
mod ffi;

use std::ffi::CString;
use std::path::Path;
use std::time::Instant;

use crate::error::PeersError;
use crate::peer::{Peer, Setup};
use crate::protocol::About;
pub use dialect::{Dialect, IK, MAINLINE, VULKAN};
pub use ffi::find;
use ffi::{Batch, Library, Opaque};

/// The folder of llama.cpp's package for this machine.
pub const PLATFORM: &str = if cfg!(target_arch = "aarch64") { "linux-arm64" } else { "linux-x64" };

/// Tokens of a call and of one computation, the engines' own choice.
const BATCH: usize = 512;

/// A context of llama.cpp or a fork of it.
pub struct LlamaCpp {
    dialect: &'static Dialect,
    library: Library,
    context: Opaque,
    /// Positions held.
    held: i32,
    about: About,
}

impl LlamaCpp {
    /// Opens a model with the library in `folder`.
    pub fn open(
        dialect: &'static Dialect,
        folder: &Path,
        model: &Path,
        setup: Setup,
    ) -> Result<Self, PeersError> {
        let library = Library::open(dialect, folder)?;
        // Without a driver the library computes on the CPU and says nothing.
        if dialect.gpu_layers > 0 && !library.has_gpu() {
            return Err(
                dialect.failed("it found no GPU: is the Vulkan loader there, with the driver's manifest?")
            );
        }
        let start = Instant::now();
        let path =
            CString::new(model.as_os_str().as_encoded_bytes()).map_err(|e| dialect.failed(e.to_string()))?;
        let small = |n: usize| i32::try_from(n).map_err(|_| dialect.failed(format!("{n} is too large")));
        let (threads, positions, batch) = (small(setup.threads)?, small(setup.context)?, small(BATCH)?);
        // SAFETY: takes nothing.
        let mut params = unsafe { (library.model_defaults)() };
        params.set(dialect.n_gpu_layers, dialect.gpu_layers);
        // SAFETY: the path is a string that outlives the call; the parameters are the defaults but for one number.
        let model_at = unsafe { (library.load_model)(path.as_ptr(), params) };
        if model_at.is_null() {
            return Err(dialect.failed(format!("it cannot load {}", model.display())));
        }
        // SAFETY: takes nothing.
        let mut params = unsafe { (library.context_defaults)() };
        for (offset, value) in [
            (dialect.n_ctx, positions),
            (dialect.n_batch, batch),
            (dialect.n_ubatch, batch),
            (dialect.n_seq_max, 1),
            (dialect.n_threads, threads),
            (dialect.n_threads_batch, threads),
        ] {
            params.set(offset, value);
        }
        // SAFETY: the model was just loaded and is never freed.
        let context = unsafe { (library.new_context)(model_at, params) };
        if context.is_null() {
            return Err(dialect.failed(format!("it cannot make a context of {positions} positions")));
        }
        // SAFETY: the model is valid.
        let vocab = usize::try_from(unsafe { (library.vocab_len)((library.vocab)(model_at)) });
        let about = About {
            engine: dialect.engine.to_owned(),
            version: library.version(),
            kernels: library.kernels(),
            threads: setup.threads,
            vocab: vocab.map_err(|_| dialect.failed("the model has no vocabulary"))?,
            load_seconds: start.elapsed().as_secs_f64(),
        };
        let peer = Self { dialect, library, context, held: 0, about };
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
        // A batch is never larger than the context, which the engine rounds up.
        let batches = (positions as usize).min(BATCH);
        let wanted = (batches, batches, setup.threads, setup.threads);
        let found = (batch as usize, ubatch as usize, one as usize, many as usize);
        if (positions as usize) < setup.context || found != wanted {
            return Err(self.dialect.failed(format!(
                "a context of {positions} positions has batch, micro-batch and threads {found:?} where {wanted:?} \
                 were asked for, of {} positions: the library in {} is not the version that this program knows",
                setup.context,
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
        let len = i32::try_from(len).map_err(|_| self.dialect.failed("too many positions"))?;
        if !self.library.forget(self.context, len) {
            return Err(self.dialect.failed(format!("it cannot forget positions from {len} on")));
        }
        self.held = self.held.min(len);
        Ok(())
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<(), PeersError> {
        for chunk in tokens.chunks(BATCH) {
            let ids: Vec<i32> = chunk
                .iter()
                .map(|t| i32::try_from(*t))
                .collect::<Result<_, _>>()
                .map_err(|_| self.dialect.failed("a token id is too large"))?;
            let n_tokens = ids.len() as i32;
            let others = [std::ptr::null_mut(); 5];
            let batch = Batch { n_tokens, tokens: ids.as_ptr(), others, run: [self.held, 1, 0] };
            // SAFETY: the batch borrows `ids`, at most BATCH of them, until the call returns.
            let status = unsafe { (self.library.decode)(self.context, batch) };
            if status != 0 {
                return Err(self.dialect.failed(format!("{n_tokens} tokens failed with status {status}")));
            }
            self.held += n_tokens;
        }
        // SAFETY: the context is valid.
        unsafe { (self.library.synchronize)(self.context) };
        Ok(())
    }

    fn best(&mut self) -> Result<u32, PeersError> {
        // SAFETY: the context is valid.
        let logits = unsafe { (self.library.logits)(self.context, -1) };
        if logits.is_null() {
            return Err(self.dialect.failed("it has no logits of the last token"));
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
