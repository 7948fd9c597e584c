//! Interleaved measurement, gates and machine limits.
//!
//! Nothing here prints: every result is a typed value that serialises, and shows itself as a plain text table.
//!
//! * [`limits`]: what this machine can do (read bandwidth, integer and float peak).
//! * [`interleave`]: arms measured in turns, with the share of the CPU that others took.
//! * [`compare`]: whether one arm is slower than another, with an interval.
//! * [`mod@bench`]: call widths and generation of a model, against those limits.
//! * [`verify`], [`drafting`], [`dispatch`], [`memory`]: what a verify, a draft, a call and a model cost.
//! * [`record`]: all of it as JSON lines; [`report`]: such lines as a page.
//! * [`gate`]: the contract on a model: same bits at every width, and agreement with golden answers.
//! * [`trace`]: when a session's ops ran, for Perfetto.
//! * [`synthetic`]: seeded weights at true shapes; [`tokens`]: seeded token sequences.

pub mod bench;
pub mod clock;
pub mod command;
pub mod compare;
pub mod dispatch;
pub mod drafting;
pub mod gate;
pub mod interleave;
pub mod limits;
pub mod machine;
pub mod memory;
pub mod paired;
pub mod record;
pub mod report;
pub mod sensors;
pub mod stats;
pub mod synthetic;
mod table;
pub mod tokens;
pub mod trace;
pub mod verify;

pub use table::count;
