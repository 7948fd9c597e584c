//! From a model's bytes to buffers of the device: each matrix once, in parts of at most so many bytes.

use sterna_plan::{
    BackendError, Epilogue, ModelPlan, Op, PlanError, Weight, WeightId, WeightSource, WeightSpec,
};
use wgpu::Buffer;

use crate::adapter::MOST_GROUPS;
use crate::gpu::{Gpu, Upload};
use crate::kernels::Outputs;
use crate::pack::{self, BLOCK, Kind};

/// Words that a thread packs before they go to the device.
const BATCH: usize = 1 << 18;

/// A matrix or table to be made: the rows of its members one after the other, or in turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Want {
    /// At least one, of as many columns.
    pub members: Vec<WeightId>,
    /// `Pairs` takes rows of two members in turn.
    pub outputs: Outputs,
    /// How it lies.
    pub kind: Kind,
}

/// Some rows of a matrix.
pub(crate) struct Part {
    /// The first of them.
    pub first: usize,
    /// How many.
    pub rows: usize,
    /// Codes or floats.
    pub data: Buffer,
    /// Scales of codes.
    pub scales: Option<Buffer>,
}

/// A matrix on the device.
pub(crate) struct Matrix {
    names: Vec<String>,
    /// What becomes of its outputs.
    pub outputs: Outputs,
    /// How it lies.
    pub kind: Kind,
    /// Columns.
    pub cols: usize,
    /// In order.
    pub parts: Vec<Part>,
}

impl Matrix {
    /// Bytes of so many rows, scales included.
    pub fn bytes(&self, rows: usize) -> usize {
        stored(self.kind, rows, self.cols)
    }
}

fn stored(kind: Kind, rows: usize, cols: usize) -> usize {
    4 * (kind.data_words(rows, cols) + kind.scale_words(rows, cols))
}

/// All weights of a plan.
pub(crate) struct Weights {
    matrices: Vec<Matrix>,
    /// Every vector, one after the other.
    pub vectors: Buffer,
    /// Where each weight begins there.
    at: Vec<Option<u32>>,
    bytes: usize,
}

impl Weights {
    /// The matrix that was made for these members.
    pub fn matrix(&self, plan: &ModelPlan, want: &Want) -> Option<&Matrix> {
        let names = names(plan, want);
        self.matrices.iter().find(|m| m.outputs == want.outputs && m.kind == want.kind && m.names == names)
    }

    /// Where a vector begins.
    pub fn vector(&self, id: WeightId) -> Option<u32> {
        self.at.get(id.0).copied().flatten()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

fn names(plan: &ModelPlan, want: &Want) -> Vec<String> {
    want.members.iter().map(|id| plan.weight(*id).name.clone()).collect()
}

/// The matrices that a linear op reads, and at which of its outputs each begins.
///
/// # Errors
/// [`BackendError::Unsupported`].
pub(crate) fn linear_wants(
    plan: &ModelPlan,
    l: &sterna_plan::Linear,
) -> Result<Vec<(Want, usize)>, BackendError> {
    let mut wants: Vec<(Want, usize)> = Vec::new();
    let pairs = matches!(l.epilogue, Epilogue::SiluMul | Epilogue::GeluMul);
    let outputs = if pairs { Outputs::Pairs } else { Outputs::Single };
    let mut at = 0;
    for id in &l.members {
        let spec = plan.weight(*id);
        let unsupported = |what: String| BackendError::Unsupported { backend: "gpu", what };
        let kind = Kind::of(spec)?.ok_or_else(|| unsupported(format!("`{}` as a matrix", spec.name)))?;
        match wants.last_mut() {
            Some((last, _)) if last.kind == kind => last.members.push(*id),
            Some(_) if pairs => {
                let what = format!("`{}` in another encoding than what it is paired with", spec.name);
                return Err(unsupported(what));
            }
            _ => wants.push((Want { members: vec![*id], outputs, kind }, at)),
        }
        at += spec.rows;
    }
    Ok(wants)
}

/// The table that an embedding reads.
///
/// # Errors
/// [`BackendError::Unsupported`].
pub(crate) fn table_want(plan: &ModelPlan, table: WeightId) -> Want {
    Want { members: vec![table], outputs: Outputs::Single, kind: Kind::float(plan.weight(table).encoding) }
}

/// Every matrix and table of a plan; what is one tensor in one form is there once.
fn wants(plan: &ModelPlan) -> Result<Vec<Want>, BackendError> {
    let mut all: Vec<Want> = Vec::new();
    for op in plan.entries.iter().flat_map(|e| &e.ops) {
        let these = match op {
            Op::Linear(l) => linear_wants(plan, l)?.into_iter().map(|w| w.0).collect(),
            Op::Embed { table, .. } => vec![table_want(plan, *table)],
            _ => vec![],
        };
        for want in these {
            let same = |o: &Want| {
                o.outputs == want.outputs && o.kind == want.kind && names(plan, o) == names(plan, &want)
            };
            if !all.iter().any(same) {
                all.push(want);
            }
        }
    }
    Ok(all)
}

/// Bytes that [`load`] would hold.
///
/// # Errors
/// [`BackendError::Unsupported`].
pub(crate) fn bytes(plan: &ModelPlan) -> Result<usize, BackendError> {
    let matrix = |want: &Want| -> usize {
        let specs = || want.members.iter().map(|id| plan.weight(*id));
        stored(want.kind, specs().map(|s| s.rows).sum(), specs().next().map_or(0, |s| s.cols))
    };
    let mut all = wants(plan)?.iter().map(matrix).sum();
    for spec in &plan.weights {
        if Kind::of(spec)?.is_none() {
            all += 4 * spec.cols.next_multiple_of(4);
        }
    }
    Ok(all)
}

fn find<'a>(spec: &WeightSpec, source: &'a dyn WeightSource) -> Result<Weight<'a>, BackendError> {
    let missing = || BackendError::Plan(PlanError::MissingWeight(spec.name.clone()));
    let weight = source.weight(&spec.name).ok_or_else(missing)?;
    if (weight.rows, weight.cols, weight.encoding) != (spec.rows, spec.cols, spec.encoding) {
        return Err(missing());
    }
    Ok(weight)
}

/// Packs every weight of a plan and sends it to the device, in buffers of at most `most` bytes; `progress` hears (bytes
/// done, bytes in all).
///
/// # Errors
/// Missing or undecodable weights, unsupported ones, memory of the device.
pub(crate) fn load(
    gpu: &Gpu,
    plan: &ModelPlan,
    source: &dyn WeightSource,
    most: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Weights, BackendError> {
    let total = plan.weights.iter().map(WeightSpec::bytes).sum();
    progress(0, total);
    let (mut at, mut floats) = (vec![None; plan.weights.len()], Vec::new());
    for (spec, at) in plan.weights.iter().zip(&mut at) {
        let weight = find(spec, source)?;
        if Kind::of(spec)?.is_some() {
            continue;
        }
        let fail = |source| BackendError::Weight { name: spec.name.clone(), source };
        let mut words = Vec::new();
        let kind = Kind::Float { format: 2 };
        pack::row(kind, &weight, 0, &mut pack::Scratch::default(), &mut words, &mut vec![]).map_err(fail)?;
        *at = Some(u32::try_from(floats.len()).unwrap_or(u32::MAX));
        floats.append(&mut words);
        // Each begins where a vec4 does.
        floats.resize(floats.len().next_multiple_of(4), 0);
    }
    let mut upload = Upload::new(gpu);
    let vectors = gpu.buffer(4 * floats.len() as u64, "vectors")?;
    upload.write(&vectors, 0, &floats)?;
    let (mut matrices, mut done) = (Vec::new(), 0);
    for want in wants(plan)? {
        let matrix = matrix(gpu, plan, source, &want, most, &mut upload)?;
        done += want.members.iter().map(|id| plan.weight(*id).bytes()).sum::<u64>();
        progress(done.min(total), total);
        matrices.push(matrix);
    }
    upload.flush()?;
    for spec in &plan.weights {
        source.release(&spec.name);
    }
    progress(total, total);
    Ok(Weights { matrices, vectors, at, bytes: bytes(plan)? })
}

/// Rows of a part, so that it fits a buffer and one dispatch.
fn rows_of_part(want: &Want, cols: usize, most: u64) -> usize {
    let row = 4 * want.kind.stride(cols).max(want.kind.scales(cols));
    let bytes = usize::try_from(most).unwrap_or(usize::MAX) / row.max(1);
    // The narrowest workgroup of a linear layer has four outputs.
    let rows = bytes.min(4 * MOST_GROUPS as usize);
    // Both rows of a pair lie in one part, and all of a block.
    let together = want.kind.rows_together().max(if want.outputs == Outputs::Pairs { 2 } else { 1 });
    rows / together * together
}

fn matrix(
    gpu: &Gpu,
    plan: &ModelPlan,
    source: &dyn WeightSource,
    want: &Want,
    most: u64,
    upload: &mut Upload<'_>,
) -> Result<Matrix, BackendError> {
    let specs: Vec<_> = want.members.iter().map(|id| plan.weight(*id)).collect();
    let members = specs.iter().map(|s| find(s, source)).collect::<Result<Vec<_>, _>>()?;
    let cols = specs.first().map_or(0, |s| s.cols);
    let total: usize = specs.iter().map(|s| s.rows).sum();
    let unsupported = |what: String| BackendError::Unsupported { backend: "gpu", what };
    let heights = specs.windows(2).all(|s| s[0].rows == s[1].rows);
    if specs.iter().any(|s| s.cols != cols)
        || (want.outputs == Outputs::Pairs && (specs.len() != 2 || !heights))
    {
        return Err(unsupported(format!("members of several shapes: {}", names(plan, want).join(", "))));
    }
    let most_rows = rows_of_part(want, cols, most);
    if most_rows == 0 {
        let what = format!("a row of `{}` in a buffer of {most} bytes", specs[0].name);
        return Err(unsupported(what));
    }
    // Member and row behind row `n`.
    let behind = |n: usize| match want.outputs {
        Outputs::Pairs => (n % 2, n / 2),
        Outputs::Single => {
            let (mut member, mut n) = (0, n);
            while n >= specs[member].rows {
                n -= specs[member].rows;
                member += 1;
            }
            (member, n)
        }
    };
    let kind = want.kind;
    let fail = |member: usize, source| BackendError::Weight { name: specs[member].name.clone(), source };
    // Rows `start .. end` of a part, as they are stored.
    let packed = |first: usize, start: usize, end: usize| {
        let together = kind.rows_together();
        let (mut scratch, mut row_words, mut row_scales) = (pack::Scratch::default(), vec![], vec![]);
        let (mut words, mut scales) = (vec![], vec![]);
        for n in start..end {
            let (member, row) = behind(first + n);
            let to =
                if together == 1 { (&mut words, &mut scales) } else { (&mut row_words, &mut row_scales) };
            pack::row(kind, &members[member], row, &mut scratch, to.0, to.1).map_err(|e| fail(member, e))?;
            if together > 1 && ((n + 1) % together == 0 || n + 1 == end) {
                let to = (&mut words, &mut scales);
                pack::block(kind, cols, &row_words, &row_scales, to);
                row_words.clear();
                row_scales.clear();
            }
        }
        Ok::<_, BackendError>((words, scales))
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    // Rows for a thread at a time.
    let share = (BATCH / kind.stride(cols).max(1)).max(1).next_multiple_of(BLOCK);
    let mut parts = Vec::new();
    for first in (0..total).step_by(most_rows) {
        let rows = most_rows.min(total - first);
        let data = gpu.buffer(4 * kind.data_words(rows, cols) as u64, "weights")?;
        let scale_words = kind.scale_words(rows, cols);
        let scale =
            (scale_words > 0).then(|| gpu.buffer(4 * scale_words as u64, "scales of weights")).transpose()?;
        let (mut data_at, mut scale_at) = (0, 0);
        for start in (0..rows).step_by(share * threads) {
            let starts = (start..rows.min(start + share * threads)).step_by(share);
            let done: Vec<_> = std::thread::scope(|scope| {
                let packed = &packed;
                let one = |s: usize| scope.spawn(move || packed(first, s, rows.min(s + share)));
                let running: Vec<_> = starts.map(one).collect();
                running.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
            });
            for one in done {
                let stopped = |_| BackendError::Device("a thread that packs weights has stopped".into());
                let (words, scales): (Vec<u32>, Vec<u32>) = one.map_err(stopped)??;
                upload.write(&data, data_at, &words)?;
                data_at += 4 * words.len() as u64;
                if let Some(to) = &scale {
                    upload.write(to, scale_at, &scales)?;
                    scale_at += 4 * scales.len() as u64;
                }
            }
        }
        parts.push(Part { first, rows, data, scales: scale });
    }
    Ok(Matrix { names: names(plan, want), outputs: want.outputs, kind: want.kind, cols, parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_their_buffers_and_never_split_a_pair() {
        let kind = Kind::Int {
            bits: 2,
            zero: 1,
            scale_group: 256,
            act_group: 256,
            layout: pack::Layout::Rows,
            halves: false,
            subs: pack::Subs::None,
        };
        let want = |outputs| Want { members: vec![WeightId(0)], outputs, kind };
        // 512 weights are 128 bytes.
        assert_eq!(rows_of_part(&want(Outputs::Single), 512, 1000), 7);
        assert_eq!(rows_of_part(&want(Outputs::Pairs), 512, 1000), 6);
        assert_eq!(rows_of_part(&want(Outputs::Pairs), 512, 100), 0);
        assert_eq!(rows_of_part(&want(Outputs::Single), 512, 1 << 40), 4 * 65_535);
    }
}
