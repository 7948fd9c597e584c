//! What may reach the `tokenizers` library: known component types with bounded parameters, and regular
//! expressions without the constructs that take exponential time or memory.

use serde_json::Value;

use crate::CheckpointError;
use crate::error::shorten;

/// The part of a tokenizer that a component belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Normalizer,
    PreTokenizer,
    PostProcessor,
    Decoder,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Normalizer => "normalizer",
            Self::PreTokenizer => "pre_tokenizer",
            Self::PostProcessor => "post_processor",
            Self::Decoder => "decoder",
        }
    }

    fn children(self) -> &'static str {
        match self {
            Self::Normalizer => "normalizers",
            Self::PreTokenizer => "pretokenizers",
            Self::PostProcessor => "processors",
            Self::Decoder => "decoders",
        }
    }

    fn allowed(self) -> &'static [&'static str] {
        match self {
            Self::Normalizer => {
                &["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Replace", "Prepend"]
            }
            Self::PreTokenizer => {
                &["ByteLevel", "Split", "Digits", "Metaspace", "Whitespace", "WhitespaceSplit", "Punctuation"]
            }
            Self::PostProcessor => &["ByteLevel", "TemplateProcessing"],
            Self::Decoder => &["ByteLevel", "Replace", "ByteFallback", "Fuse", "Strip", "Metaspace"],
        }
    }
}

const DEPTH: usize = 3;
const COMPONENTS: usize = 32;
/// How many times longer a text may get, all replacements together.
const GROWTH: usize = 64;
const REGEX: usize = 2_048;
/// Counted repetitions multiplied together, in one expression.
const REPEATS: usize = 64;

struct Budget {
    components: usize,
    growth: usize,
}

/// Checks one part; `null` is no part.
pub(super) fn check(part: Part, value: &Value) -> Result<(), CheckpointError> {
    let mut budget = Budget { components: COMPONENTS, growth: GROWTH };
    component(part, value, DEPTH, &mut budget)
        .map_err(|reason| CheckpointError::Tokenizer(format!("{}: {reason}", part.name())))
}

fn component(part: Part, value: &Value, depth: usize, budget: &mut Budget) -> Result<(), String> {
    if value.is_null() {
        return Ok(());
    }
    budget.components = budget.components.checked_sub(1).ok_or("too many components")?;
    let kind = value.get("type").and_then(Value::as_str).ok_or("a component has no type")?;
    if kind == "Sequence" {
        let depth = depth.checked_sub(1).ok_or("sequences are nested too deep")?;
        let list = value.get(part.children()).and_then(Value::as_array).ok_or("a sequence has no list")?;
        return list.iter().try_for_each(|child| component(part, child, depth, budget));
    }
    if !part.allowed().contains(&kind) {
        return Err(format!(
            "{} is not supported; supported are Sequence, {}",
            shorten(kind),
            part.allowed().join(", ")
        ));
    }
    match kind {
        "Split" => pattern(value),
        "Replace" => {
            pattern(value)?;
            grow(value.get("content"), budget)
        }
        "Prepend" => grow(value.get("prepend"), budget),
        // The library cuts `stop` characters off each token without looking how many there are.
        "Strip" if part == Part::Decoder => {
            let small = |key| value.get(key).and_then(Value::as_u64).is_some_and(|n| n <= 16);
            let no_stop = value.get("stop").and_then(Value::as_u64) == Some(0);
            if small("start") && no_stop {
                Ok(())
            } else {
                Err("Strip must have start <= 16 and stop 0".into())
            }
        }
        "TemplateProcessing" => template(value),
        _ => Ok(()),
    }
}

fn grow(content: Option<&Value>, budget: &mut Budget) -> Result<(), String> {
    let content = content.and_then(Value::as_str).ok_or("a replacement has no content")?;
    budget.growth /= content.len().max(1);
    if budget.growth == 0 { Err("replacements make a text too long".into()) } else { Ok(()) }
}

fn pattern(value: &Value) -> Result<(), String> {
    let pattern = value.get("pattern").ok_or("it has no pattern")?;
    if let Some(text) = pattern.get("String").and_then(Value::as_str) {
        return if text.len() <= 256 { Ok(()) } else { Err("a pattern is too long".into()) };
    }
    let regex =
        pattern.get("Regex").and_then(Value::as_str).ok_or("a pattern is neither String nor Regex")?;
    check_regex(regex).map_err(|reason| format!("the pattern {:?} {reason}", shorten(regex)))
}

fn template(value: &Value) -> Result<(), String> {
    let short = |v: &Value| v.as_array().is_some_and(|list| list.len() <= 16);
    for key in ["single", "pair"] {
        if !value.get(key).is_some_and(short) {
            return Err(format!("the template's {key} is missing or longer than 16"));
        }
    }
    let specials = value.get("special_tokens").and_then(Value::as_object).ok_or("no special_tokens")?;
    let fine = specials.len() <= 16
        && specials.values().all(|s| s.get("ids").is_some_and(short) && s.get("tokens").is_some_and(short));
    if fine { Ok(()) } else { Err("the template's special_tokens are malformed or more than 16".into()) }
}

/// Refuses expressions that can take exponential time (an unbounded repetition inside a repeated group, a
/// back-reference) or memory (large counted repetitions).
pub(super) fn check_regex(regex: &str) -> Result<(), String> {
    if regex.len() > REGEX {
        return Err(format!("is longer than {REGEX} bytes"));
    }
    let chars: Vec<char> = regex.chars().collect();
    let mut groups: Vec<bool> = vec![false]; // per open group: whether it holds an unbounded repetition
    let mut last_unbounded = false; // whether the atom just read does
    let mut repeats = 1usize;
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        i += 1;
        match c {
            '\\' => {
                let escaped = chars.get(i).copied().unwrap_or('\\');
                if escaped.is_ascii_digit() || matches!(escaped, 'k' | 'g') {
                    return Err("has a back-reference".into());
                }
                i += 1;
                if matches!(escaped, 'p' | 'P' | 'x' | 'u') && chars.get(i) == Some(&'{') {
                    i = chars[i..].iter().position(|c| *c == '}').map_or(chars.len(), |at| i + at + 1);
                }
                last_unbounded = false;
            }
            '[' => {
                i = skip_class(&chars, i)?;
                last_unbounded = false;
            }
            '(' => {
                if groups.len() > 16 {
                    return Err("nests groups too deep".into());
                }
                groups.push(false);
                if chars.get(i) == Some(&'?') {
                    i += 1;
                }
                last_unbounded = false;
            }
            ')' => {
                last_unbounded = if groups.len() > 1 { groups.pop().unwrap_or(false) } else { false };
                if let Some(outer) = groups.last_mut() {
                    *outer |= last_unbounded;
                }
            }
            '*' | '+' | '{' | '?' => {
                let (bounded, next) = match c {
                    '{' => counted(&chars, i)?,
                    '?' => (Some(1), i),
                    _ => (None, i),
                };
                i = next;
                let repeated = bounded.is_none_or(|n| n > 1);
                if repeated && last_unbounded {
                    return Err("repeats a group that holds an unbounded repetition".into());
                }
                repeats = repeats.saturating_mul(bounded.unwrap_or(1).max(1));
                if repeats > REPEATS {
                    return Err(format!("multiplies repetitions past {REPEATS}"));
                }
                if bounded.is_none() {
                    last_unbounded = true;
                    if let Some(group) = groups.last_mut() {
                        *group = true;
                    }
                    // `++`, `*?`: a possessive or lazy mark, not another repetition.
                    if matches!(chars.get(i), Some('+' | '?')) {
                        i += 1;
                    }
                }
            }
            _ => last_unbounded = false,
        }
    }
    Ok(())
}

/// The position after the class that starts before `i`.
fn skip_class(chars: &[char], mut i: usize) -> Result<usize, String> {
    let mut depth = 1usize;
    if chars.get(i) == Some(&'^') {
        i += 1;
    }
    if chars.get(i) == Some(&']') {
        i += 1;
    }
    while let Some(&c) = chars.get(i) {
        i += 1;
        match c {
            '\\' => i += 1,
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(i);
        }
    }
    Err("has an open character class".into())
}

/// The upper bound of `{n,m}` (none for `{n,}`) and the position after it.
fn counted(chars: &[char], i: usize) -> Result<(Option<usize>, usize), String> {
    let end = chars[i..].iter().position(|c| *c == '}').ok_or("has an open repetition")? + i;
    let text: String = chars[i..end].iter().collect();
    let number = |s: &str| s.trim().parse::<usize>().ok().filter(|n| *n <= REPEATS);
    let bad = || format!("has a repetition {{{}}} that is malformed or past {REPEATS}", shorten(&text));
    match text.split_once(',') {
        None => Ok((Some(number(&text).ok_or_else(bad)?), end + 1)),
        Some((low, "")) => {
            number(low).ok_or_else(bad)?;
            Ok((None, end + 1))
        }
        Some((low, high)) => {
            if !low.trim().is_empty() {
                number(low).ok_or_else(bad)?;
            }
            Ok((Some(number(high).ok_or_else(bad)?), end + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_expressions_pass_and_hostile_ones_do_not() {
        for (_, splits) in crate::tokenizer::gguf_bpe::KNOWN_SPLITS {
            for regex in *splits {
                assert_eq!(check_regex(regex), Ok(()), "{regex}");
            }
        }
        // o200k, GPT-4o's: optional groups, lookahead, classes with properties.
        let o200k = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
        assert_eq!(check_regex(o200k), Ok(()));
        for bad in
            ["(a+)+b", "(?:a*)*", "(x{1,}){2}", r"(a)\1", "a{999}", "(a{9}){9}", "((a|b+)c)*", "a{", "[a"]
        {
            assert!(check_regex(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn components_are_bounded() {
        let check = |part, json: &str| super::check(part, &serde_json::from_str(json).unwrap());
        let nested = "{\"type\":\"Sequence\",\"normalizers\":[".repeat(9) + &"]}".repeat(9);
        assert!(check(Part::Normalizer, &nested).is_err());
        assert!(check(Part::Normalizer, r#"{"type":"Precompiled","precompiled_charsmap":""}"#).is_err());
        let grow = r#"{"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaa"}"#;
        let twice = format!(r#"{{"type":"Sequence","normalizers":[{grow},{grow}]}}"#);
        assert!(check(Part::Normalizer, grow).is_ok());
        assert!(check(Part::Normalizer, &twice).is_err());
        let spm = r#"{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},
            {"type":"Replace","pattern":{"String":" "},"content":"▁"}]}"#;
        assert!(check(Part::Normalizer, spm).is_ok());
        assert!(check(Part::Decoder, r#"{"type":"Strip","content":" ","start":1,"stop":9}"#).is_err());
    }
}
