//! Which files of a repository make the model. Pure functions over a listing.

use std::collections::BTreeSet;

use serde_json::Value;

use super::PullError;

/// A file in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub name: String,
    pub size: u64,
    /// Hex SHA-256, known for large files.
    pub sha256: Option<String>,
}

pub(crate) enum Wanted {
    /// Whatever the model is.
    Model,
    /// This file, or the GGUF file with this in its name.
    Named(String),
    /// Every file that matches one of these.
    Patterns(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct Chosen {
    pub files: Vec<Listed>,
    /// Set when the answer is one file rather than a folder.
    pub single: Option<String>,
}

impl Chosen {
    fn one(file: &Listed) -> Self {
        Self { files: vec![file.clone()], single: Some(file.name.clone()) }
    }
}

const INDEX: &str = "model.safetensors.index.json";

/// Files read beside the weights, where a repository has them.
const COMPANIONS: [&str; 9] = [
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "vocab.json",
    "merges.txt",
];

/// Chooses. `read_index` gives the text of the list of shards when that is needed.
pub(crate) fn select(
    repo: &str,
    files: &[Listed],
    wanted: &Wanted,
    read_index: &mut dyn FnMut(&Listed) -> Result<String, PullError>,
) -> Result<Chosen, PullError> {
    let named = |name: &str| files.iter().find(|f| f.name == name);
    match wanted {
        Wanted::Named(name) => match named(name) {
            Some(file) => Ok(Chosen::one(file)),
            None => gguf_like(repo, files, name),
        },
        Wanted::Patterns(patterns) => {
            let fits = |f: &&Listed| patterns.iter().any(|p| glob(p.as_bytes(), f.name.as_bytes()));
            let fitting: Vec<Listed> = files.iter().filter(fits).cloned().collect();
            match fitting.as_slice() {
                [] => Err(not_found(repo, &patterns.join(" "), files.iter())),
                [one] => Ok(Chosen::one(one)),
                _ => Ok(Chosen { files: fitting, single: None }),
            }
        }
        Wanted::Model => match ggufs(files).as_slice() {
            [] => safetensors(repo, files, read_index),
            [one] => Ok(Chosen::one(one)),
            many => Err(several(repo, many)),
        },
    }
}

/// Model files; a vision projector beside the model is not one.
fn ggufs(files: &[Listed]) -> Vec<&Listed> {
    let base = |f: &Listed| f.name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    files.iter().filter(|f| base(f).ends_with(".gguf") && !base(f).starts_with("mmproj")).collect()
}

fn gguf_like(repo: &str, files: &[Listed], part: &str) -> Result<Chosen, PullError> {
    let all = ggufs(files);
    let lower = part.to_ascii_lowercase();
    let fits = |f: &&Listed| !lower.contains(".gguf") && f.name.to_ascii_lowercase().contains(&lower);
    match all.iter().copied().filter(fits).collect::<Vec<_>>().as_slice() {
        [] if all.is_empty() => Err(not_found(repo, part, files.iter())),
        [] => Err(not_found(repo, part, all.into_iter())),
        [one] => Ok(Chosen::one(one)),
        many => Err(several(repo, many)),
    }
}

fn safetensors(
    repo: &str,
    files: &[Listed],
    read_index: &mut dyn FnMut(&Listed) -> Result<String, PullError>,
) -> Result<Chosen, PullError> {
    let named = |name: &str| files.iter().find(|f| f.name == name);
    let missing = |name: &str| PullError::NoModel { repo: repo.to_string(), missing: name.to_string() };
    let mut chosen = vec![named("config.json").ok_or_else(|| missing("config.json"))?.clone()];
    chosen.extend(COMPANIONS.iter().filter_map(|name| named(name)).cloned());
    if let Some(index) = named(INDEX) {
        chosen.push(index.clone());
        for shard in shards(repo, &read_index(index)?)? {
            chosen.push(named(&shard).ok_or_else(|| missing(&shard))?.clone());
        }
    } else {
        let at_top = |f: &&Listed| f.name.ends_with(".safetensors") && !f.name.contains('/');
        let only = match files.iter().filter(at_top).collect::<Vec<_>>().as_slice() {
            [one] => Some(*one),
            _ => named("model.safetensors"),
        };
        chosen.push(only.ok_or_else(|| missing("model.safetensors"))?.clone());
    }
    Ok(Chosen { files: chosen, single: None })
}

/// The distinct files in an index, in name order.
fn shards(repo: &str, index: &str) -> Result<BTreeSet<String>, PullError> {
    let bad = |why: String| PullError::Answer { url: format!("{repo}/{INDEX}"), why };
    let index: Value = serde_json::from_str(index).map_err(|e| bad(e.to_string()))?;
    let map =
        index.get("weight_map").and_then(Value::as_object).ok_or_else(|| bad("no weight_map".to_string()))?;
    let name =
        |v: &Value| v.as_str().map(str::to_string).ok_or_else(|| bad("a shard without a name".to_string()));
    map.values().map(name).collect()
}

fn several(repo: &str, files: &[&Listed]) -> PullError {
    let mut files: Vec<(String, u64)> = files.iter().map(|f| (f.name.clone(), f.size)).collect();
    files.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    PullError::SeveralGguf { repo: repo.to_string(), files }
}

fn not_found<'a>(repo: &str, file: &str, available: impl Iterator<Item = &'a Listed>) -> PullError {
    let available = available.map(|f| f.name.clone()).collect();
    PullError::FileNotFound { repo: repo.to_string(), file: file.to_string(), available }
}

/// Shell-like matching of a whole name: `*` any run of characters, `?` any one byte.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None; // the latest star, and where the text it stands for would end next
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, end)) => {
                    star = Some((at, end + 1));
                    p = at + 1;
                    n = end + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(names: &[&str], wanted: Wanted, index: &str) -> Result<(String, Option<String>), PullError> {
        let sized =
            |(n, name): (usize, &&str)| Listed { name: name.to_string(), size: 10 + n as u64, sha256: None };
        let files: Vec<Listed> = names.iter().enumerate().map(sized).collect();
        select("o/n", &files, &wanted, &mut |_| Ok(index.to_string())).map(|c| {
            let names: Vec<String> = c.files.into_iter().map(|f| f.name).collect();
            (names.join(" "), c.single)
        })
    }

    #[test]
    fn patterns() {
        let cases = [
            ("*.gguf", "a.gguf", true),
            ("*.gguf", "a.gguf.txt", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxbxab", true),
            ("*a*b", "xaxbxa", false),
            ("", "", true),
            ("**", "", true),
            ("model-*-of-*", "model-1-of-2", true),
            ("*", "d/e", true),
        ];
        for (pattern, name, want) in cases {
            assert_eq!(glob(pattern.as_bytes(), name.as_bytes()), want, "{pattern} {name}");
        }
        // Linear in practice: no exponential backtracking.
        assert!(!glob("*a".repeat(40).as_bytes(), &[b'b'; 4000]));
    }

    #[test]
    fn one_gguf_wins_over_safetensors_and_a_projector_does_not_count() {
        let names = ["README.md", "config.json", "model.safetensors", "m.gguf", "sub/mmproj-m.gguf"];
        assert_eq!(
            choose(&names, Wanted::Model, "").unwrap(),
            ("m.gguf".to_string(), Some("m.gguf".to_string()))
        );
    }

    #[test]
    fn of_several_ggufs_one_must_be_named() {
        let names = ["m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-Q4_K_S.gguf"];
        let error = choose(&names, Wanted::Model, "").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`o/n` has several GGUF files; choose one, for example `o/n:m-Q8_0.gguf`:\n      10 B  m-Q8_0.gguf\n      11 B  \
             m-Q4_K_M.gguf\n      12 B  m-Q4_K_S.gguf"
        );
        let named = |s: &str| choose(&names, Wanted::Named(s.to_string()), "");
        assert_eq!(named("m-Q8_0.gguf").unwrap().0, "m-Q8_0.gguf");
        assert_eq!(named("q4_k_m").unwrap().0, "m-Q4_K_M.gguf");
        assert!(matches!(named("Q4_K"), Err(PullError::SeveralGguf { files, .. }) if files.len() == 2));
        assert!(
            matches!(named("Q2_K"), Err(PullError::FileNotFound { available, .. }) if available.len() == 3)
        );
        assert!(
            matches!(named("Q8_0.gguf"), Err(PullError::FileNotFound { .. })),
            "a full name is taken as such"
        );
    }

    #[test]
    fn safetensors_come_with_their_companions() {
        let names = ["model.safetensors", "config.json", "tokenizer.json", "x.bin", "onnx/model.safetensors"];
        let (files, single) = choose(&names, Wanted::Model, "").unwrap();
        assert_eq!((files.as_str(), single), ("config.json tokenizer.json model.safetensors", None));
        let sharded = ["config.json", INDEX, "m-1.safetensors", "m-2.safetensors", "old.safetensors"];
        let index =
            r#"{"weight_map": {"a": "m-2.safetensors", "b": "m-1.safetensors", "c": "m-2.safetensors"}}"#;
        let (files, _) = choose(&sharded, Wanted::Model, index).unwrap();
        assert_eq!(files, format!("config.json {INDEX} m-1.safetensors m-2.safetensors"));
        assert!(
            matches!(choose(&sharded[..3], Wanted::Model, index), Err(PullError::NoModel { missing, .. }) if missing == "m-2.safetensors")
        );
        assert!(matches!(choose(&sharded, Wanted::Model, "{"), Err(PullError::Answer { .. })));
        assert!(
            matches!(choose(&["README.md"], Wanted::Model, ""), Err(PullError::NoModel { missing, .. }) if missing == "config.json")
        );
    }

    #[test]
    fn patterns_give_a_folder_or_the_one_file() {
        let names = ["a.json", "b.json", "c.txt"];
        let by = |p: &str| choose(&names, Wanted::Patterns(vec![p.to_string()]), "");
        assert_eq!(by("*.json").unwrap(), ("a.json b.json".to_string(), None));
        assert_eq!(by("c*").unwrap(), ("c.txt".to_string(), Some("c.txt".to_string())));
        assert!(matches!(by("z*"), Err(PullError::FileNotFound { .. })));
    }
}
