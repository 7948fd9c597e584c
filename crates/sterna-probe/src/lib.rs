//! Interleaved measurement, gates and machine limits.

pub mod synthetic;
