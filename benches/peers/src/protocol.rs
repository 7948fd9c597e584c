//! What driver and worker say to each other: one JSON object a line, one reply for each request.

use serde::{Deserialize, Serialize};

/// From the driver, on standard input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Request {
    /// Feeds the first `tokens` seeded tokens to an empty state.
    Prefill {
        /// How many.
        tokens: usize,
    },
    /// Holds the first `after` seeded tokens, then feeds the next `tokens` one at a time.
    Decode {
        /// How many are fed and timed.
        tokens: usize,
        /// How many are held before; at least one.
        after: usize,
    },
    /// Holds the first `after` seeded tokens, then makes `tokens` more, feeding the best one back each time.
    Continue {
        /// How many are made and timed.
        tokens: usize,
        /// How many are held before; at least one.
        after: usize,
    },
    /// Continues `prompt` with the best token, again and again.
    Greedy {
        /// Tokens.
        prompt: Vec<u32>,
        /// How many to make.
        tokens: usize,
    },
    /// Ends the worker.
    Quit,
}

/// From the worker, on standard output. The first one comes unasked: [`Reply::Ready`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// The model is loaded.
    Ready(About),
    /// A measurement.
    Timed(Timed),
    /// Tokens made.
    Tokens {
        /// Their ids.
        ids: Vec<u32>,
    },
    /// What went wrong.
    Failed {
        /// For a person.
        message: String,
    },
}

/// An engine with a model loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// "sterna", "llama.cpp".
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Which code it chose for this machine.
    pub kernels: String,
    /// Threads it works with.
    pub threads: usize,
    /// Tokens the model knows.
    pub vocab: usize,
    /// Seconds to load the model.
    pub load_seconds: f64,
}

/// One sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Seconds of the timed part.
    pub seconds: f64,
    /// Core-seconds that the worker used in it (in steps of 10 ms); `None` where the system does not tell.
    pub own: Option<f64>,
    /// Core-seconds that everything else on the machine used meanwhile.
    pub others: Option<f64>,
    /// Bytes of weights that a call read, where the engine counts them.
    pub weight_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_and_come_back() {
        let requests = [
            Request::Prefill { tokens: 3 },
            Request::Decode { tokens: 2, after: 1 },
            Request::Continue { tokens: 2, after: 1 },
            Request::Greedy { prompt: vec![1, 2], tokens: 9 },
            Request::Quit,
        ];
        for request in requests {
            let line = serde_json::to_string(&request).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Request>(&line).unwrap(), request);
        }
        let timed = Timed { seconds: 0.5, own: Some(1.0), others: None, weight_bytes: Some(7) };
        let replies = [
            Reply::Ready(About { engine: "x\ny".into(), ..About::default() }),
            Reply::Timed(timed),
            Reply::Tokens { ids: vec![4] },
            Reply::Failed { message: "no".into() },
        ];
        for reply in replies {
            let line = serde_json::to_string(&reply).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Reply>(&line).unwrap(), reply);
        }
        assert!(serde_json::from_str::<Request>(r#"{"do":"sing"}"#).is_err());
    }
}
