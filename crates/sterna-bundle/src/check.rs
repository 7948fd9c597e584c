//! What a configuration must satisfy, wherever it came from.

use crate::error::BundleError;
use crate::{Arch, ModelConfig, Rope, RopeScaling};

/// Largest width, head count or vocabulary: far above any model, far below where products of two overflow.
const DIM: usize = 1 << 24;

/// Refuses a configuration that no model can have. `place` names where it was read.
pub(crate) fn check(config: &ModelConfig, place: &'static str) -> Result<(), BundleError> {
    let c = config;
    for (key, value) in [
        ("hidden width", c.hidden),
        ("feed-forward width", c.ffn),
        ("layers", c.layers),
        ("heads", c.heads),
        ("key/value heads", c.kv_heads),
        ("head width", c.head_dim),
        ("vocabulary", c.vocab),
    ] {
        if value == 0 || value > DIM {
            return Err(BundleError::key(place, key, value, format!("1 to {DIM}")));
        }
    }
    let fail =
        |key: &str, found: String, supported: &str| Err(BundleError::key(place, key, found, supported));
    if c.context == 0 || c.context > 1 << 30 {
        return fail("context", c.context.to_string(), "1 to 2^30 positions");
    }
    if !c.heads.is_multiple_of(c.kv_heads) {
        return fail(
            "heads and key/value heads",
            format!("{} and {}", c.heads, c.kv_heads),
            "a whole number of heads per key/value head",
        );
    }
    if !c.head_dim.is_multiple_of(2) {
        return fail("head width", c.head_dim.to_string(), "an even number");
    }
    if !(c.norm_eps.is_finite() && c.norm_eps > 0.0) {
        return fail("norm epsilon", c.norm_eps.to_string(), "a positive number");
    }
    for (key, value) in [
        ("embedding scale", c.embedding_scale),
        ("residual scale", c.residual_scale),
        ("logit scale", c.logit_scale),
    ] {
        if !(value.is_normal() && value > 0.0) {
            return fail(key, value.to_string(), "a positive number");
        }
    }
    check_hybrid(c, place)?;
    check_gemma4(c, place)?;
    check_rope(&c.rope, c.head_dim, c.hybrid.is_some(), place)
}

fn check_gemma4(c: &ModelConfig, place: &'static str) -> Result<(), BundleError> {
    let fail =
        |key: &str, found: String, supported: &str| Err(BundleError::key(place, key, found, supported));
    let Some(g) = &c.gemma4 else {
        if c.arch == Arch::Gemma4 {
            return fail("gemma4", "absent".into(), "windows, sharing and per-layer inputs");
        }
        return Ok(());
    };
    if c.arch != Arch::Gemma4 || !c.qk_norm || !c.tied {
        let found = format!("in a {} model", c.arch.name());
        return fail("gemma4", found, "a gemma4 model, with q and k norms and a tied head");
    }
    for (key, value) in [
        ("window", g.window),
        ("head width of full attention", g.full_head_dim),
        ("key/value heads of full attention", g.full_kv_heads),
        ("feed-forward width of sharing layers", g.shared_ffn),
        ("width of per-layer inputs", g.ple),
        ("vocabulary times layers", c.vocab.saturating_mul(c.layers)),
    ] {
        if value == 0 || value > DIM {
            return Err(BundleError::key(place, key, value, format!("1 to {DIM}")));
        }
    }
    if c.layers > 1 << 12 {
        return Err(BundleError::key(place, "layers", c.layers, format!("at most {}", 1 << 12)));
    }
    if g.full.len() != c.layers {
        let supported = format!("one per layer, {}", c.layers);
        return Err(BundleError::key(place, "kinds of layers", g.full.len(), supported));
    }
    if g.shared_layers >= c.layers {
        return fail("layers that share keys", g.shared_layers.to_string(), "fewer than there are layers");
    }
    if let Some(layer) = (c.own_kv_layers()..c.layers).find(|l| c.kv_source(*l) == *l) {
        let supported = "a layer of its kind before the sharing ones";
        return fail("kinds of layers", format!("layer {layer} without keys to read"), supported);
    }
    if !c.heads.is_multiple_of(g.full_kv_heads) || !g.full_head_dim.is_multiple_of(2) {
        let found = format!("{} heads of {} on {}", c.heads, g.full_head_dim, g.full_kv_heads);
        return fail("full attention", found, "even heads, a whole number of them per key/value head");
    }
    for (key, value) in [("per-layer input scale", g.ple_scale), ("soft cap", g.softcap.unwrap_or(1.0))] {
        if !(value.is_normal() && value > 0.0) {
            return fail(key, value.to_string(), "a positive number");
        }
    }
    check_rope(&g.full_rope, g.full_head_dim, false, place)
}

fn check_hybrid(c: &ModelConfig, place: &'static str) -> Result<(), BundleError> {
    let fail =
        |key: &str, found: String, supported: &str| Err(BundleError::key(place, key, found, supported));
    let Some(h) = &c.hybrid else {
        if c.arch == Arch::Qwen35 {
            return fail("hybrid", "absent".into(), "the shapes of delta layers");
        }
        return Ok(());
    };
    if c.arch != Arch::Qwen35 || !c.qk_norm {
        return fail("hybrid", format!("in a {} model", c.arch.name()), "a qwen35 model, with q and k norms");
    }
    let d = &h.delta;
    for (key, value, most) in [
        ("key heads of delta layers", d.k_heads, DIM),
        ("value heads of delta layers", d.v_heads, DIM),
        ("key width of delta layers", d.k_dim, 1024),
        ("value width of delta layers", d.v_dim, 1024),
        ("full attention interval", h.full_attention_interval, DIM),
    ] {
        if value == 0 || value > most {
            return Err(BundleError::key(place, key, value, format!("1 to {most}")));
        }
    }
    if !(2..=8).contains(&d.taps) {
        return fail("taps of the convolution", d.taps.to_string(), "2 to 8");
    }
    if !d.v_heads.is_multiple_of(d.k_heads) {
        let found = format!("{} and {}", d.k_heads, d.v_heads);
        return fail(
            "key and value heads of delta layers",
            found,
            "a whole number of value heads per key head",
        );
    }
    if h.mtp_layers > 1 {
        return fail("layers for multi-token prediction", h.mtp_layers.to_string(), "none or one");
    }
    Ok(())
}

fn check_rope(rope: &Rope, head_dim: usize, partial: bool, place: &'static str) -> Result<(), BundleError> {
    let fail =
        |key: &str, found: String, supported: String| Err(BundleError::key(place, key, found, supported));
    if partial && !(rope.dim > 0 && rope.dim <= head_dim && rope.dim.is_multiple_of(2)) {
        let supported = format!("an even number of the {head_dim} dimensions of a head");
        return fail("rotated dimensions", rope.dim.to_string(), supported);
    }
    if !partial && rope.dim != head_dim {
        let supported = format!("all {head_dim} dimensions of a head (partial rotation is not)");
        return fail("rotated dimensions", rope.dim.to_string(), supported);
    }
    let positive = |v: f64| v.is_finite() && v > 0.0;
    if !(rope.theta.is_finite() && rope.theta > 1.0) {
        return fail("rope theta", rope.theta.to_string(), "a number above 1".into());
    }
    let list = |key: &str, values: &[f64]| {
        if values.len() != rope.dim / 2 {
            return fail(
                key,
                format!("a list of {}", values.len()),
                format!("one per frequency, {}", rope.dim / 2),
            );
        }
        match values.iter().find(|v| !positive(**v)) {
            Some(v) => fail(key, v.to_string(), "positive numbers".into()),
            None => Ok(()),
        }
    };
    let number = |key: &str, value: f64, least: f64| {
        if value.is_finite() && value >= least {
            return Ok(());
        }
        fail(key, value.to_string(), format!("a number of at least {least}"))
    };
    let original =
        |n: usize| if n > 1 { Ok(()) } else { fail("original context", n.to_string(), "above 1".into()) };
    match &rope.scaling {
        RopeScaling::None => Ok(()),
        RopeScaling::Linear { factor } => number("rope factor", *factor, 1.0),
        RopeScaling::Divisors { divisors } => list("rope divisors", divisors),
        RopeScaling::Proportional { turning } if (1..=rope.dim / 2).contains(turning) => Ok(()),
        RopeScaling::Proportional { turning } => {
            fail("turning pairs", turning.to_string(), format!("1 to {}", rope.dim / 2))
        }
        RopeScaling::LongRope { short, long, original_context, attention_factor } => {
            list("short rope factors", short)?;
            list("long rope factors", long)?;
            original(*original_context)?;
            if positive(*attention_factor) {
                return Ok(());
            }
            fail("rope attention factor", attention_factor.to_string(), "a positive number".into())
        }
        RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context } => {
            number("rope factor", *factor, 1.0)?;
            number("low_freq_factor", *low_freq_factor, f64::MIN_POSITIVE)?;
            if !(high_freq_factor.is_finite() && high_freq_factor > low_freq_factor) {
                return fail(
                    "high_freq_factor",
                    high_freq_factor.to_string(),
                    "above low_freq_factor".into(),
                );
            }
            original(*original_context)
        }
    }
}
