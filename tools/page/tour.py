"""The tour: the map of the model stays, twelve stops scroll by, each with a control."""

import html
import json

from gpt1course import paper
from gpt1lib.checkpoints import Checkpoint

TEXT = "She took the letter from the table and began to"
Stop = tuple[str, str, dict, str, str]  # title, words, state of the map, control, lesson


def text_box(name: str, value: str) -> str:
    """A text for the map to read."""
    given = html.escape(value, quote=True)
    return f'<label>{name} <input data-ask="text" value="{given}" spellcheck="false"></label>'


def slider(name: str, trait: str, most: int, value: int) -> str:
    """A choice of the map, from 0 to most."""
    return (
        f'<label>{name} <input type="range" min="0" max="{most}" value="{value}" '
        f'data-trait="{trait}"></label>'
    )


def press(text: str, state: dict) -> str:
    """A button that sets the map."""
    given = html.escape(json.dumps(state), quote=True)
    return f'<button type="button" data-press="{given}">{html.escape(text)}</button>'


def told(name: str, lines: list[str]) -> str:
    """A slider over stored lines, and the one that it points at."""
    given = html.escape(json.dumps(lines), quote=True)
    return (
        f'<label>{name} <input type="range" min="0" max="{len(lines) - 1}" value="0" '
        f'data-lines="{given}"></label><p class="tour-line" aria-live="polite"></p>'
    )


def samples(checkpoint: Checkpoint) -> list[str]:
    """What the model wrote, by stage of its pre-training."""
    written = [(sample["step"], sample["text"]) for sample in checkpoint.samples]
    return [f"after {step:,} updates: “{text.strip()[:110]} …”" for step, text in written]


def worth() -> list[str]:
    """Accuracy by number of labels, with pre-training and without: one stored task."""
    rows = paper.curves.stored_sets()[0]["he_or_she"]
    ours, others = rows["pre-trained"], rows["random weights"]
    return [
        f"{n:,} labels: pre-trained {mean(ours[n]):.0%}, random weights {mean(others[n]):.0%}"
        for n in sorted(ours)
        if n in others
    ]


def mean(seeds: dict) -> float:
    """The mean over seeds."""
    return sum(seeds.values()) / len(seeds)


FORMATS = [
    "classification: [start] text [extract]",
    "entailment: [start] premise [delimiter] hypothesis [extract]",
    "similarity: both orders of the two texts, and their last states are added",
    "multiple choice: a row for each answer, and a softmax over their scores",
]
MODEL, AT_END = {"zoom": "model"}, {"zoom": "model", "place": 9}
SHARP = {"block": 3, "head": 3, "place": 7, "other": 1}


def stops(checkpoint: Checkpoint) -> list[Stop]:
    """Title, words, state, control and lesson of each stop."""
    return through_the_model() + what_it_learned(checkpoint)


def through_the_model() -> list[Stop]:
    """The stops on the way of a text through the model."""
    return [
        ("Guess the missing word", "She took the letter from the table and began to ... what? "
         "A language model is asked nothing else. In the bottom row of the map are the words "
         "that ours finds likeliest after each word that it has read.", AT_END,
         text_box("Type a text, and press Enter:", TEXT), "01_guessing_the_next_token"),
        ("Words become pieces", "The model has no letters. It reads pieces, and each piece is "
         "a number of its vocabulary. A rare word falls into several of them.", MODEL,
         text_box("Press Enter, or try other words:", "The lighthouse keeper was unbelievable"),
         "02_bytes_words_bpe"),
        ("A row plus a row", "Each number picks a row of one table, and its place picks a row "
         "of another. Their sum is the first state of the piece, 256 numbers.",
         {"zoom": "model", "place": 3}, slider("Walk along the text:", "place", 9, 3),
         "03_embeddings_and_positions"),
        ("Words look at words", "To know what comes next, a word must find what it needs. A "
         "head compares its query with the keys of the earlier words, and takes a share of "
         "each.", {"zoom": "head", **SHARP}, slider("Ask from another word:", "place", 9, 7),
         "04_one_query_attends"),
        ("The mask falls", "A word that could look ahead would read the answer. So all later "
         "words are hidden from it, which is the hatched part of each matrix.",
         {"zoom": "head", **SHARP, "place": 3}, slider("Which word looks?", "place", 9, 3),
         "05_the_causal_mask"),
        ("Sixteen heads", "One head can look for one kind of thing at a time. Four blocks of "
         "four heads each look for something of their own.", {"zoom": "block", **SHARP},
         slider("Open another block:", "block", 3, 3), "06_many_heads"),
        ("The guess changes", "Between the blocks you see what the model would say if it ended "
         "there. Its first guesses repeat the word itself, and the last ones go on.", AT_END,
         press("Switch the head of the last stops off", {"factors": {"15": 0}}),
         "07_the_post_ln_block"),
        ("The same table again", "At the end, the last state is compared with every row of the "
         "first table. The row that fits best is the next word.", AT_END,
         press("Look at one product", {"zoom": "cell", **SHARP}), "08_the_whole_gpt1"),
    ]  # fmt: skip


def what_it_learned(checkpoint: Checkpoint) -> list[Stop]:
    """The stops on training, on tasks, and on what the model cannot do."""
    return [
        ("It reads twelve books", "At the beginning all its numbers are random. Each update "
         "moves them a little, so that the next word becomes a little less surprising.", AT_END,
         told("Watch it learn to write:", samples(checkpoint)), "10_pre_training"),
        ("Four tasks, one format", "Any task becomes a row of tokens. The model reads it as "
         "always, and a small new part looks at the last state alone.", AT_END,
         told("Go through the formats:", FORMATS), "13_fine_tuning"),
        ("What reading was worth", "Does it help to have read books before a task is learned? "
         "With few labels it does not show, with more it does.", AT_END,
         told("Give it more labels:", worth()), "15_learning_curves"),
        ("What it cannot do", "It has read twelve novels, and it knows what novels say. Ask it "
         "for a fact, and it goes on in their tone.", AT_END,
         text_box("Press Enter, or ask for another fact:", "The capital of France is"),
         "17_capstone"),
    ]  # fmt: skip


def as_html(checkpoint: Checkpoint) -> str:
    """All stops, each a section whose state the map takes when it is scrolled to."""
    return "".join(
        f'<section class="tour-stop" data-state="{html.escape(json.dumps(state))}">'
        f"<h2>{i}. {title}</h2><p>{words}</p><div class='tour-control'>{control}</div>"
        f'<p><a href="{lesson}.html">Lesson {lesson[:2]} builds it</a></p></section>'
        for i, (title, words, state, control, lesson) in enumerate(stops(checkpoint), 1)
    )
