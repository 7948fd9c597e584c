//! Sterna as a peer.

use std::path::Path;
use std::time::Instant;

use sterna::device::Device;
use sterna::engine::{Engine, EngineOptions};
use sterna_plan::Wanted;
use sterna_run::Session;

use crate::error::PeersError;
use crate::peer::{Peer, Setup};
use crate::protocol::About;

/// A session of Sterna.
pub struct Sterna {
    session: Session,
    gpu: bool,
    weight_bytes: u64,
    about: About,
}

impl Sterna {
    /// Opens a model, on the best GPU or on the CPU.
    pub fn open(model: &Path, setup: Setup, gpu: bool) -> Result<Self, PeersError> {
        let start = Instant::now();
        let options = EngineOptions {
            device: if gpu { "gpu" } else { "cpu" }.parse::<Device>().map_err(PeersError::sterna)?,
            threads: setup.threads,
            governor: false,
            context: Some(setup.context),
            ..EngineOptions::default()
        };
        let engine = Engine::open(Some(model), &options).map_err(PeersError::sterna)?;
        let session = engine.session(&mut |_, _| {}).map_err(PeersError::sterna)?;
        let about = About {
            engine: if gpu { "sterna-gpu" } else { "sterna" }.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kernels: engine.device().1.description,
            threads: setup.threads,
            vocab: engine.plan.vocab,
            load_seconds: start.elapsed().as_secs_f64(),
        };
        Ok(Self { session, gpu, weight_bytes: 0, about })
    }
}

impl Peer for Sterna {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn keep(&mut self, len: usize) -> Result<(), PeersError> {
        self.session.truncate(len).map_err(PeersError::sterna)
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<(), PeersError> {
        // All logits, as llama.cpp gives them, though the best token alone would be a little cheaper.
        let stats = self.session.ask(tokens, Wanted::Logits, &mut |_| {}).map_err(PeersError::sterna)?;
        self.weight_bytes = stats.weight_bytes;
        Ok(())
    }

    fn step(&mut self, token: u32) -> Result<u32, PeersError> {
        if !self.gpu {
            self.feed(&[token])?;
            return self.best();
        }
        // The best token is all that is asked for: the device need not send 300 kB of logits.
        let stats = self.session.ask(&[token], Wanted::Argmax, &mut |_| {}).map_err(PeersError::sterna)?;
        self.weight_bytes = stats.weight_bytes;
        self.best()
    }

    fn best(&mut self) -> Result<u32, PeersError> {
        let top = self.session.outputs().top.last();
        top.map(|t| t.token).ok_or_else(|| PeersError::sterna("a call gave no best token"))
    }

    fn weight_bytes(&self) -> Option<u64> {
        Some(self.weight_bytes)
    }
}
