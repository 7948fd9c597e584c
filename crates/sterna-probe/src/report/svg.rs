//! Plots as SVG text: no script, colours from the page's style sheet, words for those who do not see them.

use std::fmt::Write as _;

/// How values become lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0.
    Linear,
    /// Every doubling is as long as any other.
    Log2,
    /// Every factor of ten is as long as any other.
    Log10,
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// With its unit.
    pub label: String,
    /// Its scale.
    pub scale: Scale,
}

impl Axis {
    /// An axis.
    pub fn new(label: &str, scale: Scale) -> Self {
        Self { label: label.to_owned(), scale }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Points joined by a line.
    Line,
    /// Points alone.
    Points,
    /// A thin broken line: a fit or a limit.
    Fit,
}

/// Points of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Colour and shape: series of one hue belong together.
    pub hue: usize,
    /// Values of x and y. What is no possible figure, or not above 0 on a logarithmic axis, is left out.
    pub points: Vec<(f64, f64)>,
}

/// Points and lines over two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Heading.
    pub title: String,
    /// What is to be seen, in words.
    pub about: String,
    /// Left to right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Series.
    pub series: Vec<Series>,
}

/// Horizontal bars, parts of each one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Heading.
    pub title: String,
    /// What is to be seen, in words.
    pub about: String,
    /// Names of the parts, for the legend; one name needs none.
    pub parts: Vec<String>,
    /// Name, parts, and what is written at the end of each bar.
    pub rows: Vec<(String, Vec<f64>, String)>,
}

/// Entry of a legend: name, hue, and how it is drawn.
pub type Key = (String, usize, Mark);

/// Hues of the style sheet.
pub const HUES: usize = 6;

/// No machine has a figure beyond these: such a one is left out, as sums and ratios of it would not be finite.
const LARGEST: f64 = 1e100;
const SMALLEST: f64 = 1e-100;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;

/// `&`, `<`, `>` and quotes as entities; characters that XML does not allow are dropped.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A range of values and where it lies on the page.
struct Range {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Range {
    fn new(scale: Scale, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values {
            (low, high) = (low.min(v), high.max(v));
        }
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        match scale {
            Scale::Linear => {
                low = low.min(0.0);
                high *= if high > 0.0 { 1.05 } else { 1.0 };
                if high <= low {
                    high = low + 1.0;
                }
            }
            Scale::Log2 => {
                if high / low < 1.5 {
                    (low, high) = (low / 1.5, high * 1.5);
                }
            }
            Scale::Log10 => (low, high) = (low / 1.3, high * 1.3),
        }
        Some(Self { scale, low, high, from, to })
    }

    fn at(&self, v: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (v - self.low) / (self.high - self.low),
            Scale::Log2 | Scale::Log10 => (v / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + share * (self.to - self.from)
    }

    /// Values to write along the axis: at most about eight.
    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let rough = (self.high - self.low) / 6.0;
                let power = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough);
                let step = step.unwrap_or(10.0 * power);
                let first = (self.low / step).ceil();
                (0..12).map(|i| (first + f64::from(i)) * step).take_while(|v| *v <= self.high).collect()
            }
            Scale::Log2 => self.powers(2.0),
            Scale::Log10 => {
                let tens = self.powers(10.0);
                if tens.len() >= 3 {
                    return tens;
                }
                let lowest = self.low.log10().floor() as i32;
                let all = (lowest..lowest + 5).flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)));
                all.filter(|v| *v >= self.low && *v <= self.high).collect()
            }
        }
    }

    fn powers(&self, base: f64) -> Vec<f64> {
        let (from, to) = (self.low.log(base), self.high.log(base));
        let (from, to) = ((from - 1e-9).ceil() as i32, (to + 1e-9).floor() as i32);
        let every = ((to - from) / 8 + 1).max(1);
        (from..=to).filter(|e| (e - from) % every == 0).map(|e| base.powi(e)).collect()
    }
}

/// "1500" as "1.5k".
fn short(v: f64) -> String {
    let a = v.abs();
    let (v, unit) = match a {
        _ if a >= 1e15 => return format!("{v:.1e}"),
        _ if a >= 1e9 => (v / 1e9, "G"),
        _ if a >= 1e6 => (v / 1e6, "M"),
        _ if a >= 10_000.0 => (v / 1e3, "k"),
        _ => (v, ""),
    };
    let text = if v.abs() < 0.01 && v != 0.0 { format!("{v:.0e}") } else { format!("{v:.3}") };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// Drawn in the middle of (0, 0).
const SHAPES: [&str; HUES] = [
    "<circle r=\"4\"/>",
    "<rect x=\"-3.5\" y=\"-3.5\" width=\"7\" height=\"7\"/>",
    "<path d=\"M0-5 4.5 3.5h-9z\"/>",
    "<path d=\"M0-5 5 0 0 5-5 0z\"/>",
    "<path d=\"M0 5 4.5-3.5h-9z\"/>",
    "<path d=\"M-5-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z\"/>",
];

impl Plot {
    /// Points that can be drawn.
    fn usable(&self, series: &Series) -> Vec<(f64, f64)> {
        let fits = |scale: Scale, v: f64| v.abs() <= LARGEST && (scale == Scale::Linear || v >= SMALLEST);
        let points = series.points.iter().copied();
        points.filter(|(x, y)| fits(self.x.scale, *x) && fits(self.y.scale, *y)).collect()
    }

    /// The picture; `None` without a point to draw. `id` is unique on the page.
    pub fn svg(&self, id: &str) -> Option<String> {
        let drawn: Vec<(&Series, Vec<(f64, f64)>)> =
            self.series.iter().map(|s| (s, self.usable(s))).collect();
        let all = || drawn.iter().flat_map(|(_, p)| p.iter());
        let x = Range::new(self.x.scale, all().map(|p| p.0), LEFT, WIDTH - RIGHT)?;
        let y = Range::new(self.y.scale, all().map(|p| p.1), HEIGHT - BOTTOM, TOP)?;
        let mut out = open(id, &self.title, &self.about, HEIGHT);
        for v in y.ticks() {
            let at = y.at(v);
            let _ = write!(out, "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{:.1}\"/>", WIDTH - RIGHT);
            let _ = write!(
                out,
                "<text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT - 7.0,
                at + 4.5,
                short(v)
            );
        }
        for v in x.ticks() {
            let at = x.at(v);
            let _ = write!(out, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{:.1}\"/>", HEIGHT - BOTTOM);
            let _ = write!(
                out,
                "<text class=\"x\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>",
                HEIGHT - BOTTOM + 18.0,
                short(v)
            );
        }
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let _ = write!(
            out,
            "<text class=\"x label\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
            HEIGHT - 8.0,
            escape(&self.x.label)
        );
        let up = (TOP + HEIGHT - BOTTOM) / 2.0;
        let _ = write!(
            out,
            "<text class=\"x label\" transform=\"translate(14 {up:.1}) rotate(-90)\">{}</text>",
            escape(&self.y.label)
        );
        for (series, points) in &drawn {
            let hue = series.hue % HUES;
            let class = if series.mark == Mark::Fit { "fit" } else { "line" };
            if series.mark != Mark::Points && points.len() > 1 {
                let _ = write!(out, "<path class=\"{class} h{hue}\" d=\"");
                for (i, (px, py)) in points.iter().enumerate() {
                    let _ =
                        write!(out, "{}{:.1} {:.1}", if i == 0 { "M" } else { "L" }, x.at(*px), y.at(*py));
                }
                out.push_str("\"/>");
            }
            if series.mark != Mark::Fit {
                for (px, py) in points {
                    let _ = write!(
                        out,
                        "<g class=\"dot h{hue}\" transform=\"translate({:.1} {:.1})\"><title>{}: {}, {}</title>{}</g>",
                        x.at(*px),
                        y.at(*py),
                        escape(&series.name),
                        short(*px),
                        short(*py),
                        SHAPES[hue]
                    );
                }
            }
        }
        out.push_str("</svg>");
        Some(out)
    }

    /// The legend.
    pub fn keys(&self) -> Vec<Key> {
        let shown = self.series.iter().filter(|s| !self.usable(s).is_empty());
        shown.map(|s| (s.name.clone(), s.hue % HUES, s.mark)).collect()
    }
}

fn open(id: &str, title: &str, about: &str, height: f64) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
        escape(title),
        escape(about)
    )
}

/// A small picture of a key, for the legend.
pub fn swatch(hue: usize, mark: Mark) -> String {
    let hue = hue % HUES;
    let line = match mark {
        Mark::Line => format!("<path class=\"line h{hue}\" d=\"M1 8H27\"/>"),
        Mark::Fit => format!("<path class=\"fit h{hue}\" d=\"M1 8H27\"/>"),
        Mark::Points => String::new(),
    };
    let dot = match mark {
        Mark::Fit => String::new(),
        _ => format!("<g class=\"dot h{hue}\" transform=\"translate(14 8)\">{}</g>", SHAPES[hue]),
    };
    format!("<svg viewBox=\"0 0 28 16\" class=\"key\" aria-hidden=\"true\">{line}{dot}</svg>")
}

impl Bars {
    /// The picture; `None` without a bar of any length. `id` is unique on the page.
    pub fn svg(&self, id: &str) -> Option<String> {
        const ROW: f64 = 40.0;
        // For the words at the end of the longest bar, by the width of a digit.
        let letters = self.rows.iter().map(|r| r.2.chars().count()).max().unwrap_or(0);
        let room = (8.0 * letters as f64 + 16.0).min(WIDTH / 2.0);
        let shown = |part: &f64| (SMALLEST..=LARGEST).contains(part);
        let sum = |parts: &[f64]| parts.iter().filter(|p| shown(p)).sum::<f64>();
        let longest = self.rows.iter().map(|r| sum(&r.1)).fold(0.0, f64::max);
        if longest <= 0.0 {
            return None;
        }
        let height = ROW * self.rows.len() as f64 + 6.0;
        let mut out = open(id, &self.title, &self.about, height);
        for (i, (name, parts, text)) in self.rows.iter().enumerate() {
            let top = ROW * i as f64;
            let _ = write!(out, "<text x=\"2\" y=\"{:.1}\">{}</text>", top + 14.0, escape(name));
            let mut at = 2.0;
            for (hue, part) in parts.iter().enumerate().filter(|(_, p)| shown(p)) {
                let wide = part / longest * (WIDTH - room - 4.0);
                let _ = write!(
                    out,
                    "<rect class=\"bar h{}\" x=\"{at:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"14\"><title>{}: {}</title></rect>",
                    hue % HUES,
                    top + 20.0,
                    escape(self.parts.get(hue).unwrap_or(name)),
                    short(*part)
                );
                at += wide;
            }
            let _ =
                write!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", at + 6.0, top + 31.5, escape(text));
        }
        out.push_str("</svg>");
        Some(out)
    }

    /// The legend; empty when there is one part only.
    pub fn keys(&self) -> Vec<Key> {
        if self.parts.len() < 2 {
            return Vec::new();
        }
        self.parts.iter().enumerate().map(|(i, p)| (p.clone(), i % HUES, Mark::Points)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(x: Scale, y: Scale, points: &[(f64, f64)]) -> Plot {
        Plot {
            title: "a < b & \"c\"".into(),
            about: "rises".into(),
            x: Axis::new("rows", x),
            y: Axis::new("ms", y),
            series: vec![Series { name: "<one>".into(), mark: Mark::Line, hue: 7, points: points.to_vec() }],
        }
    }

    /// Coordinates of the first line drawn.
    fn line(svg: &str) -> Vec<(f64, f64)> {
        let path = svg.split("class=\"line h1\" d=\"M").nth(1).unwrap().split('"').next().unwrap();
        let number = |w: &str| w.parse().unwrap();
        path.split('L').map(|p| p.split_once(' ').map(|(x, y)| (number(x), number(y))).unwrap()).collect()
    }

    #[test]
    fn points_lie_where_their_values_say() {
        let svg = plot(Scale::Log2, Scale::Linear, &[(1.0, 0.0), (2.0, 5.0), (4.0, 10.0)]).svg("p").unwrap();
        let at = line(&svg);
        assert!(
            (at[1].0 - at[0].0 - (at[2].0 - at[1].0)).abs() < 0.2,
            "doublings are as long as each other: {at:?}"
        );
        assert!(
            (at[0].1 - at[1].1 - (at[1].1 - at[2].1)).abs() < 0.2 && at[2].1 < at[0].1,
            "up is up: {at:?}"
        );
        assert_eq!(at[0], (LEFT, HEIGHT - BOTTOM));
        assert_eq!(at[2].0, WIDTH - RIGHT);
        let svg =
            plot(Scale::Linear, Scale::Log10, &[(0.0, 1.0), (1.0, 100.0), (2.0, 10.0)]).svg("p").unwrap();
        let at = line(&svg);
        assert!(((at[0].1 - at[2].1) * 2.0 - (at[0].1 - at[1].1)).abs() < 0.3, "{at:?}");
    }

    #[test]
    fn names_are_escaped_and_told_to_those_who_do_not_see() {
        let svg = plot(Scale::Linear, Scale::Linear, &[(1.0, 1.0)]).svg("p7").unwrap();
        assert!(svg.contains("role=\"img\" aria-labelledby=\"p7-t p7-d\""));
        assert!(svg.contains(
            "<title id=\"p7-t\">a &lt; b &amp; &quot;c&quot;</title><desc id=\"p7-d\">rises</desc>"
        ));
        assert!(svg.contains("&lt;one&gt;") && !svg.contains("<one>"));
        assert_eq!(escape("a\u{0}b'"), "a b&#39;");
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        let p = plot(Scale::Log2, Scale::Log10, &[(0.0, 1.0), (2.0, f64::NAN), (4.0, -1.0), (8.0, 3.0)]);
        let svg = p.svg("p").unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.matches("class=\"dot").count() == 1);
        assert_eq!(plot(Scale::Log2, Scale::Linear, &[(0.0, 1.0)]).svg("p"), None);
        assert!(plot(Scale::Log2, Scale::Linear, &[]).keys().is_empty());
        let bars = |v: f64| Bars {
            title: "t".into(),
            about: String::new(),
            parts: vec![],
            rows: vec![("r".into(), vec![v], "x".into())],
        };
        assert!(
            bars(0.0).svg("b").is_none() && bars(f64::NAN).svg("b").is_none() && bars(1.0).svg("b").is_some()
        );
    }

    #[test]
    fn ticks_are_round_and_few() {
        let range = |scale, low, high| Range { scale, low, high, from: 0.0, to: 1.0 }.ticks();
        assert_eq!(range(Scale::Linear, 0.0, 10.5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(range(Scale::Log2, 1.0, 128.0), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        assert_eq!(range(Scale::Log10, 1.0, 1000.0), [1.0, 10.0, 100.0, 1000.0]);
        for (low, high) in [(1e-12, 1e12), (0.5, 0.6), (1.0, 1e300)] {
            for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
                assert!(range(scale, low, high).len() <= 12, "{low} {high} {scale:?}");
            }
        }
        assert_eq!(
            [0.0, 1.0, 0.5, 1234.0, 56_000.0, 2.5e6, 0.001].map(short),
            ["0", "1", "0.5", "1234", "56k", "2.5M", "1e-3"]
        );
    }

    /// Bars one after the other fill the width of the longest.
    #[test]
    fn bars_add_up() {
        let b = Bars {
            title: "t".into(),
            about: "a".into(),
            parts: vec!["x".into(), "y".into()],
            rows: vec![
                ("one".into(), vec![1.0, 3.0], "4".into()),
                ("two".into(), vec![0.0, 2.0], "2".into()),
            ],
        };
        let svg = b.svg("b").unwrap();
        let wide: Vec<f64> =
            svg.split("width=\"").skip(1).map(|p| p.split('"').next().unwrap().parse().unwrap()).collect();
        assert_eq!(wide.len(), 3);
        assert!((wide[0] * 3.0 - wide[1]).abs() < 0.5 && (wide[0] * 2.0 - wide[2]).abs() < 0.5, "{wide:?}");
        assert_eq!(b.keys().len(), 2);
    }
}
