"""What to do about an exception that beginners meet, where its own words don't say it."""

import re

MATRICES = "In A @ B, A has as many columns as B has rows: is a .T missing, or is one too many?"
ONE_NUMBER = (
    "Functions of math take one number. For many at once, numpy and torch have their own, "
    "such as np.log and torch.exp. torch.stack or torch.cat joins a list of tensors."
)
EMPTY = "Nothing is left to choose from. Stop, or return, before that."
PLACES = (
    "Positions count from 0, so the last one is the length minus 1. An empty list has none."
)
ONE_TRUTH = (
    "`if`, `and`, `or`, `not`, `in`, `a < b < c` and .index need one True or False: "
    "torch.equal, .any() or .all(). Number by number there are &, |, ~ and torch.where."
)

ADVICE: tuple[tuple[str, str], ...] = (
    (
        r"'NoneType' object is not (subscriptable|iterable)",
        "Something there is None. list.sort() and list.append() change a list and return "
        "None; sorted(...) returns a new list.",
    ),
    (
        r"'(list|tuple)' object has no attribute",
        "A plain list has none of the methods of arrays and tensors: use what Python has for "
        "lists, or make it a tensor, torch.tensor(...).",
    ),
    (r"^unhashable type: 'list'", "A list can't be a key: make it a tuple, (a, b)."),
    (r"^Cannot interpret '.*' as a data type", "The shape is one tuple: np.zeros((2, 3))."),
    (r"(min|max)\(\).*empty", EMPTY),
    (r"index out of range|is out of bounds for", PLACES),
    (
        r"(list|tuple) indices must be integers.*not '?(list|tuple)",
        "A plain list takes one position at a time: x[0][1], or [x[i] for i in places].",
    ),
    (
        r"(list|string|tuple) indices must be integers.*not '?str",
        "A list or a text is indexed by a position: .index(...) finds it, and zip goes through "
        "two lists together.",
    ),
    (
        r"Cannot cast ufunc|can't be cast to the desired",
        "An array of whole numbers can't take fractions in place: x = x / y, not x /= y.",
    ),
    (r"have the same dtype", "@ takes two tensors of one dtype: x.float() makes it float32."),
    (
        r"bitwise_(and|or)|for [&|]:",
        "& is stronger than <: put each comparison in parentheses, (a < b) & c.",
    ),
    (
        r"zero-dimensional tensor .* cannot be concatenated",
        "A single number has no axis to join along: x[None] is a tensor of length 1.",
    ),
    (
        r"selected index k out of range",
        "There may be fewer than k numbers: .topk(min(k, len(x))).",
    ),
    (r"shapes cannot be multiplied|^size mismatch, got|^matmul: Input operand", MATRICES),
    (
        r"is invalid for input of size",
        "The sizes of a shape multiply to the tensor's count of numbers: take them from "
        "x.shape.",
    ),
    (
        r"must match the (size of tensor|existing size)|could not be broadcast together",
        "The two shapes do not fit. Print both: is a keepdim=True, a [:, None] or a slice "
        "missing?",
    ),
    (
        r"only .*(0-dimensional|one element|(size|length)-1).* can be converted to (a )?"
        r"(P|p)ython",
        ONE_NUMBER,
    ),
    (
        r"must be Tensor, not (int|float)",
        "A torch function takes tensors. For a single number there is math, as in math.sqrt.",
    ),
    (
        r"must be Tensor, not numpy",
        "This is a numpy array, for which there is np, as in np.log.",
    ),
    (r"must be Tensor, not list", "Make the list a tensor first: torch.tensor(...)."),
    (
        r"torch\.return_types\.(max|min)",
        "With dim, .max returns values and positions. Take .amax(dim=..., keepdim=True).",
    ),
    (r"missing 1 required positional arguments?: \"dim\"", "Say along which axis: dim=-1."),
    (r"(Tensor|array) with more than one (value|element) is ambiguous", ONE_TRUTH),
    (r"bitwise_xor|for \^:", "In Python a power is x**3; x^3 means something else."),
    (
        r"unexpected keyword argument '(dim|keepdim)'",
        "With numpy it is axis and keepdims, with torch dim and keepdim.",
    ),
    (
        r"ints\b.*\bfloat\b|got \(float|'float' object cannot be interpreted"
        r"|slice indices must be int|indices must be int.*float",
        "Sizes and positions are whole numbers: divide by //, because / gives a float.",
    ),
    (
        r"^(cannot access )?local variable",
        "Give it a value before the loop, such as 0 or an empty list.",
    ),
)
"""A pattern of an exception's words -> what to do; the first that fits counts."""


def advice(error: BaseException, text: str) -> str:
    """What to do about an exception with these words; empty where its words are enough."""
    if isinstance(error, KeyError):
        return "The dict has no such key yet: d.get(key, 0) is 0 where it is missing."
    return next((told for pattern, told in ADVICE if re.search(pattern, text)), "")
