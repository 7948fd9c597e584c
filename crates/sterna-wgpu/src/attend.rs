//! Attention: rotation, the writing of keys and values, and the kernels for one row and for many.

use sterna_plan::{Attention, BackendError, BufferRows, HeadNorm, Rotation, Slice};

use crate::kernels::{AttentionShape, Kernel, OneShape, THREADS};
use crate::program::Builder;
use crate::steps::{Draft, DraftForm, Params, params};

impl Builder<'_> {
    /// Rotates q; rotates and writes k, and v, of a state.
    pub(crate) fn rope_kv(
        &self,
        q: Option<(&Slice, &Rotation)>,
        head_dim: usize,
        kv: Option<(&Slice, &Slice, Option<&Rotation>, usize)>,
    ) -> Draft {
        let mut p: Params = params(&[]);
        let (mut items, mut state) = (0, &self.buffers.nothing);
        p[3] = head_dim as u32;
        let table = |p: &mut Params, rotation: &Rotation| {
            p[4] = rotation.dim as u32;
            [p[5], p[6]] = self.place(&self.whole(rotation.table));
        };
        if let Some((heads, rotation)) = q {
            [p[0], p[1]] = self.place(heads);
            p[2] = (heads.len / head_dim.max(1)) as u32;
            table(&mut p, rotation);
            items += p[2] as usize * rotation.dim / 2;
        }
        if let Some((k, v, rotation, at)) = kv {
            [p[7], p[8]] = self.place(k);
            if let Some(rotation) = rotation {
                table(&mut p, rotation);
                p[9] = rotation.dim as u32;
            }
            [p[10], p[11]] = self.place(v);
            p[12] = (k.len / 2) as u32;
            p[13] = self.pool.capacity as u32;
            items += k.len;
            state = self.pool.states.get(at).unwrap_or(state);
        }
        self.draft(Kernel::RopeKv, p, &[state], items.div_ceil(THREADS as usize), BufferRows::Call)
    }

    /// The dispatches of an attention.
    pub(crate) fn attention(&self, a: &Attention) -> Result<Vec<Draft>, BackendError> {
        let mut drafts = Vec::new();
        let mut head_norm = |slice: &Slice, norm: Option<HeadNorm>, plain: Option<f32>| {
            let (weight, eps) = match (norm, plain) {
                (Some(n), _) => (Some(n.weight), n.eps),
                (None, Some(eps)) => (None, eps),
                (None, None) => return Ok(()),
            };
            let place = self.place(slice);
            let draft = self.norm(place, place, weight, eps, a.head_dim, BufferRows::Call)?;
            drafts.push(draft.across(slice.len / a.head_dim));
            Ok::<(), BackendError>(())
        };
        if let Some(input) = &a.input {
            head_norm(&a.q, input.q_norm, None)?;
            if let Some(kv) = &input.kv {
                head_norm(&kv.k, kv.k_norm, None)?;
                head_norm(&kv.v, None, kv.v_eps)?;
            }
            let kv = input.kv.as_ref().map(|kv| (&kv.k, &kv.v, Some(&input.rotation), a.state.0));
            drafts.push(self.rope_kv(Some((&a.q, &input.rotation)), a.head_dim, kv));
        }
        let ([q, q_cols], [out, out_cols]) = (self.place(&a.q), self.place(&a.out));
        let share = (a.heads / a.kv_heads) as u32;
        let kv_words = (a.kv_heads * a.head_dim / 2) as u32;
        let capacity = self.pool.capacity as u32;
        let mut all = params(&[q, q_cols, out, out_cols, share, kv_words, capacity, a.scale.to_bits()]);
        let norms = self.fold_attention(a, &mut all)?;
        if norms.is_some() {
            // What prepares many rows has nothing to do for one.
            drafts.iter_mut().flat_map(|d| &mut d.forms).for_each(|f| f.from = 2);
        }
        let state = self.pool.states.get(a.state.0).unwrap_or(&self.buffers.nothing);
        let facts = &self.gpu.facts;
        let head_dim = a.head_dim as u32;
        let pieces = (facts.threads / 64).clamp(1, 4);
        let many = |from, heads, pieces| {
            let kernel = Kernel::Attention(AttentionShape { head_dim, heads, pieces });
            let draft = self.draft(kernel, all, &[state], a.heads / heads as usize, BufferRows::Call);
            draft.forms.into_iter().map(move |f| DraftForm { from, ..f })
        };
        // One row has a workgroup for each head; many share what they read of the keys.
        let mut forms: Vec<_> = match norms {
            None => many(1, 1, pieces).collect(),
            Some(norms) => {
                let shape = OneShape { head_dim, pieces, norms, subgroups: facts.subgroup == Some((32, 32)) };
                let buffers = [&self.weights.vectors, state];
                self.draft(Kernel::AttentionOne(shape), all, &buffers, a.heads, BufferRows::Call).forms
            }
        };
        let together = (1..=8).rev().find(|n| share.is_multiple_of(*n) && fits_heads(a.head_dim, *n));
        forms.extend(many(2, together.unwrap_or(1), 1));
        drafts.push(Draft { op: 0, forms, rows: BufferRows::Call, weight_bytes: 0, macs: 0 });
        if let Some(gate) = &a.gate {
            drafts.push(self.rowwise(2, gate, Some(&a.out), &a.out, 0.0));
        }
        Ok(drafts)
    }

    /// What a workgroup for one row and head prepares itself: which norms, and their places in `params`. `None` where
    /// something is not as that kernel has it.
    fn fold_attention(&self, a: &Attention, params: &mut Params) -> Result<Option<[bool; 2]>, BackendError> {
        let Some(input) = &a.input else { return Ok(None) };
        let Some(kv) = &input.kv else { return Ok(None) };
        let fits = a.head_dim.is_multiple_of(8) && a.head_dim <= OneShape::MOST_HEAD_DIM;
        if !fits || kv.v_eps.is_some() || kv.k.buffer != a.q.buffer || kv.v.buffer != a.q.buffer {
            return Ok(None);
        }
        let at = |norm: Option<HeadNorm>| norm.map_or(Ok(0), |n| self.vector(n.weight));
        let eps = |norm: Option<HeadNorm>| norm.map_or(0, |n| n.eps.to_bits());
        let [table, table_cols] = self.place(&self.whole(input.rotation.table));
        let more = [
            input.rotation.dim as u32,
            table,
            table_cols,
            self.place(&kv.k)[0],
            self.place(&kv.v)[0],
            at(input.q_norm)?,
            at(kv.k_norm)?,
            eps(input.q_norm),
            eps(kv.k_norm),
        ];
        params[8..8 + more.len()].copy_from_slice(&more);
        Ok(Some([input.q_norm.is_some(), kv.k_norm.is_some()]))
    }
}

/// Whether so many heads at a time fit 16 KiB of workgroup memory.
fn fits_heads(head_dim: usize, heads: u32) -> bool {
    4 * heads as usize * (head_dim + 64 + 10) <= 16_384 && heads <= 8
}
