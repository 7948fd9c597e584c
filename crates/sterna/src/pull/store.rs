//! Where files lie: the cache layout shared with other Hugging Face programs, or a plain folder.

use std::fs;
use std::path::{Component, Path, PathBuf};

use hf_hub::{Cache, CacheRepo, Repo, RepoType};

use super::hub::Meta;
use super::select::Listed;
use super::{Dest, PullError, Spec};

pub(crate) struct Store {
    /// What users open: the snapshot, or the folder.
    root: PathBuf,
    cache: Option<(CacheRepo, String)>,
}

/// The places of one file.
pub(crate) struct Target {
    /// Where the bytes end up.
    pub file: PathBuf,
    /// Where they are collected.
    pub part: PathBuf,
    /// Where users look for them; in the cache a link to `file`.
    pub shown: PathBuf,
}

impl Store {
    pub fn new(dest: &Dest, spec: &Spec, commit: &str) -> Self {
        match dest {
            Dest::Folder(folder) => Self { root: folder.clone(), cache: None },
            Dest::Cache(root) => {
                let repo = cache_repo(root, spec);
                Self { root: repo.pointer_path(commit), cache: Some((repo, commit.to_string())) }
            }
        }
    }

    /// What is there from an earlier download.
    pub fn open(dest: &Dest, spec: &Spec) -> Option<Self> {
        let commit = match dest {
            Dest::Folder(_) => String::new(),
            Dest::Cache(root) => {
                let folder = Repo::model(spec.repo.clone()).folder_name();
                let known = fs::read_to_string(root.join(folder).join("refs").join(&spec.revision));
                known.map_or_else(|_| spec.revision.clone(), |commit| commit.trim().to_string())
            }
        };
        let store = Self::new(dest, spec, &commit);
        store.root.is_dir().then_some(store)
    }

    /// Every complete file under the root. Broken links and unfinished files are left out.
    pub fn listing(&self) -> Vec<Listed> {
        let mut found = Vec::new();
        let mut folders = vec![(self.root.clone(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let name = format!("{prefix}{name}");
                match fs::metadata(entry.path()) {
                    Ok(meta) if meta.is_dir() => folders.push((entry.path(), format!("{name}/"))),
                    Ok(meta) if !name.ends_with(".incomplete") => {
                        found.push(Listed { name, size: meta.len(), sha256: None });
                    }
                    _ => {}
                }
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The file asked for, or the folder.
    pub fn answer(&self, single: Option<&str>) -> PathBuf {
        single.map_or_else(|| self.root.clone(), |name| self.path(name))
    }

    /// The places of the file `name`, with their folders made.
    pub fn target(&self, name: &str, meta: &Meta) -> Result<Target, PullError> {
        let inside = |c: Component<'_>| matches!(c, Component::Normal(_));
        if name.is_empty() || name.contains(['\\', ':', '\0']) || !Path::new(name).components().all(inside) {
            let why = format!("the file name {name:?} leads out of the folder");
            return Err(PullError::Answer { url: meta.url.clone(), why });
        }
        let shown = self.path(name);
        let file = self.cache.as_ref().map_or_else(|| shown.clone(), |(repo, _)| repo.blob_path(&meta.etag));
        // The name of what is collected holds the content's, so that two versions are never mixed.
        let mut part = file.clone().into_os_string();
        if self.cache.is_none() {
            part.push(format!(".{}", meta.etag));
        }
        part.push(".incomplete");
        for path in [&shown, &file] {
            let folder = path.parent().unwrap_or(path);
            fs::create_dir_all(folder).map_err(|e| PullError::write(folder, meta.size, e))?;
        }
        Ok(Target { file, part: part.into(), shown })
    }

    /// Shows a complete file under its name, and gives that path.
    pub fn publish(&self, target: &Target) -> Result<PathBuf, PullError> {
        if target.shown != target.file && !target.shown.exists() {
            // A broken link may be in the way.
            let _ = fs::remove_file(&target.shown);
            link(target, &self.root).map_err(|e| PullError::io(&target.shown, e))?;
        }
        Ok(target.shown.clone())
    }

    /// All files are there: the branch or tag now means this commit.
    pub fn finish(&self) -> Result<(), PullError> {
        match &self.cache {
            Some((repo, commit)) => repo.create_ref(commit).map_err(|e| PullError::io(&self.root, e)),
            None => Ok(()),
        }
    }
}

fn cache_repo(root: &Path, spec: &Spec) -> CacheRepo {
    let repo = Repo::with_revision(spec.repo.clone(), RepoType::Model, spec.revision.clone());
    Cache::new(root.to_path_buf()).repo(repo)
}

/// A relative symbolic link `snapshots/COMMIT/a/b -> ../../../blobs/ETAG`, so that the cache can be moved.
#[cfg(unix)]
fn link(target: &Target, root: &Path) -> std::io::Result<()> {
    let depth = target.shown.strip_prefix(root).map_or(1, |inner| inner.components().count());
    let mut to: PathBuf = std::iter::repeat_n("..", depth + 1).collect();
    to.push("blobs");
    to.push(target.file.file_name().unwrap_or_default());
    std::os::unix::fs::symlink(to, &target.shown)
}

/// Symbolic links need a privilege here; a second name for the same bytes does not.
#[cfg(not(unix))]
fn link(target: &Target, _root: &Path) -> std::io::Result<()> {
    fs::hard_link(&target.file, &target.shown).or_else(|_| fs::copy(&target.file, &target.shown).map(drop))
}
