//! What identifies a tokenizer, a text or a sequence of tokens: SHA-256, as hexadecimal.

use sha2::{Digest, Sha256};
use sterna_checkpoint::Tokenizer;

/// SHA-256 of bytes.
pub fn bytes(data: &[u8]) -> String {
    hex(&Sha256::digest(data))
}

/// SHA-256 of token ids, 32 bits each, little endian, each sequence after its length.
pub(super) fn tokens<'a>(sequences: impl IntoIterator<Item = &'a [u32]>) -> String {
    let mut sha = Sha256::new();
    for ids in sequences {
        sha.update((ids.len() as u64).to_le_bytes());
        for id in ids {
            sha.update(id.to_le_bytes());
        }
    }
    hex(&sha.finalize())
}

/// SHA-256 of what a tokenizer makes of every id: its bytes, whether it is special, and the begin and end tokens. A
/// tokenizer that was rebuilt from a GGUF file has the fingerprint of the original.
pub fn tokenizer(tokenizer: &Tokenizer) -> String {
    let mut sha = Sha256::new();
    for id in 0..u32::try_from(tokenizer.vocab_size()).unwrap_or(u32::MAX) {
        let bytes = tokenizer.token_bytes(id);
        sha.update([u8::from(bytes.is_some()), u8::from(tokenizer.is_special(id))]);
        let bytes = bytes.unwrap_or_default();
        sha.update((bytes.len() as u64).to_le_bytes());
        sha.update(&bytes);
    }
    let config = tokenizer.config();
    let mut eos = config.eos.clone();
    eos.sort_unstable();
    sha.update([u8::from(config.add_bos), u8::from(config.bos.is_some())]);
    sha.update(config.bos.unwrap_or(0).to_le_bytes());
    for id in eos {
        sha.update(id.to_le_bytes());
    }
    hex(&sha.finalize())
}

fn hex(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count() {
        assert_eq!(bytes(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let (a, b) = ([1, 2], [3]);
        assert_ne!(tokens([&a[..], &b[..]]), tokens([&[1, 2, 3][..]]));
        assert_ne!(tokens([&a[..], &b[..]]), tokens([&a[..1], &[2, 3][..]]));
        assert_eq!(tokens([&a[..]]), tokens([&[1u32, 2][..]]));
    }
}
