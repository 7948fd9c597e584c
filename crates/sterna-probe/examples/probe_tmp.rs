#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use sterna_bundle::Model;
use sterna_plan::{Backend, build};
use sterna_probe::{bench::*, gate::*, interleave::Rounds, limits::*, synthetic::*, tokens};
use sterna_run::Session;
fn session(model: &Model, backend: &dyn Backend, context: usize) -> Session {
    let numerics = |name: &str, e, cols| model.numerics.linear(name, e, cols);
    let plan = build(&model.config, model, &numerics, &options(GateArm::BASE, context)).unwrap();
    Session::new(backend.load(plan.into(), model, &mut |_, _| {}).unwrap(), context).unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    match a[1].as_str() {
        "limits" => println!("{}", Limits::measure(&LimitOptions::new(2)).unwrap()),
        "gate" => {
            let model = Model::open(a[2].as_ref()).unwrap();
            let n: usize = a[3].parse().unwrap();
            let ids = tokens::seeded(1, n, model.config.vocab);
            let t = std::time::Instant::now();
            println!(
                "{}",
                memcmp(&|arm| file_session(&model, arm, n), &ids, &GateOptions::default()).unwrap()
            );
            println!("{:?}", t.elapsed());
        }
        "golden" => {
            let model = Model::open(a[2].as_ref()).unwrap();
            let g = Golden::open(a[3].as_ref(), &a[4]).unwrap();
            let b = GoldenBounds { max_abs: a[5].parse().unwrap(), near_tie: a[6].parse().unwrap() };
            let mut s = match a[7].as_str() {
                "float" => session(&model, &sterna_ref::RefBackend::float(), 512),
                "a8" => session(&model, &sterna_ref::RefBackend::float_with_activations(), 512),
                "law" => session(&model, &sterna_ref::RefBackend::law(), 512),
                _ => session(&model, &cpu(GateArm { threads: 2, ..GateArm::BASE }), 512),
            };
            println!("{}: {}", a[7], golden(&mut s, &g, b).unwrap());
        }
        "bench" => {
            let l = Limits::measure(&LimitOptions::new(2)).unwrap();
            println!("{l}");
            let arm = GateArm { threads: 2, ..GateArm::BASE };
            let mut s = if let Some(layers) = a[2].strip_prefix("8b:") {
                let c = config("bitcpm-8b", Some(layers.parse().unwrap()), Some(4096)).unwrap();
                let w = Synthetic::new(&c, sterna_format::Encoding::TQ2_0, sterna_format::Encoding::TQ2_0, 1);
                println!("synthetic {} MB", w.bytes() / 1000000);
                let numerics =
                    |_: &str, e: sterna_format::Encoding, cols| sterna_ref::testing::numerics("", e, cols);
                let plan = build(&c, &w, &numerics, &options(arm, 1024)).unwrap();
                Session::new(cpu(arm).load(plan.into(), &w, &mut |_, _| {}).unwrap(), 1024).unwrap()
            } else {
                file_session(&Model::open(a[2].as_ref()).unwrap(), arm, 512).unwrap()
            };
            let rounds = Rounds { warmup: 1, rounds: 7, noise_limit: 0.1 };
            match width_table(&mut s, &WidthOptions { rounds, ..WidthOptions::default() }, &l) {
                Ok(t) => println!("{t}"),
                Err(e) => {
                    if let BenchError::Implausible { table, .. } = &e {
                        println!("{table}")
                    };
                    println!("{e}")
                }
            }
            println!(
                "{}",
                generation_table(
                    &mut s,
                    &GenerationOptions { prompts: vec![64, 256], decode: 16, rounds, seed: 1 },
                    &l
                )
                .unwrap()
            );
            println!("{}", profile(&mut s, 1, 64, 20).unwrap());
            println!("{}", profile(&mut s, 64, 64, 5).unwrap());
        }
        "rows" => {
            let model = Model::open(a[2].as_ref()).unwrap();
            for name in ["logits", "logits_float_activations"] {
                let mut g = Golden::open(a[3].as_ref(), name).unwrap();
                g.prompts.truncate(2);
                for p in &g.prompts {
                    for (b, mut s) in [("float", session(&model, &sterna_ref::RefBackend::float(), 512)), ("a8", session(&model, &sterna_ref::RefBackend::float_with_activations(), 512)), ("law", session(&model, &sterna_ref::RefBackend::law(), 512))] {
                        let mut d = vec![0f32; p.ids.len()];
                        s.feed(&p.ids, p.ids.len(), sterna_plan::Wanted::Logits, &mut |_| {}, &mut |at, o, row| {
                            let l = o.logits_of(row).unwrap();
                            for r in p.rows.iter().filter(|r| r.position == at && !r.ids.is_empty()) {
                                for (v, i) in r.values.iter().zip(&r.ids) { d[at] = d[at].max((v - l[*i as usize]).abs()); }
                            }
                        }).unwrap();
                        println!("{name} {b} {}: {:?}", p.name, d.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(" "));
                    }
                }
            }
        }
        _ => {}
    }
}
