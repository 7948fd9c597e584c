//! A hub in a thread: the routes, headers and redirects of the real one, for one repository `o/n`.

#![allow(clippy::unwrap_used)] // test support

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
/// Files at least this long are large files, sent from another host.
const LARGE: usize = 100;

/// What goes wrong with the next transfer (not with listings and HEAD).
pub enum Trick {
    /// Close the connection after this many bytes. Waits for a transfer longer than that.
    CutAfter(usize),
    /// Send the whole file although a part was asked for.
    IgnoreRange,
    /// Change a byte.
    Damage,
    /// Answer with this status and error code.
    Status(u16, &'static str),
}

#[derive(Clone)]
pub struct Request {
    pub path: String,
    pub range: Option<String>,
    pub authorization: Option<String>,
    pub sent: u64,
}

#[derive(Default)]
struct State {
    files: Vec<(String, Vec<u8>)>,
    tricks: VecDeque<Trick>,
    token: Option<String>,
    log: Vec<Request>,
}

pub struct Hub {
    port: u16,
    state: Arc<Mutex<State>>,
}

pub fn bytes(n: usize) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

impl Hub {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let files = files.iter().map(|(name, content)| (name.to_string(), content.to_vec())).collect();
        let state = Arc::new(Mutex::new(State { files, ..State::default() }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A client that goes away is no concern of the hub's.
                let _ = answer(stream.unwrap(), port, &shared);
            }
        });
        Self { port, state }
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn trick(&self, trick: Trick) {
        self.state.lock().unwrap().tricks.push_back(trick);
    }

    pub fn require_token(&self, token: &str) {
        self.state.lock().unwrap().token = Some(format!("Bearer {token}"));
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().log.clone()
    }

    /// Content bytes sent by each transfer of a file whose path ends so.
    pub fn sent(&self, end: &str) -> Vec<u64> {
        self.transfers(end).iter().map(|r| r.sent).collect()
    }

    pub fn ranges(&self, end: &str) -> Vec<Option<String>> {
        self.transfers(end).into_iter().map(|r| r.range).collect()
    }

    fn transfers(&self, end: &str) -> Vec<Request> {
        self.requests().into_iter().filter(|r| r.sent > 0 && r.path.ends_with(end)).collect()
    }
}

fn answer(mut stream: TcpStream, port: u16, state: &Mutex<State>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let (mut range, mut authorization, mut gzip) = (None, None, false);
    for line in lines {
        let line = line?;
        match line.split_once(": ") {
            None => break,
            Some((name, value)) if name.eq_ignore_ascii_case("range") => range = Some(value.to_string()),
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => {
                authorization = Some(value.to_string())
            }
            Some((name, value)) if name.eq_ignore_ascii_case("accept-encoding") => {
                gzip = value.contains("gzip")
            }
            _ => {}
        }
    }
    assert!(!gzip, "sizes are of the plain bytes");
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = decode(path);

    let mut state = state.lock().unwrap();
    let mut request = Request { path: path.clone(), range: range.clone(), authorization, sent: 0 };
    let reply = |stream: &mut TcpStream, status: u16, headers: &str, length: usize, body: &[u8]| {
        let head =
            format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(if method == "HEAD" { b"" } else { body })
    };
    let fail = |stream: &mut TcpStream, status: u16, code: &str| {
        reply(stream, status, &format!("x-error-code: {code}\r\n"), 2, b"{}")
    };

    let on_cdn = path.strip_prefix("/cdn/");
    let done = if on_cdn.is_none() && state.token.is_some() && state.token != request.authorization {
        fail(&mut stream, 401, "GatedRepo")
    } else if let Some(revision) = path.strip_prefix("/api/models/o/n/revision/") {
        match revision.strip_suffix("?blobs=true") {
            Some("main" | "v1") => {
                let body = listing(&state.files);
                reply(&mut stream, 200, "content-type: application/json\r\n", body.len(), body.as_bytes())
            }
            _ => fail(&mut stream, 404, "RevisionNotFound"),
        }
    } else if let Some(name) = on_cdn.or_else(|| path.strip_prefix(&format!("/o/n/resolve/{COMMIT}/"))) {
        let found = state.files.iter().find(|(n, _)| n == name).map(|(_, content)| content.clone());
        match found {
            None => fail(&mut stream, 404, "EntryNotFound"),
            Some(content) if on_cdn.is_none() && content.len() >= LARGE => {
                // Large files lie elsewhere; this answer's own etag and length are not theirs.
                let headers = format!(
                    "x-repo-commit: {COMMIT}\r\netag: \"of-the-redirect\"\r\nx-linked-etag: \"{}\"\r\nx-linked-size: {}\r\n\
                     location: http://localhost:{port}/cdn/{name}\r\n",
                    sha256(&content),
                    content.len()
                );
                reply(&mut stream, 302, &headers, 0, b"")
            }
            Some(content) => {
                let length = content.len();
                let trick = if method == "HEAD" { None } else { next_trick(&mut state.tricks, length) };
                let from =
                    range.as_deref().and_then(|r| r.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
                let from = from.filter(|_| !matches!(trick, Some(Trick::IgnoreRange)));
                let mut body = content[from.unwrap_or(0)..].to_vec();
                let promised = body.len();
                match trick {
                    Some(Trick::CutAfter(n)) => body.truncate(n),
                    Some(Trick::Damage) => body[promised / 2] ^= 1,
                    _ => {}
                }
                let mut headers =
                    format!("etag: \"{}\"\r\nx-repo-commit: {COMMIT}\r\n", &sha256(&content)[..40]);
                if let Some(from) = from {
                    headers += &format!("content-range: bytes {from}-{}/{length}\r\n", length - 1);
                }
                if let Some(Trick::Status(status, code)) = trick {
                    fail(&mut stream, status, code)
                } else {
                    request.sent = if method == "HEAD" { 0 } else { body.len() as u64 };
                    reply(&mut stream, if from.is_some() { 206 } else { 200 }, &headers, promised, &body)
                }
            }
        }
    } else {
        fail(&mut stream, 404, "RepoNotFound")
    };
    state.log.push(request);
    done
}

fn next_trick(tricks: &mut VecDeque<Trick>, length: usize) -> Option<Trick> {
    match tricks.front() {
        Some(Trick::CutAfter(n)) if *n >= length => None,
        _ => tricks.pop_front(),
    }
}

fn listing(files: &[(String, Vec<u8>)]) -> String {
    let entry = |(name, content): &(String, Vec<u8>)| {
        let mut entry = serde_json::json!({ "rfilename": name, "size": content.len(), "blobId": "b" });
        if content.len() >= LARGE {
            entry["lfs"] = serde_json::json!({ "sha256": sha256(content), "size": content.len() });
        }
        entry
    };
    let siblings: Vec<serde_json::Value> = files.iter().map(entry).collect();
    serde_json::json!({ "id": "o/n", "sha": COMMIT, "siblings": siblings }).to_string()
}

fn decode(path: &str) -> String {
    let (mut out, bytes, mut at) = (Vec::new(), path.as_bytes(), 0);
    while at < bytes.len() {
        let escaped =
            (bytes[at] == b'%').then(|| u8::from_str_radix(path.get(at + 1..at + 3).unwrap_or("?"), 16));
        match escaped {
            Some(Ok(byte)) => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap()
}
