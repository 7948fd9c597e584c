//! Downloads from a small hub on this machine, over real sockets.

mod hub;

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hub::{COMMIT, Hub, Trick, bytes, sha256};
use sterna::pull::{Dest, Progress, PullError, PullOptions, cached, pull};

/// A fresh folder under Cargo's own for tests.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pull").join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn options(hub: &Hub, cache: &std::path::Path) -> PullOptions {
    PullOptions {
        endpoint: Some(hub.endpoint()),
        retries: 0,
        pause: Duration::ZERO,
        ..PullOptions::new(Dest::Cache(cache.to_path_buf()))
    }
}

/// Every file below `folder` whose name ends so.
fn ending(folder: &std::path::Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(ending(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_only_gguf_is_downloaded_once_and_lies_in_the_shared_cache() {
    let model = bytes(3_000_000);
    let hub = Hub::new(&[("README.md", b"hello"), ("sub/m.gguf", &model)]);
    let cache = folder("once");
    assert_eq!(cached("o/n", &options(&hub, &cache)), None);
    let path = pull("o/n", options(&hub, &cache)).unwrap();
    assert_eq!(path, cache.join("models--o--n/snapshots").join(COMMIT).join("sub/m.gguf"));
    assert_eq!(fs::read(&path).unwrap(), model);
    assert_eq!(fs::read(cache.join("models--o--n/blobs").join(sha256(&model))).unwrap(), model);
    assert_eq!(fs::read_to_string(cache.join("models--o--n/refs/main")).unwrap(), COMMIT);
    assert!(ending(&cache, ".incomplete").is_empty());
    #[cfg(unix)]
    assert_eq!(fs::read_link(&path).unwrap(), PathBuf::from("../../../blobs").join(sha256(&model)));

    assert_eq!(hub.sent("m.gguf"), [model.len() as u64]);
    assert_eq!(pull("o/n", options(&hub, &cache)).unwrap(), path);
    assert_eq!(hub.sent("m.gguf").len(), 1, "what is complete is not sent again");
    let requests = hub.requests().len();
    assert_eq!(cached("o/n", &options(&hub, &cache)), Some(path));
    assert_eq!(hub.requests().len(), requests, "the cache is read without asking");
}

#[test]
fn an_interrupted_download_goes_on_at_the_next_call() {
    let model = bytes(2_000_000);
    let hub = Hub::new(&[("m.gguf", &model)]);
    hub.trick(Trick::CutAfter(1_000_000));
    let cache = folder("resume");
    let error = pull("o/n", options(&hub, &cache)).unwrap_err();
    assert!(matches!(&error, PullError::Interrupted { have: 1_000_000, size: 2_000_000, .. }), "{error}");
    assert!(error.to_string().contains("1.0 MB of 2.0 MB") && error.to_string().contains("again"), "{error}");
    assert_eq!(fs::metadata(&ending(&cache, ".incomplete")[0]).unwrap().len(), 1_000_000);
    assert_eq!(cached("o/n", &options(&hub, &cache)), None, "half a file is not the model");

    let path = pull("o/n", options(&hub, &cache)).unwrap();
    assert_eq!(fs::read(path).unwrap(), model);
    assert_eq!(hub.ranges("m.gguf"), [None, Some("bytes=1000000-".to_string())]);
    assert_eq!(hub.sent("m.gguf"), [1_000_000, 1_000_000], "only the rest was sent");
}

#[test]
fn a_connection_that_keeps_breaking_is_taken_up_within_one_call() {
    let model = bytes(1_000_000);
    let hub = Hub::new(&[("m.gguf", &model)]);
    for _ in 0..4 {
        hub.trick(Trick::CutAfter(200_000));
    }
    let cache = folder("retry");
    // One retry is enough: each try brings bytes.
    let path = pull("o/n", PullOptions { retries: 1, ..options(&hub, &cache) }).unwrap();
    assert_eq!(fs::read(path).unwrap(), model);
    assert_eq!(hub.sent("m.gguf"), [200_000; 5]);

    let hub = Hub::new(&[("m.gguf", &model)]);
    for _ in 0..3 {
        hub.trick(Trick::Status(503, ""));
    }
    let cache = folder("retry503");
    let error = pull("o/n", PullOptions { retries: 2, ..options(&hub, &cache) }).unwrap_err();
    assert!(matches!(&error, PullError::Interrupted { have: 0, why, .. } if why.contains("503")), "{error}");
    assert!(pull("o/n", options(&hub, &cache)).is_ok());
}

#[test]
fn a_server_without_ranges_starts_over_and_never_appends() {
    let model = bytes(900_000);
    let hub = Hub::new(&[("m.gguf", &model)]);
    hub.trick(Trick::CutAfter(300_000));
    let cache = folder("no-ranges");
    pull("o/n", options(&hub, &cache)).unwrap_err();
    hub.trick(Trick::IgnoreRange);
    assert_eq!(fs::read(pull("o/n", options(&hub, &cache)).unwrap()).unwrap(), model);
    assert_eq!(hub.sent("m.gguf"), [300_000, 900_000]);
}

#[test]
fn damaged_bytes_are_found_and_deleted() {
    let model = bytes(500_000);
    let hub = Hub::new(&[("m.gguf", &model)]);
    hub.trick(Trick::Damage);
    let cache = folder("damage");
    let error = pull("o/n", options(&hub, &cache)).unwrap_err();
    let PullError::Checksum { file, want, got } = &error else { panic!("{error}") };
    assert_eq!((file.as_str(), want), ("m.gguf", &sha256(&model)));
    assert_ne!(want, got);
    assert!(ending(&cache, "").is_empty(), "nothing is left: {:?}", ending(&cache, ""));
    assert_eq!(fs::read(pull("o/n", options(&hub, &cache)).unwrap()).unwrap(), model);

    // A damaged first half is found too: what was left is read back into the checksum.
    let cache = folder("damage-half");
    hub.trick(Trick::CutAfter(250_000));
    pull("o/n", options(&hub, &cache)).unwrap_err();
    let part = ending(&cache, ".incomplete").remove(0);
    let mut half = fs::read(&part).unwrap();
    half[7] ^= 1;
    fs::write(&part, half).unwrap();
    assert!(matches!(pull("o/n", options(&hub, &cache)), Err(PullError::Checksum { .. })));
    assert!(!part.exists());

    // Too much is no better, and a leftover that is too long is thrown away.
    let cache = folder("too-long");
    hub.trick(Trick::CutAfter(250_000));
    pull("o/n", options(&hub, &cache)).unwrap_err();
    let part = ending(&cache, ".incomplete").remove(0);
    fs::write(&part, bytes(600_000)).unwrap();
    assert_eq!(fs::read(pull("o/n", options(&hub, &cache)).unwrap()).unwrap(), model);
}

#[test]
fn the_token_goes_to_the_hub_and_not_to_where_the_bytes_are() {
    let hub = Hub::new(&[("m.gguf", &bytes(1000))]);
    hub.require_token("hf_secret");
    let cache = folder("token");
    let with = |token: Option<&str>| {
        pull("o/n", PullOptions { token: token.map(String::from), ..options(&hub, &cache) })
    };
    let error = with(None).unwrap_err();
    assert!(matches!(&error, PullError::Gated { repo, .. } if repo == "o/n"), "{error}");
    for word in ["accept the licence", "HF_TOKEN", &format!("{}/o/n", hub.endpoint())] {
        assert!(error.to_string().contains(word), "{error}");
    }
    assert!(matches!(with(Some("hf_wrong")), Err(PullError::Gated { .. })));
    with(Some("hf_secret")).unwrap();
    let (to_cdn, to_hub): (Vec<_>, Vec<_>) =
        hub.requests().into_iter().partition(|r| r.path.starts_with("/cdn/"));
    assert!(!to_cdn.is_empty() && to_cdn.iter().all(|r| r.authorization.is_none()));
    assert!(to_hub.iter().any(|r| r.authorization.as_deref() == Some("Bearer hf_secret")));
}

#[test]
fn errors_say_what_to_do() {
    let hub = Hub::new(&[("m.gguf", &bytes(1000)), ("config.json", b"{}")]);
    let cache = folder("errors");
    let ask = |repo: &str| pull(repo, options(&hub, &cache)).unwrap_err();
    let error = ask("o/other");
    assert!(
        matches!(&error, PullError::RepositoryNotFound { .. }) && error.to_string().contains("spelling"),
        "{error}"
    );
    let error = ask("o/n@v9");
    assert!(matches!(&error, PullError::RevisionNotFound { revision, .. } if revision == "v9"), "{error}");
    let error = ask("o/n:x.gguf");
    assert!(
        matches!(&error, PullError::FileNotFound { .. }) && error.to_string().contains("m.gguf"),
        "{error}"
    );
    assert!(matches!(ask("nonsense"), PullError::Spec { .. }));

    hub.trick(Trick::Status(403, ""));
    assert!(matches!(ask("o/n"), PullError::Refused { status: 403, .. }));
    hub.trick(Trick::Status(404, "EntryNotFound"));
    assert!(matches!(ask("o/n"), PullError::FileNotFound { .. }));

    let nobody = PullOptions { endpoint: Some("http://127.0.0.1:9".to_string()), ..options(&hub, &cache) };
    let error = pull("o/n", nobody).unwrap_err();
    assert!(
        matches!(&error, PullError::Network { .. }) && error.to_string().contains("HF_ENDPOINT"),
        "{error}"
    );
}

#[test]
fn of_several_ggufs_one_is_chosen_by_name() {
    let (small, large) = (bytes(1000), bytes(2000));
    let hub = Hub::new(&[("n-Q4_K_M.gguf", &small), ("n-Q8_0.gguf", &large)]);
    let cache = folder("several");
    let error = pull("o/n", options(&hub, &cache)).unwrap_err().to_string();
    for word in ["o/n:n-Q4_K_M.gguf", "1.0 kB  n-Q4_K_M.gguf", "2.0 kB  n-Q8_0.gguf"] {
        assert!(error.contains(word), "{error}");
    }
    assert!(hub.sent("gguf").is_empty());
    assert_eq!(fs::read(pull("o/n:n-Q8_0.gguf", options(&hub, &cache)).unwrap()).unwrap(), large);
    assert_eq!(fs::read(pull("o/n:q4_k_m", options(&hub, &cache)).unwrap()).unwrap(), small);
    // The one of them that is here does without the hub.
    assert!(cached("o/n:Q8_0", &options(&hub, &cache)).is_some());
}

#[test]
fn sharded_safetensors_come_with_configuration_and_tokenizer() {
    let (a, b) = (bytes(40_000), bytes(50_000));
    let index = r#"{"metadata": {}, "weight_map": {"x": "model-2.safetensors", "y": "model-1.safetensors"}}"#;
    let hub = Hub::new(&[
        ("README.md", b"no"),
        ("config.json", b"{\"a\": 1}"),
        ("tokenizer.json", b"{}"),
        ("model.safetensors.index.json", index.as_bytes()),
        ("model-1.safetensors", &a),
        ("model-2.safetensors", &b),
        ("model-3.safetensors", &a),
    ]);
    let cache = folder("sharded");
    hub.trick(Trick::CutAfter(10_000));
    // The cut hits whichever file is first longer than that; the rest waits for the second call.
    pull("o/n@v1", options(&hub, &cache)).unwrap_err();
    assert_eq!(cached("o/n@v1", &options(&hub, &cache)), None);
    let path = pull("o/n@v1", options(&hub, &cache)).unwrap();
    let mut names: Vec<String> =
        ending(&path, "").iter().map(|p| p.file_name().unwrap().to_string_lossy().into()).collect();
    names.sort();
    let want =
        "config.json model-1.safetensors model-2.safetensors model.safetensors.index.json tokenizer.json";
    assert_eq!(names.join(" "), want);
    assert_eq!(fs::read(path.join("model-1.safetensors")).unwrap(), a);
    assert_eq!(fs::read(path.join("model-2.safetensors")).unwrap(), b);
    assert_eq!(hub.sent("config.json").len(), 1);
    assert_eq!(cached("o/n@v1", &options(&hub, &cache)), Some(path.clone()));
    assert_eq!(cached("o/n", &options(&hub, &cache)), None, "another revision was never fetched");

    // A lost blob is noticed, and fetched again.
    fs::remove_file(cache.join("models--o--n/blobs").join(sha256(&b))).unwrap();
    assert_eq!(cached("o/n@v1", &options(&hub, &cache)), None);
    assert_eq!(pull("o/n@v1", options(&hub, &cache)).unwrap(), path);
    assert_eq!(fs::read(path.join("model-2.safetensors")).unwrap(), b);
}

#[test]
fn a_plain_folder_takes_chosen_files_and_replaces_what_differs() {
    let model = bytes(30_000);
    let hub = Hub::new(&[("m.safetensors", &model), ("a b/c#.json", b"{}"), ("z.txt", b"z")]);
    let to = folder("plain");
    let ask = || {
        let files = vec!["*.json".to_string(), "m.*".to_string()];
        pull("o/n", PullOptions { dest: Dest::Folder(to.clone()), files, ..options(&hub, &to) })
    };
    assert_eq!(ask().unwrap(), to);
    assert_eq!(fs::read(to.join("m.safetensors")).unwrap(), model);
    assert_eq!(fs::read(to.join("a b/c#.json")).unwrap(), b"{}");
    assert_eq!(ending(&to, "").len(), 2);
    ask().unwrap();
    assert_eq!(hub.sent("m.safetensors").len(), 1);
    let mut other = model.clone();
    other[0] ^= 1;
    fs::write(to.join("m.safetensors"), other).unwrap();
    ask().unwrap();
    assert_eq!(fs::read(to.join("m.safetensors")).unwrap(), model, "same size, other bytes");
}

#[test]
fn a_hostile_hub_cannot_write_elsewhere() {
    for name in ["../evil.gguf", "/tmp/evil.gguf", "a/../../evil.gguf", "C:evil.gguf", "a\\evil.gguf"] {
        let hub = Hub::new(&[(name, &bytes(100))]);
        let cache = folder("hostile");
        let error = pull("o/n", options(&hub, &cache)).unwrap_err();
        assert!(
            matches!(&error, PullError::Answer { why, .. } if why.contains("out of the folder")),
            "{name}: {error}"
        );
        assert!(ending(&cache, "").is_empty());
    }
}

#[test]
fn a_file_being_downloaded_elsewhere_is_left_alone() {
    let model = bytes(1000);
    let hub = Hub::new(&[("m.gguf", &model)]);
    let cache = folder("busy");
    hub.trick(Trick::CutAfter(500));
    pull("o/n", options(&hub, &cache)).unwrap_err();
    let part = fs::File::open(&ending(&cache, ".incomplete")[0]).unwrap();
    part.lock().unwrap();
    assert!(matches!(pull("o/n", options(&hub, &cache)), Err(PullError::Busy { .. })));
    drop(part);
    assert!(pull("o/n", options(&hub, &cache)).is_ok());
}

#[test]
fn progress_adds_up_across_a_resume() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<(String, u64)>>>);
    impl Log {
        fn add(&self, what: &str, n: u64) {
            let mut log = self.0.lock().unwrap();
            match log.last_mut() {
                Some((last, sum)) if last == what => *sum += n,
                _ => log.push((what.to_string(), n)),
            }
        }
    }
    impl Progress for Log {
        fn start(&mut self, file: &str, size: u64, have: u64) {
            self.add(&format!("{file} {size}"), have);
        }
        fn advance(&mut self, bytes: u64) {
            self.add("advance", bytes);
        }
        fn restart(&mut self) {
            self.add("restart", 0);
        }
        fn finish(&mut self) {
            self.add("finish", 0);
        }
    }
    let hub = Hub::new(&[("m.gguf", &bytes(600_000))]);
    let cache = folder("progress");
    let log = Log::default();
    let ask = || pull("o/n", PullOptions { progress: Box::new(log.clone()), ..options(&hub, &cache) });
    hub.trick(Trick::CutAfter(400_000));
    ask().unwrap_err();
    ask().unwrap();
    let log = log.0.lock().unwrap().clone();
    let want = [
        ("m.gguf 600000", 0),
        ("advance", 400_000),
        ("m.gguf 600000", 400_000),
        ("advance", 200_000),
        ("finish", 0),
    ];
    assert_eq!(log, want.map(|(s, n)| (s.to_string(), n)));
}
