//! What a weight becomes on the device: words that kernels read.
//!
//! Codes of 2 bits: a word has 16, code `4i + b` at bit `8b + 2i`. Codes of 4 bits: 8, code `4i + b` at bit `8b + 4i`. Either
//! way a shift and a mask give four codes that meet four packed activations. Codes of 8 bits are stored less their zero. Matrices
//! whose shape a faster kernel takes lie in [blocks](Layout) of 32 rows. Floats are stored as they are, two halves to a word; what is neither is decoded to f32.

use sterna_format::{Encoding, FormatError, IntRow, decode_row, int_row};
use sterna_plan::{BackendError, LinearNumerics, Weight, WeightSpec, WeightUse};

use crate::kernels::MOST_ACT_GROUPS;

/// Rows of a block.
pub(crate) const BLOCK: usize = 32;

/// Inputs of a group of [`Layout::Block`].
pub(crate) const BLOCK_GROUP: usize = 256;

/// Most groups of a row of [`Layout::Block`]: it is prepared in the memory of one workgroup.
const MOST_BLOCK_GROUPS: usize = 64;

/// Rows from which a matrix is tall: a thread for each fills a large GPU.
pub(crate) const TALL: usize = 16_384;

/// In which order codes and scales lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Row after row; scales in f32.
    Rows,
    /// `[block of 32 rows][unit][row]`, scales `[block][group][row]`, one for each 256 inputs.
    Block,
    /// `[block of 32 rows][group][unit][row]`, a vec4 of scales and minima of scales after a group's units where it has some.
    /// Scales in the order of groups, a pair where there are minima.
    Tall,
}

/// What a group has beside its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subs {
    /// Nothing.
    None,
    /// A minimum.
    Min,
    /// Scales of 16 inputs.
    Scales,
    /// Scales and minima of 32 inputs.
    Both,
}

impl Subs {
    /// Bits, units of a group and this, as encodings have them: Q4_0, Q8_0, Q4_1, Q4_K, Q5_K, Q6_K.
    #[cfg(test)]
    pub const KINDS: [(u32, u32, Subs); 6] = [
        (4, 1, Subs::None),
        (8, 2, Subs::None),
        (4, 1, Subs::Min),
        (4, 8, Subs::Both),
        (8, 16, Subs::Both),
        (8, 16, Subs::Scales),
    ];

    /// Whether there are minima.
    pub fn mins(self) -> bool {
        matches!(self, Subs::Min | Subs::Both)
    }

    /// Whether parts of a group have scales of their own.
    pub fn subs(self) -> bool {
        matches!(self, Subs::Scales | Subs::Both)
    }

    /// Units that share such a scale, in groups of `units`.
    pub fn units(self, units: u32) -> u32 {
        if self == Subs::Both { (units / 8).max(1) } else { 1 }
    }
}

/// How a matrix lies on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Codes and scales, against int8 activations.
    Int {
        /// Of a stored code: 2, 4 or 8.
        bits: u32,
        /// What is still to be taken from a stored code.
        zero: i32,
        /// Inputs that share a scale of the weights.
        scale_group: usize,
        /// Inputs that share a scale of the activations; divides `scale_group`.
        act_group: usize,
        /// Order.
        layout: Layout,
        /// Scales are stored in f16, which they are exactly; never with [`Layout::Rows`].
        halves: bool,
        /// What groups have beside their scale; only with [`Layout::Tall`].
        subs: Subs,
    },
    /// Floats: 0 f16, 1 bf16, 2 f32.
    Float {
        /// As the kernels number them.
        format: u32,
    },
}

/// Codes in one vec4 of words.
pub(crate) fn unit(bits: u32) -> usize {
    128 / bits as usize
}

impl Kind {
    /// As rows that are looked up, or that meet float activations.
    pub fn float(encoding: Encoding) -> Self {
        let format = match encoding {
            Encoding::F16 => 0,
            Encoding::BF16 => 1,
            _ => 2,
        };
        Kind::Float { format }
    }

    /// As the matrix of a linear layer.
    ///
    /// # Errors
    /// What there is no kernel for, in words.
    pub fn linear(spec: &WeightSpec, numerics: LinearNumerics) -> Result<Self, String> {
        let act_group = match numerics {
            LinearNumerics::Float => return Ok(Kind::float(spec.encoding)),
            LinearNumerics::Int8 { group } => group,
            other => return Err(format!("the activations {other:?}")),
        };
        let layout = spec.encoding.int_layout(spec.cols).ok_or("int8 activations with float weights")?;
        // Codes of 6 bits lie in bytes.
        let bits = if layout.bits > 4 { 8 } else { layout.bits };
        let subs = match (layout.has_sub_scales, layout.has_mins, layout.sub) {
            (false, false, _) => Some(Subs::None),
            (false, true, _) => Some(Subs::Min),
            (true, false, 16) if bits == 8 => Some(Subs::Scales),
            (true, true, 32) => Some(Subs::Both),
            _ => None,
        };
        let subs =
            subs.ok_or_else(|| format!("{} weights, of scales as nobody here knows them", spec.encoding))?;
        let unit = unit(bits);
        // Sums of a group are kept in i32: codes as they lie, activations down to -128.
        let scale = if subs.subs() { 128 } else { 1 };
        let largest = scale * if layout.bits == 8 { 128 } else { (1u64 << layout.bits.min(5)) - 1 };
        let sums_fit = (act_group as u64).saturating_mul(128 * largest) <= i32::MAX as u64;
        let fits = act_group > 0
            && sums_fit
            && act_group.is_multiple_of(unit)
            && layout.group.is_multiple_of(act_group)
            && spec.cols.is_multiple_of(act_group)
            && spec.cols / act_group <= MOST_ACT_GROUPS;
        if !fits {
            return Err(format!(
                "{} weights of {} inputs with an activation scale per {act_group}: at most {MOST_ACT_GROUPS} groups of a \
                 multiple of {unit}, whose sums fit 32 bits",
                spec.encoding, spec.cols
            ));
        }
        let zero = if bits == 8 { 0 } else { layout.zero };
        let whole = act_group == layout.group && [32, 256].contains(&act_group);
        let order = if bits == 2 && act_group == BLOCK_GROUP && spec.cols <= MOST_BLOCK_GROUPS * BLOCK_GROUP {
            Layout::Block
        } else if bits > 2 && whole {
            Layout::Tall
        } else {
            Layout::Rows
        };
        if subs != Subs::None && order != Layout::Tall {
            return Err(format!("{} weights with an activation scale per {act_group} inputs", spec.encoding));
        }
        let stored = [Encoding::TQ2_0, Encoding::TQ1_0, Encoding::Q4_0, Encoding::Q8_0];
        let halves = subs != Subs::None || (order != Layout::Rows && stored.contains(&spec.encoding));
        Ok(Kind::Int { bits, zero, scale_group: layout.group, act_group, layout: order, halves, subs })
    }

    /// What a weight becomes; `None` for a vector.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] with the weight's name.
    pub fn of(spec: &WeightSpec) -> Result<Option<Self>, BackendError> {
        let unsupported = |what: String| BackendError::Unsupported {
            backend: "gpu",
            what: format!("weight `{}`: {what}", spec.name),
        };
        spec.encoding.row_bytes(spec.cols).map_err(|e| unsupported(e.to_string()))?;
        match spec.usage {
            WeightUse::Linear(numerics) => Kind::linear(spec, numerics).map(Some).map_err(unsupported),
            WeightUse::Gather => Ok(Some(Kind::float(spec.encoding))),
            WeightUse::Vector if spec.rows == 1 => Ok(None),
            WeightUse::Vector => Err(unsupported(format!("a vector of {} rows", spec.rows))),
            WeightUse::Taps => Err(unsupported("a convolution's taps".into())),
        }
    }

    /// Words of codes or floats in a row of `cols`.
    pub fn stride(self, cols: usize) -> usize {
        match self {
            Kind::Int { bits, scale_group, subs, .. } => {
                cols / unit(bits) * 4 + if subs.subs() { cols / scale_group * 4 } else { 0 }
            }
            Kind::Float { format: 2 } => cols,
            Kind::Float { .. } => cols.div_ceil(2),
        }
    }

    /// Scales of a row of `cols`, as they are stored.
    pub fn scales(self, cols: usize) -> usize {
        match self {
            Kind::Int { layout: Layout::Block, .. } => cols / BLOCK_GROUP,
            Kind::Int { scale_group, subs, .. } => cols / scale_group * self::pair(subs),
            Kind::Float { .. } => 0,
        }
    }

    /// Rows that are stored together.
    pub fn rows_together(self) -> usize {
        match self {
            Kind::Int { layout: Layout::Block | Layout::Tall, .. } => BLOCK,
            _ => 1,
        }
    }

    /// Words of the scales of `rows` rows of `cols`.
    pub fn scale_words(self, rows: usize, cols: usize) -> usize {
        let each = if matches!(self, Kind::Int { halves: true, .. }) { 2 } else { 1 };
        rows.next_multiple_of(self.rows_together()) * self.scales(cols) / each
    }

    /// Words of the codes or floats of `rows` rows of `cols`.
    pub fn data_words(self, rows: usize, cols: usize) -> usize {
        rows.next_multiple_of(self.rows_together()) * self.stride(cols)
    }
}

/// Values that stand where a group's scale is.
fn pair(subs: Subs) -> usize {
    if subs.mins() { 2 } else { 1 }
}

/// Memory of the packer.
#[derive(Default)]
pub(crate) struct Scratch {
    ints: IntRow,
    floats: Vec<f32>,
}

/// Appends row `i` of a weight to the words, and its scales' bits to `scales`.
pub(crate) fn row(
    kind: Kind,
    weight: &Weight<'_>,
    i: usize,
    scratch: &mut Scratch,
    words: &mut Vec<u32>,
    scales: &mut Vec<u32>,
) -> Result<(), FormatError> {
    let bytes = weight.row(i)?;
    match kind {
        Kind::Int { bits, .. } => {
            let ints = &mut scratch.ints;
            int_row(weight.encoding, &bytes, weight.cols, ints)?;
            let zero = weight.encoding.int_layout(weight.cols).map_or(0, |l| l.zero);
            if let Kind::Int { scale_group, subs: subs @ (Subs::Min | Subs::Scales | Subs::Both), .. } = kind
            {
                groups(bits, zero, scale_group, subs, ints, (words, scales));
                return Ok(());
            }
            pack(bits, zero, &ints.codes, words);
            // A row's one scale is every group's.
            let repeat = kind.scales(weight.cols) / ints.d.len().max(1);
            scales.extend(ints.d.iter().flat_map(|d| std::iter::repeat_n(d.to_bits(), repeat)));
        }
        Kind::Float { format: 2 } => {
            scratch.floats.resize(weight.cols, 0.0);
            decode_row(weight.encoding, &bytes, &mut scratch.floats)?;
            words.extend(scratch.floats.iter().map(|v| v.to_bits()));
        }
        Kind::Float { .. } => {
            // The last word of an odd row is half empty.
            let half = |pair: &[u8], at| u32::from(pair.get(at).copied().unwrap_or(0));
            let word = |four: &[u8]| (0..4).fold(0, |word, at| word | half(four, at) << (8 * at));
            words.extend(bytes.chunks(4).map(word));
        }
    }
    Ok(())
}

/// Appends a row of groups with scales of their parts, or with minima.
fn groups(
    bits: u32,
    zero: i32,
    group: usize,
    subs: Subs,
    ints: &IntRow,
    (words, scales): (&mut Vec<u32>, &mut Vec<u32>),
) {
    let parts = ints.sc.len() / ints.d.len().max(1);
    for (g, (codes, d)) in ints.codes.chunks(group).zip(&ints.d).enumerate() {
        pack(bits, zero, codes, words);
        let mut bytes = [0u8; 16];
        let (low, high) = bytes.split_at_mut(if subs.mins() { 8 } else { 16 });
        let put = |to: &mut [u8], from: &[i16]| {
            let these = from.iter().skip(g * parts).take(parts);
            // Six bits of a k-quant, or the eight of an i8.
            to.iter_mut().zip(these).for_each(|(to, v)| *to = *v as u8);
        };
        if subs.subs() {
            put(low, &ints.sc);
            put(high, &ints.mn);
            words.extend(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)));
        }
        scales.push(d.to_bits());
        scales.extend(ints.dmin.get(g).filter(|_| subs.mins()).map(|d| d.to_bits()));
    }
}

/// Puts the words and scales of up to 32 rows, row after row, into the order of a block; missing rows are zeros.
pub(crate) fn block(
    kind: Kind,
    cols: usize,
    words: &[u32],
    scales: &[u32],
    to: (&mut Vec<u32>, &mut Vec<u32>),
) {
    let (stride, each) = (kind.stride(cols), kind.scales(cols));
    for unit in 0..stride / 4 {
        for row in 0..BLOCK {
            let at = row * stride + 4 * unit;
            to.0.extend_from_slice(words.get(at..at + 4).unwrap_or(&[0; 4]));
        }
    }
    let pair = if let Kind::Int { subs, .. } = kind { self::pair(subs) } else { 1 };
    let of_group = move |g: usize| {
        (0..BLOCK).flat_map(move |row| (0..pair).map(move |which| row * each + g * pair + which))
    };
    let ordered = (0..each / pair).flat_map(of_group);
    let ordered = ordered.map(|at| scales.get(at).copied().unwrap_or(0));
    if !matches!(kind, Kind::Int { halves: true, .. }) {
        to.1.extend(ordered);
        return;
    }
    let halves: Vec<u32> = ordered.map(|bits| u32::from(half(f32::from_bits(bits)))).collect();
    to.1.extend(halves.chunks(2).map(|pair| pair.iter().rev().fold(0, |word, half| word << 16 | half)));
}

/// The f16 that a value is exactly; what is no number stays so, for the call that meets it to say where.
fn half(x: f32) -> u16 {
    let (bits, size) = (x.to_bits(), x.abs());
    let sign = (bits >> 16) as u16 & 0x8000;
    let rest = match size {
        _ if size.is_nan() => 0x7e00,
        _ if size.is_infinite() => 0x7c00,
        // Subnormal halves are multiples of 2^-24.
        _ if size < 6.103_515_6e-5 => (size * 16_777_216.0) as u16,
        _ => ((bits >> 13 & 0x3ffff) - (112 << 10)) as u16,
    };
    sign | rest
}

fn pack(bits: u32, zero: i32, codes: &[u8], words: &mut Vec<u32>) {
    let per_word = 32 / bits as usize;
    words.extend(codes.chunks(per_word).map(|codes| {
        let place = |(k, code): (usize, &u8)| {
            let (i, b) = (k as u32 / 4, k as u32 % 4);
            let code = if bits == 8 { (i32::from(*code) - zero) as u8 } else { *code };
            u32::from(code) << (8 * b + bits * i)
        };
        codes.iter().enumerate().map(place).fold(0, |word, code| word | code)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use sterna_format::{CodeBits, ScaleGroup};

    fn spec(encoding: Encoding, cols: usize, usage: WeightUse) -> WeightSpec {
        WeightSpec { name: "w".into(), encoding, rows: 3, cols, usage }
    }

    #[test]
    fn codes_lie_where_a_shift_and_a_mask_find_them() {
        let two: Vec<u8> = (0..16).map(|k| k % 3).collect();
        let (mut words, mut four) = (vec![], vec![]);
        pack(2, 1, &two, &mut words);
        let codes: Vec<u8> = (0..8).map(|k| 15 - k).collect();
        pack(4, 8, &codes, &mut four);
        for k in 0..16u32 {
            let masked = words[0] >> (2 * (k / 4)) & 0x0303_0303;
            assert_eq!(masked >> (8 * (k % 4)) & 0xff, u32::from(two[k as usize]));
        }
        for k in 0..8u32 {
            let masked = four[0] >> (4 * (k / 4)) & 0x0f0f_0f0f;
            assert_eq!(masked >> (8 * (k % 4)) & 0xff, u32::from(codes[k as usize]));
        }
        let mut eight = vec![];
        pack(8, 128, &[0, 127, 128, 255], &mut eight);
        assert_eq!(eight[0].to_le_bytes().map(|b| b as i8), [-128, -1, 0, 127]);
    }

    #[test]
    fn halves_are_exact() {
        let mut bytes = [0; 2];
        for bits in 0..=u16::MAX {
            let mut value = [0.0];
            decode_row(Encoding::F16, &bits.to_le_bytes(), &mut value).unwrap();
            let got = half(value[0]);
            if value[0].is_nan() {
                assert_eq!(got & 0x7fff, 0x7e00);
                continue;
            }
            assert_eq!(got, bits, "{}", value[0]);
            if value[0].is_finite() {
                sterna_format::encode_row(Encoding::F16, &value, &mut bytes).unwrap();
                assert_eq!(u16::from_le_bytes(bytes), got);
            }
        }
    }

    /// What is packed is what the law reads: codes, scales of parts and minima of a k-quant, in the order of a block.
    #[test]
    fn parts_of_a_group_follow_its_codes() {
        let spec = WeightSpec {
            rows: 2,
            ..spec(Encoding::Q4K, 512, WeightUse::Linear(LinearNumerics::Int8 { group: 256 }))
        };
        let kind = Kind::of(&spec).unwrap().unwrap();
        assert_eq!((kind.stride(512), kind.scales(512), kind.data_words(2, 512)), (72, 4, 32 * 72));
        let mut bytes = vec![0; 2 * Encoding::Q4K.row_bytes(512).unwrap()];
        let each = bytes.len() / 2;
        for (n, row) in bytes.chunks_exact_mut(each).enumerate() {
            let values: Vec<f32> = (0..512).map(|k| ((k * 37 + n * 11) % 101) as f32 / 50.0 - 0.7).collect();
            sterna_format::encode_row(Encoding::Q4K, &values, row).unwrap();
        }
        let (encoding, order) = (Encoding::Q4K, sterna_plan::RowOrder::Plain);
        let weight = Weight { encoding, stored: encoding, rows: 2, cols: 512, data: &bytes, order };
        let (mut words, mut scales, mut scratch) = (vec![], vec![], Scratch::default());
        for n in 0..2 {
            row(kind, &weight, n, &mut scratch, &mut words, &mut scales).unwrap();
        }
        let (mut codes, mut halves) = (vec![], vec![]);
        block(kind, 512, &words, &scales, (&mut codes, &mut halves));
        assert_eq!((codes.len(), halves.len()), (32 * 72, kind.scale_words(2, 512)));
        let mut ints = IntRow::default();
        int_row(encoding, &bytes[each..], 512, &mut ints).unwrap();
        // Row 1, group 1: nine vec4 a group, the last of them scales and minima.
        let unit = |u: usize| &codes[((9 + u) * 32 + 1) * 4..][..4];
        let byte = |u: usize, i: usize| unit(u)[i / 4].to_le_bytes()[i % 4];
        for part in 0..8 {
            assert_eq!(i16::from(byte(8, part)), ints.sc[8 + part]);
            assert_eq!(i16::from(byte(8, 8 + part)), ints.mn[8 + part]);
            for k in 0..32 {
                let word = unit(part)[k / 8] >> (4 * (k % 8 / 4) + 8 * (k % 4)) & 15;
                assert_eq!(word as u8, ints.codes[256 + 32 * part + k]);
            }
        }
        let word = halves[32 + 1];
        assert_eq!([word as u16, (word >> 16) as u16], [half(ints.d[1]), half(ints.dmin[1])]);
    }

    #[test]
    fn what_has_no_kernel_is_refused_by_name() {
        let int8 = |group| WeightUse::Linear(LinearNumerics::Int8 { group });
        for (encoding, cols, group, ok) in [
            (Encoding::TQ2_0, 512, 256, true),
            (Encoding::Ternary(ScaleGroup::Block64), 192, 64, true),
            (Encoding::Ternary(ScaleGroup::Row), 4096, 256, true),
            (Encoding::Ternary(ScaleGroup::Row), 4096, 4096, true),
            (Encoding::Ternary(ScaleGroup::Row), 96, 96, false),
            (Encoding::PerRow(CodeBits::Eight), 96, 96, true),
            (Encoding::Q4_0, 96, 32, true),
            (Encoding::Q8_0, 32 * 1024, 32, true),
            (Encoding::Q8_0, 32 * 1025, 32, false),
            (Encoding::PerRow(CodeBits::Eight), 131_056, 131_056, true),
            (Encoding::PerRow(CodeBits::Eight), 131_072, 131_072, false),
            (Encoding::Q4_1, 96, 32, true),
            (Encoding::Q4K, 512, 256, true),
            (Encoding::Q5K, 256, 256, true),
            (Encoding::Q6K, 256, 256, true),
            (Encoding::Q6K, 256, 64, false),
            (Encoding::Q4_1, 32 * 1025, 32, false),
        ] {
            let got = Kind::of(&spec(encoding, cols, int8(group)));
            assert_eq!(got.is_ok(), ok, "{encoding} {cols} {group}: {got:?}");
            if let Err(e) = got {
                assert!(
                    e.to_string().contains("weight `w`") && e.to_string().contains(encoding.name()),
                    "{e}"
                );
            }
        }
        let fixed = WeightUse::Linear(LinearNumerics::Static { input: 0.5, output: None });
        assert!(Kind::of(&spec(Encoding::PerRow(CodeBits::Four), 256, fixed)).is_err());
        assert!(Kind::of(&spec(Encoding::F32, 4, WeightUse::Taps)).is_err());
        let odd = Kind::of(&spec(Encoding::F16, 7, WeightUse::Gather)).unwrap().unwrap();
        assert_eq!((odd, odd.stride(7), odd.scales(7)), (Kind::Float { format: 0 }, 4, 0));
    }
}
