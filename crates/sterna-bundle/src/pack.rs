//! From an open model to a bundle.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use sterna_format::{Encoding, ScaleGroup, ternary_from_codes};

use crate::error::BundleError;
use crate::file::{DrafterEntry, Manifest, TOKENIZER, WeightEntry, Writer, stored_as};
use crate::quantise::{Quantised, is_kept, kinds, steers};
use crate::requantise::{Loss, requantise};
use crate::ternary::ternarise;
use crate::wanted::{Role, Wanted, multiplies, wanted};
use crate::{
    AssistantConfig, AssistantHead, Model, ModelConfig, Numerics, RowOrder, SourceKind, Weight, WeightSource,
    default_numerics,
};

/// What to do with a float matrix that is not ternary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TernaryPolicy {
    /// Refuse it, with its residual.
    #[default]
    Exact,
    /// Round it: `s = max|w|` per group, `t = round(w / s)`. The residual is reported.
    Round,
}

/// How to pack.
pub struct PackOptions<'a> {
    /// For the linear layers of a Hugging Face checkpoint that [`Model::quantise`] was not asked for.
    pub ternary: TernaryPolicy,
    /// Linear weights that keep their floats: canonical names (`layers.0.down`) or parts (`down`).
    pub keep: Vec<String>,
    /// Encode the head anew; where it is tied to the embedding, the one tensor that is both. `None` keeps it.
    pub head: Option<Encoding>,
    /// Encode the embedding anew, in a model with a head of its own. `None` keeps it.
    pub embedding: Option<Encoding>,
    /// Write a head that is tied to the embedding as a tensor of its own, so that the two may differ. A token reads the
    /// whole head and one row of the embedding: a small head saves as much as before, and the embedding stays exact.
    pub untie: bool,
    /// A drafter to write into the same file. Without one, that of a model that comes with one is kept.
    pub drafter: Option<&'a AssistantHead>,
    /// Called with the bytes read so far and in all.
    pub progress: &'a mut dyn FnMut(u64, u64),
}

/// What became of one weight.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedTensor {
    /// Canonical name.
    pub name: String,
    /// Encoding in the source.
    pub from: Encoding,
    /// Encoding in the bundle.
    pub to: Encoding,
    /// Bytes in the source.
    pub bytes_before: u64,
    /// Bytes in the bundle.
    pub bytes_after: u64,
    /// `sqrt(sum (w - w')^2 / sum w^2)` with `w'` the values in the bundle: 0 for everything that lost nothing.
    pub residual: f64,
    /// `sum w^2` of a weight that was encoded anew; 0 for everything that was copied.
    pub squares: f64,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackReport {
    /// In the order of the file.
    pub tensors: Vec<PackedTensor>,
    /// By kind of weight, what was encoded anew: now, and before by what the source says of itself. The bundle says the same.
    pub quantised: Vec<Quantised>,
    /// Size of the bundle.
    pub file_bytes: u64,
}

impl PackReport {
    /// The largest residual; 0 when the bundle holds the source's values exactly.
    pub fn worst_residual(&self) -> f64 {
        self.tensors.iter().map(|t| t.residual).fold(0.0, f64::max)
    }
}

/// Writes `model` as a bundle to `dest`, through a temporary file beside it that is renamed at the end.
///
/// The seven matrices of every layer of a Hugging Face checkpoint become ternary words. TQ1_0 and TQ2_0 become the same
/// words, without loss. What [`Model::quantise`] was asked for is written so, a batch of rows at a time. Everything else
/// keeps its encoding, but for a head or an embedding that the options name another one for. Rows are put in canonical
/// order.
///
/// # Errors
/// [`BundleError::NotTernary`] under [`TernaryPolicy::Exact`], naming the first matrix that is not; unknown names to
/// keep; an encoding for the head or the embedding that does not fit it; bytes that do not fit their encoding; what the operating system refuses. `dest` is untouched on error.
pub fn pack(model: &Model, dest: &Path, options: PackOptions<'_>) -> Result<PackReport, BundleError> {
    let PackOptions { ternary, keep, head, embedding, untie, drafter, progress } = options;
    let drafter = match drafter {
        Some(head) => Some((&head.config, head as &dyn WeightSource)),
        None => model.drafter().map(|config| (config, model as &dyn WeightSource)),
    };
    let config = ModelConfig { tied: model.config.tied && !untie, ..model.config.clone() };
    check_tables(&config, head, embedding)?;
    if let Some((drafter, _)) = drafter {
        drafter.check_bundled(&config)?;
    }
    let wants: Vec<_> = wanted(&config).collect();
    // A head that the model does not have is its embedding.
    let source_of =
        |name: &str| if name == "head" && model.config.tied { "embed".to_owned() } else { name.to_owned() };
    check_keep("pack options", &keep, &wants)?;
    let json = model.tokenizer.to_json()?;
    let len = |w: &Wanted| model.weight(&source_of(&w.name)).map_or(0, |w| w.data.len() as u64);
    let total = wants.iter().map(len).sum();
    let mut manifest = Manifest {
        name: model.name.clone(),
        source: model.source_kind().name().to_owned(),
        config: config.clone(),
        numerics: Numerics { linears: BTreeMap::new(), ..model.numerics.clone() },
        entry_points: model.entry_points.clone(),
        weights: BTreeMap::new(),
        quantised: Vec::new(),
        drafter: None,
        tokenizer: model.tokenizer.config().clone(),
        tokenizer_sha256: String::new(),
    };
    // A weight takes some 250 bytes of manifest: its entry with a hash, and its numerics.
    let more = drafter.map_or(0, |(c, _)| c.weights().len() + 4 + c.layers.layers);
    let room = to_json(&manifest)?.len() + 512 * (wants.len() + more);
    let mut writer = Writer::create(dest, room, wants.len() + more + 1)?;
    let mut report = PackReport::default();
    let mut done = 0;
    for w in &wants {
        let source_name = source_of(&w.name);
        let source = model.weight(&source_name).ok_or_else(|| BundleError::MissingTensor {
            name: w.name.clone(),
            arch: model.config.arch.name(),
        })?;
        let stored = source.as_stored();
        let floats = stored.encoding.is_float() && model.source_kind() == SourceKind::HuggingFace;
        let kept = w.role != Role::Linear || steers(w.part) || is_kept(&keep, w) || model.is_recoded();
        let recoded = (source.encoding != stored.encoding).then_some(source.encoding);
        let asked = match w.role {
            Role::Head => head.or(recoded),
            Role::Table if config.tied => head.or(recoded),
            // What a tied head becomes is not for a table that rows are only looked up in.
            Role::Table => embedding,
            Role::Linear => recoded,
            Role::Vector | Role::Taps | Role::Lookup => None,
        };
        let bytes_before = stored.data.len() as u64;
        let (to, loss) = match (stored.encoding, asked) {
            (from, Some(to)) if to != from => {
                begin(&mut writer, &w.name, w.role, to, &stored)?;
                let each = stored.stored_row_bytes() as u64;
                let mut written = |rows: Range<usize>, bytes: &[u8]| {
                    progress(done + each * rows.end as u64, total);
                    if stored.order == RowOrder::Plain {
                        model.release_rows(&source_name, rows);
                    }
                    writer.write(bytes)
                };
                (to, requantise(&w.name, &stored, to, &mut written)?)
            }
            (Encoding::TQ1_0 | Encoding::TQ2_0, _) => {
                (repack(&mut writer, &w.name, &stored)?, Loss::default())
            }
            _ if floats && !kept => write_ternary(&mut writer, &w.name, &stored, ternary)?,
            _ => (copy(&mut writer, &w.name, w.role, &stored)?, Loss::default()),
        };
        let sha256 = writer.end();
        let entry = WeightEntry { encoding: to.name().to_owned(), rows: w.rows, cols: w.cols, sha256 };
        manifest.weights.insert(w.name.clone(), entry);
        if multiplies(&config, w.role) {
            let numerics = if to == source.encoding {
                model.numerics.linear(&source_name, to, w.cols)
            } else {
                default_numerics(to, w.cols)
            };
            manifest.numerics.linears.insert(w.name.clone(), numerics);
        }
        let bytes_after = (to.row_bytes(w.cols).unwrap_or(0) * w.rows) as u64;
        report.tensors.push(PackedTensor {
            name: w.name.clone(),
            from: stored.encoding,
            to,
            bytes_before,
            bytes_after,
            residual: loss.relative_rms,
            squares: loss.squares,
        });
        model.release(&source_name);
        done += bytes_before;
        progress(done, total);
    }
    if let Some((config, source)) = drafter {
        manifest.drafter = Some(write_drafter(&mut writer, config, source, &mut report)?);
    }
    writer.begin(TOKENIZER, "U8", vec![json.len()])?;
    writer.write(json.as_bytes())?;
    manifest.tokenizer_sha256 = writer.end();
    report.quantised = kinds(&report.tensors, &model.noted);
    manifest.quantised.clone_from(&report.quantised);
    report.file_bytes = writer.finish(&to_json(&manifest)?)?;
    Ok(report)
}

/// Writes the weights of a drafter, those in another encoding than their file's encoded anew.
fn write_drafter(
    writer: &mut Writer,
    config: &AssistantConfig,
    source: &dyn WeightSource,
    report: &mut PackReport,
) -> Result<DrafterEntry, BundleError> {
    let (weights, linears) = (BTreeMap::new(), BTreeMap::new());
    let mut entry = DrafterEntry { config: config.clone(), weights, linears };
    for w in config.weights() {
        let missing = || BundleError::MissingTensor { name: w.name.clone(), arch: "drafter" };
        let weight = source.weight(&w.name).ok_or_else(missing)?;
        let (from, to) = (weight.stored, weight.encoding);
        let role = if w.linear { Role::Linear } else { Role::Vector };
        let mut loss = Loss::default();
        if from == to {
            copy(writer, &w.name, role, &weight)?;
        } else {
            begin(writer, &w.name, role, to, &weight)?;
            loss = requantise(&w.name, &weight.as_stored(), to, &mut |_, bytes| writer.write(bytes))?;
        }
        let sha256 = writer.end();
        let bytes_after = (to.row_bytes(w.cols).unwrap_or(0) * w.rows) as u64;
        report.tensors.push(PackedTensor {
            name: w.name.clone(),
            from,
            to,
            bytes_before: weight.data.len() as u64,
            bytes_after,
            residual: loss.relative_rms,
            squares: loss.squares,
        });
        if w.linear {
            entry.linears.insert(w.name.clone(), default_numerics(to, w.cols));
        }
        let described = WeightEntry { encoding: to.name().to_owned(), rows: w.rows, cols: w.cols, sha256 };
        source.release(&w.name);
        entry.weights.insert(w.name, described);
    }
    Ok(entry)
}

/// Refuses names to keep that are no linear weights.
pub(crate) fn check_keep(place: &'static str, keep: &[String], wants: &[Wanted]) -> Result<(), BundleError> {
    let known =
        |name: &str| wants.iter().any(|w| w.role == Role::Linear && (w.name == name || w.part == name));
    match keep.iter().find(|name| !known(name)) {
        Some(name) => {
            Err(BundleError::key(place, "keep", name, "a linear weight's canonical name or its part"))
        }
        None => Ok(()),
    }
}

/// Refuses encodings that the head or the embedding of this model cannot have.
pub(crate) fn check_tables(
    config: &ModelConfig,
    head: Option<Encoding>,
    embedding: Option<Encoding>,
) -> Result<(), BundleError> {
    const PLACE: &str = "pack options";
    if let Some(encoding) = embedding.filter(|_| config.tied) {
        let supported = "none in a model whose head and embedding are one tensor: the head's encoding is \
                         for both, unless they are untied";
        return Err(BundleError::key(PLACE, "embedding", encoding, supported));
    }
    for (key, encoding) in [("head", head), ("embedding", embedding)] {
        let Some(encoding) = encoding else { continue };
        let cols = config.hidden;
        let bits = encoding.int_layout(cols).map_or(16, |l| l.bits);
        if bits < 4 {
            return Err(BundleError::key(PLACE, key, encoding, "floats, or codes of 4 bits or more"));
        }
        if !cols.is_multiple_of(encoding.block_len()) {
            let supported = format!(
                "encodings whose blocks divide a row of {cols} weights (this one's have {})",
                encoding.block_len()
            );
            return Err(BundleError::key(PLACE, key, encoding, supported));
        }
    }
    Ok(())
}

fn to_json(manifest: &Manifest) -> Result<String, BundleError> {
    serde_json::to_string(manifest).map_err(|e| BundleError::bundle("the manifest", e.to_string()))
}

fn begin(
    writer: &mut Writer,
    name: &str,
    role: Role,
    encoding: Encoding,
    weight: &Weight,
) -> Result<usize, BundleError> {
    let each = encoding.row_bytes(weight.cols).map_err(|e| format_error(name, e))?;
    let (dtype, shape) = stored_as(encoding, role, weight.rows, weight.cols, each);
    writer.begin(name, dtype, shape)?;
    Ok(each)
}

fn format_error(name: &str, source: sterna_format::FormatError) -> BundleError {
    BundleError::Format { name: name.to_owned(), source }
}

/// The same rows in canonical order.
fn copy(writer: &mut Writer, name: &str, role: Role, weight: &Weight) -> Result<Encoding, BundleError> {
    begin(writer, name, role, weight.encoding, weight)?;
    for i in 0..weight.rows {
        writer.write(&weight.row(i).map_err(|e| format_error(name, e))?)?;
    }
    Ok(weight.encoding)
}

fn repack(writer: &mut Writer, name: &str, weight: &Weight) -> Result<Encoding, BundleError> {
    let encoding = Encoding::Ternary(ScaleGroup::Block256);
    let mut row = vec![0; begin(writer, name, Role::Linear, encoding, weight)?];
    for i in 0..weight.rows {
        let read = weight.row(i).and_then(|r| ternary_from_codes(weight.encoding, &r, weight.cols, &mut row));
        read.map_err(|e| format_error(name, e))?;
        writer.write(&row)?;
    }
    Ok(encoding)
}

fn write_ternary(
    writer: &mut Writer,
    name: &str,
    weight: &Weight,
    policy: TernaryPolicy,
) -> Result<(Encoding, Loss), BundleError> {
    let ternary = ternarise(weight).map_err(|e| format_error(name, e))?;
    let relative_rms = ternary.fit.relative_rms();
    if policy == TernaryPolicy::Exact && !ternary.fit.exact {
        return Err(BundleError::NotTernary {
            name: name.to_owned(),
            group: ternary.group.len(weight.cols),
            relative_rms,
            max_relative: ternary.fit.max_relative,
        });
    }
    let encoding = Encoding::Ternary(ternary.group);
    begin(writer, name, Role::Linear, encoding, weight)?;
    writer.write(&ternary.bytes)?;
    // An exact fit changed nothing.
    let squares = if ternary.fit.exact { 0.0 } else { ternary.fit.squares() };
    Ok((encoding, Loss { relative_rms, squares }))
}
