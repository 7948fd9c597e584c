//! Weight encodings of the Sterna engine: block layouts, scalar decode and encode, integer views.
//!
//! One file per encoding. Each holds the `#[repr(C)]` block as it lies in a file, a compile-time size
//! assert, a scalar decoder and encoder, and a test against a frozen block. There is no I/O here, and every
//! byte slice is taken to be hostile: a wrong length or a forbidden code is a [`FormatError`], never a panic.
//!
//! A *row* is the `K` weights that one output neuron multiplies with its input. Rows are encoded one after
//! the other with no padding, so `K` must divide by [`Encoding::block_len`].
//!
//! * [`decode_row`] and [`encode_row`] go between bytes and `f32` values.
//! * [`int_row`] takes an integer encoding apart into codes and scales, all under one law:
//!   `value[k] = d[k/G]·sc[k/g]·(code[k] − zero) − dmin[k/G]·mn[k/g]` (see [`IntLayout`]).
//! * [`i2_s`] makes ternary rows of a format whose one scale lies outside the rows.
//! * [`ternary`] defines the engine's own packed ternary row, [`per_row`] rows of 2, 4 and 8 bits with one scale.

#![deny(unsafe_code)]

mod block;
mod encoding;
mod error;
mod int;
mod k_scales;
mod row;
mod search;
#[cfg(test)]
mod testing;

pub mod dense;
pub mod i2_s;
pub mod per_row;
pub mod pq2_0;
pub mod q2_0;
pub mod q4_0;
pub mod q4_1;
pub mod q4_k;
pub mod q5_k;
pub mod q6_k;
pub mod q8_0;
pub mod ternary;
pub mod tq1_0;
pub mod tq2_0;

pub use block::Block;
pub use encoding::{Encoding, ScaleGroup};
pub use error::FormatError;
pub use int::{IntLayout, IntRow};
pub use per_row::{CodeBits, midpoint_from_twos_complement};
pub use row::{decode_row, encode_row, int_row};
pub use ternary::{TernaryFit, pack_ternary_row, ternary_from_codes};
