//! From flags to proposers: which of them a model can have, loaded beside it, and refused here when they do not fit.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sterna_bundle::{AssistantHead, BundleError, Drafter, EagleHead, Model, TapIds, default_numerics};
use sterna_checkpoint::Tokenizer;
use sterna_plan::choose::{CostError, CostTable};
use sterna_plan::{Executor, Kin, ModelPlan, PlanOptions, Taps};
use sterna_run::Session;
use sterna_run::speculate::{
    AssistantModel, Depth, DraftModel, HeadModel, ProposeError, Proposer, Speculator, Suffix, SuffixOptions,
};

use crate::engine::{BUILT_IN_NAME, Engine, EngineError, Linears, open_model};

/// The built-in model's draft model: 5 million parameters, the same vocabulary. Built with Llama.
static BUILT_IN: &[u8] =
    include_bytes!("../../../models/llama-tern-30m-draft/llama-tern-30m-draft-TQ2_0.gguf");

/// Most tokens that a model proposes in a round, and a lookup.
const MODEL_MOST: usize = 8;
const LOOKUP_MOST: usize = 15;

/// Who proposes tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Whoever is there and pays: the model's own head, --draft, and repetitions in the text
    #[default]
    Auto,
    /// Nobody: one token at a time
    Off,
    /// What followed when the text last went like this
    Ngram,
    /// The model's head for multi-token prediction
    Mtp,
    /// The draft model or drafter of --draft
    Draft,
    /// The EAGLE-3 head of --eagle
    Eagle3,
}

/// What the numbers of target layers in an EAGLE-3 head's configuration mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum EagleTaps {
    /// Inputs of these layers, as vLLM and the speculators library have it
    #[default]
    Inputs,
    /// Outputs of these layers, as SGLang has it
    Outputs,
}

/// What to speculate with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeculateOptions {
    /// Who proposes.
    pub mode: Mode,
    /// A draft model: a path, or `builtin`; or the folder of a Gemma 4 drafter.
    pub draft: Option<PathBuf>,
    /// What float weights of the draft model or drafter become while they are loaded; `None` leaves them.
    pub draft_linears: Option<Linears>,
    /// An EAGLE-3 head: its folder.
    pub eagle: Option<PathBuf>,
    /// How its numbers of layers are meant.
    pub eagle_taps: EagleTaps,
    /// So many tokens a round; `None` for as many as pay.
    pub tokens: Option<usize>,
    /// Other first tokens that are verified beside the draft's.
    pub alternatives: usize,
}

impl SpeculateOptions {
    /// Nobody proposes.
    pub fn off() -> Self {
        Self { mode: Mode::Off, ..Self::default() }
    }

    /// Refuses what would be ignored.
    ///
    /// # Errors
    /// [`SpeculateError::Ignored`].
    pub fn check(&self) -> Result<(), SpeculateError> {
        let mode = self.mode;
        let off = mode == Mode::Off;
        for (flag, given, ignored) in [
            ("--draft", self.draft.is_some(), !matches!(mode, Mode::Auto | Mode::Draft)),
            ("--draft-linears", self.draft_linears.is_some(), self.draft.is_none()),
            ("--eagle", self.eagle.is_some(), !matches!(mode, Mode::Auto | Mode::Eagle3)),
            ("--eagle-taps", self.eagle_taps != EagleTaps::Inputs, self.eagle.is_none()),
            ("--draft-tokens", self.tokens.is_some(), off),
            ("--draft-alternatives", self.alternatives > 0, off),
        ] {
            if given && ignored {
                return Err(SpeculateError::Ignored { flag });
            }
        }
        Ok(())
    }

    /// Opens the EAGLE-3 head, if there is one to propose.
    ///
    /// # Errors
    /// [`EngineError::Open`].
    pub fn head(&self, model: &Model) -> Result<Option<EagleHead>, EngineError> {
        let wanted = matches!(self.mode, Mode::Auto | Mode::Eagle3);
        let Some(path) = self.eagle.as_deref().filter(|_| wanted) else { return Ok(None) };
        let ids = match self.eagle_taps {
            EagleTaps::Inputs => TapIds::Inputs,
            EagleTaps::Outputs => TapIds::Outputs,
        };
        let opened = EagleHead::open(path, &model.config, ids);
        Ok(Some(opened.map_err(|e| EngineError::Open { path: path.to_owned(), source: Box::new(e) })?))
    }

    /// Opens the Gemma 4 drafter, if the draft model is one and is to propose. Without a draft model, and without an EAGLE-3
    /// head, which reads other hidden states, it is the one in the model's own bundle.
    ///
    /// # Errors
    /// [`EngineError::Open`], [`EngineError::QuantiseDraft`].
    pub fn assistant(&self, model: &Model) -> Result<Option<Drafter>, EngineError> {
        let wanted = matches!(self.mode, Mode::Auto | Mode::Draft);
        let Some(path) = self.draft.as_deref() else {
            let inside = model.drafter().filter(|_| wanted && self.eagle.is_none());
            return Ok(inside.map(|config| Drafter::Bundled(Box::new(config.clone()))));
        };
        if !wanted || !AssistantHead::is_at(path) {
            return Ok(None);
        }
        let opened = AssistantHead::open(path, &model.config);
        let mut head =
            opened.map_err(|e| EngineError::Open { path: path.to_owned(), source: Box::new(e) })?;
        if let Some(linears) = self.draft_linears {
            let done = head.quantise(linears.quantise().linears);
            done.map_err(|e| EngineError::QuantiseDraft(Box::new(e)))?;
        }
        Ok(Some(Drafter::File(Box::new(head))))
    }

    /// Hidden states that the model must hand out for it; `head` is its EAGLE-3 head, which goes before the model's own, and
    /// `assistant` its drafter.
    pub fn taps(&self, model: &Model, head: Option<&EagleHead>, assistant: Option<&Drafter>) -> Taps {
        match head {
            Some(head) => Taps::Layers(head.config.taps.clone()),
            None if assistant.is_some() || self.wants_mtp(model) => Taps::Final,
            None => Taps::None,
        }
    }

    fn wants_mtp(&self, model: &Model) -> bool {
        self.mode == Mode::Mtp || self.mode == Mode::Auto && self.eagle.is_none() && has_mtp(model)
    }
}

fn has_mtp(model: &Model) -> bool {
    model.config.hybrid.as_ref().is_some_and(|h| h.mtp_layers > 0)
}

/// Refuses what cannot propose for `engine`'s model, which need not be loaded for it; gives the draft model, if there is
/// one, opened.
///
/// # Errors
/// [`SpeculateError`].
pub fn fits(engine: &Engine, options: &SpeculateOptions) -> Result<Option<Model>, SpeculateError> {
    let target = &engine.model.name;
    if options.alternatives > 0 && engine.plan.owns_time() {
        return Err(SpeculateError::Tree { target: target.clone() });
    }
    if options.alternatives > 0 {
        let (backend, limits) = engine.device();
        if backend == "gpu" {
            return Err(SpeculateError::TreeDevice { device: limits.description });
        }
    }
    match options.mode {
        Mode::Mtp if !has_mtp(&engine.model) => return Err(SpeculateError::NoHead { model: target.clone() }),
        Mode::Eagle3 if engine.head.is_none() => return Err(SpeculateError::NoEagle),
        Mode::Draft if options.draft.is_none() && engine.assistant.is_none() => {
            return Err(SpeculateError::NoDraft);
        }
        _ => {}
    }
    let draft = options.draft.as_deref().filter(|_| matches!(options.mode, Mode::Auto | Mode::Draft));
    let Some(path) = draft else { return Ok(None) };
    if engine.assistant.is_some() {
        return match engine.head {
            Some(_) => Err(SpeculateError::TwoHeads { draft: path.to_owned(), target: target.clone() }),
            None => Ok(None),
        };
    }
    let draft = open_draft(path)?;
    same_vocabulary(&engine.model, &draft)?;
    Ok(Some(draft))
}

/// Why a model cannot speculate as it was told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpeculateError {
    /// No head.
    #[error(
        "{model} has no head for multi-token prediction (mtp.* tensors; transformers drops them when it saves a model); \
         use --speculate auto, ngram or draft"
    )]
    NoHead {
        /// Its name.
        model: String,
    },
    /// No draft model.
    #[error(
        "--speculate draft needs --draft MODEL, a smaller model of the same vocabulary (`builtin` for the built-in model's), or a \
         bundle with a drafter in it"
    )]
    NoDraft,
    /// Two heads that read other hidden states.
    #[error(
        "--draft {} and --eagle both read hidden states of {target}, and not the same ones: give one of them",
        draft.display()
    )]
    TwoHeads {
        /// The drafter.
        draft: PathBuf,
        /// The model.
        target: String,
    },
    /// A head where a model is wanted.
    #[error("{} is an EAGLE-3 head, not a model: give it with --eagle instead of --draft", draft.display())]
    IsEagle {
        /// The head.
        draft: PathBuf,
    },
    /// A flag that nobody would read.
    #[error("{flag} would be ignored: nobody who proposes with the other flags reads it")]
    Ignored {
        /// It.
        flag: &'static str,
    },
    /// No EAGLE-3 head.
    #[error("--speculate eagle3 needs --eagle FOLDER, an EAGLE-3 head that was trained for this model")]
    NoEagle,
    /// Token ids mean different things.
    #[error(
        "{draft} cannot draft for {target}: {why}; a draft model needs the same tokenizer, since what it proposes are token ids"
    )]
    Vocabulary {
        /// The small model.
        draft: String,
        /// The large one.
        target: String,
        /// The first difference.
        why: String,
    },
    /// Trees over a state that owns time.
    #[error(
        "--draft-alternatives makes a tree of rows, and {target} has states that follow one chain (recurrent layers, or windows of keys): leave it away"
    )]
    Tree {
        /// The model.
        target: String,
    },
    /// Trees on a backend that runs chains.
    #[error(
        "--draft-alternatives makes a tree of rows, which {device} does not run yet: leave it away, or use --device cpu"
    )]
    TreeDevice {
        /// The device.
        device: String,
    },
    /// The draft model, or the head, cannot be had.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The built-in draft model is damaged.
    #[error("the built-in draft model cannot be read: {0}")]
    BuiltIn(#[source] Box<BundleError>),
    /// The lookup's options.
    #[error(transparent)]
    Propose(#[from] ProposeError),
    /// A verify-cost table that is none.
    #[error(transparent)]
    Costs(#[from] CostError),
}

/// A proposer that was loaded.
pub struct Offer {
    /// It.
    pub proposer: Box<dyn Proposer>,
    /// What a token of it costs in decode steps of the target, by the bytes that are read.
    pub steps: f64,
}

/// Loads what proposes and gives it to `session`; `costs` is the measured cost of the model's calls, if it was measured;
/// `progress` hears (bytes done, bytes in all) of every model that is loaded.
///
/// # Errors
/// [`SpeculateError`]: before the first request, not at it.
pub fn attach(
    engine: &Engine,
    session: &mut Session,
    options: &SpeculateOptions,
    costs: Option<&CostTable>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), SpeculateError> {
    let mut speculator = Speculator::new().with_alternatives(options.alternatives);
    let depth = options.tokens.map_or(Depth::Auto, Depth::Fixed);
    for Offer { proposer, steps } in proposers(engine, session, options, progress)? {
        speculator.add(proposer, depth, costs, steps)?;
    }
    session.speculate(Some(speculator));
    Ok(())
}

/// Loads what proposes beside `session`, whose engine is `engine` and has the hidden states that
/// [`SpeculateOptions::taps`] wants; `progress` hears (bytes done, bytes in all) of every model that is loaded.
///
/// # Errors
/// [`SpeculateError`].
pub fn proposers(
    engine: &Engine,
    session: &Session,
    options: &SpeculateOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<Offer>, SpeculateError> {
    let mut offers = Vec::new();
    let draft = fits(engine, options)?;
    let mut add = |proposer: Box<dyn Proposer>, steps: f64| offers.push(Offer { proposer, steps });
    let bytes = |plan: &ModelPlan| plan.entries.first().map_or(0, |e| plan.cost(e).weight_bytes) as f64;
    let most = |usual: usize| options.tokens.unwrap_or(usual);
    if options.wants_mtp(&engine.model) {
        let model = &engine.model;
        let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
        let plan_options = PlanOptions { taps: Taps::None, ..engine.options.clone() };
        let plan = sterna_plan::build_mtp(&model.config, model, &numerics, &plan_options);
        let plan = Arc::new(plan.map_err(EngineError::from)?);
        let steps = bytes(&plan) / bytes(&engine.plan);
        let beside = session.executor().beside(plan, model, Kin::SameModel, progress);
        let mut head = beside.map_err(EngineError::from)?;
        head.allocate(1, session.context()).map_err(EngineError::from)?;
        let head = HeadModel::new("mtp", head, most(MODEL_MOST)).with_alternatives(options.alternatives);
        add(Box::new(head), steps);
    }
    if let Some(head) = &engine.head {
        let source = head.with_target(&engine.model);
        let numerics = |_: &str, encoding, cols| default_numerics(encoding, cols);
        let plan_options = PlanOptions { taps: Taps::None, ..engine.options.clone() };
        let build = [sterna_plan::build_eagle, sterna_plan::build_eagle_fusion];
        let [layer, fusion] = build.map(|b| b(&head.config, &source, &numerics, &plan_options));
        let (layer, fusion) = (layer.map_err(EngineError::from)?, fusion.map_err(EngineError::from)?);
        let steps = (bytes(&layer) + bytes(&fusion)) / bytes(&engine.plan);
        let mut load = |plan: ModelPlan| -> Result<Box<dyn Executor>, EngineError> {
            let room = session.context();
            let mut beside = session.executor().beside(Arc::new(plan), &source, Kin::SameModel, progress)?;
            beside.allocate(1, room)?;
            Ok(beside)
        };
        let (layer, fusion) = (load(layer)?, load(fusion)?);
        let proposer = HeadModel::new("eagle3", layer, most(MODEL_MOST)).with_fusion(fusion);
        let proposer = proposer.with_alternatives(options.alternatives);
        let proposer = match head.target_ids() {
            Some(ids) => proposer.with_target_ids(ids),
            None => proposer,
        };
        add(Box::new(proposer), steps);
    }
    if let Some(drafter) = &engine.assistant {
        let source = drafter.with_target(&engine.model);
        let numerics = |_: &str, encoding, cols| default_numerics(encoding, cols);
        let plan_options = PlanOptions { taps: Taps::None, widths: vec![1], ..engine.options.clone() };
        let plan = sterna_plan::build_assistant(drafter.config(), &source, &numerics, &plan_options);
        let plan = plan.map_err(EngineError::from)?;
        let steps = bytes(&plan) / bytes(&engine.plan);
        let beside = session.executor().beside(Arc::new(plan), &source, Kin::SameModel, progress);
        let proposer = AssistantModel::new(beside.map_err(EngineError::from)?, most(MODEL_MOST));
        add(Box::new(proposer.with_alternatives(options.alternatives)), steps);
    } else if let Some(mut model) = draft {
        if let Some(linears) = options.draft_linears {
            let done = model.quantise(&linears.quantise());
            done.map_err(|e| EngineError::QuantiseDraft(Box::new(e)))?;
        }
        let context = session.context().min(model.config.context);
        let numerics = |name: &str, encoding, cols| model.numerics.linear(name, encoding, cols);
        let plan_options = PlanOptions { taps: Taps::None, context, ..engine.options.clone() };
        let plan = sterna_plan::build(&model.config, &model, &numerics, &plan_options);
        let plan = Arc::new(plan.map_err(EngineError::from)?);
        let steps = bytes(&plan) / bytes(&engine.plan);
        let beside = session.executor().beside(plan, &model, Kin::OtherModel, progress);
        let own = Session::new(beside.map_err(EngineError::from)?, context).map_err(EngineError::from)?;
        let draft = DraftModel::new(own, most(MODEL_MOST)).with_alternatives(options.alternatives);
        add(Box::new(draft), steps);
    }
    if matches!(options.mode, Mode::Auto | Mode::Ngram) {
        let lookup = Suffix::new(SuffixOptions { most: most(LOOKUP_MOST), ..SuffixOptions::default() });
        add(Box::new(lookup?), 0.0);
    }
    Ok(offers)
}

/// Opens a draft model: a path, or `builtin` for the built-in model's.
fn open_draft(path: &Path) -> Result<Model, SpeculateError> {
    if path.as_os_str() != BUILT_IN_NAME {
        return open_model(Some(path)).map_err(|e| match EagleHead::is_at(path) {
            true => SpeculateError::IsEagle { draft: path.to_owned() },
            false => e.into(),
        });
    }
    let mut model =
        Model::from_gguf_bytes(Cow::Borrowed(BUILT_IN)).map_err(|e| SpeculateError::BuiltIn(Box::new(e)))?;
    "llama-tern-30m-draft".clone_into(&mut model.name);
    Ok(model)
}

/// Whether a token only fills a vocabulary up, as converters to GGUF and publishers name such tokens.
fn is_padding(token: &str) -> bool {
    [("[PAD", "]"), ("<unused", ">")].into_iter().any(|(before, after)| {
        let number = token.strip_prefix(before).and_then(|t| t.strip_suffix(after));
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// Every token id of the target must be the same token of the draft.
fn same_vocabulary(target: &Model, draft: &Model) -> Result<(), SpeculateError> {
    let (a, b): (&Tokenizer, &Tokenizer) = (&target.tokenizer, &draft.tokenizer);
    let refuse = |why: String| {
        let (draft, target) = (draft.name.clone(), target.name.clone());
        Err(SpeculateError::Vocabulary { draft, target, why })
    };
    // Rows of the head past the tokenizer's end are padding, and differ between sizes of one family. GGUF files name them.
    for id in (0u32..).take(a.vocab_size().max(b.vocab_size())) {
        let [here, there] = [a, b].map(|t| t.id_to_token(id).filter(|t| !is_padding(t)));
        if here != there {
            let shown = |t: Option<String>| t.map_or("nothing".to_owned(), |t| format!("{t:?}"));
            return refuse(format!("token {id} is {} there and {} here", shown(there), shown(here)));
        }
    }
    Ok(())
}
