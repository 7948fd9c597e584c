//! A slice that several threads write at disjoint places: the one door to shared mutable memory in this crate.

use std::marker::PhantomData;

/// A view of `&mut [T]` that can be copied to every worker of one parallel run.
///
/// The borrow keeps everybody else out; among the workers, the ranges handed out by [`Shared::slice_mut`] must not
/// overlap between two barriers.
#[derive(Clone, Copy)]
pub struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: access goes through `slice` and `slice_mut`, whose contracts forbid overlap between threads.
unsafe impl<T: Send + Sync> Send for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Wraps a slice for the length of its borrow.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), life: PhantomData }
    }

    /// As [`Shared::new`] without the borrow, so that views can be kept in a list that is reused from call to call.
    ///
    /// # Safety
    /// The view is dropped before the slice is moved, freed or borrowed otherwise.
    pub unsafe fn erased(slice: &mut [T]) -> Shared<'static, T> {
        Shared { start: slice.as_mut_ptr(), len: slice.len(), life: PhantomData }
    }

    /// Elements `at .. at + n` for reading.
    ///
    /// # Safety
    /// Nobody writes to that range until the next barrier.
    ///
    /// # Panics
    /// When the range is outside the slice: a bug in a plan, caught before memory is touched.
    #[inline(always)]
    pub unsafe fn slice(&self, at: usize, n: usize) -> &'a [T] {
        assert!(at.checked_add(n).is_some_and(|end| end <= self.len), "range {at}+{n} of {}", self.len);
        // SAFETY: inside the slice, alive for 'a, and the caller keeps writers away.
        unsafe { std::slice::from_raw_parts(self.start.add(at), n) }
    }

    /// Elements `at .. at + n` for writing.
    ///
    /// # Safety
    /// Nobody else reads or writes that range until the next barrier.
    ///
    /// # Panics
    /// As [`Shared::slice`].
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn slice_mut(&self, at: usize, n: usize) -> &'a mut [T] {
        assert!(at.checked_add(n).is_some_and(|end| end <= self.len), "range {at}+{n} of {}", self.len);
        // SAFETY: inside the slice, alive for 'a, and the caller has it alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), n) }
    }
}
