//! The hub's routes.

use std::time::Duration;

use hf_hub::{Repo, RepoType};
use serde_json::Value;
use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::{Agent, Body};

use super::select::Listed;
use super::{ENDPOINT, PullError, Spec};

const MAX_LISTING: u64 = 64 << 20;
const MAX_RELATIVE_REDIRECTS: usize = 5;

pub(crate) struct Hub {
    agent: Agent,
    endpoint: String,
    token: Option<String>,
    repo: String,
    revision: String,
}

/// The files of a repository at one commit.
pub(crate) struct Listing {
    pub commit: String,
    pub files: Vec<Listed>,
}

/// What the hub says of one file.
pub(crate) struct Meta {
    pub name: String,
    pub url: String,
    /// Names the content: the hex SHA-256 of a large file, a Git object id of a small one.
    pub etag: String,
    pub size: u64,
    pub sha256: Option<String>,
}

impl Hub {
    pub fn new(spec: &Spec, endpoint: Option<&str>, token: Option<&str>) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("sterna/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(15)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            // A transfer that stands still is cut off, and then resumed.
            .timeout_per_read(Some(Duration::from_secs(60)));
        Self {
            agent: config.build().into(),
            endpoint: endpoint.unwrap_or(ENDPOINT).trim_end_matches('/').to_string(),
            token: token.map(str::to_string),
            repo: spec.repo.clone(),
            revision: spec.revision.clone(),
        }
    }

    /// The repository's files at the revision asked for.
    pub fn listing(&self) -> Result<Listing, PullError> {
        let repo = Repo::with_revision(self.repo.clone(), RepoType::Model, self.revision.clone());
        let url = format!("{}/api/{}?blobs=true", self.endpoint, repo.api_url());
        let answer = self.call("GET", &url, None, true).map_err(|e| network(&url, &e))?;
        self.check(&url, &answer)?;
        let bad = |why: &str| PullError::Answer { url: url.clone(), why: why.to_string() };
        let mut body = answer.into_body().into_with_config().limit(MAX_LISTING).reader();
        let json: Value = serde_json::from_reader(&mut body).map_err(|e| bad(&e.to_string()))?;
        let commit = json.get("sha").and_then(Value::as_str).ok_or_else(|| bad("no commit id"))?;
        let siblings =
            json.get("siblings").and_then(Value::as_array).ok_or_else(|| bad("no list of files"))?;
        let file = |entry: &Value| {
            let name = entry.get("rfilename")?.as_str()?.to_string();
            let size = entry.get("size").and_then(Value::as_u64).unwrap_or(0);
            let sha256 = entry.get("lfs").and_then(|lfs| lfs.get("sha256")).and_then(Value::as_str);
            Some(Listed { name, size, sha256: sha256.and_then(hex_sha256) })
        };
        let files: Option<Vec<Listed>> = siblings.iter().map(file).collect();
        let commit = plain(commit).ok_or_else(|| bad("the commit id is not one"))?;
        Ok(Listing { commit, files: files.ok_or_else(|| bad("a file without a name"))? })
    }

    /// Asks for a file's content id and size, without its content.
    pub fn metadata(&self, commit: &str, file: &Listed) -> Result<Meta, PullError> {
        let repo = Repo::with_revision(self.repo.clone(), RepoType::Model, commit.to_string());
        let (path, revision) = (repo.url(), repo.url_revision());
        let mut url = format!("{}/{path}/resolve/{revision}/{}", self.endpoint, encode(&file.name));
        let bad = |url: &str, why: &str| PullError::Answer { url: url.to_string(), why: why.to_string() };
        for _ in 0..MAX_RELATIVE_REDIRECTS {
            let answer = self.call("HEAD", &url, None, false).map_err(|e| network(&url, &e))?;
            let headers = answer.headers();
            // A relative redirect is a renamed repository; any other leads to the content.
            if answer.status().is_redirection()
                && let Some(to) =
                    text(headers, "location").filter(|to| to.starts_with('/') && !to.starts_with("//"))
                && text(headers, "x-linked-etag").is_none()
            {
                url = format!("{}{to}", origin(&self.endpoint));
                continue;
            }
            if !answer.status().is_redirection() {
                self.check_file(&url, &answer, &file.name)?;
            }
            let etag = text(headers, "x-linked-etag").or_else(|| text(headers, "etag"));
            let etag = etag.map(|tag| tag.trim_start_matches("W/").trim_matches('"')).and_then(plain);
            let etag = etag.or_else(|| file.sha256.clone()).ok_or_else(|| bad(&url, "no ETag header"))?;
            let own_length = || text(headers, "content-length").filter(|_| answer.status().is_success());
            let size = text(headers, "x-linked-size").or_else(own_length).and_then(|n| n.parse().ok());
            let size = size.or(Some(file.size).filter(|&n| n > 0)).ok_or_else(|| bad(&url, "no size"))?;
            let sha256 = hex_sha256(&etag).or_else(|| file.sha256.clone());
            return Ok(Meta { name: file.name.clone(), url, etag, size, sha256 });
        }
        Err(bad(&url, "too many redirects"))
    }

    /// Begins the transfer of a file from byte `from` on. An `Err` is worth another try.
    pub fn content(&self, meta: &Meta, from: u64) -> Result<Result<Response<Body>, PullError>, String> {
        let answer = self.call("GET", &meta.url, Some(from), true)?;
        match answer.status() {
            StatusCode::RANGE_NOT_SATISFIABLE => Ok(Ok(answer)),
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(format!("status {}", status.as_u16()))
            }
            _ => Ok(self.check_file(&meta.url, &answer, &meta.name).map(|()| answer)),
        }
    }

    fn call(
        &self,
        method: &str,
        url: &str,
        from: Option<u64>,
        follow: bool,
    ) -> Result<Response<Body>, String> {
        let request = if method == "HEAD" { self.agent.head(url) } else { self.agent.get(url) };
        // Sizes and ranges speak about the bytes of the file, so no compression.
        let mut request = request.header("accept-encoding", "identity");
        if let Some(token) = &self.token {
            // The client leaves it out when it follows a redirect.
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(from) = from.filter(|&n| n > 0) {
            request = request.header("range", format!("bytes={from}-"));
        }
        let redirects = if follow { 10 } else { 0 };
        request
            .config()
            .max_redirects(redirects)
            .max_redirects_will_error(false)
            .build()
            .call()
            .map_err(|e| e.to_string())
    }

    fn check_file(&self, url: &str, answer: &Response<Body>, file: &str) -> Result<(), PullError> {
        if answer.status() == StatusCode::NOT_FOUND && matches!(code(answer), "" | "EntryNotFound") {
            let (repo, file) = (self.repo.clone(), file.to_string());
            return Err(PullError::FileNotFound { repo, file, available: Vec::new() });
        }
        self.check(url, answer)
    }

    /// Makes an error of an answer that is not a success.
    fn check(&self, url: &str, answer: &Response<Body>) -> Result<(), PullError> {
        let status = answer.status().as_u16();
        let repo = self.repo.clone();
        Err(match (status, code(answer)) {
            (200..=299, _) => return Ok(()),
            (_, "GatedRepo") => PullError::Gated { page: format!("{}/{repo}", self.endpoint), repo },
            (_, "RevisionNotFound") => PullError::RevisionNotFound { repo, revision: self.revision.clone() },
            // Without a token the hub says 401 of what does not exist, too.
            (404, _) | (_, "RepoNotFound") => PullError::RepositoryNotFound { repo },
            (401, _) if self.token.is_none() => PullError::RepositoryNotFound { repo },
            (401 | 403, _) => PullError::Refused { repo, status },
            _ => PullError::Status { url: url.to_string(), status },
        })
    }
}

fn network(url: &str, why: &str) -> PullError {
    PullError::Network { url: url.to_string(), why: why.to_string() }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn code(answer: &Response<Body>) -> &str {
    text(answer.headers(), "x-error-code").unwrap_or_default()
}

/// A word that may become a file name.
fn plain(word: &str) -> Option<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (!word.is_empty() && word.len() <= 128 && word.chars().all(known)).then(|| word.to_string())
}

fn hex_sha256(word: &str) -> Option<String> {
    (word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit())).then(|| word.to_ascii_lowercase())
}

/// Scheme and host of a URL.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or(url, |end| &url[..host + end])
}

/// Percent-encodes a path, keeping its slashes.
fn encode(path: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~' | b'/');
    path.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_hub_says_is_checked_before_it_names_a_file() {
        assert_eq!(plain("../../etc"), None);
        assert_eq!(plain(""), None);
        assert_eq!(plain("a.b"), None);
        assert_eq!(plain("abc-1"), Some("abc-1".to_string()));
        assert_eq!(hex_sha256(&"G".repeat(64)), None);
        assert_eq!(hex_sha256(&"A".repeat(64)), Some("a".repeat(64)));
        assert_eq!(encode("a b/ç#?.gguf"), "a%20b/%C3%A7%23%3F.gguf");
        assert_eq!(origin("http://h:1/p/q"), "http://h:1");
        assert_eq!(origin("https://h"), "https://h");
    }
}
