//! What a measurement ran on, and how the machine felt at the time.

use serde::{Deserialize, Serialize};

/// The machine, as far as the system tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Best instruction set that the kernels found.
    pub isa: String,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Operating system and architecture.
    pub os: String,
}

/// Readings that change; `None` where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weather {
    /// Processes that were ready to run, averaged over the last minute.
    pub load: Option<f64>,
    /// Clock of the fastest core in MHz, as the system believes.
    pub mhz: Option<f64>,
    /// Hottest sensor, in degrees Celsius.
    pub celsius: Option<f64>,
}
