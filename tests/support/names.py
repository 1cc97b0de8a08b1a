"""Which names a cell binds, and which it takes from other cells."""

import ast
import builtins
from functools import lru_cache


class _Reader(ast.NodeVisitor):
    """Walks a cell in the order in which it runs."""

    def __init__(self):
        self.bound: set[str] = set()
        self.free: set[str] = set()

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.reads(node.id)
        else:
            self.bound.add(node.id)

    def reads(self, name):
        if name not in self.bound and not hasattr(builtins, name):
            self.free.add(name)

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AugAssign(self, node):
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.reads(node.target.id)
        self.visit(node.target)

    def visit_For(self, node):
        self.visit(node.iter)
        self.visit(node.target)
        for part in [*node.body, *node.orelse]:
            self.visit(part)

    def visit_Import(self, node):
        self.bound.update((a.asname or a.name).split(".")[0] for a in node.names)

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node):
        for default in [*node.args.defaults, *node.args.kw_defaults, *node.decorator_list]:
            if default is not None:
                self.visit(default)
        self.bound.add(node.name)
        self.inside([node.args, *node.body])

    def visit_Lambda(self, node):
        self.inside([node.args, node.body])

    def visit_ClassDef(self, node):
        self.bound.add(node.name)
        self.inside(node.body)

    def visit_ListComp(self, node):
        self.visit(node.generators[0].iter)
        own = {
            n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
        }
        parts = [x for g in node.generators for x in g.ifs]
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = _Reader()
        inner.bound = self.bound | own
        for part in [*parts, *values, *(g.iter for g in node.generators[1:])]:
            inner.visit(part)
        self.free |= inner.free

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def inside(self, nodes):
        """A scope of its own: what it binds stays there."""
        inner = _Reader()
        stored = [n for part in nodes for n in ast.walk(part)]
        own = {n.id for n in stored if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {n.arg for n in stored if isinstance(n, ast.arg)}
        own |= {n.name for n in stored if isinstance(n, ast.FunctionDef)}
        inner.bound = self.bound | own
        for part in nodes:
            inner.visit(part)
        self.free |= inner.free


@lru_cache(10_000)
def _read(source: str) -> _Reader:
    reader = _Reader()
    reader.visit(ast.parse(source))
    return reader


def bound(source: str) -> set[str]:
    """Names that a cell binds for the cells after it."""
    return _read(source).bound


def free(source: str) -> set[str]:
    """Names that a cell takes from other cells."""
    return _read(source).free
