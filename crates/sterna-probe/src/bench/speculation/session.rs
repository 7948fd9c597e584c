//! A session that answers, with its time by role.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sterna_checkpoint::Tokenizer;
use sterna_run::speculate::ProposerTotals;
use sterna_run::trace::{Role, Span, TracedCall, Tracer};
use sterna_run::{Finish, Request, Session, Silent, generate};

use super::{Place, ProposerUse, RoleSeconds, Speaker, Spoken};
use crate::interleave::ArmError;

/// Time of spans by role.
#[derive(Clone, Copy, Debug, Default)]
struct Spans {
    draft: Duration,
    verify: Duration,
    decode: Duration,
}

/// Adds up spans; nobody looks at ops.
struct Ear(Arc<Mutex<Spans>>);

impl Tracer for Ear {
    fn call(&mut self, _: &TracedCall<'_>) {}

    fn span(&mut self, span: &Span<'_>) {
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let took = span.end.saturating_duration_since(span.start);
        match span.role {
            Role::Draft => spans.draft += took,
            Role::Verify => spans.verify += took,
            Role::Decode => spans.decode += took,
            _ => {}
        }
    }
}

/// A session, with the proposers that it has.
pub struct SessionSpeaker<'a> {
    session: Session,
    tokenizer: &'a Tokenizer,
    spans: Arc<Mutex<Spans>>,
}

impl<'a> SessionSpeaker<'a> {
    /// Answers with `session`, whose tracer is replaced.
    pub fn new(mut session: Session, tokenizer: &'a Tokenizer) -> Self {
        let spans = Arc::new(Mutex::new(Spans::default()));
        session.trace(Some(Box::new(Ear(Arc::clone(&spans)))));
        // Roles are timed in any case; a clock around every op would be time of its own.
        session.executor_mut().trace(false);
        Self { session, tokenizer, spans }
    }

    fn spans(&self) -> Spans {
        *self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn totals(&self) -> Vec<ProposerTotals> {
        self.session.speculator().map_or_else(Vec::new, sterna_run::speculate::Speculator::totals)
    }
}

/// What was done between two looks at one proposer.
fn between(before: Option<&ProposerTotals>, after: &ProposerTotals) -> ProposerUse {
    let was = |i: usize| before.and_then(|b| b.places.get(i)).copied().unwrap_or_default();
    let mut places: Vec<Place> = after
        .places
        .iter()
        .enumerate()
        .map(|(i, p)| Place {
            proposed: p.proposed - was(i).proposed,
            accepted: p.accepted - was(i).accepted,
        })
        .collect();
    // Places that an earlier answer reached.
    let reached = places.iter().rposition(|p| p.proposed > 0).map_or(0, |last| last + 1);
    places.truncate(reached);
    let seconds = |of: fn(&ProposerTotals) -> Duration| {
        of(after).saturating_sub(before.map_or(Duration::ZERO, of)).as_secs_f64()
    };
    ProposerUse {
        name: after.name.to_owned(),
        rounds: after.rounds - before.map_or(0, |b| b.rounds),
        places,
        propose: seconds(|t| t.propose),
        verify: seconds(|t| t.verify),
        failure: after.failure.clone(),
    }
}

impl Speaker for SessionSpeaker<'_> {
    fn answer(&mut self, request: &Request) -> Result<Spoken, ArmError> {
        self.session.truncate(0)?;
        let (was, before) = (self.spans(), self.totals());
        let start = Instant::now();
        let made = generate(&mut self.session, self.tokenizer, request, &mut Silent)?;
        // Also what is done after the last choice: rows of the last round are kept as those of any other.
        let all = start.elapsed().saturating_sub(made.prefill).as_secs_f64();
        let is = self.spans();
        let (draft, verify, decode) = (is.draft - was.draft, is.verify - was.verify, is.decode - was.decode);
        let [draft, verify, decode] = [draft, verify, decode].map(|d| d.as_secs_f64());
        let rest = (all - draft - verify - decode).max(0.0);
        let finish = match &made.finish {
            Finish::End { token } => format!("end {token}"),
            Finish::Stop { text } => format!("stop {text:?}"),
            other => other.name().to_owned(),
        };
        let after = self.totals();
        let proposers = after.iter().enumerate().map(|(i, t)| between(before.get(i), t)).collect();
        let roles = RoleSeconds { draft, verify, decode, rest };
        Ok(Spoken { tokens: made.tokens, finish, roles, drafts: made.drafts, proposers })
    }
}
