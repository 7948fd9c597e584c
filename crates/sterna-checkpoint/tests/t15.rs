//! T15: crafted files. Each gives a typed error, and no parse allocates more than 16 MiB beyond its input's
//! size or takes more steps than its input has bytes.
#![allow(clippy::unwrap_used)]

#[path = "common/alloc.rs"]
mod alloc;
mod common;

use std::borrow::Cow;

use common::{Gguf, data, oracle, safetensors, string};
use sterna_checkpoint::{Checkpoint, CheckpointError as E, SafetensorsFile, parser_steps};

#[global_allocator]
static ALLOC: alloc::Counting = alloc::Counting;

const BOUND: usize = 16 << 20;

/// Opens `bytes` with counters on.
fn counted<T>(bytes: &[u8], open: impl FnOnce(Cow<'static, [u8]>) -> Result<T, E>) -> Result<T, E> {
    let owned = bytes.to_vec();
    let before = parser_steps();
    let (result, peak) = alloc::peak(|| open(owned.into()));
    let steps = parser_steps() - before;
    assert!(peak <= BOUND, "{peak} bytes allocated for an input of {}", bytes.len());
    assert!(steps <= bytes.len() as u64 + 16, "{steps} steps for an input of {}", bytes.len());
    result
}

fn gguf(bytes: &[u8]) -> Result<Checkpoint, E> {
    counted(bytes, Checkpoint::from_gguf_bytes)
}

fn refused(file: &Gguf) -> E {
    let error = gguf(&file.bytes()).expect_err("accepted");
    assert!(error.to_string().len() < 1_000, "{error}");
    error
}

/// Two tensors and all kinds of metadata.
fn good() -> Gguf {
    let array =
        |kind: u32, count: u64, body: &[u8]| [&kind.to_le_bytes()[..], &count.to_le_bytes(), body].concat();
    Gguf::new()
        .key("general.architecture", 8, &string(b"llama"))
        .key("a.u8", 0, &[7])
        .key("a.i8", 1, &[0xFF])
        .key("a.u16", 2, &7u16.to_le_bytes())
        .key("a.i16", 3, &(-7i16).to_le_bytes())
        .key("a.u32", 4, &7u32.to_le_bytes())
        .key("a.i32", 5, &(-7i32).to_le_bytes())
        .key("a.f32", 6, &0.5f32.to_le_bytes())
        .key("a.bool", 7, &[1])
        .key("a.u64", 10, &7u64.to_le_bytes())
        .key("a.i64", 11, &(-7i64).to_le_bytes())
        .key("a.f64", 12, &0.25f64.to_le_bytes())
        .key("a.i32s", 9, &array(5, 2, &[1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF]))
        .key("a.f32s", 9, &array(6, 1, &0.5f32.to_le_bytes()))
        .key("a.bools", 9, &array(7, 2, &[1, 0]))
        .key("a.strings", 9, &array(8, 2, &[string(b"x"), string("\u{e9}".as_bytes())].concat()))
        .tensor("a", &[32, 3, 2], 0, 0)
        .tensor("b", &[64], 8, 768)
        .data(768 + 68)
}

#[test]
fn a_good_file_reads_back() {
    let checkpoint = gguf(&good().bytes()).unwrap();
    assert_eq!(checkpoint.names().collect::<Vec<_>>(), ["a", "b"]);
    let a = checkpoint.tensor("a").unwrap();
    assert_eq!(
        (a.shape, a.rows(), a.cols(), a.row_bytes(), a.data.len()),
        (&[2, 3, 32][..], 6, 32, 128, 768)
    );
    assert_eq!(a.row(5).unwrap(), &a.data[640..]);
    assert_eq!(a.row(6), None);
    assert_eq!(a.row(usize::MAX), None);
    assert_eq!(a.to_f32().unwrap()[33], f32::from_le_bytes(a.data[132..136].try_into().unwrap()));
    let b = checkpoint.tensor("b").unwrap();
    assert_eq!((b.rows(), b.cols(), b.data.len(), b.to_f32().unwrap().len()), (1, 64, 68, 64));
    assert!(checkpoint.tensor("c").is_none());

    let m = checkpoint.gguf().unwrap();
    assert_eq!(m.iter().map(|(k, _)| k).next(), Some("general.architecture"));
    for key in ["a.u8", "a.u16", "a.u32", "a.u64"] {
        assert_eq!(m.u64(key).unwrap(), 7);
    }
    assert_eq!((m.f64("a.f32").unwrap(), m.f64("a.f64").unwrap()), (0.5, 0.25));
    assert!(m.bool("a.bool").unwrap());
    assert_eq!(m.i64_array("a.i32s").unwrap(), [1, -2]);
    assert_eq!(m.f64_array("a.f32s").unwrap(), [0.5]);
    assert_eq!(m.bool_array("a.bools").unwrap(), [true, false]);
    assert_eq!(m.str_array("a.strings").unwrap().iter().collect::<Vec<_>>(), ["x", "é"]);
    for (error, words) in [
        (m.u64("a.i8").unwrap_err(), ["a.i8", "not negative", "i8 -1"]),
        (m.str("a.u8").unwrap_err(), ["a.u8", "string", "u8"]),
        (m.u64("gone").unwrap_err(), ["gone", "integer", "nothing"]),
        (m.u64_array("a.i32s").unwrap_err(), ["a.i32s", "not negative", "signed"]),
    ] {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    assert_eq!(m.optional("gone", |m, k| m.u64(k)).unwrap(), None);
    assert!(m.optional("a.bool", |m, k| m.u64(k)).is_err());
}

#[test]
fn truncation_at_every_byte() {
    let files = [
        good().bytes(),
        std::fs::read(data("spm_scores.vocab.gguf")).unwrap(),
        std::fs::read(data("qwen35.vocab.gguf")).unwrap(),
    ];
    for (at, bytes) in files.iter().enumerate() {
        // A file without tensors loses nothing but padding with its last bytes.
        let needed = bytes.len() - if at == 0 { 0 } else { 31 };
        for len in 0..needed {
            if let Ok(checkpoint) = gguf(&bytes[..len]) {
                assert!(
                    checkpoint.is_empty() && bytes[len..].iter().all(|b| *b == 0),
                    "{at}: accepted {len}"
                );
            }
        }
        gguf(bytes).unwrap();
    }
}

#[test]
fn real_files_stay_in_bounds() {
    let bytes = std::fs::read(oracle("a_minicpm.tq2_0.gguf")).unwrap();
    let checkpoint = gguf(&bytes).unwrap();
    assert!(checkpoint.len() > 20);
    for tensor in checkpoint.tensors() {
        assert_eq!(tensor.to_f32().unwrap().len(), tensor.rows() * tensor.cols());
    }
    // The end of the last tensor, not only the header, must be there.
    for cut in 1..4096 {
        let error = gguf(&bytes[..bytes.len() - cut * 97]).unwrap_err();
        assert!(matches!(error, E::Truncated { .. }), "{error}");
    }
}

#[test]
fn dimensions() {
    let tensor = |dims: &[u64]| refused(&Gguf::new().tensor("t", dims, 0, 0).data(64));
    assert!(matches!(tensor(&[0]), E::BadTensor { .. }));
    assert!(matches!(tensor(&[4, 0, 2]), E::BadTensor { .. }));
    assert!(matches!(tensor(&[]), E::BadTensor { .. }));
    assert!(matches!(tensor(&[1 << 32, 1 << 32]), E::BadTensor { .. }));
    assert!(matches!(tensor(&[u64::MAX]), E::Encoding { .. } | E::BadTensor { .. }));
    assert!(matches!(tensor(&[1 << 61, 2]), E::Encoding { .. } | E::BadTensor { .. }));
    assert!(matches!(tensor(&[1 << 62]), E::Encoding { .. } | E::BadTensor { .. }));
    assert!(matches!(tensor(&[1; 5]), E::Limit { .. }));
    assert!(matches!(tensor(&[1 << 40]), E::Truncated { .. }));
    let mut million = Gguf::new();
    million.tensors.push([string(b"t"), 1_000_000u32.to_le_bytes().to_vec(), vec![1; 64]].concat());
    assert!(matches!(refused(&million), E::Limit { value: 1_000_000, .. }));
    // Q8_0 has blocks of 32.
    assert!(matches!(refused(&Gguf::new().tensor("t", &[33], 8, 0).data(64)), E::Encoding { .. }));
}

#[test]
fn alignment() {
    for (value, ok) in
        [(0u32, false), (3, false), (1 << 30, false), (4, false), (24, false), (8, true), (64, true)]
    {
        let mut file = good().key("general.alignment", 4, &value.to_le_bytes());
        file.alignment = if ok { value as usize } else { 32 };
        assert_eq!(gguf(&file.bytes()).is_ok(), ok, "{value}");
    }
    assert!(matches!(refused(&good().key("general.alignment", 8, &string(b"32"))), E::Metadata { .. }));
}

#[test]
fn strings_arrays_and_counts() {
    let u64s = |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    // The smallest would fit memory, but not the bound.
    for len in [1u64 << 63, u64::MAX, 1 << 40, 8 << 20] {
        assert!(matches!(refused(&Gguf::new().key("k", 8, &u64s(&[len]))), E::Truncated { .. }));
        for kind in [0u32, 2, 4, 6, 7, 8, 10, 12] {
            let array = [&kind.to_le_bytes()[..], &u64s(&[len])].concat();
            assert!(matches!(refused(&Gguf::new().key("k", 9, &array)), E::Truncated { .. }));
        }
        // The same counts where the header has them.
        for at in [8, 16] {
            let mut bytes = good().bytes();
            bytes[at..at + 8].copy_from_slice(&len.to_le_bytes());
            assert!(matches!(gguf(&bytes).unwrap_err(), E::Limit { .. }));
        }
    }
    let nested = [&9u32.to_le_bytes()[..], &u64s(&[1]), &0u32.to_le_bytes(), &u64s(&[1]), &[1]].concat();
    let error = refused(&Gguf::new().key("k", 9, &nested));
    assert!(error.to_string().contains("arrays of arrays"), "{error}");
    assert!(matches!(refused(&Gguf::new().key("k", 13, &[0; 8])), E::Malformed { .. }));
    assert!(matches!(refused(&Gguf::new().key("k", 7, &[2])), E::Malformed { .. }));
    assert!(matches!(
        refused(&Gguf::new().key("k", 8, &[&u64s(&[2])[..], &[0xC3, 0x28]].concat())),
        E::Malformed { .. }
    ));
    assert!(matches!(refused(&Gguf::new().key("", 0, &[0])), E::Malformed { .. }));
    assert!(matches!(refused(&Gguf::new().key(&"k".repeat(2_000), 0, &[0])), E::Limit { .. }));
}

#[test]
fn names_offsets_and_overlap() {
    assert!(matches!(refused(&good().key("a.u8", 0, &[1])), E::Duplicate { kind: "metadata key", .. }));
    let two = |b: &str, offset: u64| Gguf::new().tensor("a", &[8], 0, 0).tensor(b, &[8], 0, offset).data(64);
    assert!(gguf(&two("b", 32).bytes()).is_ok());
    assert!(matches!(refused(&two("a", 32)), E::Duplicate { kind: "tensor", .. }));
    assert!(matches!(refused(&two("b", 0)), E::Overlap { .. }));
    assert!(matches!(refused(&two("b", 16)), E::BadTensor { .. }));
    assert!(matches!(refused(&two("b", 64)), E::Truncated { .. }));
    assert!(matches!(refused(&two("b", u64::MAX - 31)), E::Truncated { .. }));
    assert!(matches!(refused(&two("b", 1 << 63)), E::Truncated { .. }));
    let long = Gguf::new().tensor("a", &[16], 0, 0).tensor("b", &[8], 0, 32).data(64);
    assert!(matches!(refused(&long), E::Overlap { .. }));
}

#[test]
fn one_part_of_several() {
    let part = |count: u16| good().key("split.count", 2, &count.to_le_bytes());
    assert!(gguf(&part(1).bytes()).is_ok());
    assert!(refused(&part(3)).to_string().contains("--merge"));
}

#[test]
fn versions_and_magic() {
    for (version, ok) in [(0, false), (1, false), (2, true), (3, true), (4, false), (3 << 24, false)] {
        let mut file = good();
        file.version = version;
        assert_eq!(gguf(&file.bytes()).is_ok(), ok, "{version}");
    }
    let mut bytes = good().bytes();
    bytes[4..8].copy_from_slice(&3u32.to_be_bytes());
    assert!(matches!(gguf(&bytes).unwrap_err(), E::BigEndian));
    bytes[0] = b'g';
    assert!(matches!(gguf(&bytes).unwrap_err(), E::NotGguf { .. }));
}

/// T4: the two layouts of id 42 are told apart; mainline's loads, and the legacy one is named.
#[test]
fn the_two_layouts_of_type_42() {
    let file = |bytes: usize| {
        Gguf::new().tensor("t", &[256, 64], 42, 0).tensor("u", &[8], 0, bytes as u64).data(bytes + 32)
    };
    let legacy = (256 / 128 * 34 * 64usize).next_multiple_of(32);
    let error = refused(&file(legacy));
    assert!(matches!(error, E::LegacyQ2 { .. }) && error.to_string().contains("legacy"), "{error}");
    let mainline = gguf(&file(256 / 64 * 18 * 64).bytes()).unwrap();
    let t = mainline.tensor("t").unwrap();
    assert_eq!((t.encoding.name(), t.data.len(), t.rows()), ("q2_0", 256 / 64 * 18 * 64, 64));

    // The last tensor of a file, padded or not.
    for pad in [0, 31] {
        let last = |bytes: usize| Gguf::new().tensor("t", &[256, 63], 42, 0).data((bytes + pad) & !pad);
        assert!(matches!(refused(&last(63 * 68)), E::LegacyQ2 { .. }));
        assert!(gguf(&last(63 * 72).bytes()).is_ok());
    }
    // 36 and 34 bytes are both 64 with padding: such a tensor is taken only beside one that tells, or where the
    // legacy layout has no such rows. A gap tells nothing either.
    let tiny = |n: u64| Gguf::new().tensor("a", &[n], 42, 0).tensor("u", &[8], 0, 64);
    assert!(matches!(refused(&tiny(128).data(96)), E::AmbiguousQ2 { name } if name == "a"));
    assert!(gguf(&tiny(192).data(96).bytes()).is_ok());
    assert!(gguf(&tiny(128).tensor("b", &[512], 42, 96).data(96 + 144).bytes()).is_ok());
    assert!(matches!(refused(&tiny(128).tensor("b", &[512], 42, 96).data(96 + 136)), E::LegacyQ2 { .. }));
    assert!(matches!(refused(&Gguf::new().tensor("a", &[256, 8], 42, 0).data(4096)), E::AmbiguousQ2 { .. }));
    assert!(gguf(&Gguf::new().tensor("a", &[192, 8], 42, 0).data(4096).bytes()).is_ok());

    // The legacy layout under its own id.
    let own = gguf(&Gguf::new().tensor("t", &[256, 64], 142, 0).data(256 / 128 * 34 * 64).bytes()).unwrap();
    assert_eq!(own.tensor("t").unwrap().encoding.name(), "pq2_0");
}

/// I2_S: codes, one scale for the tensor; its rows are made while opening.
#[test]
fn i2_s_becomes_ternary_rows() {
    let file = |dims: &[u64], codes: &[u8], scale: f32| {
        let bytes = (codes.len() + 32) as u64;
        let mut file = Gguf::new().tensor("t", dims, 36, 0).tensor("u", &[8], 0, bytes);
        file.data = codes.to_vec();
        file.data.extend_from_slice(&scale.to_le_bytes());
        file.data.resize(codes.len() + 64, 0xff);
        file
    };
    // Codes of weights 32j + m, for j = 0, 1, 2, 3 from the top: 2, 1, 0, 1, then 0, 2, 1, 1.
    let codes = [[0b1001_0001; 64], [0b0010_0101; 64]].concat();
    let good = file(&[256, 2], &codes, 0.375);
    let checkpoint = gguf(&good.bytes()).unwrap();
    let t = checkpoint.tensor("t").unwrap();
    assert_eq!((t.encoding.name(), t.shape, t.data.len()), ("ternary-row", &[2, 256][..], 2 * 68));
    let values = t.to_f32().unwrap();
    for (i, value) in values.iter().enumerate() {
        let trit = [[1.0, 0.0, -1.0, 0.0], [-1.0, 1.0, 0.0, 0.0]][i / 256][i % 128 / 32];
        assert_eq!(*value, trit * 0.375, "{i}");
    }
    assert_eq!(checkpoint.tensor("u").unwrap().data.len(), 32);
    checkpoint.release("t");
    assert_eq!(checkpoint.tensor("t").unwrap().to_f32().unwrap(), values);

    let mut three = codes.clone();
    three[70] |= 0b1100;
    let error = refused(&file(&[256, 2], &three, 0.375)).to_string();
    assert!(error.contains("\"t\"") && error.contains("weight 70 ") && error.contains("x86"), "{error}");
    assert!(matches!(refused(&file(&[256, 2], &codes, f32::NAN)), E::Encoding { .. }));
    assert!(matches!(refused(&file(&[64, 8], &codes, 1.0)), E::Encoding { .. }));
    // One row too many: its scale would be the next tensor's bytes.
    let mut long = file(&[256, 3], &codes, 1.0);
    long.data.resize(256, 0);
    assert!(matches!(refused(&long), E::Overlap { .. }));
    let cut = good.bytes();
    let data = cut.len() - good.data.len();
    assert!(matches!(gguf(&cut[..data + 128 + 3]), Err(E::Truncated { .. })));
    // Many tensors on the same bytes are refused before any is converted.
    let mut many = Gguf::new();
    for i in 0..1_000 {
        many = many.tensor(&format!("{i}"), &[1 << 17], 36, 0);
    }
    assert!(matches!(refused(&many.data(1 << 16)), E::Overlap { .. }));
}

fn container(header: &str, data: usize) -> Result<SafetensorsFile, E> {
    counted(&safetensors(header, data), SafetensorsFile::from_bytes)
}

#[test]
fn safetensors_headers() {
    let good = r#"{"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"a":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}"#;
    let file = container(good, 19).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(file.metadata()["k"], "v");
    let a = file.tensor("a").unwrap();
    assert_eq!((a.dtype, a.shape, a.data.len()), ("U8", &[3][..], 3));
    let bytes = safetensors(good, 19);
    for len in 0..bytes.len() {
        assert!(counted(&bytes[..len], SafetensorsFile::from_bytes).is_err(), "accepted {len}");
    }
    assert!(container(good, 20).is_err());

    let one = |dtype: &str, shape: &str, offsets: &str| {
        format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#)
    };
    for (header, data) in [
        (one("F32", "[0]", "[0,0]"), 0),
        (one("F32", "[4294967296,4294967296]", "[0,16]"), 16),
        (one("F32", "[18446744073709551615]", "[0,16]"), 16),
        (one("F32", "[4]", "[0,18446744073709551615]"), 16),
        (one("F32", "[4]", "[16,0]"), 16),
        (one("F32", "[3]", "[0,16]"), 16),
        (one("F32", "[4]", "[4,20]"), 20),
        (one("F99", "[4]", "[0,16]"), 16),
        (one("F32", "[-4]", "[0,16]"), 16),
        (one("F32", &format!("[{}1]", "1,".repeat(1_000_000)), "[0,4]"), 4),
        (format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), 0),
        (r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#.into(), 4),
        ("{}".into(), 4),
        ("[]".into(), 0),
        (String::new(), 0),
    ] {
        let result = container(&header, data);
        assert!(result.is_err(), "accepted {}", &header[..header.len().min(100)]);
    }
    let twice = r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
    assert!(matches!(container(twice, 1).unwrap_err(), E::Duplicate { .. }));
    let inner = r#"{"__metadata__":{"k":"1","k":"2"}}"#;
    assert!(matches!(container(inner, 0).unwrap_err(), E::Duplicate { .. }));
    for size in [u64::MAX, 1 << 63, 100_000_000, 1 << 23 | 1] {
        let mut bytes = safetensors(good, 19);
        bytes[..8].copy_from_slice(&size.to_le_bytes());
        assert!(matches!(counted(&bytes, SafetensorsFile::from_bytes), Err(E::Limit { .. })));
    }
}

#[test]
fn the_largest_accepted_headers_stay_in_bounds() {
    // As many commas, tensors and keys as the limits let through.
    let shape =
        format!(r#"{{"a":{{"dtype":"F32","shape":[{}1],"data_offsets":[0,4]}}}}"#, "1,".repeat(239_000));
    container(&shape, 4).unwrap();
    let many: Vec<String> = (0..16_000)
        .map(|i| format!(r#""tensor.{i}":{{"dtype":"U8","shape":[1],"data_offsets":[{i},{}]}}"#, i + 1))
        .collect();
    container(&format!("{{{}}}", many.join(",")), 16_000).unwrap();
    let strings: Vec<String> = (0..16_000).map(|i| format!(r#""{i}":"""#)).collect();
    container(&format!(r#"{{"__metadata__":{{{}}}}}"#, strings.join(",")), 0).unwrap();

    let mut file = Gguf::new();
    for i in 0..16_000u32 {
        file = file.key(&format!("{i:x}"), 0, &[1]);
    }
    for i in 0..32_000u64 {
        file = file.tensor(&format!("{i:x}"), &[1], 0, i * 32);
    }
    gguf(&file.data(32_000 * 32).bytes()).unwrap();
}
