//! Arms of `sterna bench` that speculate: answers to sets of prompts, with drafts and without.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use sterna_plan::Kin;
use sterna_probe::bench::{ByWhom, NamedSpeaker, PromptSet, SessionSpeaker, compare_speakers, prompt_sets};
use sterna_probe::compare::Judge;
use sterna_probe::gate;
use sterna_probe::record::TableValue;
use sterna_run::Session;

use super::output;
use super::{Usage, bench::BenchArgs};
use crate::engine::{Engine, EngineOptions};
use crate::measure::{ArmSpec, Report, find_costs};
use crate::speculate::SpeculateOptions;

/// Tokens of an answer at most when nobody says.
const MOST: usize = 64;

/// Prompts of arms that speculate.
#[derive(Args, Debug)]
pub struct SetArgs {
    /// With --arm speculate=...: prompts to answer, one JSON object a line with `text` or `prompt` (token ids), and `set`, the
    /// kind of answer by which they are told apart [default: four built-in sets in plain text and ChatML]
    #[arg(long, value_name = "FILE", requires = "arms")]
    pub prompt_file: Option<PathBuf>,
    /// With --arm speculate=...: only these sets [default: all; built in are copy, structured, story and chat]
    #[arg(long, value_delimiter = ',', value_name = "SETS", requires = "arms")]
    pub sets: Vec<String>,
}

/// One arm.
struct Voice {
    name: String,
    engine: Engine,
    /// What its executor runs on; arms that agree in it share weights and threads.
    options: EngineOptions,
}

/// Arms and prompts that are known to fit each other.
pub struct Speculation {
    voices: Vec<Voice>,
    sets: Vec<PromptSet>,
    json: bool,
}

impl Speculation {
    /// What the command line asks for, if any of its arms speculates.
    pub fn of(args: &BenchArgs, own: &EngineOptions) -> Result<Option<Self>, Box<dyn Error>> {
        if !args.arms.iter().any(ArmSpec::speculates) {
            let asked = args.sets.prompt_file.is_some() || !args.sets.sets.is_empty();
            let text = "--prompt-file and --sets are for arms that speculate, such as --arm speculate=auto";
            return if asked { Err(Usage(text.into()).into()) } else { Ok(None) };
        }
        check(args)?;
        let mut specs = args.arms.clone();
        if specs.len() < 2 {
            let mut off = ArmSpec::base();
            "off".clone_into(&mut off.name);
            specs.insert(0, off);
        }
        let model = args.measure.model.model.as_deref();
        let voice = |spec: ArmSpec| {
            let (_, options) = spec.engine(own);
            let engine = Engine::open(model, &options)?;
            engine.fits()?;
            let options = EngineOptions { speculate: SpeculateOptions::off(), ..options };
            Ok(Voice { name: spec.name, engine, options })
        };
        let voices: Vec<Voice> = specs.into_iter().map(voice).collect::<Result<_, Box<dyn Error>>>()?;
        let context = voices.iter().map(|v| v.engine.plan.context).min().unwrap_or(0);
        let mut cases = match &args.sets.prompt_file {
            Some(path) => gate::prompts(path)?,
            None => gate::built_in_prompts()?,
        };
        if !args.sets.sets.is_empty() {
            let is = |wanted: &String, c: &gate::Case| c.set.as_ref() == Some(wanted);
            if let Some(wanted) = args.sets.sets.iter().find(|w| !cases.iter().any(|c| is(w, c))) {
                return Err(Usage(format!("no prompt is of the set `{wanted}`")).into());
            }
            cases.retain(|c| args.sets.sets.iter().any(|w| is(w, c)));
        }
        let Some(first) = voices.first() else { return Ok(None) };
        let most = args.decode.unwrap_or(MOST);
        let sets = prompt_sets(&cases, &first.engine.model.tokenizer, most, context)?;
        Ok(Some(Self { voices, sets, json: args.measure.model.json }))
    }

    /// Loads every arm and compares them set by set.
    pub fn compare(self, judge: &Judge, report: &mut Report) -> Result<(), Box<dyn Error>> {
        let sessions = self.sessions()?;
        if let Some(first) = self.voices.first() {
            report.put("model", first.engine.model.name.as_str().into());
            report.say(&format_args!("\n{}", first.engine.model.name))?;
        }
        let mut speakers: Vec<NamedSpeaker<'_>> = Vec::new();
        for (voice, session) in self.voices.iter().zip(sessions) {
            let speaker = Box::new(SessionSpeaker::new(session, &voice.engine.model.tokenizer));
            speakers.push(NamedSpeaker { name: voice.name.clone(), speaker });
        }
        let mut tables = Vec::new();
        let bar = output::steps_bar("sets", self.json);
        bar.set_length(self.sets.len() as u64);
        for set in &self.sets {
            let table = compare_speakers(&mut speakers, set, judge)?;
            bar.suspend(|| report.one_of("speculation", &table.set, TableValue::Speculation(table.clone())))?;
            tables.push(table);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if tables.len() > 1 {
            report.say(&format_args!("\n{}", ByWhom(&tables)))?;
        }
        Ok(())
    }

    /// A session for each arm with what proposes for it.
    fn sessions(&self) -> Result<Vec<Session>, Box<dyn Error>> {
        let mut sessions: Vec<Session> = Vec::new();
        let mut costs = Vec::new();
        for (i, voice) in self.voices.iter().enumerate() {
            let Voice { engine, options, .. } = voice;
            let kin = self.voices[..i].iter().position(|v| v.options == *options);
            let load = |progress: &mut dyn FnMut(u64, u64)| -> Result<Session, Box<dyn Error>> {
                let Some(at) = kin else {
                    let mut session = engine.session(progress)?;
                    costs.push(find_costs(engine, &session));
                    engine.speculate(&mut session, costs[i].as_ref(), progress)?;
                    return Ok(session);
                };
                // One copy of the weights, and one team of threads: arms take turns.
                let first = sessions[at].executor();
                let executor =
                    first.beside(Arc::clone(&engine.plan), &engine.model, Kin::SameModel, progress)?;
                let mut session = Session::new(executor, engine.plan.context)?;
                session.set_state_cache(options.state_cache);
                costs.push(costs[at].clone());
                engine.speculate(&mut session, costs[i].as_ref(), progress)?;
                Ok(session)
            };
            let session = output::behind_a_bar(self.json, load)?;
            sessions.push(session);
        }
        Ok(sessions)
    }
}

/// What arms that speculate have no use for.
fn check(args: &BenchArgs) -> Result<(), Usage> {
    let text = if args.measure.synthetic.is_some() {
        "arms that speculate answer texts: they need a model with a tokenizer, not --synthetic"
    } else if !args.against_command.is_empty() {
        "arms that speculate are not compared with programs; leave --against-command away"
    } else if !args.prompts.is_empty() {
        "arms that speculate answer prompts of --prompt-file; --prompts are lengths of made-up ones"
    } else if args.arms.iter().any(|a| a.width.is_some() || a.prefix > 0 || a.has_model()) {
        "arms that speculate have no width, prefix or model of their own: all make the same answers with -m's model"
    } else {
        return Ok(());
    };
    Err(Usage(text.into()))
}
