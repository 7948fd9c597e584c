//! Sessions: prefill, decode, sampling, stop conditions, chat templates.
