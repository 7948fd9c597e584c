//! Same bits at every width, cut, thread count, fold and instruction set (contract C1, T8).

use std::collections::BTreeMap;

use serde::Serialize;
use sterna_plan::Wanted;
use sterna_run::Session;

use super::compare::{Collector, Fingerprint, StatePrint, argmax, hash, same_top};
use super::report::{ArmReport, GateReport, RowDifference};
use super::walk::Walk;
use super::{FactoryError, GateArm, GateError};
use crate::table::count;

/// What to walk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateOptions {
    /// Thread counts of the fused arms.
    pub threads: Vec<usize>,
    /// Chunk lengths; those wider than the plan's widest entry point are skipped, and the report says so.
    pub chunks: Vec<usize>,
    /// Number of random ways to cut.
    pub random: usize,
    /// Tokens of the warm prefixes; those not below the length of the sequence are skipped. The sequence's length
    /// less one is always among them.
    pub warm: Vec<usize>,
    /// Turns of prefill and decode.
    pub alternations: usize,
    /// Walks with the unfused plan.
    pub unfused: bool,
    /// Walks with the portable kernels.
    pub portable: bool,
    /// Seed of cuts and places.
    pub seed: u64,
}

impl Default for GateOptions {
    fn default() -> Self {
        Self {
            threads: vec![1, 2],
            chunks: vec![2, 7, 16, 33, 63, 64, 65, 127, 128],
            random: 3,
            warm: vec![4],
            alternations: 100,
            unfused: true,
            portable: true,
            seed: 1,
        }
    }
}

impl GateOptions {
    /// A few walks for large models: about ten times the length of the sequence in rows.
    pub fn quick() -> Self {
        Self {
            threads: vec![2],
            chunks: vec![7, 64],
            random: 1,
            alternations: 4,
            unfused: false,
            portable: false,
            ..Self::default()
        }
    }

    /// Every session and its walks.
    fn arms(&self, tokens: usize, widest: usize) -> (Vec<(GateArm, Vec<Walk>)>, Vec<String>) {
        let mut skipped = Vec::new();
        let mut all = Vec::new();
        all.extend(self.chunks.iter().map(|c| Walk::Chunks(*c)));
        all.extend((0..self.random as u64).map(|i| Walk::Random { seed: self.seed.wrapping_add(i) }));
        let warm = self.warm.iter().copied().filter(|k| *k + 1 < tokens).chain([tokens - 1]);
        all.extend(warm.map(|keep| Walk::Warm { keep }));
        if self.alternations > 0 {
            all.push(Walk::Alternate { times: self.alternations, seed: self.seed });
        }
        let middle = 33.min(widest);
        all.extend([Walk::LastOnly(middle), Walk::ArgmaxOnly(middle)]);
        all.retain(|w| {
            let fits = w.width() <= widest && w.width() > 0;
            if !fits {
                skipped.push(format!("{w}: the widest entry point holds {widest} rows"));
            }
            fits
        });
        let few = vec![Walk::Steps, Walk::Chunks(64.min(widest)), Walk::Random { seed: self.seed }];
        let most = self.threads.iter().copied().max().unwrap_or(1);
        let mut arms = Vec::new();
        for threads in &self.threads {
            let mut walks = all.clone();
            walks.insert(0, Walk::Steps);
            arms.push((GateArm { threads: *threads, ..GateArm::BASE }, walks));
        }
        if self.unfused {
            arms.push((GateArm { fused: false, threads: most, ..GateArm::BASE }, few.clone()));
        }
        if self.portable {
            arms.push((GateArm { portable: true, threads: most, ..GateArm::BASE }, few));
        }
        (arms, skipped)
    }
}

/// Compares every arm's rows and end state with those of the walk of single rows on [`GateArm::BASE`].
///
/// Compared for each row: the SHA-256 of all its logits' bits, the best token, and the bits of the best two logits.
/// Compared at the end of each walk: every byte of [`state_bytes`](sterna_plan::Executor::state_bytes), by SHA-256 of
/// blocks of 4 KiB. Only hashes are kept; for the first row that differs in a walk, the base row is computed again to
/// report how many values differ and by how much. One session is alive at a time. `progress` hears walks done and in
/// all, the base among them.
///
/// # Errors
/// Fewer than 8 tokens, tokens outside the vocabulary or past a session's context, a factory or a session that
/// fails. A difference is not an error: see [`GateReport::passed`].
pub fn memcmp<E: Into<FactoryError>>(
    factory: &dyn Fn(GateArm) -> Result<Session, E>,
    ids: &[u32],
    options: &GateOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<GateReport, GateError> {
    if ids.len() < 8 {
        return Err(GateError::Options(format!("a gate needs at least 8 tokens, not {}", ids.len())));
    }
    if ids.windows(2).all(|w| w[0] == w[1]) {
        return Err(GateError::Options("all tokens are the same: positions could be confused unseen".into()));
    }
    let make = |arm: GateArm| {
        let session = factory(arm).map_err(|e| GateError::Factory { arm, source: e.into() })?;
        if session.context() < ids.len() {
            let (n, room) = (ids.len(), session.context());
            return Err(GateError::Options(format!("{n} tokens in a context of {room}")));
        }
        Ok(session)
    };
    let mut session = make(GateArm::BASE)?;
    let widest = session.executor().plan().entries.last().map_or(1, |e| e.width);
    let vocab = session.executor().plan().vocab;
    let (base, ties) = walk_base(&mut session, ids, widest)?;
    let state = StatePrint::read(&session, "base")?;
    drop(session);

    let (arms, skipped) = options.arms(ids.len(), widest);
    let mut reports = Vec::new();
    let mut rows = Vec::new();
    let total = 1 + arms.iter().map(|(_, walks)| walks.len()).sum::<usize>();
    progress(1, total);
    for (arm, walks) in arms {
        let mut session = make(arm)?;
        for walk in walks {
            let name = format!("{}, {walk}", count(arm.threads, "thread"));
            let mut found = Collector::new(&base);
            let mut on_row = |at: usize, outputs: &_, row: usize| found.row(at, outputs, row);
            walk.take(&mut session, ids, widest, &mut on_row).map_err(GateError::session(&name))?;
            let end = StatePrint::read(&session, &name)?;
            reports.push(ArmReport {
                arm,
                walk: walk.to_string(),
                rows: found.rows,
                rows_expected: walk.rows(ids.len()),
                rows_differing: found.rows_differing,
                argmax_agree: found.argmax_agree,
                state_bytes: end.bytes,
                state_blocks_differing: end.differing(&state),
                first: None,
            });
            rows.push(found.first);
            progress(1 + reports.len(), total);
        }
    }
    let repeatable = explain(&make, ids, &base, &mut reports, rows)?;
    Ok(GateReport {
        positions: ids.len(),
        vocab,
        base_ties_agree: ties,
        base_repeatable: repeatable,
        state_bytes: state.bytes,
        arms: reports,
        skipped,
    })
}

/// Fingerprints of the base walk, and at how many positions the best token is the lowest of the greatest logits.
fn walk_base(
    session: &mut Session,
    ids: &[u32],
    widest: usize,
) -> Result<(Vec<Fingerprint>, usize), GateError> {
    let mut base = Vec::with_capacity(ids.len());
    let mut ties = 0;
    let mut on_row = |_: usize, outputs: &sterna_plan::Outputs, row: usize| {
        let logits = outputs.logits_of(row).unwrap_or_default();
        let top = outputs.top_of(row).unwrap_or_default();
        ties += usize::from(!logits.is_empty() && argmax(logits) == top.token);
        base.push(Fingerprint { logits: hash(logits), top });
    };
    Walk::Steps.take(session, ids, widest, &mut on_row).map_err(GateError::session("base, S=1"))?;
    Ok((base, ties))
}

type First = Option<(usize, sterna_plan::Top2, Vec<f32>)>;

/// Walks the base again up to the last position that differs and puts the differences into the reports. Tells whether
/// the base gave the same rows as the first time.
fn explain(
    make: &dyn Fn(GateArm) -> Result<Session, GateError>,
    ids: &[u32],
    base: &[Fingerprint],
    reports: &mut [ArmReport],
    rows: Vec<First>,
) -> Result<bool, GateError> {
    let Some(last) = rows.iter().flatten().map(|f| f.0).max() else { return Ok(true) };
    let mut wanted: BTreeMap<usize, Vec<(usize, sterna_plan::Top2, Vec<f32>)>> = BTreeMap::new();
    for (i, first) in rows.into_iter().enumerate() {
        if let Some((position, top, logits)) = first {
            wanted.entry(position).or_default().push((i, top, logits));
        }
    }
    let mut session = make(GateArm::BASE)?;
    let mut repeatable = true;
    for (position, token) in ids.iter().enumerate().take(last + 1) {
        session.ask(&[*token], Wanted::Logits, &mut |_| {}).map_err(GateError::session("base, again"))?;
        let outputs = session.outputs();
        let (logits, top) = (outputs.logits_of(0).unwrap_or_default(), outputs.top_of(0).unwrap_or_default());
        repeatable &= base.get(position).is_some_and(|b| hash(logits) == b.logits && same_top(top, b.top));
        for (i, arm_top, arm_logits) in wanted.remove(&position).unwrap_or_default() {
            let pairs = || logits.iter().zip(&arm_logits);
            let difference = RowDifference {
                position,
                values: arm_logits.len(),
                values_differing: pairs().filter(|(a, b)| a.to_bits() != b.to_bits()).count(),
                max_abs: pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f32::max),
                base_token: top.token,
                token: arm_top.token,
                top_differs: !same_top(top, arm_top),
            };
            if let Some(report) = reports.get_mut(i) {
                report.first = Some(difference);
            }
        }
    }
    Ok(repeatable)
}
