//! Packed weights: what kernels stream.
//!
//! Every matrix is cut into panels of [`PANEL`] output rows (the last one padded with zero rows). A panel is one
//! sequential stream of group records, K ascending; a record holds the codes of `group` inputs for the 16 rows and
//! then their scales. Output rows lie in the lanes of a vector register and inputs are broadcast, so a kernel never
//! adds across lanes, and one chain of additions per output is the written order for every width.
//!
//! Codes of one record, by [`Kind`]:
//! * `B2`: per 16 inputs 64 bytes; byte `32v + 4r + i` holds for row `8v + r` the codes of inputs `i`, `4 + i`,
//!   `8 + i`, `12 + i` in bits 0-1, 2-3, 4-5, 6-7 (unsigned, zero point 1, or 2 in rows with one scale).
//! * `B4`: per 8 inputs 64 bytes; byte `32v + 4r + i`: input `i` in the low nibble, `4 + i` in the high one (unsigned).
//! * `B6`: per 16 inputs 192 bytes: two blocks of 8 inputs as in `B4` with the low four bits, then 64 bytes with the
//!   high two, placed as in `B2` (unsigned). Here the scales lie before the codes.
//! * `B8`: per 4 inputs 64 bytes; byte `4r + i`: row `r`, input `i` (signed, zero point already taken away).
//! * `F16`, `Bf16`, `F32`: per input 16 values.
//! * `Coded`: per 16 inputs 64 bytes; bits `2i` and `2i + 1` of word `8v + r` are the code of input `i` of row `8v + r`
//!   (zero point 2). A record is a whole row, and ends in one f32 scale for every row.
//!
//! After the codes: `d` as 16 f16 (absent when a row has one f32 scale), `dmin` as 16 f16 if there are minima, `sc`
//! as 16 i8 per sub-block if there are sub-block scales, `mn` as 16 u8 per sub-block if there are minima and
//! sub-block scales (Q4_1 has minima and no sub-blocks: `mn` is 1 there).

use half::f16;
use sterna_format::{CodeBits, Encoding, FormatError, IntRow, ScaleGroup, decode_row, int_row};
use sterna_plan::{BackendError, INT16_COLS, LinearNumerics, RowOrder, Weight, WeightSpec, WeightUse};

use crate::isa::Isa;
use crate::pages::Part;

/// Output rows of a panel.
pub const PANEL: usize = 16;

/// Storage of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 2-bit ternary codes.
    B2,
    /// 4-bit codes.
    B4,
    /// 6-bit codes (and 5-bit ones).
    B6,
    /// Signed bytes.
    B8,
    /// Half floats.
    F16,
    /// Brain floats.
    Bf16,
    /// Floats.
    F32,
    /// 2-bit codes that meet floats.
    Coded,
}

/// Shape of a packed matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Whole numbers of 2, 4 or 8 bits with one scale and one group for the row ([`Encoding::PerRow`]).
    pub per_row: bool,
    /// Activations are int16, two bytes each.
    pub wide: bool,
    /// Scale of int8 activations that the model names; 0 where each group has its own.
    pub input: f32,
    /// Scale of the grid that outputs are rounded to; 0 for none.
    pub output: f32,
}

impl Geometry {
    /// Geometry for a linear weight on an instruction set: all have the same bits, not the same kinds.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] when no kernel of this crate takes it.
    pub fn new(spec: &WeightSpec, isa: Isa) -> Result<Self, BackendError> {
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
            per_row: false,
            wide: false,
            input: 0.0,
            output: 0.0,
        };
        match (numerics, spec.encoding.int_layout(cols)) {
            (LinearNumerics::Float, _) if spec.encoding == Encoding::PerRow(CodeBits::Two) => {
                Ok(Geometry { kind: Kind::Coded, zero: 2, ..plain })
            }
            // Other codes without integer activations are decoded once, to floats.
            (LinearNumerics::Float, _) => {
                let kind = match spec.encoding {
                    Encoding::F16 => Kind::F16,
                    Encoding::BF16 => Kind::Bf16,
                    _ => Kind::F32,
                };
                // A record is a slice of inputs that fits the nearest cache together with its activations.
                let group = [128, 64, 32, 16, 8, 4, 2, 1].into_iter().find(|g| cols % g == 0).unwrap_or(1);
                Ok(Geometry { kind, group, sub: group, ..plain })
            }
            (LinearNumerics::Int16, _)
                if spec.encoding == Encoding::PerRow(CodeBits::Two)
                    && cols.is_multiple_of(32)
                    && cols <= INT16_COLS =>
            {
                Ok(Geometry { kind: Kind::B2, zero: 2, per_row: true, wide: true, ..plain })
            }
            (LinearNumerics::Int8 { .. } | LinearNumerics::Static { .. }, Some(l))
                if matches!(spec.encoding, Encoding::PerRow(_)) =>
            {
                let (group, input, output) = match numerics {
                    LinearNumerics::Int8 { group } => (group, 0.0, 0.0),
                    LinearNumerics::Static { input, output } => (cols, input, output.unwrap_or(0.0)),
                    _ => (0, 0.0, 0.0),
                };
                let kind = match l.bits {
                    2 => Kind::B2,
                    4 => Kind::B4,
                    _ => Kind::B8,
                };
                if group != cols || !cols.is_multiple_of(32) {
                    let name = spec.encoding.name();
                    return Err(unsupported(format!(
                        "`{}`: {name} weights with activation groups of {group} over {cols} inputs (one group, a \
                         multiple of 32)",
                        spec.name
                    )));
                }
                let zero = if kind == Kind::B8 { 0 } else { l.zero };
                Ok(Geometry { kind, group, sub: group, zero, per_row: true, input, output, ..plain })
            }
            (LinearNumerics::Int8 { group }, Some(l)) => {
                let kind = match l.bits {
                    2 => Kind::B2,
                    4 => Kind::B4,
                    6 if isa.has_six_bits() => Kind::B6,
                    _ => Kind::B8,
                };
                // A row with one scale may have narrower activation groups; every other scale is its group's own.
                let inline_d = !matches!(spec.encoding, Encoding::Ternary(ScaleGroup::Row));
                let sub = if inline_d { l.sub } else { group };
                let whole = group > 0 && cols % group == 0 && (l.group == group || !inline_d);
                if !whole || group % (if kind == Kind::B4 || kind == Kind::B6 { 32 } else { 16 }) != 0 {
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
            Kind::B2 | Kind::Coded => weights / 4,
            Kind::B4 => weights / 2,
            Kind::B6 => weights / 4 * 3,
            Kind::B8 => weights,
            Kind::F16 | Kind::Bf16 => weights * 2,
            Kind::F32 => weights * 4,
        }
    }
    /// Offset of the codes in a record: the scales of six-bit codes lie before them, as they are read first.
    pub fn codes_at(&self) -> usize {
        if self.kind == Kind::B6 { self.record_bytes() - self.code_bytes() } else { 0 }
    }
    /// Offset of `d` in a record.
    pub fn d_at(&self) -> usize {
        if self.kind == Kind::B6 { 0 } else { self.code_bytes() }
    }
    /// Offset of `dmin` in a record.
    pub fn dmin_at(&self) -> usize {
        self.d_at() + if self.inline_d { 2 * PANEL } else { 0 }
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
        let scales = self.mn_at() - self.d_at() + if mins { PANEL * (self.group / self.sub) } else { 0 };
        let floats = if self.kind == Kind::Coded { 4 * PANEL } else { 0 };
        scales + floats + self.code_bytes()
    }
    /// Bytes of one panel.
    pub fn panel_bytes(&self) -> usize {
        self.record_bytes() * self.groups()
    }
    /// True for integer codes.
    pub fn is_int(&self) -> bool {
        matches!(self.kind, Kind::B2 | Kind::B4 | Kind::B6 | Kind::B8)
    }
}

/// A matrix in the layout above.
#[derive(Clone)]
pub struct Packed {
    /// Its shape.
    pub geometry: Geometry,
    bytes: Part,
    row_d: Vec<f32>,
}

impl Packed {
    /// A matrix that [`fill`] packed into `bytes`.
    pub fn new(geometry: Geometry, bytes: Part, row_d: Vec<f32>) -> Self {
        Self { geometry, bytes, row_d }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes.bytes().len() + self.row_d.len() * 4
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
            bytes: &self.bytes.bytes()[start..start + (to - from) * record],
            row_d,
            first: from,
        }
    }

    /// The values of row `row`, with the bits that [`decode_row`] gives.
    pub fn row(&self, row: usize, out: &mut [f32]) {
        let g = &self.geometry;
        let (records, lane) = (self.records(row / PANEL, 0, g.groups()), row % PANEL);
        for (record, out) in records.bytes.chunks_exact(g.record_bytes()).zip(out.chunks_exact_mut(g.group)) {
            if !g.is_int() {
                for (k, o) in out.iter_mut().enumerate() {
                    *o = g.float(record, k, lane);
                }
                continue;
            }
            let half =
                |at: usize| f16::from_le_bytes([record[at + 2 * lane], record[at + 2 * lane + 1]]).to_f32();
            let d = records.row_d.map_or_else(|| half(g.d_at()), |d| d[lane]);
            let dmin = if g.has_mins { half(g.dmin_at()) } else { 0.0 };
            for (s, out) in out.chunks_exact_mut(g.sub).enumerate() {
                let at = s * PANEL + lane;
                let sc = if g.has_sub_scales { f32::from(record[g.sc_at() + at] as i8) } else { 1.0 };
                let mn = if g.has_sub_scales && g.has_mins { f32::from(record[g.mn_at() + at]) } else { 1.0 };
                let (scale, min) = (d * sc, dmin * mn);
                for (i, o) in out.iter_mut().enumerate() {
                    let code = g.code(record, s * g.sub + i, lane);
                    let value = scale * (code - g.zero) as f32;
                    *o = if g.has_mins { value - min } else { value };
                }
            }
        }
    }
}

impl Geometry {
    /// The stored code of input `k` of row `lane` in a record.
    #[inline(always)]
    pub fn code(&self, record: &[u8], k: usize, lane: usize) -> i32 {
        let record = &record[self.codes_at()..];
        let (i, low) = (k % 4, 4 * lane);
        match self.kind {
            Kind::B2 => i32::from(record[k / 16 * 64 + low + i] >> (2 * (k % 16 / 4)) & 3),
            Kind::Coded => i32::from(record[k / 16 * 64 + low + k % 16 / 4] >> (2 * i) & 3),
            Kind::B4 => i32::from(record[k / 8 * 64 + low + i] >> (4 * (k % 8 / 4)) & 15),
            Kind::B6 => {
                let block = k / 16 * 192;
                let four = record[block + k % 16 / 8 * 64 + low + i] >> (4 * (k % 8 / 4)) & 15;
                let two = record[block + 128 + low + i] >> (2 * (k % 16 / 4)) & 3;
                i32::from(four | two << 4)
            }
            _ => i32::from(record[k / 4 * 64 + low + i] as i8),
        }
    }

    /// The value of input `k` of row `lane` in a float record.
    #[inline(always)]
    pub fn float(&self, record: &[u8], k: usize, lane: usize) -> f32 {
        if self.kind == Kind::Coded {
            let d = &record[self.d_at() + 4 * lane..][..4];
            let d = f32::from_le_bytes([d[0], d[1], d[2], d[3]]);
            return d * (self.code(record, k, lane) - self.zero) as f32;
        }
        let at = k * PANEL + lane;
        let two = |at: usize| [record[at], record[at + 1]];
        match self.kind {
            Kind::F16 => f16::from_le_bytes(two(2 * at)).to_f32(),
            Kind::Bf16 => half::bf16::from_le_bytes(two(2 * at)).to_f32(),
            _ => f32::from_le_bytes(std::array::from_fn(|b| record[4 * at + b])),
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

/// Told about stored rows that were read and will not be read again.
pub type Done<'a> = &'a (dyn Fn(std::ops::Range<usize>) + Sync);

/// Bytes of a weight after which its pages may go.
const RELEASE: usize = 4 << 20;

/// Repacks a weight into `out` (zeroed, as many bytes as the geometry says), its panels dealt to `threads` threads.
/// Returns the scales of its rows, where records hold none.
///
/// # Errors
/// Rows that do not decode.
pub fn fill(
    g: &Geometry,
    weight: &Weight<'_>,
    out: &mut [u8],
    threads: usize,
    done: Done<'_>,
) -> Result<Vec<f32>, FormatError> {
    let mut row_d = if g.is_int() && !g.inline_d { vec![0f32; g.panels() * PANEL] } else { Vec::new() };
    // Below this many weights a thread costs more than it saves.
    let threads = threads.min(g.panels()).min(1 + g.rows * g.cols / (1 << 20)).max(1);
    let each = g.panels().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let mut scales = row_d.chunks_mut(each * PANEL);
        let parts = out.chunks_mut((each * g.panel_bytes()).max(1)).enumerate();
        let workers: Vec<_> = parts
            .map(|(i, out)| {
                let scales = scales.next().unwrap_or(&mut []);
                let mut work = move || fill_panels(g, weight, i * each, out, scales, done);
                if i + 1 < threads { Ok(scope.spawn(work)) } else { Err(work()) }
            })
            .collect();
        for worker in workers {
            match worker {
                Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                Err(done) => done?,
            }
        }
        Ok(())
    })?;
    Ok(row_d)
}

fn fill_panels(
    g: &Geometry,
    weight: &Weight<'_>,
    first: usize,
    out: &mut [u8],
    row_d: &mut [f32],
    done: Done<'_>,
) -> Result<(), FormatError> {
    let mut ints = IntRow::default();
    let mut floats = vec![0f32; if g.kind == Kind::F32 { g.cols } else { 0 }];
    let zero = weight.encoding.int_layout(g.cols).map_or(0, |l| l.zero);
    let batch = (RELEASE / (weight.stored_row_bytes() * PANEL).max(1)).max(1);
    for (i, out) in out.chunks_exact_mut(g.panel_bytes()).enumerate() {
        if i > 0 && i % batch == 0 && weight.order == RowOrder::Plain {
            done((first + i - batch) * PANEL..(first + i) * PANEL);
        }
        for lane in 0..PANEL.min(g.rows - (first + i) * PANEL) {
            let bytes = weight.row((first + i) * PANEL + lane)?;
            if g.is_int() {
                int_row(weight.encoding, &bytes, g.cols, &mut ints)?;
                put_int(g, zero, &ints, lane, out);
                if let Some(d) = row_d.get_mut(i * PANEL + lane) {
                    *d = ints.d.first().copied().unwrap_or(0.0);
                }
            } else if g.kind == Kind::Coded {
                int_row(weight.encoding, &bytes, g.cols, &mut ints)?;
                put_codes(g.kind, zero, &ints.codes, lane, out);
                let d = ints.d.first().copied().unwrap_or(0.0);
                out[g.d_at() + 4 * lane..][..4].copy_from_slice(&d.to_le_bytes());
            } else if g.kind == Kind::F32 {
                decode_row(weight.encoding, &bytes, &mut floats)?;
                for (k, v) in floats.iter().enumerate() {
                    out[(k * PANEL + lane) * 4..][..4].copy_from_slice(&v.to_le_bytes());
                }
            } else {
                for (k, v) in bytes.chunks_exact(2).take(g.cols).enumerate() {
                    out[(k * PANEL + lane) * 2..][..2].copy_from_slice(v);
                }
            }
        }
    }
    // Pad rows of integer kinds stay zero: with d = 0 any code means 0.
    Ok(())
}

/// Codes of one row's group, four inputs at a time as a word: what stays apart in a record stays apart in a word.
fn put_codes(kind: Kind, zero: i32, codes: &[u8], lane: usize, record: &mut [u8]) {
    let mut put = |block: usize, word: u32| {
        record[64 * block + 4 * lane..][..4].copy_from_slice(&word.to_le_bytes());
    };
    let words = codes.as_chunks::<4>().0;
    let word = |i: usize| u32::from_le_bytes(words[i]);
    let low = |w: u32| w & 0x0f0f_0f0f;
    let high = |w: u32| w >> 4 & 0x0303_0303;
    match kind {
        Kind::B2 => {
            for b in 0..codes.len() / 16 {
                let [w0, w1, w2, w3] = std::array::from_fn(|j| word(4 * b + j));
                put(b, w0 | w1 << 2 | w2 << 4 | w3 << 6);
            }
        }
        Kind::Coded => {
            for b in 0..codes.len() / 16 {
                let byte = |w: u32| (w | w >> 6 | w >> 12 | w >> 18) & 0xff;
                let four: [u32; 4] = std::array::from_fn(|j| byte(word(4 * b + j)));
                put(b, four[0] | four[1] << 8 | four[2] << 16 | four[3] << 24);
            }
        }
        Kind::B4 => {
            for b in 0..codes.len() / 8 {
                put(b, word(2 * b) | word(2 * b + 1) << 4);
            }
        }
        Kind::B6 => {
            for b in 0..codes.len() / 16 {
                let [w0, w1, w2, w3] = std::array::from_fn(|j| word(4 * b + j));
                put(3 * b, low(w0) | low(w1) << 4);
                put(3 * b + 1, low(w2) | low(w3) << 4);
                put(3 * b + 2, high(w0) | high(w1) << 2 | high(w2) << 4 | high(w3) << 6);
            }
        }
        _ => {
            for (b, four) in words.iter().enumerate() {
                put(b, u32::from_le_bytes(four.map(|c| c.wrapping_sub(zero as u8))));
            }
        }
    }
}

fn put_int(g: &Geometry, zero: i32, row: &IntRow, lane: usize, panel: &mut [u8]) {
    let subs = g.group / g.sub;
    for (at, record) in panel.chunks_exact_mut(g.record_bytes()).enumerate() {
        put_codes(g.kind, zero, &row.codes[at * g.group..][..g.group], lane, &mut record[g.codes_at()..]);
        let mut half_at = |offset: usize, v: f32| {
            record[offset + 2 * lane..][..2].copy_from_slice(&f16::from_f32(v).to_bits().to_le_bytes());
        };
        if g.inline_d {
            half_at(g.d_at(), row.d[at]);
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
