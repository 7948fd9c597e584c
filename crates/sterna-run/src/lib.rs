//! Sessions: prefill, decode, sampling, stop conditions, chat templates.
//!
//! This crate sees plans and states only, never an architecture or a device.

pub mod chat;
mod decode;
mod generate;
pub mod sample;
mod session;
pub mod speculate;
pub mod stop;
pub mod stream;
pub mod trace;

pub use generate::{Drafts, Finish, GenerateError, Generated, Listener, Request, Silent, generate};
pub use sample::SamplingParams;
pub use session::{Session, SessionError};
