//! Draws and mutations.

use serde_json::{Map, Value, json};

use super::Kind;
use super::seeds::{GGUF_SEEDS, Seed};
use crate::common::{Gguf, safetensors};

/// Largest mutated input.
const LARGEST: usize = 64 << 10;

/// xorshift64*: small, seedable, the same everywhere.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() >> 11) as usize % n }
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Integers that parsers get wrong.
const EDGES: [u64; 22] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    31,
    32,
    33,
    42,
    255,
    256,
    65_536,
    1 << 30,
    (1 << 31) - 1,
    1 << 32,
    1 << 63,
    u64::MAX,
    u64::MAX - 31,
];

/// Replaces, removes, copies or moves nodes of a JSON value.
fn mutate_json(value: &mut Value, rng: &mut Rng) {
    let donor = random_node(value, rng).clone();
    let target = random_node_mut(value, rng);
    match rng.below(8) {
        0 => *target = donor,
        1 => {
            *target = match rng.below(9) {
                0 => Value::Null,
                1 => json!(-1),
                2 => json!(*rng.pick(&EDGES)),
                3 => json!(1e308),
                4 => json!("x".repeat(rng.below(6_000))),
                5 => json!([[[]]]),
                6 => {
                    json!({"type": rng.pick(&["Sequence", "Strip", "ByteLevel", "Metaspace", "Digits", "NFKC", "BPE", "Split"])})
                }
                7 => json!(rng.pick(&[
                    "\u{0}",
                    "é",
                    "▁",
                    "<0x41>",
                    " ",
                    "(a+)+",
                    r"\p{L}{64}",
                    "(?=a*)*",
                    "[^a]*?b++",
                    "(?:(?:a|b)|c){9}"
                ])),
                _ => json!(rng.chance(2)),
            };
        }
        2 | 3 => match target {
            Value::Array(list) if !list.is_empty() => {
                let at = rng.below(list.len());
                match rng.below(4) {
                    0 => drop(list.remove(at)),
                    1 => {
                        let copy = list[at].clone();
                        let most = if rng.chance(10) { 200 } else { 3 };
                        let times = 1 + rng.below(most);
                        list.extend(std::iter::repeat_n(copy, times));
                    }
                    2 => {
                        let other = rng.below(list.len());
                        list.swap(at, other);
                    }
                    _ => list.insert(at, donor),
                }
            }
            Value::Object(map) => mutate_object(map, donor, rng),
            _ => {}
        },
        4 | 5 => match target {
            Value::Number(n) => {
                let old = n.as_u64().unwrap_or(0);
                *target = match rng.below(4) {
                    0 => json!(old.wrapping_add(1)),
                    1 => json!(old.wrapping_sub(1)),
                    2 => json!(old as f64 + 0.5),
                    _ => json!(*rng.pick(&EDGES)),
                };
            }
            Value::String(s) => {
                let chars: Vec<char> = s.chars().collect();
                let at = rng.below(chars.len() + 1);
                let new = *rng.pick(&[
                    '\u{0}',
                    ' ',
                    'a',
                    '(',
                    ')',
                    '*',
                    '+',
                    '{',
                    '[',
                    '\\',
                    '▁',
                    'Ġ',
                    '<',
                    '\u{10FFFD}',
                ]);
                *s = chars[..at]
                    .iter()
                    .chain([&new])
                    .chain(&chars[(at + rng.below(2)).min(chars.len())..])
                    .collect();
            }
            Value::Bool(b) => *b = !*b,
            _ => {}
        },
        6 => {
            *target = json!({"type": "Sequence", "normalizers": [donor], "pretokenizers": [target.clone()], "decoders": [target.clone()], "processors": []})
        }
        _ => {
            if let Value::Object(map) = target {
                mutate_object(map, donor, rng);
            }
        }
    }
}

fn mutate_object(map: &mut Map<String, Value>, donor: Value, rng: &mut Rng) {
    let keys: Vec<String> = map.keys().cloned().collect();
    if keys.is_empty() {
        map.insert("type".into(), donor);
        return;
    }
    let key = rng.pick(&keys).clone();
    match rng.below(3) {
        0 => drop(map.remove(&key)),
        1 => drop(map.insert(key, donor)),
        _ => {
            let value = map.remove(&key).unwrap_or(Value::Null);
            map.insert(format!("{key}{}", rng.below(3)), value);
        }
    }
}

/// The node at a path drawn by walking down until a coin says stop.
fn random_node<'a>(mut value: &'a Value, rng: &mut Rng) -> &'a Value {
    loop {
        let next = match value {
            Value::Array(list) if !list.is_empty() && !rng.chance(5) => &list[rng.below(list.len())],
            Value::Object(map) if !map.is_empty() && !rng.chance(5) => {
                let at = rng.below(map.len());
                match map.values().nth(at) {
                    Some(next) => next,
                    None => return value,
                }
            }
            _ => return value,
        };
        value = next;
    }
}

fn random_node_mut<'a>(value: &'a mut Value, rng: &mut Rng) -> &'a mut Value {
    let branches = match value {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    if branches == 0 || rng.chance(5) {
        return value;
    }
    let at = rng.below(branches);
    match value {
        Value::Array(list) => random_node_mut(&mut list[at], rng),
        Value::Object(map) => match map.values_mut().nth(at) {
            Some(next) => random_node_mut(next, rng),
            None => unreachable!("at is below the length"),
        },
        leaf => leaf,
    }
}

fn mutate_gguf(file: &mut Gguf, other: &Gguf, rng: &mut Rng) {
    let from_tensors = rng.chance(2);
    let parts = if from_tensors { &mut file.tensors } else { &mut file.keys };
    if parts.is_empty() {
        return;
    }
    let at = rng.below(parts.len());
    match rng.below(7) {
        0 => drop(parts.remove(at)),
        1 => {
            let copy = parts[at].clone();
            parts.push(copy);
        }
        2 => {
            let with = rng.below(parts.len());
            parts.swap(at, with);
        }
        3 => {
            let donors = if from_tensors { &other.tensors } else { &other.keys };
            if !donors.is_empty() {
                parts[at] = rng.pick(donors).clone();
            }
        }
        4 => {
            let len = rng.below(file.data.len() + 200);
            file.data.resize(len, 0x55);
        }
        5 => file.version = *rng.pick(&[0, 1, 2, 3, 3 << 24]),
        _ => {
            let times = rng.below(3) + 1;
            let part = &mut parts[at];
            (0..times).for_each(|_| mutate_bytes(part, rng));
        }
    }
}

pub fn mutate_bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.below(bytes.len());
    match rng.below(8) {
        0 | 1 => bytes[at] ^= 1 << rng.below(8),
        2 => bytes[at] = *rng.pick(&[0, 1, 0x7F, 0x80, 0xFF]),
        3 => {
            // An integer field of 4 or 8 bytes; fields lie anywhere, as strings have any length.
            let width = *rng.pick(&[4, 8]);
            let value = match rng.below(3) {
                0 => *rng.pick(&EDGES),
                1 => bytes.len() as u64,
                _ => rng.below(2_000) as u64,
            };
            for (slot, byte) in bytes[at..].iter_mut().take(width).zip(value.to_le_bytes()) {
                *slot = byte;
            }
        }
        4 => bytes.truncate(at),
        5 => {
            let end = (at + rng.below(64)).min(bytes.len());
            drop(bytes.drain(at..end));
        }
        6 => {
            let end = (at + rng.below(64)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = rng.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        _ => bytes.insert(at, rng.below(256) as u8),
    }
}

/// One input, from seeds and draws.
pub fn make(seeds: &[Seed], rng: &mut Rng) -> (Kind, Vec<u8>) {
    let mut seed = rng.pick(seeds).clone();
    let rounds = rng.below(6);
    for _ in 0..rounds {
        match &mut seed {
            Seed::Gguf(file) => {
                if let Seed::Gguf(other) = &seeds[rng.below(GGUF_SEEDS)] {
                    mutate_gguf(file, other, rng);
                }
            }
            Seed::Safetensors(header, len) => {
                mutate_json(header, rng);
                if rng.chance(8) {
                    *len = rng.below(100);
                }
            }
            Seed::Tokenizer(value) => mutate_json(value, rng),
        }
    }
    let (kind, mut bytes) = match seed {
        Seed::Gguf(file) => (Kind::Gguf, file.bytes()),
        Seed::Safetensors(header, len) => {
            let kind = if rng.chance(20) { Kind::Folder } else { Kind::Safetensors };
            (kind, safetensors(&header.to_string(), len))
        }
        Seed::Tokenizer(value) => (Kind::Tokenizer, value.to_string().into_bytes()),
    };
    if rng.chance(2) {
        (0..1 + rng.below(4)).for_each(|_| mutate_bytes(&mut bytes, rng));
    }
    bytes.truncate(LARGEST);
    (kind, bytes)
}
