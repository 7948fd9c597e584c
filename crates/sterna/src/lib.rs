//! Run low-bit language models: the facade library behind the `sterna` command.
