//! Architectures, name maps and the Sterna bundle file.
