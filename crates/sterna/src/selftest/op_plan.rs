//! Plans of a few ops over buffers: the first is filled by the caller, another is handed out.

use std::sync::Arc;

use sterna_format::{Encoding, FormatError, encode_row};
use sterna_plan::{
    Backend, BackendError, Buffer, BufferId, BufferRows, Executor, Level, LinearNumerics, ModelPlan, Op,
    Outputs, Plan, RopeTable, RowOrder, RowTable, Slice, StateId, StateSpec, Wanted, Weight, WeightId,
    WeightSource, WeightSpec, WeightUse,
};
use sterna_ref::testing::Random;

/// Positions that a sequence has room for.
const CONTEXT: usize = 512;

struct Held {
    spec: WeightSpec,
    data: Vec<u8>,
}

/// A plan with its weights.
pub(super) struct OpPlan {
    /// The plan: one entry point.
    pub plan: ModelPlan,
    weights: Vec<Held>,
}

impl WeightSource for OpPlan {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let Held { spec, data } = self.weights.iter().find(|w| w.spec.name == name)?;
        let (encoding, rows, cols, order) = (spec.encoding, spec.rows, spec.cols, RowOrder::Plain);
        Some(Weight { encoding, stored: encoding, rows, cols, data, order })
    }

    fn release(&self, _: &str) {}
}

impl OpPlan {
    /// Buffers by their columns, the last of which is handed out, for calls of up to `width` rows.
    pub fn new(cols: &[usize], width: usize) -> Self {
        let names = ["b0", "b1", "b2", "b3"];
        let buffer =
            |(cols, name): (&usize, &'static str)| Buffer { name, cols: *cols, rows: BufferRows::Call };
        let buffers: Vec<_> = cols.iter().zip(names).map(buffer).collect();
        let taps = Some(BufferId(buffers.len().saturating_sub(1)));
        let (input, name) = (Some(BufferId(0)), "main".into());
        let entry = Plan { name, width, buffers, ops: vec![], input, taps, level: Level::Exact };
        let plan = ModelPlan {
            weights: vec![],
            states: vec![],
            entries: vec![entry],
            ropes: vec![],
            vocab: 64,
            padded_vocab: 64,
            context: CONTEXT,
            attention_piece: 64,
        };
        Self { plan, weights: vec![] }
    }

    /// The whole of a buffer.
    pub fn slice(&self, buffer: usize) -> Slice {
        self.plan.entries[0].buffers[buffer].all(BufferId(buffer))
    }

    /// Appends an op.
    pub fn op(&mut self, op: Op) {
        self.plan.entries[0].ops.push(op);
    }

    fn add(&mut self, spec: WeightSpec, data: Vec<u8>) -> WeightId {
        self.plan.weights.push(spec.clone());
        self.weights.push(Held { spec, data });
        WeightId(self.weights.len() - 1)
    }

    /// A vector.
    pub fn vector(&mut self, name: &str, values: &[f32]) -> WeightId {
        let (encoding, usage) = (Encoding::F32, WeightUse::Vector);
        let spec = WeightSpec { name: name.into(), encoding, rows: 1, cols: values.len(), usage };
        self.add(spec, values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// A matrix; `row` makes each row.
    pub fn matrix(
        &mut self,
        name: &str,
        encoding: Encoding,
        [rows, cols]: [usize; 2],
        usage: WeightUse,
        row: &mut dyn FnMut(usize) -> Vec<f32>,
    ) -> Result<WeightId, FormatError> {
        let each = encoding.row_bytes(cols)?;
        let mut data = vec![0; rows * each];
        for (n, bytes) in data.chunks_exact_mut(each).enumerate() {
            encode_row(encoding, &row(n), bytes)?;
        }
        Ok(self.add(WeightSpec { name: name.into(), encoding, rows, cols, usage }, data))
    }

    /// A matrix of random weights for a linear layer.
    pub fn random(
        &mut self,
        name: &str,
        encoding: Encoding,
        shape: [usize; 2],
        numerics: LinearNumerics,
        random: &mut Random,
    ) -> Result<WeightId, FormatError> {
        let size = 1.0 / (shape[1] as f32).sqrt();
        self.matrix(name, encoding, shape, WeightUse::Linear(numerics), &mut |_| {
            random.weights(encoding, shape[1], size)
        })
    }

    /// Keys and values of `kv_heads` heads.
    pub fn state(&mut self, kv_heads: usize, head_dim: usize) -> StateId {
        self.plan.states.push(StateSpec::FullKv { layer: self.plan.states.len(), kv_heads, head_dim });
        StateId(self.plan.states.len() - 1)
    }

    /// Rotations of `dim` dimensions.
    pub fn rope(&mut self, dim: usize) {
        let frequencies = (0..dim / 2).map(|i| 10_000f64.powf(-2.0 * i as f64 / dim as f64)).collect();
        self.plan.ropes.push(RopeTable { frequencies, factor: 1.0 });
    }

    /// An executor with two slots.
    ///
    /// # Errors
    /// The backend's.
    pub fn load(&self, backend: &dyn Backend) -> Result<Box<dyn Executor>, BackendError> {
        let mut executor = backend.load(Arc::new(self.plan.clone()), self, &mut |_, _| {})?;
        executor.allocate(2, CONTEXT)?;
        Ok(executor)
    }
}

/// Runs rows of `inputs`, `cols` each, as the chain of slot 0 from its start, in calls of `chunk` rows; the tokens are 0, 1, ...
/// modulo the vocabulary. Gives what is handed out.
///
/// # Errors
/// The executor's.
pub(super) fn chain(
    executor: &mut dyn Executor,
    inputs: &[f32],
    cols: usize,
    chunk: usize,
) -> Result<Vec<f32>, BackendError> {
    executor.truncate(0, 0)?;
    let (mut all, mut at, mut out) = (Vec::new(), 0, Outputs::default());
    let vocab = executor.plan().vocab as u32;
    for part in inputs.chunks(chunk * cols) {
        let mut rows = RowTable::new();
        let tokens: Vec<u32> = (at..).take(part.len() / cols).map(|t| t % vocab).collect();
        rows.push_chain(0, at, &tokens, 0, Wanted::Nothing);
        rows.set_inputs(part);
        executor.execute(0, &rows, &mut out)?;
        all.append(&mut out.taps);
        at += tokens.len() as u32;
    }
    Ok(all)
}
