//! Packing: what is written, that it is the same from every twin, and that nothing is lost.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use sterna_bundle::{
    BundleError, LinearNumerics, Model, RowOrder, SourceKind, TernaryPolicy, WeightSource, file,
};
use sterna_checkpoint::SafetensorsFile;
use sterna_format::{Encoding, ScaleGroup, decode_row, encode_row};

const TERNARY: Encoding = Encoding::Ternary(ScaleGroup::Block256);

/// Packs and opens again, with what must hold of any bundle.
fn round_trip(model: &Model, dest: &std::path::Path) -> Model {
    let report = pack_to(model, dest, TernaryPolicy::Exact, &[]).unwrap();
    assert!(file::is_bundle(dest).unwrap());
    assert_eq!(report.file_bytes, std::fs::metadata(dest).unwrap().len());
    assert_eq!(report.worst_residual(), 0.0);
    let bundle = Model::open(dest).unwrap();
    bundle.verify().unwrap();
    assert_eq!(bundle.source_kind(), SourceKind::Bundle);
    assert_eq!((&bundle.config, &bundle.name), (&model.config, &model.name));
    assert_eq!(bundle.entry_points, file::entry_points());
    same_values(model, &bundle);
    assert_eq!(bundle.tokenizer.config(), model.tokenizer.config());
    for text in ["the cat sat", "<|im_start|>user\n1234<|im_end|>", "naïve ▁ é\u{0}"] {
        let ids = |m: &Model| m.tokenizer.encode(text, true).unwrap();
        assert_eq!(ids(&bundle), ids(model), "{text}");
    }
    for t in &report.tensors {
        let w = bundle.weight(&t.name).unwrap();
        assert_eq!(
            (w.encoding, w.data.len() as u64, w.order),
            (t.to, t.bytes_after, RowOrder::Plain),
            "{}",
            t.name
        );
        assert_eq!(t.bytes_before as usize, model.weight(&t.name).unwrap().data.len());
    }
    bundle
}

fn same_bytes(a: &Model, b: &Model, linears_only: bool) {
    for name in names(a) {
        let (x, y) = (a.weight(&name).unwrap(), b.weight(&name).unwrap());
        if !linears_only || matches!(x.encoding, Encoding::Ternary(_)) {
            assert_eq!(x.encoding, y.encoding, "{name}");
            assert!(x.data == y.data, "{name} differs");
        }
    }
    assert_eq!(a.numerics.linears, b.numerics.linears);
}

/// The TQ1_0 form of a TQ2_0 file.
fn to_tq1(gguf: &mut Gguf) {
    let mut values = [0.0; 256];
    for (kind, _, data) in gguf.tensors.values_mut().filter(|t| t.0 == 35) {
        let mut out = vec![0; data.len() / 66 * 54];
        for (from, to) in data.chunks(66).zip(out.chunks_mut(54)) {
            decode_row(Encoding::TQ2_0, from, &mut values).unwrap();
            encode_row(Encoding::TQ1_0, &values, to).unwrap();
        }
        (*kind, *data) = (34, out);
    }
}

#[test]
fn three_files_of_a_model_pack_to_the_same_weights() {
    let dir = scratch("pack_minicpm");
    let hf = Model::open(&oracle("a_minicpm")).unwrap();
    let tq2 = Model::open(&oracle("a_minicpm.tq2_0.gguf")).unwrap();
    let mut gguf = Gguf::read(&oracle("a_minicpm.tq2_0.gguf"));
    to_tq1(&mut gguf);
    let tq1 = gguf.open().unwrap();
    assert_eq!(tq1.weight("layers.0.q").unwrap().encoding, Encoding::TQ1_0);
    let from_hf = round_trip(&hf, &dir.join("hf.sterna"));
    let from_tq2 = round_trip(&tq2, &dir.join("tq2.sterna"));
    let from_tq1 = round_trip(&tq1, &dir.join("tq1.sterna"));
    same_bytes(&from_hf, &from_tq2, true);
    same_bytes(&from_tq2, &from_tq1, false);
    for m in [&from_hf, &from_tq2, &from_tq1] {
        let linears = m.weights().filter(|w| w.weight.encoding == TERNARY).count();
        assert_eq!(linears, 21);
        assert_eq!(m.weight("embed").unwrap().encoding, Encoding::BF16);
        assert_eq!(m.numerics.linears["layers.1.down"], LinearNumerics::Int8 { group: 256 });
        assert_eq!(m.numerics.linears["embed"], LinearNumerics::Float);
    }
    // Direct loading computes as the bundle does.
    assert_eq!(tq2.numerics, from_tq2.numerics);
    // A bundle packs to itself.
    let again = round_trip(&from_hf, &dir.join("again.sterna"));
    same_bytes(&from_hf, &again, false);
    assert_eq!(from_hf.numerics, again.numerics);
}

#[test]
fn an_untied_model_keeps_its_head() {
    let dir = scratch("pack_bitcpm");
    let hf = round_trip(&Model::open(&oracle("a_bitcpm_llama")).unwrap(), &dir.join("hf"));
    let gguf = round_trip(&Model::open(&oracle("a_bitcpm_llama.tq1_0.gguf")).unwrap(), &dir.join("gguf"));
    same_bytes(&hf, &gguf, true);
    assert_eq!(hf.weight("head").unwrap().encoding, Encoding::BF16);
}

#[test]
fn the_built_in_model_round_trips() {
    let dir = scratch("pack_built_in");
    let model = Model::open(&built_in()).unwrap();
    let bundle = round_trip(&model, &dir.join("llama-tern-30m.gguf"));
    assert_eq!(bundle.weight("embed").unwrap().encoding, Encoding::F16);
    let bytes = std::fs::read(dir.join("llama-tern-30m.gguf")).unwrap();
    same_bytes(&bundle, &Model::from_bundle_bytes(bytes.into()).unwrap(), false);
}

#[test]
fn any_safetensors_reader_can_open_a_bundle_and_tensors_are_aligned() {
    let dest = scratch("layout").join("m.safetensors");
    round_trip(&Model::open(&oracle("a_minicpm")).unwrap(), &dest);
    let bytes = std::fs::read(&dest).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    assert_eq!((8 + header) % 64, 0);
    let json: serde_json::Value = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
    for (name, t) in json.as_object().unwrap().iter().filter(|(n, _)| *n != "__metadata__") {
        let start = t["data_offsets"][0].as_u64().unwrap();
        assert!(start % 64 == 0 || name.starts_with("pad."), "{name} at {start}");
    }
    let f = SafetensorsFile::open(&dest).unwrap();
    let q = f.tensor("layers.0.q").unwrap();
    assert_eq!((q.dtype, q.shape), ("U8", &[256, 66][..]));
    assert_eq!(f.tensor("embed").unwrap().dtype, "BF16");
    assert_eq!(f.tensor("norm").unwrap().shape, [256]);
}

#[test]
fn t3_float_matrices_are_refused_with_their_residual_unless_forced() {
    let dir = scratch("t3");
    let dense = Model::open(&oracle("f_llama")).unwrap();
    let dest = dir.join("dense");
    match pack_to(&dense, &dest, TernaryPolicy::Exact, &[]) {
        Err(BundleError::NotTernary { name, group, relative_rms, max_relative }) => {
            assert_eq!((name.as_str(), group), ("layers.0.q", 128));
            // A Gaussian rounded at its maximum's half keeps little.
            assert!(relative_rms > 0.3 && relative_rms < 1.0, "{relative_rms}");
            assert!(max_relative > 0.4 && max_relative <= 0.5, "{max_relative}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0, "nothing is left behind");

    let report = pack_to(&dense, &dest, TernaryPolicy::Round, &[]).unwrap();
    assert!(report.worst_residual() > 0.3);
    let bundle = Model::open(&dest).unwrap();
    // 128 inputs: blocks of 128, and activations grouped as the weights are.
    assert_eq!(bundle.weight("layers.0.q").unwrap().encoding, Encoding::Ternary(ScaleGroup::Block128));
    assert_eq!(bundle.numerics.linears["layers.0.q"], LinearNumerics::Int8 { group: 128 });
    assert_eq!(bits(&values(&bundle, "embed")), bits(&values(&dense, "embed")));

    let all = ["q", "k", "v", "o", "gate", "up", "down"];
    let kept = pack_to(&dense, &dest, TernaryPolicy::Exact, &all).unwrap();
    assert_eq!(kept.worst_residual(), 0.0);
    let bundle = Model::open(&dest).unwrap();
    same_values(&dense, &bundle);
    assert_eq!(bundle.numerics, dense.numerics);
    assert!(matches!(pack_to(&dense, &dest, TernaryPolicy::Exact, &["embed"]), Err(BundleError::Key { .. })));
}

/// One weight off by a bit is found, and named.
#[test]
fn t3_one_changed_weight_is_found() {
    let dir = scratch("t3_one");
    let mut hf = Hf::read(&oracle("a_minicpm"));
    let data = &mut hf.tensors.get_mut("model.layers.2.mlp.down_proj.weight").unwrap().2;
    let at = data.chunks(2).position(|c| c != [0, 0] && c != [0, 0x80]).unwrap() * 2 + 70_000;
    let at = at + data[at..].chunks(2).position(|c| c[1] & 0x7f != 0).unwrap() * 2;
    data[at] ^= 1;
    hf.write(&dir.join("hf"));
    let model = Model::open(&dir.join("hf")).unwrap();
    match pack_to(&model, &dir.join("out"), TernaryPolicy::Exact, &[]) {
        Err(BundleError::NotTernary { name, group, max_relative, relative_rms }) => {
            assert_eq!((name.as_str(), group), ("layers.2.down", 256));
            assert!(max_relative > 0.0 && max_relative < 0.02, "{max_relative}");
            assert!(relative_rms > 0.0 && relative_rms < 0.01, "{relative_rms}");
        }
        other => panic!("{other:?}"),
    }
}

/// Scales that f16 blocks of 256 cannot hold fall to blocks of 128, of 64, then to one f32 per row; never at a loss.
#[test]
fn smaller_scale_groups_are_found() {
    let dir = scratch("groups");
    let fill = |scale: &dyn Fn(usize, usize) -> f32| -> Vec<u8> {
        let value = |i: usize| scale(i / 256, i % 256) * [0.0, 1.0, -1.0][(i * 7 + i / 5) % 3];
        (0..256 * 256).flat_map(|i| ((value(i).to_bits() >> 16) as u16).to_le_bytes()).collect()
    };
    let mut hf = Hf::read(&oracle("a_minicpm"));
    let by_128 = |_: usize, c: usize| if c < 128 { 0.5 } else { 0.25 };
    let by_64 = |_: usize, c: usize| [0.5, 0.25, 0.75, 0.125][c / 64];
    // 1 / 2^20 is past f16's exact range with eight bits of fraction.
    let by_row = |r: usize, _: usize| (1.0 + r as f32 / 128.0) * 2f32.powi(-20);
    let v = fill(&by_64);
    for (part, bytes) in [("q_proj", fill(&by_128)), ("o_proj", fill(&by_row)), ("v_proj", v)] {
        let tensor = hf.tensors.get_mut(&format!("model.layers.0.self_attn.{part}.weight")).unwrap();
        let len = tensor.2.len();
        tensor.2 = bytes[..len].to_vec();
    }
    hf.write(&dir.join("hf"));
    let model = Model::open(&dir.join("hf")).unwrap();
    let bundle = round_trip(&model, &dir.join("out"));
    let of = |n: &str| (bundle.weight(n).unwrap().encoding, bundle.numerics.linears[n]);
    let int8 = |group| LinearNumerics::Int8 { group };
    assert_eq!(of("layers.0.q"), (Encoding::Ternary(ScaleGroup::Block128), int8(128)));
    assert_eq!(of("layers.0.o"), (Encoding::Ternary(ScaleGroup::Row), int8(256)));
    assert_eq!(of("layers.0.v"), (Encoding::Ternary(ScaleGroup::Block64), int8(64)));
    assert_eq!(of("layers.0.k"), (TERNARY, int8(256)));
}
