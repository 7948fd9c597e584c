//! Head and embedding in another encoding, by choice.
#![allow(clippy::unwrap_used)]

mod common;

use common::{bits, built_in, oracle, pack_tables, pack_to, scratch, values};
use sterna_bundle::{BundleError, LinearNumerics, Model, TernaryPolicy, WeightSource};
use sterna_format::{Encoding, decode_row, encode_row};

const EXACT: TernaryPolicy = TernaryPolicy::Exact;
const PARTS: [&str; 7] = ["q", "k", "v", "o", "gate", "up", "down"];

/// What encoding and decoding each row makes of values.
fn through(values: &[f32], cols: usize, to: Encoding) -> Vec<f32> {
    let (mut bytes, mut out) = (vec![0; to.row_bytes(cols).unwrap()], vec![0.0; values.len()]);
    for (row, out) in values.chunks(cols).zip(out.chunks_mut(cols)) {
        encode_row(to, row, &mut bytes).unwrap();
        decode_row(to, &bytes, out).unwrap();
    }
    out
}

fn relative_rms(a: &[f32], b: &[f32]) -> f64 {
    let square = |v: f64| v * v;
    let off: f64 = a.iter().zip(b).map(|(a, b)| square(f64::from(*a) - f64::from(*b))).sum();
    (off / a.iter().map(|a| square(f64::from(*a))).sum::<f64>()).sqrt()
}

/// A GGUF file with a tied head: the one tensor changes, with its numerics, and nothing else does.
#[test]
fn a_tied_head_is_one_tensor() {
    let dir = scratch("tied_head");
    let model = Model::open(&built_in()).unwrap();
    assert!(model.config.tied);
    let plain = dir.join("plain");
    pack_to(&model, &plain, EXACT, &[]).unwrap();
    let plain = Model::open(&plain).unwrap();
    for (to, group, least, most) in [
        (Encoding::Q8_0, 32, 0.003, 0.006),
        (Encoding::Q6K, 256, 0.01, 0.025),
        (Encoding::BF16, 0, 1e-9, 0.003),
    ] {
        let dest = dir.join(to.name());
        let report = pack_tables(&model, &dest, EXACT, &[], [Some(to), None], false).unwrap();
        let bundle = Model::open(&dest).unwrap();
        bundle.verify().unwrap();
        let (embed, cols) = (bundle.weight("embed").unwrap(), model.config.hidden);
        assert_eq!(embed.encoding, to);
        let numerics = if group == 0 { LinearNumerics::Float } else { LinearNumerics::Int8 { group } };
        assert_eq!(bundle.numerics.linears["embed"], numerics);
        let source = values(&model, "embed");
        assert!(bits(&values(&bundle, "embed")) == bits(&through(&source, cols, to)), "{to}");
        let packed = report.tensors.iter().find(|t| t.name == "embed").unwrap();
        assert_eq!((packed.from, packed.to), (model.weight("embed").unwrap().encoding, to));
        assert_eq!(packed.bytes_after, (to.row_bytes(cols).unwrap() * embed.rows) as u64);
        let off = relative_rms(&source, &values(&bundle, "embed"));
        assert!((packed.residual - off).abs() < 1e-12 && off > least && off < most, "{to} {off}");
        assert_eq!(report.worst_residual(), packed.residual);
        for w in plain.weights().filter(|w| w.name != "embed") {
            let other = bundle.weight(w.name).unwrap();
            assert!(other.encoding == w.weight.encoding && other.data == w.weight.data, "{}", w.name);
        }
    }
    // Its own encoding is a copy, without loss.
    let same = model.weight("embed").unwrap().encoding;
    let report = pack_tables(&model, &dir.join("same"), EXACT, &[], [Some(same), None], false).unwrap();
    assert_eq!(report.worst_residual(), 0.0);
    let twice = Model::open(&dir.join("same")).unwrap();
    assert!(twice.weight("embed").unwrap().data == model.weight("embed").unwrap().data);
}

/// A Hugging Face checkpoint with a head of its own: each of the two follows its own choice; then the bundle again.
#[test]
fn an_own_head_and_the_embedding_are_chosen_apart() {
    let dir = scratch("own_head");
    let (model, dest) = (Model::open(&oracle("a_bitcpm_llama")).unwrap(), dir.join("first"));
    assert!(!model.config.tied);
    let tables = [Some(Encoding::Q6K), Some(Encoding::Q8_0)];
    pack_tables(&model, &dest, EXACT, &[], tables, false).unwrap();
    let bundle = Model::open(&dest).unwrap();
    let of = |m: &Model, n: &str| m.weight(n).unwrap().encoding;
    assert_eq!((of(&bundle, "head"), of(&bundle, "embed")), (Encoding::Q6K, Encoding::Q8_0));
    assert_eq!(bundle.numerics.linears["head"], LinearNumerics::Int8 { group: 256 });
    assert!(!bundle.numerics.linears.contains_key("embed"));
    let cols = model.config.hidden;
    assert!(bits(&values(&bundle, "head")) == bits(&through(&values(&model, "head"), cols, Encoding::Q6K)));
    assert!(
        bits(&values(&bundle, "embed")) == bits(&through(&values(&model, "embed"), cols, Encoding::Q8_0))
    );

    let again = dir.join("again");
    let report = pack_tables(&bundle, &again, EXACT, &[], [Some(Encoding::F16), None], false).unwrap();
    let bundle_again = Model::open(&again).unwrap();
    assert_eq!((of(&bundle_again, "head"), of(&bundle_again, "embed")), (Encoding::F16, Encoding::Q8_0));
    assert_eq!(bundle_again.numerics.linears["head"], LinearNumerics::Float);
    assert!(report.worst_residual() < 1e-3);
}

/// A tied model untied: two tensors, of which only the head changes; untied with nothing else, the values are the same.
#[test]
fn a_tied_head_can_be_made_a_tensor_of_its_own() {
    let dir = scratch("untied");
    let model = Model::open(&built_in()).unwrap();
    let dest = dir.join("q8");
    let report = pack_tables(&model, &dest, EXACT, &[], [Some(Encoding::Q8_0), None], true).unwrap();
    let bundle = Model::open(&dest).unwrap();
    bundle.verify().unwrap();
    assert!(!bundle.config.tied && report.worst_residual() > 0.0);
    assert_eq!(bundle.numerics.linears["head"], LinearNumerics::Int8 { group: 32 });
    assert!(!bundle.numerics.linears.contains_key("embed"));
    let embed = model.weight("embed").unwrap();
    assert!(bundle.weight("embed").unwrap().data == embed.data);
    let head = through(&values(&model, "embed"), model.config.hidden, Encoding::Q8_0);
    assert!(bits(&values(&bundle, "head")) == bits(&head));

    let plain = dir.join("plain");
    let report = pack_tables(&model, &plain, EXACT, &[], [None, Some(Encoding::Q6K)], true).unwrap();
    let bundle = Model::open(&plain).unwrap();
    assert!(bundle.weight("head").unwrap().data == embed.data);
    assert_eq!(bundle.numerics.linears["head"], LinearNumerics::Float);
    assert_eq!(bundle.weight("embed").unwrap().encoding, Encoding::Q6K);
    assert_eq!(report.tensors.len(), model.weights().count() + 1);
    // A model with a head of its own is as it was.
    let own = Model::open(&oracle("a_bitcpm_llama")).unwrap();
    pack_tables(&own, &dest, EXACT, &[], [None, None], true).unwrap();
    common::same_values(&own, &Model::open(&dest).unwrap());
}

#[test]
fn encodings_that_do_not_fit_are_refused_before_anything_is_written() {
    let dir = scratch("tables_refused");
    let dest = dir.join("out");
    let key = |model: &Model, tables| match pack_tables(model, &dest, EXACT, &PARTS, tables, false) {
        Err(BundleError::Key { key, supported, .. }) => (key, supported),
        other => panic!("{other:?}"),
    };
    let tied = Model::open(&built_in()).unwrap();
    let (name, text) = key(&tied, [None, Some(Encoding::Q8_0)]);
    assert!(name == "embedding" && text.contains("one tensor"), "{text}");
    let (name, text) = key(&tied, [Some(Encoding::TQ2_0), None]);
    assert!(name == "head" && text.contains("4 bits"), "{text}");
    // 128 inputs.
    let narrow = Model::open(&oracle("f_llama")).unwrap();
    let (name, text) = key(&narrow, [Some(Encoding::Q6K), None]);
    assert!(name == "head" && text.contains("128") && text.contains("256"), "{text}");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
}
