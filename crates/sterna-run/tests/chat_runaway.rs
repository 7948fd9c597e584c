//! Templates that the engine's own budget does not stop. Alone in a program, since the threads that are given up
//! keep running until it ends.

use std::time::Duration;

use serde_json::Map;
use sterna_run::chat::{ChatError, ChatTemplate, Message};

#[test]
fn a_template_that_runs_away_is_given_up_and_not_run_again() {
    let twice = "{% set n = namespace(l=1) %}{% for i in range(64) %}{% set n.l = [n.l, n.l] %}{% endfor %}";
    let mut template =
        ChatTemplate::new(&format!("{{% if messages %}}{twice}{{{{ {{n.l: 1}} }}}}{{% endif %}}")).unwrap();
    let ask =
        |template: &ChatTemplate, messages: &[Message]| template.render(messages, true, "", "", &Map::new());
    assert_eq!(ask(&template, &[]).unwrap(), "");
    template.set_time_limit(Duration::from_millis(200));
    assert_eq!(ask(&template, &[Message::new("user", "")]), Err(ChatError::TimedOut));
    assert_eq!(ask(&template, &[]), Err(ChatError::TimedOut));
    assert_eq!(ask(&template.clone(), &[]), Err(ChatError::TimedOut), "nor is a copy of it");
}
