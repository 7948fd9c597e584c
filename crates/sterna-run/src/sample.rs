//! Choosing the next token from a row of logits.
//!
//! The stages, in order:
//!
//! 1. repetition penalty (CTRL): the logit of every distinct token among the last `repetition_window`
//!    tokens of the history is divided by the penalty when positive and multiplied by it otherwise;
//! 2. top-k: the k highest logits stay;
//! 3. temperature: weight `exp((logit - max) / temperature)`, a softmax without its division;
//! 4. top-p: the smallest prefix, best first, whose share of the total reaches `top_p` stays;
//! 5. min-p: tokens whose probability is below `min_p` times the best one's are dropped;
//! 6. the draw among what is left.
//!
//! At temperature 0 only the first stage applies and the highest logit wins.
//!
//! **Same logits, same token.** "Best first" is one total order: logit descending, then id ascending, so a
//! tie goes to the lowest id in every stage (contract C6). Weights are computed in `f64` by a fixed sequence
//! of IEEE operations (no library `exp`, which differs between platforms) and rounded once to 52-bit fixed
//! point; every sum after that is an exact integer, so no order of addition, laziness of sorting or vector
//! width can change a result. The draw depends on `(seed, position)` alone (contract C7), never on how many
//! tokens were drawn before.

use std::cmp::Ordering;

/// How to choose a token. The default is greedy.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingParams {
    /// Softmax temperature; 0 takes the highest logit.
    pub temperature: f32,
    /// Keep this many of the highest logits; 0 keeps all.
    pub top_k: usize,
    /// Keep the smallest set of best tokens whose probability reaches this; 1 keeps all.
    pub top_p: f32,
    /// Drop tokens less likely than this share of the best token's probability; 0 drops none.
    pub min_p: f32,
    /// CTRL repetition penalty; 1 changes nothing.
    pub repetition_penalty: f32,
    /// How many of the latest tokens the penalty looks at; 0 looks at none.
    pub repetition_window: usize,
    /// Seed of the draw.
    pub seed: u64,
}

impl Default for SamplingParams {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            top_k: 0,
            top_p: 1.0,
            min_p: 0.0,
            repetition_penalty: 1.0,
            repetition_window: 64,
            seed: 0,
        }
    }
}

/// A sampling parameter outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The temperature is negative, NaN or infinite.
    #[error("temperature must be a finite number of at least 0, not {0}")]
    Temperature(f32),
    /// `top_p` is outside (0, 1].
    #[error("top_p must be above 0 and at most 1, not {0}")]
    TopP(f32),
    /// `min_p` is outside [0, 1].
    #[error("min_p must be between 0 and 1, not {0}")]
    MinP(f32),
    /// The repetition penalty is not a finite number above 0.
    #[error("repetition_penalty must be a finite number above 0, not {0}")]
    RepetitionPenalty(f32),
}

/// Why no token could be chosen.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// A logit inside the vocabulary is NaN or infinite: a kernel or the model is broken.
    #[error("logit {index} is not a finite number")]
    NonFinite {
        /// Token id of the first such logit.
        index: usize,
    },
    /// The vocabulary is empty, larger than the row of logits, or past the range of a token id.
    #[error("a vocabulary of {vocab} does not fit a row of {logits} logits")]
    Vocabulary {
        /// The vocabulary size asked for.
        vocab: usize,
        /// The number of logits in the row.
        logits: usize,
    },
    /// A parameter is out of range.
    #[error(transparent)]
    Params(#[from] ParamError),
}

/// A chosen token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// Token id.
    pub id: u32,
    /// Its raw logit, before penalty and temperature.
    pub logit: f32,
    /// Distance between the two highest raw logits of the row: 0 on a tie, infinite when the vocabulary has
    /// one token. It tells how near the row was to another greedy choice.
    pub margin: f32,
}

/// Buffers that [`sample`] reuses. What they hold never changes a result.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    keys: Vec<u64>,
    penalised: Vec<u64>,
    adjusted: Vec<f32>,
}

impl SamplingParams {
    /// True when the highest logit always wins, so that no random number is needed.
    pub fn is_greedy(&self) -> bool {
        self.temperature == 0.0
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            return Err(ParamError::Temperature(self.temperature));
        }
        if !(self.top_p > 0.0 && self.top_p <= 1.0) {
            return Err(ParamError::TopP(self.top_p));
        }
        if !(self.min_p >= 0.0 && self.min_p <= 1.0) {
            return Err(ParamError::MinP(self.min_p));
        }
        if !(self.repetition_penalty.is_finite() && self.repetition_penalty > 0.0) {
            return Err(ParamError::RepetitionPenalty(self.repetition_penalty));
        }
        Ok(())
    }
}

/// The token with the highest logit among the first `vocab`; the lowest id wins a tie.
///
/// # Errors
/// [`SampleError::Vocabulary`] or [`SampleError::NonFinite`].
pub fn argmax(logits: &[f32], vocab: usize) -> Result<Token, SampleError> {
    let row = vocabulary(logits, vocab)?;
    let best = index_of_max(row)?;
    Ok(token(row, best, best))
}

/// Chooses the token at absolute `position` (the position the new token will have) by the module's rules.
/// `history` is the sequence before it, drafts included; `logits` may be longer than `vocab`, and what is
/// beyond is never chosen or looked at. Allocates only while `scratch` grows to the vocabulary's size.
///
/// # Errors
/// [`SampleError::Params`], [`SampleError::Vocabulary`] or [`SampleError::NonFinite`].
pub fn sample(
    logits: &[f32],
    vocab: usize,
    history: &[u32],
    position: u64,
    params: &SamplingParams,
    scratch: &mut Scratch,
) -> Result<Token, SampleError> {
    params.validate()?;
    let raw = vocabulary(logits, vocab)?;
    let raw_best = index_of_max(raw)?;

    let Scratch { keys, penalised, adjusted } = scratch;
    let window = &history[history.len().saturating_sub(params.repetition_window)..];
    let row = if params.repetition_penalty == 1.0 || window.is_empty() {
        raw
    } else {
        penalise(raw, window, params.repetition_penalty, penalised, adjusted);
        adjusted
    };
    // A positive logit divided by a tiny penalty saturates, so `row` is finite wherever `raw` was.
    let best = if std::ptr::eq(row, raw) { raw_best } else { index_of_max(row)? };
    if params.is_greedy() {
        return Ok(token(raw, best, raw_best));
    }

    keys.clear();
    keys.extend(row.iter().zip(0u32..).map(|(&logit, id)| key(logit, id)));
    if params.top_k > 0 && params.top_k < keys.len() {
        keys.select_nth_unstable(params.top_k - 1);
        keys.truncate(params.top_k);
    }
    let weigh = Weigher { best: f64::from(row[best]), temperature: f64::from(params.temperature), row };
    let id = draw(keys, &weigh, params, position);
    Ok(token(raw, id as usize, raw_best))
}

/// A number in [0, 1) that depends on `(seed, position)` alone: the top 53 bits of [`draw_bits`].
pub fn draw_unit(seed: u64, position: u64) -> f64 {
    (draw_bits(seed, position) >> 11) as f64 / (1u64 << 53) as f64
}

/// 64 random bits for `(seed, position)`: SplitMix64 as a counter-based generator.
///
/// `key = mix(seed + G)`, `bits = mix(key + (position + 1) * G)` with wrapping arithmetic, the golden-ratio
/// gamma `G = 0x9e3779b97f4a7c15` and SplitMix64's finaliser as `mix`. Mixing the seed first keeps the streams
/// of neighbouring seeds apart. The values are frozen: changing them changes every seeded text.
pub fn draw_bits(seed: u64, position: u64) -> u64 {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    fn mix(mut z: u64) -> u64 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    let key = mix(seed.wrapping_add(GAMMA));
    mix(key.wrapping_add(position.wrapping_add(1).wrapping_mul(GAMMA)))
}

fn vocabulary(logits: &[f32], vocab: usize) -> Result<&[f32], SampleError> {
    match logits.get(..vocab) {
        Some(row) if vocab > 0 && u32::try_from(vocab).is_ok() => Ok(row),
        _ => Err(SampleError::Vocabulary { vocab, logits: logits.len() }),
    }
}

fn token(raw: &[f32], id: usize, raw_best: usize) -> Token {
    let (below, above) = (&raw[..raw_best], &raw[raw_best + 1..]);
    let second = max_of(below).0.max(max_of(above).0);
    Token { id: id as u32, logit: raw[id], margin: raw[raw_best] - second }
}

/// Maximum of `row` (minus infinity when empty) and whether all of it is finite. Eight lanes, so that the
/// compiler vectorises it; a maximum does not depend on the order.
fn max_of(row: &[f32]) -> (f32, bool) {
    const LANES: usize = 8;
    let mut best = [f32::NEG_INFINITY; LANES];
    let mut finite = [true; LANES];
    let (chunks, tail) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            best[lane] = if chunk[lane] > best[lane] { chunk[lane] } else { best[lane] };
            finite[lane] &= chunk[lane].abs() < f32::INFINITY;
        }
    }
    for (lane, &x) in tail.iter().enumerate() {
        best[lane] = if x > best[lane] { x } else { best[lane] };
        finite[lane] &= x.abs() < f32::INFINITY;
    }
    (best.into_iter().fold(f32::NEG_INFINITY, f32::max), finite.into_iter().all(|ok| ok))
}

fn index_of_max(row: &[f32]) -> Result<usize, SampleError> {
    let (best, finite) = max_of(row);
    if !finite {
        let index = row.iter().position(|x| !x.is_finite()).unwrap_or(0);
        return Err(SampleError::NonFinite { index });
    }
    Ok(row.iter().position(|&x| x == best).unwrap_or(0))
}

/// Copies `raw` to `adjusted` with each distinct token of `window` penalised once.
fn penalise(raw: &[f32], window: &[u32], penalty: f32, seen: &mut Vec<u64>, adjusted: &mut Vec<f32>) {
    adjusted.clear();
    adjusted.extend_from_slice(raw);
    seen.clear();
    seen.resize(raw.len().div_ceil(64), 0);
    for &id in window {
        let id = id as usize;
        let Some(logit) = adjusted.get_mut(id) else { continue };
        let bit = 1u64 << (id % 64);
        if seen[id / 64] & bit == 0 {
            seen[id / 64] |= bit;
            let scaled = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            *logit = scaled.clamp(f32::MIN, f32::MAX);
        }
    }
}

/// Sort key: ascending keys are logits descending, then ids ascending.
fn key(logit: f32, id: u32) -> u64 {
    let bits = (logit + 0.0).to_bits(); // -0 becomes +0: they are a tie
    let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(!ascending) << 32 | u64::from(id)
}

/// One in the fixed-point weights: the best token's weight.
const ONE: u64 = 1 << 52;

struct Weigher<'a> {
    best: f64,
    temperature: f64,
    row: &'a [f32],
}

impl Weigher<'_> {
    /// `exp((logit - best) / temperature)` in units of 2^-52, rounded to nearest.
    fn weight(&self, key: u64) -> u64 {
        let logit = f64::from(self.row[key as u32 as usize]);
        (exp_of_negative((logit - self.best) / self.temperature) * ONE as f64 + 0.5) as u64
    }
}

/// Draws a token id; `keys` is not empty. It sorts no more of `keys` than the answer needs.
fn draw(keys: &mut [u64], weigh: &Weigher<'_>, params: &SamplingParams, position: u64) -> u32 {
    let total: u128 = keys.iter().map(|&k| u128::from(weigh.weight(k))).sum();
    let enough = if params.top_p < 1.0 {
        // Exact in f64 but for one rounding, the same everywhere.
        ((f64::from(params.top_p) * total as f64).ceil() as u128).min(total)
    } else {
        total
    };
    let floor = (f64::from(params.min_p) * ONE as f64).ceil() as u64;

    let mut sorted = 0;
    // What is kept is a prefix in sorted order, and its mass. Without top-p and min-p it is everything.
    let mut mass = total;
    if enough < total || floor > 0 {
        mass = 0;
        let mut end = 0;
        while end < keys.len() && mass < enough {
            sort_up_to(keys, &mut sorted, end);
            let weight = weigh.weight(keys[end]);
            if weight < floor {
                break;
            }
            mass += u128::from(weight);
            end += 1;
        }
    }

    // floor(u * mass) with u = bits / 2^53, in integers: below `mass`, which is below 2^85.
    let target = (u128::from(draw_bits(params.seed, position) >> 11) * mass) >> 53;
    let mut cumulative = 0;
    for at in 0..keys.len() {
        sort_up_to(keys, &mut sorted, at);
        cumulative += u128::from(weigh.weight(keys[at]));
        if cumulative > target {
            return keys[at] as u32;
        }
    }
    // Not reached: the best token has weight ONE, so 0 <= target < mass <= the sum of all weights.
    keys[0] as u32
}

/// Makes sure `keys[..=at]` is the sorted beginning of `keys`, sorting in growing pieces.
fn sort_up_to(keys: &mut [u64], sorted: &mut usize, at: usize) {
    if at < *sorted {
        return;
    }
    let rest = &mut keys[*sorted..];
    let piece = (*sorted * 4).max(128);
    match piece.cmp(&rest.len()) {
        Ordering::Less => {
            rest.select_nth_unstable(piece);
            rest[..piece].sort_unstable();
            *sorted += piece;
        }
        _ => {
            rest.sort_unstable();
            *sorted = keys.len();
        }
    }
}

/// `exp(x)` for `x <= 0` by additions, multiplications and bit moves only, so that it is the same on every
/// platform; within 2 units in the last place. 0 below -40, far under the 2^-53 a weight can show.
fn exp_of_negative(x: f64) -> f64 {
    use std::f64::consts::LOG2_E;
    // ln 2 in two parts; the high one has trailing zeros, so that n * LN2_HIGH is exact.
    const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    if x < -40.0 {
        return 0.0;
    }
    let n = (x * LOG2_E - 0.5) as i64; // toward zero: rounds a negative number to nearest
    let r = (x - n as f64 * LN2_HIGH) - n as f64 * LN2_LOW;
    // Taylor: |r| <= 0.35, and 0.35^14 / 14! < 2^-57.
    let mut sum = 1.0;
    for k in (1..=13).rev() {
        sum = 1.0 + sum * r / f64::from(k);
    }
    sum * f64::from_bits(((1023 + n) as u64) << 52)
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
