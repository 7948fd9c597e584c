"""Renders chat templates with Python's jinja2, set up as Hugging Face transformers does, and writes
chat_goldens.json beside this file. Needs jinja2 alone: python3 make_chat_goldens.py

The templates are written for this test after the shape of the named families; SMOLLM2 and BUILTIN are the
models' own.
"""

import json
import pathlib
from datetime import datetime, timezone

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import CallBlock
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = 1735689599  # 2024-12-31 23:59:59 UTC


class Generation(Extension):
    """{% generation %}: prints its body, as transformers' AssistantTracker does."""

    tags = {"generation"}

    def parse(self, parser):
        lineno = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return CallBlock(self.call_method("_body"), [], [], body).set_lineno(lineno)

    def _body(self, caller):
        return caller()


def environment():
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda f: datetime.fromtimestamp(NOW, timezone.utc).replace(tzinfo=None).strftime(f)
    return env


BUILTIN = """{% for m in messages %}<|im_start|>{{ m['role'] }}
{{ m['content'] }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

SMOLLM2 = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}"
    "{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)

# Llama 3 style: header tokens, a dated system turn, macros, slices, trims.
LLAMA3 = r"""{{- bos_token }}
{#- The caller may fix the date. #}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}

{%- macro header(role) -%}
    <|start_header_id|>{{ role }}<|end_header_id|>{{ "\n\n" }}
{%- endmacro -%}

{%- if messages and messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content'] | trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- header("system") }}
{{- "Cutting Knowledge Date: December 2023\n" }}
{{- "Today Date: " + date_string + "\n\n" }}
{%- if tools is not none %}
    {{- "You have these functions:\n\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\n\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if message.role not in ['user', 'assistant', 'ipython', 'tool'] %}
        {{- raise_exception("Unknown role: " ~ message.role) }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- header("ipython") + message.content + "<|eot_id|>" }}
    {%- else %}
        {{- header(message['role']) + message['content'] | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- header("assistant") }}
{%- endif %}
"""

# Qwen3 style: a namespace, a reverse loop, thinking parts taken out of earlier turns, tools as JSON lines.
QWEN3 = r"""{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\n\n' }}
    {%- endif %}
    {{- "# Tools\n\nSignatures are within <tools></tools>:\n<tools>" }}
    {%- for tool in tools %}
        {{- "\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\n</tools>\n\nAnswer with {\"name\": <function-name>, \"arguments\": <args-json-object>}<|im_end|>\n" }}
{%- else %}
    {%- if messages[0].role == 'system' %}
        {{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}
    {%- endif %}
{%- endif %}
{%- set ns = namespace(searching=true, last_query=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.searching and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.searching = false %}
        {%- set ns.last_query = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + content + '<|im_end|>' + '\n' }}
    {%- elif message.role == "assistant" %}
        {%- set thoughts = '' %}
        {%- if message.reasoning_content is defined and message.reasoning_content is not none %}
            {%- set thoughts = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set thoughts = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query and (loop.last or thoughts) %}
            {{- '<|im_start|>' + message.role + '\n<think>\n' + thoughts.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {{- raise_exception('not in this test') }}
        {%- endif %}
        {{- '<|im_end|>\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\n<tool_response>\n' }}
        {{- content }}
        {{- '\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}"""

# Mistral style: strict alternation, bos and eos tokens, loop controls.
MISTRAL = """{{ bos_token }}{% for message in messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{% endif %}
{% if not message['content'] %}
{% continue %}
{% endif %}
{% if message['role'] == 'user' %}
{{ '[INST] ' + message['content'] + ' [/INST]' }}{% else %}
{{ message['content'] + eos_token }}{% endif %}
{% endfor %}"""

# A training mark around the assistant's words, with every kind of whitespace control.
GENERATION = """{% for m in messages %}
  {%- if m.role == 'assistant' %}
    {% generation %}
    {{- m.content + eos_token -}}
    {%- endgeneration -%}
  {% else %}
    {{ m.role | upper }}: {{ m.content | trim }}
  {% endif %}
{% endfor %}
"""

CHAT = [
    ("user", "Hi, who are you?"),
    ("assistant", "A tern."),
    ("user", "  Fly <b>& \"sing\" 'now' — ünïcödé 🐦\n"),
]
WITH_SYSTEM = [("system", " Be brief.\n")] + CHAT
THINKING = [
    ("system", "Think."),
    ("user", "2+2?"),
    ("assistant", "<think>\nEasy.\n</think>\n\n4"),
    ("user", "And 3+3?"),
    ("assistant", "<think>\nCount.\n</think>\n\nLet me look."),
    ("tool", '{"sum": 6}'),
    ("tool", '{"ok": true}'),
    ("user", "<tool_response>6</tool_response>"),
    ("assistant", "<think>\n\nSo six.\n\n</think>\n\n6"),
]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "Weather for a <place> & day; \"quoted\" 'so' — 天気\t\\",
            "parameters": {
                "type": "object",
                "required": ["place"],
                "properties": {"place": {"type": "string"}, "days": {"type": "integer", "default": 3, "min": None}},
                "additionalProperties": False,
            },
            "examples": [],
            "rates": [0.1, 1.0, 1e16, 1.5e-7, -2.5, 123456789012345.0],
            "empty": {},
        },
    },
    {"name": "now"},
]

# Small pieces of Jinja and Python that templates in the wild use, one line each.
SNIPPETS = r"""
{{ messages | length }} {{ messages[-1].content | trim }} {{ messages[0]['role'] | capitalize }}
{{ true }} {{ false }} {{ none }} {{ 1 }} {{ 1.0 }} {{ 7 // 2 }} {{ 7 / 2 }} {{ 2 ** 5 }} {{ -7 % 3 }}
{{ nothing }}|{{ nothing is defined }}|{{ nothing is none }}|{{ none is none }}|{{ (nothing or 'x') }}
{{ 'a,b,c'.split(',') | join('-') }} {{ 'a,b,c'.split(',', 1)[1] }} {{ ' a  b '.split() | join('+') }}
{{ 'xxaxx'.strip('x') }} {{ 'xxaxx'.lstrip('x') }} {{ 'xxaxx'.rstrip('x') }} {{ '  q '.strip() }}
{{ 'Ab'.upper() }} {{ 'Ab'.lower() }} {{ 'ab cd'.title() }} {{ 'ab'.replace('a', 'zz') }} {{ 'abc'.find('c') }}
{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'a' in 'abc' }} {{ 'z' not in 'abc' }}
{{ messages | map(attribute='role') | join(',') }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }}
{{ messages | rejectattr('role', 'equalto', 'user') | map(attribute='content') | first }}
{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + m.content | length %}{% endfor %}{{ ns.n }}
{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}
{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined else '-' }}>{{ loop.nextitem.role if loop.nextitem is defined else '-' }} {% endfor %}
{% for m in messages if m.role == 'user' %}{{ m.content | trim }};{% else %}none{% endfor %}
{% for k, v in {'b': 1, 'a': 2}.items() %}{{ k }}={{ v }},{% endfor %}{% for k in {'b': 1, 'a': 2} | dictsort %}{{ k[0] }}{% endfor %}
{% for n in range(6) %}{% if n == 1 %}{% continue %}{% endif %}{% if n == 4 %}{% break %}{% endif %}{{ n }}{% endfor %}
{{ {'a': 1}.get('a') }} {{ {'a': 1}.get('z', 'no') }} {{ {'a': 1} is mapping }} {{ [1] is iterable }} {{ [1] is sequence }}
{{ 'x' is string }} {{ 1 is number }} {{ 1 is integer }} {{ 1.5 is float }} {{ true is boolean }} {{ true is true }} {{ messages is not string }}
{{ [1, 2] + [3] }} {{ [1, 'a', none, true] }} {{ {'a': 'b', 'c': [1]} }} {{ (1, 2) }}
{{ messages[1:] | length }} {{ messages[:-1] | length }} {{ messages[::-1][0].role }} {{ 'abcdef'[1:4] }} {{ 'abc'[::-1] }} {{ 'abc'[-1] }}
{{ 'a' ~ 1 ~ none ~ true }} {{ 'ab' * 3 }} {{ '%s is %d' | format('x', 3) }} {{ '{} {}'.format('a', 2) }}
{{ 'yes' if messages else 'no' }} {{ 'only' if false }} {{ not messages }} {{ messages and 1 or 2 }}
{{ tools | tojson }} {{ tools[0].function | tojson(indent=2) }} {{ {'b': 1, 'a': 'é'} | tojson(ensure_ascii=True, sort_keys=True) }}
{{ {'b': [1, 2]} | tojson(separators=(',', ':')) }} {{ none | tojson }} {{ 'a"b\\c/</script>' | tojson }} {{ [[], {}] | tojson(indent=1) }}
{% macro f(a, b='d') %}[{{ a }}{{ b }}]{% endmacro %}{{ f(1) }}{{ f(1, b=2) }}{{ f(b=3, a=4) }}
{% set x %}block {{ 1 }}{% endset %}{{ x | upper }} {% set a, b = 1, 2 %}{{ a + b }}
{% filter upper %}abc{% endfilter %} {% with y = 3 %}{{ y }}{% endwith %} {% raw %}{{ raw }}{% endraw %} {# note #}.
{{ 'a\nb' | indent(2) }} {{ [3, 1, 2] | sort | join }} {{ [1, 1, 2] | unique | list }} {{ [1, 2] | last }} {{ 'abc' | reverse }} {{ 'abc' | list }}
{{ '5' | int + 1 }} {{ 5 | string + '1' }} {{ '' | default('d', true) }} {{ nothing | default('d') }} {{ 3.7 | int }} {{ [1,2,3] | sum }} {{ -3 | abs }} {{ 2.5 | round }}
{{ messages | groupby('role') | length }} {{ [[1, 2], [3]] | map('length') | list }} {{ messages | map(attribute='role') | unique | list }}
{{ strftime_now('%Y-%m-%d') }} {{ strftime_now("%d %B %Y, %H:%M") }} {{ bos_token }}{{ eos_token }}
{%- if messages[0]['content'] is string and messages[0].content.split(' ')[0] == 'Hi,' -%} hi {%- endif %}
{{ [1,2,3] | select('odd') | list }} {{ ['a','b'] | map('upper') | join(' ') }} {{ 1 == 1.0 }} {{ 'a' < 'b' }} {{ 1 in [1, 2] }} {{ 3 is divisibleby 3 }}
{{ 'line1\nline2'.splitlines() | length }} {{ 'a b'.split(' ')[-1] }} {{ 'A'.isupper() }} {{ '12'.isdigit() }} {{ 'x'.join(['1', '2']) }} {{ 'aXbX'.count('X') }}
{{ messages[0].items() | list | length }} {{ messages[0].keys() | list }} {{ 'content' in messages[0] }} {{ messages[5] is defined }}
"""


def main():
    env = environment()
    cases = []

    def case(name, template, messages, generate=True, **extra):
        variables = {
            **extra,
            "messages": [{"role": role, "content": content} for role, content in messages],
            "add_generation_prompt": generate,
            "bos_token": "<s>",
            "eos_token": "</s>",
        }
        record = {"name": name, "template": template, "messages": messages, "generate": generate, "extra": extra}
        try:
            record["want"] = env.from_string(template).render(**variables)
        except jinja2.exceptions.TemplateError as error:
            record["raised"] = str(error)
        cases.append(record)

    for name, template in [
        ("builtin", BUILTIN), ("smollm2", SMOLLM2), ("chatml", CHATML), ("llama3", LLAMA3), ("qwen3", QWEN3),
        ("mistral", MISTRAL), ("generation", GENERATION),
    ]:
        for chat_name, chat in [("chat", CHAT), ("system", WITH_SYSTEM), ("thinking", THINKING)]:
            for generate in (True, False):
                case(f"{name}/{chat_name}/{generate}", template, chat, generate)
    case("qwen3/tools", QWEN3, WITH_SYSTEM, tools=TOOLS)
    case("qwen3/no thinking", QWEN3, CHAT, enable_thinking=False)
    case("llama3/tools", LLAMA3, WITH_SYSTEM, tools=TOOLS, date_string="1 Jan 2025")
    case("mistral/empty turn", MISTRAL, [("user", "a"), ("assistant", ""), ("user", "b")])
    for n, snippet in enumerate(SNIPPETS.strip().split("\n")):
        case(f"snippet {n + 1}", snippet, CHAT, tools=TOOLS)

    path = pathlib.Path(__file__).with_name("chat_goldens.json")
    lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(cases)} cases, {path.stat().st_size} bytes; raised: {[c['name'] for c in cases if 'raised' in c]}")


main()
