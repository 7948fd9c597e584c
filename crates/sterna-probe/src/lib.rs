//! Interleaved measurement, gates and machine limits.
