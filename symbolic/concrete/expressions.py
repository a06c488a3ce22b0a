"""Python code for expressions: a rule for each kind of node. A binder becomes a loop."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from leadline.symbolic.concrete.writer import (
    ANYWHERE,
    Code,
    Lines,
    Module,
    Rule,
    Source,
    Steps,
    Writer,
    complete,
    condition,
    joined,
)
from leadline.symbolic.lang import Int, InternalError, Map, Mistake, ModelError, Type, item_of, nodes as n

_LARGEST_UNIVERSE = 1 << 16


@dataclass(frozen=True, slots=True)
class Domain:
    """Iterables over the elements of a loop's domain: in any order, and in their type's order."""

    unordered: str
    ordered: str


OverSet: TypeAlias = n.Forall | n.Exists | n.Choose | n.SetFilter | n.SetMap


# Leaves and conversions


def _const(w: Writer, node: n.Const) -> Code:
    return Code(w.module.literal(node.value, node.type), 0)


def _state_var(w: Writer, node: n.StateVar) -> Code:
    return w.state_variable(node.name)


def _unknown(w: Writer, node: n.PickVar | n.Bound) -> Code:
    raise InternalError(f"`{node.name}` has no value where it is used ({node.span})")


def _universe(w: Writer, node: n.Universe) -> Code:
    item = item_of(node)
    if item.capped > _LARGEST_UNIVERSE:
        text = f"the set of all values of {item!r} is too large: use a smaller set"
        raise ModelError([Mistake(node.span, text)])
    return Code(w.module.constant(frozenset(item.values()), ("universe", item)), 0)


def _undefined(w: Writer, node: n.Undefined) -> Code:
    w.fail(w.error(node, node.why))
    # This is never reached, but the code around it needs an operand.
    return Code("None", 0)


def _coerce(w: Writer, node: n.Coerce) -> Steps:
    code = yield node.item
    if node.type.includes(node.item.type):
        return code
    name = w.named(code)
    _check_type(w, node, node.item.type, node.type, name)
    return Code(name, 0)


def _check_type(w: Writer, node: n.Node, source: Type, target: Type, name: str) -> None:
    """Write that evaluation goes out of bounds unless a value of one type is one of the other."""
    test = condition(w.module, source, target, name)
    if test is not None:
        kinds = (w.module.constant(kind, ("type", kind)) for kind in (source, target))
        w.check(test, f"out_of_bounds({name}, {', '.join(kinds)}, {w.place_of(node)})")


# Booleans


def _connected(w: Writer, node: n.And | n.Or) -> Steps:
    first, *others = node.items
    word = "and" if isinstance(node, n.And) else "or"
    return (yield from _decided(w, word, (yield first), others))


def _implies(w: Writer, node: n.Implies) -> Steps:
    return (yield from _decided(w, "or", joined("(not {})", (yield node.premise)), [node.conclusion]))


def _decided(w: Writer, word: str, first: Code, others: Iterable[n.Node]) -> Steps:
    """A conjunction or disjunction, evaluated from the left until one operand decides."""
    parts = [first]
    for item in others:
        w.open()
        code = yield item
        lines = w.close()
        if lines:
            name = w.store(_operands(word, parts))
            w.write(f"if {name}:" if word == "and" else f"if not {name}:")
            w.block([*lines, f"{name} = {code.text}"])
            parts = [Code(name, 0)]
        else:
            parts.append(code)
    return _operands(word, parts)


def _operands(word: str, parts: list[Code]) -> Code:
    return parts[0] if len(parts) == 1 else joined(f"({f' {word} '.join(['{}'] * len(parts))})", *parts)


def _ite(w: Writer, node: n.Ite) -> Steps:
    test = yield node.condition
    w.open()
    then = yield node.then
    then_lines = w.close()
    w.open()
    orelse = yield node.orelse
    else_lines = w.close()
    if not then_lines and not else_lines:
        return joined("({} if {} else {})", then, test, orelse)
    name = w.module.fresh("t")
    w.write(f"if {test.text}:")
    w.block([*then_lines, f"{name} = {then.text}"])
    w.write("else:")
    w.block([*else_lines, f"{name} = {orelse.text}"])
    return Code(name, 0)


# Integers


def _divided(w: Writer, node: n.Div | n.Mod) -> Steps:
    left = yield node.left
    right = yield node.right
    assert isinstance(node.right.type, Int)
    if node.right.type.low < 1:
        right = Code(w.named(right), 0)
        w.check(f"{right.text} > 0", w.error(node, "the divisor is not positive"))
    return joined("({} // {})" if isinstance(node, n.Div) else "({} % {})", left, right)


# Binders


def _domain_of(w: Writer, domain: n.Node) -> Generator[n.Node, Code, Domain]:
    item = item_of(domain)
    match domain:
        case n.Universe():
            text = w.listed(item)
        case n.Const():
            elements = tuple(sorted(domain.value, key=item.order))
            text = w.module.constant(elements, ("elements", domain.type, elements))
        case n.IntRange():
            low = yield domain.low
            high = yield domain.high
            text = f"range({low.text}, {high.text} + 1)"
        case _:
            code = yield domain
            return Domain(code.text, sorted_by(w, code, item))
    return Domain(text, text)


def sorted_by(w: Writer, code: Code, item: Type) -> str:
    """The elements of a set, in their order."""
    key = "" if isinstance(item, Int) else f", key={w.rank(item)}"
    return f"sorted({code.text}{key})"


def _body(
    w: Writer, node: OverSet | n.SeqFilter | n.MapBuild
) -> Generator[n.Node, Code, tuple[str, Code, Lines, bool]]:
    """The loop's variable, and its body: code, lines, and whether it may go out of bounds."""
    raises = w.raises
    w.open()
    name = w.module.fresh("x")
    w.know(node.var, Code(name, 0))
    code = yield node.body
    return name, code, w.close(), w.raises > raises


def _quantified(w: Writer, node: n.Forall | n.Exists) -> Steps:
    every = isinstance(node, n.Forall)
    domain = yield from _domain_of(w, node.domain)
    name, code, lines, ordered = yield from _body(w, node)
    result = w.module.fresh("t")
    w.write(f"{result} = {every}", f"for {name} in {domain.ordered if ordered else domain.unordered}:")
    w.block([*lines, f"if {'not ' if every else ''}{code.text}:", [f"{result} = {not every}", "break"]])
    return Code(result, 0)


def _choose(w: Writer, node: n.Choose) -> Steps:
    domain = yield from _domain_of(w, node.domain)
    name, code, lines, _ = yield from _body(w, node)
    elements = domain.ordered
    if node.order:
        places = {value: place for place, value in enumerate(node.order)}
        table = w.module.constant(places, ("places", node.type, node.order))
        elements = f"sorted({domain.unordered}, key={table}.__getitem__)"
    w.write(f"for {name} in {elements}:")
    w.block([*lines, f"if {code.text}:", ["break"]])
    w.write("else:")
    w.open()
    w.fail(w.error(node, f"there is no {node.var.name} to choose"))
    w.block(w.close())
    return Code(name, 0)


def _set_built(w: Writer, node: n.SetFilter | n.SetMap) -> Steps:
    domain = yield from _domain_of(w, node.domain)
    name, code, lines, ordered = yield from _body(w, node)
    elements = domain.ordered if ordered else domain.unordered
    member = (name, code.text) if isinstance(node, n.SetFilter) else (code.text,)
    return _gathered(w, "frozenset", name, elements, lines, *member)


def _seq_filter(w: Writer, node: n.SeqFilter) -> Steps:
    items = yield node.domain
    name, code, lines, _ = yield from _body(w, node)
    return _gathered(w, "tuple", name, items.text, lines, name, code.text)


def _map_build(w: Writer, node: n.MapBuild) -> Steps:
    assert isinstance(node.type, Map)
    name, code, lines, _ = yield from _body(w, node)
    return _gathered(w, "tuple", name, w.listed(node.type.key), lines, code.text)


def _gathered(
    w: Writer, kind: str, name: str, elements: str, lines: Lines, member: str, test: str = ""
) -> Code:
    """A loop over elements that gathers members, where a test holds if there is one."""
    found = w.module.fresh("t")
    add = f"{found}.append({member})"
    w.write(f"{found} = []", f"for {name} in {elements}:")
    w.block([*lines, f"if {test}:", [add]] if test else [*lines, add])
    return Code(f"{kind}({found})")


def _tuple_of(parts: list[Code]) -> Code:
    if not parts:
        return Code("()", 0)
    return Code(f"({''.join(f'{part.text}, ' for part in parts)})", 1 + max(part.depth for part in parts))


# Sets


def _set_of(w: Writer, node: n.SetOf) -> Steps:
    parts = yield from w.all_of(node.items)
    return joined(f"frozenset(({'{}, ' * len(parts)}))", *parts)


def _member(w: Writer, node: n.Member) -> Steps:
    element = yield node.element
    domain, kind = node.domain, item_of(node.domain)
    if not isinstance(domain, n.Universe):
        return joined("({} in {})", element, (yield domain))
    if kind.includes(node.element.type):
        return Code("True", 0)
    return joined(f"{w.module.constant(kind, ('type', kind))}.contains({{0}})", element)


def _subset(w: Writer, node: n.Subset) -> Steps:
    left = yield node.left
    right = node.right
    if isinstance(right, n.Universe) and right.type.includes(node.left.type):
        return Code("True", 0)
    return joined("({} <= {})", left, (yield right))


def _extreme(w: Writer, node: n.MinOf | n.MaxOf) -> Steps:
    function = "min" if isinstance(node, n.MinOf) else "max"
    items = w.named((yield node.item))
    w.check(items, w.error(node, f"the {function}imum of an empty set"))
    return Code(f"{function}({items})")


# Maps


def _apply(w: Writer, node: n.Apply) -> Steps:
    map_ = yield node.map
    key = yield node.key
    place = _key_place(w, node, node.map.type, key)
    return Code(f"{map_.text}[{place.text}]", 1 + max(map_.depth, place.depth))


def _map_update(w: Writer, node: n.MapUpdate) -> Steps:
    map_ = yield node.map
    key = yield node.key
    value = yield node.value
    return _replaced(w, map_, _key_place(w, node, node.map.type, key), value)


def _key_place(w: Writer, node: n.Apply | n.MapUpdate, kind: Type, key: Code) -> Code:
    """The place of a key's value in a map's tuple."""
    assert isinstance(kind, Map)
    if not kind.key.includes(node.key.type):
        key = Code(w.named(key), 0)
        _check_type(w, node, node.key.type, kind.key, key.text)
    if isinstance(kind.key, Int):
        return key if kind.key.low == 0 else joined(f"({{}} - ({kind.key.low}))", key)
    return Code(f"{w.places(kind.key)}[{key.text}]", 1 + key.depth)


def _replaced(w: Writer, whole: Code, place: Code, value: Code) -> Code:
    """A tuple with another value at a place."""
    name, at = w.named(whole), w.named(place)
    return Code(f"({name}[:{at}] + ({value.text},) + {name}[{at} + 1:])", 2 + value.depth)


# Tuples, records, options, unions


def _made(w: Writer, node: n.MakeTuple | n.MakeRecord | n.MakeSeq) -> Steps:
    return _tuple_of((yield from w.all_of(node.items)))


def _component(w: Writer, node: n.Component) -> Steps:
    whole = yield node.item
    return Code(f"{whole.text}[{node.position}]", 1 + whole.depth)


def _component_update(w: Writer, node: n.ComponentUpdate) -> Steps:
    whole = yield node.item
    value = yield node.value
    return _replaced(w, whole, Code(str(node.position), 0), value)


def _get(w: Writer, node: n.Get) -> Steps:
    name = w.named((yield node.item))
    w.check(f"{name} is not None", w.error(node, "the value of None"))
    return Code(name, 0)


def _make_variant(w: Writer, node: n.MakeVariant) -> Steps:
    payload = yield node.payload
    return _tuple_of([Code(_tag(w, node.tag), 0), payload])


def _is_variant(w: Writer, node: n.IsVariant) -> Steps:
    return joined(f"({{}}[0] == {_tag(w, node.tag)})", (yield node.item))


def _payload(w: Writer, node: n.Payload) -> Steps:
    name = w.named((yield node.item))
    w.check(f"{name}[0] == {_tag(w, node.tag)}", w.error(node, f"the value is no {node.tag}"))
    return Code(f"{name}[1]")


def _tag(w: Writer, tag: str) -> str:
    return w.module.constant(tag, ("tag", tag))


# Sequences


def _index(w: Writer, node: n.Index) -> Steps:
    items = yield node.item
    place = yield node.place
    whole, at = _checked_place(w, node, items, place)
    return Code(f"{whole}[{at} - 1]")


def _seq_update(w: Writer, node: n.SeqUpdate) -> Steps:
    items = yield node.item
    place = yield node.place
    value = yield node.value
    whole, at = _checked_place(w, node, items, place)
    return Code(f"({whole}[:{at} - 1] + ({value.text},) + {whole}[{at}:])", 2 + value.depth)


def _checked_place(w: Writer, node: n.Node, items: Code, place: Code) -> tuple[str, str]:
    whole, at = w.named(items), w.named(place)
    w.check(f"1 <= {at} <= len({whole})", w.error(node, "a place outside the sequence"))
    return whole, at


def _slice(w: Writer, node: n.Slice) -> Steps:
    items = yield node.item
    first = yield node.first
    last = yield node.last
    whole, low, high = w.named(items), w.named(first), w.named(last)
    inside = f"({low} > {high} or 1 <= {low} and {high} <= len({whole}))"
    w.check(inside, w.error(node, "a slice outside the sequence"))
    return Code(f"({whole}[{low} - 1:{high}] if {low} <= {high} else ())", 2)


def _operands_of(template: str) -> Rule:
    """The rule of a kind that only combines its operands, each of which stands in a pair of braces."""

    def rule(w: Writer, node: n.Node) -> Steps:
        return joined(template, *(yield from w.all_of(n.children(node))))

    return rule


_TEMPLATES = {
    n.Not: "(not {})",
    n.Eq: "({} == {})",
    n.Add: "({} + {})",
    n.Sub: "({} - {})",
    n.Mul: "({} * {})",
    n.Lt: "({} < {})",
    n.Le: "({} <= {})",
    n.IntRange: "frozenset(range({}, {} + 1))",
    n.SetUnion: "({} | {})",
    n.SetIntersect: "({} & {})",
    n.SetMinus: "({} - {})",
    n.BigUnion: "frozenset().union(*{})",
    n.Cardinality: "len({})",
    n.IsSome: "({} is not None)",
    n.Concat: "({} + {})",
    n.Len: "len({})",
}
RULES: Mapping[type[n.Node], Rule] = complete(
    {
        **{kind: _operands_of(template) for kind, template in _TEMPLATES.items()},
        n.Const: _const,
        n.StateVar: _state_var,
        n.PickVar: _unknown,
        n.Bound: _unknown,
        n.Universe: _universe,
        n.Undefined: _undefined,
        n.Coerce: _coerce,
        n.And: _connected,
        n.Or: _connected,
        n.Implies: _implies,
        n.Ite: _ite,
        n.Div: _divided,
        n.Mod: _divided,
        n.Forall: _quantified,
        n.Exists: _quantified,
        n.Choose: _choose,
        n.SetFilter: _set_built,
        n.SeqFilter: _seq_filter,
        n.SetMap: _set_built,
        n.MapBuild: _map_build,
        n.SetOf: _set_of,
        n.Member: _member,
        n.Subset: _subset,
        n.MinOf: _extreme,
        n.MaxOf: _extreme,
        n.Apply: _apply,
        n.MapUpdate: _map_update,
        n.MakeTuple: _made,
        n.MakeRecord: _made,
        n.MakeSeq: _made,
        n.Component: _component,
        n.ComponentUpdate: _component_update,
        n.Get: _get,
        n.MakeVariant: _make_variant,
        n.IsVariant: _is_variant,
        n.Payload: _payload,
        n.Index: _index,
        n.SeqUpdate: _seq_update,
        n.Slice: _slice,
    }
)
"""The rule of each kind of node but `Invalid`, which no finished model contains."""


def function_of(
    root: n.Node, variables: Mapping[str, int], picks: Iterable[str] = (), source: Source = ANYWHERE
) -> Callable[[Any, Mapping[str, Any]], Any]:
    """Compile an expression to a function `(state, picks) -> value`, which raises OutOfBounds.

    Args:
        root: an expression over state variables and picks.
        variables: the position of each state variable in a state.
        picks: the names of the picks that have a value.
        source: the property that it is a part of, for errors.
    """
    module = Module()
    writer = Writer(module, variables, (root,), RULES)
    writer.source = source
    known = set(picks)
    for node in n.postorder(root):
        if isinstance(node, n.PickVar) and node.name in known:
            name = writer.store(f"picks[{module.constant(node.name)}]")
            writer.know(node, Code(name, 0))
    result = writer.translate(root)
    writer.write(f"return {result.text}")
    module.define("value", "state, picks", writer.lines)
    function: Callable[[Any, Mapping[str, Any]], Any] = module.load()["value"]
    return function
