//! The engines, and what each needs.

use std::path::{Path, PathBuf};

use sterna_checkpoint::Checkpoint;

use crate::error::PeersError;
use crate::iq2_bn;
use crate::llamacpp::{self, Dialect, IK, LlamaCpp, MAINLINE, VULKAN};
use crate::models::Folders;
use crate::peer::{Peer, Setup, Worker};
use crate::process::serve;
use crate::sterna_peer::Sterna;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// This project's.
    #[value(skip)]
    Sterna,
    /// This project's, on the best GPU.
    #[value(skip)]
    SternaGpu,
    /// Its main line.
    #[value(name = "llama.cpp")]
    LlamaCpp,
    /// A fork with kernels of its own.
    #[value(name = "ik_llama.cpp")]
    IkLlamaCpp,
    /// The main line's Vulkan backend: the peer of Sterna on a GPU.
    #[value(name = "llama.cpp-vulkan")]
    LlamaCppVulkan,
}

impl Engine {
    /// Those that Sterna is compared with.
    pub const PEERS: [Self; 2] = [Self::LlamaCpp, Self::IkLlamaCpp];

    /// The engine of a name.
    pub fn of(name: &str) -> Result<Self, PeersError> {
        let all = [Self::Sterna, Self::SternaGpu, Self::LlamaCpp, Self::IkLlamaCpp, Self::LlamaCppVulkan];
        let found = all.into_iter().find(|e| e.name() == name);
        found.ok_or_else(|| PeersError::Options(format!("there is no engine {name:?}")))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.dialect().map_or(if self == Self::SternaGpu { "sterna-gpu" } else { "sterna" }, |d| d.engine)
    }

    fn dialect(self) -> Option<&'static Dialect> {
        match self {
            Self::Sterna | Self::SternaGpu => None,
            Self::LlamaCppVulkan => Some(&VULKAN),
            Self::LlamaCpp => Some(&MAINLINE),
            Self::IkLlamaCpp => Some(&IK),
        }
    }

    fn folder(self, engines: &Path) -> PathBuf {
        match self {
            Self::Sterna | Self::SternaGpu => engines.to_owned(),
            Self::LlamaCppVulkan => {
                engines.join(format!("llama.cpp-vulkan/package/bins/{}-vulkan", llamacpp::PLATFORM))
            }
            Self::LlamaCpp => engines.join("llama.cpp/package/bins").join(llamacpp::PLATFORM),
            Self::IkLlamaCpp => engines.join("ik_llama.cpp/ik_llama_cpp/lib"),
        }
    }

    /// Says what is missing.
    pub fn check(self, engines: &Path) -> Result<(), PeersError> {
        self.dialect().map_or(Ok(()), |d| llamacpp::find(d, &self.folder(engines)).map(|_| ()))
    }

    /// `file`, or the same weights in a form that this engine reads; `None` when there is no such form.
    pub fn file(self, file: &Path, folders: &Folders) -> Result<Option<PathBuf>, PeersError> {
        let reads = self.dialect().is_none_or(|d| d.has_tq);
        if reads || !iq2_bn::is_ternary(&Checkpoint::open(file)?) {
            return Ok(Some(file.to_owned()));
        }
        iq2_bn::rewrite(file, &folders.models)
    }

    /// Runs as a worker with a model until it is told to end.
    pub fn work(self, model: &Path, engines: &Path, setup: Setup, seed: u64) -> Result<(), PeersError> {
        fn go(peer: impl Peer, setup: Setup, seed: u64) -> Result<(), PeersError> {
            serve(&mut Worker::new(peer, setup, seed))
        }
        match self.dialect() {
            None => go(Sterna::open(model, setup, self == Self::SternaGpu)?, setup, seed),
            Some(d) => go(LlamaCpp::open(d, &self.folder(engines), model, setup)?, setup, seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_names() {
        for engine in Engine::PEERS.into_iter().chain([Engine::SternaGpu, Engine::LlamaCppVulkan]) {
            assert_eq!(Engine::of(engine.name()).unwrap(), engine);
        }
        assert!(Engine::of("another").is_err());
        let e = Engine::IkLlamaCpp.check(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(e.contains("ik_llama.cpp") && e.contains("run.sh") && e.contains("--peer"), "{e}");
    }
}
