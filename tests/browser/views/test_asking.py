"""A view in a notebook's page: it asks the kernel for the model once, and answers itself."""

import base64
import dataclasses
import json

import numpy as np
import pytest
from in_page import show

import gpt1lib as g
from gpt1course.viz import engine, explorers
from gpt1course.viz.explorers import attention
from gpt1lib.rng import fork_rng

pytestmark = pytest.mark.browser
# A widget's model as JupyterLab has it: what is set goes to Python when it is saved.
HOST = """<div id="here"></div><script type="module">
%s
const code = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const decoded = values => Object.fromEntries(Object.entries(values).map(([name, value]) =>
  [name, value?.bytes != null ? new DataView(code(value.bytes).buffer) : value]));
const state = decoded(%s);
const seen = {};
const fire = (event, ...given) => [...(seen[event] ?? [])].forEach(act => act(...given));
let changed = {};
window.model = {
  get: name => state[name],
  set(name, value) {
    if (state[name] === value) return;
    state[name] = changed[name] = value;
    fire(`change:${name}`);
  },
  save_changes() { window.toPython({ state: changed }); changed = {}; },
  send: content => window.toPython({ content }),
  on(event, act) { (seen[event] ??= []).push(act); },
  off(event, act) { seen[event] = seen[event].filter(other => other !== act); },
};
window.fromPython = ({ update, custom, buffers }) => {
  if (custom) fire("msg:custom", custom, buffers.map(text => new DataView(code(text).buffer)));
  const given = decoded(update ?? {});
  const others = Object.keys(given).filter(name => given[name] !== state[name]);
  Object.assign(state, given);
  for (const name of others) fire(`change:${name}`);
};
// as anywidget does it: a view that is removed hears nothing more
window.addView = () => {
  const heard = [];
  const on = (event, act) => {
    heard.push([event, act]);
    window.model.on(event, act);
  };
  const el = document.querySelector("#here").appendChild(document.createElement("div"));
  const remove = gpt1View.default.render({ model: { ...window.model, on }, el });
  return () => {
    for (const [event, act] of heard) window.model.off(event, act);
    remove();
    el.remove();
  };
};
window.removeView = window.addView();
</script>"""


class Wire:
    """An explorer, a page that shows it, and the messages between them."""

    def __init__(self, page, explorer):
        self.page, self.explorer, self.inbox, self.sent = page, explorer, [], 0
        page.expose_function("toPython", lambda message: self.inbox.append(message))
        own = [name for name in explorer.keys if name not in ("layout", "tabbable", "tooltip")]
        state = encoded({name: getattr(explorer, name) for name in own if name[0] != "_"})
        explorer._send = self.send
        page.set_content(HOST % (explorer._esm, json.dumps(state)))
        self.root = page.locator(".gx")

    def send(self, message, buffers=None):
        """From Python to the page."""
        if message["method"] == "echo_update":
            return  # JupyterLab drops those of what has changed again since
        self.sent += 1
        buffers = [base64.b64encode(b).decode() for b in buffers or []]
        if message["method"] == "custom":
            told = {"custom": message["content"], "buffers": buffers}
        else:
            places = [path[0] for path in message.get("buffer_paths", [])]
            arrays = {name: {"bytes": b} for name, b in zip(places, buffers, strict=True)}
            told = {"update": message["state"] | arrays}
        self.page.evaluate("told => fromPython(told)", told)

    def deliver(self):
        """What the page has sent reaches the kernel now."""
        self.pause()
        while self.inbox:
            message = self.inbox.pop(0)
            if "content" in message:
                self.explorer._msg_callbacks(self.explorer, message["content"], [])
            else:
                self.explorer.set_state(message["state"])

    def pause(self):
        """The reader waits, so that what was chosen is sent."""
        self.page.evaluate("() => new Promise(done => setTimeout(done, 200))")

    def ask(self, text):
        box = self.root.locator(".gx-prompt").first
        box.fill(text)
        box.press("Enter")


def encoded(values):
    return {
        name: {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in values.items()
    }


def small_attention(novelist, monkeypatch):
    """The attention of a small untrained model, and the texts that Python reads from now on."""
    sizes = {"n_ctx": 32, "n_layer": 2, "n_head": 2, "n_embd": 16}
    with fork_rng(0):
        model = g.GPT(g.GPTConfig(n_vocab=novelist.bpe.n_vocab, **sizes)).eval()
    explorer = explorers.AttentionExplorer.from_checkpoint(
        dataclasses.replace(novelist, model=model), "He saw"
    )
    encode, texts = attention.encode_or_raise, []

    def noted(bpe, text, most):
        texts.append(text)
        return encode(bpe, text, most)

    monkeypatch.setattr(attention, "encode_or_raise", noted)
    return explorer, texts


def test_the_page_answers_with_a_kernel_and_without(page, novelist, monkeypatch):
    explorer, read = small_attention(novelist, monkeypatch)
    wire = Wire(page, explorer)
    rows = wire.root.locator(".gx-matrix .gx-row")
    wire.ask("She took it")  # no engine yet: Python answers, and is asked for the model
    wire.deliver()
    assert read == ["She took it"] and rows.all_inner_texts() == ["she", "took", "it"]
    page.wait_for_function("() => globalThis.gpt1Engines?.length === 1")
    wire.ask("The old man went home early")  # the kernel hears nothing of it
    page.wait_for_function("() => document.querySelectorAll('.gx-matrix .gx-row').length === 6")
    wire.root.get_by_label("from early").focus()
    wire.deliver()
    assert (explorer.text, explorer.row) == ("The old man went home early", 5)
    assert read == ["She took it"], "what the page has answered is not computed again"
    said = wire.root.locator(".gx-live").inner_text()
    sent = wire.sent
    weights = explorer.weights[divmod(explorer.head, 2)][5]  # a cell reads it
    assert read[1:] == [explorer.text] and len(explorer.tokens) == 6
    assert wire.sent == sent, "the page has its own numbers"
    assert f"{weights.max():.0%} to “{rows.all_inner_texts()[int(weights.argmax())]}”" in said
    explorer.text = "He ran"  # a cell asks
    page.wait_for_function("() => document.querySelectorAll('.gx-matrix .gx-row').length === 2")
    wire.ask("")
    page.locator(".gx-hint", has_text="This cannot be read: the text is empty.").wait_for()
    wire.deliver()
    assert explorer.message == "This cannot be read: the text is empty."
    assert len(explorer.tokens) == 2 and np.isfinite(explorer.weights).all()


def test_where_the_model_arrives_damaged_the_kernel_goes_on(page, novelist, monkeypatch):
    explorer, read = small_attention(novelist, monkeypatch)
    sent = engine.parcel

    def damaged(bpe, model):
        told, (content, wasm) = sent(bpe, model)
        return told, [content[:-1] + bytes([content[-1] ^ 1]), wasm]

    monkeypatch.setattr(engine, "parcel", damaged)
    page.add_init_script("Worker.prototype.terminate = () => { globalThis.refused = true; }")
    page.reload()
    wire = Wire(page, explorer)
    rows = wire.root.locator(".gx-matrix .gx-row")
    for text in ("She took it", "The old man went home early"):
        wire.ask(text)
        wire.deliver()
        page.wait_for_function("() => globalThis.refused")
        assert not page.evaluate("() => globalThis.gpt1Engines?.length")
        assert read.pop() == text and rows.count() == len(text.split())


def test_of_what_is_asked_while_the_kernel_is_busy_the_newest_is_answered(
    page, novelist, monkeypatch
):
    explorer, read = small_attention(novelist, monkeypatch)
    explorer.weights_id = ""  # no engine holds its model
    page.clock.install()
    wire = Wire(page, explorer)
    rows = wire.root.locator(".gx-matrix .gx-row")
    for text in ("She took it", "He ran away", "The old man went home early"):
        wire.ask(text)
    wire.deliver()
    assert read == ["She took it", "The old man went home early"] and rows.count() == 6
    wire.deliver()  # the row on which the page opens
    chosen = explorer.weights[divmod(explorer.head, 2)][5]  # a cell reads it
    assert len(read) == 2, "the record is there"
    assert explorer.row == attention.telling_row(explorer.weights[divmod(explorer.head, 2)])
    wire.root.get_by_label("from early").focus()
    said = wire.root.locator(".gx-live").inner_text()
    assert f"{chosen.max():.0%} to “{rows.all_inner_texts()[int(chosen.argmax())]}”" in said
    explorer.text = "He sat down"  # in a cell that goes on, so nothing else is heard
    assert rows.all_inner_texts() == ["he", "sat", "down"] and len(read) == 3
    wire.deliver()
    assert rows.all_inner_texts() == ["he", "sat", "down"] and len(read) == 3
    wire.ask("He ran")
    wire.inbox.clear()  # the kernel is interrupted: what was asked is lost
    page.clock.fast_forward(11_000)
    wire.ask("She sat still")
    wire.deliver()
    assert rows.all_inner_texts() == ["she", "sat", "still"] and read[3:] == ["She sat still"]


def test_a_view_is_answered_after_another_of_its_widget_is_removed(page, novelist, monkeypatch):
    explorer, _ = small_attention(novelist, monkeypatch)
    explorer.weights_id = ""  # no engine holds its model
    wire = Wire(page, explorer)
    page.evaluate("() => { addView(); removeView(); }")
    wire.ask("She took it")
    wire.deliver()
    rows = wire.root.locator(".gx-matrix .gx-row")
    assert rows.all_inner_texts() == ["she", "took", "it"]


# in place of the page's engine: what it is asked, and what answers that
ENGINE = """() => { window.asked = [];
  const ask = (name, record, told, changed) =>
    new Promise(answer => asked.push({ told, changed, answer }));
  globalThis.gpt1 = { ids: [model.get('weights_id')], ask }; }"""


def test_an_engine_is_asked_one_question_at_a_time(page, novelist):
    """A slider asks at each step; the text before it is not lost."""
    root = show(page, explorers.ModelMapExplorer.from_checkpoint(novelist, "He saw it"))
    page.evaluate(ENGINE)
    root.get_by_label("text").fill("She took it")
    root.get_by_label("text").press("Enter")
    knob = root.get_by_role("slider", name="output")
    for _ in range(3):
        knob.press("ArrowLeft")
    changed = "() => asked.map(question => question.changed)"
    assert page.evaluate(changed) == [["text"]]
    page.evaluate("() => asked[0].answer({ shown: 'She took it' })")
    page.wait_for_function("() => asked.length > 1")
    assert page.evaluate(changed) == [["text"], ["factors"]]
    told = page.evaluate("() => asked[1].told")
    assert told["text"] == told["shown"] == "She took it"
    assert [*told["factors"].values()] == [pytest.approx(0.7)]


# ---- what is chosen is sent once the reader pauses ----------------------------------


@pytest.fixture
def wire(page, novelist, monkeypatch):
    explorer, _ = small_attention(novelist, monkeypatch)
    explorer.text = "The old man went home"
    return Wire(page, explorer)


def in_one_go(wire, *steps):
    """Steps in the page between which no timer runs: rows to look from, or a script."""
    row = "document.querySelectorAll('.gx-matrix .gx-row')[%d].focus()"
    script = "; ".join(row % step if isinstance(step, int) else step for step in steps)
    wire.page.evaluate(f"() => {{ {script} }}")


def rows_sent(wire):
    wire.pause()
    told = [message["state"]["row"] for message in wire.inbox if "state" in message]
    wire.inbox.clear()
    return told


def row_shown(wire):
    shown = wire.root.locator(".gx-matrix .gx-row[tabindex='0']")
    return wire.root.locator(".gx-matrix .gx-row").all_inner_texts().index(shown.inner_text())


def test_of_choices_in_a_row_the_last_is_sent(wire):
    assert wire.explorer.row not in (1, 3, 4)
    in_one_go(wire, 1, 3, 4)
    assert rows_sent(wire) == [4]


def test_an_older_choice_that_python_repeats_does_not_come_back(wire):
    in_one_go(wire, 1)
    assert rows_sent(wire) == [1]
    in_one_go(wire, 3, "fromPython({ update: { row: 1 } })")  # its echo
    assert row_shown(wire) == 3 and rows_sent(wire) == [3]


def test_what_python_says_anew_ends_a_choice_that_waits(wire):
    in_one_go(wire, 3, "fromPython({ update: { row: 1 } })")
    assert row_shown(wire) == 1 and rows_sent(wire) in ([], [1])


def test_a_choice_is_sent_when_its_view_is_removed(wire):
    in_one_go(wire, 1, "removeView()")
    assert rows_sent(wire) == [1]
