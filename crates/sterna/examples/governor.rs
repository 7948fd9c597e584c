//! What the choice of threads is worth: one thread, all threads, and all threads with the governor, in turns.
//!
//! `cargo run --release -p sterna --example governor -- [MODEL] [TOKENS] [ROUNDS]`, alone and next to a busy program.

use std::path::PathBuf;

use sterna::engine::{Engine, EngineOptions};
use sterna_plan::Wanted;
use sterna_probe::interleave::{Arm, Rounds, interleave};
use sterna_probe::tokens;
use sterna_run::Session;

const ARMS: [(&str, usize, bool); 3] =
    [("one thread", 1, false), ("all threads", 0, false), ("all threads, governor", 0, true)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let model = args.next().map(PathBuf::from);
    let decode: usize = args.next().map_or(Ok(400), |n| n.parse())?;
    let rounds: usize = args.next().map_or(Ok(7), |n| n.parse())?;
    let mut sessions = Vec::new();
    for (_, threads, governor) in ARMS {
        let options = EngineOptions {
            threads,
            governor,
            context: Some(decode.max(64) + 16),
            ..EngineOptions::default()
        };
        sessions.push(Engine::open(model.as_deref(), &options)?.session(&mut |_, _| {})?);
    }
    let vocab = sessions[0].executor().plan().vocab;
    let tokens = tokens::seeded(1, decode.max(64), vocab);
    for width in [1, 64] {
        let calls = if width == 1 { decode } else { decode.div_ceil(16) };
        let arms = ARMS.iter().enumerate().map(|(at, (name, ..))| {
            let tokens = &tokens;
            Arm::new(*name, move |sessions: &mut Vec<Session>| {
                let session = &mut sessions[at];
                session.truncate(0)?;
                for call in 0..calls {
                    let tokens = if width == 1 {
                        &tokens[call..=call]
                    } else {
                        session.truncate(0)?;
                        &tokens[..width]
                    };
                    session.ask(tokens, Wanted::Argmax, &mut |_| {})?;
                }
                Ok(())
            })
        });
        let mut arms: Vec<_> = arms.collect();
        let measured = interleave(&mut sessions, &mut arms, Rounds { rounds, ..Rounds::default() })?;
        println!("{calls} calls of {width} rows a round, {rounds} rounds: ms a call, median [least, most]");
        for arm in &measured.arms {
            let mut ms: Vec<f64> = arm.samples.iter().map(|s| 1e3 * s / calls as f64).collect();
            ms.sort_by(f64::total_cmp);
            println!("{:24} {:8.3} [{:.3}, {:.3}]", arm.name, ms[ms.len() / 2], ms[0], ms[ms.len() - 1]);
        }
    }
    Ok(())
}
