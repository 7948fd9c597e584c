//! Speculation as plain text.

use std::fmt;

use super::{SpeculationRow, SpeculationTable};
use crate::table::{Table, count, number, percent};

/// Times as fast as the base, from a ratio of times; its interval turns round with it.
pub(crate) struct Speed {
    pub middle: f64,
    pub low: f64,
    pub high: f64,
}

impl SpeculationTable {
    /// How much faster an arm is than the first; `None` for the first.
    pub(crate) fn speed(&self, row: &SpeculationRow) -> Option<Speed> {
        let c = self.comparisons.iter().find(|c| c.arm == row.name)?;
        Some(Speed { middle: 1.0 / c.ratio, low: 1.0 / c.high, high: 1.0 / c.low })
    }

    fn verdict(&self, row: &SpeculationRow) -> &'static str {
        self.comparisons.iter().find(|c| c.arm == row.name).map_or("", |c| c.verdict.word())
    }
}

/// Deepest places that are shown one by one.
pub(crate) const SHOWN_PLACES: usize = 8;

/// "31/40".
pub(crate) fn drafts(row: &SpeculationRow) -> String {
    if row.proposed == 0 { "-".into() } else { format!("{}/{}", row.accepted, row.proposed) }
}

/// A row for each set and arm.
pub struct ByWhom<'a>(pub &'a [SpeculationTable]);

impl fmt::Display for ByWhom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "set",
            "arm",
            "tok/s",
            "speed",
            "from",
            "to",
            "",
            "accepted",
            "share",
            "a round",
            "tokens a round",
        ];
        let mut t = Table::new(&head);
        for table in self.0 {
            for r in &table.rows {
                let speed = table.speed(r);
                let times = |of: fn(&super::show::Speed) -> f64| {
                    speed.as_ref().map_or("-".into(), |s| format!("{:.3}x", of(s)))
                };
                t.row(vec![
                    table.set.clone(),
                    r.name.clone(),
                    number(r.tokens_per_s),
                    times(|s| s.middle),
                    times(|s| s.low),
                    times(|s| s.high),
                    table.verdict(r).to_owned(),
                    drafts(r),
                    r.acceptance().map_or("-".into(), percent),
                    format!("{:.2}", r.accepted_a_round()),
                    format!("{:.2}", r.tokens_a_round()),
                ]);
            }
        }
        write!(f, "{t}")?;
        let Some(c) = self.0.iter().find_map(|t| t.comparisons.first()) else { return Ok(()) };
        write!(
            f,
            "tok/s: tokens made over the median time of the answers, prompts left out; speed over the first arm's with a \
             {:.2}% interval of paired rounds",
            100.0 * c.confidence
        )
    }
}

impl fmt::Display for SpeculationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prompts, most) = (count(self.prompts, "prompt"), count(self.most, "token"));
        let what = format!("{}: {prompts}, answers of at most {most}", self.set);
        writeln!(f, "{what}, the same from every arm")?;
        write!(f, "{}", ByWhom(std::slice::from_ref(self)))?;
        let mut t = Table::new(&["ms a token", "all", "draft", "verify", "decode", "rest", "calls a token"]);
        for r in &self.rows {
            let tokens = r.tokens.max(1) as f64;
            let of = [r.roles.all(), r.roles.draft, r.roles.verify, r.roles.decode, r.roles.rest];
            let cells = of.map(|s| number(1e3 * s / tokens));
            let calls = format!("{:.3}", r.rounds as f64 / tokens);
            t.row([r.name.clone()].into_iter().chain(cells).chain([calls]).collect());
        }
        write!(f, "\n\n{t}")?;
        let deepest = self.rows.iter().flat_map(|r| &r.proposers).map(|p| p.places.len()).max().unwrap_or(0);
        if deepest > 0 {
            let shown = deepest.min(SHOWN_PLACES);
            let mut head = vec!["accepted by place".to_owned(), "proposer".to_owned(), "rounds".to_owned()];
            head.extend((1..=shown).map(|i| i.to_string()));
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            let mut t = Table::new(&head);
            for (r, p) in self.rows.iter().flat_map(|r| r.proposers.iter().map(move |p| (r, p))) {
                let mut cells = vec![r.name.clone(), p.name.clone(), p.rounds.to_string()];
                cells.extend(p.shares().into_iter().take(shown).map(percent));
                t.row(cells);
            }
            write!(f, "\n{t}")?;
        }
        for (r, p) in self.rows.iter().flat_map(|r| r.proposers.iter().map(move |p| (r, p))) {
            if let Some(why) = &p.failure {
                writeln!(f, "{}: {} was not asked any more: {why}", r.name, p.name)?;
            }
        }
        write!(f, "{}", self.samples.note())
    }
}
