//! Token bytes to text. A character may be spread over several tokens.

/// Turns a stream of bytes into text, holding back a character until its last byte is there. Bytes that are
/// not UTF-8 become U+FFFD exactly as [`String::from_utf8_lossy`] makes of the whole stream.
#[derive(Clone, Debug, Default)]
pub struct Utf8Stream {
    held: Vec<u8>,
}

impl Utf8Stream {
    /// An empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and gives the text that is complete.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut text = String::new();
        let mut rest = self.held.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    rest = &[];
                    break;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                    rest = after;
                    // No length: the sequence is cut off by the end and may still become whole.
                    let Some(bad) = error.error_len() else { break };
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = &rest[bad..];
                }
            }
        }
        let done = self.held.len() - rest.len();
        self.held.drain(..done);
        text
    }

    /// The stream has ended: a character that stayed incomplete becomes U+FFFD.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.held)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::draw_bits;

    #[test]
    fn any_chunking_equals_from_utf8_lossy_of_all_bytes() {
        // Whole characters of each length, and bytes that begin, continue or break one.
        let pieces: [&[u8]; 14] = [
            b"a",
            "é".as_bytes(),
            "日".as_bytes(),
            "😀".as_bytes(),
            &[0xe6],
            &[0xe6, 0x97],
            &[0xf0, 0x9f],
            &[0xf0, 0x9f, 0x98],
            &[0x80],
            &[0xff],
            &[0xc0, 0xaf],
            &[0xed, 0xa0, 0x80],
            &[0xf4, 0x90],
            &[0xe0, 0x80],
        ];
        let (mut replaced, mut waited) = (0, 0);
        for case in 0..4000u64 {
            let mut at = 0;
            let mut below = |n: usize| {
                at += 1;
                (draw_bits(case, at) % n as u64) as usize
            };
            let n = below(20);
            let bytes: Vec<u8> = (0..n).flat_map(|_| pieces[below(pieces.len())]).copied().collect();
            let (mut stream, mut got, mut rest) = (Utf8Stream::new(), String::new(), bytes.as_slice());
            while !rest.is_empty() {
                let (now, later) = rest.split_at((below(4)).min(rest.len()));
                got += &stream.push(now);
                waited += usize::from(!stream.held.is_empty());
                assert!(stream.held.len() < 4);
                rest = later;
            }
            got += &stream.finish();
            assert_eq!(got, String::from_utf8_lossy(&bytes), "case {case}: {bytes:x?}");
            replaced += usize::from(got.contains('\u{fffd}'));
        }
        assert!(replaced > 500 && waited > 500, "{replaced} {waited}");
    }

    #[test]
    fn a_character_over_four_tokens_appears_once_whole() {
        let mut stream = Utf8Stream::new();
        let texts: Vec<String> = "😀".bytes().map(|b| stream.push(&[b])).collect();
        assert_eq!(texts, ["", "", "", "😀"]);
        assert_eq!(stream.finish(), "");
    }

    #[test]
    fn an_incomplete_end_becomes_one_replacement() {
        let mut stream = Utf8Stream::new();
        assert_eq!(stream.push(b"ab\xf0\x9f\x98"), "ab");
        assert_eq!(stream.finish(), "\u{fffd}");
        assert_eq!(stream.push(b"next"), "next");
    }
}
