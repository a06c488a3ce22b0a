"""Parsing: the text of a module becomes its syntax tree, or all its mistakes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from functools import cache

import tree_sitter
import tree_sitter_tlaplus

from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.complaints import complaints, place_of, unclosed
from leadline.symbolic.tla.read.read_expressions import (
    ExpressionReader,
    Tree,
    meaningful,
    of_kind,
    part,
    parts,
)
from leadline.symbolic.tla.read.text import untranslated_algorithm, with_plain_names, without_comments


@cache
def language() -> tree_sitter.Language:
    """The grammar of TLA+."""
    with warnings.catch_warnings():
        # The grammar's package hands over its address as an integer, which the parser would rather not take.
        warnings.simplefilter("ignore", DeprecationWarning)
        return tree_sitter.Language(tree_sitter_tlaplus.language())


def parse(text: str, file: str) -> tuple[s.Module, ...]:
    """The modules in a file's text; the first one has the file's name.

    Args:
        file: the name for places.

    Raises:
        ModelError: with every mistake in the syntax.
    """
    offset = untranslated_algorithm(text)
    if offset is not None:
        repair = f"translate it by `java -cp tla2tools.jar pcal.trans {file}`"
        raise ModelError(
            [Mistake(place_of(text, offset, file), f"the algorithm has no translation: {repair}")]
        )
    bare = without_comments(text)
    tree = tree_sitter.Parser(language()).parse(with_plain_names(bare))
    reader = _Reader(bare, file)
    if tree.root_node.has_error or unclosed(bare):
        raise ModelError(complaints(language(), bare, file))
    modules = tuple(reader.module(node) for node in tree.root_node.named_children if node.type == "module")
    if not modules:
        reader.wrong(tree.root_node, "expected `---- MODULE name ----`")
    if reader.mistakes:
        raise ModelError(reader.mistakes)
    return modules


# A number of a module may have any length: Python's limit is against those that come from strangers.
sys.set_int_max_str_digits(0)


class _Reader(ExpressionReader):
    """A reading of modules and their units."""

    def module(self, node: Tree) -> s.Module:
        """A module with its units."""
        name = part(node, "name")
        extends: tuple[s.Apply, ...] = ()
        units: list[s.Unit] = []
        for child in node.named_children:
            if child.type == "extends":
                refs = child.named_children
                extends = tuple(s.Apply(self.name(one), place=self.place(one)) for one in refs)
            elif child.type not in ("header_line", "identifier", "double_line"):
                units += self.unit(child)
        return s.Module(self.name(name), extends, tuple(units), place=self.place(name))

    def unit(self, node: Tree, local: bool = False) -> Iterator[s.Unit]:
        """The units that a node declares or defines: none for lines and for hints to a prover."""
        place = self.place(node)
        match node.type:
            case "constant_declaration":
                yield s.Constants(tuple(map(self.parameter, node.named_children)), place=place)
            case "variable_declaration":
                yield s.Variables(tuple(map(self.parameter, node.named_children)), place=place)
            case "recursive_declaration":
                yield s.Recursive(tuple(map(self.parameter, node.named_children)), place=place)
            case "operator_definition":
                name = part(node, "name")
                parameters = tuple(map(self.parameter, parts(node, "parameter")))
                body = self.expr(part(node, "definition"))
                yield s.Definition(self.name(name), parameters, body, local, place=self.place(name))
            case "function_definition":
                name, bounds = part(node, "name"), self.bounds(of_kind(node, "quantifier_bound"))
                body = self.expr(part(node, "definition"))
                function = s.Function(bounds, body, self.name(name), place=place)
                yield s.Definition(self.name(name), (), function, local, place=place)
            case "instance":
                yield self.instance(node, None, (), local)
            case "module_definition":
                parameters = tuple(map(self.parameter, parts(node, "parameter")))
                yield self.instance(part(node, "definition"), part(node, "name"), parameters, local)
            case "local_definition":
                yield from self.unit(node.named_children[0], local=True)
            case "assumption":
                named = node.child_by_field_name("name")
                body = self.expr(node.named_children[-1])
                yield s.Assumption(named and self.name(named), body, place=place)
            case "theorem":
                yield self.theorem(node, place)
            case "module":
                yield self.module(node)

    def theorem(self, node: Tree, place: s.Place) -> s.Theorem:
        """A theorem. Statements that only a prover reads are left out."""
        named, statement = node.child_by_field_name("name"), part(node, "statement")
        body = None if statement.type == "assume_prove" else self.expr(statement)
        return s.Theorem(named and self.name(named), body, place=place)

    def instance(
        self, node: Tree, name: Tree | None, parameters: tuple[s.Parameter, ...], local: bool
    ) -> s.Instance:
        """An instance of a module."""
        pairs = [meaningful(one) for one in of_kind(node, "substitution")]
        given = tuple((self.name(pair[0]), self.argument(pair[-1])) for pair in pairs)
        (module,) = of_kind(node, "identifier_ref")
        place = self.place(name or node)
        return s.Instance(self.name(module), given, name and self.name(name), parameters, local, place=place)
