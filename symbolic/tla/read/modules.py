"""Modules: where they are found, and the names that EXTENDS and INSTANCE bring in."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from leadline.symbolic.files import is_there
from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.levels import Judged, Level
from leadline.symbolic.tla.read.parse import parse
from leadline.symbolic.tla.read.resolve import Names, Resolver, Symbol, Written, undefined
from leadline.symbolic.tla.read.standard import BUILT_IN, CORE, LIBRARY, OVERRIDDEN, STANDARD
from leadline.symbolic.tla.read.text import module_text


@dataclass
class Files:
    """The files in which modules are looked for: those of the folders in their order, then the library."""

    folders: Sequence[Path]
    known: dict[str, s.Module] = field(default_factory=dict)

    def read(self, path: Path) -> s.Module:
        """The first module of a file; the others of the file are known from then on.

        Raises:
            ModelError: with the mistakes in its syntax.
            UserError: if the file cannot be read.
        """
        first, *others = parse(module_text(path), str(path))
        for module in (first, *others):
            self.known.setdefault(module.name, module)
        return first

    def find(self, name: str) -> s.Module | None:
        """The module of a name; None if there is none."""
        first = [LIBRARY] if name in OVERRIDDEN else []
        for folder in (*first, *self.folders, LIBRARY):
            if name not in self.known and is_there(folder / f"{name}.tla"):
                self.read(folder / f"{name}.tla")
        return self.known.get(name)

    def lacking(self, name: str) -> str:
        """The message about a module that is not found."""
        folders = ", ".join(map(str, self.folders))
        return f"there is no module {name}: expected {name}.tla in {folders} or on --path"

    def reached(self, name: str) -> set[str]:
        """A module with those that it extends, and those of its instances without a name, directly or not."""
        found, todo = set[str](), [name]
        while todo:
            one = todo.pop()
            if one in found:
                continue
            found.add(one)
            if one in STANDARD:
                todo += STANDARD[one].extends
            elif (module := self.known.get(one)) is not None:
                todo += [reference.operator for reference in module.extends]
                todo += [x.module for x in module.units if isinstance(x, s.Instance) and x.name is None]
        return found


@dataclass
class Copy:
    """The definitions of a module and of those that it extends, as an instance has them.

    The specification itself is a copy without a substitution, whose constants and variables stay.

    Attributes:
        emit: takes each definition.
        qualifier: the beginning of the definitions' names, such as `M!`.
        suffix: the end of bound names.
        parameters: those of the instance, which all its definitions have first.
        substitute: the meaning of a constant or variable; None where they stay.
        entered: the names of each module of the copy.
        nested: the modules within these, with the names around them.
        hidden: the definitions that stand for its variables.
    """

    emit: Callable[[s.Definition], None]
    qualifier: str = ""
    suffix: str = ""
    parameters: tuple[s.Parameter, ...] = ()
    substitute: Callable[[s.Parameter, bool], Symbol] | None = None
    entered: dict[str, dict[str, Symbol]] = field(default_factory=dict)
    nested: dict[str, tuple[s.Module, Names]] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)

    @cached_property
    def given(self) -> tuple[s.Expression, ...]:
        """The parameters as arguments."""
        return tuple(s.Apply(one.name, place=one.place) for one in self.parameters)


class Loader:
    """The modules of one specification, read and resolved.

    Attributes:
        constants: the declared constants.
        variables: the declared variables, in their order.
        written: the definitions by key, as they are written.
        definitions: the resolved definitions by key.
        assumptions: the resolved assumptions.
        inside: for the key of each definition that an instance has of its own, the keys of all that it has. An
            instance of a module without constants and variables has none if it is neither named nor LOCAL.
        hidden: the definitions that stand for variables of instances.
        instead: what stands for constants and variables of modules with variables, and its highest level.
        judged: what is known of definitions by their levels.
        mistakes: the mistakes found.
        lacking: whether a module is not found, so that names may be unknown for its lack alone.
        warnings: what is probably not meant, but has a meaning.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self.constants: list[s.Parameter] = []
        self.variables: list[s.Parameter] = []
        self.definitions: dict[str, s.Definition] = {}
        self.assumptions: list[s.Expression] = []
        self.mistakes: list[Mistake] = []
        self.lacking = False
        self.warnings: list[Mistake] = []
        self.written: dict[str, Written] = {}
        self.inside: dict[str, Sequence[str]] = {}
        self.hidden: list[str] = []
        self.instead: list[tuple[str, s.Expression, Level]] = []
        self.judged: dict[int, Judged] = {}
        self.copies = 0
        self.keys: set[str] = set(BUILT_IN)
        self._within: list[str] = []  # the modules that are being resolved

    def load(self, module: s.Module) -> Names:
        """Read a specification's main module.

        Returns:
            The names that are visible at its end.

        Raises:
            ModelError: with all mistakes.
        """
        try:
            names, _ = self.enter(module, Copy(self._keep), self._core())
        except ModelError as error:
            raise ModelError([*self.mistakes, *error.mistakes]) from error
        if self.mistakes:
            raise ModelError(self.mistakes)
        return names

    def resolver(self, copy: Copy) -> Resolver:
        """The resolution of a copy's expressions."""

        def instance(
            unit: s.Instance, names: Names, emit: Callable[[s.Definition], None]
        ) -> dict[str, Symbol]:
            inside = replace(copy, emit=emit, parameters=())
            return self.instance(unit, inside, names)

        return Resolver(self.mistakes, instance, lambda: self.lacking, copy.suffix, copy.hidden, self.written)

    def enter(self, module: s.Module, copy: Copy, around: Names) -> tuple[Names, dict[str, Symbol]]:
        """Resolve a module.

        Args:
            around: the names of the module that it is nested in, or those that need no module.

        Returns:
            The names visible within it, and those that others see.
        """
        if module.name in self._within:
            chain = " -> ".join([*self._within[self._within.index(module.name) :], module.name])
            text = f"{chain}: a module extends or instantiates itself: expected none that does"
            self.mistakes.append(Mistake(module.place, text))
            return around, {}
        self._within.append(module.name)
        try:
            return _Entry(self, module, copy, around).run()
        finally:
            self._within.pop()

    def extend(self, reference: s.Apply, copy: Copy) -> dict[str, Symbol]:
        """The names of a module that is extended in a copy."""
        name = reference.operator
        if name not in copy.entered:
            if (standard := self._standard(name)) is not None:
                copy.entered[name] = standard
            elif (module := self._find(name, reference.place)) is not None:
                copy.entered[name] = {}
                copy.entered[name] = self.enter(module, copy, self._core())[1]
        return copy.entered.get(name, {})

    def instance(self, unit: s.Instance, copy: Copy, names: Names) -> dict[str, Symbol]:
        """The names that an instance adds to those around it."""
        standard = self._standard(unit.module)
        nested = copy.nested.get(unit.module)
        module = nested[0] if nested else None if standard else self._find(unit.module, unit.place)
        prefix = f"{unit.name}!" if unit.name is not None else ""
        if standard is not None:
            return {prefix + name: symbol for name, symbol in standard.items()}
        if module is None:
            return {}
        for one in unit.parameters:
            self.resolver(copy).declare(one.name, one.arity, one.place, names)
        self.copies += 1
        suffix = f"@{self.copies}"
        # A name that the module binds may be that of a parameter, and is another.
        own = tuple(replace(one, name=f"{one.name}{suffix}@") for one in unit.parameters)
        pairs = zip(unit.parameters, own, strict=True)
        inner = names.new_child(
            {one.name: Symbol(renamed.name, (0,) * one.arity, place=one.place) for one, renamed in pairs}
        )
        made = Copy(copy.emit, copy.qualifier + prefix, suffix, (*copy.parameters, *own))
        made.nested = dict(copy.nested) if nested else {}
        substitution = _Substitution(self, unit, module, made, self.resolver(copy), inner)
        made.substitute = substitution
        before = len(self.definitions)
        _, exports = self.enter(module, made, nested[1] if nested else self._core())
        substitution.finish()
        if unit.name is not None or unit.local or substitution.used:
            keys = [*self.definitions][before:]
            for key in keys:
                self.inside.setdefault(key, keys)
        arities = tuple(one.arity for one in own)
        return {
            prefix + name: replace(symbol, arities=(*arities, *symbol.arities), given=copy.given)
            if symbol.given
            else symbol
            for name, symbol in exports.items()
            if name not in substitution.used
        }

    def unique(self, name: str, module: s.Module, copy: Copy) -> str:
        """A key for a name."""
        key = copy.qualifier + name
        if key in self.keys:
            key = f"{key}@{module.name}{copy.suffix}"
        self.keys.add(key)
        return key

    def same(self, one: Symbol, other: Symbol) -> bool:
        """Whether two meanings of a name are one: the same definition, or definitions by the same words."""
        if one.key == other.key or (one.place == other.place != s.BUILT_IN):
            return True
        words, others = self.written.get(one.key), self.written.get(other.key)
        return words is not None and others is not None and words.unit == others.unit

    def resolved(self, resolver: Resolver, unit: s.Definition, symbol: Symbol, names: Names) -> s.Definition:
        """A definition of a module with resolved names."""
        return resolver.definition(unit, symbol, names)

    def _keep(self, definition: s.Definition) -> None:
        self.definitions[definition.name] = definition

    def _core(self) -> Names:
        return ChainMap({name: Symbol(name, arities) for name, arities in CORE.items()})

    def _standard(self, name: str) -> dict[str, Symbol] | None:
        module = STANDARD.get(name)
        if module is None:
            return None
        found = {key: Symbol(key, arities) for key, arities in module.operators.items()}
        for other in module.extends:
            found |= self._standard(other) or {}
        return found

    def _find(self, name: str, place: s.Place) -> s.Module | None:
        module = self.files.find(name)
        if module is None:
            self.mistakes.append(Mistake(place, self.files.lacking(name)))
            self.lacking = True
        return module


@dataclass
class _Substitution:
    """The meaning of an instance's constants and variables: that of WITH, or of the name around it."""

    loader: Loader
    unit: s.Instance
    module: s.Module
    copy: Copy
    resolver: Resolver
    around: Names
    used: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    found: list[tuple[str, s.Expression, Level]] = field(default_factory=list)

    def __call__(self, declared: s.Parameter, variable: bool) -> Symbol:
        """The meaning of a constant or variable of the module."""
        name, arities = declared.name, (0,) * declared.arity
        given: Mapping[str, s.Expression] = dict(self.unit.substitutions)
        self.used.add(name)
        if name not in given and name not in self.around:
            text = (
                f"the instance of {self.module.name} says nothing of its {name}, declared at {declared.place}"
            )
            self.resolver.wrong(self.unit.place, f"{text}: expected `{name} <- ...`")
            return Symbol(name, arities, place=declared.place)
        written = given.get(name, s.Apply(name, place=self.unit.place))
        found = self.resolver.argument(written, declared.arity, self.around)
        if not arities:
            self.found.append((name, found, Level.STATE if variable else Level.CONSTANT))
        hidden = variable and not self._is_variable(found)
        if isinstance(found, s.Apply) and (arities or not found.arguments) and not hidden:
            return Symbol(name, arities, place=declared.place, instead=found)
        if isinstance(found, s.Number | s.String) and not hidden:
            return Symbol(name, place=declared.place, instead=found)
        parameters, body = (found.parameters, found.body) if isinstance(found, s.Lambda) else ((), found)
        key = self.loader.unique(name, self.module, self.copy)
        self.copy.hidden += [key] if hidden else []
        self.loader.hidden += [key] if hidden else []
        self.copy.emit(s.Definition(key, (*self.copy.parameters, *parameters), body, place=declared.place))
        return Symbol(key, arities, self.copy.given, declared.place)

    def _is_variable(self, e: s.Expression) -> bool:
        """Whether an expression is a variable that stands for no other one of the module."""
        names = {one.name for one in (*self.loader.variables, *self.copy.parameters)} - self.taken
        if not isinstance(e, s.Apply) or e.operator not in names:
            return False
        self.taken.add(e.operator)
        return True

    def finish(self) -> None:
        """Tell of substitutions for names that the module does not declare, or that are given twice."""
        if any(level is Level.STATE for *_, level in self.found):
            self.loader.instead += self.found
        written = [name for name, _ in self.unit.substitutions]
        for place, (name, expression) in enumerate(self.unit.substitutions):
            if name in written[:place]:
                self.resolver.wrong(expression.place, f"{name} is given twice: expected one `{name} <- ...`")
            if name not in self.used:
                text = f"{self.module.name} declares no constant or variable {name}"
                self.resolver.wrong(expression.place, text)


@dataclass
class _Entry:
    """A module being resolved, unit by unit."""

    loader: Loader
    module: s.Module
    copy: Copy
    around: Names

    def run(self) -> tuple[Names, dict[str, Symbol]]:
        """Resolve all units."""
        self.names = self.around.new_child()
        self.exports: dict[str, Symbol] = {}
        self.recursive: dict[str, s.Place] = {}
        self.resolver = self.loader.resolver(self.copy)
        weak = Path(self.module.place.file).parent == LIBRARY
        for reference in self.module.extends:
            for name, symbol in self.loader.extend(reference, self.copy).items():
                if weak or not self._is_hidden(name, symbol, reference.operator, reference.place):
                    self.add(name, replace(symbol, weak=True) if weak else symbol, reference.place)
        for unit in self.module.units:
            self.unit(unit)
        for name, place in self.recursive.items():
            self.resolver.wrong(place, undefined(name))
        return self.names, self.exports

    def _is_hidden(self, name: str, symbol: Symbol, module: str, place: s.Place) -> bool:
        """Whether an earlier definition takes the place of one that a module brings; a warning tells it."""
        known = self.names.get(name)
        if known is None or known.weak or symbol.weak or self.loader.same(known, symbol):
            return False
        if not all(x.key in self.loader.written or x.place == s.BUILT_IN for x in (known, symbol)):
            return False
        text = f"{name} of {module} is not used: it is defined {known.where} already"
        self.loader.warnings.append(Mistake(place, text))
        return True

    def unit(self, unit: s.Unit) -> None:
        """Add the names of a unit."""
        match unit:
            case s.Constants(names):
                for one in names:
                    self.declare(one, self.loader.constants)
            case s.Variables(names):
                for one in names:
                    self.declare(one, self.loader.variables)
            case s.Recursive(names):
                for one in names:
                    self.recursive[one.name] = one.place
                    key = self.loader.unique(one.name, self.module, self.copy)
                    symbol = Symbol(key, (0,) * one.arity, self.copy.given, one.place)
                    self.add(one.name, symbol, one.place, local=True)
            case s.Definition():
                self.define(unit)
            case s.Instance():
                for name, symbol in self.loader.instance(unit, self.copy, self.names).items():
                    known = self.names.get(name) if unit.name is None else None
                    alike = known is not None and known.arities == symbol.arities
                    if not alike or not self._is_hidden(name, symbol, unit.module, unit.place):
                        self.add(name, symbol, unit.place, local=unit.local)
            case s.Assumption(name, body):
                if self.copy.substitute is None:
                    self.loader.assumptions.append(self.resolver.expr(body, self.names))
                if name is not None:
                    self.define(s.Definition(name, (), body, place=unit.place))
            case s.Theorem(str(name), body) if body is not None:
                before = len(self.loader.mistakes)
                self.define(s.Definition(name, (), body, place=unit.place))
                # Only provers know all the names in some theorems, and nothing depends on these.
                del self.loader.mistakes[before:]
            case s.Module(name):
                self.copy.nested[name] = (unit, ChainMap(dict(self.names)))

    def declare(self, one: s.Parameter, among: list[s.Parameter]) -> None:
        """Add a constant or a variable."""
        known = self.names.maps[0].get(one.name)
        if known is not None and (
            self.copy.substitute is not None or any(x.name == known.key for x in among)
        ):
            self.exports[one.name] = known
            if self.copy.substitute is None and one.place != known.place:
                text = f"{one.name} is declared twice, as at {known.place}: one of the two is enough"
                self.loader.warnings.append(Mistake(one.place, text))
            return
        if self.copy.substitute is not None:
            variable = among is self.loader.variables
            self.add(one.name, self.copy.substitute(one, variable), one.place)
            return
        key = self.loader.unique(one.name, self.module, self.copy)
        if self.add(one.name, Symbol(key, (0,) * one.arity, place=one.place), one.place):
            among.append(replace(one, name=key))

    def define(self, unit: s.Definition) -> None:
        """Add a definition."""
        if self.recursive.pop(unit.name, None) is None:
            arities = tuple(one.arity for one in unit.parameters)
            key = self.loader.unique(unit.name, self.module, self.copy)
            symbol = Symbol(key, arities, self.copy.given, unit.place)
            made = self.loader.resolved(self.resolver, unit, symbol, self.names)
        else:
            symbol = self.resolver.recursive(unit, self.names.pop(unit.name))
            inner = self.names.new_child({unit.name: symbol})
            made = self.loader.resolved(self.resolver, unit, symbol, inner)
        if self.copy.parameters:
            made = replace(made, parameters=(*self.copy.parameters, *made.parameters))
        self.copy.emit(made)
        self.loader.written[symbol.key] = Written(unit, self.names, self.resolver, self.copy.parameters)
        self.add(unit.name, symbol, unit.place, local=unit.local, here=True)

    def add(
        self, name: str, symbol: Symbol, place: s.Place, *, local: bool = False, here: bool = False
    ) -> bool:
        """Add a name, unless it has another meaning already; of a definition that stands here, any meaning."""
        known = self.names.get(name)
        if known is not None and known.weak and not symbol.weak:
            known = None
        if known is not None and not symbol.weak and (here or not self.loader.same(known, symbol)):
            self.resolver.wrong(place, f"{name} is already defined, {known.where}: expected another name")
            return False
        if known is None:
            self.names[name] = symbol
        if not local:
            self.exports[name] = self.names[name]
        return True
