//! What a self-test found, for a person and for an issue.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use sterna_plan::BackendError;

/// How one check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "said")]
pub(crate) enum Outcome {
    /// As it must be; with what was seen.
    Passed(String),
    /// Not as it must be.
    Failed(String),
    /// This device has no kernel for it, and says so.
    NotThere(String),
}

/// One check.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// "kernels", "models" or "built-in model".
    pub part: &'static str,
    /// What.
    pub name: String,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
}

/// All checks.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// In the order in which they ran.
    pub checks: Vec<Check>,
}

impl Report {
    /// Something was checked, and nothing failed.
    pub fn passed(&self) -> bool {
        self.count(|o| matches!(o, Outcome::Passed(_))) > 0
            && self.count(|o| matches!(o, Outcome::Failed(_))) == 0
    }

    fn count(&self, is: impl Fn(&Outcome) -> bool) -> usize {
        self.checks.iter().filter(|c| is(&c.outcome)).count()
    }

    /// Notes how a check ended.
    pub fn add(&mut self, part: &'static str, name: String, outcome: Outcome, took: Duration) -> &Check {
        let at = self.checks.len();
        self.checks.push(Check { part, name, outcome, seconds: took.as_secs_f64() });
        &self.checks[at]
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, said) = match &self.outcome {
            Outcome::Passed(said) => ("ok", said),
            Outcome::Failed(said) => ("FAILED", said),
            Outcome::NotThere(said) => ("not there", said),
        };
        write!(f, "{word:9}  {}: {}: {said} ({:.1} s)", self.part, self.name, self.seconds)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passed = self.count(|o| matches!(o, Outcome::Passed(_)));
        let failed = self.count(|o| matches!(o, Outcome::Failed(_)));
        let absent = self.count(|o| matches!(o, Outcome::NotThere(_)));
        let seconds: f64 = self.checks.iter().map(|c| c.seconds).sum();
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        write!(
            f,
            "{verdict}: {passed} checks passed, {failed} failed, {absent} have no kernel here; {seconds:.0} s"
        )
    }
}

/// What became of something that ran: an error that names a missing kernel is another thing than one that fails.
pub(crate) fn outcome<E: Into<Fault>>(result: Result<String, E>) -> Outcome {
    match result.map_err(Into::into) {
        Ok(said) => Outcome::Passed(said),
        Err(Fault::NotThere(said)) => Outcome::NotThere(said),
        Err(Fault::Wrong(said)) => Outcome::Failed(said),
    }
}

/// Why a check did not pass.
#[derive(Debug)]
pub(crate) enum Fault {
    /// No kernel.
    NotThere(String),
    /// A wrong result, or a failure.
    Wrong(String),
}

impl From<BackendError> for Fault {
    fn from(e: BackendError) -> Self {
        match e {
            BackendError::Unsupported { .. } => Fault::NotThere(e.to_string()),
            other => Fault::Wrong(other.to_string()),
        }
    }
}

impl From<sterna_format::FormatError> for Fault {
    fn from(e: sterna_format::FormatError) -> Self {
        Fault::Wrong(format!("the test's own weights: {e}"))
    }
}
