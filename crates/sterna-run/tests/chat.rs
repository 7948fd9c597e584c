//! Chat templates against Python's jinja2 (`make_chat_goldens.py`), and against hostile ones.

use std::time::Duration;

use serde_json::{Map, Value};
use sterna_run::chat::{ChatError, ChatTemplate, MAX_SOURCE, Message};

const NOW: i64 = 1_735_689_599;

fn render(
    source: &str,
    messages: &[Message],
    generate: bool,
    extra: &Map<String, Value>,
) -> Result<String, ChatError> {
    let mut template = ChatTemplate::new(source)?;
    template.set_clock(Some(NOW));
    template.set_time_limit(Duration::from_secs(3600)); // these tests are about the other limits
    template.render(messages, generate, "<s>", "</s>", extra)
}

fn once(source: &str) -> Result<String, ChatError> {
    render(source, &[Message::new("user", "hello")], true, &Map::new())
}

#[test]
fn renders_as_python_jinja2_does() {
    let goldens: Vec<Value> = serde_json::from_str(include_str!("chat_goldens.json")).unwrap();
    let (mut failures, mut raised) = (Vec::new(), 0);
    for case in &goldens {
        let turn = |m: &Value| Message::new(m[0].as_str().unwrap(), m[1].as_str().unwrap());
        let messages: Vec<Message> = case["messages"].as_array().unwrap().iter().map(turn).collect();
        let (source, generate) = (case["template"].as_str().unwrap(), case["generate"].as_bool().unwrap());
        let got = render(source, &messages, generate, case["extra"].as_object().unwrap());
        let same = match (&got, case["want"].as_str()) {
            (Ok(text), Some(want)) => text == want,
            (Err(ChatError::Raised { message, line }), None) => {
                raised += 1;
                *line > 0 && Some(message.as_str()) == case["raised"].as_str()
            }
            _ => false,
        };
        if !same {
            let want = case["want"].as_str().or(case["raised"].as_str()).unwrap();
            failures.push(format!("{}\n  want {want:?}\n  got  {got:?}", case["name"]));
        }
    }
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), goldens.len(), failures.join("\n"));
    assert!(goldens.len() > 70 && raised > 3, "{} {raised}", goldens.len());
}

#[test]
fn the_fallback_is_chatml() {
    let messages = [Message::new("system", "s"), Message::new("user", "u")];
    let got = ChatTemplate::chatml().unwrap().render(&messages, true, "", "", &Map::new()).unwrap();
    assert_eq!(
        got,
        "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n"
    );
}

#[test]
fn text_in_a_message_is_never_a_template() {
    let text = "{{ 1 + 1 }} {% raise %} {# x #} <&>\"'";
    let got = render("{{ messages[0].content }}", &[Message::new("user", text)], true, &Map::new());
    assert_eq!(got.unwrap(), text);
}

#[test]
fn extra_variables_do_not_replace_the_given_ones() {
    let extra = serde_json::json!({ "messages": [], "bos_token": "x", "mode": "m" });
    let got = render(
        "{{ messages | length }}{{ bos_token }}{{ mode }}",
        &[Message::new("user", "")],
        true,
        extra.as_object().unwrap(),
    );
    assert_eq!(got.unwrap(), "1<s>m");
}

#[test]
fn errors_name_the_line() {
    assert!(matches!(once("a\nb\n{% if %}").unwrap_err(), ChatError::Syntax { line: 3, .. }));
    let raised = once("\n\n{{ raise_exception('no ' ~ 'way') }}").unwrap_err();
    assert_eq!(raised, ChatError::Raised { line: 3, message: "no way".into() });
    assert_eq!(raised.to_string(), "the chat template refuses this conversation (line 3): no way");
    let ChatError::Render { line: 2, message } = once("\n{{ nothing.at_all }}").unwrap_err() else {
        panic!()
    };
    assert!(message.contains("undefined"), "{message}");
    assert!(matches!(
        once("{{ 'x' | nofilter }}").unwrap_err(),
        ChatError::Render { line: 1, .. } | ChatError::Syntax { line: 1, .. }
    ));
    assert!(matches!(once("\n{{ strftime_now('%Q') }}").unwrap_err(), ChatError::Render { line: 2, .. }));
    assert!(matches!(once("\n{% include 'x' %}").unwrap_err(), ChatError::Syntax { line: 2, .. }));
}

#[test]
fn a_hostile_template_comes_to_an_end() {
    let budget = |source: &str| {
        let got = once(source);
        assert!(matches!(got, Err(ChatError::Budget { .. })), "{source}: {:?}", got.map(|s| s.len()));
    };
    let nested = "{% for a in range(9999) %}".repeat(4) + "x" + &"{% endfor %}".repeat(4);
    budget(&nested.replace('x', "{% set y = 1 %}"));
    budget(
        "{% set n = namespace(s='aaaaaaaa') %}{% for i in range(64) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
    );
    budget("{{ 'a' * 99999999 * 10 }}");
    budget("{{ ('a' * 9999999).replace('a', 'b' * 9999999) }}");
    budget(
        "{% set n = namespace(s='ab') %}{% for i in range(64) %}{% set n.s = n.s.replace('a', 'aaaa') %}{% endfor %}",
    );

    // Output: 17 MiB in pieces.
    let long = "{% set s = 'a' * 1048576 %}{% for i in range(17) %}{{ s }}{% endfor %}";
    assert_eq!(once(long), Err(ChatError::PromptTooLong));
    assert_eq!(once(&long.replace("17", "16")).unwrap().len(), 16 << 20);
    let json = "{% set s = ['a' * 1048576] * 99 %}{{ s | tojson }}";
    assert!(matches!(
        once(json),
        Err(ChatError::Render { .. } | ChatError::Budget { .. } | ChatError::PromptTooLong)
    ));

    let format = once("{{ '{:>9999999999}'.format(1) }}");
    assert!(matches!(format, Err(ChatError::Render { .. })), "{format:?}");
    assert!(once("{{ '{:{}}'.format(1, 9999999999) }}").is_err());

    let recursion = once("{% macro f(x) %}{{ f(x + 1) }}{% endmacro %}{{ f(0) }}");
    assert!(matches!(recursion, Err(ChatError::Render { .. } | ChatError::Budget { .. })), "{recursion:?}");
    let deep = once(&("{% if true %}".repeat(20_000) + &"{% endif %}".repeat(20_000)));
    assert!(matches!(deep, Err(ChatError::Syntax { .. })), "{deep:?}");
    let parens = once(&format!("{{{{ {}1{} }}}}", "(".repeat(50_000), ")".repeat(50_000)));
    assert!(matches!(parens, Err(ChatError::Syntax { .. })), "{parens:?}");
    let value = once(
        "{% set n = namespace(l=[]) %}{% for i in range(500) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l | tojson }}",
    );
    assert!(matches!(value, Err(ChatError::Render { .. })), "{value:?}");
    assert_eq!(once(&" ".repeat(MAX_SOURCE + 1)), Err(ChatError::SourceTooLong { bytes: MAX_SOURCE + 1 }));
}

#[test]
fn very_deep_values_do_not_crash() {
    for wrap in ["[n.l]", "{'a': n.l}", "namespace(x=n.l)", "[n.l] | map('upper')"] {
        let deep = "{% set n = namespace(l=[]) %}{% for j in range(99) %}{% for i in range(9999) %}{% set n.l = WRAP %}\
                    {% endfor %}{% endfor %}";
        let got = once(&deep.replace("WRAP", wrap));
        assert!(matches!(got, Err(ChatError::Budget { .. })), "{wrap}: {got:?}");
    }
}

#[test]
fn a_long_conversation_is_within_the_budget() {
    let turn =
        |n: usize| Message::new(if n.is_multiple_of(2) { "user" } else { "assistant" }, "word ".repeat(200));
    let messages: Vec<Message> = (0..2000).map(turn).collect();
    let goldens: Vec<Value> = serde_json::from_str(include_str!("chat_goldens.json")).unwrap();
    let qwen = goldens.iter().find(|c| c["name"] == "qwen3/tools").unwrap();
    let got = render(qwen["template"].as_str().unwrap(), &messages, true, &Map::new()).unwrap();
    assert!(got.len() > 2_000_000);
}
