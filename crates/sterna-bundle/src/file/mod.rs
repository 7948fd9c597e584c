//! The bundle: one file that any safetensors reader can open, and that Sterna maps and runs.
//!
//! ```text
//! u64 header length | JSON header, padded with spaces | tensors
//! ```
//! * `__metadata__`: `format` = `"sterna"`, `sterna_version`, `manifest` (JSON, see [`Manifest`]), and
//!   `manifest_sha256`.
//! * A float weight is a tensor of its own dtype, `[rows, cols]` (a vector: `[cols]`). Any other encoding is `U8`
//!   `[rows, row_bytes]`. Rows are in canonical order: the interleaving of GGUF's q and k is undone.
//! * A drafter's weights are `assistant.*`, and the manifest's `drafter` says what they are.
//! * `tokenizer.json` is a `U8` tensor with the tokenizer in Hugging Face's form.
//! * Every tensor starts at a multiple of 64 bytes in the file. The format allows no holes, so `pad.N` tensors of
//!   zeros (`U8`, below 64 bytes) fill them.
//!
//! Opening checks the manifest and the tokenizer against their SHA-256, every shape against the configuration and
//! every size against its shape. Weights are hashed only when [`crate::Model::verify`] is asked to.

mod drafter;
mod manifest;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use sterna_checkpoint::{RawTensor, SafetensorsFile, Tokenizer};
use sterna_format::Encoding;

pub(crate) use drafter::BundledDrafter;
pub use manifest::{DrafterEntry, EntryPoint, Manifest, WeightEntry, entry_points};
pub(crate) use write::Writer;
pub use write::temporary;

use crate::arch::{Convert, Located};
use crate::error::{BundleError, shorten};
use crate::wanted::{Role, multiplies, wanted};
use crate::{Model, RowOrder};

/// `format` in the header's metadata.
pub const FORMAT: &str = "sterna";
/// `sterna_version` in the header's metadata.
pub const VERSION: &str = "1";
/// Every tensor starts at a multiple of this, in bytes.
pub const ALIGNMENT: u64 = 64;
/// The tensor that holds the tokenizer.
pub(crate) const TOKENIZER: &str = "tokenizer.json";
const PAD: &str = "pad.";
/// Bytes of a header that is looked at; `sterna-checkpoint` reads no more either.
const MOST_HEADER: u64 = 8 << 20;

#[derive(Deserialize)]
struct Peek {
    #[serde(rename = "__metadata__")]
    metadata: Option<PeekFormat>,
}

#[derive(Deserialize)]
struct PeekFormat {
    format: Option<String>,
}

/// Whether the file is a bundle, by its header. Any other file, a broken one too, is not.
///
/// # Errors
/// [`BundleError::Io`] only.
pub fn is_bundle(path: &Path) -> Result<bool, BundleError> {
    let io = |e| BundleError::io(path, e);
    let mut file = File::open(path).map_err(io)?;
    let mut head = Vec::new();
    file.by_ref().take(8).read_to_end(&mut head).map_err(io)?;
    let Ok(len) = <[u8; 8]>::try_from(head.as_slice()).map(u64::from_le_bytes) else { return Ok(false) };
    if len > MOST_HEADER {
        return Ok(false);
    }
    head.clear();
    file.take(len).read_to_end(&mut head).map_err(io)?;
    let peek = serde_json::from_slice::<Peek>(&head).ok();
    Ok(peek.and_then(|p| p.metadata?.format).is_some_and(|f| f == FORMAT))
}

pub(crate) fn open(path: &Path) -> Result<Model, BundleError> {
    from_file(SafetensorsFile::open(path)?)
}

/// Checks every part against every other.
pub(crate) fn from_file(file: SafetensorsFile) -> Result<Model, BundleError> {
    let manifest = Manifest::read(file.metadata())?;
    let drafter = match &manifest.drafter {
        Some(entry) => Some(drafter::read(entry, &file)?),
        None => None,
    };
    let tensors = match_weights(&manifest, &file, drafter.as_ref())?;
    check_numerics(&manifest, &tensors)?;
    let bytes = file
        .tensor(TOKENIZER)
        .filter(|t| t.dtype == "U8" && t.shape.len() == 1)
        .ok_or_else(|| BundleError::bundle(TOKENIZER, "it is missing, or not a U8 vector"))?
        .data;
    same_hash(TOKENIZER, bytes, &manifest.tokenizer_sha256)?;
    let tokenizer = Tokenizer::from_json(bytes, manifest.tokenizer.clone())?;
    Ok(Model::from_bundle(manifest, tokenizer, tensors, drafter, file))
}

/// Each weight that the configuration wants, in the manifest and in the file; nothing else in either.
fn match_weights(
    manifest: &Manifest,
    file: &SafetensorsFile,
    drafter: Option<&BundledDrafter>,
) -> Result<BTreeMap<String, Located>, BundleError> {
    let mut found = BTreeMap::new();
    let arch = manifest.config.arch.name();
    for w in wanted(&manifest.config) {
        let located = locate(&manifest.weights, file, arch, (&w.name, w.role, w.rows, w.cols))?;
        found.insert(w.name, located);
    }
    if let Some(extra) = manifest.weights.keys().find(|n| !found.contains_key(*n)) {
        return Err(BundleError::bundle(
            extra,
            "the manifest lists it, and the configuration has no use for it",
        ));
    }
    let padding = |name: &str| {
        name.starts_with(PAD) && file.tensor(name).is_some_and(|t| (t.data.len() as u64) < ALIGNMENT)
    };
    let drafts = |name: &str| drafter.is_some_and(|d| d.tensors.contains_key(name));
    match file.names().find(|n| !found.contains_key(*n) && !drafts(n) && *n != TOKENIZER && !padding(n)) {
        Some(extra) => Err(BundleError::bundle(extra, "a tensor that the manifest does not list")),
        None => Ok(found),
    }
}

/// A weight of this name, role, rows and columns, as the manifest's `entries` and the file have it.
fn locate(
    entries: &BTreeMap<String, WeightEntry>,
    file: &SafetensorsFile,
    arch: &'static str,
    (name, role, rows, cols): (&str, Role, usize, usize),
) -> Result<Located, BundleError> {
    let name = name.to_owned();
    let (Some(entry), Some(tensor)) = (entries.get(&name), file.tensor(&name)) else {
        return Err(BundleError::MissingTensor { name, arch });
    };
    if (entry.rows, entry.cols) != (rows, cols) {
        let (found, expected) = (vec![entry.rows, entry.cols], vec![rows, cols]);
        return Err(BundleError::Shape { name, found, expected });
    }
    let format = |source| BundleError::Format { name: name.clone(), source };
    let encoding: Encoding = entry.encoding.parse().map_err(format)?;
    if matches!(role, Role::Vector | Role::Taps) && !encoding.is_float() {
        return Err(BundleError::NotFloat { name, encoding });
    }
    let row_bytes = encoding.row_bytes(cols).map_err(format)?;
    let (dtype, shape) = stored_as(encoding, role, rows, cols, row_bytes);
    let RawTensor { dtype: has_dtype, shape: has_shape, data } = tensor;
    if has_dtype != dtype || has_shape != shape || rows.checked_mul(row_bytes) != Some(data.len()) {
        let reason = format!(
            "the file has {} {has_shape:?} in {} bytes, and {encoding} asks for {dtype} {shape:?}",
            shorten(has_dtype),
            data.len()
        );
        return Err(BundleError::bundle(name, reason));
    }
    let (order, convert, recode) = (RowOrder::Plain, Convert::No, None);
    Ok(Located { source: name, role, encoding, rows, cols, order, convert, recode })
}

fn check_numerics(manifest: &Manifest, tensors: &BTreeMap<String, Located>) -> Result<(), BundleError> {
    let mut linears = BTreeSet::new();
    for (name, t) in tensors.iter().filter(|(_, t)| multiplies(&manifest.config, t.role)) {
        manifest.numerics.check(name, t.encoding, t.cols)?;
        linears.insert(name.as_str());
    }
    match manifest.numerics.linears.keys().find(|n| !linears.contains(n.as_str())) {
        Some(extra) => Err(BundleError::bundle(format!("numerics of {extra}"), "no such linear weight")),
        None => Ok(()),
    }
}

/// The safetensors dtype and shape of a weight.
pub(crate) fn stored_as(
    encoding: Encoding,
    role: Role,
    rows: usize,
    cols: usize,
    row_bytes: usize,
) -> (&'static str, Vec<usize>) {
    let dtype = match encoding {
        Encoding::F32 => "F32",
        Encoding::F16 => "F16",
        Encoding::BF16 => "BF16",
        _ => return ("U8", vec![rows, row_bytes]),
    };
    (dtype, if role == Role::Vector { vec![cols] } else { vec![rows, cols] })
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

/// An error unless `bytes` have that hash.
pub(crate) fn same_hash(what: &str, bytes: &[u8], wanted: &str) -> Result<(), BundleError> {
    let found = sha256(bytes);
    if found == wanted {
        return Ok(());
    }
    Err(BundleError::bundle(
        what,
        format!("its SHA-256 is {found}, and the manifest says {}", shorten(wanted)),
    ))
}

/// Whether all padding is zeros.
pub(crate) fn check_padding(file: &SafetensorsFile) -> Result<(), BundleError> {
    let dirty =
        |n: &&str| n.starts_with(PAD) && file.tensor(n).is_some_and(|t| t.data.iter().any(|b| *b != 0));
    match file.names().find(dirty) {
        Some(name) => Err(BundleError::bundle(name, "padding that is not zero")),
        None => Ok(()),
    }
}
