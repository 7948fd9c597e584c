//! Bundles that are cut short, damaged or made to mislead: a typed error, or the same model; never a panic.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sterna_bundle::{AssistantHead, BundleError, Model, PackOptions, TernaryPolicy, WeightSource, pack};

fn bundle(test: &str) -> Vec<u8> {
    let dest = scratch(test).join("b");
    pack_to(&Model::open(&oracle("a_minicpm")).unwrap(), &dest, TernaryPolicy::Exact, &[]).unwrap();
    std::fs::read(&dest).unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Model, BundleError> {
    Model::from_bundle_bytes(bytes.into())
}

/// Header, and where the data starts.
fn header(bytes: &[u8]) -> (Value, usize) {
    let start = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[8..start]).unwrap(), start)
}

fn with_header(bytes: &[u8], header: &Value, start: usize) -> Vec<u8> {
    let text = header.to_string();
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), &bytes[start..]].concat()
}

/// The same bundle with another manifest, hashed as it should be.
fn with_manifest(bytes: &[u8], change: &dyn Fn(&mut Value)) -> Vec<u8> {
    let (mut header, start) = header(bytes);
    let mut manifest: Value =
        serde_json::from_str(header["__metadata__"]["manifest"].as_str().unwrap()).unwrap();
    change(&mut manifest);
    let text = manifest.to_string();
    let hash: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    header["__metadata__"]["manifest"] = json!(text);
    header["__metadata__"]["manifest_sha256"] = json!(hash);
    with_header(bytes, &header, start)
}

#[test]
fn every_cut_is_an_error() {
    let bytes = bundle("cuts");
    open(bytes.clone()).unwrap();
    let start = header(&bytes).1;
    let near = (0..64).chain(start - 40..start + 40).chain(bytes.len() - 64..bytes.len());
    for cut in near.chain((64..bytes.len()).step_by(4999)) {
        assert!(open(bytes[..cut].to_vec()).is_err(), "cut at {cut}");
    }
    assert!(open([&bytes[..], &[0]].concat()).is_err(), "a byte too many");
}

#[test]
fn every_damage_is_an_error_or_harmless() {
    let bytes = bundle("damage");
    let good = open(bytes.clone()).unwrap();
    let (_, start) = header(&bytes);
    let used = 8 + bytes[8..start].iter().rposition(|b| *b != b' ').unwrap() + 1;
    let mut errors = 0;
    for (n, at) in (0..used).step_by(13).chain(0..600.min(used)).enumerate() {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (n % 8);
        match open(bad) {
            Err(_) => errors += 1,
            // The name of a padding tensor may change, and nothing else.
            Ok(model) => {
                assert_eq!(model.config, good.config, "byte {at}");
                assert_eq!(model.numerics, good.numerics, "byte {at}");
                same_values(&model, &good);
            }
        }
    }
    assert!(errors > used / 13, "{errors} of {}", used / 13 + 600);
    for at in (start..bytes.len()).step_by(30_011).chain([start, bytes.len() - 1]) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x10;
        assert!(open(bad).and_then(|m| m.verify()).is_err(), "byte {at} of {}", bytes.len());
    }
}

#[test]
fn hostile_manifests_are_refused() {
    let bytes = bundle("manifests");
    open(with_manifest(&bytes, &|_| {})).unwrap();
    let set = |path: &'static str, value: Value| {
        let found = with_manifest(&bytes, &|m| {
            *m.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value.clone()
        });
        (format!("{path} = {value}"), open(found))
    };
    let huge = json!(u64::MAX);
    let cases = [
        set("/config/heads", json!(0)),
        set("/config/heads", json!(3)),
        set("/config/heads", json!(8)),
        set("/config/kv_heads", huge.clone()),
        set("/config/layers", json!(4)),
        set("/config/layers", json!(2)),
        set("/config/layers", json!(1 << 24)),
        set("/config/hidden", json!(128)),
        set("/config/hidden", huge.clone()),
        set("/config/ffn", json!(511)),
        set("/config/head_dim", json!(63)),
        set("/config/head_dim", json!(-64)),
        set("/config/vocab", json!(513)),
        set("/config/context", json!(0)),
        set("/config/norm_eps", json!(0.0)),
        set("/config/norm_eps", json!(1e300)),
        set("/config/norm_eps", Value::Null),
        set("/config/logit_scale", json!(0)),
        set("/config/tied", json!(false)),
        set("/config/qk_norm", json!(true)),
        set("/config/arch", json!("bitnet")),
        set("/config/rope/dim", json!(32)),
        set("/config/rope/theta", json!(0)),
        set("/config/rope/scaling/short", json!([1.0])),
        set("/config/rope/scaling/long/3", json!(-1.0)),
        set("/config/rope/scaling/kind", json!("yarn")),
        set("/config/rope/scaling/original_context", json!(0)),
        set("/numerics/attention_piece", json!(32)),
        set("/numerics/rounding", json!("truncate")),
        set("/numerics/rope", json!("interleaved")),
        set("/numerics/linears/layers.0.q/group", json!(0)),
        set("/numerics/linears/layers.0.q/group", json!(128)),
        set("/numerics/linears/layers.0.q", json!({"activation": "float"})),
        set("/numerics/linears/embed", json!({"activation": "int8", "group": 256})),
        set("/numerics/linears", json!({})),
        set("/entry_points", json!([])),
        set("/entry_points/0/widths", json!([2])),
        set("/entry_points/1/widths", json!([])),
        set("/entry_points/2/widths", json!([64, 16])),
        set("/weights/layers.0.q/rows", json!(255)),
        set("/weights/layers.0.q/rows", huge.clone()),
        set("/weights/layers.0.q/cols", json!(0)),
        set("/weights/layers.0.q/cols", huge),
        set("/weights/layers.0.q/encoding", json!("ternary-128")),
        set("/weights/layers.0.q/encoding", json!("q9_z")),
        set("/weights/norm/encoding", json!("q8_0")),
        set("/weights", json!({})),
        set("/tokenizer/eos", json!([70_000])),
        set("/tokenizer", json!(7)),
        set("/tokenizer_sha256", json!("00")),
        set("/name", json!(["x"])),
        set("", json!([])),
        set("", json!(null)),
    ];
    for (case, result) in cases {
        let Err(error) = result else { panic!("{case} was accepted") };
        let text = error.to_string();
        assert!(!text.is_empty() && text.len() < 900, "{case}: {text}");
    }
    for (what, change) in [
        (
            "an extra weight",
            (&|m: &mut Value| m["weights"]["x"] = m["weights"]["norm"].clone()) as &dyn Fn(&mut Value),
        ),
        ("an extra linear", &|m| {
            m["numerics"]["linears"]["norm"] = m["numerics"]["linears"]["embed"].clone()
        }),
        ("an unknown key", &|m| m["clamp"] = json!(1)),
        ("a missing key", &|m| drop(m.as_object_mut().unwrap().remove("config"))),
    ] {
        assert!(open(with_manifest(&bytes, change)).is_err(), "{what}");
    }
    let deep = "[".repeat(100_000);
    let (mut h, start) = header(&bytes);
    let hash: String = Sha256::digest(deep.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    h["__metadata__"]["manifest"] = json!(deep);
    h["__metadata__"]["manifest_sha256"] = json!(hash);
    assert!(open(with_header(&bytes, &h, start)).is_err());
}

/// A drafter in a bundle is checked against its target as one in a folder is.
#[test]
fn drafters_that_mislead_are_refused() {
    let model = Model::open(&oracle("d_gemma4_mobile")).unwrap();
    let drafter = AssistantHead::open(&oracle("d_gemma4_assistant"), &model.config).unwrap();
    let dest = scratch("drafters").join("b");
    let (ternary, keep, progress) = (TernaryPolicy::Exact, vec!["ple_model_proj".to_owned()], &mut |_, _| {});
    let (head, embedding, untie, drafter) = (None, None, false, Some(&drafter));
    let options = PackOptions { ternary, keep, head, embedding, untie, drafter, progress };
    pack(&model, &dest, options).unwrap();
    let bytes = std::fs::read(&dest).unwrap();
    let change = |change: &dyn Fn(&mut Value)| open(with_manifest(&bytes, &|m| change(&mut m["drafter"])));
    let opened = change(&|_| ()).unwrap();
    opened.verify().unwrap();
    assert_eq!(opened.drafter().map(|d| d.sources.clone()), Some(vec![2, 2, 2, 3]));
    for (path, value) in [
        ("/config/backbone", json!(64)),
        ("/config/sources", json!([2, 2, 2, 2])),
        ("/config/sources", json!([2, 2, 3])),
        ("/config/layers/vocab", json!(511)),
        ("/config/layers/context", json!(64)),
        ("/config/layers/hidden", json!(0)),
        ("/config/layers/layers", json!(1 << 30)),
        ("/config/layers/gemma4", json!(null)),
        ("/config/layers/gemma4/window", json!(17)),
        ("/config/layers/gemma4/window", json!(1)),
        ("/config/layers/gemma4/ple", json!(32)),
        ("/config/layers/gemma4/full_head_dim", json!(32)),
        ("/config/layers/embedding_scale", json!(1.0)),
        ("/config/ordered/clusters", json!(0)),
        ("/config/ordered/clusters", json!(33)),
        ("/config/ordered/clusters", json!(16)),
        ("/config/ordered/keep", json!(33)),
        ("/weights/assistant.norm/cols", json!(63)),
        ("/weights/assistant.head/encoding", json!("q8_0")),
        ("/weights/assistant.cluster/encoding", json!("f16")),
        ("/weights/assistant.head/sha256", json!("0")),
        ("/linears/assistant.head", json!({"activation": "int8", "group": 32})),
        ("/config/more", json!(1)),
    ] {
        let refused = change(&|d| match path.rsplit_once('/') {
            Some((at, key)) => d.pointer_mut(at).unwrap()[key] = value.clone(),
            None => unreachable!(),
        });
        // Hashes of weights are compared when asked to.
        let refused = refused.and_then(|m| m.verify());
        assert!(refused.is_err(), "{path} = {value}");
    }
    assert!(change(&|d| drop(d["weights"].as_object_mut().unwrap().remove("assistant.post"))).is_err());
    assert!(change(&|d| d["linears"]["assistant.other"] = json!({"activation": "float"})).is_err());
    assert!(open(with_manifest(&bytes, &|m| drop(m.as_object_mut().unwrap().remove("drafter")))).is_err());
    // The cluster of a token that no cluster is.
    let (h, start) = header(&bytes);
    let at = start + h["assistant.cluster"]["data_offsets"][0].as_u64().unwrap() as usize;
    for cluster in [32.0f32, -1.0, 0.5, f32::NAN] {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&cluster.to_le_bytes());
        assert!(open(changed).is_err(), "{cluster}");
    }
}

/// A drafter that does not fit is refused before anything is written.
#[test]
fn a_drafter_of_another_target_is_not_packed() {
    let model = Model::open(&oracle("d_gemma4")).unwrap();
    let mut other = AssistantHead::open(&oracle("d_gemma4_assistant"), &model.config).unwrap();
    other.config.backbone += 32;
    let folder = scratch("misfit");
    let mut written = 0;
    let options = PackOptions {
        ternary: TernaryPolicy::Exact,
        keep: Vec::new(),
        head: None,
        embedding: None,
        untie: false,
        drafter: Some(&other),
        progress: &mut |done, _| written = done,
    };
    let refused = pack(&model, &folder.join("b"), options);
    assert!(refused.unwrap_err().to_string().contains("backbone"));
    assert_eq!((written, std::fs::read_dir(&folder).unwrap().count()), (0, 0));
}

#[test]
fn hostile_headers_are_refused() {
    let bytes = bundle("headers");
    let change = |change: &dyn Fn(&mut Value)| {
        let (mut h, start) = header(&bytes);
        change(&mut h);
        open(with_header(&bytes, &h, start))
    };
    assert!(change(&|_| {}).is_ok());
    assert!(matches!(
        change(&|h| h["__metadata__"]["sterna_version"] = json!("99")),
        Err(BundleError::Version { found, .. }) if found == "99"
    ));
    for key in ["format", "sterna_version", "manifest", "manifest_sha256"] {
        assert!(change(&|h| drop(h["__metadata__"].as_object_mut().unwrap().remove(key))).is_err(), "{key}");
        assert!(change(&|h| h["__metadata__"][key] = json!("x")).is_err(), "{key}");
    }
    assert!(change(&|h| h["layers.0.q"]["dtype"] = json!("I8")).is_err());
    assert!(change(&|h| h["layers.0.q"]["shape"] = json!([66, 256])).is_err());
    assert!(change(&|h| h["norm"]["dtype"] = json!("F16")).is_err());
    assert!(change(&|h| h["norm"]["shape"] = json!([1, 256])).is_err());
    let rename = |h: &mut Value, from: &str, to: &str| {
        let map = h.as_object_mut().unwrap();
        let t = map.remove(from).unwrap();
        map.insert(to.to_owned(), t);
    };
    assert!(change(&|h| rename(h, "layers.0.q", "layers.9.q")).is_err());
    assert!(change(&|h| rename(h, "tokenizer.json", "pad.x")).is_err());
    // Two weights of one shape exchanged: only their hashes tell.
    let swapped = change(&|h| {
        let offsets = h["layers.0.k"]["data_offsets"].clone();
        h["layers.0.k"]["data_offsets"] = h["layers.0.v"]["data_offsets"].clone();
        h["layers.0.v"]["data_offsets"] = offsets;
    })
    .unwrap();
    assert!(
        matches!(swapped.verify(), Err(BundleError::Bundle { what, .. }) if what.starts_with("layers.0."))
    );
    assert!(swapped.weight("layers.0.nothing").is_none());
}

#[test]
fn what_a_file_is_its_contents_tell() {
    let dir = scratch("contents");
    let bytes = bundle("contents_source");
    std::fs::write(dir.join("model.gguf"), &bytes).unwrap();
    assert!(Model::open(&dir.join("model.gguf")).is_ok());
    std::fs::copy(oracle("a_minicpm.tq2_0.gguf"), dir.join("model.sterna")).unwrap();
    assert!(Model::open(&dir.join("model.sterna")).is_ok());
    for (name, bytes) in
        [("empty", &b""[..]), ("text", b"hello, this is text"), ("short", b"GG"), ("gguf", b"GGUF")]
    {
        std::fs::write(dir.join(name), bytes).unwrap();
        assert!(matches!(Model::open(&dir.join(name)), Err(BundleError::Checkpoint(_))), "{name}");
    }
    assert!(Model::open(&dir.join("absent")).is_err());
    assert!(Model::open(&dir).is_err());
}
