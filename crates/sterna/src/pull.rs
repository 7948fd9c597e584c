//! Downloads a model from the Hugging Face hub.
//!
//! What is fetched: the file that was named, or the files that match the patterns; else the GGUF file when the
//! repository has exactly one; else `config.json`, the tokenizer and the safetensors weights.
//!
//! A transfer that was cut off goes on where it stopped, now or at the next call. What has a SHA-256 on the hub
//! (every large file) is checked against it. A file appears under its name only when it is complete. By default
//! files lie in the cache that other Hugging Face programs use, so nothing is downloaded twice.

mod error;
mod hub;
mod progress;
mod select;
mod store;
mod transfer;

use std::path::PathBuf;
use std::time::Duration;

pub use error::{PullError, human};
pub use progress::{Bars, Progress, Silent};

use hub::Hub;
use select::{Listed, Wanted, select};
use store::Store;

/// The public hub.
pub const ENDPOINT: &str = "https://huggingface.co";

/// Where files go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dest {
    /// The hub cache rooted here: `models--owner--name/{blobs,snapshots,refs}`.
    Cache(PathBuf),
    /// Plain files in this folder, by their names in the repository.
    Folder(PathBuf),
}

/// How to download.
pub struct PullOptions {
    /// Branch, tag or commit; `main` when neither this nor the repository argument says.
    pub revision: Option<String>,
    /// Patterns of files to fetch (`*` and `?`) instead of the choice described above.
    pub files: Vec<String>,
    /// Where files go.
    pub dest: Dest,
    /// Another hub than [`ENDPOINT`].
    pub endpoint: Option<String>,
    /// Access token, sent to the endpoint alone.
    pub token: Option<String>,
    /// Who is told how far it is.
    pub progress: Box<dyn Progress>,
    /// How often to go on after a cut-off transfer that had brought nothing.
    pub retries: u32,
    /// Pause before the first of those; each further one is twice as long.
    pub pause: Duration,
}

impl PullOptions {
    /// Options with a destination and defaults, reading nothing from outside.
    pub fn new(dest: Dest) -> Self {
        Self {
            revision: None,
            files: Vec::new(),
            dest,
            endpoint: None,
            token: None,
            progress: Box::new(Silent),
            retries: 5,
            pause: Duration::from_secs(1),
        }
    }

    /// Options from `HF_HOME`, `HF_ENDPOINT` and `HF_TOKEN` (or the token file that `hf auth login` leaves).
    ///
    /// # Errors
    /// [`PullError::NoHome`] when there is no home folder to keep the cache in.
    pub fn from_env() -> Result<Self, PullError> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let home = match set("HF_HOME") {
            Some(home) => PathBuf::from(home),
            None => std::env::home_dir().ok_or(PullError::NoHome)?.join(".cache").join("huggingface"),
        };
        let hub = home.join("hub");
        let saved = || hf_hub::Cache::new(hub.clone()).token();
        let token = set("HF_TOKEN").map(|token| token.trim().to_string()).or_else(saved);
        let endpoint = set("HF_ENDPOINT");
        Ok(Self { token, endpoint, ..Self::new(Dest::Cache(hub)) })
    }
}

/// Downloads what [the module](self) says and gives its path: the file itself where one was asked for or found,
/// else the folder that holds the files. `repo` is `owner/name`, `owner/name@revision`, `owner/name:file.gguf` or
/// `owner/name:Q4_K_M` (part of a GGUF file's name).
///
/// # Errors
/// A [`PullError`] that says what to do about it.
pub fn pull(repo: &str, mut options: PullOptions) -> Result<PathBuf, PullError> {
    let spec = Spec::parse(repo, options.revision.as_deref())?;
    let wanted = spec.wanted(&options.files)?;
    let hub = Hub::new(&spec, options.endpoint.as_deref(), options.token.as_deref());
    let listing = hub.listing()?;
    let store = Store::new(&options.dest, &spec, &listing.commit);

    let fetch = |listed: &Listed, options: &mut PullOptions| {
        let meta = hub.metadata(&listing.commit, listed)?;
        let target = store.target(&listed.name, &meta)?;
        transfer::fetch(&hub, &meta, &target, options)?;
        store.publish(&target)
    };
    let chosen = select(&spec.repo, &listing.files, &wanted, &mut |index| {
        let path = fetch(index, &mut options)?;
        std::fs::read_to_string(&path).map_err(|e| PullError::io(&path, e))
    })?;
    for file in &chosen.files {
        fetch(file, &mut options)?;
    }
    store.finish()?;
    Ok(store.answer(chosen.single.as_deref()))
}

/// What an earlier [`pull`] with the same arguments left in the cache, if all of it is there. Asks nobody: for use
/// without a network.
pub fn cached(repo: &str, options: &PullOptions) -> Option<PathBuf> {
    let spec = Spec::parse(repo, options.revision.as_deref()).ok()?;
    let wanted = spec.wanted(&options.files).ok()?;
    let store = Store::open(&options.dest, &spec)?;
    let read = &mut |index: &Listed| {
        let path = store.path(&index.name);
        std::fs::read_to_string(&path).map_err(|e| PullError::io(&path, e))
    };
    let chosen = select(&spec.repo, &store.listing(), &wanted, read).ok()?;
    Some(store.answer(chosen.single.as_deref()))
}

/// A repository argument taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    repo: String,
    revision: String,
    file: Option<String>,
}

impl Spec {
    fn parse(text: &str, revision: Option<&str>) -> Result<Self, PullError> {
        let bad = |why: &'static str| PullError::Spec { given: text.to_string(), why };
        let (rest, file) = match text.split_once(':') {
            Some((_, "")) => return Err(bad("nothing follows the colon")),
            Some((rest, file)) => (rest, Some(file.to_string())),
            None => (text, None),
        };
        let (repo, own) = match rest.split_once('@') {
            Some((_, "")) => return Err(bad("nothing follows the @")),
            Some((repo, own)) => (repo, Some(own)),
            None => (rest, None),
        };
        let revision = match (own, revision) {
            (Some(a), Some(b)) if a != b => return Err(bad("two different revisions are given")),
            (a, b) => a.or(b).unwrap_or("main").to_string(),
        };
        let word = |s: &str| {
            let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !s.is_empty() && s.chars().all(known) && s.chars().any(|c| c != '.')
        };
        match repo.split_once('/') {
            Some((owner, name)) if word(owner) && word(name) => {}
            _ => return Err(bad("the repository must be owner/name")),
        }
        if !revision.split('/').all(word) {
            return Err(bad("the revision is not a branch, tag or commit"));
        }
        Ok(Self { repo: repo.to_string(), revision, file })
    }

    fn wanted(&self, patterns: &[String]) -> Result<Wanted, PullError> {
        match (&self.file, patterns) {
            (Some(_), [_, ..]) => {
                let given = self.repo.clone();
                Err(PullError::Spec {
                    given,
                    why: "a file after the colon and file patterns exclude each other",
                })
            }
            (Some(file), []) => Ok(Wanted::Named(file.clone())),
            (None, []) => Ok(Wanted::Model),
            (None, patterns) => Ok(Wanted::Patterns(patterns.to_vec())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_arguments() {
        let parse = |text: &str, revision| {
            Spec::parse(text, revision).map(|s| (s.repo, s.revision, s.file.unwrap_or_default()))
        };
        let ok = |repo: &str, revision: &str, file: &str| {
            Some((repo.to_string(), revision.to_string(), file.to_string()))
        };
        assert_eq!(parse("a/b", None).ok(), ok("a/b", "main", ""));
        assert_eq!(parse("a/b-1.5_x:f/g.gguf", Some("v1")).ok(), ok("a/b-1.5_x", "v1", "f/g.gguf"));
        assert_eq!(parse("a/b@refs/pr/1:g.gguf", None).ok(), ok("a/b", "refs/pr/1", "g.gguf"));
        assert_eq!(parse("a/b@v1", Some("v1")).ok(), ok("a/b", "v1", ""));
        for bad in [
            "",
            "a",
            "a/",
            "/b",
            "a/b/c",
            "a/..",
            "../b",
            "a b/c",
            "a/b@",
            "a/b:",
            "a/b@../x",
            "a/b@x y",
            "https://x/y",
        ] {
            assert!(matches!(parse(bad, None), Err(PullError::Spec { .. })), "{bad}");
        }
        assert!(parse("a/b@v1", Some("v2")).is_err());
        let spec = Spec::parse("a/b:f", None).unwrap();
        assert!(spec.wanted(&["*".to_string()]).is_err());
    }
}
