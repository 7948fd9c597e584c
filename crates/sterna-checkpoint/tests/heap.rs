//! What a file's vocabulary takes of the heap, by an allocator that counts. No other test may run in this process.
#![allow(clippy::unwrap_used)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use sterna_checkpoint::Checkpoint;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came; numbers are counted beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's layout, for which it holds what the trait asks.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `at` came from `alloc` above with this layout, so from the system's.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

/// Every word of one to three letters, and some of four, as SmolLM2's vocabulary has: 49,152 tokens, a merge for each.
fn vocabulary() -> Checkpoint {
    let letters: Vec<String> = (b'a'..=b'z').map(|c| char::from(c).to_string()).collect();
    let (mut tokens, mut merges) = (letters.clone(), Vec::new());
    let mut at = 0;
    while tokens.len() < 49_151 {
        let left = tokens[at].clone();
        at += 1;
        for right in &letters {
            tokens.push(format!("{left}{right}"));
            merges.push(format!("{left} {right}"));
        }
    }
    tokens.truncate(49_151);
    merges.truncate(49_151 - 26);
    tokens.push("<|im_end|>".to_owned());
    let list = |strings: &[String]| {
        let head = [&8u32.to_le_bytes()[..], &(strings.len() as u64).to_le_bytes()].concat();
        strings.iter().fold(head, |mut all, s| {
            all.extend(common::string(s.as_bytes()));
            all
        })
    };
    let mut types = [&5u32.to_le_bytes()[..], &49_152u64.to_le_bytes()].concat();
    (0..49_152).for_each(|id| types.extend(if id == 49_151 { 3i32 } else { 1 }.to_le_bytes()));
    let file = common::Gguf::new()
        .key("tokenizer.ggml.model", 8, &common::string(b"gpt2"))
        .key("tokenizer.ggml.pre", 8, &common::string(b"smollm"))
        .key("tokenizer.ggml.tokens", 9, &list(&tokens))
        .key("tokenizer.ggml.token_type", 9, &types)
        .key("tokenizer.ggml.merges", 9, &list(&merges));
    Checkpoint::from_gguf_bytes(file.bytes().into()).unwrap()
}

#[test]
fn a_files_vocabulary_is_freed_once_the_tokenizer_is_there() {
    let mut checkpoint = vocabulary();
    let tokenizer = checkpoint.tokenizer().unwrap();
    let before = LIVE.load(Relaxed);
    checkpoint.forget_vocabulary();
    let freed = before - LIVE.load(Relaxed);
    println!("{freed} bytes of metadata freed");
    // Two texts of some three bytes for each token, their lengths, and its type.
    assert!(freed > 900_000, "{freed}");
    assert!(checkpoint.tokenizer().is_err());
    assert_eq!(tokenizer.vocab_size(), 49_152);
    assert!(!tokenizer.encode_plain("an <|im_end|> in a stranger's text").unwrap().is_empty());
}
