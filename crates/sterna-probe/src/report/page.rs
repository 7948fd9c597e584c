//! What a report says, before it is HTML or Markdown.

use super::svg::{Bars, Plot};

/// A table; the first column names the row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// What it shows.
    pub caption: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
    /// Lines below it.
    pub notes: Vec<String>,
}

impl Grid {
    /// An empty table.
    pub fn new(caption: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(|h| (*h).to_owned()).collect();
        Self { caption: caption.into(), head, rows: Vec::new(), notes: Vec::new() }
    }
    /// One more row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
    /// One more line below it.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

/// One figure that can be held against the same figure of another run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// "64 rows, tokens/s".
    pub label: String,
    /// Its value.
    pub value: f64,
    /// Which way is better.
    pub better: Better,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Speed.
    Higher,
    /// Time, memory.
    Lower,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Points and lines.
    Plot(Plot),
    /// Bars.
    Bars(Bars),
}

/// A part of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// For links.
    pub id: &'static str,
    /// Heading.
    pub title: &'static str,
    /// What the figures mean.
    pub about: &'static str,
    /// Charts, before the tables.
    pub charts: Vec<Chart>,
    /// Tables.
    pub grids: Vec<Grid>,
}

/// The whole report.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Heading.
    pub title: String,
    /// What to know before believing it.
    pub warnings: Vec<String>,
    /// Sections, the runs first.
    pub sections: Vec<Section>,
}
