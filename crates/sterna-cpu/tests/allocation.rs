//! A decode step allocates nothing.
#![allow(clippy::unwrap_used)] // helpers are no #[test] functions

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use sterna_cpu::{CpuBackend, CpuOptions};
use sterna_format::Encoding;
use sterna_plan::{Backend, Outputs, PlanOptions, RowTable, Wanted};
use sterna_ref::testing::{Encodings, TestModel, config, hybrid_config, plan};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_decode_step_allocates_nothing() {
    for (config, encoding) in [(config(), Encoding::TQ2_0), (hybrid_config(), Encoding::Q8_0)] {
        check(&TestModel::new(7, config, Encodings::new(encoding)).unwrap());
    }
}

fn check(model: &TestModel) {
    let backend = CpuBackend::new(CpuOptions { threads: 2, ..CpuOptions::default() });
    let mut executor =
        backend.load(plan(model, &PlanOptions::new(256)).unwrap(), model, &mut |_, _| {}).unwrap();
    executor.allocate(1, 256).unwrap();
    let (mut rows, mut out) = (RowTable::new(), Outputs::default());
    for wanted in [Wanted::Argmax, Wanted::Logits] {
        let mut before = 0;
        for i in 0..40 {
            // The first steps make room.
            if i == 3 {
                before = CALLS.load(Ordering::Relaxed);
            }
            let at = executor.committed()[0];
            rows.clear();
            rows.push_chain(0, at, &[at % 100], 1, wanted);
            executor.execute(0, &rows, &mut out).unwrap();
        }
        assert_eq!(CALLS.load(Ordering::Relaxed) - before, 0, "{wanted:?}");
    }
}
