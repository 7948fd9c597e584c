//! A model as data: fused LLM ops over named buffers, entry points, backend interface.
