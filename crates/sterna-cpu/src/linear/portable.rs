//! Every packed kind in plain Rust: the kernels of machines without a kernel of their own, and the twin that the
//! others are compared with. Loops run over the 16 lanes of a panel, so a compiler vectorises them.

use half::f16;

use crate::acts::{ActBlock, SUM};
use crate::pack::{Geometry, Kind, PANEL, Records};

type Lanes<T> = [T; PANEL];

fn halves(bytes: &[u8], at: usize) -> Lanes<f32> {
    std::array::from_fn(|r| f16::from_le_bytes([bytes[at + 2 * r], bytes[at + 2 * r + 1]]).to_f32())
}

/// Codes of 16 inputs from `k` on, zero point taken away: `[input][row]`.
fn codes(g: &Geometry, record: &[u8], k: usize) -> [Lanes<i32>; 16] {
    std::array::from_fn(|i| std::array::from_fn(|row| g.code(record, k + i, row) - g.zero))
}

/// Adds the products of integer records to `acc[column][row]`; the written order is in `sterna-ref`.
pub fn int(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [Lanes<f32>]) {
    let g = r.geometry;
    let subs = g.group / g.sub;
    for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
        let group = r.first + i;
        let d = r.row_d.copied().unwrap_or_else(|| halves(record, g.d_at()));
        for (c, acc) in acc.iter_mut().enumerate() {
            let mut isum = [0i32; PANEL];
            let mut msum = [0i32; PANEL];
            for s in 0..subs {
                let mut dot = [0i32; PANEL];
                for k in (s * g.sub..(s + 1) * g.sub).step_by(16) {
                    let codes = codes(g, record, k);
                    for (i, lanes) in codes.iter().enumerate() {
                        let at = group * g.group + k + i;
                        let q = a.int(g.wide, at, c);
                        for (dot, w) in dot.iter_mut().zip(lanes) {
                            *dot += w * q;
                        }
                    }
                }
                for row in 0..PANEL {
                    let sc = if g.has_sub_scales {
                        i32::from(record[g.sc_at() + s * PANEL + row] as i8)
                    } else {
                        1
                    };
                    isum[row] += sc * dot[row];
                }
                if g.has_mins {
                    let first = (group * g.group + s * g.sub) / SUM;
                    let sum: i32 = (first..first + g.sub / SUM).map(|i| a.sub_sum(i, c)).sum();
                    for (row, m) in msum.iter_mut().enumerate() {
                        let mn =
                            if g.has_sub_scales { i32::from(record[g.mn_at() + s * PANEL + row]) } else { 1 };
                        *m += mn * sum;
                    }
                }
            }
            let scale = a.scales[group * a.width + c];
            for row in 0..PANEL {
                acc[row] = (isum[row] as f32).mul_add(d[row] * scale, acc[row]);
            }
            if g.has_mins {
                let dmin = halves(record, g.dmin_at());
                for row in 0..PANEL {
                    acc[row] = (-(msum[row] as f32)).mul_add(dmin[row] * scale, acc[row]);
                }
            }
        }
    }
}

/// Adds the products of float records to `acc[column][row]`, inputs ascending.
pub fn float(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [Lanes<f32>]) {
    let g = r.geometry;
    if g.kind == Kind::Coded {
        return coded(r, a, acc);
    }
    let size = g.code_bytes() / (g.group * PANEL);
    for (i, input) in r.bytes.chunks_exact(PANEL * size).enumerate() {
        let k = r.first * g.group + i;
        let w: Lanes<f32> = std::array::from_fn(|row| g.float(input, 0, row));
        for (c, acc) in acc.iter_mut().enumerate() {
            let x = a.floats[k * a.width + c];
            for (acc, w) in acc.iter_mut().zip(&w) {
                *acc = w.mul_add(x, *acc);
            }
        }
    }
}

/// The same for codes.
fn coded(r: Records<'_>, a: &ActBlock<'_>, acc: &mut [Lanes<f32>]) {
    let g = r.geometry;
    for (i, record) in r.bytes.chunks_exact(g.record_bytes()).enumerate() {
        for k in 0..g.group {
            let w: Lanes<f32> = std::array::from_fn(|row| g.float(record, k, row));
            let at = (r.first + i) * g.group + k;
            for (c, acc) in acc.iter_mut().enumerate() {
                let x = a.floats[at * a.width + c];
                for (acc, w) in acc.iter_mut().zip(&w) {
                    *acc = w.mul_add(x, *acc);
                }
            }
        }
    }
}
