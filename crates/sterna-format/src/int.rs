//! The integer view of a row: codes and scales under one law.

/// How the codes of one row combine, one law for every integer encoding:
///
/// `value[k] = d[k/G]·sc[k/g]·(code[k] − zero) − dmin[k/G]·mn[k/g]`
///
/// with `G` = [`group`](Self::group) and `g` = [`sub`](Self::sub).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntLayout {
    /// `G`, the weights that share `d` and `dmin`. For a ternary row with one scale it is the row's length.
    pub group: usize,
    /// `g`, the weights that share `sc` and `mn`; divides `group`.
    pub sub: usize,
    /// What is taken from a code before it is scaled.
    pub zero: i32,
    /// Bits that a kernel needs to store a code: 2, 4 or 8.
    pub bits: u32,
    /// Whether `sc` is anything but all ones.
    pub has_sub_scales: bool,
    /// Whether there are `dmin` and `mn`; without, the second term is absent.
    pub has_mins: bool,
}

/// The codes and scales of one row of `K` weights. See [`IntLayout`] for the law and for `G` and `g`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntRow {
    /// `K` unsigned codes.
    pub codes: Vec<u8>,
    /// `K/G` scales, each exactly as stored (an f16, or the f32 of a ternary row).
    pub d: Vec<f32>,
    /// `K/G` scales of the minima, empty without minima.
    pub dmin: Vec<f32>,
    /// `K/g` sub-block scales; all 1 for encodings without sub-block scales.
    pub sc: Vec<i16>,
    /// `K/g` sub-block minima (all 1 for Q4_1), empty without minima.
    pub mn: Vec<i16>,
}

impl IntRow {
    /// Empties the row, keeping its memory, and makes room for `cols` codes.
    pub(crate) fn reset(&mut self, cols: usize) {
        self.codes.clear();
        self.codes.resize(cols, 0);
        self.d.clear();
        self.dmin.clear();
        self.sc.clear();
        self.mn.clear();
    }
}

/// Codes 0, 1, 2 for −1, 0, +1, with one scale per `group` weights.
pub(crate) fn ternary_layout(group: usize) -> IntLayout {
    IntLayout { group, sub: group, zero: 1, bits: 2, has_sub_scales: false, has_mins: false }
}
