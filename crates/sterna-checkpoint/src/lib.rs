//! GGUF and Hugging Face checkpoints as typed, memory-mapped tensor views.
