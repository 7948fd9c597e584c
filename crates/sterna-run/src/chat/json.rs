//! JSON into template values, and out again: the `tojson` filter as chat templates know it, which is Python's
//! `json.dumps` without HTML escapes.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, ErrorKind, Value};
use serde_json::{Map, Value as Json};

use super::MAX_PROMPT;

const DEPTH: usize = 64;

/// A JSON object as a template value, its keys in their order.
pub(super) fn from_map(map: &Map<String, Json>) -> Value {
    Value::from_pairs(map.iter().map(|(key, value)| (key.as_str(), from_json(value))))
}

fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(b) => Value::from(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::from(n),
            (None, Some(n)) => Value::from(n),
            _ => n.as_f64().map_or(Value::from(()), Value::from),
        },
        Json::String(s) => Value::from(s.as_str()),
        Json::Array(items) => items.iter().map(from_json).collect(),
        Json::Object(map) => from_map(map),
    }
}

struct Style {
    ascii: bool,
    indent: Option<String>,
    item: String,
    key: String,
    sorted: bool,
}

/// `value | tojson(ensure_ascii=false, indent=none, separators=none, sort_keys=false)`.
pub(super) fn tojson(
    value: &Value,
    ascii: Option<bool>,
    indent: Option<Value>,
    args: Kwargs,
) -> Result<String, Error> {
    let indent = match indent {
        Some(given) => Some(given),
        None => args.get("indent")?,
    };
    let indent = match indent.filter(|v: &Value| !v.is_none()) {
        None => None,
        Some(v) if v.as_str().is_some() => v.as_str().map(str::to_string),
        Some(v) => match v.as_i64() {
            Some(n @ 0..=64) => Some(" ".repeat(n as usize)),
            _ => {
                return Err(Error::new(
                    ErrorKind::InvalidOperation,
                    "tojson: indent must be 0 to 64 or a string",
                ));
            }
        },
    };
    let separators: Option<Vec<String>> = args.get("separators")?;
    let (item, key) = match separators.as_deref() {
        Some([item, key]) => (item.clone(), key.clone()),
        Some(_) => return Err(Error::new(ErrorKind::InvalidOperation, "tojson: separators must be a pair")),
        None if indent.is_some() => (",".to_string(), ": ".to_string()),
        None => (", ".to_string(), ": ".to_string()),
    };
    let style = Style {
        ascii: ascii.or(args.get("ensure_ascii")?).unwrap_or(false),
        indent,
        item,
        key,
        sorted: args.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
    };
    args.assert_all_used()?;
    let mut out = String::new();
    dump(value, &style, 0, &mut out)?;
    Ok(out)
}

fn dump(value: &Value, style: &Style, depth: usize, out: &mut String) -> Result<(), Error> {
    if depth > DEPTH || out.len() > MAX_PROMPT {
        return Err(Error::new(ErrorKind::BadSerialization, "tojson: the value is too deep or too large"));
    }
    match value.kind() {
        ValueKind::None => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number if value.is_integer() => out.push_str(&value.to_string()),
        ValueKind::Number => out.push_str(&float(f64::try_from(value.clone())?)),
        ValueKind::String => string(value.as_str().unwrap_or_default(), style.ascii, out),
        ValueKind::Seq | ValueKind::Iterable => {
            out.push('[');
            let mut any = false;
            for item in value.try_iter()? {
                separate(style, depth, any, out);
                any = true;
                dump(&item, style, depth + 1, out)?;
            }
            close(style, depth, any, ']', out);
        }
        ValueKind::Map => {
            let mut keys: Vec<Value> = value.try_iter()?.collect();
            if style.sorted {
                keys.sort();
            }
            out.push('{');
            for (n, key) in keys.iter().enumerate() {
                separate(style, depth, n > 0, out);
                match key.kind() {
                    ValueKind::String => string(key.as_str().unwrap_or_default(), style.ascii, out),
                    ValueKind::None => out.push_str("\"null\""),
                    ValueKind::Bool => out.push_str(if key.is_true() { "\"true\"" } else { "\"false\"" }),
                    _ => string(&key.to_string(), style.ascii, out),
                }
                out.push_str(&style.key);
                dump(&value.get_item(key)?, style, depth + 1, out)?;
            }
            close(style, depth, !keys.is_empty(), '}', out);
        }
        kind => return Err(Error::new(ErrorKind::BadSerialization, format!("tojson: {kind} is not JSON"))),
    }
    Ok(())
}

fn separate(style: &Style, depth: usize, any: bool, out: &mut String) {
    if any {
        out.push_str(&style.item);
    }
    new_line(style, depth + 1, out);
}

fn close(style: &Style, depth: usize, any: bool, bracket: char, out: &mut String) {
    if any {
        new_line(style, depth, out);
    }
    out.push(bracket);
}

fn new_line(style: &Style, depth: usize, out: &mut String) {
    if let Some(indent) = &style.indent {
        out.push('\n');
        (0..depth).for_each(|_| out.push_str(indent));
    }
}

fn string(text: &str, ascii: bool, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' || (ascii && c > '~') => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Python's `repr` of a float: the shortest digits, with an exponent below 1e-4 and from 1e16 on.
fn float(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_string();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity" } else { "-Infinity" }.to_string();
    }
    let scientific = format!("{x:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        -4..=15 => {
            let plain = x.to_string();
            if plain.contains('.') { plain } else { plain + ".0" }
        }
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
    }
}
