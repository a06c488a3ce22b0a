"""Modules and configurations while they are being written: the names across files, and all mistakes.

The text that counts is the editor's, where a file is open there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.files import is_there, read_text
from leadline.symbolic.lang import Mistake, ModelError, UserError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.config import KEYWORDS, parse_config, words_of
from leadline.symbolic.tla.read.modules import Files
from leadline.symbolic.tla.read.parse import RESERVED, Mended, mended, readable
from leadline.symbolic.tla.read.scan import Declared, Mention, ModuleScan, Scan, Spot, scan_of
from leadline.symbolic.tla.read.specification import Specification, load
from leadline.symbolic.tla.read.standard import BUILT_IN, LIBRARY, STANDARD
from leadline.symbolic.tla.read.text import untranslated_algorithm

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
        self._scans: dict[Path, tuple[Mended, Scan]] = {}
        self._names: dict[tuple[Path, str], dict[str, Resolved]] = {}

    def text(self, path: Path) -> str | None:
        """The text of a file, with plain line ends; None if it cannot be read."""
        if path in self.texts:
            return self.texts[path].replace("\r\n", "\n").replace("\r", "\n")
        try:
            return read_text(path)
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
        try:
            read = None if config is None else parse_config(self.text(config) or "", str(config))
        except ModelError as error:
            files.mistakes += error.mistakes
            read = None
        try:
            load(path, read, files=files, assumed=read is None)
        except ModelError as error:
            # Where declarations cannot be read, each use of their names would be told as a mistake.
            files.mistakes += error.mistakes if files.complete else self._absent(path, files)
        except UserError as error:
            files.mistakes.append(Mistake(s.Place(str(path), 1, 1), str(error)))
        return sorted(set(files.mistakes))

    def specification(self, path: Path) -> Specification:
        """The specification of a module with the configuration beside it.

        Raises:
            UserError: with its mistakes.
        """
        config = path.with_suffix(".cfg")
        read = parse_config(self.text(config) or "", str(config)) if self.text(config) is not None else None
        return load(path, read, files=_Buffers([path.parent, *self.folders], drafts=self))

    def _absent(self, path: Path, files: _Buffers) -> Iterator[Mistake]:
        """The modules that a module names and that are not found."""
        for mention, found in self.meanings(path):
            if mention.of == "module" and found is None and mention.name not in STANDARD:
                place = s.Place(str(path), mention.spot.line + 1, mention.spot.start + 1)
                yield Mistake(place, files.lacking(mention.name))


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
            text = read_text(path)
        made = self.drafts.mended(path)
        modules, mistakes = readable(text, str(path), made)
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
