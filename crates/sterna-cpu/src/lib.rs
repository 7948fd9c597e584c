//! CPU backend: packed layouts, vec and mat kernels, thread pool.
