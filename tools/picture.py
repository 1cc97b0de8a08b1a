"""Make docs/what_you_see.png, the picture at the top of the README.

    python tools/picture.py [path of a Chromium]

Two explorers on the shipped model, live in a headless browser, side by side.
"""

import shutil
import sys
from pathlib import Path

import torch
from playwright.sync_api import sync_playwright

import gpt1lib as g
from gpt1lib.show.explorers import standalone

OUT = Path(__file__).resolve().parents[1] / "docs" / "what_you_see.png"
SENTENCE = "She took the letter from the table and read it to her mother."


def explorers():
    """The two views, from the model."""
    novelist = g.load_novelist()
    ids = novelist.bpe.encode(SENTENCE)
    weights = g.trace(novelist.model, ids).weights.numpy()
    attention = g.show.AttentionExplorer(weights, novelist.bpe.pieces(ids), head=14, row=11)
    prompt = "She opened the door and"
    with torch.no_grad():
        logits = novelist.model(torch.tensor([novelist.bpe.encode(prompt)]))[0, -1]
    words = novelist.bpe.pieces(range(novelist.bpe.n_vocab))
    sampling = g.show.SamplingExplorer(
        logits.numpy(), words, prompt=prompt, temperature=0.8, top_p=0.7
    )
    return attention, sampling


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else shutil.which("chromium")
    frames = [standalone.page(e).replace('"', "&quot;") for e in explorers()]
    body = "".join(
        f'<iframe srcdoc="{frame}" style="border:0;width:{width}px;height:690px"></iframe>'
        for frame, width in zip(frames, (960, 600), strict=True)
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1570, "height": 690})
        page.set_content(f"<body style='margin:0;white-space:nowrap'>{body}</body>")
        page.wait_for_timeout(1500)
        OUT.parent.mkdir(exist_ok=True)
        page.screenshot(path=str(OUT))
        browser.close()
    print(OUT)


if __name__ == "__main__":
    main()
