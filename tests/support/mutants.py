"""Mutants of a function: copies of its source with one small thing changed.

Every check of an exercise should tell them from the solution, as it should tell any wrong
answer from a right one.
"""

import ast
import copy
from collections.abc import Iterator

COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
COMPUTED = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
NAMES = {
    "tril": "triu",
    "triu": "tril",
    "max": "min",
    "min": "max",
    "argmax": "argmin",
    "argmin": "argmax",
    "sum": "mean",
    "mean": "sum",
    "any": "all",
    "all": "any",
    "log": "log2",
    "sin": "cos",
    "cos": "sin",
    "values": "keys",
}


def changed(node: ast.AST) -> Iterator[ast.AST | None]:
    """What may stand in a node's place; None takes the node away."""
    if isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        for op in COMPARED[type(node.ops[0])]:
            yield ast.Compare(node.left, [op(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp):
        for op in COMPUTED.get(type(node.op), ()):
            yield ast.BinOp(node.left, op(), node.right)
        yield from (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value)
        for op in COMPUTED.get(type(node.op), ()):
            yield ast.AugAssign(node.target, op(), node.value)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Slice):
        yield from _slices(node)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
        yield ast.Name(NAMES[node.id], node.ctx)
    elif isinstance(node, ast.Call):
        yield from _without_the_call(node)
    elif isinstance(node, ast.keyword | ast.Assign | ast.Expr | ast.If):
        yield None


def _without_the_call(node: ast.Call) -> Iterator[ast.AST]:
    """f(x) and x.f(...) as x."""
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    if len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def _constants(node: ast.Constant) -> Iterator[ast.Constant]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + 1), ast.Constant(value - 1))
    elif isinstance(value, float):
        yield from (ast.Constant(value * 1.25 + 0.1), ast.Constant(value * 0.75 - 0.1))


def _slices(node: ast.Slice) -> Iterator[ast.Slice]:
    for part in ("lower", "upper", "step"):
        if getattr(node, part) is not None:
            parts = {p: getattr(node, p) for p in ("lower", "upper", "step")}
            yield ast.Slice(**(parts | {part: None}))


def mutants(source: str, fixed: dict[str, object]) -> Iterator[tuple[str, str]]:
    """(what was changed, source) of each mutant of the function in a source.

    fixed: argument -> a name that stands for one value; one mutant each ignores the
    argument and takes this value instead.
    """
    tree = ast.parse(source)
    body = tree.body[0].body[1:]  # without the docstring
    nodes = [n for part in body for n in ast.walk(part)]
    for place, node in enumerate(nodes):
        for n in range(sum(1 for _ in changed(node))):
            mutant = _replaced(tree, place, n)
            if mutant is not None:
                yield f"{_line(source, node)}  ->  {_changed_line(source, mutant)}", mutant
    for argument in fixed:
        ignoring = copy.deepcopy(tree)
        set_it = ast.parse(f"{argument} = FIXED[{argument!r}]()").body[0]
        ignoring.body[0].body.insert(1, set_it)
        yield f"ignores {argument}", ast.unparse(ast.fix_missing_locations(ignoring))


def _replaced(tree: ast.Module, place: int, n: int) -> str | None:
    """The source with the n-th change made at a place; None where that is no Python."""
    tree = copy.deepcopy(tree)
    body = tree.body[0].body[1:]
    node = [n for part in body for n in ast.walk(part)][place]
    new = list(changed(node))[n]
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(v is node for v in value):
                at = next(i for i, v in enumerate(value) if v is node)
                value[at : at + 1] = [] if new is None else [new]
                if not value and field == "body":
                    value.append(ast.Pass())
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, AttributeError, TypeError):
        return None


def _line(source: str, node: ast.AST) -> str:
    """The line of the source on which a node begins."""
    lineno = getattr(node, "lineno", None)
    if lineno is None:  # a slice or an operator has none of its own in some versions
        lineno = next(c.lineno for c in ast.walk(node) if hasattr(c, "lineno"))
    return source.splitlines()[lineno - 1].strip()


def _changed_line(source: str, mutant: str) -> str:
    """The first line of a mutant that the plain source does not have."""
    plain = ast.unparse(ast.parse(source)).splitlines()
    lines = mutant.splitlines()
    if len(lines) < len(plain):
        return "(taken away)"
    pairs = zip(lines, plain, strict=False)
    return next((a for a, b in pairs if a != b), lines[-1]).strip()
