"""Modules as tree-sitter's grammar of TLA+ reads them, and what is asked of every module."""

import functools
import warnings
from collections.abc import Iterator

import tree_sitter_tlaplus
from tree_sitter import Language, Node, Parser

from leadline.symbolic.export import module_name, tla_module, tlc_config
from leadline.symbolic.lang import Action, Model
from leadline.symbolic.notation.names import EXTENDED

_BINDING = ("operator_definition", "quantifier_bound")


@functools.cache
def parser() -> Parser:
    """The parser."""
    with warnings.catch_warnings():
        # The grammar's package hands over its address as an integer, which the parser would rather not take.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Parser(Language(tree_sitter_tlaplus.language()))


def text_of(node: Node) -> str:
    """The text of a node."""
    assert node.text is not None
    return node.text.decode()


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    yield node
    for child in node.children:
        yield from walk(child)


def parsed(text: str) -> Node:
    """The tree of a module, in which everything was understood and nothing was missing."""
    root = parser().parse(text.encode()).root_node
    wrong = [(node.start_point, text_of(node)) for node in walk(root) if node.is_error or node.is_missing]
    assert not wrong, text
    (module,) = root.children
    assert module.type == "module"
    return module


def names_in(node: Node) -> list[str]:
    """The names that a declaration, a definition or a quantifier introduces."""
    return [text_of(child) for child in node.children if child.type == "identifier"]


def definitions(module: Node) -> dict[str, Node]:
    """The module's operators by name, each once."""
    found = [node for node in module.children if node.type == "operator_definition"]
    named = {names_in(node)[0]: node for node in found}
    assert len(named) == len(found)
    return named


def declared(module: Node, kind: str) -> list[str]:
    """The constants (`constant_declaration`) or variables of a module, in order."""
    return [name for node in module.children if node.type == kind for name in names_in(node)]


def check_scopes(node: Node, scope: frozenset[str]) -> None:
    """Check that every name means something and none hides another.

    Args:
        node: where to look.
        scope: what means something there.
    """
    bound = _bound_by(node)
    assert len(set(bound)) == len(bound), text_of(node)
    assert scope.isdisjoint(bound), (scope & set(bound), text_of(node))
    inside = scope.union(bound)
    if node.type == "identifier_ref":
        assert text_of(node) in scope, text_of(node)
    for place, child in enumerate(node.children):
        field = child.type == "identifier_ref" and (
            node.type == "except_update_record_field" or (node.type == "record_value" and place > 0)
        )
        # What a variable ranges over lies outside of its scope.
        domain = child.type == "quantifier_bound" or (
            node.type == "choose" and place > 0 and node.children[place - 1].type == "set_in"
        )
        if not field:
            check_scopes(child, scope if domain else inside)


def _bound_by(node: Node) -> list[str]:
    if node.type in ("choose", "lambda"):
        return names_in(node)
    if node.type == "operator_definition":
        return names_in(node)[1:]
    inside = [child for child in node.children if child.type in _BINDING]
    if node.type == "let_in":
        return [names_in(child)[0] for child in inside]
    return [name for child in inside if child.type == "quantifier_bound" for name in names_in(child)]


def assigned(operator: Node) -> list[str]:
    """The variables whose next values an operator gives, in its order."""
    primed = [node for node in walk(operator) if node.type == "bound_postfix_op"]
    return [text_of(node.children[0]) for node in primed]


def unchanged(operator: Node, variables: list[str]) -> list[str]:
    """The variables that an operator leaves as they are, in its order."""
    kept: list[str] = []
    for node in walk(operator):
        if node.type == "bound_prefix_op" and node.children[0].type == "unchanged":
            names = [text_of(x) for x in walk(node.children[1]) if x.type == "identifier_ref"]
            kept += variables if names == ["vars"] else names
    return kept


def check_module(model: Model) -> Node:
    """Check the module of a model: it is TLA+, with the model's operators and no name twice."""
    text = tla_module(model)
    module = parsed(text)
    assert names_in(module) == [module_name(model)]
    variables = declared(module, "variable_declaration")
    assert len(variables) == len(model.variables)
    operators = definitions(module)
    globals_ = [*declared(module, "constant_declaration"), *variables, *operators]
    assert len(set(globals_)) == len(globals_)
    assert EXTENDED.isdisjoint(globals_)
    for operator in operators.values():
        check_scopes(operator, EXTENDED.union(globals_))
    called = [text_of(node) for node in walk(operators["Next"]) if node.type == "identifier_ref"]
    assert len(called) == len(model.actions)
    for action, name in zip(model.actions, called, strict=True):
        check_frame(model, action, operators[name], variables)
    check_configuration(model, operators, declared(module, "constant_declaration"))
    return module


def check_frame(model: Model, action: Action, operator: Node, variables: list[str]) -> None:
    """The action assigns its updates, and leaves exactly the other variables unchanged."""
    named = {one.name: name for one, name in zip(model.variables, variables, strict=True)}
    updated = [named[name] for name, _ in action.updates]
    assert assigned(operator) == updated
    assert unchanged(operator, variables) == [name for name in variables if name not in updated]


def check_configuration(model: Model, operators: dict[str, Node], constants: list[str]) -> None:
    """The configuration gives every constant a value, and names operators that there are."""
    lines = tlc_config(model).splitlines()
    assert [line.split()[0] for line in lines if " = " in line] == constants
    invariants = lines[lines.index("INVARIANTS") + 1 :]
    listed = [line.strip() for line in invariants if not line.startswith("\\*")]
    end = listed.index("PROPERTIES") if "PROPERTIES" in listed else len(listed)
    named = [*listed[:end], *listed[end + 1 :]]
    about_states = [name for name in model.claimed if model.properties[name].temporal is None]
    assert named[0] == "InBounds"
    assert (end, len(named)) == (len(about_states) + 1, len(model.claimed) + 1)
    assert {"Spec", *named} <= operators.keys()
    assert ("\\* SYMMETRY Symmetry" in lines) == ("Symmetry" in operators)
