"""Greedy generation beside transformers' generate, token for token.

    python benchmarks/generation_speed.py [--size full] [--prompt 32] [--new 256]

Same random weights in both. Theirs has no key-value cache for this model and computes
the whole text again for each token. Also writes past the context, where theirs raises.
"""

import argparse
import statistics
import time
from dataclasses import replace

import torch
from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

from gpt1lib import GPT, GPT1, NOVELIST
from gpt1lib import generate as decode
from gpt1lib.checkpoints import released
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS
from gpt1lib.io.provenance import provenance

SIZES = {"full": GPT1, "novelist": NOVELIST}


def pair(config):
    """The same weights in our model and in theirs; wide, so that no two logits tie."""
    torch.manual_seed(0)
    model = GPT(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.mul_(4)
    theirs = OpenAIGPTLMHeadModel(
        OpenAIGPTConfig(
            vocab_size=config.n_vocab,
            n_positions=config.n_ctx,
            n_embd=config.n_embd,
            n_layer=config.n_layer,
            n_head=config.n_head,
            eos_token_id=None,
            pad_token_id=0,
        )
    ).eval()
    theirs.transformer.load_state_dict(released.to_hugging_face(model), strict=False)
    return model, theirs


def timed(act):
    """(seconds, result) of one call."""
    start = time.perf_counter()
    result = act()
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("--prompt", type=int, default=32)
    parser.add_argument("--new", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    config = replace(SIZES[args.size], dropout=0.0)
    model, theirs = pair(config)
    ids = torch.randint(config.n_vocab, (1, args.prompt))
    few = decode.greedy(model, ids, 8)  # warm up
    ratios, speeds = [], []
    for _ in range(args.rounds):
        a, mine = timed(lambda: decode.greedy(model, ids, args.new))
        b, other = timed(
            lambda: theirs.generate(
                ids,
                max_new_tokens=args.new,
                do_sample=False,
                attention_mask=torch.ones_like(ids),
            )
        )
        assert torch.equal(mine, other) and torch.equal(mine[:, : few.shape[1]], few)
        ratios.append(b / a)
        speeds.append((args.new / a, args.new / b))
    ours, peers = (statistics.median(s) for s in zip(*speeds, strict=True))
    result = {
        "prompt": args.prompt,
        "new": args.new,
        "equal": True,
        "ours": round(ours, 1),
        "theirs": round(peers, 1),
        "ratio": round(statistics.median(ratios), 2),
        "lowest": round(min(ratios), 2),
        "highest": round(max(ratios), 2),
    }
    print(
        "{prompt} + {new} tokens, all equal: ours {ours} tokens/s, transformers "
        "{theirs}, ours / theirs {ratio} ({lowest} to {highest})".format(**result)
    )
    write_json(BENCHMARKS / f"generation_{args.size}.json", result | provenance())
    past = config.n_ctx - args.prompt + 20
    assert decode.greedy(model, ids, past).shape[1] == config.n_ctx + 20
    print(f"past the context of {config.n_ctx}: ours goes on")
    try:
        theirs.generate(
            torch.randint(config.n_vocab, (1, config.n_ctx)), max_new_tokens=2, do_sample=False
        )
        print("theirs goes on too")
    except IndexError as error:
        print(f"theirs raises IndexError: {error}")


if __name__ == "__main__":
    main()
