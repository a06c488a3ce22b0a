"""Modules and configurations while they are being written: the names across files, and all mistakes.

The text that counts is the editor's, where a file is open there. After a change only the units that it touches are
read again, and only those definitions are resolved and judged again in which a name has another meaning now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from leadline.symbolic.files import is_there
from leadline.symbolic.lang import Mistake, ModelError, UserError
from leadline.symbolic.notation.names import RESERVED
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.config import KEYWORDS, parse_config, words_of
from leadline.symbolic.tla.read.levels import Judged
from leadline.symbolic.tla.read.modules import Files, Loader
from leadline.symbolic.tla.read.parse import Mended, Reader, Tree, mended, readable
from leadline.symbolic.tla.read.resolve import Names, Resolver, Symbol
from leadline.symbolic.tla.read.scan import Declared, Mention, ModuleScan, Scan, Spot, scan_of
from leadline.symbolic.tla.read.specification import Specification, load
from leadline.symbolic.tla.read.standard import BUILT_IN, LIBRARY, STANDARD
from leadline.symbolic.tla.read.text import module_text, untranslated_algorithm

_NAME = re.compile(r"(?!WF_|SF_)\w*[A-Za-z]\w*", re.ASCII)


@dataclass(frozen=True)
class Resolved:
    """A declaration with its file and its module."""

    path: Path
    module: str
    about: Declared


class Refused(UserError):
    """A name that cannot be changed, with the reason."""


@dataclass
class Drafts:
    """The files of a person's folder, as the person sees them.

    Attributes:
        texts: the texts in the editor.
        folders: other folders with modules.
    """

    texts: dict[Path, str] = field(default_factory=dict)
    folders: Sequence[Path] = ()

    def __post_init__(self) -> None:
        self._mended: dict[Path, tuple[str, Mended]] = {}
        self._units: dict[Path, _Units] = {}
        self._found: dict[Path, _Found] = {}
        self._scans: dict[Path, tuple[Mended, Scan]] = {}
        self._names: dict[tuple[Path, str], dict[str, Resolved]] = {}

    def text(self, path: Path) -> str | None:
        """The text of a file, with plain line ends; None if it cannot be read."""
        if path in self.texts:
            return self.texts[path].replace("\r\n", "\n").replace("\r", "\n")
        try:
            return module_text(path)
        except UserError:
            return None

    def refresh(self) -> None:
        """Forget the names that were visible: files may have changed."""
        self._names.clear()

    def scan(self, path: Path) -> Scan:
        """The names in a file; none if it cannot be read."""
        made, known = self.mended(path), self._scans.get(path)
        if known is None or known[0] is not made:
            known = self._scans[path] = made, scan_of(self.text(path) or "", made)
        return known[1]

    def mended(self, path: Path) -> Mended:
        """A file's text without what cannot be read of it."""
        text, known = self.text(path) or "", self._mended.get(path)
        if known is None or known[0] != text:
            known = self._mended[path] = text, mended(text, str(path))
        return known[1]

    def module(self, name: str, path: Path) -> tuple[Path, ModuleScan] | None:
        """A module by its name, with its file: within a file, beside it, or in the folders."""
        if name in (here := self.scan(path).modules):
            return path, here[name]
        for folder in (path.parent, *self.folders, LIBRARY):
            there = folder / f"{name}.tla"
            if there != path and (there in self.texts or is_there(there)):
                found = self.scan(there).modules
                return (there, found[name]) if name in found else None
        return None

    # -- names --------------------------------------------------------------------------------------------

    def names(self, path: Path, module: str) -> dict[str, Resolved]:
        """The names visible at the end of a module, by name."""
        key = path, module
        if key not in self._names:
            self._names[key] = {}  # for modules that extend themselves
            self._names[key] = dict(self._visible(path, module))
        return self._names[key]

    def _visible(self, path: Path, module: str) -> Iterator[tuple[str, Resolved]]:
        found = self.module(module, path)
        if found is None:
            return
        there, scanned = found
        if scanned.around:
            yield from self.names(there, scanned.around).items()
        for name in reversed(scanned.extends):
            if name != module:
                beyond = self.names(there, name).items()
                yield from ((one, x) for one, x in beyond if not x.about.local)
        for one, about in scanned.names.items():
            yield one, Resolved(there, module, about)

    def standard(self, path: Path, module: str) -> list[str]:
        """The standard modules whose names a module sees."""
        found, seen, todo = list[str](), set[str](), [(path, module)]
        while todo:
            there = self.module(todo[-1][1], todo.pop()[0])
            if there is not None and there[1].about.name not in seen:
                seen.add(there[1].about.name)
                around = [there[1].around] if there[1].around else []
                found += [name for name in there[1].extends if name in STANDARD]
                todo += [(there[0], name) for name in (*there[1].extends, *around) if name not in STANDARD]
        return found

    def meaning(self, path: Path, mention: Mention) -> Resolved | None:
        """The declaration of a name in a file; None for a standard name, and for one that nothing declares."""
        if mention.bound is not None:
            return Resolved(path, mention.within, mention.bound)
        if mention.of:
            found = self.module(mention.name if mention.of == "module" else mention.of, path)
            if found is None:
                return None
            there, scanned = found
            if mention.of == "module":
                return Resolved(there, mention.name, scanned.about)
            return self.names(there, mention.of).get(mention.name)
        module: str = mention.within
        for step in mention.path:
            instance = self.names(path, module).get(step)
            target = self.module(instance.about.module, instance.path) if instance is not None else None
            if target is None:
                return None
            path, module = target[0], target[1].about.name
        return self.names(path, module).get(mention.name)

    def configured(self, path: Path) -> list[tuple[Mention, Resolved | None]]:
        """The names in a configuration, with what each is in the module of the same name."""
        module = path.with_suffix(".tla")
        known = self.names(module, module.stem)
        return [(one, known.get(one.name)) for one in config_mentions(self.text(path) or "")]

    def meanings(self, path: Path) -> Iterator[tuple[Mention, Resolved | None]]:
        """The names in a module's file or a configuration, each with its declaration."""
        if path.suffix == ".cfg":
            yield from self.configured(path)
            return
        for mention in self.scan(path).mentions if path.suffix != ".py" else ():
            yield mention, self.meaning(path, mention)

    def at(self, path: Path, line: int, column: int) -> tuple[Mention, Resolved | None] | None:
        """The name at a place."""
        for mention, found in self.meanings(path):
            spot = mention.spot
            if spot.line == line and spot.start <= column <= spot.end:
                return mention, found
        return None

    def _files(self, found: Resolved) -> list[Path]:
        """The files in which a declaration may be visible."""
        if found.about.kind == "bound":
            return [found.path]
        folders = {found.path.parent, *self.folders, *(one.parent for one in self.texts)} - {LIBRARY}
        here = {path for one in folders for kind in ("tla", "cfg") for path in one.glob(f"*.{kind}")}
        return sorted(here | {found.path} | {x for x in self.texts if x.suffix in (".tla", ".cfg")})

    def mentions(self, found: Resolved) -> Iterator[tuple[Path, Spot]]:
        """All places that mention a declaration."""
        for path in self._files(found):
            if found.about.name not in (self.text(path) or ""):
                continue
            for mention, other in self.meanings(path):
                if other is not None and (other.path, other.about.spot) == (found.path, found.about.spot):
                    yield path, mention.spot

    # -- changes ------------------------------------------------------------------------------------------

    def refuse_fixed(self, found: Resolved) -> None:
        """Refuse a declaration whose name cannot be changed."""
        old = found.about.name
        if found.path.parent == LIBRARY:
            raise Refused(f"{old} is declared by the library module {found.module}: it cannot be renamed")
        if found.about.kind == "module":
            raise Refused(f"{old} is a module, which has the name of its file: rename the file")
        if not _NAME.fullmatch(old):
            raise Refused(f"`{old}` is a symbol: expected a name")

    def rename(self, found: Resolved, new: str) -> list[tuple[Path, Spot]]:
        """The places at which a name is to be replaced by a new one.

        Raises:
            Refused: if the new name is none, or has a meaning already where the old one is visible.
        """
        old = found.about.name
        self.refuse_fixed(found)
        if not _NAME.fullmatch(new) or new in RESERVED:
            raise Refused(f"`{new}` is no name: expected letters, digits and _, and no word of TLA+")
        if new in BUILT_IN:
            raise Refused(f"`{new}` is a standard operator: expected another name")
        if new == old:
            return []
        for path in self._files(found):
            # A module that sees the old name need not mention it, but would see the new one.
            if path.suffix == ".tla" and any(one in (self.text(path) or "") for one in (old, new)):
                self._refuse_clash(found, new, path)
        return list(self.mentions(found))

    def _refuse_clash(self, found: Resolved, new: str, path: Path) -> None:
        """Refuse a new name that a file cannot have."""
        old, bound = found.about.name, found.about.kind == "bound"
        scanned, seen = self.scan(path), bound
        if path == found.path and old in scanned.algorithm:
            raise Refused(
                f"{path.name}: the algorithm mentions {old}: rename it there, and translate it again"
            )
        for module in scanned.modules:
            visible = self.names(path, module)
            here = module == found.module if bound else visible.get(old) == found
            seen = seen or here
            if here and new in visible:
                other = visible[new]
                place = f"{other.path.name}:{other.about.spot.line + 1}"
                raise Refused(f"`{new}` is declared already, at {place}: expected another name")
            for target, given in scanned.modules[module].instances:
                if not bound and old not in given and self._implied(found, path, module, target):
                    told = f"{path.name}: the instance of {target} takes {old} for its {old}"
                    raise Refused(f"{told}: write `WITH {old} <- {old}` first")
        for one in scanned.mentions:
            other_bound = one.bound
            if other_bound is None or one.name != new or not seen:
                continue
            apart = bound and (other_bound.last < found.about.first or found.about.last < other_bound.first)
            if not apart:
                raise Refused(f"`{new}` is bound at {path.name}:{one.spot.line + 1}: expected another name")

    def _implied(self, found: Resolved, path: Path, module: str, target: str) -> bool:
        """Whether an instance of a module without WITH takes a declaration, or gives it a meaning, by its name."""
        there = self.module(target, path)
        if there is None:
            return False
        outer = self.names(path, module).get(found.about.name)
        inner = self.names(there[0], target).get(found.about.name)
        declared = inner is not None and inner.about.kind in ("constant", "variable")
        return declared and outer is not None and found in (outer, inner)

    # -- mistakes -----------------------------------------------------------------------------------------

    def mistakes(self, path: Path) -> list[Mistake]:
        """The mistakes in a module and its configuration, and in the modules that it needs."""
        if path.suffix == ".cfg":
            return self._of_config(path)
        config = path.with_suffix(".cfg")
        there = config in self.texts or is_there(config)
        return self._loaded(path, config if there else None)

    def _of_config(self, path: Path) -> list[Mistake]:
        module = path.with_suffix(".tla")
        if module in self.texts or is_there(module):
            return [one for one in self._loaded(module, path) if one.span.file == str(path)]
        # Other tools have files with this suffix too.
        ours = any(one.suffix == ".tla" and one.parent == path.parent for one in self.texts)
        if ours or any(path.parent.glob("*.tla")):
            try:
                parse_config(self.text(path) or "", str(path))
            except ModelError as error:
                return list(error.mistakes)
        return []

    def _loaded(self, path: Path, config: Path | None) -> list[Mistake]:
        """The mistakes that reading a specification finds."""
        files = _Buffers([path.parent, *self.folders], drafts=self)
        loader = _Again(files, self._found.setdefault(path, _Found()))
        try:
            read = None if config is None else parse_config(self.text(config) or "", str(config))
        except ModelError as error:
            files.mistakes += error.mistakes
            read = None
        try:
            load(path, read, loader=loader, assumed=read is None)
            self._found[path] = loader.found
        except ModelError as error:
            # Where declarations cannot be read, each use of their names would be told as a mistake.
            files.mistakes += error.mistakes if files.complete else self._absent(path, files)
        except UserError as error:
            files.mistakes.append(Mistake(s.Place(str(path), 1, 1), str(error)))
        return sorted({self._real(one) for one in files.mistakes})

    def units(self, path: Path) -> _Units:
        """The units of a file."""
        return self._units.setdefault(path, _Units(str(path)))

    def _real(self, mistake: Mistake) -> Mistake:
        """A mistake with the lines of the text in place of those that units count."""
        span, text = mistake.span, mistake.text
        for path, units in self._units.items():
            if path == Path(span.file):
                span = replace(span, line=units.line(span.line))
            text = units.told(text)
        return Mistake(span, text)

    def specification(self, path: Path) -> Specification:
        """The specification of a module with the configuration beside it.

        Raises:
            UserError: with its mistakes.
        """
        config = path.with_suffix(".cfg")
        read = parse_config(self.text(config) or "", str(config)) if self.text(config) is not None else None
        return load(path, read, loader=Loader(_Buffers([path.parent, *self.folders], drafts=self)))

    def _absent(self, path: Path, files: _Buffers) -> Iterator[Mistake]:
        """The modules that a module names and that are not found."""
        for mention, found in self.meanings(path):
            if mention.of == "module" and found is None and mention.name not in STANDARD:
                place = s.Place(str(path), mention.spot.line + 1, mention.spot.start + 1)
                yield Mistake(place, files.lacking(mention.name))


_FAR = 1_000_000
"""More lines than any file has."""
_Name: TypeAlias = tuple[str, str, int]
"""A unit's kind, its name, and how many such units come before it."""


@dataclass
class _Units:
    """The units of a file as they were read last: one that is written as before is not read again.

    The lines of a unit count from a number that belongs to its name, so that a unit equals itself wherever it
    moves, and so does all that was found of it.

    Attributes:
        known: the units by name: for each its text, its column, the units that it makes and the mistakes in it.
        numbers: the numbers of the names.
        firsts: the first line of each number.
    """

    file: str
    known: dict[_Name, tuple[object, tuple[s.Unit, ...], list[Mistake]]] = field(default_factory=dict)
    numbers: dict[_Name, int] = field(default_factory=dict)
    firsts: dict[int, int] = field(default_factory=dict)
    modules: tuple[Mended, tuple[s.Module, ...], list[Mistake]] | None = None

    def read(self, text: str, made: Mended) -> tuple[tuple[s.Module, ...], list[Mistake]]:
        """The modules of a text, and the mistakes in its syntax."""
        if self.modules is None or self.modules[0] is not made:
            reader = _Rereader(made.text, self)
            self.modules = made, *readable(text, made, reader)
            self.known = reader.known
        return self.modules[1:]

    def line(self, line: int) -> int:
        """The line of the text for one that a unit counts."""
        number, within = divmod(line, _FAR)
        return self.firsts[number] + within if number else line

    def told(self, text: str) -> str:
        """A message with lines of the text."""
        return re.sub(f"(?<={re.escape(self.file)}:)\\d+", lambda x: str(self.line(int(x[0]))), text)


class _Rereader(Reader):
    """A reading of a file that takes what it can from the one before."""

    def __init__(self, text: str, units: _Units) -> None:
        super().__init__(text, units.file)
        self.units = units
        self.known: dict[_Name, tuple[object, tuple[s.Unit, ...], list[Mistake]]] = {}
        self._moved = 0

    def place(self, node: Tree, whole: Tree | None = None) -> s.Place:
        place = super().place(node, whole)
        return replace(place, line=place.line + self._moved, extent=None) if self._moved else place

    def outermost(self, node: Tree) -> Iterable[s.Unit]:
        if node.type == "module":
            return self.unit(node)
        declared = node.named_children[0] if node.type == "local_definition" else node
        named = declared.child_by_field_name("name")
        name = node.type, self.words(named) if named is not None else "", 0
        while name in self.known:  # a declaration, or a definition of a name that has one
            name = *name[:2], name[2] + 1
        place = super().place(node)
        number = self.units.numbers.setdefault(name, len(self.units.numbers) + 1)
        self.units.firsts[number] = place.line
        written = place.column, self.words(node)
        known = self.units.known.get(name)
        if known is None or known[0] != written:
            before, self._moved = len(self.mistakes), number * _FAR - place.line
            known = written, tuple(self.unit(node)), self.mistakes[before:]
            del self.mistakes[before:]
            self._moved = 0
        self.known[name] = known
        self.mistakes += known[2]
        return known[1]


@dataclass
class _Resolved:
    """A resolved definition, and what it depends on.

    Attributes:
        symbol: its own meaning.
        names: the meanings of the names in it.
    """

    unit: s.Definition
    symbol: Symbol
    names: dict[str, Symbol | None]
    made: s.Definition


@dataclass
class _Found:
    """The findings about the definitions of a specification, by identity."""

    resolved: dict[int, _Resolved] = field(default_factory=dict)
    judged: dict[int, Judged] = field(default_factory=dict)


class _Again(Loader):
    """The modules of a specification, read again after changes.

    Args:
        before: the findings of the reading before, without those about definitions with mistakes.

    Attributes:
        found: the findings of this reading.
    """

    def __init__(self, files: Files, before: _Found) -> None:
        super().__init__(files)
        self._before = before.resolved
        self.judged = before.judged
        self._resolved: dict[int, _Resolved] = {}

    @property
    def found(self) -> _Found:
        return _Found(self._resolved, self.judged)

    def resolved(self, resolver: Resolver, unit: s.Definition, symbol: Symbol, names: Names) -> s.Definition:
        known = self._before.get(id(unit))
        if resolver.suffix:  # a copy, which counts the copies before it
            return super().resolved(resolver, unit, symbol, names)
        if known is None or known.symbol != symbol or any(names.get(x) != y for x, y in known.names.items()):
            before = len(self.mistakes)
            made = super().resolved(resolver, unit, symbol, names)
            mentioned = _names(unit)
            if len(self.mistakes) > before or mentioned is None:
                return made
            known = _Resolved(unit, symbol, {name: names.get(name) for name in mentioned}, made)
        self._resolved[id(unit)] = known
        return known.made


def _names(unit: s.Definition) -> set[str] | None:
    """The names in a definition; None if it depends on other definitions by more than their names."""
    found = set[str]()
    for node in s.nodes(unit):
        match node:
            case s.Part() | s.Instance() | s.Apply(prefix=(_, *_)):
                return None
            case s.Apply(operator):
                found.add(operator)
            case s.Bound(names):
                found.update(names)
            case s.Parameter(name) | s.Definition(name):
                found.add(name)
    return found


@dataclass
class _Buffers(Files):
    """The files of modules, as the editor has them; what cannot be read of them is left out."""

    drafts: Drafts = field(default_factory=Drafts)
    mistakes: list[Mistake] = field(default_factory=list)
    complete: bool = True

    def read(self, path: Path) -> s.Module:
        """The first module of a file, as far as it can be read.

        Raises:
            ModelError: if the file has no module.
        """
        text = self.drafts.text(path)
        if text is None:
            text = module_text(path)
        made = self.drafts.mended(path)
        modules, mistakes = self.drafts.units(path).read(text, made)
        self.mistakes += mistakes
        # Of an algorithm without a translation the names are not known either.
        self.complete &= made.complete and untranslated_algorithm(text) is None
        if not modules:
            raise ModelError(mistakes)
        for module in modules:
            self.known.setdefault(module.name, module)
        return modules[0]

    def find(self, name: str) -> s.Module | None:
        """The module of a name; None if there is none."""
        for folder in self.folders:
            path = folder / f"{name}.tla"
            if name not in self.known and path in self.drafts.texts:
                self.read(path)
        found = super().find(name)
        self.complete &= found is not None
        return found


def config_mentions(text: str) -> list[Mention]:
    """The names of a module's in the text of a configuration."""
    found, before, depth = list[Mention](), "", 0
    for word, place in words_of(text):
        depth += {"{": 1, "}": -1}.get(word, 0)
        if _NAME.fullmatch(word) and word not in KEYWORDS and not depth and before not in ("=", "["):
            spot = Spot(place.line - 1, place.column - 1, place.column - 1 + len(word))
            found.append(Mention(word, spot, ""))
        before = word
    return found


def standard_names(modules: Sequence[str]) -> Mapping[str, tuple[str, tuple[int, ...]]]:
    """The operators of standard modules and those that they extend: the module of each, and its arities."""
    found = dict[str, tuple[str, tuple[int, ...]]]()
    for module in modules:
        if module in STANDARD:
            found |= standard_names(STANDARD[module].extends)
            found |= {name: (module, arities) for name, arities in STANDARD[module].operators.items()}
    return found
