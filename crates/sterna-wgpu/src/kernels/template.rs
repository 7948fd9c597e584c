//! The few lines that unroll and choose text in kernels: loops whose bodies must be in registers are written out here, since
//! translators and drivers are not relied on to do it.
//!
//! `//@ for i in N` repeats what follows up to its `//@ end` with `$i` as 0, 1, ...; `//@ if NAME` keeps it where the
//! constant, or the `$i`, is neither 0 nor absent, and `//@ else` begins the other case; `//@ include NAME` puts a text there.

/// Constants by name.
pub(crate) type Values<'a> = &'a dyn Fn(&str) -> Option<u32>;

/// Writes a template out.
pub(crate) fn expand(text: &str, values: Values<'_>, texts: &dyn Fn(&str) -> &'static str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    block(&lines, values, texts, &[], &mut out);
    out
}

/// The place of the line that ends what begins at `lines[0]`, and of its `else`.
fn ends(lines: &[&str]) -> (usize, Option<usize>) {
    let (mut depth, mut other) = (0, None);
    for (i, line) in lines.iter().enumerate() {
        match command(line).first() {
            Some(&("for" | "if")) => depth += 1,
            Some(&"else") if depth == 1 => other = Some(i),
            Some(&"end") => {
                depth -= 1;
                if depth == 0 {
                    return (i, other);
                }
            }
            _ => {}
        }
    }
    (lines.len(), other)
}

fn command(line: &str) -> Vec<&str> {
    line.trim_start().strip_prefix("//@").map_or(vec![], |rest| rest.split_whitespace().collect())
}

fn block(
    lines: &[&str],
    values: Values<'_>,
    texts: &dyn Fn(&str) -> &'static str,
    names: &[(&str, u32)],
    out: &mut String,
) {
    let value = |name: &str| name.parse().ok().or_else(|| values(name)).unwrap_or(0);
    let named = |name: &str| names.iter().find(|n| name.strip_prefix('$') == Some(n.0)).map(|n| n.1);
    let chosen = |name: &str| named(name).unwrap_or_else(|| value(name)) != 0;
    let mut i = 0;
    while let Some(line) = lines.get(i) {
        let words = command(line);
        let (end, other) = match words.first() {
            Some(&("for" | "if")) => ends(&lines[i..]),
            _ => (0, None),
        };
        let inside = lines.get(i + 1..i + other.unwrap_or(end)).unwrap_or(&[]);
        match words[..] {
            ["for", name, "in", count] => {
                for n in 0..value(count) {
                    let names: Vec<_> = names.iter().copied().chain([(name, n)]).collect();
                    block(inside, values, texts, &names, out);
                }
                i += end;
            }
            ["if", name] if chosen(name) => {
                block(inside, values, texts, names, out);
                i += end;
            }
            ["if", _] => {
                if let Some(other) = other {
                    block(lines.get(i + other + 1..i + end).unwrap_or(&[]), values, texts, names, out);
                }
                i += end;
            }
            ["include", name] => {
                let text: Vec<&str> = texts(name).lines().collect();
                block(&text, values, texts, names, out);
            }
            _ => {
                let mut line = (*line).to_owned();
                for (name, n) in names {
                    line = line.replace(&format!("${name}"), &n.to_string());
                }
                out.push_str(&line);
                out.push('\n');
            }
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn loops_choices_and_texts_are_written_out() {
        let text = "//@ for i in N\n  //@ for j in 2\n  a$i_$j\n  //@ end\n//@ if YES\nb$i\n//@ else\nc\n//@ end\n//@ end\n//@ if NO\nd\n//@ else\n//@ include t\n//@ end";
        let values = |name: &str| match name {
            "N" => Some(2),
            "YES" => Some(1),
            _ => None,
        };
        let out = expand(text, &values, &|_| "e\n//@ if YES\nf\n//@ end");
        assert_eq!(out, "  a0_0\n  a0_1\nb0\n  a1_0\n  a1_1\nb1\ne\nf\n");
    }
}
