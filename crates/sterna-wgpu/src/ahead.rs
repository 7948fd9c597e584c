//! Calls that are begun before they are asked for: plain greedy decoding feeds the best token of a call to the next one, and the
//! device can do that without the host. Tokens and positions of such calls stay in the call's buffer on the device; results come
//! back one after the other, and what was not asked for after all is dropped: its keys and values lie past the committed end.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, channel};

use sterna_plan::{BackendError, CallStats, Executor as _, Outputs, RowTable, Wanted};
use wgpu::{Buffer, BufferAsyncError, SubmissionIndex};

use crate::exec::{Back, GpuExecutor, logits, read};
use crate::gpu::Gpu;

/// Calls in flight.
pub(crate) const DEPTH: usize = 3;

/// One row of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    pub entry: usize,
    pub slot: usize,
    pub position: u32,
    pub token: u32,
}

/// A call that the device works on.
struct Flight {
    position: u32,
    /// Its place in the ring.
    at: usize,
    stats: CallStats,
    submission: SubmissionIndex,
    done: Receiver<Result<(), BufferAsyncError>>,
}

/// Calls that were begun, oldest first.
pub(crate) struct Ahead {
    flights: VecDeque<Flight>,
    /// Where their results go.
    ring: Vec<Buffer>,
    /// Place of the next one.
    at: usize,
    /// What a next call would be that follows the last one's best token.
    pub next: Option<Next>,
}

impl Ahead {
    pub fn new(gpu: &Gpu) -> Result<Self, BackendError> {
        let ring = (0..DEPTH).map(|_| gpu.readback(16)).collect::<Result<_, _>>()?;
        Ok(Self { flights: VecDeque::new(), ring, at: 0, next: None })
    }
}

impl GpuExecutor {
    /// The row of a call that could be begun ahead.
    pub(crate) fn single(&self, entry: usize, rows: &RowTable) -> Option<Next> {
        let plan = &self.plan().entries[entry];
        let alone = plan.input.is_none() && plan.taps.is_none() && logits(plan).is_some();
        let [row] = rows.rows() else { return None };
        let plain = alone && row.wanted == Wanted::Argmax && self.profile.is_none();
        plain.then_some(Next { entry, slot: row.sequence, position: row.position, token: row.token })
    }

    /// The result of the call that is `next`, if it was begun.
    pub(crate) fn take_ahead(&mut self, rows: &RowTable, out: &mut Outputs) -> Result<bool, BackendError> {
        let Some(next) = self.ahead.next else { return Ok(false) };
        let Some(flight) = self.ahead.flights.pop_front() else { return Ok(false) };
        debug_assert_eq!(flight.position, next.position);
        let buffer = self.ahead.ring[flight.at].clone();
        let bytes = self.landed(&flight, &buffer)?;
        if let Some(clock) = &mut self.clock {
            clock.read(&self.shared.gpu, 1 + flight.at)?;
        }
        let plan = self.plan().clone();
        let back = Back { logits: vec![None], taps: 16, bytes: 16 };
        let bad = read(&bytes, rows, logits(&plan.entries[next.entry]), &back, out);
        out.stats = flight.stats;
        match bad {
            None => Ok(true),
            Some(row) => {
                self.drop_ahead()?;
                Err(self.blame(next.entry, rows, row)?)
            }
        }
    }

    /// Waits for a call and takes its 16 bytes.
    fn landed(&self, flight: &Flight, buffer: &Buffer) -> Result<[u8; 16], BackendError> {
        let gpu = &self.shared.gpu;
        gpu.wait_for(&flight.submission)?;
        let device = |e: &dyn std::fmt::Display| BackendError::Device(e.to_string());
        flight.done.recv().map_err(|e| device(&e))?.map_err(|e| device(&e))?;
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&buffer.slice(..16).get_mapped_range().map_err(|e| device(&e))?[..16]);
        buffer.unmap();
        gpu.check().map(|()| bytes)
    }

    /// Begins calls after the last one, as many as may be in flight and the slot has room for.
    pub(crate) fn run_ahead(&mut self) -> Result<(), BackendError> {
        let Some(next) = self.ahead.next else { return Ok(()) };
        if self.ahead.flights.is_empty() {
            let row = [next.token, next.position, next.slot as u32, 0];
            // One row, one output; the best token becomes the row of the next call.
            let table: Vec<u32> = [1, 1, 1, 0].into_iter().chain(row).collect();
            self.shared.gpu.queue.write_buffer(&self.buffers.call, 0, bytemuck::cast_slice(&table));
        }
        loop {
            let position = next.position + self.ahead.flights.len() as u32;
            if self.ahead.flights.len() == DEPTH || position as usize >= self.pool.capacity {
                return Ok(());
            }
            let at = self.ahead.at;
            self.ahead.at = (at + 1) % DEPTH;
            let mut encoder = self.shared.gpu.encoder();
            let stats = self.encode_entry(&mut encoder, next.entry, [1, 1], 1 + at);
            let to = &self.ahead.ring[at];
            encoder.copy_buffer_to_buffer(&self.buffers.results, 0, to, 0, 16);
            let submission = self.shared.gpu.queue.submit([encoder.finish()]);
            let (tell, done) = channel();
            to.slice(..16).map_async(wgpu::MapMode::Read, move |result| {
                let _ = tell.send(result);
            });
            if let Some(clock) = &self.clock {
                clock.map(1 + at);
            }
            self.ahead.flights.push_back(Flight { position, at, stats, submission, done });
        }
    }

    /// Forgets calls that were begun.
    pub(crate) fn drop_ahead(&mut self) -> Result<(), BackendError> {
        self.ahead.next = None;
        while let Some(flight) = self.ahead.flights.pop_front() {
            let buffer = self.ahead.ring[flight.at].clone();
            self.landed(&flight, &buffer)?;
            if let Some(clock) = &mut self.clock {
                clock.read(&self.shared.gpu, 1 + flight.at)?;
            }
        }
        Ok(())
    }
}
