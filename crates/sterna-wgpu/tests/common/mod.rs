//! An adapter for the tests, and small plans around single ops.
#![allow(clippy::unwrap_used, dead_code)] // helpers are no #[test] functions; not every test program uses all

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use sterna_plan::{
    Backend, BackendError, Buffer, BufferId, BufferRows, Executor, Level, ModelPlan, Op, Outputs, Plan,
    RopeTable, RowTable, Slice, StateSpec, Wanted, Weight, WeightSource, WeightSpec,
};
use sterna_wgpu::{Choice, DeviceError, WgpuBackend, WgpuOptions, adapters};

/// The backend that tests run on: the best GPU, or a driver in software. Without any a test is skipped and says so, but where
/// CI is set it fails.
pub fn backend() -> Option<&'static WgpuBackend> {
    static BACKEND: OnceLock<Option<WgpuBackend>> = OnceLock::new();
    let backend = BACKEND.get_or_init(|| match open(1 << 30) {
        Ok(backend) => {
            eprintln!("tests run on {}", backend.limits().description);
            Some(backend)
        }
        Err(why) => {
            let ci = option_env!("CI").is_some_and(|v| !v.is_empty());
            assert!(
                !ci,
                "CI needs an adapter (Debian: apt-get install mesa-vulkan-drivers libvulkan1): {why}"
            );
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED, no adapter (Debian: apt-get install mesa-vulkan-drivers libvulkan1): {why}"
            );
            None
        }
    });
    backend.as_ref()
}

/// The same adapter with weights in buffers of at most so many bytes.
pub fn open(buffer_bytes: u64) -> Result<WgpuBackend, DeviceError> {
    let best = WgpuBackend::new(&WgpuOptions { choice: Choice::Best, buffer_bytes, cache: None });
    let usable = adapters().into_iter().find(|a| a.missing.is_empty());
    match (best, usable) {
        (Err(_), Some(a)) => {
            WgpuBackend::new(&WgpuOptions { choice: Choice::Index(a.index), buffer_bytes, cache: None })
        }
        (best, _) => best,
    }
}

/// Weights by name.
#[derive(Default)]
pub struct Source {
    weights: Vec<(String, sterna_format::Encoding, usize, usize, Vec<u8>)>,
}

impl Source {
    /// Adds one and gives its bytes' place.
    pub fn add(&mut self, spec: &WeightSpec, data: Vec<u8>) {
        self.weights.push((spec.name.clone(), spec.encoding, spec.rows, spec.cols, data));
    }
}

impl WeightSource for Source {
    fn weight(&self, name: &str) -> Option<Weight<'_>> {
        let (_, encoding, rows, cols, data) = self.weights.iter().find(|w| w.0 == name)?;
        let order = sterna_plan::RowOrder::Plain;
        Some(Weight { encoding: *encoding, stored: *encoding, rows: *rows, cols: *cols, data, order })
    }
    fn release(&self, _: &str) {}
}

/// A plan of a few ops: buffer 0 is filled by the caller, `taps` is handed out.
pub struct Bench {
    pub plan: ModelPlan,
    pub source: Source,
}

impl Bench {
    /// Buffers by their columns; ops are added later.
    pub fn new(cols: &[usize], taps: usize) -> Self {
        let names = ["b0", "b1", "b2", "b3", "b4"];
        let buffers =
            cols.iter().zip(names).map(|(cols, name)| Buffer { name, cols: *cols, rows: BufferRows::Call });
        let entry = Plan {
            name: "main".into(),
            width: 128,
            buffers: buffers.collect(),
            ops: vec![],
            input: Some(BufferId(0)),
            taps: Some(BufferId(taps)),
            level: Level::Exact,
        };
        let plan = ModelPlan {
            weights: vec![],
            states: vec![],
            entries: vec![entry],
            ropes: vec![],
            vocab: 1000,
            padded_vocab: 1024,
            context: 512,
            attention_piece: 64,
        };
        Self { plan, source: Source::default() }
    }

    pub fn weight(&mut self, spec: WeightSpec, data: Vec<u8>) -> sterna_plan::WeightId {
        self.source.add(&spec, data);
        self.plan.weights.push(spec);
        sterna_plan::WeightId(self.plan.weights.len() - 1)
    }

    pub fn op(&mut self, op: Op) -> &mut Self {
        self.plan.entries[0].ops.push(op);
        self
    }

    pub fn slice(&self, buffer: usize) -> Slice {
        self.plan.entries[0].buffers[buffer].all(BufferId(buffer))
    }

    pub fn state(&mut self, kv_heads: usize, head_dim: usize) -> sterna_plan::StateId {
        self.plan.states.push(StateSpec::FullKv { layer: 0, kv_heads, head_dim });
        sterna_plan::StateId(self.plan.states.len() - 1)
    }

    pub fn rope(&mut self, dim: usize) {
        let frequencies = (0..dim / 2).map(|i| 10_000f64.powf(-2.0 * i as f64 / dim as f64)).collect();
        self.plan.ropes.push(RopeTable { frequencies, factor: 1.0 });
    }

    pub fn load(&self, backend: &dyn Backend, slots: usize) -> Result<Box<dyn Executor>, BackendError> {
        let mut executor = backend.load(Arc::new(self.plan.clone()), &self.source, &mut |_, _| {})?;
        executor.allocate(slots, 512)?;
        Ok(executor)
    }
}

/// Runs rows of `inputs` as the chain of slot 0 from its committed end, in calls of `chunk` rows.
pub fn chain(executor: &mut dyn Executor, inputs: &[f32], cols: usize, chunk: usize) -> Vec<f32> {
    let mut all = Vec::new();
    for part in inputs.chunks(chunk * cols) {
        let mut rows = RowTable::new();
        let tokens = vec![0; part.len() / cols];
        rows.push_chain(0, executor.committed()[0], &tokens, 0, Wanted::Nothing);
        rows.set_inputs(part);
        let mut out = Outputs::default();
        executor.execute(0, &rows, &mut out).unwrap();
        all.extend(out.taps);
    }
    all
}

/// Bits of floats.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Largest difference over the largest size of what is wanted.
pub fn off(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    let size = want.iter().fold(1e-30f32, |m, v| m.max(v.abs()));
    let worst = got
        .iter()
        .zip(want)
        .map(|(g, w)| if g == w { 0.0 } else { (g - w).abs() })
        .fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m });
    worst / size
}
