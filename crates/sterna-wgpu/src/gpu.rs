//! An open device: buffers with typed errors, and bytes back from it.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use sterna_plan::BackendError;
use wgpu::{Buffer, BufferUsages, CommandEncoder, ErrorFilter, PollType};

use crate::adapter::{self, AdapterFacts, Choice, DeviceError, Opened};

/// Bytes that are on their way to a device before the loader waits.
const IN_FLIGHT: usize = 64 << 20;

/// A device and what it said that nobody asked for.
pub(crate) struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub facts: AdapterFacts,
    /// What compiled kernels of this adapter are called; `None` where they cannot be had.
    pub cache_key: Option<String>,
    /// The first error outside of a scope: after it nothing that the device computes is believed.
    failed: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    pub fn open(choice: &Choice) -> Result<Self, DeviceError> {
        let Opened { facts, device, queue, cache_key } = adapter::open(choice)?;
        let failed = Arc::new(Mutex::new(None));
        let (on_error, on_loss) = (Arc::clone(&failed), Arc::clone(&failed));
        // wgpu's own handler panics.
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| note(&on_error, e.to_string())));
        device.set_device_lost_callback(move |reason, text| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&on_loss, format!("the device was lost: {text}"));
            }
        });
        Ok(Self { device, queue, facts, cache_key, failed })
    }

    /// Fails once the device has failed.
    pub fn check(&self) -> Result<(), BackendError> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            None => Ok(()),
            Some(why) => Err(BackendError::Device(why.clone())),
        }
    }

    /// Largest buffer that a kernel sees as a whole, in bytes.
    pub fn most_bytes(&self) -> u64 {
        // 32-bit indices of words, and drivers that count bytes in signed 32 bits.
        self.facts.buffer_bytes.min(self.facts.binding_bytes).min(i32::MAX as u64) / 16 * 16
    }

    /// A zeroed buffer of at least `bytes` that kernels and copies may use.
    pub fn buffer(&self, bytes: u64, what: &'static str) -> Result<Buffer, BackendError> {
        self.make(bytes, BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC, what)
    }

    /// A buffer of parameters.
    pub fn uniform(&self, bytes: u64) -> Result<Buffer, BackendError> {
        self.make(bytes, BufferUsages::UNIFORM | BufferUsages::COPY_DST, "parameters of kernels")
    }

    /// A buffer to read results from.
    pub fn readback(&self, bytes: u64) -> Result<Buffer, BackendError> {
        self.make(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST, "results")
    }

    /// A buffer for any use.
    pub fn make(&self, bytes: u64, usage: BufferUsages, what: &'static str) -> Result<Buffer, BackendError> {
        let size = bytes.max(16).next_multiple_of(16);
        if size > self.most_bytes() {
            let most = self.most_bytes();
            let what = format!("{what} of {bytes} bytes in one buffer: {} takes {most}", self.facts.name);
            return Err(BackendError::Unsupported { backend: "gpu", what });
        }
        let memory = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let descriptor = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        match pollster::block_on(memory.pop()) {
            None => self.check().map(|()| buffer),
            Some(_) => {
                Err(BackendError::Memory { bytes: usize::try_from(bytes).unwrap_or(usize::MAX), what })
            }
        }
    }

    /// Submits, waits, and hands over the first `bytes` of `from`.
    pub fn submit_and_read<R>(
        &self,
        encoder: CommandEncoder,
        from: &Buffer,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, BackendError> {
        self.queue.submit([encoder.finish()]);
        let (tell, hear) = channel();
        let slice = from.slice(..bytes.max(16).next_multiple_of(16));
        slice.map_async(wgpu::MapMode::Read, move |done| {
            let _ = tell.send(done);
        });
        self.wait()?;
        let mapped = hear.recv().map_err(|e| BackendError::Device(e.to_string()))?;
        mapped.map_err(|e| BackendError::Device(e.to_string()))?;
        let view = slice.get_mapped_range().map_err(|e| BackendError::Device(e.to_string()))?;
        let result = read(&view[..usize::try_from(bytes).unwrap_or(0)]);
        drop(view);
        from.unmap();
        self.check().map(|()| result)
    }

    /// Waits until the device has done all that it was given.
    pub fn wait(&self) -> Result<(), BackendError> {
        self.device.poll(PollType::wait_indefinitely()).map_err(|e| BackendError::Device(e.to_string()))?;
        self.check()
    }

    /// Waits until the device has done what was submitted up to here.
    pub fn wait_for(&self, submission: &wgpu::SubmissionIndex) -> Result<(), BackendError> {
        let wait = PollType::Wait { submission_index: Some(submission.clone()), timeout: None };
        self.device.poll(wait).map_err(|e| BackendError::Device(e.to_string()))?;
        self.check()
    }

    pub fn encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }
}

fn note(failed: &Mutex<Option<String>>, text: String) {
    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
}

/// Fills buffers from front to back without piling up what is on its way.
pub(crate) struct Upload<'a> {
    gpu: &'a Gpu,
    sent: usize,
}

impl<'a> Upload<'a> {
    pub fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, sent: 0 }
    }

    /// Writes words at a byte offset.
    pub fn write(&mut self, to: &Buffer, offset: u64, words: &[u32]) -> Result<(), BackendError> {
        if words.is_empty() {
            return Ok(());
        }
        self.gpu.queue.write_buffer(to, offset, bytemuck::cast_slice(words));
        self.sent += 4 * words.len();
        if self.sent >= IN_FLIGHT { self.flush() } else { Ok(()) }
    }

    /// Waits for all of it.
    pub fn flush(&mut self) -> Result<(), BackendError> {
        self.sent = 0;
        self.gpu.queue.submit([]);
        self.gpu.wait()
    }
}

/// Calls whose times may be on their way at once: one that is waited for, and those that are begun ahead.
const TIMED: usize = 1 + crate::ahead::DEPTH;

/// Which pass of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The only one.
    Both,
    /// Others follow.
    First,
    /// Others came before.
    Last,
}

/// How long the device worked on passes, by its own clock.
pub(crate) struct Clock {
    queries: wgpu::QuerySet,
    raw: Buffer,
    read: Vec<Buffer>,
    /// Seconds of a tick, and ticks so far.
    period: f64,
    ticks: u64,
}

impl Clock {
    /// `None` for a device without a clock.
    pub fn new(gpu: &Gpu) -> Result<Option<Self>, BackendError> {
        if !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Ok(None);
        }
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2 * TIMED as u32,
        });
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let raw = gpu.make(256 * TIMED as u64, usage, "times")?;
        let read = (0..TIMED).map(|_| gpu.readback(16)).collect::<Result<_, _>>()?;
        let period = f64::from(gpu.queue.get_timestamp_period()) * 1e-9;
        Ok(Some(Self { queries, raw, read, period, ticks: 0 }))
    }

    /// What the passes of a call write: the first notes its beginning, the last its end.
    pub fn writes(&self, slot: usize, ends: Ends) -> wgpu::ComputePassTimestampWrites<'_> {
        let (begin, end) = (2 * slot as u32, 2 * slot as u32 + 1);
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: (ends != Ends::Last).then_some(begin),
            end_of_pass_write_index: (ends != Ends::First).then_some(end),
        }
    }

    /// Brings a pass's times to where they can be read.
    pub fn resolve(&self, encoder: &mut CommandEncoder, slot: usize) {
        let (at, first) = (256 * slot as u64, 2 * slot as u32);
        encoder.resolve_query_set(&self.queries, first..first + 2, &self.raw, at);
        encoder.copy_buffer_to_buffer(&self.raw, at, &self.read[slot], 0, 16);
    }

    /// Asks for a pass's times after its submission.
    pub fn map(&self, slot: usize) {
        self.read[slot].slice(..16).map_async(wgpu::MapMode::Read, |_| {});
    }

    /// Adds the time of a pass that is done and whose times were asked for, or are asked for now.
    pub fn read(&mut self, gpu: &Gpu, slot: usize) -> Result<(), BackendError> {
        if slot == 0 {
            self.map(slot);
            gpu.wait()?;
        }
        let slice = self.read[slot].slice(..16);
        if let Ok(view) = slice.get_mapped_range() {
            let word = |at: usize| <[u8; 8]>::try_from(&view[at..at + 8]).map_or(0, u64::from_le_bytes);
            self.ticks += word(8).saturating_sub(word(0));
        }
        self.read[slot].unmap();
        Ok(())
    }

    /// All of it.
    pub fn total(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(self.ticks as f64 * self.period)
    }
}
