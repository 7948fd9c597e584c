//! Aligned plain text tables.

use std::fmt;

/// Rows of cells; the first column is aligned left, the others right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|h| (*h).to_owned()).collect()] }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (c, (cell, w)) in row.iter().zip(&widths).enumerate() {
                let pad = " ".repeat(w - cell.chars().count());
                if c == 0 {
                    line.push_str(cell);
                    line.push_str(&pad);
                } else {
                    line.push_str("  ");
                    line.push_str(&pad);
                    line.push_str(cell);
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// "1 row", "2 rows".
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// From here on digits say nothing any more.
const HUGE: f64 = 1e15;

/// A number with about four significant digits.
pub(crate) fn number(x: f64) -> String {
    if x.abs() >= HUGE {
        return format!("{x:.2e}");
    }
    let digits = match x.abs() {
        a if a >= 1000.0 => 0,
        a if a >= 100.0 => 1,
        a if a >= 1.0 => 2,
        _ => 3,
    };
    format!("{x:.digits$}")
}

/// A share as a percentage.
pub(crate) fn percent(x: f64) -> String {
    let percent = (100.0 * x).clamp(f64::MIN, f64::MAX);
    if percent.abs() >= HUGE { format!("{percent:.2e}%") } else { format!("{percent:.1}%") }
}

/// Bytes in MB or GB (powers of 1000).
pub(crate) fn bytes(n: u64) -> String {
    if n >= 1_000_000_000 { format!("{:.2} GB", n as f64 / 1e9) } else { format!("{:.2} MB", n as f64 / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut t = Table::new(&["arm", "ms"]);
        t.row(vec!["é".into(), number(1234.5)]);
        t.row(vec!["longer".into(), number(0.01234)]);
        assert_eq!(t.to_string(), "arm        ms\né        1234\nlonger  0.012\n");
        assert_eq!(percent(0.1234), "12.3%");
        assert_eq!((number(1e308), percent(1e308)), ("1.00e308".into(), "1.80e308%".into()));
        assert_eq!(
            (count(0, "row"), count(1, "row"), count(2, "row")),
            ("0 rows".into(), "1 row".into(), "2 rows".into())
        );
        assert_eq!(bytes(2_500_000), "2.50 MB");
    }
}
