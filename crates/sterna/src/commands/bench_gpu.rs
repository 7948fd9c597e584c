//! `sterna bench --device gpu`: prefill and decode on a GPU, with what its own clock says of the time it worked.
//!
//! The processor's limits say nothing of a GPU, so calls are held against none.

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use sterna_plan::{MemoryUse, ModelPlan, Op, Wanted};
use sterna_probe::bench;
use sterna_probe::memory::{MemoryStage, MemoryStages};
use sterna_probe::record::TableValue;
use sterna_probe::synthetic::Random;
use sterna_run::Session;

use super::Outcome;
use super::bench::BenchArgs;
use super::output::megabytes;
use crate::device::Device;
use crate::engine::EngineOptions;
use crate::measure::{self, Report, Turn};

/// Most rounds of calls of many rows and of one, in turn, whose logits must have the same bits.
const IN_TURN: usize = 100;

/// Work before anything is measured.
const WARM_UP: Duration = Duration::from_millis(1500);

/// Whether this is a measurement of a model's calls on a GPU.
pub fn is_for(args: &BenchArgs, options: &EngineOptions) -> bool {
    let other = args.limits_only
        || !args.kernels.is_empty()
        || !args.arms.is_empty()
        || !args.against_command.is_empty()
        || args.aa.is_some();
    matches!(options.device, Device::Gpu(_)) && !other
}

/// Runs the command.
pub fn main(args: &BenchArgs, options: &EngineOptions) -> Outcome {
    let start = Instant::now();
    let model = measure::plan(&args.measure, None, options)?;
    let layers = model.plan().states.len().max(1);
    let others = ops_outside_layers(model.plan());
    let _turn = Turn::take(args.measure.no_wait)?;
    let mut stages = vec![MemoryStage::now("start", MemoryUse::default())];
    let mut made = start;
    let mut loaded = model.load(&mut |_| made = Instant::now())?;
    let load = made.elapsed();
    stages.push(MemoryStage::now("loaded", loaded.session.executor().memory()));
    let mut report = Report::new(&args.measure, &loaded.device, loaded.name.clone())?;
    report.say(&format_args!("{}\n{}, loaded in {:.1} s", loaded.device, loaded.name, load.as_secs_f64()))?;
    report.put("device", loaded.device.as_str().into());
    report.put("model", loaded.name.as_str().into());
    report.put("load_seconds", load.as_secs_f64().into());
    if let Some(used) = loaded.session.executor().kernels() {
        let (n, took) = (used.kernels, used.took.as_secs_f64());
        let found = match used.found {
            None => "this driver keeps none on disk".to_owned(),
            Some(0) => "none were on disk".to_owned(),
            Some(bytes) => format!("{} of them were on disk", megabytes(bytes as u64)),
        };
        report.say(&format_args!("{n} kernels in {took:.2} s of that: {found}"))?;
        report.put("kernels", json!({"compiled": n, "seconds": took, "bytes_on_disk": used.found}));
    }
    let session = &mut loaded.session;
    let vocab = session.executor().plan().vocab as u64;
    let mut random = Random(7);
    let tokens: Vec<u32> = (0..session.context()).map(|_| (random.bits() % vocab) as u32).collect();
    let prompts = if args.prompts.is_empty() { vec![64, 128, 512] } else { args.prompts.clone() };
    let decode = args.decode.unwrap_or(128);
    let context = session.context();
    let chunk = 64.min(context - 1);
    session.ask(&tokens[..chunk], Wanted::Argmax, &mut |_| {})?;
    stages.push(MemoryStage::now(format!("chunk of {chunk}"), session.executor().memory()));
    let memory = MemoryStages { model: loaded.name.clone(), stages };
    report.say(&format_args!("{memory}: weights, states and scratch lie on the device"))?;
    report.put("memory", serde_json::to_value(&memory)?);
    // A card that had nothing to do while weights were loaded clocks up within a second of work.
    let idle = Instant::now();
    while idle.elapsed() < WARM_UP {
        session.truncate(0)?;
        session.ask(&tokens[..chunk], Wanted::Argmax, &mut |_| {})?;
    }
    let mut rows = Vec::new();
    for n in prompts.iter().copied().filter(|n| *n < context) {
        let mut times = Vec::new();
        for _ in 0..args.rounds + 2 {
            session.truncate(0)?;
            let (wall, device) =
                timed(session, |s| s.ask(&tokens[..n], Wanted::Argmax, &mut |_| {}).map(|_| ()))?;
            times.push((wall, device));
        }
        let mut times = times.split_off(2);
        times.sort_unstable();
        let ends = [times.first(), times.last()].map(|t| t.map_or(f64::NAN, |t| t.0.as_secs_f64() * 1e3));
        let (wall, device) = median(times);
        let rate = n as f64 / wall.as_secs_f64();
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let clock = device.map_or_else(String::new, |d| format!(", {:.2} ms by the device's clock", ms(d)));
        let [least, most] = ends;
        report.say(&format_args!(
            "prefill {n:>5}: {rate:>8.0} tokens/s, {:.2} ms ({least:.2} to {most:.2}){clock}",
            ms(wall)
        ))?;
        rows.push(json!({
            "prompt": n, "tokens_per_second": rate, "ms": ms(wall), "least_ms": least, "most_ms": most,
            "device_ms": device.map(ms),
        }));
    }
    report.put("prefill", rows.into());
    if decode > 0 {
        self::decode(args, session, &tokens, decode, (layers, others), &mut report)?;
    }
    if args.profile {
        report.put("profiles", serde_json::Value::Array(Vec::new()));
        for width in [1, 64].into_iter().filter(|w| *w < context) {
            let profile = bench::profile(session, width, args.prefix.min(context - width), 20)?;
            report.one_of("profiles", &loaded.name, TableValue::Profile(profile))?;
        }
    }
    let turns = IN_TURN.min(20 * args.rounds);
    let stable = in_turn(session, &tokens, turns)?;
    let said = if stable { "the same bits" } else { "DIFFERENT BITS" };
    report.say(&format_args!("calls of {chunk} rows and of one, {turns} times in turn: {said}"))?;
    report.put("in_turn", json!({"rounds": turns, "same_bits": stable}));
    report.finish()?;
    Ok(if stable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn decode(
    args: &BenchArgs,
    session: &mut Session,
    tokens: &[u32],
    decode: usize,
    (layers, others): (usize, usize),
    report: &mut Report,
) -> Result<(), Box<dyn Error>> {
    let after = args.prefix.max(64).min(session.context().saturating_sub(decode + 1));
    let mut times = Vec::new();
    for _ in 0..args.rounds + 1 {
        session.truncate(0)?;
        session.ask(&tokens[..after], Wanted::Argmax, &mut |_| {})?;
        times.push(timed(session, |s| {
            for _ in 0..decode {
                let token = s.outputs().top.last().map_or(0, |t| t.token);
                s.ask(&[token], Wanted::Argmax, &mut |_| {})?;
            }
            Ok(())
        })?);
    }
    let (wall, device) = median(times.split_off(1));
    let rate = decode as f64 / wall.as_secs_f64();
    let idle = device.map(|d| 1.0 - d.as_secs_f64() / wall.as_secs_f64());
    let all = session.executor().dispatches(0, 1, 1);
    let each = all.map(|n| n.saturating_sub(others) as f64 / layers as f64);
    report.say(&format_args!(
        "decode {decode} after {after}: {rate:.0} tokens/s, {:.3} ms a token",
        1e3 / rate
    ))?;
    if let Some(idle) = idle {
        report.say(&format_args!("the device waited for the host {:.1} % of the time", 100.0 * idle))?;
    }
    if let (Some(all), Some(each)) = (all, each) {
        report.say(&format_args!("{all} dispatches a token, {each:.1} a layer"))?;
    }
    report.put(
        "decode",
        json!({
            "after": after, "tokens": decode, "tokens_per_second": rate, "idle_share": idle, "dispatches": all,
            "dispatches_per_layer": each,
        }),
    );
    Ok(())
}

/// Ops of a call before its first layer and after its last: embedding, rotations, the head.
fn ops_outside_layers(plan: &ModelPlan) -> usize {
    let ops = &plan.apart().entries[0].ops;
    let outside = |op: &&Op| {
        matches!(
            op,
            Op::Embed { .. } | Op::RotationTable { .. } | Op::SelectOutputs { .. } | Op::Argmax { .. }
        )
    };
    // The head is a linear with its norm: two dispatches.
    ops.iter().filter(outside).count() + 2
}

type Times = (Duration, Option<Duration>);

fn timed(
    session: &mut Session,
    work: impl FnOnce(&mut Session) -> Result<(), sterna_run::SessionError>,
) -> Result<Times, Box<dyn Error>> {
    let before = session.executor().device_time();
    let start = Instant::now();
    work(session)?;
    let wall = start.elapsed();
    let device = session.executor().device_time().zip(before).map(|(now, before)| now - before);
    Ok((wall, device))
}

fn median(mut times: Vec<Times>) -> Times {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or((Duration::MAX, None))
}

/// Whether a prompt and the token after it have the same logits every time.
fn in_turn(session: &mut Session, tokens: &[u32], turns: usize) -> Result<bool, Box<dyn Error>> {
    let n = 64.min(session.context() - 2);
    let mut first: Vec<Vec<u32>> = Vec::new();
    for round in 0..turns {
        session.truncate(0)?;
        for (i, part) in [&tokens[..n], &tokens[n..=n]].into_iter().enumerate() {
            session.ask(part, Wanted::Logits, &mut |_| {})?;
            let bits = session
                .outputs()
                .logits
                .last()
                .map_or(Vec::new(), |l| l.iter().map(|v| v.to_bits()).collect());
            if round == 0 {
                first.push(bits);
            } else if first[i] != bits {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
