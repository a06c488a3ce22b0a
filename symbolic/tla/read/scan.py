"""The names in a module's text: where each is declared and where it is mentioned, also while it is being written.

The parser's tree tells both, proofs included. TLA+ lets no name be declared where another meaning of it is
visible. So a mention is of the innermost binder around it that has the name, or of the module's own names and
those that EXTENDS and INSTANCE bring in. Lamport, *Specifying Systems* (2002), section 17.5, has the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from leadline.symbolic.tla.read.parse import ASCII, SETS, Mended, Tree, meaningful, of_kind, parts
from leadline.symbolic.tla.read.standard import BUILT_IN
from leadline.symbolic.tla.read.text import WIDE


class Spot(NamedTuple):
    """A name in a text: its line and its first and last column, all from 0, the last one behind it."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration.

    Attributes:
        kind: `module`, `constant`, `variable`, `operator`, `function`, `instance`, `assumption`, `theorem`, or
            `bound` for names within one of these.
        spot: the name.
        first: the first line of its unit, or of what it is visible in if it is bound.
        last: the last line of that.
        parameters: the names of its parameters.
        module: the module of an instance.
        local: whether it is declared as LOCAL.
    """

    name: str
    kind: str
    spot: Spot
    first: int
    last: int
    parameters: tuple[str, ...] = ()
    module: str = ""
    local: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """A name where it is used, or declared.

    Attributes:
        path: the instances that it is reached through, such as `I` in `I!Next`.
        within: the module around it.
        bound: its declaration if that is a bound name.
        of: `module` if the name is a module's; of `a` in `WITH a <- x` the module that has it.
    """

    name: str
    spot: Spot
    within: str
    path: tuple[str, ...] = ()
    bound: Declared | None = None
    of: str = ""


@dataclass
class ModuleScan:
    """The names that a module declares.

    Attributes:
        about: the declaration of the module itself.
        names: its declarations by name.
        extends: the modules that it extends, and those of its instances without a name.
        instances: the modules of all its instances, each with the names that WITH gives a meaning.
        around: the module that it stands in; "" if none.
    """

    about: Declared
    names: dict[str, Declared] = field(default_factory=dict)
    extends: list[str] = field(default_factory=list)
    instances: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    around: str = ""


@dataclass
class Scan:
    """The names in a file's text.

    Attributes:
        modules: its modules by name; the first has the file's name.
        mentions: the names, in the order of their places.
        fields: the names of record fields.
        algorithm: the words of a PlusCal algorithm, of which the module's names are a translation.
    """

    modules: dict[str, ModuleScan] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)
    fields: set[str] = field(default_factory=set)
    algorithm: frozenset[str] = frozenset()

    def bound_at(self, line: int) -> Iterator[Declared]:
        """The bound names that are visible in a line."""
        for one in dict.fromkeys(x.bound for x in self.mentions if x.bound is not None):
            if one.first <= line <= one.last:
                yield one


def scan_of(text: str, made: Mended) -> Scan:
    """The names in a file's text.

    Args:
        made: the text as `mended` made it.
    """
    found = _Walk(made).run()
    algorithm = re.search(r"\(\*.*?--(?:fair\s+)?algorithm\b.*?\*\)", text, re.DOTALL)
    if algorithm is not None:
        found.algorithm = frozenset(re.findall(r"\w+", algorithm[0]))
    return found


_BINDERS = frozenset({
    "operator_definition", "function_definition", "module_definition", "bounded_quantification",
    "unbounded_quantification", "choose", "set_filter", "set_map", "function_literal", "lambda", "let_in",
    "non_terminal_proof",
})  # fmt: skip
_DEFINITIONS = {
    "operator_definition": "operator", "function_definition": "function", "module_definition": "instance",
    "assumption": "assumption", "theorem": "theorem",
}  # fmt: skip
_DECLARATIONS = {
    "constant_declaration": "constant", "variable_declaration": "variable", "recursive_declaration": "operator",
}  # fmt: skip
_FIELDS = {
    "record_literal": "identifier", "set_of_records": "identifier", "except_update_record_field": "identifier_ref",
}  # fmt: skip
_OPERATIONS = frozenset({"bound_infix_op", "bound_prefix_op", "bound_postfix_op"})


@dataclass
class _Scope:
    """The part of a text in which names are bound, or a module."""

    node: Tree
    module: str
    outer: _Scope | None
    names: dict[str, Declared] = field(default_factory=dict)


class _Walk:
    """A walk over the tree of a text, by a stack: expressions may nest deeply."""

    def __init__(self, made: Mended) -> None:
        self.lines = [line.encode() for line in made.text.split("\n")]
        self.root = made.root
        self.found = Scan()
        self.mentioned: list[tuple[Tree, tuple[str, ...], _Scope, str]] = []
        self.work: list[tuple[Tree, _Scope]] = []
        self.recursive: set[tuple[str, str]] = set()

    def run(self) -> Scan:
        """Walk, and then find the meaning of each name, since a binder may stand behind what it binds."""
        top = _Scope(self.root, "", None)
        self.work = [(self.root, top)]
        while self.work:
            (node, scope), before = self.work.pop(), len(self.work)
            self.visit(node, scope)
            self.work[before:] = self.work[before:][::-1]
        for node, path, scope, of in self.mentioned:
            name = self.words(node)
            if path and (instance := self.bound(path[0], scope)) is not None:
                path, of = path[1:], instance.module
            bound = None if path or of else self.bound(name, scope)
            self.found.mentions.append(Mention(name, self.spot(node), scope.module, path, bound, of))
        self.found.mentions.sort(key=lambda one: one.spot)
        return self.found

    def bound(self, name: str, scope: _Scope | None) -> Declared | None:
        """The declaration of a name by a binder; None if no binder declares it."""
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def words(self, node: Tree) -> str:
        """The name at a node."""
        if node.type in SETS:
            return SETS[node.type]
        if node.type in ASCII:
            return ASCII[node.type]
        if node.type.endswith("_op_symbol"):
            return ASCII[node.named_children[0].type]
        line, start, end = node.start_point.row, node.start_point.column, node.end_point.column
        return self.lines[line][start:end].decode()

    def spot(self, node: Tree) -> Spot:
        """Where a name is. The parser counts columns in bytes."""
        line = self.lines[node.start_point.row]
        before = (line[: one.column].decode() for one in (node.start_point, node.end_point))
        start, end = (len(one) - one.count(WIDE) for one in before)
        return Spot(node.start_point.row, start, end)

    def below(self, node: Tree, scope: _Scope) -> None:
        self.work += ((child, scope) for child in node.named_children)

    def mention(self, node: Tree, scope: _Scope, path: tuple[str, ...] = (), of: str = "") -> None:
        self.mentioned.append((node, path, scope, of))

    def visit(self, node: Tree, scope: _Scope) -> None:
        """Take note of the names that a node has itself; those below it come later."""
        kind = node.type
        rule = getattr(self, f"_{kind}", None)
        if rule is not None:
            rule(node, scope)
        elif kind in _DECLARATIONS:
            self.declare(node, scope, _DECLARATIONS[kind])
        elif kind in _DEFINITIONS:
            self.define(node, scope, _DEFINITIONS[kind])
        elif kind in _BINDERS:
            self.below(node, _Scope(node, scope.module, scope))
        elif kind in _OPERATIONS or kind == "bound_nonfix_op":
            for child in node.named_children:
                if ASCII.get(child.type, "x") not in BUILT_IN or child.type not in ASCII:
                    self.work.append((child, scope))
                    if child.type in ASCII:
                        self.mention(child, scope)
        elif kind in _FIELDS:
            self.fields(node, scope, _FIELDS[kind])
        elif kind == "identifier_ref" or kind in SETS:
            self.mention(node, scope)
        elif kind == "identifier":
            self.bind(node, scope)
        else:
            self.below(node, scope)

    def bind(self, node: Tree, scope: _Scope, parameters: int = 0) -> None:
        """Declare a bound name."""
        name, around = self.words(node), scope.node
        lines = around.start_point.row, around.end_point.row
        given = ("_",) * parameters
        scope.names.setdefault(name, Declared(name, "bound", self.spot(node), *lines, given))
        self.mention(node, scope)

    def _module(self, node: Tree, scope: _Scope) -> None:
        named = node.child_by_field_name("name")
        if named is None:
            return self.below(node, scope)
        name = self.words(named)
        lines = node.start_point.row, node.end_point.row
        made = ModuleScan(Declared(name, "module", self.spot(named), *lines), around=scope.module)
        self.found.modules.setdefault(name, made)
        inner = _Scope(node, name, scope)
        self.mention(named, inner, of="module")
        for child in node.named_children:
            if child.type == "extends":
                for one in child.named_children:
                    made.extends.append(self.words(one))
                    self.mention(one, inner, of="module")
            elif child != named:
                self.work.append((child, inner))
        return None

    def _operator_declaration(self, node: Tree, scope: _Scope) -> None:
        named = node.child_by_field_name("name")
        if named is not None:
            self.bind(named, scope, len(of_kind(node, "placeholder")))

    def _instance(self, node: Tree, scope: _Scope) -> None:
        module, given = "", set[str]()
        for child in node.named_children:
            if child.type == "identifier_ref":
                module = self.words(child)
                self.mention(child, scope, of="module")
            elif child.type == "substitution":
                name, *_, value = meaningful(child)
                self.mention(name, scope, of=module)
                given.add(self.words(name))
                self.work.append((value, scope))
        around = self.found.modules.get(scope.module)
        if around is not None:
            around.instances.append((module, frozenset(given)))
            if node.parent is not None and node.parent.type != "module_definition":
                around.extends.append(module)

    def _suffices_proof_step(self, node: Tree, scope: _Scope) -> None:
        # Assumptions of SUFFICES hold for the steps that follow, those of another step for its own proof.
        suffices = node.children[0].type == "SUFFICES"
        self.below(node, scope if suffices else _Scope(node, scope.module, scope))

    def _prefixed_op(self, node: Tree, scope: _Scope) -> None:
        path: tuple[str, ...] = ()
        prefix, last = node.child_by_field_name("prefix"), node.child_by_field_name("op")
        steps = of_kind(prefix, "subexpr_component") if prefix is not None else []
        for step in (*(one.named_children[0] for one in steps), *([last] if last is not None else [])):
            named = step.child_by_field_name("name") or step
            if named.type == "identifier_ref":
                self.mention(named, scope, path)
                path = (*path, self.words(named))
            self.work += ((one, scope) for one in parts(step, "parameter"))

    def _subexpr_prefix(self, node: Tree, scope: _Scope) -> None:
        # Parts of a definition: its name, and after that places and labels.
        for step in node.named_children[:1]:
            self.below(step, scope)

    def _record_value(self, node: Tree, scope: _Scope) -> None:
        *inner, last = node.named_children
        self.found.fields.add(self.words(last))
        self.work += ((one, scope) for one in inner)

    def fields(self, node: Tree, scope: _Scope, kind: str) -> None:
        """Take note of the fields of a record."""
        for child in node.named_children:
            if child.type == kind:
                self.found.fields.add(self.words(child))
            else:
                self.work.append((child, scope))

    def _label(self, node: Tree, scope: _Scope) -> None:
        named = node.child_by_field_name("name")
        self.work += ((child, scope) for child in node.named_children if child != named)

    def declare(self, node: Tree, scope: _Scope, kind: str) -> None:
        """Declare the names of a unit."""
        for child in node.named_children:
            named = child.child_by_field_name("name") or child
            if named.type in ("identifier", *SETS) or named.type.endswith("_op_symbol"):
                arity = len(of_kind(child, "placeholder"))
                self.keep(named, node, scope, kind, ("_",) * arity)
                if node.type == "recursive_declaration":
                    self.recursive.add((scope.module, self.words(named)))

    def define(self, node: Tree, scope: _Scope, kind: str) -> None:
        """Declare the name of a definition, and look into it."""
        named = node.child_by_field_name("name")
        given = [one.child_by_field_name("name") or one for one in parts(node, "parameter")]
        made = node.child_by_field_name("definition") if kind == "instance" else None
        module = self.words(of_kind(made, "identifier_ref")[0]) if made is not None else ""
        if named is not None:
            self.keep(named, node, scope, kind, tuple(map(self.words, given)), module)
        inner = _Scope(node, scope.module, scope)
        self.work += ((child, inner) for child in node.named_children if child != named)

    def keep(
        self, named: Tree, node: Tree, scope: _Scope, kind: str, given: tuple[str, ...], module: str = ""
    ) -> None:
        """Keep a declaration: of the module, or of the LET or the proof that it stands in."""
        name, local = self.words(named), node.parent is not None and node.parent.type == "local_definition"
        unit = node.parent if local and node.parent is not None else node
        lines = unit.start_point.row, unit.end_point.row
        self.mention(named, scope)
        if scope.node.type == "module":
            names = self.found.modules[scope.module].names
            # RECURSIVE comes before the definition, which is the place to show.
            if name not in names or (scope.module, name) in self.recursive:
                self.recursive.discard((scope.module, name))
                names[name] = Declared(name, kind, self.spot(named), *lines, given, module, local)
        else:
            around = scope.node.start_point.row, scope.node.end_point.row
            scope.names[name] = Declared(name, "bound", self.spot(named), *around, given, module)
