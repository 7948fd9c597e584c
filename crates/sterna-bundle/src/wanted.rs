//! The canonical tensors of a model: which ones a configuration asks for, and of what shape.

use crate::{Delta, Gemma4, ModelConfig};

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Rows are looked up; also multiplied when the head is tied to it.
    Table,
    /// Multiplied at the end.
    Head,
    /// A matrix of a layer.
    Linear,
    /// Norm weights, and per-head constants of delta layers.
    Vector,
    /// Taps of a convolution, a row per channel; floats.
    Taps,
    /// Rows are looked up and nothing else: a token's inputs for every layer, a row for each.
    Lookup,
}

/// Where in a model a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Outside the layers.
    Top,
    /// A decoder layer.
    Layer(usize),
    /// The head for multi-token prediction of a model with this many layers.
    Mtp(usize),
    /// The layer of that head.
    MtpLayer(usize),
}

impl Place {
    fn name(self, part: &str) -> String {
        match self {
            Place::Top => part.to_owned(),
            Place::Layer(n) => format!("layers.{n}.{part}"),
            Place::Mtp(_) | Place::MtpLayer(_) => format!("mtp.{part}"),
        }
    }
}

/// A tensor that a model must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Canonical name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// The name without the place, static so that vendor names are looked up by it.
    pub part: &'static str,
    /// Purpose.
    pub role: Role,
    /// Rows, 1 for a vector.
    pub rows: usize,
    /// Values per row.
    pub cols: usize,
    /// Rows that lie side by side in one row of a checkpoint.
    pub fold: usize,
}

type Part = (&'static str, Role, usize, usize, bool);

fn attention(c: &ModelConfig) -> [Part; 7] {
    [
        ("attn_norm", Role::Vector, 1, c.hidden, true),
        ("q", Role::Linear, c.q_rows(), c.hidden, true),
        ("k", Role::Linear, c.kv_width(), c.hidden, true),
        ("v", Role::Linear, c.kv_width(), c.hidden, true),
        ("o", Role::Linear, c.hidden, c.q_width(), true),
        ("q_norm", Role::Vector, 1, c.head_dim, c.qk_norm),
        ("k_norm", Role::Vector, 1, c.head_dim, c.qk_norm),
    ]
}

fn layered(c: &ModelConfig, g: &Gemma4, layer: usize) -> [Part; 17] {
    let own = c.kv_source(layer) == layer;
    let (head_dim, q, kv) = (c.heads_of(layer).1, c.q_width_of(layer), c.kv_width_of(layer));
    let ffn = c.ffn_of(layer);
    [
        ("attn_norm", Role::Vector, 1, c.hidden, true),
        ("q", Role::Linear, q, c.hidden, true),
        ("k", Role::Linear, kv, c.hidden, own),
        ("v", Role::Linear, kv, c.hidden, own),
        ("o", Role::Linear, c.hidden, q, true),
        ("q_norm", Role::Vector, 1, head_dim, true),
        ("k_norm", Role::Vector, 1, head_dim, own),
        ("attn_post_norm", Role::Vector, 1, c.hidden, true),
        ("ffn_norm", Role::Vector, 1, c.hidden, true),
        ("gate", Role::Linear, ffn, c.hidden, true),
        ("up", Role::Linear, ffn, c.hidden, true),
        ("down", Role::Linear, c.hidden, ffn, true),
        ("ffn_post_norm", Role::Vector, 1, c.hidden, true),
        ("ple_gate", Role::Linear, g.ple, c.hidden, true),
        ("ple_proj", Role::Linear, c.hidden, g.ple, true),
        ("ple_norm", Role::Vector, 1, c.hidden, true),
        ("layer_scalar", Role::Vector, 1, 1, true),
    ]
}

fn delta(c: &ModelConfig, d: &Delta) -> [Part; 10] {
    [
        ("attn_norm", Role::Vector, 1, c.hidden, true),
        ("delta_qkv", Role::Linear, d.channels(), c.hidden, true),
        ("delta_z", Role::Linear, d.value_width(), c.hidden, true),
        ("delta_b", Role::Linear, d.v_heads, c.hidden, true),
        ("delta_a", Role::Linear, d.v_heads, c.hidden, true),
        ("delta_conv", Role::Taps, d.channels(), d.taps, true),
        ("delta_decay", Role::Vector, 1, d.v_heads, true),
        ("delta_dt", Role::Vector, 1, d.v_heads, true),
        ("delta_norm", Role::Vector, 1, d.v_dim, true),
        ("delta_out", Role::Linear, c.hidden, d.value_width(), true),
    ]
}

fn mlp(c: &ModelConfig) -> [Part; 4] {
    [
        ("ffn_norm", Role::Vector, 1, c.hidden, true),
        ("gate", Role::Linear, c.ffn, c.hidden, true),
        ("up", Role::Linear, c.ffn, c.hidden, true),
        ("down", Role::Linear, c.hidden, c.ffn, true),
    ]
}

fn mtp(c: &ModelConfig) -> [Part; 4] {
    [
        ("fc", Role::Linear, c.hidden, 2 * c.hidden, true),
        ("embed_norm", Role::Vector, 1, c.hidden, true),
        ("hidden_norm", Role::Vector, 1, c.hidden, true),
        ("norm", Role::Vector, 1, c.hidden, true),
    ]
}

/// All tensors of `config`, lazily (a hostile layer count must not size anything).
pub(crate) fn wanted(config: &ModelConfig) -> impl Iterator<Item = Wanted> + '_ {
    let c = config;
    let side_by_side = c.layers;
    let make = move |place: Place| {
        move |(part, role, rows, cols, _): Part| Wanted {
            name: place.name(part),
            place,
            part,
            role,
            rows,
            cols,
            fold: if role == Role::Lookup { side_by_side } else { 1 },
        }
    };
    let top = [
        ("embed", Role::Table, c.vocab, c.hidden, true),
        ("head", Role::Head, c.vocab, c.hidden, !c.tied),
        ("norm", Role::Vector, 1, c.hidden, true),
    ];
    let inputs = c.gemma4.as_ref().map(|g| {
        let width = c.layers.saturating_mul(g.ple);
        [
            ("ple_embed", Role::Lookup, c.vocab.saturating_mul(c.layers), g.ple, true),
            ("ple_model_proj", Role::Linear, width, c.hidden, true),
            ("ple_model_norm", Role::Vector, 1, g.ple, true),
        ]
    });
    let top = top.into_iter().chain(inputs.into_iter().flatten()).filter(|t| t.4).map(make(Place::Top));
    let layers = (0..c.layers).flat_map(move |layer| {
        let (full, recurrent, windowed) = match (&c.gemma4, c.delta(layer)) {
            (Some(g), _) => (None, None, Some(layered(c, g, layer))),
            (None, None) => (Some(attention(c)), None, None),
            (None, Some(d)) => (None, Some(delta(c, d)), None),
        };
        let rest = windowed.is_none().then(|| mlp(c));
        let parts = full.into_iter().flatten().chain(recurrent.into_iter().flatten());
        let parts = parts.chain(windowed.into_iter().flatten()).chain(rest.into_iter().flatten());
        parts.filter(|p| p.4).map(make(Place::Layer(layer)))
    });
    let has_mtp = c.hybrid.is_some_and(|h| h.mtp_layers > 0);
    let head = has_mtp.then(|| mtp(c).into_iter().map(make(Place::Mtp(c.layers))));
    let block = has_mtp
        .then(|| attention(c).into_iter().chain(mlp(c)).filter(|p| p.4).map(make(Place::MtpLayer(c.layers))));
    top.chain(layers).chain(head.into_iter().flatten()).chain(block.into_iter().flatten())
}

/// Whether a matrix of this role multiplies activations in this model.
pub(crate) fn multiplies(config: &ModelConfig, role: Role) -> bool {
    match role {
        Role::Linear | Role::Head => true,
        Role::Table => config.tied,
        Role::Vector | Role::Taps | Role::Lookup => false,
    }
}
