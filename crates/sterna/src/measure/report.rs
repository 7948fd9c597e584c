//! Where results go: text for people, one JSON object for scripts, JSON lines for later.

use std::error::Error;
use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use sterna_probe::interleave::Interleaved;
use sterna_probe::limits::Limits;
use sterna_probe::machine::Machine;
use sterna_probe::record::{Record, Recorder, Run, TableValue};
use sterna_probe::sensors::{Sensors, SystemSensors};

use super::MeasureArgs;
use crate::commands::output::say;

/// Results of one command.
pub struct Report {
    json: Option<Map<String, Value>>,
    recorder: Option<Recorder>,
}

impl Report {
    /// Opens the record, if one is asked for, before anything is measured; `device` in words, `model` empty
    /// where none is measured.
    pub fn new(args: &MeasureArgs, device: &str, model: String) -> Result<Self, Box<dyn Error>> {
        let run = move || Run {
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()),
            command: std::env::args().collect(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: Machine::here(args.options().isa.name()),
            weather: SystemSensors.weather(),
            device: device.to_owned(),
            threads: args.threads(),
            model,
        };
        let recorder = args.record.as_deref().map(|path| Recorder::open(path, run())).transpose()?;
        Ok(Self { json: args.model.json.then(Map::new), recorder })
    }

    /// A line for people.
    pub fn say(&self, text: &dyn Display) -> std::io::Result<()> {
        if self.json.is_none() {
            say!("{text}");
        }
        Ok(())
    }

    /// A value for scripts.
    pub fn put(&mut self, key: &str, value: Value) {
        if let Some(map) = &mut self.json {
            map.insert(key.to_owned(), value);
        }
    }

    /// Adds to the list `key` for scripts.
    pub fn push(&mut self, key: &str, value: Value) {
        if let Some(map) = &mut self.json
            && let Value::Array(list) = map.entry(key).or_insert_with(|| Value::Array(Vec::new()))
        {
            list.push(value);
        }
    }

    /// The machine's limits, shown and recorded.
    pub fn limits(&mut self, when: &str, limits: &Limits) -> Result<(), Box<dyn Error>> {
        self.say(limits)?;
        self.put("limits", serde_json::to_value(limits)?);
        self.record_limits(when, limits)
    }

    /// The same for the record alone.
    pub fn record_limits(&mut self, when: &str, limits: &Limits) -> Result<(), Box<dyn Error>> {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(Record::Limits { when: when.to_owned(), limits: Box::new(limits.clone()) })?;
        }
        Ok(())
    }

    /// A table, shown and recorded; for scripts under `key`.
    pub fn table(&mut self, key: &str, name: &str, table: TableValue) -> Result<(), Box<dyn Error>> {
        self.say(&format_args!("\n{table}"))?;
        if self.json.is_some() {
            self.put(key, inner(&table)?);
        }
        self.record(name, table)
    }

    /// A table of several of its kind; for scripts in the list `key`.
    pub fn one_of(&mut self, key: &str, name: &str, table: TableValue) -> Result<(), Box<dyn Error>> {
        self.say(&format_args!("\n{table}"))?;
        if self.json.is_some() {
            self.push(key, inner(&table)?);
        }
        self.record(name, table)
    }

    /// A table and its samples for the record alone.
    pub fn record(&mut self, name: &str, table: TableValue) -> Result<(), Box<dyn Error>> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        if let Some(samples) = table.interleaved() {
            recorder.samples(name, samples)?;
        }
        Ok(recorder.table(name, table)?)
    }

    /// A table for the record alone, whose samples another table has brought.
    pub fn record_without_samples(&mut self, name: &str, table: TableValue) -> Result<(), Box<dyn Error>> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.table(name, table)?),
            None => Ok(()),
        }
    }

    /// Samples for the record alone.
    pub fn record_samples(&mut self, name: &str, samples: &Interleaved) -> Result<(), Box<dyn Error>> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.samples(name, samples)?),
            None => Ok(()),
        }
    }

    /// Writes the JSON object.
    pub fn finish(self) -> std::io::Result<()> {
        if let Some(map) = self.json {
            say!("{}", Value::Object(map));
        }
        Ok(())
    }
}

/// A table's own fields.
fn inner(table: &TableValue) -> serde_json::Result<Value> {
    Ok(serde_json::to_value(table)?.get_mut("value").map(Value::take).unwrap_or_default())
}
