//! Matrix units are believed once they have shown, on this device, that they sum integers exactly: rows that they took together
//! must have the bits of the same rows taken without them.

use std::sync::Arc;

use sterna_format::Encoding;
use sterna_plan::{
    BackendError, Buffer, BufferId, BufferRows, Epilogue, Executor, Level, Linear, LinearNumerics, ModelPlan,
    Op, Outputs, Plan, Prologue, RowOrder, RowTable, Source, Wanted, Weight, WeightId, WeightSource,
    WeightSpec, WeightUse,
};

use crate::exec::{GpuExecutor, Shared};

const COLS: usize = 512;
const OUTS: usize = 64;
/// Enough for matrix units to be taken.
const ROWS: usize = 64;

/// One ternary matrix.
struct One(Vec<u8>);

impl WeightSource for One {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let (encoding, order) = (Encoding::TQ2_0, RowOrder::Plain);
        let data = self.0.as_slice();
        let weight = Weight { encoding, stored: encoding, rows: OUTS, cols: COLS, data, order };
        (name == "w").then_some(weight)
    }

    fn release(&self, _: &str) {}
}

/// Whether they are exact here, on sums of all sizes up to the largest.
///
/// # Errors
/// The device's.
pub(crate) fn matrix_units_are_exact(shared: &Shared) -> Result<bool, BackendError> {
    let encoding = Encoding::TQ2_0;
    let usage = WeightUse::Linear(LinearNumerics::Int8 { group: 256 });
    let each = encoding.row_bytes(COLS).map_err(|e| BackendError::Device(e.to_string()))?;
    let mut state = 1u32;
    let mut random = move || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        state >> 8
    };
    let mut data = vec![0; OUTS * each];
    for (n, bytes) in data.chunks_exact_mut(each).enumerate() {
        // Row 0 is all +1, row 1 all -1.
        let weights: Vec<f32> = (0..COLS)
            .map(|_| match n {
                0 => 1.0,
                1 => -1.0,
                _ => (random() % 3) as f32 - 1.0,
            })
            .collect();
        sterna_format::encode_row(encoding, &weights, bytes)
            .map_err(|e| BackendError::Device(e.to_string()))?;
    }
    let buffer = |name, cols| Buffer { name, cols, rows: BufferRows::Call };
    let (input, out) = (buffer("input", COLS), buffer("out", OUTS));
    let linear = Linear {
        source: Source::Given,
        prologue: Prologue::None,
        members: vec![WeightId(0)],
        input: input.all(BufferId(0)),
        out: out.all(BufferId(1)),
        epilogue: Epilogue::Store,
    };
    let entry = Plan {
        name: "proof".into(),
        width: ROWS,
        buffers: vec![input, out],
        ops: vec![Op::Linear(linear)],
        input: Some(BufferId(0)),
        taps: Some(BufferId(1)),
        level: Level::Exact,
    };
    let plan = ModelPlan {
        entries: vec![entry],
        weights: vec![WeightSpec { name: "w".into(), encoding, rows: OUTS, cols: COLS, usage }],
        states: vec![],
        ropes: vec![],
        vocab: 1,
        padded_vocab: 64,
        context: ROWS,
        attention_piece: 64,
    };
    // The largest activations of one sign against rows 0 and 1 make the largest sums.
    let values: Vec<f32> = (0..ROWS * COLS)
        .map(|i| match i / COLS {
            0 => 1.0,
            1 => -1.0,
            _ => random() as f32 / (1 << 23) as f32 - 1.0,
        })
        .collect();
    let mut executor = GpuExecutor::load(shared.clone(), Arc::new(plan), &One(data), &mut |_, _| {})?;
    executor.allocate(1, ROWS)?;
    let mut run = |rows: usize| {
        let mut bits: Vec<u32> = Vec::new();
        executor.truncate(0, 0)?;
        for (i, part) in values.chunks(rows * COLS).enumerate() {
            let (mut table, mut out) = (RowTable::new(), Outputs::default());
            let first = u32::try_from(i * rows).unwrap_or(u32::MAX);
            table.push_chain(0, first, &vec![0; part.len() / COLS], 0, Wanted::Nothing);
            table.set_inputs(part);
            executor.execute(0, &table, &mut out)?;
            bits.extend(out.taps.iter().map(|v| v.to_bits()));
        }
        Ok::<_, BackendError>(bits)
    };
    Ok(run(ROWS)? == run(4)?)
}
