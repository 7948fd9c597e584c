//! The canonical tensors of a model: which ones a configuration asks for, and of what shape.

use crate::ModelConfig;

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Rows are looked up; also multiplied when the head is tied to it.
    Table,
    /// Multiplied at the end.
    Head,
    /// One of the seven matrices of a layer.
    Linear,
    /// Norm weights.
    Vector,
}

/// A tensor that a model must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Canonical name.
    pub name: String,
    /// Layer, for tensors of one.
    pub layer: Option<usize>,
    /// The name without the layer, static so that vendor names are looked up by it.
    pub part: &'static str,
    /// Purpose.
    pub role: Role,
    /// Rows, 1 for a vector.
    pub rows: usize,
    /// Values per row.
    pub cols: usize,
}

/// All tensors of `config`, lazily (a hostile layer count must not size anything).
pub(crate) fn wanted(config: &ModelConfig) -> impl Iterator<Item = Wanted> + '_ {
    let c = config;
    let top = [
        ("embed", Role::Table, c.vocab, true),
        ("head", Role::Head, c.vocab, !c.tied),
        ("norm", Role::Vector, 1, true),
    ];
    let top = top.into_iter().filter(|t| t.3).map(|(part, role, rows, _)| Wanted {
        name: part.to_owned(),
        layer: None,
        part,
        role,
        rows,
        cols: c.hidden,
    });
    let layers = (0..c.layers).flat_map(move |layer| {
        let parts = [
            ("attn_norm", Role::Vector, 1, c.hidden, true),
            ("q", Role::Linear, c.q_width(), c.hidden, true),
            ("k", Role::Linear, c.kv_width(), c.hidden, true),
            ("v", Role::Linear, c.kv_width(), c.hidden, true),
            ("o", Role::Linear, c.hidden, c.q_width(), true),
            ("q_norm", Role::Vector, 1, c.head_dim, c.qk_norm),
            ("k_norm", Role::Vector, 1, c.head_dim, c.qk_norm),
            ("ffn_norm", Role::Vector, 1, c.hidden, true),
            ("gate", Role::Linear, c.ffn, c.hidden, true),
            ("up", Role::Linear, c.ffn, c.hidden, true),
            ("down", Role::Linear, c.hidden, c.ffn, true),
        ];
        parts.into_iter().filter(|p| p.4).map(move |(part, role, rows, cols, _)| Wanted {
            name: format!("layers.{layer}.{part}"),
            layer: Some(layer),
            part,
            role,
            rows,
            cols,
        })
    });
    top.chain(layers)
}

/// Whether a matrix of this role multiplies activations in this model.
pub(crate) fn multiplies(config: &ModelConfig, role: Role) -> bool {
    match role {
        Role::Linear | Role::Head => true,
        Role::Table => config.tied,
        Role::Vector => false,
    }
}
