//! Plain Rust reference backend: the law every kernel is tested against.
