//! Sessions and the memcmp gate on a model whose states own time.

#![allow(clippy::unwrap_used)] // helpers of tests too

use sterna_cpu::{CpuBackend, CpuOptions};
use sterna_format::Encoding;
use sterna_plan::{Backend, PlanOptions, Wanted};
use sterna_probe::gate::{FactoryError, GateArm, GateOptions, memcmp};
use sterna_probe::tokens;
use sterna_ref::testing::{Encodings, TestModel, narrow_hybrid_config, plan};
use sterna_run::Session;

const N: usize = 100;

fn session(arm: GateArm) -> Result<Session, FactoryError> {
    let model = TestModel::new(9, narrow_hybrid_config(), Encodings::new(Encoding::Q8_0))?;
    let backend = CpuBackend::new(CpuOptions { threads: arm.threads, ..CpuOptions::default() });
    let executor = backend.load(plan(&model, &PlanOptions::new(N))?, &model, &mut |_, _| {})?;
    Ok(Session::new(executor, N)?)
}

fn ask(session: &mut Session, tokens: &[u32]) -> (Vec<u32>, Vec<u8>) {
    session.ask(tokens, Wanted::Logits, &mut |_| {}).unwrap();
    let logits = session.outputs().logits.last().unwrap().iter().map(|l| l.to_bits()).collect();
    (logits, session.executor().state_bytes(0).unwrap())
}

/// What is kept is kept at no cost or not at all; a cut is what a cold run gives, bit for bit.
#[test]
fn a_session_keeps_what_its_states_allow() {
    let ids = tokens::seeded(3, N, 100);
    let cold = |ids: &[u32]| ask(&mut session(GateArm::BASE).unwrap(), ids);
    let mut s = session(GateArm::BASE).unwrap();
    ask(&mut s, &ids[..40]);
    // The next turn goes on: everything is kept.
    assert_eq!(s.reuse(&ids[..60]).unwrap(), 40);
    assert!(ask(&mut s, &ids[40..60]) == cold(&ids[..60]));
    // Regenerated from the middle: nothing can be kept without a snapshot, and the answer is right.
    assert_eq!(s.reuse(&ids[..50]).unwrap(), 0);
    assert!(s.tokens().is_empty());
    assert!(ask(&mut s, &ids[..50]) == cold(&ids[..50]));
    // The same prompt again: its last token must be asked, so its state is gone too.
    assert_eq!(s.reuse(&ids[..50]).unwrap(), 0);
    ask(&mut s, &ids[..50]);
    // A cut is replayed.
    s.truncate(33).unwrap();
    assert_eq!((s.tokens(), s.executor().committed()), (&ids[..33], &[33][..]));
    assert!(ask(&mut s, &ids[33..70]) == cold(&ids[..70]));
    s.truncate(70).unwrap();
    s.truncate(99).unwrap();
    assert_eq!(s.tokens().len(), 70);
    s.truncate(0).unwrap();
    assert!(ask(&mut s, &ids[..5]) == cold(&ids[..5]));
}

#[test]
fn every_walk_gives_the_same_bits_and_states() {
    let ids = tokens::seeded(4, N, 100);
    let options =
        GateOptions { chunks: vec![2, 33, 64], random: 1, alternations: 20, ..GateOptions::default() };
    let options = GateOptions { unfused: false, portable: false, ..options };
    let report = memcmp(&session, &ids, &options, &mut |_, _| ()).unwrap();
    assert!(report.passed(), "{report}");
    assert!(report.state_bytes > 4 * 6 * 24 * 16, "{report}");
}
