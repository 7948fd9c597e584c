//! A named tensor inside a checkpoint.

use sterna_format::{Encoding, decode_row};

use crate::CheckpointError;
use crate::error::shorten;

/// A named tensor: its encoding, its shape and exactly the bytes that these need.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    /// The name in the file.
    pub name: &'a str,
    /// How a row is stored.
    pub encoding: Encoding,
    /// Dimensions, outermost first: `[rows, cols]`, or `[n]`. Never empty, and no dimension is 0.
    pub shape: &'a [usize],
    /// The rows one after the other, without padding.
    pub data: &'a [u8],
}

impl TensorView<'_> {
    /// Rows: the product of all dimensions but the last, 1 for a vector.
    pub fn rows(&self) -> usize {
        match self.shape.split_last() {
            None => 0,
            Some((_, outer)) => outer.iter().product(),
        }
    }

    /// Weights in a row: the last dimension.
    pub fn cols(&self) -> usize {
        self.shape.last().copied().unwrap_or(0)
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.data.len().checked_div(self.rows()).unwrap_or(0)
    }

    /// The bytes of row `i`, `None` past the end.
    pub fn row(&self, i: usize) -> Option<&[u8]> {
        let each = self.row_bytes();
        let start = i.checked_mul(each)?;
        self.data.get(start..start.checked_add(each)?).filter(|_| i < self.rows())
    }

    /// All values, decoded. Four bytes per weight: for norms, tests and tools, not for whole models.
    ///
    /// # Errors
    /// [`CheckpointError::Encoding`] when the bytes hold a forbidden code.
    pub fn to_f32(&self) -> Result<Vec<f32>, CheckpointError> {
        let (rows, cols) = (self.rows(), self.cols());
        let count = rows
            .checked_mul(cols)
            .ok_or_else(|| CheckpointError::tensor(self.name, "more values than memory can hold"))?;
        let mut out = vec![0.0; count];
        if count > 0 {
            for (bytes, values) in self.data.chunks_exact(self.row_bytes()).zip(out.chunks_exact_mut(cols)) {
                decode_row(self.encoding, bytes, values)
                    .map_err(|source| CheckpointError::Encoding { name: shorten(self.name), source })?;
            }
        }
        Ok(out)
    }
}
