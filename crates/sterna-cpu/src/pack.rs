//! Packed weights: what kernels stream.
//!
//! Every matrix is cut into panels of [`PANEL`] output rows (the last one padded with zero rows). A panel is one
//! sequential stream of group records, K ascending; a record holds the codes of `group` inputs for the 16 rows and
//! then their scales. Output rows lie in the lanes of a vector register and inputs are broadcast, so a kernel never
//! adds across lanes, and one chain of additions per output is the written order for every width.
//!
//! Codes of one record, by [`Kind`]:
//! * `B2`: per 16 inputs 64 bytes; byte `32v + 4r + i` holds for row `8v + r` the codes of inputs `i`, `4 + i`,
//!   `8 + i`, `12 + i` in bits 0-1, 2-3, 4-5, 6-7 (unsigned, zero point 1).
//! * `B4`: per 8 inputs 64 bytes; byte `32v + 4r + i`: input `i` in the low nibble, `4 + i` in the high one (unsigned).
//! * `B8`: per 4 inputs 64 bytes; byte `4r + i`: row `r`, input `i` (signed, zero point already taken away).
//! * `F16`, `Bf16`, `F32`: per input 16 values.
//!
//! After the codes: `d` as 16 f16 (absent when a row has one f32 scale), `dmin` as 16 f16 if there are minima, `sc`
//! as 16 i8 per sub-block if there are sub-block scales, `mn` as 16 u8 per sub-block if there are minima and
//! sub-block scales (Q4_1 has minima and no sub-blocks: `mn` is 1 there).

use half::f16;
use sterna_format::{Encoding, FormatError, IntRow, ScaleGroup, decode_row, int_row};
use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec, WeightUse};

use crate::pages::Pages;

/// Output rows of a panel.
pub const PANEL: usize = 16;

/// Storage of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 2-bit ternary codes.
    B2,
    /// 4-bit codes.
    B4,
    /// Signed bytes.
    B8,
    /// Half floats.
    F16,
    /// Brain floats.
    Bf16,
    /// Floats.
    F32,
}

/// Shape of a packed matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Storage of codes.
    pub kind: Kind,
    /// Output rows that are real.
    pub rows: usize,
    /// Inputs.
    pub cols: usize,
    /// Inputs of one record: the activation group, or a slice of inputs for float weights.
    pub group: usize,
    /// Inputs of one sub-block.
    pub sub: usize,
    /// Zero point of unsigned codes.
    pub zero: i32,
    /// Integer scales per sub-block.
    pub has_sub_scales: bool,
    /// Minima.
    pub has_mins: bool,
    /// Scales `d` inside the record; otherwise one f32 per row.
    pub inline_d: bool,
}

impl Geometry {
    /// Geometry for a linear weight.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] when no kernel of this crate takes it.
    pub fn new(spec: &WeightSpec) -> Result<Self, BackendError> {
        let unsupported = |what: String| BackendError::Unsupported { backend: "cpu", what };
        let WeightUse::Linear(numerics) = spec.usage else {
            return Err(unsupported(format!("`{}` as a matrix", spec.name)));
        };
        let (rows, cols) = (spec.rows, spec.cols);
        let plain = Geometry {
            kind: Kind::F32,
            rows,
            cols,
            group: cols,
            sub: cols,
            zero: 0,
            has_sub_scales: false,
            has_mins: false,
            inline_d: false,
        };
        match (numerics, spec.encoding.int_layout(cols)) {
            (LinearNumerics::Float, None) => {
                let kind = match spec.encoding {
                    Encoding::F16 => Kind::F16,
                    Encoding::BF16 => Kind::Bf16,
                    _ => Kind::F32,
                };
                // A record is a slice of inputs that fits the nearest cache together with its activations.
                let group = [128, 64, 32, 16, 8, 4, 2, 1].into_iter().find(|g| cols % g == 0).unwrap_or(1);
                Ok(Geometry { kind, group, sub: group, ..plain })
            }
            (LinearNumerics::Int8 { group }, Some(l)) => {
                let kind = match l.bits {
                    2 => Kind::B2,
                    4 => Kind::B4,
                    _ => Kind::B8,
                };
                // A row with one scale may have narrower activation groups; every other scale is its group's own.
                let inline_d = !matches!(spec.encoding, Encoding::Ternary(ScaleGroup::Row));
                let sub = if inline_d { l.sub } else { group };
                let whole = group > 0 && cols % group == 0 && (l.group == group || !inline_d);
                if !whole || group % (if kind == Kind::B4 { 32 } else { 16 }) != 0 {
                    return Err(unsupported(format!(
                        "`{}`: {} weights with activation groups of {group} over {cols} inputs",
                        spec.name,
                        spec.encoding.name()
                    )));
                }
                Ok(Geometry {
                    kind,
                    group,
                    sub,
                    zero: if kind == Kind::B8 { 0 } else { l.zero },
                    has_sub_scales: l.has_sub_scales,
                    has_mins: l.has_mins,
                    inline_d,
                    ..plain
                })
            }
            (n, _) => {
                Err(unsupported(format!("`{}`: {} weights under {n:?}", spec.name, spec.encoding.name())))
            }
        }
    }

    /// Panels of the matrix.
    pub fn panels(&self) -> usize {
        self.rows.div_ceil(PANEL)
    }
    /// Records of a panel.
    pub fn groups(&self) -> usize {
        self.cols / self.group
    }
    /// Bytes of one record's codes.
    pub fn code_bytes(&self) -> usize {
        let weights = self.group * PANEL;
        match self.kind {
            Kind::B2 => weights / 4,
            Kind::B4 => weights / 2,
            Kind::B8 => weights,
            Kind::F16 | Kind::Bf16 => weights * 2,
            Kind::F32 => weights * 4,
        }
    }
    /// Offset of `dmin` in a record.
    pub fn dmin_at(&self) -> usize {
        self.code_bytes() + if self.inline_d { 2 * PANEL } else { 0 }
    }
    /// Offset of `sc` in a record.
    pub fn sc_at(&self) -> usize {
        self.dmin_at() + if self.has_mins { 2 * PANEL } else { 0 }
    }
    /// Offset of `mn` in a record.
    pub fn mn_at(&self) -> usize {
        self.sc_at() + if self.has_sub_scales { PANEL * (self.group / self.sub) } else { 0 }
    }
    /// Bytes of one record.
    pub fn record_bytes(&self) -> usize {
        let mins = self.has_mins && self.has_sub_scales;
        self.mn_at() + if mins { PANEL * (self.group / self.sub) } else { 0 }
    }
    /// Bytes of one panel.
    pub fn panel_bytes(&self) -> usize {
        self.record_bytes() * self.groups()
    }
    /// True for integer codes.
    pub fn is_int(&self) -> bool {
        matches!(self.kind, Kind::B2 | Kind::B4 | Kind::B8)
    }
}

/// A matrix in the layout above.
pub struct Packed {
    /// Its shape.
    pub geometry: Geometry,
    pages: Pages,
    row_d: Vec<f32>,
}

impl Packed {
    /// Repacks a weight, one panel at a time.
    ///
    /// # Errors
    /// Unsupported geometry, undecodable rows, memory.
    pub fn new(spec: &WeightSpec, weight: &Weight<'_>) -> Result<Self, BackendError> {
        let g = Geometry::new(spec)?;
        let total = g.panels().checked_mul(g.panel_bytes());
        let total = total.ok_or(BackendError::Memory { bytes: usize::MAX, what: "packed weights" })?;
        let mut pages = Pages::zeroed(total, "packed weights")?;
        let mut row_d = if g.is_int() && !g.inline_d { vec![0f32; g.panels() * PANEL] } else { Vec::new() };
        let fail = |source: FormatError| BackendError::Weight { name: spec.name.clone(), source };
        let mut ints = IntRow::default();
        let mut floats = vec![0f32; if g.is_int() { 0 } else { g.cols }];
        let zero = spec.encoding.int_layout(g.cols).map_or(0, |l| l.zero);
        for row in 0..g.rows {
            let bytes = weight.row(row);
            let (panel, lane) = (row / PANEL, row % PANEL);
            let out = &mut pages.bytes_mut()[panel * g.panel_bytes()..][..g.panel_bytes()];
            if g.is_int() {
                int_row(weight.encoding, bytes, g.cols, &mut ints).map_err(fail)?;
                put_int(&g, zero, &ints, lane, out);
                if let Some(d) = row_d.get_mut(row) {
                    *d = ints.d.first().copied().unwrap_or(0.0);
                }
            } else if g.kind == Kind::F32 {
                decode_row(weight.encoding, bytes, &mut floats).map_err(fail)?;
                for (k, v) in floats.iter().enumerate() {
                    out[(k * PANEL + lane) * 4..][..4].copy_from_slice(&v.to_le_bytes());
                }
            } else {
                for (k, v) in bytes.chunks_exact(2).take(g.cols).enumerate() {
                    out[(k * PANEL + lane) * 2..][..2].copy_from_slice(v);
                }
            }
        }
        // Pad rows of integer kinds must mean 0: a ternary zero is code 1, and with d = 0 any code is 0 anyway.
        Ok(Self { geometry: g, pages, row_d })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.pages.bytes().len() + self.row_d.len() * 4
    }

    /// Records `from .. to` of a panel.
    #[inline(always)]
    pub fn records(&self, panel: usize, from: usize, to: usize) -> Records<'_> {
        let g = &self.geometry;
        let record = g.record_bytes();
        let start = panel * g.panel_bytes() + from * record;
        let row_d = if self.row_d.is_empty() { None } else { self.row_d[panel * PANEL..].first_chunk() };
        Records {
            geometry: g,
            bytes: &self.pages.bytes()[start..start + (to - from) * record],
            row_d,
            first: from,
        }
    }
}

/// Consecutive records of one panel.
#[derive(Clone, Copy)]
pub struct Records<'a> {
    /// Shape of the matrix.
    pub geometry: &'a Geometry,
    /// The records' bytes.
    pub bytes: &'a [u8],
    /// Scale of every row, when records hold none.
    pub row_d: Option<&'a [f32; PANEL]>,
    /// Index of the first record in its panel.
    pub first: usize,
}

impl Records<'_> {
    /// Number of records.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.bytes.len() / self.geometry.record_bytes()
    }
}

fn put_int(g: &Geometry, zero: i32, row: &IntRow, lane: usize, panel: &mut [u8]) {
    let (half, r) = (lane / 8, lane % 8);
    let subs = g.group / g.sub;
    for (at, record) in panel.chunks_exact_mut(g.record_bytes()).enumerate() {
        let codes = &row.codes[at * g.group..][..g.group];
        for (k, &code) in codes.iter().enumerate() {
            match g.kind {
                Kind::B2 => record[k / 16 * 64 + 32 * half + 4 * r + k % 4] |= code << (2 * (k % 16 / 4)),
                Kind::B4 => record[k / 8 * 64 + 32 * half + 4 * r + k % 4] |= code << (4 * (k % 8 / 4)),
                _ => record[k / 4 * 64 + 4 * lane + k % 4] = (i32::from(code) - zero) as i8 as u8,
            }
        }
        let mut half_at = |offset: usize, v: f32| {
            record[offset + 2 * lane..][..2].copy_from_slice(&f16::from_f32(v).to_bits().to_le_bytes());
        };
        if g.inline_d {
            half_at(g.code_bytes(), row.d[at]);
        }
        if g.has_mins {
            half_at(g.dmin_at(), row.dmin[at]);
        }
        if g.has_sub_scales {
            for s in 0..subs {
                record[g.sc_at() + s * PANEL + lane] = row.sc[at * subs + s] as i8 as u8;
                if g.has_mins {
                    record[g.mn_at() + s * PANEL + lane] = row.mn[at * subs + s] as u8;
                }
            }
        }
    }
}
