//! Sessions: prefill, decode, sampling, stop conditions, chat templates.

pub mod chat;
pub mod sample;
pub mod stop;
pub mod stream;
