//! What came out, with every sample: the JSON report.

use std::path::Path;

use serde::Serialize;
use sterna_probe::stats::Summary;

use crate::machine::Machine;
use crate::measure::Plan;
use crate::models::Needs;
use crate::protocol::{About, Request, Timed};

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Of this layout.
    pub version: u32,
    /// Seconds since 1970.
    pub unix_time: u64,
    /// Where.
    pub machine: Machine,
    /// What was measured on each model.
    pub plan: Plan,
    /// Results.
    pub models: Vec<ModelReport>,
}

/// One model.
#[derive(Clone, Debug, Serialize)]
pub struct ModelReport {
    /// For people.
    pub title: String,
    /// Name of its file.
    pub file: String,
    /// What it asks of a machine.
    pub needs: Needs,
    /// Sterna first.
    pub engines: Vec<EngineReport>,
    /// One for each prompt and for decoding.
    pub arms: Vec<ArmReport>,
    /// Cores that neither the driver nor the working engine used, over all samples; `None` where unknown.
    pub others: Option<f64>,
    /// Samples during which they used more than [`NOISE`] cores, of those long enough to tell.
    pub noisy: usize,
    /// Whether engines agree.
    pub greedy: GreedyReport,
}

/// One engine with the model loaded.
#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    /// What it said of itself.
    #[serde(flatten)]
    pub about: About,
    /// The most memory that it held, in bytes.
    pub peak_memory: Option<u64>,
}

/// One thing measured, on every engine.
#[derive(Clone, Debug, Serialize)]
pub struct ArmReport {
    /// "prefill 64", "decode 32 after 64".
    pub name: String,
    /// Tokens fed in a sample.
    pub tokens: usize,
    /// Whether they are fed one at a time.
    pub is_decode: bool,
    /// Bytes of weights that a sample reads, as stored in the file.
    pub bytes: u64,
    /// Multiply-accumulates of linear layers of a sample.
    pub macs: u64,
    /// Sterna first.
    pub engines: Vec<Samples>,
    /// Sterna's tokens a second over each other engine's, round by round.
    pub ratios: Vec<Summary>,
}

/// Samples of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct Samples {
    /// In the order of the rounds.
    pub samples: Vec<Timed>,
    /// Seconds.
    pub seconds: Summary,
    /// Tokens a second.
    pub rate: Summary,
}

/// Greedy continuation of a short text by every engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GreedyReport {
    /// Tokens made.
    pub tokens: usize,
    /// Leading tokens in which each other engine agrees with Sterna.
    pub agree: Vec<usize>,
}

impl GreedyReport {
    /// Compares answers.
    pub fn of(answers: &[Vec<u32>]) -> Self {
        let Some((own, others)) = answers.split_first() else { return Self { tokens: 0, agree: Vec::new() } };
        let agree = |other: &Vec<u32>| own.iter().zip(other).take_while(|(a, b)| a == b).count();
        Self { tokens: own.len(), agree: others.iter().map(agree).collect() }
    }
}

impl EngineReport {
    /// From what a worker said.
    pub fn of(about: &About, peak_memory: Option<u64>) -> Self {
        Self { about: about.clone(), peak_memory }
    }
}

impl ArmReport {
    /// From samples by engine.
    pub fn of(name: String, request: &Request, samples: Vec<Vec<Timed>>, needs: &Needs) -> Self {
        let (tokens, is_decode) = match request {
            Request::Prefill { tokens } => (*tokens, false),
            Request::Decode { tokens, .. } | Request::Continue { tokens, .. } => (*tokens, true),
            Request::Greedy { .. } | Request::Quit => (0, false),
        };
        // A prompt is one call, and asks the head for its last token only.
        let calls = if is_decode { tokens as u64 } else { 1 };
        let engines: Vec<Samples> = samples.into_iter().map(|s| Samples::of(s, tokens)).collect();
        let ratios = engines
            .split_first()
            .map(|(own, peers)| peers.iter().map(|peer| ratio(&own.samples, &peer.samples)).collect());
        Self {
            name,
            tokens,
            is_decode,
            bytes: needs.token_bytes * calls,
            macs: needs.token_macs * tokens as u64 + needs.head_macs * calls,
            engines,
            ratios: ratios.unwrap_or_default(),
        }
    }
}

impl Samples {
    fn of(samples: Vec<Timed>, tokens: usize) -> Self {
        let seconds: Vec<f64> = samples.iter().map(|s| s.seconds).collect();
        let rates: Vec<f64> = seconds.iter().map(|s| tokens as f64 / s).collect();
        Self {
            seconds: Summary::of(&seconds).unwrap_or_default(),
            rate: Summary::of(&rates).unwrap_or_default(),
            samples,
        }
    }
}

/// How many times faster `own` is than `peer`, over the rounds.
fn ratio(own: &[Timed], peer: &[Timed]) -> Summary {
    let ratios: Vec<f64> = own.iter().zip(peer).map(|(a, b)| b.seconds / a.seconds).collect();
    Summary::of(&ratios).unwrap_or_default()
}

impl ModelReport {
    /// Puts the parts together.
    pub fn of(
        title: String,
        file: &Path,
        needs: Needs,
        engines: Vec<EngineReport>,
        arms: Vec<ArmReport>,
        greedy: GreedyReport,
    ) -> Self {
        let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let samples = || arms.iter().flat_map(|a| &a.engines).flat_map(|e| &e.samples);
        let (others, noisy) = (others(samples()), samples().filter(|s| is_noisy(s)).count());
        Self { title, file, needs, engines, arms, others, noisy, greedy }
    }
}

/// More than this many cores used by others make a sample noisy. It is counted, never dropped.
pub const NOISE: f64 = 0.1;

fn is_noisy(sample: &Timed) -> bool {
    // Shorter ones say little in steps of 10 ms.
    sample.seconds >= 0.25 && sample.others.is_some_and(|others| others > NOISE * sample.seconds)
}

/// The system counts in steps of 10 ms, so only the sum over many samples tells something.
fn others<'a>(samples: impl Iterator<Item = &'a Timed>) -> Option<f64> {
    let (mut used, mut seconds) = (0.0, 0.0);
    for sample in samples {
        used += sample.others?;
        seconds += sample.seconds;
    }
    (seconds > 0.0).then(|| used / seconds)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn timed(seconds: f64) -> Timed {
        Timed { seconds, own: Some(2.0 * seconds), others: Some(0.1 * seconds), weight_bytes: None }
    }

    pub fn needs() -> Needs {
        Needs { file_bytes: 1000, token_bytes: 600, token_macs: 50, head_macs: 5 }
    }

    #[test]
    fn ratios_are_paired_by_round() {
        let own = vec![timed(1.0), timed(2.0), timed(1.0)];
        let peer = vec![timed(2.0), timed(4.0), timed(3.0)];
        let request = Request::Decode { tokens: 8, after: 1 };
        let arm = ArmReport::of("decode".into(), &request, vec![own, peer], &needs());
        assert_eq!((arm.ratios[0].median, arm.ratios[0].max), (2.0, 3.0));
        assert_eq!((arm.engines[0].rate.median, arm.engines[1].rate.min), (8.0, 2.0));
        assert_eq!((arm.bytes, arm.macs), (8 * 600, 8 * 55));
        let prefill = Request::Prefill { tokens: 8 };
        let arm = ArmReport::of("prefill".into(), &prefill, vec![vec![timed(1.0)]], &needs());
        assert_eq!((arm.bytes, arm.macs, arm.ratios.len()), (600, 8 * 50 + 5, 0));
    }

    #[test]
    fn greedy_answers_agree_up_to_the_first_difference() {
        let report = GreedyReport::of(&[vec![1, 2, 3, 4], vec![1, 2, 9, 4], vec![1, 2, 3, 4]]);
        assert_eq!(report, GreedyReport { tokens: 4, agree: vec![2, 4] });
        assert_eq!(GreedyReport::of(&[]).tokens, 0);
    }

    #[test]
    fn what_others_used_is_a_share_of_all_time() {
        let near = |x: Option<f64>, y: f64| x.is_some_and(|x| (x - y).abs() < 1e-12);
        assert!(near(others([timed(1.0), timed(3.0)].iter()), 0.1));
        let with = |seconds, others| Timed { others: Some(others), ..timed(seconds) };
        assert!(is_noisy(&with(1.0, 0.2)) && !is_noisy(&with(1.0, 0.05)) && !is_noisy(&with(0.1, 0.09)));
        assert_eq!(others([Timed { others: None, ..timed(1.0) }].iter()), None);
    }
}
