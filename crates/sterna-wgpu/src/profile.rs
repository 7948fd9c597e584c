//! How long each op of a call takes: by the device's clock, a pass for each op, or, where there is none, from an op's submission
//! until the device is done with it.

use std::sync::Arc;
use std::time::Instant;

use sterna_plan::{BackendError, CallStats, Executor as _, OpTime};
use wgpu::{Buffer, BufferUsages};

use crate::exec::GpuExecutor;
use crate::gpu::Gpu;

/// Most ops of an entry point that are timed by the device: a set of queries has 4,096.
const MOST_OPS: usize = 2048;

#[derive(Default)]
pub(crate) struct Profile {
    entry: usize,
    pub times: Vec<OpTime>,
    marks: Option<Marks>,
}

/// Where the clock is noted at the beginning and the end of every op.
struct Marks {
    queries: wgpu::QuerySet,
    raw: Buffer,
    read: Buffer,
    ops: usize,
}

impl Marks {
    fn new(gpu: &Gpu, ops: usize) -> Result<Self, BackendError> {
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2 * ops as u32,
        });
        let bytes = 16 * ops as u64;
        let raw = gpu.make(bytes, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC, "times")?;
        Ok(Self { queries, raw, read: gpu.readback(bytes)?, ops })
    }
}

impl GpuExecutor {
    /// Every op of a call by itself.
    pub(crate) fn step_by_step(&mut self, entry: usize, counts: [u32; 2]) -> Result<CallStats, BackendError> {
        let ops = self.plan().entries[entry].ops.len();
        let (stats, nanos) = if self.clock.is_some() && (1..=MOST_OPS).contains(&ops) {
            self.by_the_device(entry, counts, ops)?
        } else {
            self.by_the_host(entry, counts, ops)?
        };
        let plan = Arc::clone(self.plan());
        if let Some(profile) = &mut self.profile {
            if profile.entry != entry || profile.times.len() != nanos.len() {
                profile.entry = entry;
                let named = |op| OpTime { name: plan.op_label(op), ..OpTime::default() };
                profile.times = plan.entries[entry].ops.iter().map(named).collect();
            }
            profile.times.iter_mut().zip(nanos).for_each(|(t, n)| t.nanos += n);
        }
        Ok(stats)
    }

    fn by_the_device(
        &mut self,
        entry: usize,
        counts: [u32; 2],
        ops: usize,
    ) -> Result<(CallStats, Vec<u64>), BackendError> {
        let gpu = Arc::clone(&self.shared.gpu);
        let kept = self.profile.as_mut().and_then(|p| p.marks.take()).filter(|m| m.ops == ops);
        let marks = kept.map_or_else(|| Marks::new(&gpu, ops), Ok)?;
        let mut stats = CallStats::default();
        let mut encoder = gpu.encoder();
        for op in 0..ops {
            let writes = wgpu::ComputePassTimestampWrites {
                query_set: &marks.queries,
                beginning_of_pass_write_index: Some(2 * op as u32),
                end_of_pass_write_index: Some(2 * op as u32 + 1),
            };
            let cost = self.encode_op(&mut encoder, entry, op, counts, Some(writes));
            stats.weight_bytes += cost.weight_bytes;
            stats.macs += cost.macs;
        }
        encoder.resolve_query_set(&marks.queries, 0..2 * ops as u32, &marks.raw, 0);
        encoder.copy_buffer_to_buffer(&marks.raw, 0, &marks.read, 0, 16 * ops as u64);
        let period = f64::from(gpu.queue.get_timestamp_period());
        let nanos = gpu.submit_and_read(encoder, &marks.read, 16 * ops as u64, |bytes| {
            let word = |at: usize| <[u8; 8]>::try_from(&bytes[at..at + 8]).map_or(0, u64::from_le_bytes);
            let one = |op: usize| word(16 * op + 8).saturating_sub(word(16 * op)) as f64 * period;
            // A clock too coarse for an op still says that it ran.
            (0..ops).map(|op| (one(op) as u64).max(1)).collect()
        })?;
        if let Some(profile) = &mut self.profile {
            profile.marks = Some(marks);
        }
        Ok((stats, nanos))
    }

    fn by_the_host(
        &mut self,
        entry: usize,
        counts: [u32; 2],
        ops: usize,
    ) -> Result<(CallStats, Vec<u64>), BackendError> {
        let (mut stats, mut nanos) = (CallStats::default(), Vec::new());
        for op in 0..ops {
            let start = Instant::now();
            let mut encoder = self.shared.gpu.encoder();
            let cost = self.encode_op(&mut encoder, entry, op, counts, None);
            self.shared.gpu.queue.submit([encoder.finish()]);
            self.shared.gpu.wait()?;
            nanos.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
            stats.weight_bytes += cost.weight_bytes;
            stats.macs += cost.macs;
        }
        Ok((stats, nanos))
    }
}
