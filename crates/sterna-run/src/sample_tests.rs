use super::*;

fn row(seed: u64, n: usize) -> Vec<f32> {
    // Coarse values, so that ties are common.
    (0..n as u64).map(|i| ((draw_unit(seed, i) * 24.0).floor() * 0.5 - 6.0) as f32).collect()
}

/// The module's rules, written the obvious way: full sort, library exp, f64 sums.
fn reference(logits: &[f32], vocab: usize, history: &[u32], position: u64, p: &SamplingParams) -> u32 {
    let mut scores: Vec<f32> = logits[..vocab].to_vec();
    let mut window: Vec<u32> = history.iter().rev().take(p.repetition_window).copied().collect();
    window.sort_unstable();
    window.dedup();
    for id in window.into_iter().filter(|&id| (id as usize) < vocab) {
        let s = &mut scores[id as usize];
        *s = if *s > 0.0 { *s / p.repetition_penalty } else { *s * p.repetition_penalty };
    }
    let mut order: Vec<usize> = (0..vocab).collect();
    order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap().then(a.cmp(&b)));
    if p.temperature == 0.0 {
        return order[0] as u32;
    }
    if p.top_k > 0 {
        order.truncate(p.top_k);
    }
    let best = f64::from(scores[order[0]]);
    let weight = |id: usize| ((f64::from(scores[id]) - best) / f64::from(p.temperature)).exp();
    let total: f64 = order.iter().map(|&id| weight(id)).sum();
    let mut share = 0.0;
    let mut kept = Vec::new();
    for &id in &order {
        if share >= f64::from(p.top_p) || weight(id) < f64::from(p.min_p) {
            break;
        }
        share += weight(id) / total;
        kept.push(id);
    }
    let mass: f64 = kept.iter().map(|&id| weight(id)).sum();
    let target = draw_unit(p.seed, position) * mass;
    let mut sum = 0.0;
    for &id in &kept {
        sum += weight(id);
        if sum > target {
            return id as u32;
        }
    }
    kept[kept.len() - 1] as u32
}

#[test]
fn draws_are_frozen() {
    // Made by a separate Python implementation, itself checked against SplitMix64's published output.
    let frozen = [
        ((0, 0), 0xa706_dd2f_4d19_7e6f),
        ((0, 1), 0xb382_a305_f441_4f5e),
        ((1, 0), 0x5e41_ab08_7439_611e),
        ((42, 0), 0x57e1_faba_6510_7204),
        ((42, 1000), 0xb1fc_8c82_4d52_4899),
        ((u64::MAX, u64::MAX), 0x4450_18e3_0581_0b78),
    ];
    for ((seed, position), bits) in frozen {
        assert_eq!(draw_bits(seed, position), bits, "seed {seed} position {position}");
    }
    assert_eq!(draw_unit(42, 0), (draw_bits(42, 0) >> 11) as f64 * 2f64.powi(-53));
    assert!((0..10_000).all(|p| (0.0..1.0).contains(&draw_unit(7, p))));
}

#[test]
fn neighbouring_seeds_do_not_share_a_stream() {
    // Seeds one gamma apart would, if the seed were the counter's start.
    let next = 7u64.wrapping_add(0x9e37_79b9_7f4a_7c15);
    assert!((0..100).all(|p| draw_bits(7, p + 1) != draw_bits(next, p)));
}

#[test]
fn agrees_with_the_obvious_implementation_and_ignores_scratch() {
    let mut scratch = Scratch::default();
    let mut differs_from_greedy = 0;
    for case in 0..3000u64 {
        let pick = |at: u64, n: usize| (draw_bits(case, 1000 + at) % n as u64) as usize;
        let vocab = [1, 2, 63, 64, 65, 700, 3000][pick(0, 7)];
        let mut logits = row(case, vocab);
        logits.resize(vocab + pick(1, 40), 1e9);
        let history: Vec<u32> =
            (0..pick(2, 200) as u64).map(|i| (draw_bits(case, i) % (vocab as u64 + 9)) as u32).collect();
        let params = SamplingParams {
            temperature: [0.0, 0.1, 0.7, 1.0, 3.0][pick(3, 5)],
            top_k: [0, 1, 5, 64, 5000][pick(4, 5)],
            top_p: [1.0, 0.05, 0.5, 0.95][pick(5, 4)],
            min_p: [0.0, 0.01, 0.3, 1.0][pick(6, 4)],
            repetition_penalty: [1.0, 1.3, 0.8][pick(7, 3)],
            repetition_window: [0, 3, 64][pick(8, 3)],
            seed: case,
        };
        let position = draw_bits(case, 9);
        let got = sample(&logits, vocab, &history, position, &params, &mut scratch).unwrap();
        assert_eq!(got.id, reference(&logits, vocab, &history, position, &params), "case {case} {params:?}");
        assert_eq!(got.logit, logits[got.id as usize]);
        let fresh = sample(&logits, vocab, &history, position, &params, &mut Scratch::default());
        assert_eq!(fresh, Ok(got));
        differs_from_greedy += usize::from(got.id != argmax(&logits, vocab).unwrap().id);
    }
    assert!(differs_from_greedy > 700, "{differs_from_greedy}");
}

#[test]
fn no_allocation_after_the_first_call() {
    let logits = row(1, 5000);
    let params =
        SamplingParams { temperature: 1.0, repetition_penalty: 1.2, top_p: 0.9, ..Default::default() };
    let mut scratch = Scratch::default();
    let room = |s: &Scratch| (s.keys.as_ptr(), s.penalised.as_ptr(), s.adjusted.as_ptr(), s.keys.capacity());
    sample(&logits, 5000, &[1, 2, 3], 0, &params, &mut scratch).unwrap();
    let before = room(&scratch);
    for position in 1..50 {
        sample(&logits, 5000, &[4, 5, 6], position, &params, &mut scratch).unwrap();
    }
    assert_eq!(room(&scratch), before);
}

#[test]
fn frequencies_follow_the_softmax() {
    let logits = [0.0f32, 1.0, 2.0, 3.0];
    let params = SamplingParams { temperature: 1.0, seed: 5, ..Default::default() };
    let mut counts = [0f64; 4];
    const N: u64 = 40_000;
    for position in 0..N {
        let id = sample(&logits, 4, &[], position, &params, &mut Scratch::default()).unwrap().id;
        counts[id as usize] += 1.0;
    }
    let total: f64 = logits.iter().map(|x| f64::from(*x).exp()).sum();
    for (count, logit) in counts.iter().zip(logits) {
        let p = f64::from(logit).exp() / total;
        let sigma = (N as f64 * p * (1.0 - p)).sqrt();
        assert!((count - N as f64 * p).abs() < 4.0 * sigma, "{counts:?}");
    }
}

#[test]
fn argmax_takes_the_lowest_id_at_every_place_and_length() {
    for n in 1..70usize {
        for at in 0..n {
            let mut logits = vec![-1.0f32; n];
            logits[at] = 2.0;
            let one = argmax(&logits, n).unwrap();
            assert_eq!((one.id, one.logit), (at as u32, 2.0));
            assert_eq!(one.margin, if n == 1 { f32::INFINITY } else { 3.0 });
            logits[n - 1] = 2.0;
            let tie = argmax(&logits, n).unwrap();
            assert_eq!(tie.id, at as u32);
            assert!(at == n - 1 || tie.margin == 0.0);
        }
    }
    // Zeros of either sign tie.
    assert_eq!(argmax(&[-0.0, 0.0], 2).unwrap().id, 0);
    let params = SamplingParams { temperature: 1.0, top_k: 1, ..Default::default() };
    assert_eq!(sample(&[-1.0, -0.0, 0.0], 3, &[], 0, &params, &mut Scratch::default()).unwrap().id, 1);
}

#[test]
fn a_tie_at_the_top_k_cut_keeps_the_lowest_ids() {
    let mut logits = vec![1.0f32; 300];
    logits[299] = 2.0;
    let params = SamplingParams { temperature: 5.0, top_k: 3, ..Default::default() };
    let mut seen = [false; 300];
    for position in 0..200 {
        let id = sample(&logits, 300, &[], position, &params, &mut Scratch::default()).unwrap().id;
        seen[id as usize] = true;
    }
    let seen: Vec<usize> = (0..300).filter(|&i| seen[i]).collect();
    assert_eq!(seen, [0, 1, 299]);
}

#[test]
fn the_margin_is_of_the_raw_logits() {
    let params = SamplingParams { repetition_penalty: 100.0, ..Default::default() };
    let token = sample(&[3.0, 5.0, 1.0], 3, &[1, 1, 1], 0, &params, &mut Scratch::default()).unwrap();
    assert_eq!(token, Token { id: 0, logit: 3.0, margin: 2.0 });
}

#[test]
fn the_penalty_applies_once_per_token_within_the_window_and_by_sign() {
    let greedy = |logits: &[f32], history: &[u32], window: usize| {
        let params =
            SamplingParams { repetition_penalty: 2.0, repetition_window: window, ..Default::default() };
        sample(logits, logits.len(), history, 0, &params, &mut Scratch::default()).unwrap().id
    };
    assert_eq!(greedy(&[4.0, 3.0], &[0], 64), 1);
    assert_eq!(greedy(&[4.0, 1.5], &[0, 0, 0], 64), 0); // once: 2.0, not 0.5
    assert_eq!(greedy(&[-1.0, -1.5], &[0], 64), 1); // -2.0
    assert_eq!(greedy(&[4.0, 3.0], &[0, 7, 9], 2), 0); // out of the window; unknown ids do nothing
    assert_eq!(greedy(&[4.0, 3.0], &[0], 0), 0);
    // A tiny penalty saturates instead of making an infinity.
    let params = SamplingParams { repetition_penalty: 1e-30, temperature: 1.0, ..Default::default() };
    assert_eq!(sample(&[1e30, 2e30], 2, &[0], 0, &params, &mut Scratch::default()).unwrap().id, 0);
}

#[test]
fn what_is_not_finite_is_an_error_and_the_pad_is_not_looked_at() {
    let params = SamplingParams { temperature: 1.0, ..Default::default() };
    for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for index in 0..40 {
            let mut logits = vec![0.0f32; 40];
            logits[index] = bad;
            let want = Err(SampleError::NonFinite { index });
            assert_eq!(argmax(&logits, 40), want);
            assert_eq!(sample(&logits, 40, &[], 0, &params, &mut Scratch::default()), want);
            if index > 0 {
                assert!(argmax(&logits, index).is_ok());
            }
        }
    }
    let logits = [0.0, 1.0, f32::NAN, 9.0];
    assert_eq!(argmax(&logits, 2).unwrap().id, 1);
    assert_eq!(argmax(&logits, 0), Err(SampleError::Vocabulary { vocab: 0, logits: 4 }));
    assert_eq!(argmax(&logits, 5), Err(SampleError::Vocabulary { vocab: 5, logits: 4 }));
}

#[test]
fn parameters_out_of_range_are_named() {
    let base = SamplingParams::default();
    let bad = [
        SamplingParams { temperature: -0.1, ..base.clone() },
        SamplingParams { temperature: f32::NAN, ..base.clone() },
        SamplingParams { temperature: f32::INFINITY, ..base.clone() },
        SamplingParams { top_p: 0.0, ..base.clone() },
        SamplingParams { top_p: 1.01, ..base.clone() },
        SamplingParams { top_p: f32::NAN, ..base.clone() },
        SamplingParams { min_p: -0.1, ..base.clone() },
        SamplingParams { min_p: 1.1, ..base.clone() },
        SamplingParams { repetition_penalty: 0.0, ..base.clone() },
        SamplingParams { repetition_penalty: f32::NAN, ..base.clone() },
    ];
    let name = |e: ParamError| e.to_string().split(' ').next().unwrap().to_string();
    let names: Vec<String> = bad.iter().map(|p| name(p.validate().unwrap_err())).collect();
    let want = "temperature temperature temperature top_p top_p top_p min_p min_p repetition_penalty repetition_penalty";
    assert_eq!(names.join(" "), want);
    assert!(base.validate().is_ok() && base.is_greedy());
    let error = sample(&[0.0], 1, &[], 0, &bad[0], &mut Scratch::default()).unwrap_err();
    assert_eq!(error, SampleError::Params(ParamError::Temperature(-0.1)));
}

#[test]
fn the_exponential_is_accurate_and_ordered() {
    let mut last = 0.0;
    for i in 0..=400_000 {
        let x = -40.0 + f64::from(i) * 1e-4;
        let got = exp_of_negative(x.min(0.0));
        let want = x.min(0.0).exp();
        assert!((got - want).abs() <= 4e-16 * want, "{x}: {got} {want}");
        assert!(got >= last, "{x}");
        last = got;
    }
    assert_eq!(exp_of_negative(0.0), 1.0);
    assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
}
