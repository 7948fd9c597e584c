//! Float weights in int8 and int4, by choice: which ones, with which bytes, and the same bits loaded or packed.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Hf, bits, built_in, names, oracle, pack_tables, pack_to, same_values, scratch, values};
use sterna_bundle::{BundleError, LinearNumerics, Model, Quantise, Role, TernaryPolicy, WeightSource, file};
use sterna_checkpoint::SafetensorsFile;
use sterna_format::{Encoding, decode_row, encode_row};

const EXACT: TernaryPolicy = TernaryPolicy::Exact;
const LINEARS: [Encoding; 2] = Quantise::ENCODINGS;

fn quantised(folder: &str, how: &Quantise) -> Model {
    let mut model = Model::open(&oracle(folder)).unwrap();
    model.quantise(how).unwrap();
    model
}

/// Every row that a model hands out, in its encoding.
fn rows(model: &Model, name: &str) -> Vec<u8> {
    let w = model.weight(name).unwrap();
    let all: Vec<u8> = (0..w.rows).flat_map(|i| w.row(i).unwrap().into_owned()).collect();
    assert_eq!(all.len() as u64, w.bytes());
    all
}

/// What a weight must become: layers' matrices the encoding asked for, the head Q8_0, the rest what it was.
fn expected(model: &Model, name: &str, role: Role, linears: Encoding) -> Option<Encoding> {
    let steers = name.ends_with(".delta_a") || name.ends_with(".delta_b");
    match role {
        Role::Linear => (!steers).then_some(linears),
        Role::Head => Some(Encoding::Q8_0),
        Role::Table => model.config.tied.then_some(Encoding::Q8_0),
        Role::Vector | Role::Taps | Role::Lookup => None,
    }
}

/// Loaded with its weights quantised, and packed: the same bytes, those of the scalar encoder on every canonical row, the
/// same numerics; every other weight untouched, and nothing forgotten.
#[test]
fn a_loaded_model_and_its_bundle_have_the_same_bits() {
    for folder in ["f_llama", "f_qwen3", "c_qwen35", "a_minicpm"] {
        for to in LINEARS {
            let source = Model::open(&oracle(folder)).unwrap();
            let loaded = quantised(folder, &Quantise::new(to));
            let dest = scratch(&format!("quantise_{folder}_{to}")).join("m.sterna");
            let report = pack_to(&loaded, &dest, EXACT, &[]).unwrap();
            let packed = Model::open(&dest).unwrap();
            packed.verify().unwrap();
            assert_eq!(names(&packed), names(&source));
            assert_eq!(loaded.numerics, packed.numerics);
            let mut changed = 0;
            for w in source.weights() {
                let want = expected(&source, w.name, w.role, to);
                let (ours, theirs) = (loaded.weight(w.name).unwrap(), packed.weight(w.name).unwrap());
                assert_eq!(
                    [ours.encoding, theirs.encoding],
                    [want.unwrap_or(w.weight.encoding); 2],
                    "{folder} {}",
                    w.name
                );
                assert!(rows(&loaded, w.name) == theirs.data, "{folder} {} {to}", w.name);
                let Some(want) = want else {
                    assert!(bits(&values(&loaded, w.name)) == bits(&values(&source, w.name)), "{}", w.name);
                    continue;
                };
                changed += 1;
                let floats = values(&source, w.name);
                let mut row = vec![0; want.row_bytes(w.weight.cols).unwrap()];
                let encode = |v: &[f32]| {
                    encode_row(want, v, &mut row).unwrap();
                    row.clone()
                };
                let bytes: Vec<u8> = floats.chunks(w.weight.cols).flat_map(encode).collect();
                assert!(bytes == theirs.data, "{folder} {}: not the encoder's bytes", w.name);
                assert_eq!(packed.numerics.linears[w.name], LinearNumerics::Int8 { group: 32 });
            }
            let noted: usize = report.quantised.iter().map(|q| q.tensors).sum();
            assert_eq!(changed, noted);
            assert!(changed > 7);
            assert_eq!(packed.quantised(), report.quantised);
            for q in &report.quantised {
                // Layers hold fewer levels than int8 has: 15 for 32 weights in the dense ones, three in the others. A head of
                // random floats loses what Gaussian ones do: some 0.5 %.
                let (least, most) = match q.to.as_str() {
                    "q8_0" => (0.0, 0.008),
                    _ => (0.01, 0.12),
                };
                let lost = q.residual.unwrap();
                assert!(lost >= least && lost < most, "{folder} {q:?}");
            }
            // While loading nobody measures it.
            let unmeasured = loaded.quantised();
            assert!(unmeasured.iter().all(|q| q.residual.is_none()));
            assert_eq!(unmeasured.iter().map(|q| q.tensors).sum::<usize>(), noted);
        }
    }
}

/// The residual of a kind is the root of all its errors over all its values.
#[test]
fn the_residual_of_a_kind_is_measured_over_all_its_weights() {
    let loaded = quantised("c_qwen35", &Quantise::new(Encoding::Q4_0));
    let source = Model::open(&oracle("c_qwen35")).unwrap();
    let dest = scratch("quantise_residual").join("m");
    let report = pack_to(&loaded, &dest, EXACT, &[]).unwrap();
    let packed = Model::open(&dest).unwrap();
    for (kind, layers) in [("delta_qkv", &[0, 1, 2, 4][..]), ("down", &[0, 1, 2, 3, 4]), ("q", &[3])] {
        let (mut errors, mut squares) = (0.0, 0.0);
        for layer in layers {
            let name = format!("layers.{layer}.{kind}");
            for (a, b) in values(&source, &name).into_iter().zip(values(&packed, &name)) {
                errors += (f64::from(a) - f64::from(b)).powi(2);
                squares += f64::from(a).powi(2);
            }
        }
        let found = report.quantised.iter().find(|q| q.kind == kind).unwrap();
        assert_eq!(found.tensors, layers.len());
        let want: f64 = (errors / squares).sqrt();
        assert!((found.residual.unwrap() / want - 1.0).abs() < 1e-9, "{found:?} {want}");
    }
    let kinds: Vec<_> = report.quantised.iter().map(|q| q.kind.as_str()).collect();
    for kind in ["mtp.fc", "mtp.q", "mtp.down", "delta_z", "delta_out", "head"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
}

/// GGUF keeps q and k in another order of rows: the rows are the checkpoint's, so are their bytes.
#[test]
fn rows_are_encoded_in_canonical_order() {
    let how = Quantise::new(Encoding::Q8_0);
    let hf = quantised("c_qwen35", &how);
    let dest = scratch("quantise_order").join("plain");
    // Kept float, so that only the order of rows is undone.
    let linears: Vec<String> =
        hf.weights().filter(|w| w.role == Role::Linear).map(|w| w.name.into()).collect();
    let keep: Vec<&str> = linears.iter().map(String::as_str).collect();
    pack_to(&Model::open(&oracle("c_qwen35")).unwrap(), &dest, EXACT, &keep).unwrap();
    let mut bundle = Model::open(&dest).unwrap();
    assert!(bundle.weight("layers.3.q").unwrap().order != hf.weight("layers.3.q").unwrap().order);
    bundle.quantise(&how).unwrap();
    for name in names(&hf) {
        assert!(rows(&hf, &name) == rows(&bundle, &name), "{name}");
    }
}

/// The embedding of a tied model stays as it is when it is untied; a head asked for by name is made of the floats.
#[test]
fn heads_follow_their_own_choice() {
    let dir = scratch("quantise_heads");
    let mut hf = Hf::read(&oracle("f_llama"));
    hf.tensors.remove("lm_head.weight");
    hf.config["tie_word_embeddings"] = true.into();
    hf.write(&dir.join("hf"));
    let source = Model::open(&dir.join("hf")).unwrap();
    assert!(source.config.tied);
    let open = |head| {
        let mut model = Model::open(&dir.join("hf")).unwrap();
        model.quantise(&Quantise { head, ..Quantise::new(Encoding::Q4_0) }).unwrap();
        model
    };
    let of = |m: &Model, name: &str| m.weight(name).unwrap().encoding;
    let q8 = Some(Encoding::Q8_0);

    let tied = dir.join("tied");
    pack_to(&open(q8), &tied, EXACT, &[]).unwrap();
    let tied = Model::open(&tied).unwrap();
    assert_eq!((of(&tied, "embed"), tied.config.tied), (Encoding::Q8_0, true));

    let dest = dir.join("untied");
    let report = pack_tables(&open(q8), &dest, EXACT, &[], [None, None], true).unwrap();
    let untied = Model::open(&dest).unwrap();
    assert_eq!((of(&untied, "embed"), of(&untied, "head")), (Encoding::BF16, Encoding::Q8_0));
    assert!(untied.weight("embed").unwrap().data == source.weight("embed").unwrap().data);
    assert!(untied.weight("head").unwrap().data == tied.weight("embed").unwrap().data);
    assert_eq!(untied.numerics.linears["head"], LinearNumerics::Int8 { group: 32 });
    assert!(!untied.numerics.linears.contains_key("embed"));
    assert!(
        report.quantised.iter().any(|q| q.kind == "head")
            && !report.quantised.iter().any(|q| q.kind == "embed")
    );

    let kept = dir.join("kept");
    pack_to(&open(None), &kept, EXACT, &[]).unwrap();
    assert_eq!(of(&Model::open(&kept).unwrap(), "embed"), Encoding::BF16);

    // Through Q8_0 first the values would be others.
    let named = dir.join("named");
    pack_tables(&open(q8), &named, EXACT, &[], [Some(Encoding::Q4_1), None], false).unwrap();
    let named = Model::open(&named).unwrap();
    let (floats, cols) = (values(&source, "embed"), source.config.hidden);
    let (mut bytes, mut want) = (vec![0; Encoding::Q4_1.row_bytes(cols).unwrap()], vec![0.0; cols]);
    encode_row(Encoding::Q4_1, &floats[..cols], &mut bytes).unwrap();
    decode_row(Encoding::Q4_1, &bytes, &mut want).unwrap();
    assert_eq!(bits(&values(&named, "embed")[..cols]), bits(&want));
}

#[test]
fn what_is_kept_stays_floats_and_is_not_asked_to_be_ternary() {
    let how = Quantise { keep: vec!["down".into(), "layers.0.q".into()], ..Quantise::new(Encoding::Q8_0) };
    let loaded = quantised("f_llama", &how);
    let dest = scratch("quantise_keep").join("m");
    pack_to(&loaded, &dest, EXACT, &[]).unwrap();
    let packed = Model::open(&dest).unwrap();
    let of = |n: &str| packed.weight(n).unwrap().encoding;
    assert_eq!(
        ["layers.0.down", "layers.1.down", "layers.0.q", "layers.1.q", "head"].map(of),
        [Encoding::BF16, Encoding::BF16, Encoding::BF16, Encoding::Q8_0, Encoding::Q8_0]
    );
    assert_eq!(packed.numerics.linears["layers.0.down"], LinearNumerics::Float);
    let mut model = Model::open(&oracle("f_llama")).unwrap();
    let unknown = Quantise { keep: vec!["embed".into()], ..how };
    let error = model.quantise(&unknown).unwrap_err().to_string();
    assert!(error.contains("keep") && error.contains("embed"), "{error}");
}

/// A note stays with a bundle that is packed again, and what says nonsense is refused.
#[test]
fn the_note_stays_with_the_model() {
    let dir = scratch("quantise_note");
    let (first, second) = (dir.join("first"), dir.join("second"));
    let report = pack_to(&quantised("f_llama", &Quantise::new(Encoding::Q8_0)), &first, EXACT, &[]).unwrap();
    let bundle = Model::open(&first).unwrap();
    pack_tables(&bundle, &second, EXACT, &[], [Some(Encoding::Q4_0), None], false).unwrap();
    let again = Model::open(&second).unwrap();
    let kinds = |m: &Model| m.quantised().into_iter().filter(|q| q.kind != "head").collect::<Vec<_>>();
    assert_eq!(kinds(&bundle), kinds(&again));
    let head = again.quantised().into_iter().find(|q| q.kind == "head").unwrap();
    assert_eq!((head.from.as_str(), head.to.as_str(), head.tensors), ("q8_0", "q4_0", 1));
    assert!(report.quantised.len() > 7);

    let header = SafetensorsFile::open(&first).unwrap().metadata()["manifest"].clone();
    let manifest: file::Manifest = serde_json::from_str(&header).unwrap();
    assert_eq!(manifest.quantised, report.quantised);
    assert!(
        !serde_json::to_string(&file::Manifest { quantised: vec![], ..manifest })
            .unwrap()
            .contains("\"quantised\"")
    );
}

#[test]
fn low_bit_weights_and_rows_without_whole_blocks_are_refused() {
    let q8 = Quantise::new(Encoding::Q8_0);
    let mut ternary = Model::open(&built_in()).unwrap();
    match ternary.quantise(&q8) {
        Err(BundleError::LowBit { name, encoding: Encoding::TQ2_0 }) => assert_eq!(name, "layers.0.q"),
        other => panic!("{other:?}"),
    }
    // Unchanged: not even the head.
    same_values(&ternary, &Model::open(&built_in()).unwrap());
    assert!(ternary.weight("embed").unwrap().encoding.is_float() && ternary.quantised().is_empty());

    let mut dense = Model::open(&oracle("f_llama")).unwrap();
    let error = dense.quantise(&Quantise::new(Encoding::Q6K)).unwrap_err().to_string();
    assert!(error.contains("q6_k") && error.contains("q8_0 or q4_0"), "{error}");

    let dir = scratch("quantise_narrow");
    let mut hf = Hf::read(&oracle("f_llama"));
    let ffn = hf.config["intermediate_size"].as_u64().unwrap() as usize;
    let narrow = ffn - 16;
    hf.config["intermediate_size"] = narrow.into();
    for (name, (_, shape, data)) in &mut hf.tensors {
        if name.contains("down_proj") {
            let row = 2 * shape[1];
            *data = data.chunks(row).flat_map(|r| &r[..row - 32]).copied().collect();
            shape[1] = narrow;
        } else if name.contains("gate_proj") || name.contains("up_proj") {
            data.truncate(2 * narrow * shape[1]);
            shape[0] = narrow;
        }
    }
    hf.write(&dir);
    let mut model = Model::open(&dir).unwrap();
    let error = model.quantise(&q8).unwrap_err().to_string();
    assert!(error.contains("layers.0.down") && error.contains("--keep down"), "{error}");
    assert!(model.quantised().is_empty());
    model.quantise(&Quantise { keep: vec!["down".into()], ..q8 }).unwrap();
}

/// A value that no scale holds is found when its row is read, and named when it is packed.
#[test]
fn values_that_cannot_be_encoded_are_named() {
    for (test, value) in [("huge", 3e38f32), ("nan", f32::NAN)] {
        let dir = scratch(&format!("quantise_{test}"));
        let mut hf = Hf::read(&oracle("f_llama"));
        let data = &mut hf.tensors.get_mut("model.layers.1.mlp.up_proj.weight").unwrap().2;
        data[600..602].copy_from_slice(&((value.to_bits() >> 16) as u16).to_le_bytes());
        hf.write(&dir.join("hf"));
        let mut model = Model::open(&dir.join("hf")).unwrap();
        model.quantise(&Quantise::new(Encoding::Q8_0)).unwrap();
        let w = model.weight("layers.1.up").unwrap();
        assert!((0..w.rows).filter(|i| w.row(*i).is_err()).count() == 1);
        match pack_to(&model, &dir.join("out"), EXACT, &[]) {
            Err(BundleError::Format { name, .. }) => assert_eq!(name, "layers.1.up"),
            other => panic!("{other:?}"),
        }
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    }
}
