//! Cost tables on disk, one file for each model and device, where a policy can find them.

use std::error::Error;
use std::path::{Path, PathBuf};

use sterna_plan::choose::{COST_SCHEMA, CostTable};
use sterna_run::Session;

use crate::engine::Engine;
use crate::folders::in_cache;

use crate::commands::output;

/// The folder of cost tables, `wanted` or one in the user's cache: made, and tried, before what takes long.
pub fn folder(wanted: Option<&Path>) -> Result<PathBuf, Box<dyn Error>> {
    let folder = match wanted {
        Some(folder) => folder.to_owned(),
        None => cache().ok_or("there is no home folder for the cost table; name one with --costs")?,
    };
    let told = |e: std::io::Error| {
        format!(
            "no cost table can be written to the folder {}: {e}; name another with --costs",
            folder.display()
        )
    };
    std::fs::create_dir_all(&folder).map_err(told)?;
    output::check_writable(&folder.join(format!(".{}.part", std::process::id()))).map_err(told)?;
    Ok(folder)
}

/// Writes `table` to `folder`; gives its path.
pub fn save(folder: &Path, table: &CostTable) -> Result<PathBuf, Box<dyn Error>> {
    table.check()?;
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    let path = folder.join(file_name(table));
    // Written beside and renamed: a reader sees the old table or the new one.
    let part = path.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&part, serde_json::to_string_pretty(table)?).map_err(told)?;
    std::fs::rename(&part, &path).map_err(told)?;
    Ok(path)
}

/// The table that was saved for this model on this device, if there is a good one: a bad one costs speed, so nobody is
/// bothered with it.
pub fn find(engine: &Engine, session: &Session) -> Option<CostTable> {
    let wanted = CostTable {
        schema: COST_SCHEMA,
        model: engine.model.name.clone(),
        weight_bytes: session.executor().memory().weights as u64,
        device: engine.device().1.description,
        prefix: 0,
        calls: Vec::new(),
    };
    let text = std::fs::read_to_string(cache()?.join(file_name(&wanted))).ok()?;
    let found: CostTable = serde_json::from_str(&text).ok()?;
    let same = (&found.model, found.weight_bytes, &found.device)
        == (&wanted.model, wanted.weight_bytes, &wanted.device);
    (same && found.check().is_ok()).then_some(found)
}

fn cache() -> Option<PathBuf> {
    in_cache("verify-cost")
}

/// Model, size and device, with nothing that a file system minds.
fn file_name(table: &CostTable) -> String {
    let name = format!("{} {} {}", table.model, table.weight_bytes, table.device);
    let keep = |c: char| if c.is_ascii_alphanumeric() || ".+_".contains(c) { c } else { '-' };
    let name: String = name.chars().map(keep).collect();
    let name = name.split('-').filter(|w| !w.is_empty()).collect::<Vec<_>>().join("-");
    format!("{}.json", name.trim_start_matches(['.', '-']).chars().take(180).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_again() {
        let folder = std::env::temp_dir().join(format!("sterna-costs-{}", std::process::id()));
        let table = CostTable {
            schema: sterna_plan::choose::COST_SCHEMA,
            model: "../a model/of mine".into(),
            weight_bytes: 12,
            device: "AVX2+FMA, 2 threads".into(),
            prefix: 0,
            calls: vec![(1, 0.1 + 0.2), (2, 0.5)],
        };
        let folder = super::folder(Some(&folder)).unwrap();
        let path = save(&folder, &table).unwrap();
        assert_eq!(path.file_name().unwrap(), "a-model-of-mine-12-AVX2+FMA-2-threads.json");
        let read: CostTable = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(read, table);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        assert!(save(&folder, &CostTable { calls: vec![], ..table }).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
