"""The answers about modules, configurations and protocols that an editor asks for, without a word of its protocol.

Lines and columns count characters from 0.
"""

from __future__ import annotations

import ast
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from leadline.symbolic.lang import LeadlineError, Mistake, ModelError, UserError
from leadline.symbolic.notation.names import RESERVED
from leadline.symbolic.tla.read.config import KEYWORDS
from leadline.symbolic.tla.read.drafts import Drafts, Refused, Resolved, standard_names
from leadline.symbolic.tla.read.scan import Declared, Mention, ModuleScan, Spot
from leadline.symbolic.tla.read.standard import CORE, LIBRARY, STANDARD

_PATIENT = 10
"""How much nicer the process of long work is: answers come first."""
_SHOWN = 20
"""The most lines of a definition that are shown."""


@dataclass(frozen=True)
class Outlined:
    """A part of a file's outline."""

    name: str
    kind: str
    detail: str
    spot: Spot
    first: int
    last: int
    below: tuple[Outlined, ...] = ()


@dataclass(frozen=True)
class Offer:
    """A completion: the text, its kind, and a line about it."""

    text: str
    kind: str
    about: str = ""


@dataclass(frozen=True)
class Lens:
    """A property that can be checked, at the place where it is stated.

    Attributes:
        name: its name for `leadline check`.
        protocol: the protocol's name for `leadline check`.
        always: whether it is an invariant, so that it can be proved.
    """

    name: str
    spot: Spot
    protocol: str
    always: bool


Place: TypeAlias = tuple[Path, Spot]


@dataclass
class Ruling:
    """The answer about a property.

    Attributes:
        steps: the states of its counterexample: for each the action before it, and what changed.
        run: the same, each text with the place of its action; None where that is not known.
        place: where the property is stated; None if that is not known.
    """

    verdict: str
    judgement: str
    reason: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    run: list[tuple[str, Place | None]] = field(default_factory=list)
    place: Place | None = None

    @property
    def said(self) -> str:
        """The verdict, with the length of its counterexample."""
        return f"{self.verdict} in {len(self.steps) - 1} steps" if self.steps else self.verdict


Complaint: TypeAlias = tuple[Spot, str]


class Study:
    """Answers about the files of an editor.

    Args:
        folders: other folders with modules.

    Attributes:
        drafts: the files, with the texts that the editor has.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.drafts = Drafts({}, folders)
        self._types: dict[Path, dict[str, str]] = {}

    def hold(self, texts: dict[Path, str | None]) -> None:
        """Take the texts of files in the editor; None for one that was closed."""
        for path, text in texts.items():
            if text is None:
                self.drafts.texts.pop(path, None)
            else:
                self.drafts.texts[path] = text
        self.drafts.refresh()

    def lines(self, path: Path) -> list[str]:
        """The lines of a file."""
        return (self.drafts.text(path) or "").split("\n")

    # -- mistakes -----------------------------------------------------------------------------------------

    def mistakes(self, path: Path) -> list[Complaint]:
        """The mistakes in a module or a configuration. Those in other files are told at the first line."""
        self.drafts.refresh()
        return [*self._placed(path, self.drafts.mistakes(path))]

    def _placed(self, path: Path, mistakes: Sequence[Mistake]) -> Iterator[Complaint]:
        lines, elsewhere = self.lines(path), dict[str, list[Mistake]]()
        for one in mistakes:
            at = one.span.line - 1
            if one.span.file != str(path):
                elsewhere.setdefault(one.span.file, []).append(one)
            else:
                line = lines[at] if 0 <= at < len(lines) else ""
                yield Spot(max(at, 0), *one.span.marked(line)), one.text
        for file, found in elsewhere.items():
            if Path(file).suffix == path.suffix:  # an editor tells those of a configuration there
                more = f", and {len(found) - 1} more" if len(found) > 1 else ""
                yield self._reference(path, Path(file)), f"{found[0]}{more}"

    def _reference(self, path: Path, other: Path) -> Spot:
        """The place that names the module of another file, or else the file's own name."""
        mentions = [x for x in self.drafts.scan(path).mentions if x.of == "module"]
        named = [x.spot for x in mentions if x.name == other.stem]
        return (named or [x.spot for x in mentions] or [Spot(0, 0, 1)])[0]

    def syntax(self, path: Path) -> list[Complaint]:
        """The mistake in the syntax of a Python file of protocols, whose code does not run; none if it is well."""
        text = self.drafts.text(path) or ""
        try:
            if is_ours(text):
                compile(text, str(path), "exec", ast.PyCF_ONLY_AST)
        except (SyntaxError, ValueError) as error:
            line, column = (getattr(error, "lineno", 1) or 1) - 1, (getattr(error, "offset", 1) or 1) - 1
            return [(Spot(line, column, column + 1), f"Python says: {type(error).__name__}: {error.args[0]}")]
        return []

    def protocol_mistakes(self, path: Path) -> list[Complaint]:
        """The mistakes in a Python file of protocols: its code runs, so this is for a process of its own."""
        # Here, since most answers load no protocol.
        from leadline.symbolic.catalog import load_file, model_of

        text = self.drafts.text(path) or ""
        found: list[Mistake] = []
        with tempfile.TemporaryDirectory() as folder:
            # The editor's text, under the file's name: modules beside the file are found by PYTHONPATH.
            copy = Path(folder, path.name)
            copy.write_text(text, encoding="utf-8")
            try:
                for entry in load_file(copy, tried=True):
                    model_of(entry, {})
            except ModelError as error:
                found = list(error.mistakes)
            except UserError as error:
                return [(Spot(0, 0, len(text.partition("\n")[0])), str(error).replace(str(copy), path.name))]
            lines = text.split("\n")
            return [
                (Spot(x.span.line - 1, *x.span.marked(lines[x.span.line - 1])), x.text)
                for x in found
                if x.span.file == str(copy) and x.span.line <= len(lines)
            ]

    def learned(self, path: Path, seconds: float) -> dict[str, str]:
        """The types of a module's variables in runs that take so many seconds; none if it has no runs.

        Other processes come first from then on.
        """
        # Here, since most answers need no interpreter.
        from leadline.symbolic.notation.types import set_text
        from leadline.symbolic.tla.learning import Learner
        from leadline.symbolic.tla.values.interpreter import Interpreter

        os.nice(_PATIENT)
        try:
            learner = Learner(Interpreter(self.drafts.specification(path)))
            learner.run_ahead(learner.some_initial()[0], seconds)
        except (LeadlineError, RecursionError, ArithmeticError):
            return {}
        return {name: set_text(kind).text for name, kind in learner.types.items()}

    def keep_types(self, path: Path, types: dict[str, str]) -> None:
        """Keep the types of a module's variables, to show them."""
        self._types[path] = types

    def ask(self, verb: str, protocol: str, name: str, seconds: float, memory: int) -> Ruling:
        """Check or prove a property, as `leadline check` and `leadline prove` do."""
        # Here, since engines are needed for this alone.
        from leadline.symbolic.api import LoadedProtocol, check, prove
        from leadline.symbolic.catalog import find, find_module
        from leadline.symbolic.trace.text import LineKind

        try:
            module = Path(protocol) if protocol.endswith(".tla") else None
            entry = find(protocol) if module is None else find_module(module, folders=self.drafts.folders)
            loaded = LoadedProtocol(entry, {})
            limits: dict[str, Any] = {"timeout": seconds, "memory": memory, "progress": False}
            if verb == "prove":
                one = prove(loaded, property=name, **limits)
            else:
                one = check(loaded, property=name, deadlock=False, **limits)[name]
        except LeadlineError as error:
            return Ruling("unknown", "open", str(error))
        answer = Ruling(one.verdict, one.judgement, one.reason or "")
        if one.trace is not None:
            for line in one.trace.lines():
                if line.kind is LineKind.STEP:
                    answer.steps.append((line.text.split()[1].partition("(")[0], line.text.strip()))
                elif line.kind is LineKind.PART and answer.steps:
                    action, text = answer.steps[-1]
                    answer.steps[-1] = action, f"{text}\n{line.text.strip()}"
        return answer

    # -- names --------------------------------------------------------------------------------------------

    def outline(self, path: Path) -> tuple[Outlined, ...]:
        """The modules of a file with what they declare, in the order of the lines."""
        scanned = self.drafts.scan(path).modules

        def symbol(one: Declared, below: tuple[Outlined, ...] = ()) -> Outlined:
            return Outlined(one.name, one.kind, signature(one), one.spot, one.first, one.last, below)

        def within(module: ModuleScan) -> tuple[Outlined, ...]:
            own = [symbol(one) for one in module.names.values()]
            nested = [one for one in scanned.values() if one.around == module.about.name]
            made = [*own, *(symbol(one.about, within(one)) for one in nested)]
            return tuple(sorted(made, key=lambda one: one.spot))

        return tuple(symbol(one.about, within(one)) for one in scanned.values() if not one.around)

    def definition(self, path: Path, line: int, column: int) -> Place | None:
        """The place where the name at a place is declared."""
        found = (self.drafts.at(path, line, column) or (None, None))[1]
        return (found.path, found.about.spot) if found is not None else None

    def references(self, path: Path, line: int, column: int) -> list[Place]:
        """All places of the name at a place, its declaration among them."""
        found = (self.drafts.at(path, line, column) or (None, None))[1]
        return list(dict.fromkeys(self.drafts.mentions(found))) if found is not None else []

    def renamed(self, path: Path, line: int, column: int, new: str | None) -> tuple[Spot, list[Place]] | None:
        """The name at a place, and the places at which a new name replaces it.

        Without a new name no places are looked for, and there may be no name; None then.

        Raises:
            Refused: if it cannot be renamed, with the reason.
        """
        mention, found = self.drafts.at(path, line, column) or (None, None)
        if mention is None and new is None:
            return None
        if mention is None:
            raise Refused("there is no name here")
        if found is None:
            raise Refused(f"{mention.name} is declared in no file: it cannot be renamed")
        self.drafts.refuse_fixed(found)
        places = [] if new is None else self.drafts.rename(found, new)
        return mention.spot, list(dict.fromkeys(places))

    def hover(self, path: Path, line: int, column: int) -> tuple[Spot, str] | None:
        """The definition of the name at a place, the comment above it, and its type in runs, as Markdown."""
        mention, found = self.drafts.at(path, line, column) or (None, None)
        if found is not None and mention is not None:
            return mention.spot, self._about(found, path)
        spot, word = _word(self.lines(path), line, column)
        text = self._standard(mention, word)
        return (spot, text) if text is not None else None

    def _about(self, found: Resolved, path: Path) -> str:
        about, lines = found.about, self.lines(found.path)
        if about.kind in ("operator", "function", "instance", "assumption", "theorem"):
            shown = lines[about.first : about.last + 1]
            more = ["..."] if len(shown) > _SHOWN else []
            code = "\n".join([*shown[:_SHOWN], *more])
        else:
            code = (
                f"{about.kind.upper()} {about.name}"
                if about.kind != "bound"
                else lines[about.spot.line].strip()
            )
        parts = [f"```tlaplus\n{code}\n```"]
        kind = self._types.get(path, self._types.get(found.path, {})).get(about.name)
        if about.kind == "variable" and kind is not None:
            parts.append(f"in runs: `{about.name} \\in {kind}`")
        if about.kind != "bound":
            parts += filter(None, [comment(lines, about)])
            if about.kind != "module":
                parts.append(f"*{about.kind} of {found.module}*")
        return "\n\n".join(parts)

    def _standard(self, mention: Mention | None, word: str) -> str | None:
        """A line about a name that is built in."""
        if mention is not None and mention.of == "module":
            known = STANDARD.get(mention.name)
            names = ", ".join(f"`{one}`" for one in known.operators) if known is not None else ""
            return f"standard module {mention.name}: {names}" if known is not None else None
        for name, (module, arities) in standard_names(tuple(STANDARD)).items():
            if name == word:
                return f"`{applied(name, len(arities))}`: standard operator of {module}"
        return f"`{word}`: operator of TLA+" if word in CORE else None

    # -- completion ---------------------------------------------------------------------------------------

    def complete(self, path: Path, line: int, column: int) -> list[Offer]:
        """The names and operators that fit at a place."""
        lines = self.lines(path)
        before = lines[line][:column] if line < len(lines) else ""
        if path.suffix == ".cfg":
            names = self.drafts.names(path.with_suffix(".tla"), path.stem)
            return [*map(offer, names.values()), *(Offer(one, "keyword") for one in sorted(KEYWORDS))]
        module = self._module_at(path, line)
        if re.search(r"\.\s*\w*$", before) and not re.search(r"\.\.\w*$", before):
            return [Offer(one, "field") for one in sorted(self._fields(path, module))]
        if (reached := re.search(r"(\w+)\s*(?:\([^()]*\))?!\w*$", before)) is not None:
            return [*self._of_instance(path, module, reached[1])]
        if re.search(r"\b(?:EXTENDS|INSTANCE)\b[\w\s,]*$", before):
            folders = (path.parent, *self.drafts.folders, LIBRARY)
            found = {one.stem for folder in folders for one in folder.glob("*.tla") if one != path}
            return [Offer(one, "module") for one in sorted({*STANDARD, *found})]
        if re.search(r"\\\w*$", before):
            return [Offer(one, "keyword") for one in _SYMBOLS]
        return [*self._names(path, module, line)]

    def _module_at(self, path: Path, line: int) -> str:
        around = [x for x in self.drafts.scan(path).modules.values() if x.about.first <= line <= x.about.last]
        return max(around, key=lambda x: x.about.first).about.name if around else path.stem

    def _fields(self, path: Path, module: str) -> set[str]:
        files = {path, *(found.path for found in self.drafts.names(path, module).values())}
        return set[str]().union(*(self.drafts.scan(one).fields for one in files if one.parent != LIBRARY))

    def _of_instance(self, path: Path, module: str, name: str) -> Iterator[Offer]:
        found = self.drafts.names(path, module).get(name)
        target = self.drafts.module(found.about.module, found.path) if found is not None else None
        if target is not None:
            for one in self.drafts.names(target[0], target[1].about.name).values():
                if not one.about.local:
                    yield offer(one)

    def _names(self, path: Path, module: str, line: int) -> Iterator[Offer]:
        """The names visible in a line: those bound there, those of the modules, standard ones and keywords."""
        scanned, visible = self.drafts.scan(path), self.drafts.names(path, module)
        yield from (Offer(one.name, "bound", signature(one)) for one in scanned.bound_at(line))
        yield from map(offer, visible.values())
        for name, (home, arities) in standard_names(self.drafts.standard(path, module)).items():
            if name[0].isalpha():
                yield Offer(name, "operator", f"{applied(name, len(arities))}, of {home}")
        # A definition that is being written has no tree: its words stand for the names that it binds.
        lines, first = self.lines(path), line
        while first > 0 and not re.match(r"\S.*(?:==|≜)", lines[first]):
            first -= 1
        words = set(re.findall(r"\b[a-z]\w*\b", "\n".join(lines[first : line + 1])))
        yield from (Offer(one, "bound") for one in sorted(words - visible.keys()))
        yield from (Offer(one, "keyword") for one in sorted(RESERVED | {x for x in CORE if x[0].isalpha()}))

    # -- properties ---------------------------------------------------------------------------------------

    def lenses(self, path: Path) -> list[Lens]:
        """The properties of a file that can be checked: those that the configuration beside a module names.

        They stand in the configuration too, which may be that of a module that extends theirs.
        """
        if path.suffix == ".py":
            return [*_claims(self.drafts.text(path) or "", path)]
        config, module = path.with_suffix(".cfg"), path.with_suffix(".tla")
        found, word = dict[Spot, Lens](), ""
        stated = {one.spot: x for one, x in self.drafts.configured(config)}
        for line, text in enumerate(self.lines(config)):
            for match in re.finditer(r"\w+", text):
                word = match[0] if match[0] in KEYWORDS else word
                one = stated.get(Spot(line, match.start(), match.end()))
                if (
                    one is not None
                    and path in (one.path, config)
                    and word.startswith(("INVARIANT", "PROPERT"))
                ):
                    spot = Spot(line, match.start(), match.end()) if path == config else one.about.spot
                    found[spot] = Lens(one.about.name, spot, str(module), word.startswith("INVARIANT"))
        return sorted(found.values(), key=lambda one: one.spot)

    def places(self, path: Path, names: Sequence[str]) -> dict[str, Place]:
        """The declarations of names of a module, or of the actions and properties of a Python file."""
        if path.suffix == ".py":
            return _functions(self.drafts.text(path) or "", path, names)
        known = self.drafts.names(path, path.stem)
        return {name: (known[name].path, known[name].about.spot) for name in names if name in known}


_SYMBOLS = (
    "\\in", "\\notin", "\\cup", "\\cap", "\\subseteq", "\\union", "\\intersect", "\\A", "\\E", "\\AA", "\\EE",
    "\\X", "\\o", "\\circ", "\\div", "\\leq", "\\geq", "\\lnot", "\\land", "\\lor", "\\equiv", "\\times", "\\",
)  # fmt: skip
_STATED = {
    "invariant": True,
    "probe": False,
    "strengthening": True,
    "temporal": False,
    "step_property": False,
}


def _claims(text: str, path: Path) -> Iterator[Lens]:
    """The properties that a Python file states."""
    if not is_ours(text):
        return
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return
    protocols = {x.name for x in body if isinstance(x, ast.ClassDef)}
    for one in body:
        for mark in one.decorator_list if isinstance(one, ast.FunctionDef) else ():
            if (
                isinstance(mark, ast.Call)
                and ast.unparse(mark.func).rpartition(".")[2] in _STATED
                and mark.args
            ):
                protocol, line = ast.unparse(mark.args[0]), mark.lineno - 1
                named = f"{path}:{protocol}" if protocol in protocols else str(path)
                always = _STATED[ast.unparse(mark.func).rpartition(".")[2]]
                assert isinstance(one, ast.FunctionDef)
                yield Lens(one.name.replace("_", "-"), Spot(line, 0, 1), named, always)


def _functions(text: str, path: Path, names: Sequence[str]) -> dict[str, Place]:
    """The functions of a Python file for names as traces have them: `Up` and `is-small` for up and is_small."""

    def plain(name: str) -> str:
        return re.sub(r"[-_]", "", name).lower()

    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError):
        return {}
    made = {plain(x.name): x for x in nodes if isinstance(x, ast.FunctionDef)}
    found = {name: made[plain(name)] for name in names if plain(name) in made}
    starts = {name: (x.lineno - 1, x.col_offset + len("def ")) for name, x in found.items()}
    return {
        name: (path, Spot(line, column, column + len(found[name].name)))
        for name, (line, column) in starts.items()
    }


def is_ours(text: str) -> bool:
    """Whether the text of a Python file imports Leadline: an editor opens others too."""
    return re.search(r"^\s*(?:from|import)\s+leadline\b", text, re.MULTILINE) is not None


def offer(found: Resolved) -> Offer:
    """The completion of a declared name."""
    return Offer(
        found.about.name, found.about.kind, f"{signature(found.about)}, {found.about.kind} of {found.module}"
    )


def signature(one: Declared) -> str:
    """A name with its parameters."""
    return f"{one.name}({', '.join(one.parameters)})" if one.parameters else one.name


def applied(name: str, arity: int) -> str:
    """A standard operator with places for its arguments."""
    if name[0].isalpha():
        return f"{name}({', '.join('_' * arity)})" if arity else name
    return f"_ {name} _" if arity == 2 else name


def _word(lines: Sequence[str], line: int, column: int) -> tuple[Spot, str]:
    """The word or the symbol at a place."""
    text = lines[line] if line < len(lines) else ""
    for match in re.finditer(r"\\?\w+|[^\w\s()\[\]{},]+", text):
        if match.start() <= column <= match.end():
            return Spot(line, match.start(), match.end()), match[0]
    return Spot(line, column, column), ""


def comment(lines: Sequence[str], about: Declared) -> str:
    """The comment of a declaration: behind the name in its line, or in the lines above its unit."""
    if about.kind in ("variable", "constant"):
        behind = re.search(r"\\\*(.*)|\(\*(.*?)\*\)", lines[about.spot.line][about.spot.end :])
        if behind is not None:
            return (behind[1] or behind[2] or "").strip()
    at = (about.spot.line if about.kind in ("variable", "constant") else about.first) - 1
    found: list[str] = []
    inside = False
    while at >= 0:
        line = lines[at].strip()
        inside = inside or line.endswith("*)")
        if not inside and not line.startswith("\\*"):
            break
        found.insert(0, re.sub(r"^\(\*+\)?|\*+\)$|^\\\*+", "", line).strip())
        inside = inside and not line.startswith("(*")
        at -= 1
    return "\n".join(filter(None, found))
