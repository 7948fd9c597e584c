//! Rotary embeddings in the spellings of config.json and of GGUF metadata.

use serde_json::{Map, Value};

use super::Origin;
use super::fields::{Fields, brief, single};
use crate::error::BundleError;
use crate::{Rope, RopeScaling};

/// What both readers know before they look at rotation.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    /// Width of a head.
    pub dim: usize,
    /// The model's own context.
    pub context: usize,
    /// Base to assume where the key is left out; `None` where the key is required.
    pub default_theta: Option<f64>,
    /// Whether a part of the head may be rotated alone, and whether frequencies may belong to sections of several
    /// axes, which are one axis in text.
    pub partial: bool,
}

const TYPES: &str = "default, linear, llama3, longrope";

/// Reads `rope_parameters` (transformers 5), or `rope_scaling` beside `rope_theta`.
pub(crate) fn from_hf(f: &Fields, head: Head) -> Result<Rope, BundleError> {
    let (key, map) = match (f.get("rope_parameters"), f.get("rope_scaling")) {
        (Some(Value::Object(map)), _) => ("rope_parameters", map),
        (None, Some(Value::Object(map))) => ("rope_scaling", map),
        (None, None) => ("rope_scaling", Map::new()),
        (Some(other), _) => return Err(f.bad("rope_parameters", brief(&other), "a map")),
        (None, Some(other)) => return Err(f.bad("rope_scaling", brief(&other), "a map or null")),
    };
    let prefix = format!("{key}.");
    let held = Prefixed { prefix: &prefix, map: &map };
    let r = Fields::new(&held, &prefix, f.place);
    if map.values().any(Value::is_object) {
        return Err(f.bad(key, "one map per layer type", "one rotation for all layers"));
    }
    let mut dim = head.dim;
    for f in [f, &r] {
        if let Some(part) = f.number("partial_rotary_factor")?.filter(|p| *p != 1.0) {
            if !head.partial {
                return Err(f.bad("partial_rotary_factor", part, "1 (all dimensions of a head are rotated)"));
            }
            // As transformers: rounded towards zero.
            dim = (head.dim as f64 * part) as usize;
        }
    }
    let sections = |k: &str| head.partial && k.starts_with("mrope_");
    let theta = match (r.number("rope_theta")?, f.number("rope_theta")?) {
        (Some(inner), Some(outer)) if inner != outer => {
            return Err(f.bad("rope_theta", format!("{outer} here and {inner} in {key}"), "one value"));
        }
        (inner, outer) => inner
            .or(outer)
            .or(head.default_theta)
            .ok_or_else(|| f.missing("rope_theta", "a number is needed"))?,
    };
    let kind = match (r.text("rope_type")?, r.text("type")?) {
        (Some(a), Some(b)) if a != b => return Err(r.bad("rope_type", format!("{a}, and type {b}"), TYPES)),
        (a, b) => a.or(b),
    };
    let original = || -> Result<Option<usize>, BundleError> {
        Ok(r.whole("original_max_position_embeddings")?.or(f.whole("original_max_position_embeddings")?))
    };
    let scaling = match kind.as_deref() {
        None if map.keys().any(|k| k != "rope_theta" && k != "partial_rotary_factor" && !sections(k)) => {
            return Err(r.missing("rope_type", TYPES));
        }
        None | Some("default") => RopeScaling::None,
        Some("linear") => RopeScaling::Linear { factor: single(r.need_number("factor")?) },
        Some("llama3") => RopeScaling::Llama3 {
            factor: single(r.need_number("factor")?),
            low_freq_factor: single(r.need_number("low_freq_factor")?),
            high_freq_factor: single(r.need_number("high_freq_factor")?),
            original_context: original()?
                .ok_or_else(|| r.missing("original_max_position_embeddings", "a whole number is needed"))?,
        },
        Some("longrope") => {
            let stored = original()?;
            let original_context = stored.unwrap_or(head.context);
            // transformers: with an original context the factor is the ratio, else the key `factor`.
            let factor = match (stored, r.number("factor")?) {
                (None, Some(factor)) => factor,
                _ => head.context as f64 / original_context as f64,
            };
            let attention_factor = match r.number("attention_factor")? {
                Some(given) => given,
                None => longrope_attention(factor, original_context),
            };
            RopeScaling::LongRope {
                short: factors(&r, "short_factor")?,
                long: factors(&r, "long_factor")?,
                original_context,
                attention_factor: single(attention_factor),
            }
        }
        Some(other) => return Err(r.bad("rope_type", format!("{other:?}"), TYPES)),
    };
    Ok(Rope { dim, theta: single(theta), scaling })
}

fn factors(r: &Fields, key: &str) -> Result<Vec<f64>, BundleError> {
    let list = r.numbers(key)?.ok_or_else(|| r.missing(key, "a list of numbers is needed"))?;
    Ok(list.into_iter().map(single).collect())
}

/// `sqrt(1 + ln(factor) / ln(original))` above a factor of 1.
fn longrope_attention(factor: f64, original: usize) -> f64 {
    if factor <= 1.0 { 1.0 } else { (1.0 + factor.ln() / (original as f64).ln()).sqrt() }
}

/// A map whose keys are asked for with a prefix, so that messages name the whole path.
pub(crate) struct Prefixed<'a> {
    pub prefix: &'a str,
    pub map: &'a Map<String, Value>,
}

impl super::fields::Keys for Prefixed<'_> {
    fn get(&self, key: &str) -> Option<Value> {
        super::fields::Keys::get(self.map, key.strip_prefix(self.prefix)?)
    }
}

/// Tensors that GGUF keeps rotation in.
pub(crate) const TENSORS: [&str; 3] =
    ["rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight"];

/// Reads `{arch}.rope.*` and the tensors of factors.
pub(crate) fn from_gguf(f: &Fields, origin: &Origin, head: Head) -> Result<Rope, BundleError> {
    let dim = f.whole("rope.dimension_count")?.unwrap_or(head.dim);
    let theta = f
        .number("rope.freq_base")?
        .or(head.default_theta)
        .ok_or_else(|| f.missing("rope.freq_base", "a number is needed"))?;
    if !head.partial {
        f.refuse("rope.dimension_sections", "no sections (text models)")?;
    }
    let [freqs, short, long] = TENSORS;
    let divisors = origin.vector(freqs)?;
    let (short_factors, long_factors) = (origin.vector(short)?, origin.vector(long)?);
    let kind = f.text("rope.scaling.type")?;
    let factor = f.number("rope.scaling.factor")?.or(f.number("rope.scale_linear")?);
    let stretched = factor.is_some_and(|x| x != 1.0 && x != 0.0);
    let scaling = match (kind.as_deref(), divisors, short_factors, long_factors) {
        (Some("none" | "longrope") | None, None, Some(short), Some(long)) if !stretched => {
            let stored = f.whole("rope.scaling.original_context_length")?;
            let original_context = stored.unwrap_or(head.context);
            let attention_factor = match f.number("rope.scaling.attn_factor")? {
                Some(given) => given,
                None if head.context <= original_context => 1.0,
                None => {
                    return Err(
                        f.missing("rope.scaling.attn_factor", "a context above the original one needs it")
                    );
                }
            };
            RopeScaling::LongRope {
                short,
                long,
                original_context,
                attention_factor: single(attention_factor),
            }
        }
        (_, None, Some(_), None) => return Err(missing(long, origin)),
        (_, None, None, Some(_)) => return Err(missing(short, origin)),
        (Some("longrope"), None, None, None) => return Err(missing(short, origin)),
        (Some("none" | "linear") | None, Some(divisors), None, None) if !stretched => {
            RopeScaling::Divisors { divisors }
        }
        (Some("linear") | None, None, None, None) if stretched => {
            RopeScaling::Linear { factor: single(factor.unwrap_or(1.0)) }
        }
        (Some("none" | "linear") | None, None, None, None) => RopeScaling::None,
        (kind, divisors, short, long) => {
            let list = |name: &str, there: bool| if there { format!(" with {name}") } else { String::new() };
            let found = format!(
                "{:?}, factor {factor:?}{}{}{}",
                kind.unwrap_or("absent"),
                list(freqs, divisors.is_some()),
                list(TENSORS[1], short.is_some()),
                list(TENSORS[2], long.is_some())
            );
            let supported =
                "none, linear with a factor, longrope with its two tensors, or rope_freqs.weight alone";
            return Err(f.bad("rope.scaling.type", found, supported));
        }
    };
    Ok(Rope { dim, theta: single(theta), scaling })
}

fn missing(name: &str, origin: &Origin) -> BundleError {
    BundleError::MissingTensor { name: name.to_owned(), arch: origin.arch.name() }
}
