//! `--arm threads=1,isa=avx2`: the settings of one arm.

use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;

use crate::engine::{Device, EngineOptions, IsaName, Linears};
use crate::speculate::{EagleTaps, Mode, SpeculateOptions};

/// What an arm has of its own; the command line's settings for the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmSpec {
    /// Name in tables.
    pub name: String,
    model: Option<PathBuf>,
    device: Option<Device>,
    isa: Option<IsaName>,
    linears: Option<Linears>,
    threads: Option<usize>,
    context: Option<usize>,
    speculate: Option<Mode>,
    draft: Option<PathBuf>,
    draft_linears: Option<Linears>,
    eagle: Option<PathBuf>,
    eagle_taps: Option<EagleTaps>,
    draft_tokens: Option<usize>,
    draft_alternatives: Option<usize>,
    /// Rows of a call at most.
    pub width: Option<usize>,
    /// Positions held before the prompt.
    pub prefix: usize,
}

const KEYS: &str = "name, model, linears, device, isa, threads, context, width, prefix, speculate, draft, draft-linears, \
                    eagle, eagle-taps, draft-tokens, draft-alternatives";

impl FromStr for ArmSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut spec = ArmSpec { name: text.to_owned(), ..ArmSpec::default() };
        let mut seen: Vec<&str> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let Some((key, value)) = part.split_once('=').filter(|(_, value)| !value.is_empty()) else {
                return Err(format!("`{part}` is no KEY=VALUE; keys are {KEYS}"));
            };
            if seen.contains(&key) {
                return Err(format!("`{key}` is given twice in one arm; two arms are two --arm"));
            }
            seen.push(key);
            let number = |least: usize, most: usize| {
                let n: Option<usize> = value.parse().ok().filter(|n| (least..=most).contains(n));
                n.ok_or_else(|| format!("`{part}`: {key} is a number from {least} to {most}"))
            };
            match key {
                "name" => value.clone_into(&mut spec.name),
                "model" => spec.model = Some(value.into()),
                "device" => spec.device = Some(value.parse()?),
                "isa" => spec.isa = Some(named(key, value)?),
                "linears" => spec.linears = Some(named(key, value)?),
                "threads" => spec.threads = Some(number(1, 1024)?),
                "context" => spec.context = Some(number(1, 1 << 20)?),
                "width" => spec.width = Some(number(1, 1024)?),
                "prefix" => spec.prefix = number(0, 1 << 20)?,
                "speculate" => spec.speculate = Some(named(key, value)?),
                "draft" => spec.draft = Some(value.into()),
                "draft-linears" => spec.draft_linears = Some(named(key, value)?),
                "eagle" => spec.eagle = Some(value.into()),
                "eagle-taps" => spec.eagle_taps = Some(named(key, value)?),
                "draft-tokens" => spec.draft_tokens = Some(number(1, 63)?),
                "draft-alternatives" => spec.draft_alternatives = Some(number(0, 8)?),
                _ => return Err(format!("an arm has no `{key}`; keys are {KEYS}")),
            }
        }
        if spec.isa.is_some() && spec.device.as_ref().is_some_and(|d| *d != Device::Cpu) {
            return Err("isa is for device=cpu: no other device has a choice of instruction sets".into());
        }
        let mode = spec.speculate.unwrap_or(Mode::Off);
        let more = spec.draft.is_some() || spec.draft_tokens.is_some() || spec.draft_alternatives.is_some();
        if mode == Mode::Off && more {
            return Err(
                "draft, draft-tokens and draft-alternatives are for speculate=auto, ngram, mtp or draft"
                    .into(),
            );
        }
        if mode == Mode::Draft && spec.draft.is_none() {
            return Err("speculate=draft needs draft=MODEL (`builtin` for the built-in model's)".into());
        }
        if spec.draft.is_some() && !matches!(mode, Mode::Draft | Mode::Auto) {
            return Err("draft=MODEL is for speculate=draft or auto: nobody else asks a draft model".into());
        }
        if spec.draft_linears.is_some() && spec.draft.is_none() {
            return Err(
                "draft-linears is for draft=MODEL: it says what that model's float weights become".into()
            );
        }
        if mode == Mode::Eagle3 && spec.eagle.is_none() {
            return Err("speculate=eagle3 needs eagle=FOLDER, a head that was trained for the model".into());
        }
        let is_eagle = matches!(mode, Mode::Eagle3 | Mode::Auto) && spec.eagle.is_some();
        if !is_eagle && (spec.eagle.is_some() || spec.eagle_taps.is_some()) {
            return Err("eagle=FOLDER, with eagle-taps, is for speculate=eagle3 or auto".into());
        }
        Ok(spec)
    }
}

fn named<T: ValueEnum>(key: &str, value: &str) -> Result<T, String> {
    T::from_str(value, true).map_err(|_| {
        let all = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let all: Vec<String> = all.map(|v| v.get_name().to_owned()).collect();
        format!("`{value}` is no {key}; there are {}", all.join(", "))
    })
}

impl ArmSpec {
    /// The command line's own settings as an arm.
    pub fn base() -> Self {
        Self { name: "base".into(), ..Self::default() }
    }

    /// Whether it says who proposes tokens, if it is nobody.
    pub fn speculates(&self) -> bool {
        self.speculate.is_some()
    }

    /// Whether it names a model of its own.
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// What its session is made from; arms with equal settings share one.
    pub fn engine(&self, base: &EngineOptions) -> (Option<PathBuf>, EngineOptions) {
        let mut options = base.clone();
        options.device = self.device.clone().unwrap_or(options.device);
        options.isa = self.isa.map_or(options.isa, IsaName::isa);
        options.linears = self.linears.or(options.linears);
        options.threads = self.threads.unwrap_or(options.threads);
        options.context = self.context.or(options.context);
        if let Some(mode) = self.speculate {
            let alternatives = self.draft_alternatives.unwrap_or(0);
            let (draft, draft_linears, tokens) = (self.draft.clone(), self.draft_linears, self.draft_tokens);
            let (eagle, eagle_taps) = (self.eagle.clone(), self.eagle_taps.unwrap_or_default());
            options.speculate =
                SpeculateOptions { mode, draft, draft_linears, eagle, eagle_taps, tokens, alternatives };
        }
        (self.model.clone(), options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read() {
        let spec: ArmSpec =
            "name=one,threads=1, isa=portable,width=16,prefix=64,model=a b.gguf".parse().unwrap();
        let (model, options) = spec.engine(&EngineOptions::default());
        assert_eq!((spec.name.as_str(), spec.width, spec.prefix), ("one", Some(16), 64));
        assert_eq!((model, options.threads), (Some("a b.gguf".into()), 1));
        assert_eq!(options.isa, sterna_cpu::Isa::Portable);
        let spec: ArmSpec = "linears=q4_0".parse().unwrap();
        assert_eq!(spec.engine(&EngineOptions::default()).1.linears, Some(Linears::Q4_0));
        assert_eq!("threads=2".parse::<ArmSpec>().unwrap().name, "threads=2");
        assert_eq!(ArmSpec::base().engine(&EngineOptions::default()), (None, EngineOptions::default()));
        let spec: ArmSpec =
            "speculate=auto,draft=builtin,draft-tokens=4,draft-alternatives=2".parse().unwrap();
        assert!(spec.speculates() && !"threads=1".parse::<ArmSpec>().unwrap().speculates());
        let options = spec.engine(&EngineOptions::default()).1.speculate;
        assert_eq!((options.mode, options.tokens, options.alternatives), (Mode::Auto, Some(4), 2));
        assert_eq!(options.draft, Some("builtin".into()));
        let spec: ArmSpec = "speculate=draft,draft=a,draft-linears=q4_0".parse().unwrap();
        assert_eq!(spec.engine(&EngineOptions::default()).1.speculate.draft_linears, Some(Linears::Q4_0));
        for (bad, says) in [
            ("speculate=perhaps", "ngram"),
            ("speculate=draft", "draft=MODEL"),
            ("speculate=ngram,draft=builtin", "nobody else"),
            ("speculate=off,draft-tokens=4", "speculate=auto"),
            ("draft-tokens=4", "speculate=auto"),
            ("speculate=auto,draft-linears=q4_0", "draft=MODEL"),
            ("speculate=draft,draft=a,draft-linears=q3_0", "q8_0, q4_0"),
            ("speculate=eagle3", "eagle=FOLDER"),
            ("speculate=ngram,eagle=head", "eagle3 or auto"),
            ("speculate=auto,eagle-taps=outputs", "eagle=FOLDER"),
            ("speculate=mtp,draft-tokens=0", "from 1"),
            ("threads", "KEY=VALUE"),
            ("threads=", "KEY=VALUE"),
            ("threads=0", "from 1"),
            ("width=x", "a number"),
            ("isa=sse9", "avx2"),
            ("device=tpu", "ref-law"),
            ("linears=q3_0", "q8_0, q4_0"),
            ("speed=fast", "keys are name"),
            ("", "KEY=VALUE"),
            ("threads=1,threads=2", "twice"),
            ("device=ref-law,isa=avx2", "device=cpu"),
        ] {
            let e = bad.parse::<ArmSpec>().unwrap_err();
            assert!(e.contains(says), "{bad}: {e}");
        }
    }
}
