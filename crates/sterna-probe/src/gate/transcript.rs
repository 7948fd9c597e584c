//! Transcripts: what an independent engine answers greedily, token by token, with the lead of its best token.
//!
//! A transcript is JSON, one object a line. The first line may be a header ([`Header`], told by its `transcript`
//! field); every other line is a [`Case`]: `text` or `prompt` (token ids) or both, and the expected `tokens`, with
//! `margins` and `seconds` where the engine knows them. What `scripts/llamacpp_greedy.py` writes is read as well.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sterna_checkpoint::Tokenizer;
use sterna_plan::Wanted;
use sterna_run::Session;

use super::cases::{self, Case};
use super::compare::argmax;
use super::golden_file::LlamaCpp;
use super::{
    GateError, Golden, GoldenBounds, GoldenPrompt, GreedyStep, PromptReport, Refusal, fingerprint, golden,
};

/// Version of the form.
pub const VERSION: u32 = 1;

/// Who wrote a transcript, with what. Everything but the version is optional; fields that are not named here are kept
/// out of the comparison and allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the form: 1.
    pub transcript: u32,
    /// Program, version and arithmetic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// [`fingerprint::tokenizer`] of the model's tokenizer. A model with another one is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// Logits of a row. A model with another number is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vocab: Option<usize>,
}

/// A transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// Where it comes from, for people.
    pub source: String,
    /// Its header, if it has one.
    pub header: Option<Header>,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// The header of a file of lines, if its first line is one.
pub(super) fn header_of(name: &str, text: &str) -> Result<Option<Header>, GateError> {
    let Some((at, line)) = text.lines().enumerate().find(|(_, l)| !l.trim().is_empty()) else {
        return Ok(None);
    };
    let wrong = |why: String| GateError::Line { path: name.into(), line: at + 1, why };
    let value: serde_json::Value = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
    if value.get("transcript").is_none() {
        return Ok(None);
    }
    let header: Header = serde_json::from_value(value).map_err(|e| wrong(e.to_string()))?;
    if header.transcript != VERSION {
        return Err(wrong(format!(
            "a transcript of version {}; this program reads version {VERSION}",
            header.transcript
        )));
    }
    Ok(Some(header))
}

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is no case, a case without expected tokens.
    pub fn open(path: &Path) -> Result<Self, GateError> {
        Self::parse(&path.display().to_string(), &cases::read(path)?)
    }

    /// Reads a transcript's text; `source` names it in errors.
    ///
    /// # Errors
    /// As [`Transcript::open`].
    pub fn parse(source: &str, text: &str) -> Result<Self, GateError> {
        let (header, cases) = match serde_json::from_str::<LlamaCpp>(text) {
            Ok(file) => of_llamacpp(source, file)?,
            Err(_) => {
                let header = header_of(source, text)?;
                let cases = cases::cases(source, text, usize::from(header.is_some()))?;
                (header, cases)
            }
        };
        if let Some(case) = cases.iter().find(|c| c.tokens.is_empty()) {
            let name = case.name();
            return Err(GateError::Options(format!("{source}: prompt {name} expects no tokens")));
        }
        Ok(Self { source: source.into(), header, cases })
    }

    /// The transcript as lines.
    ///
    /// # Errors
    /// Values that JSON cannot hold.
    pub fn lines(&self) -> Result<String, GateError> {
        let wrong = |e: serde_json::Error| GateError::Options(e.to_string());
        let mut out = String::new();
        if let Some(header) = &self.header {
            out += &serde_json::to_string(header).map_err(wrong)?;
            out.push('\n');
        }
        for case in &self.cases {
            out += &serde_json::to_string(case).map_err(wrong)?;
            out.push('\n');
        }
        Ok(out)
    }

    /// Asks `session` for `steps` greedy tokens after each prompt, one row a call, and writes them down with their
    /// margins. End tokens are written down as any other, and nothing stops at them. `progress` hears cases done.
    ///
    /// # Errors
    /// Prompts without tokens or too long, 0 steps, a session that fails.
    pub fn record(
        session: &mut Session,
        tokenizer: &Tokenizer,
        header: Header,
        prompts: &[Case],
        steps: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, GateError> {
        if steps == 0 {
            return Err(GateError::Options("a transcript of 0 tokens".into()));
        }
        let source = header.engine.clone().unwrap_or_default();
        let mut cases = Vec::with_capacity(prompts.len());
        for (i, prompt) in prompts.iter().enumerate() {
            let ids = prompt.agreed_ids(tokenizer)?;
            let name = format!("prompt {}", prompt.name());
            let mut case = Case { text: prompt.text.clone(), prompt: Some(ids.clone()), ..Case::default() };
            session.truncate(0).map_err(GateError::session(&name))?;
            let mut fed = ids;
            for _ in 0..steps {
                session.ask(&fed, Wanted::Logits, &mut |_| {}).map_err(GateError::session(&name))?;
                let outputs = session.outputs();
                let top = outputs.top.last().copied().unwrap_or_default();
                let row = outputs.logits.last().map_or(&[][..], Vec::as_slice);
                case.tokens.push(top.token);
                case.margins.push(top.logit - top.second);
                case.seconds.push(second(row, top.token));
                fed = vec![top.token];
            }
            cases.push(case);
            progress(i + 1);
        }
        let vocab = Some(session.executor().plan().vocab);
        let tokenizer = Some(fingerprint::tokenizer(tokenizer));
        Ok(Self { source, header: Some(Header { transcript: VERSION, tokenizer, vocab, ..header }), cases })
    }
}

fn of_llamacpp(source: &str, file: LlamaCpp) -> Result<(Option<Header>, Vec<Case>), GateError> {
    let version = file.engine.get("llama.cpp").and_then(|v| v.as_str()).unwrap_or_default();
    let header = Header {
        transcript: VERSION,
        engine: Some(format!("llama.cpp {version}").trim_end().to_owned()),
        model: file.model,
        ..Header::default()
    };
    let mut cases = Vec::with_capacity(file.cases.len());
    for (i, c) in file.cases.into_iter().enumerate() {
        let case = Case {
            text: Some(c.prompt),
            prompt: Some(c.prompt_ids),
            tokens: c.greedy_ids,
            margins: c.greedy_margin,
            seconds: c.greedy_second.unwrap_or_default(),
            ..Case::default()
        };
        if let Some(why) = case.complaint() {
            return Err(GateError::Golden(format!("{source}, case {i}: {why}")));
        }
        cases.push(case);
    }
    if cases.is_empty() {
        return Err(GateError::Golden(format!("{source} has no cases")));
    }
    Ok((Some(header), cases))
}

/// The best token but `best`.
fn second(row: &[f32], best: u32) -> u32 {
    let mut rest = row.to_vec();
    if let Some(x) = rest.get_mut(best as usize) {
        *x = f32::NEG_INFINITY;
    }
    argmax(&rest)
}

/// Which differences may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allowed {
    /// None: every token must be the expected one.
    Nothing,
    /// Another token where the transcript's best one leads by no more than this.
    NearTie(f32),
}

/// Whether a text was cut into the expected tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokenised {
    /// The case has no text, or no ids to hold it against.
    NotAsked,
    /// Into the same tokens.
    Exact,
    /// Into others.
    Differs {
        /// First place with another token.
        at: usize,
        /// Tokens that this tokenizer makes.
        tokens: usize,
        /// Tokens expected.
        expected: usize,
    },
}

/// One case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseReport {
    /// The text.
    pub tokenised: Tokenised,
    /// Expected tokens.
    pub expected: Vec<u32>,
    /// Best tokens after the expected ones, and a free greedy run up to the first token that differs.
    pub answer: PromptReport,
}

impl CaseReport {
    /// Tokenised as expected, and no difference that may not be.
    pub fn passed(&self) -> bool {
        !matches!(self.tokenised, Tokenised::Differs { .. }) && self.answer.failures.is_empty()
    }
}

/// A session against a transcript.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TranscriptReport {
    /// The file.
    pub source: String,
    /// Its header.
    pub header: Option<Header>,
    /// What was allowed.
    pub allowed: Allowed,
    /// Cases that are equal token for token, to the end.
    pub exact: usize,
    /// Tokens compared, each after the expected ones before it.
    pub tokens: usize,
    /// Of these, the expected ones.
    pub equal: usize,
    /// Of the others, near ties.
    pub near_ties: usize,
    /// Each case.
    pub cases: Vec<CaseReport>,
}

impl TranscriptReport {
    /// Something was compared, and every case passed.
    pub fn passed(&self) -> bool {
        self.tokens > 0 && self.cases.iter().all(CaseReport::passed)
    }
}

/// Holds a session and its tokenizer against a transcript: the texts' tokens, the best token after each expected prefix,
/// and a free greedy run up to its first divergence. `progress` hears cases done.
///
/// # Errors
/// [`GateError::Refused`] if the header names another tokenizer or vocabulary; prompts that do not fit, tokens outside
/// the vocabulary, a session that fails. A difference is not an error: see [`TranscriptReport::passed`].
pub fn transcript(
    session: &mut Session,
    tokenizer: &Tokenizer,
    transcript: &Transcript,
    allowed: Allowed,
    progress: &mut dyn FnMut(usize),
) -> Result<TranscriptReport, GateError> {
    refuse(session, tokenizer, transcript)?;
    let near_tie = match allowed {
        // Below every margin.
        Allowed::Nothing => f32::NEG_INFINITY,
        Allowed::NearTie(bound) => bound,
    };
    let mut report = TranscriptReport {
        source: transcript.source.clone(),
        header: transcript.header.clone(),
        allowed,
        exact: 0,
        tokens: 0,
        equal: 0,
        near_ties: 0,
        cases: Vec::with_capacity(transcript.cases.len()),
    };
    for (i, case) in transcript.cases.iter().enumerate() {
        let answer = answer(session, tokenizer, case, GoldenBounds { max_abs: 0.0, near_tie })?;
        let found =
            CaseReport { tokenised: tokenised(tokenizer, case)?, expected: case.tokens.clone(), answer };
        report.tokens += found.answer.forced.of;
        report.equal += found.answer.forced.equal;
        report.near_ties += found.answer.forced.near_ties;
        let exact = found.passed() && found.answer.split.is_none();
        report.exact += usize::from(exact && found.answer.forced.equal == found.answer.forced.of);
        report.cases.push(found);
        progress(i + 1);
    }
    Ok(report)
}

fn refuse(session: &Session, tokenizer: &Tokenizer, transcript: &Transcript) -> Result<(), GateError> {
    let Some(header) = &transcript.header else { return Ok(()) };
    let mut refusals = Vec::new();
    let vocab = session.executor().plan().vocab;
    if let Some(theirs) = header.vocab.filter(|v| *v != vocab) {
        refusals.push(Refusal::new("vocab", vocab, theirs));
    }
    let own = fingerprint::tokenizer(tokenizer);
    if let Some(theirs) = header.tokenizer.as_ref().filter(|t| **t != own) {
        refusals.push(Refusal::new("tokenizer", own, theirs));
    }
    if refusals.is_empty() { Ok(()) } else { Err(GateError::Refused(refusals)) }
}

fn answer(
    session: &mut Session,
    tokenizer: &Tokenizer,
    case: &Case,
    bounds: GoldenBounds,
) -> Result<PromptReport, GateError> {
    let step = |(i, token): (usize, &u32)| GreedyStep {
        token: *token,
        // A margin that nobody knows is no near tie.
        margin: case.margins.get(i).copied().unwrap_or(f32::INFINITY),
        second: case.seconds.get(i).copied(),
    };
    let prompt = GoldenPrompt {
        name: case.name(),
        ids: case.ids(tokenizer)?,
        rows: Vec::new(),
        top1: Vec::new(),
        greedy: case.tokens.iter().enumerate().map(step).collect(),
    };
    let one = Golden { source: String::new(), prompts: vec![prompt] };
    let report = golden(session, &one, bounds)?;
    report.prompts.into_iter().next().ok_or_else(|| GateError::Options("a transcript without cases".into()))
}

fn tokenised(tokenizer: &Tokenizer, case: &Case) -> Result<Tokenised, GateError> {
    let (Some(text), Some(expected)) = (&case.text, &case.prompt) else { return Ok(Tokenised::NotAsked) };
    let own = tokenizer.encode(text, true)?;
    if own == *expected {
        return Ok(Tokenised::Exact);
    }
    let at = own.iter().zip(expected).take_while(|(a, b)| a == b).count();
    Ok(Tokenised::Differs { at, tokens: own.len(), expected: expected.len() })
}

impl fmt::Display for TranscriptReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unknown = String::new();
        let (engine, model) = match &self.header {
            Some(h) => (h.engine.as_ref().unwrap_or(&unknown), h.model.as_ref().unwrap_or(&unknown)),
            None => (&unknown, &unknown),
        };
        let by = if engine.is_empty() { String::new() } else { format!(" by {engine}") };
        let of = if model.is_empty() { String::new() } else { format!(" of {model}") };
        writeln!(f, "{}{by}{of}", self.source)?;
        for c in &self.cases {
            write!(f, "  {}", c.answer)?;
            if let Tokenised::Differs { at, tokens, expected } = c.tokenised {
                write!(
                    f,
                    "; FAIL: the text is cut into {tokens} tokens, expected {expected}, first other at {at}"
                )?;
            }
            writeln!(f)?;
        }
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        let failed = self.cases.iter().filter(|c| !c.passed()).count();
        let beyond = self.tokens - self.equal - self.near_ties;
        let allowed = match self.allowed {
            Allowed::Nothing => "every token must be the expected one".to_owned(),
            Allowed::NearTie(bound) => format!("near ties are margins up to {bound}"),
        };
        write!(
            f,
            "{verdict}: {failed} of {n} prompts failed; {} of {} tokens equal, {} near ties, {beyond} beyond; {} of {n} \
             prompts equal to the end ({allowed})",
            self.equal,
            self.tokens,
            self.near_ties,
            self.exact,
            n = self.cases.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_the_first_line_and_optional() {
        let case = r#"{"prompt":[1],"tokens":[2],"margins":[0.5],"seconds":[3]}"#;
        let bare = Transcript::parse("t", case).unwrap();
        assert!(bare.header.is_none() && bare.cases[0].seconds == [3]);
        let text = format!("\n{{\"transcript\":1,\"engine\":\"e\",\"date\":\"any\"}}\n{case}\n");
        let t = Transcript::parse("t", &text).unwrap();
        assert_eq!(t.header.as_ref().unwrap().engine.as_deref(), Some("e"));
        assert_eq!(Transcript::parse("t", &t.lines().unwrap()).unwrap(), t);
        for (bad, why) in [
            (text.replace(":1,\"eng", ":2,\"eng"), "version 2"),
            (text.replace("\"tokens\":[2],\"margins\":[0.5],\"seconds\":[3]", "\"tokens\":[]"), "no tokens"),
            (r#"{"transcript":"x"}"#.to_owned(), "line 1"),
            (r#"{"transcript":1}"#.to_owned(), "nothing in it"),
        ] {
            let said = Transcript::parse("t", &bad).unwrap_err().to_string();
            assert!(said.contains(why), "{bad}: {said}");
        }
    }

    #[test]
    fn the_runner_up_is_the_lowest_of_the_best_others() {
        assert_eq!(second(&[1.0, 3.0, 2.0, 2.0], 1), 2);
        assert_eq!(second(&[3.0, 3.0], 0), 1);
    }
}
