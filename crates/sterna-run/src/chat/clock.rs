//! `strftime_now`: the date and time directives a prompt needs, in UTC.

use minijinja::{Error, ErrorKind};
use std::time::{SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Seconds since 1970; 0 when the clock is set before that.
pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() as i64)
}

/// Formats a time like C's `strftime` with English names.
pub(super) fn strftime(unix: i64, format: &str) -> Result<String, Error> {
    if !(0..253_402_300_800).contains(&unix) {
        return Err(Error::new(ErrorKind::InvalidOperation, "strftime_now knows the years 1970 to 9999"));
    }
    let (days, second_of_day) = (unix / 86_400, unix % 86_400);
    let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    let (year, month, day) = civil(days);
    let hour12 = (hour + 11) % 12 + 1;
    let weekday = days % 7;
    let day_name = DAYS[weekday as usize];
    let month_name = MONTHS[month as usize - 1];
    let day_of_year = days - days_before(year) + 1;

    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut directive = chars.next();
        let plain = directive == Some('-');
        if plain {
            directive = chars.next();
        }
        let mut number = |n: i64, width: usize| {
            let width = if plain { 1 } else { width };
            out.push_str(&format!("{n:0width$}"));
        };
        match directive {
            Some('Y') => number(year, 4),
            Some('y') => number(year % 100, 2),
            Some('m') => number(month, 2),
            Some('d') => number(day, 2),
            Some('H') => number(hour, 2),
            Some('I') => number(hour12, 2),
            Some('M') => number(minute, 2),
            Some('S') => number(second, 2),
            Some('j') => number(day_of_year, 3),
            Some('w') => number((weekday + 4) % 7, 1),
            Some('F') => out.push_str(&format!("{year:04}-{month:02}-{day:02}")),
            Some('T') => out.push_str(&format!("{hour:02}:{minute:02}:{second:02}")),
            Some('p') => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            Some('b' | 'h') => out.push_str(&month_name[..3]),
            Some('B') => out.push_str(month_name),
            Some('a') => out.push_str(&day_name[..3]),
            Some('A') => out.push_str(day_name),
            Some('Z') => {} // a time without a zone, as Python's datetime.now()
            Some('%') => out.push('%'),
            other => {
                let name = other.map(String::from).unwrap_or_default();
                let message = format!("strftime_now does not know %{name}");
                return Err(Error::new(ErrorKind::InvalidOperation, message));
            }
        }
    }
    Ok(out)
}

/// Days from 1970-01-01 to the first day of `year`.
fn days_before(year: i64) -> i64 {
    let y = year - 1;
    365 * (year - 1970) + (y / 4 - y / 100 + y / 400) - 477
}

/// Year, month and day of a day counted from 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let mut year = 1970 + days / 366;
    while days_before(year + 1) <= days {
        year += 1;
    }
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let lengths = [31, 28 + i64::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut day = days - days_before(year);
    let mut month = 1;
    for length in lengths {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times() {
        let f = "%Y-%m-%d %H:%M:%S %I %p %a %A %b %B %j %w %y %-d %-m %F %T %%";
        // From Python: datetime.fromtimestamp(t, UTC).strftime(f).
        let want = [
            (0, "1970-01-01 00:00:00 12 AM Thu Thursday Jan January 001 4 70 1 1 1970-01-01 00:00:00 %"),
            (
                951_827_696,
                "2000-02-29 12:34:56 12 PM Tue Tuesday Feb February 060 2 00 29 2 2000-02-29 12:34:56 %",
            ),
            (
                1_735_689_599,
                "2024-12-31 23:59:59 11 PM Tue Tuesday Dec December 366 2 24 31 12 2024-12-31 23:59:59 %",
            ),
            (
                4_107_542_400,
                "2100-03-01 00:00:00 12 AM Mon Monday Mar March 060 1 00 1 3 2100-03-01 00:00:00 %",
            ),
        ];
        for (t, text) in want {
            assert_eq!(strftime(t, f).unwrap(), text);
        }
        assert!(strftime(0, "%Q").unwrap_err().to_string().contains("%Q"));
        assert!(strftime(0, "%").is_err() && strftime(-1, "").is_err() && strftime(i64::MAX, "").is_err());
    }
}
