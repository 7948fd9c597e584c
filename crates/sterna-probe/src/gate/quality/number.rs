//! The last number of a text, in one form for each value: how answers to sums in words are judged.

/// The rule, as it stands in a protocol.
pub const RULE: &str =
    "last-number: greedy text up to a stop text; the value of its last number equals that of an answer's";

/// The last decimal number of `text`: no sign but `-`, no leading zeros, no zeros at the end of a fraction.
///
/// A number is ASCII digits with an optional fraction (`.` and digits). Commas between a first group of one to three
/// digits and groups of three are left out, also as LaTeX writes them (`{,}`, `\,`). A fraction may stand alone (`.5`) where no
/// letter or digit comes before it. A minus sign counts directly before the digits, or before a `$` (`\$`), `£` or `€` that stands
/// there, where no letter, digit or closing bracket comes before it: `10-5` ends in 5. Exponents, fractions written with a
/// stroke and numbers in words are not read: `3/4` ends in 4.
pub fn last_number(text: &str) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut last) = (0, None);
    while at < chars.len() {
        if chars[at].is_ascii_digit() {
            let (value, end) = number_at(&chars, at);
            last = Some(value);
            at = end;
        } else {
            at += 1;
        }
    }
    last
}

/// How many digits stand from `at` on.
fn digits(chars: &[char], at: usize) -> usize {
    chars[at..].iter().take_while(|c| c.is_ascii_digit()).count()
}

/// The number whose first digit is at `from`, and where it ends.
fn number_at(chars: &[char], from: usize) -> (String, usize) {
    let is = |at: usize, what: char| chars.get(at) == Some(&what);
    let first = digits(chars, from);
    let mut end = from + first;
    let mut whole: String = chars[from..end].iter().collect();
    let word = |at: usize| chars.get(at).is_some_and(|c| c.is_alphanumeric());
    // `.5`, but neither `v.5` nor `1.2.5`, whose first part was read before.
    let bare = from > 0 && is(from - 1, '.') && !(from > 1 && (word(from - 2) || is(from - 2, '.')));
    let separator = |at: usize| {
        let written = [&[','][..], &['{', ',', '}'], &['\\', ',']];
        written.into_iter().find(|s| chars[at..].starts_with(s)).map(<[char]>::len)
    };
    while let Some(n) = separator(end).filter(|n| !bare && first <= 3 && digits(chars, end + n) == 3) {
        whole.extend(&chars[end + n..end + n + 3]);
        end += n + 3;
    }
    let mut fraction = String::new();
    if bare {
        fraction = std::mem::take(&mut whole);
    } else if is(end, '.') && digits(chars, end + 1) > 0 {
        let n = digits(chars, end + 1);
        fraction.extend(&chars[end + 1..end + 1 + n]);
        end += 1 + n;
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let mut sign = from - usize::from(bare);
    if sign > 0 && matches!(chars[sign - 1], '$' | '£' | '€') {
        sign -= 1 + usize::from(sign > 1 && is(sign - 1, '$') && is(sign - 2, '\\'));
    }
    let minus = sign > 0 && matches!(chars[sign - 1], '-' | '\u{2212}');
    let after = |c: &char| c.is_alphanumeric() || matches!(c, ')' | ']');
    let minus = minus && !(sign > 1 && after(&chars[sign - 2]));
    let mut value = String::new();
    if minus && !(whole.is_empty() && fraction.is_empty()) {
        value.push('-');
    }
    value.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        value.push('.');
        value.push_str(fraction);
    }
    (value, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_and_written_in_one_form() {
        for (text, value) in [
            ("She has 3 + 4 = 7 apples.", "7"),
            ("#### 1,234,567", "1234567"),
            ("it costs $18.00.", "18"),
            ("**$2,500.50**", "2500.5"),
            ("\\boxed{42}", "42"),
            ("007", "7"),
            ("0.50", "0.5"),
            ("-0", "0"),
            ("it is -5", "-5"),
            ("a loss of -$1,200", "-1200"),
            ("a loss of \u{2212}12%", "-12"),
            ("10-5", "5"),
            ("(3)-2", "2"),
            ("the years 1999-2004", "2004"),
            ("3/4", "4"),
            ("1,2,3", "3"),
            ("1,23", "23"),
            ("12,3456", "3456"),
            ("1234,567", "567"),
            ("in 5 days, 12.", "12"),
            ("v1.2.3", "3"),
            ("7, then nothing", "7"),
            ("a chance of .5", "0.5"),
            ("it costs $.50.", "0.5"),
            ("-.25", "-0.25"),
            ("see v.5", "5"),
            ("and so on..5", "5"),
            ("\\boxed{1{,}000}", "1000"),
            ("1\\,234\\,567", "1234567"),
            ("-\\$18", "-18"),
            ("a loss of -£5", "-5"),
            ("a loss of -€5.50", "-5.5"),
        ] {
            assert_eq!(last_number(text).as_deref(), Some(value), "{text}");
        }
        for none in ["", "seven", "-", "$,.", "\u{0663}"] {
            assert_eq!(last_number(none), None, "{none}");
        }
    }
}
