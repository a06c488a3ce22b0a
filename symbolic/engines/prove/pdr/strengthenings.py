"""Invariants as Python: a file of strengthenings, from which induction proves the property."""

from __future__ import annotations

import json
import keyword
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry
from leadline.symbolic.catalog.entry import prints_apart
from leadline.symbolic.engines.prove.pdr.invariant import Invariant
from leadline.symbolic.engines.prove.pdr.quantified import OrbitFormula, formulas
from leadline.symbolic.lang import (
    Claim,
    Map,
    Model,
    Option,
    PropertyKind,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    UserError,
    Value,
    build,
    caller_span,
    nodes as n,
    setting_text,
)

_MOST_NAMED = 3
"""The most variables that the name of a strengthening tells."""


@prints_apart()
def strengthenings_file(entry: Entry, model: Model, goal: str, invariant: Invariant, path: Path) -> str:
    """A Python file that states an invariant as strengthenings of a property of an existing protocol.

    Args:
        entry: the protocol.
        model: its model, in which the property was proved.
        goal: the property's name.
        invariant: the invariant.
        path: where the file will be: a protocol that is itself in a file is imported from there.

    Raises:
        UserError: if the file could not import the protocol or a property.
    """
    writer = PythonWriter(_types(entry, model))
    groups: dict[str, list[OrbitFormula]] = {}
    for one in formulas(model, invariant):
        names = [x.name for x in n.postorder(one.body) if isinstance(x, n.StateVar)]
        if not names:
            continue  # A clause that every state satisfies.
        told = "_and_".join(names[:_MOST_NAMED]) + ("_and_more" if len(names) > _MOST_NAMED else "")
        groups.setdefault(f"lemmas_of_{told}", []).append(one)
    taken = {claim.function.__name__ for claim in entry.claims}
    parts = []
    for name, some in groups.items():
        while name in taken:
            name += "_"
        parts.append(
            _strengthening(
                entry.protocol.__name__, goal, name, [(x.tla(model), writer.formula(x)) for x in some]
            )
        )
    shown = ", ".join(f"{name} = {setting_text(value)}" for name, value in model.parameters.items())
    where = f"Found at: {shown or 'no parameters'}."
    head = f'"""An invariant from which {goal} of {entry.name} follows.\n\n{where}\n"""'
    imports = _imports(entry, goal, invariant, path)
    language = (
        f"from leadline.symbolic.lang import {', '.join(sorted([*_called(''.join(parts)), 'strengthening']))}"
    )
    return "\n".join([head, "", language, *imports, "", "", "\n\n\n".join(parts), ""])


def _types(entry: Entry, model: Model) -> dict[Type, str]:
    """The types to which the protocol gives a name, as a property reads them."""
    protocol = entry.protocol(**{k: x for k, x in model.parameters.items() if x is not None})
    build(protocol)  # Gives the protocol its types.
    return {x: f"protocol.{name}" for name, x in vars(protocol).items() if isinstance(x, Type)}


def _called(text: str) -> list[str]:
    """The names of the language that a text calls."""
    return [name for name in LANGUAGE if re.search(rf"(?<![\w.]){name}\(", text)]


def _strengthening(protocol: str, goal: str, name: str, some: Sequence[tuple[str, str]]) -> str:
    lines = [line for told, text in some for line in (f"        # {told}", f"        {text},")]
    return "\n".join(
        [
            f'@strengthening({protocol}, of="{goal}", entails=True)',
            f"def {name}(protocol, now):",
            "    return all_of(",
            *lines,
            "    )",
        ]
    )


# -- imports -------------------------------------------------------------------------------------------


def _imports(entry: Entry, goal: str, invariant: Invariant, path: Path) -> list[str]:
    """The lines that import the protocol's class, the property, and all that the proof assumes."""
    claims = {claim.name: claim for claim in entry.claims}
    waiting = [goal, *invariant.strengthenings]
    waiting += [claim.name for claim in entry.claims if claim.kind is PropertyKind.CONSTRAINT]
    wanted: dict[str, Claim] = {}
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted[name] = claims[name]
            waiting += claims[name].strengthens
    found: dict[str, set[str]] = {}
    things: list[tuple[Any, str, str]] = [
        (entry.protocol, entry.protocol.__module__, entry.protocol.__name__)
    ]
    things += [(x, x.function.__module__, x.function.__name__) for x in wanted.values()]
    for thing, module, name in things:
        if vars(sys.modules[module]).get(name) is not thing:
            raise UserError(f"{name} is not the name of a thing in {module}: give it that name, to import it")
        found.setdefault(importable(module, path), set()).add(name)
    return [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(found.items())]


def importable(module: str, path: Path) -> str:
    """The name under which a file at a path can import a module.

    Raises:
        UserError: if it cannot, since the module is a user's file that is elsewhere or has an unfit name.
    """
    if not module.startswith("leadline_file_"):
        return module
    source = Path(str(sys.modules[module].__file__)).resolve()
    if source.parent != path.resolve().parent:
        raise UserError(f"{path} must import {source}: write it into the same folder")
    if not _is_name(source.stem):
        raise UserError(f"{path} must import {source}: give that file a name that Python can import")
    return source.stem


# -- expressions ---------------------------------------------------------------------------------------

LANGUAGE = (
    "Enum",
    "Int",
    "Map",
    "Option",
    "Record",
    "Seq",
    "Set",
    "Sort",
    "Tuple",
    "Union",
    "Bool",
    "all_of",
    "any_of",
    "forall",
    "implies",
    "int_range",
    "ite",
    "map_of",
    "of",
)
"""The names of the language that a file may use."""

_INFIX: Mapping[type[n.Node], str] = {n.Eq: "==", n.Le: "<=", n.Lt: "<", n.Sub: "-", n.Div: "//", n.Mod: "%"}
_CALLS: Mapping[type[n.Node], str] = {n.And: "all_of", n.Or: "any_of"}
_ATTRIBUTES: Mapping[type[n.Node], str] = {
    n.IsSome: "is_some", n.Get: "value", n.Len: "length", n.IsVariant: "is_a", n.Payload: "as_a",
}  # fmt: skip


class PythonWriter:
    """Writes the expressions that `words` makes.

    Args:
        types: the expressions that stand for types.
    """

    def __init__(self, types: Mapping[Type, str]) -> None:
        self._types = types

    def formula(self, one: OrbitFormula) -> str:
        """A formula with its quantifiers."""
        text = self.text(one.body)
        if not one.variables:
            return text
        apart = [f"{a.name} != {b.name}" for a, b in one.distinct]
        if apart:
            premise = apart[0] if len(apart) == 1 else f"all_of({', '.join(apart)})"
            text = f"implies({premise}, {text})"
        domains = [self._type(x.type) for x in one.variables]
        if len(one.by_sort) == 1:
            domains = domains[:1]
        return f"forall({', '.join(domains)}, lambda {', '.join(x.name for x in one.variables)}: {text})"

    def text(self, node: n.Node) -> str:
        """An expression."""
        kind = type(node)
        if isinstance(node, n.Const):
            return self._value(node.type, node.value)
        if isinstance(node, n.Lt) and isinstance(node.left, n.Const):
            return f"{self._operand(node.right)} > {self.text(node.left)}"
        if kind in _INFIX:
            left, right = (self._operand(x) for x in n.children(node))
            return f"{left} {_INFIX[kind]} {right}"
        if kind in _CALLS:
            return f"{_CALLS[kind]}({self._listed(n.children(node))})"
        match node:
            case n.StateVar(name=name):
                return _attribute("now", name)
            case n.Bound(name=name):
                return name
            case n.Coerce(item=item):
                return self.text(item)
            case n.Not(item=n.Eq(left=one, right=other)):
                return f"{self._operand(one)} != {self._operand(other)}"
            case n.Not(item=n.IsSome(item=item)):
                return f"{self._operand(item)}.is_none"
            case n.Not(item=item):
                return f"~{self._operand(item)}"
            case n.Implies(premise=premise, conclusion=conclusion):
                return f"implies({self.text(premise)}, {self.text(conclusion)})"
            case n.Ite():
                arms = [self._typed(x) for x in (node.then, node.orelse)]
                return f"ite({self.text(node.condition)}, {', '.join(arms)})"
            case n.Forall(var=var, body=body, domain=n.Universe()):
                return f"forall({self._type(var.type)}, lambda {var.name}: {self.text(body)})"
            case n.MapBuild(var=var, body=body):
                return f"map_of({self._type(var.type)}, lambda {var.name}: {self._typed(body)})"
        return self._part(node)

    def _part(self, node: n.Node) -> str:
        """A part of a value, or a value of its parts."""
        match node:
            case n.Member(element=element, domain=domain) if isinstance(domain, (n.Const, n.SetOf)):
                return f"{self._operand(element)}.is_in([{self._members(domain)}])"
            case n.Member(element=element, domain=n.IntRange(low=low, high=high)):
                return f"{self._operand(element)}.is_in(int_range({self.text(low)}, {self.text(high)}))"
            case n.Member(element=element, domain=domain):
                return f"{self._operand(domain)}.has({self.text(element)})"
            case n.IsSome(item=item) | n.Get(item=item) | n.Len(item=item):
                return f"{self._operand(item)}.{_ATTRIBUTES[type(node)]}"
            case n.IsVariant(item=item, tag=tag) | n.Payload(item=item, tag=tag):
                return f"{self._operand(item)}.{_ATTRIBUTES[type(node)]}({_quoted(tag)})"
            case n.Apply(map=item, key=place) | n.Index(item=item, place=place):
                return f"{self._operand(item)}[{self.text(place)}]"
            case n.Component(item=item, position=position) if isinstance(item.type, Record):
                return _attribute(self._operand(item), item.type.fields[position][0])
            case n.Component(item=item, position=position):
                return f"{self._operand(item)}[{position}]"
            case n.MakeVariant(payload=payload, tag=tag):
                return self._variant(node.type, tag, self._fields(payload))
            case n.MakeRecord():
                return _dict(self._fields(node))
        items = [self.text(x) for x in n.children(node)]
        match node:
            case n.MakeTuple():
                return _tuple(items)
            case n.MakeSeq():
                return f"[{', '.join(items)}]"
            case n.SetOf():
                return f"of({self._type(node.type)}, {', '.join(items)})"
        raise UserError(f"this part of the invariant cannot be written in Python: {node!r}")

    def _listed(self, nodes: Iterable[n.Node]) -> str:
        return ", ".join(map(self.text, nodes))

    def _members(self, node: n.Const | n.SetOf) -> str:
        """The members of a set, for a place whose type is known."""
        if isinstance(node, n.SetOf):
            return self._listed(node.items)
        (item,) = node.type.parts
        return ", ".join(self._value(item, x) for x in sorted(node.value, key=item.order))

    def _operand(self, node: n.Node) -> str:
        text = self.text(node)
        return f"({text})" if type(node) in _INFIX or isinstance(node, n.Not) else text

    def _typed(self, node: n.Node) -> str:
        """An expression that has its type by itself."""
        text = self.text(node)
        return f"of({self._type(node.type)}, {text})" if isinstance(node, n.Const) else text

    # -- values and types ----------------------------------------------------------------------------

    def _value(self, kind: Type, value: Value) -> str:
        """A value, for a place whose type is known."""
        match kind:
            case Option():
                return "None" if value is None else self._value(kind.item, value)
            case Record():
                return _dict(self._fields(n.make(n.Const, kind, caller_span(), value)))
            case Tuple():
                return _tuple([self._value(*one) for one in zip(kind.items, value, strict=True)])
            case Union():
                tag, payload = value
                made = n.make(n.Const, kind.by_tag[tag], caller_span(), payload)
                return self._variant(kind, tag, self._fields(made))
            case Seq():
                return f"[{', '.join(self._value(kind.item, x) for x in value)}]"
            case Set():
                members = self._members(n.make(n.Const, kind, caller_span(), value))
                return f"of({self._type(kind)}, {members})" if value else f"of({self._type(kind)})"
            case Map():
                pairs = zip(kind.keys, value, strict=True)
                return f"{{{', '.join(f'{key!r}: {self._value(kind.value, x)}' for key, x in pairs)}}}"
        return _quoted(value) if isinstance(value, str) else repr(value)

    def _fields(self, node: n.Node) -> dict[str, str]:
        """The fields of a record that is a constant or made of its fields."""
        assert isinstance(node.type, Record)
        if isinstance(node, n.Const):
            items = [self._value(*one) for one in zip(node.type.parts, node.value, strict=True)]
        else:
            items = [self.text(x) for x in n.children(node)]
        return dict(zip(node.type.positions, items, strict=True))

    def _variant(self, kind: Type, tag: str, fields: Mapping[str, str]) -> str:
        if all(map(_is_name, fields)):
            told = [f"{name}={x}" for name, x in fields.items()]
        else:
            told = [f"**{_dict(fields)}"]
        return f"of({', '.join([self._type(kind), _quoted(tag), *told])})"

    def _type(self, kind: Type) -> str:
        """A type: as the protocol calls it, or built anew."""
        if kind in self._types:
            return self._types[kind]

        def part(x: Any) -> str:
            if isinstance(x, Type):
                return self._type(x)
            return (
                _tuple([part(y) for y in x])
                if isinstance(x, tuple)
                else _quoted(x)
                if isinstance(x, str)
                else repr(x)
            )

        return f"{type(kind).__name__}({', '.join(part(getattr(kind, x.name)) for x in fields(kind))})"  # type: ignore[arg-type]  # every type is a dataclass


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _dict(fields: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{_quoted(name)}: {x}' for name, x in fields.items())}}}"


def _is_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _attribute(owner: str, name: str) -> str:
    return f"{owner}.{name}" if _is_name(name) else f"getattr({owner}, {_quoted(name)})"
