//! Activations as the kernels read them: rows of a call cut into blocks of a few columns, inputs of a block side by
//! side, so that a kernel's broadcasts walk one short stream.

use sterna_plan::numerics;

use crate::shared::Shared;

/// Inputs that share one of the sums in [`ActBlock::sub_sums`].
pub const SUM: usize = 16;

/// How the rows of a call are cut: as few blocks as allowed, their widths at most one apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    rows: usize,
    count: usize,
}

impl Blocks {
    /// Blocks of at most `widest` rows.
    pub fn new(rows: usize, widest: usize) -> Self {
        Self { rows, count: rows.div_ceil(widest) }
    }
    /// Rows in all.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of blocks.
    pub fn count(&self) -> usize {
        self.count
    }
    /// First row and width of block `b`.
    #[inline(always)]
    pub fn get(&self, b: usize) -> (usize, usize) {
        let (width, wider) = (self.rows / self.count, self.rows % self.count);
        (b * width + b.min(wider), width + usize::from(b < wider))
    }
    /// Block of a row.
    pub fn of(&self, row: usize) -> usize {
        let (width, wider) = (self.rows / self.count, self.rows % self.count);
        let edge = wider * (width + 1);
        if row < edge { row / (width + 1) } else { wider + (row - edge) / width.max(1) }
    }
}

/// Which forms of the activations an op's members read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forms {
    /// int8, four inputs together (integer weights).
    pub bytes: bool,
    /// f32 (float weights).
    pub floats: bool,
    /// Activation group of the integer forms; 0 without them.
    pub group: usize,
    /// Sums over [`SUM`] inputs (minima and sub-blocks of 4- and 8-bit weights).
    pub sub_sums: bool,
    /// Zero point of the weights whose kernels begin their sums with [`ActBlock::starts`]; 0 without them.
    pub bias: i32,
    /// Scale of the integer forms that the model names; 0 where each group has its own.
    pub input: f32,
    /// Integers of 16 bits: each row has two rows of bytes, the high ones first.
    pub wide: bool,
}

impl Forms {
    /// Rows of bytes for every row.
    pub fn byte_rows(&self) -> usize {
        if self.wide { 2 } else { 1 }
    }
}

/// Storage for the widest call and the widest input.
#[derive(Default)]
pub struct Acts {
    bytes: Vec<i8>,
    floats: Vec<f32>,
    scales: Vec<f32>,
    sums: Vec<i32>,
    starts: Vec<i32>,
    sub_sums: Vec<i16>,
}

impl Acts {
    /// Room for `rows` rows of `cols` inputs in every form of `forms`.
    pub fn reserve(&mut self, rows: usize, cols: usize, forms: Forms) {
        fn grow<T: Copy + Default>(v: &mut Vec<T>, n: usize) {
            if v.len() < n {
                v.resize(n, T::default());
            }
        }
        let n = rows * cols;
        if forms.bytes {
            grow(&mut self.bytes, n * forms.byte_rows());
        }
        if forms.floats {
            grow(&mut self.floats, n);
        }
        if let Some(groups) = n.checked_div(forms.group) {
            grow(&mut self.scales, groups);
            grow(&mut self.sums, groups);
            if forms.bias != 0 {
                grow(&mut self.starts, groups);
            }
        }
        if forms.sub_sums {
            grow(&mut self.sub_sums, n / SUM);
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.bytes.len()
            + 2 * self.sub_sums.len()
            + 4 * (self.floats.len() + self.scales.len() + self.sums.len() + self.starts.len())
    }

    /// A view that threads share.
    pub fn share(&mut self) -> SharedActs<'_> {
        SharedActs {
            bytes: Shared::new(&mut self.bytes),
            floats: Shared::new(&mut self.floats),
            scales: Shared::new(&mut self.scales),
            sums: Shared::new(&mut self.sums),
            starts: Shared::new(&mut self.starts),
            sub_sums: Shared::new(&mut self.sub_sums),
        }
    }
}

/// [`Acts`] inside a parallel run.
#[derive(Clone, Copy)]
pub struct SharedActs<'a> {
    bytes: Shared<'a, i8>,
    floats: Shared<'a, f32>,
    scales: Shared<'a, f32>,
    sums: Shared<'a, i32>,
    starts: Shared<'a, i32>,
    sub_sums: Shared<'a, i16>,
}

/// One block of rows.
#[derive(Clone, Copy)]
pub struct ActBlock<'a> {
    /// Rows in the block.
    pub width: usize,
    /// `[cols / 4][width][4]`; of int16, `[cols / 4][width][2][4]`, the high bytes first.
    pub bytes: &'a [i8],
    /// `[cols][width]`.
    pub floats: &'a [f32],
    /// `[cols / group][width]`.
    pub scales: &'a [f32],
    /// Sums of the int8 values, `[cols / group][width]`.
    pub sums: &'a [i32],
    /// The same times `-bias`: where a kernel's sums begin, so that weights can keep their zero point.
    pub starts: &'a [i32],
    /// Zero point of [`Self::starts`]; 0 without them.
    pub bias: i32,
    /// Sums of the int8 values over [`SUM`] inputs, `[cols / 32][width][2]`: at most 16 * 128, so an int16 holds one.
    pub sub_sums: &'a [i16],
}

impl ActBlock<'_> {
    /// Whole number `k` of column `c`.
    #[inline(always)]
    pub fn int(&self, wide: bool, k: usize, c: usize) -> i32 {
        let (four, i) = (k / 4 * self.width + c, k % 4);
        if wide {
            256 * i32::from(self.bytes[8 * four + i]) + i32::from(self.bytes[8 * four + 4 + i])
        } else {
            i32::from(self.bytes[4 * four + i])
        }
    }

    /// Sum of column `c`'s values over inputs `SUM * i .. SUM * (i + 1)`.
    #[inline(always)]
    pub fn sub_sum(&self, i: usize, c: usize) -> i32 {
        i32::from(self.sub_sums[(i / 2 * self.width + c) * 2 + i % 2])
    }
}

impl<'a> SharedActs<'a> {
    /// Writes row `row` in every form. `q` has room for the row, twice for int16.
    ///
    /// # Safety
    /// One thread writes a row, and none reads it before the next barrier.
    #[inline(always)]
    pub unsafe fn put(&self, blocks: Blocks, forms: Forms, row: usize, x: &[f32], q: &mut [i8]) {
        let (first, width) = blocks.get(blocks.of(row));
        let (lane, cols) = (row - first, x.len());
        if forms.floats {
            for (k, v) in x.iter().enumerate() {
                // SAFETY: this lane of the block belongs to the row.
                unsafe { self.floats.slice_mut(first * cols + k * width + lane, 1)[0] = *v };
            }
        }
        if forms.group == 0 {
            return;
        }
        if forms.wide {
            let (high, low) = q[..2 * cols].split_at_mut(cols);
            let d = numerics::quantize_wide(x, high, low);
            let sum = |q: &[i8]| q.iter().map(|v| i32::from(*v)).sum::<i32>();
            // SAFETY: as above.
            unsafe {
                self.scales.slice_mut(row, 1)[0] = d;
                self.sums.slice_mut(row, 1)[0] = 256 * sum(high) + sum(low);
            }
            for (k, (high, low)) in high.chunks_exact(4).zip(low.chunks_exact(4)).enumerate() {
                // SAFETY: as above.
                let out = unsafe { self.bytes.slice_mut(2 * first * cols + (k * width + lane) * 8, 8) };
                out[..4].copy_from_slice(high);
                out[4..].copy_from_slice(low);
            }
            return;
        }
        let groups = cols / forms.group;
        for (g, (x, q)) in x.chunks_exact(forms.group).zip(q.chunks_exact_mut(forms.group)).enumerate() {
            let d = if forms.input == 0.0 {
                numerics::quantize_group(x, q)
            } else {
                numerics::quantize_static(x, forms.input, q)
            };
            let at = first * groups + g * width + lane;
            let sum = q.iter().map(|v| i32::from(*v)).sum::<i32>();
            // SAFETY: as above.
            unsafe {
                self.scales.slice_mut(at, 1)[0] = d;
                self.sums.slice_mut(at, 1)[0] = sum;
                if forms.bias != 0 {
                    self.starts.slice_mut(at, 1)[0] = -forms.bias * sum;
                }
            }
        }
        let q = &q[..cols];
        if forms.bytes {
            for (k, four) in q.chunks_exact(4).enumerate() {
                // SAFETY: as above.
                let out = unsafe { self.bytes.slice_mut(first * cols + (k * width + lane) * 4, 4) };
                out.copy_from_slice(four);
            }
        }
        if forms.sub_sums {
            for (s, part) in q.chunks_exact(2 * SUM).enumerate() {
                // SAFETY: as above.
                let out =
                    unsafe { self.sub_sums.slice_mut(first * (cols / SUM) + (s * width + lane) * 2, 2) };
                for (out, part) in out.iter_mut().zip(part.chunks_exact(SUM)) {
                    *out = part.iter().map(|v| i16::from(*v)).sum();
                }
            }
        }
    }

    /// Block `b` of `blocks`.
    ///
    /// # Safety
    /// Its rows were written before the last barrier.
    #[inline(always)]
    pub unsafe fn block(&self, blocks: Blocks, forms: Forms, cols: usize, b: usize) -> ActBlock<'a> {
        let (first, width) = blocks.get(b);
        let part =
            |wanted: bool, per_row: usize| if wanted { (first * per_row, width * per_row) } else { (0, 0) };
        let groups = cols.checked_div(forms.group).unwrap_or(0);
        // SAFETY: the caller's promise; nobody writes between barriers.
        unsafe {
            let slice = |(at, n)| self.bytes.slice(at, n);
            ActBlock {
                width,
                bytes: slice(part(forms.bytes, cols * forms.byte_rows())),
                floats: {
                    let (at, n) = part(forms.floats, cols);
                    self.floats.slice(at, n)
                },
                scales: {
                    let (at, n) = part(groups > 0, groups);
                    self.scales.slice(at, n)
                },
                sums: {
                    let (at, n) = part(groups > 0, groups);
                    self.sums.slice(at, n)
                },
                starts: {
                    let (at, n) = part(groups > 0 && forms.bias != 0, groups);
                    self.starts.slice(at, n)
                },
                bias: forms.bias,
                sub_sums: {
                    let (at, n) = part(forms.sub_sums, cols / (2 * SUM) * 2);
                    self.sub_sums.slice(at, n)
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_every_row_once() {
        for rows in 1..200 {
            for widest in [1, 4, 6] {
                let blocks = Blocks::new(rows, widest);
                let mut next = 0;
                for b in 0..blocks.count() {
                    let (first, width) = blocks.get(b);
                    assert_eq!(first, next);
                    assert!((1..=widest).contains(&width));
                    for row in first..first + width {
                        assert_eq!(blocks.of(row), b);
                    }
                    next += width;
                }
                assert_eq!(next, rows);
            }
        }
    }
}
