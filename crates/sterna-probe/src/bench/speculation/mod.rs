//! Speculation measured as people meet it: whole answers to sets of prompts, arms in turns, tokens compared bit for bit.
//!
//! A sample of an arm answers every prompt of a set, each from an empty state. Its time is that of the answers alone, from
//! the end of the target's prompt to the end of the text: what a proposer needs to read a prompt of its own counts. What
//! proposers learned goes on from answer to answer, as it does in a conversation; texts do not, so that no answer is
//! drafted from the one that the round before made.

mod session;
mod sets;
mod show;

pub use session::SessionSpeaker;
pub use sets::{PromptSet, SetPrompt, prompt_sets};
pub use show::ByWhom;

use serde::{Deserialize, Serialize};
use sterna_run::{Drafts, Request};

use super::BenchError;
use crate::clock::{Clock, SystemClock};
use crate::compare::{Comparison, Judge, compare_on};
use crate::interleave::{Arm, ArmError, InterleaveError, Interleaved};
use crate::sensors::{Sensors, SystemSensors};
use crate::stats::Summary;
use crate::table::count;

/// Seconds of answers by what they went to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleSeconds {
    /// Asking proposers.
    pub draft: f64,
    /// Calls of the target with drafts.
    pub verify: f64,
    /// Calls of the target without.
    pub decode: f64,
    /// Everything else: choosing tokens, text, keeping accepted rows, telling proposers what was kept.
    pub rest: f64,
}

impl RoleSeconds {
    /// All of them.
    pub fn all(&self) -> f64 {
        self.draft + self.verify + self.decode + self.rest
    }

    fn add(&mut self, other: &Self) {
        self.draft += other.draft;
        self.verify += other.verify;
        self.decode += other.decode;
        self.rest += other.rest;
    }
}

/// Drafts at one place of their rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Drafts that the target evaluated.
    pub proposed: u64,
    /// Of these, drafts that became part of the text: they and all before them in their round were right.
    pub accepted: u64,
}

/// What one proposer did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProposerUse {
    /// "suffix", "draft", "mtp".
    pub name: String,
    /// Rounds in which the target verified a draft of it.
    pub rounds: u64,
    /// By place in the round, the first draft first.
    pub places: Vec<Place>,
    /// Seconds that it took, reading included.
    pub propose: f64,
    /// Seconds of the calls that verified its drafts.
    pub verify: f64,
    /// Why it was no longer asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl ProposerUse {
    /// Share of the drafts at each place that became part of the text.
    pub fn shares(&self) -> Vec<f64> {
        let share = |p: &Place| p.accepted as f64 / p.proposed.max(1) as f64;
        self.places.iter().map(share).collect()
    }

    /// Chance of the draft at each place to be accepted when all before it were, as a break-even table takes it
    /// ([`break_even`](crate::verify::break_even)). Places of few drafts say little.
    pub fn chances(&self) -> Vec<f64> {
        let mut before = 1.0;
        let chance = |share: f64| {
            let chance = if before > 0.0 { (share / before).min(1.0) } else { 0.0 };
            before = share;
            chance
        };
        self.shares().into_iter().map(chance).collect()
    }

    fn add(&mut self, other: &Self) {
        self.rounds += other.rounds;
        self.places.resize(self.places.len().max(other.places.len()), Place::default());
        for (sum, place) in self.places.iter_mut().zip(&other.places) {
            sum.proposed += place.proposed;
            sum.accepted += place.accepted;
        }
        self.propose += other.propose;
        self.verify += other.verify;
        self.failure = self.failure.take().or_else(|| other.failure.clone());
    }
}

/// An answer, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spoken {
    /// Tokens made.
    pub tokens: Vec<u32>,
    /// What ended it, in words.
    pub finish: String,
    /// Its time.
    pub roles: RoleSeconds,
    /// Rounds and drafts.
    pub drafts: Drafts,
    /// Who proposed, always in the same order.
    pub proposers: Vec<ProposerUse>,
}

/// A way to answer that can be timed.
pub trait Speaker {
    /// Answers a request from an empty state.
    ///
    /// # Errors
    /// What kept it from an answer.
    fn answer(&mut self, request: &Request) -> Result<Spoken, ArmError>;
}

/// An arm with its name.
pub struct NamedSpeaker<'a> {
    /// In tables.
    pub name: String,
    /// What answers.
    pub speaker: Box<dyn Speaker + 'a>,
}

/// Two arms of one comparison answered a prompt in different ways: their times have nothing to do with each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not lossless: {arm} and {base} answer prompt {index} of {set}, {prompt}, differently, first at token {at} ({made} and \
     {wanted}); `sterna gate lossless` looks closer"
)]
pub struct NotLossless {
    /// The set.
    pub set: String,
    /// Index of the prompt in it, from 0.
    pub index: usize,
    /// How the prompt begins.
    pub prompt: String,
    /// Whose answer came first.
    pub base: String,
    /// Whose differs.
    pub arm: String,
    /// First token that differs, from 0.
    pub at: usize,
    /// What the arm has there.
    pub made: String,
    /// What the base has there.
    pub wanted: String,
}

/// One arm's sum over some samples.
#[derive(Clone, Debug, Default)]
struct Tally {
    tokens: u64,
    roles: RoleSeconds,
    drafts: Drafts,
    proposers: Vec<ProposerUse>,
}

impl Tally {
    fn add(&mut self, tokens: u64, roles: &RoleSeconds, drafts: Drafts, proposers: &[ProposerUse]) {
        self.tokens += tokens;
        self.roles.add(roles);
        self.drafts.rounds += drafts.rounds;
        self.drafts.proposed += drafts.proposed;
        self.drafts.accepted += drafts.accepted;
        for p in proposers {
            match self.proposers.iter_mut().find(|known| known.name == p.name) {
                Some(known) => known.add(p),
                None => self.proposers.push(p.clone()),
            }
        }
    }
}

/// One arm on one set; sums are over all samples that count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeculationRow {
    /// The arm.
    pub name: String,
    /// Milliseconds of a sample: all answers of the set, without their prompts.
    pub ms: Summary,
    /// Tokens of a sample over its median time.
    pub tokens_per_s: f64,
    /// Tokens made.
    pub tokens: u64,
    /// Calls of the target after the prompts', with drafts or without.
    pub rounds: u64,
    /// Drafts that the target evaluated.
    pub proposed: u64,
    /// Of these, drafts that are part of an answer.
    pub accepted: u64,
    /// Where the time went.
    pub roles: RoleSeconds,
    /// By proposer.
    pub proposers: Vec<ProposerUse>,
}

impl SpeculationRow {
    /// Drafts a call of the target that became part of an answer.
    pub fn accepted_a_round(&self) -> f64 {
        self.accepted as f64 / self.rounds.max(1) as f64
    }

    /// Tokens a call of the target: its own, and the accepted drafts.
    pub fn tokens_a_round(&self) -> f64 {
        1.0 + self.accepted_a_round()
    }

    /// Share of the drafts that were accepted; `None` without any.
    pub fn acceptance(&self) -> Option<f64> {
        (self.proposed > 0).then(|| self.accepted as f64 / self.proposed as f64)
    }
}

/// All arms on one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeculationTable {
    /// The set of prompts.
    pub set: String,
    /// Prompts in it.
    pub prompts: usize,
    /// Tokens of an answer at most.
    pub most: usize,
    /// One for each arm, in their order.
    pub rows: Vec<SpeculationRow>,
    /// Every arm but the first against the first: ratios of time.
    pub comparisons: Vec<Comparison>,
    /// Samples and noise.
    pub samples: Interleaved,
}

impl SpeculationTable {
    /// What no run can have measured, if it is in here.
    pub(crate) fn impossible(&self) -> Option<String> {
        self.rows.iter().find_map(|r| {
            let more = |what: &str, accepted: u64, proposed: u64| {
                (accepted > proposed).then(|| format!("{}: {accepted} of {proposed} drafts {what}", r.name))
            };
            let places = r.proposers.iter().flat_map(|p| &p.places);
            more("accepted", r.accepted, r.proposed).or_else(|| {
                places.into_iter().find_map(|p| more("of a place accepted", p.accepted, p.proposed))
            })
        })
    }
}

/// What the arms of one set share.
struct Panel<'a, 'b> {
    speakers: &'a mut [NamedSpeaker<'b>],
    set: &'a PromptSet,
    /// The first answer to each prompt, and whose it is.
    base: Vec<(String, Spoken)>,
    /// Of each arm, a sum for each sample.
    seen: Vec<Vec<Tally>>,
}

impl Panel<'_, '_> {
    /// Seconds of all answers of one arm.
    fn run(&mut self, at: usize) -> Result<f64, ArmError> {
        let NamedSpeaker { name, speaker } = &mut self.speakers[at];
        let mut tally = Tally::default();
        for (i, prompt) in self.set.prompts.iter().enumerate() {
            let spoken = speaker.answer(&prompt.request)?;
            tally.add(spoken.tokens.len() as u64, &spoken.roles, spoken.drafts, &spoken.proposers);
            match self.base.get(i) {
                None => self.base.push((name.clone(), spoken)),
                Some((base, first)) => {
                    if let Some((at, made, wanted)) = difference(&spoken, first) {
                        let (set, prompt) = (self.set.name.clone(), prompt.name.clone());
                        let (base, arm) = (base.clone(), name.clone());
                        let found = NotLossless { set, index: i, prompt, base, arm, at, made, wanted };
                        return Err(Box::new(found));
                    }
                }
            }
        }
        if tally.tokens == 0 {
            return Err(format!("no answer to the prompts of {} has a token", self.set.name).into());
        }
        let seconds = tally.roles.all();
        self.seen[at].push(tally);
        Ok(seconds)
    }
}

/// The first difference of two answers: where, and what each has there.
fn difference(made: &Spoken, wanted: &Spoken) -> Option<(usize, String, String)> {
    if made.tokens == wanted.tokens && made.finish == wanted.finish {
        return None;
    }
    let at = made.tokens.iter().zip(&wanted.tokens).take_while(|(a, b)| a == b).count();
    let there = |s: &Spoken| s.tokens.get(at).map_or_else(|| s.finish.clone(), u32::to_string);
    Some((at, there(made), there(wanted)))
}

/// Compares every arm with the first on the answers to `set`, on the machine's own clock.
///
/// # Errors
/// Fewer than two arms or no prompts; an arm's error; [`BenchError::NotLossless`] when two arms answer differently.
pub fn compare_speakers(
    speakers: &mut [NamedSpeaker<'_>],
    set: &PromptSet,
    judge: &Judge,
) -> Result<SpeculationTable, BenchError> {
    compare_speakers_on(speakers, set, judge, &SystemClock::default(), &mut SystemSensors)
}

/// Compares on a given clock.
///
/// # Errors
/// As [`compare_speakers`].
pub fn compare_speakers_on(
    speakers: &mut [NamedSpeaker<'_>],
    set: &PromptSet,
    judge: &Judge,
    clock: &dyn Clock,
    sensors: &mut dyn Sensors,
) -> Result<SpeculationTable, BenchError> {
    if speakers.len() < 2 || set.prompts.is_empty() {
        let (arms, prompts) = (speakers.len(), set.prompts.len());
        let (arms, prompts) = (count(arms, "arm"), count(prompts, "prompt"));
        let text = format!("{}: {arms} and {prompts} are nothing to compare", set.name);
        return Err(BenchError::Options(text));
    }
    let arm = |(at, s): (usize, &NamedSpeaker<'_>)| {
        Arm::told(s.name.clone(), move |p: &mut Panel<'_, '_>| p.run(at))
    };
    let mut arms: Vec<Arm<'_, Panel<'_, '_>>> = speakers.iter().enumerate().map(arm).collect();
    let seen = vec![Vec::new(); speakers.len()];
    let mut panel = Panel { speakers, set, base: Vec::new(), seen };
    let (comparisons, samples) =
        compare_on(&set.name, &mut panel, &mut arms, judge, clock, sensors).map_err(told)?;
    let rows = samples.arms.iter().zip(&panel.seen).map(|(arm, seen)| {
        let mut all = Tally::default();
        for one in seen.iter().skip(samples.rounds.warmup) {
            all.add(one.tokens, &one.roles, one.drafts, &one.proposers);
        }
        // Answers are equal, so every sample has as many tokens as any other.
        let each = seen.first().map_or(0, |s| s.tokens) as f64;
        SpeculationRow {
            name: arm.name.clone(),
            ms: arm.time.scaled(1e3),
            tokens_per_s: if arm.time.median > 0.0 { each / arm.time.median } else { 0.0 },
            tokens: all.tokens,
            rounds: all.drafts.rounds as u64,
            proposed: all.drafts.proposed as u64,
            accepted: all.drafts.accepted as u64,
            roles: all.roles,
            proposers: all.proposers,
        }
    });
    let rows = rows.collect();
    let most = set.prompts.iter().filter_map(|p| p.request.max_tokens).max().unwrap_or(0);
    let (set, prompts) = (set.name.clone(), set.prompts.len());
    Ok(SpeculationTable { set, prompts, most, rows, comparisons, samples })
}

/// Answers that differ are no arm's failure but the comparison's.
fn told(error: InterleaveError) -> BenchError {
    match error {
        InterleaveError::Arm { arm, source } => match source.downcast::<NotLossless>() {
            Ok(found) => BenchError::NotLossless(found),
            Err(source) => InterleaveError::Arm { arm, source }.into(),
        },
        other => other.into(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
