//! A global allocator that counts what the current thread has allocated, and refuses past a hard bound.
#![allow(dead_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Past this many bytes on one thread an allocation fails, which aborts the process.
const HARD: isize = 512 << 20;

/// Called before that, to save what led there.
pub static BEFORE_ABORT: OnceLock<fn()> = OnceLock::new();

pub struct Counting;

fn add(bytes: isize) -> bool {
    NOW.with(|now| {
        let value = now.get() + bytes;
        if value > HARD {
            if let Some(call) = BEFORE_ABORT.get() {
                call();
            }
            return false;
        }
        now.set(value);
        PEAK.with(|peak| peak.set(peak.get().max(value)));
        true
    })
}

// SAFETY: every call goes to the system allocator with the caller's own arguments; the counters are plain
// thread-local integers without destructors, so reading them never allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !add(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new: usize) -> *mut u8 {
        // Old and new may live side by side while one is copied to the other.
        if !add(new as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `realloc`.
        let out = unsafe { System.realloc(ptr, layout, new) };
        add(-(layout.size() as isize));
        out
    }
}

/// Runs `call` and returns its result with the largest number of bytes that this thread held during the call
/// beyond what it held before.
pub fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let out = call();
    let peak = PEAK.with(Cell::get);
    (out, (peak - before).max(0) as usize)
}
