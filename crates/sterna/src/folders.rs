//! Where this program keeps what it may make anew.

use std::path::PathBuf;

/// The folder `name` in the user's cache; `None` where there is no home folder.
pub(crate) fn in_cache(name: &str) -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    Some(set.or_else(|| Some(std::env::home_dir()?.join(".cache")))?.join("sterna").join(name))
}
