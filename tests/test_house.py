"""The house stands: its links, its standard-library neighbour, its lengths, and who may import whom."""

import ast
import functools
import gc
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINKS = ("symbolic", "encodings", "properties", "benchmarks")

# A room of leadline.symbolic imports from itself and from the floors below it.
FLOORS = {
    "lang": 1,
    "meaning": 2,
    "files": 2,
    "conditions": 2,
    "notation": 2,
    "concrete": 3,
    "solve": 2,
    "encode": 3,
    "tla": 3,
    "trace": 4,
    "bits": 4,
    "catalog": 4,
    "engines": 5,
    "export": 5,
    "conform": 6,
    "grid": 6,
    "report": 6,
    "api": 7,
    "serve": 8,
    "cli": 9,
}
# (importer, imported) on one floor: the report reads the store that the grid wrote, which asks about logs; the
# meaning of expressions computes the constants of a lowered module.
NEIGHBOURS = {("report", "grid"), ("grid", "conform"), ("tla", "concrete")}
# A replay by the concrete meaning convinces only while the two meanings share nothing but the expressions.
INDEPENDENT = {
    "meaning": {"concrete", "encode", "solve", "tla", "trace"},
    "concrete": {"encode", "solve", "trace"},
    "encode": {"concrete", "trace"},
    "bits": {"concrete", "tla", "trace", "catalog"},
}
# The modules of the language that other rooms import: its face, and the nodes and rules of expressions.
GATES = ("leadline.symbolic.lang", "leadline.symbolic.lang.nodes", "leadline.symbolic.lang.rules")
# Folders outside symbolic/, and all of leadline that each may import.
MAY_IMPORT = {
    "encodings": ("leadline.symbolic.lang", "leadline.symbolic.files", "leadline.encodings"),
    "properties": ("leadline.symbolic.lang", "leadline.encodings", "leadline.properties"),
}
LONGEST_BODY = 40
# The part of the files of symbolic that one other file alone uses, faces left out.
MOST_WITH_ONE_USER = 0.07
# The tables whose entries are loaded by name, and the package that the names are taken from.
TABLES = {
    "leadline.symbolic.cli": "leadline.symbolic.cli",
    "leadline.symbolic.engines.ask.table": "leadline.symbolic",
    "leadline.symbolic.solve.solvers": "leadline.symbolic.solve",
}
# The faces whose names `import leadline` offers.
LIBRARY = ("leadline.symbolic.lang.language", "leadline.symbolic.api")
# Names that several public classes have. It may only fall.
MOST_NAMESAKES = 45
# How often the rooms that answer questions name `Any`. It may only fall.
MOST_ANY = 52
FOUND_AT_RUN_TIME = ("leadline.encodings", "leadline.properties", "leadline.benchmarks")

pytestmark = pytest.mark.skipif(
    (ROOT / "PKG-INFO").exists(), reason="an sdist carries the folders themselves in place of the links"
)


Node = TypeVar("Node", bound=ast.AST)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


Nodes = dict[type[ast.AST], list[ast.AST]]


@functools.cache
def nodes_of(source: str) -> Nodes:
    """The nodes of a source's syntax tree by their kind; most sources are looked at more than once.

    Trees stay until the end. The garbage collector would search each of their million nodes many times over.
    """
    gc.disable()
    try:
        found: Nodes = defaultdict(list)
        for node in ast.walk(ast.parse(source)):
            found[type(node)].append(node)
        return found
    finally:
        gc.freeze()
        gc.enable()


def every(kind: type[Node], nodes: Nodes) -> list[Node]:
    """The nodes of a kind, from the outside in."""
    return nodes.get(kind, [])  # type: ignore[return-value]  # all are of that kind


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def imports(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported; a relative import keeps its leading dots."""
    for plain in every(ast.Import, nodes):
        yield from ((plain.lineno, alias.name) for alias in plain.names)
    for node in every(ast.ImportFrom, nodes):
        source = "." * node.level + (node.module or "")
        yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)


def broken_rule(importer: Path, name: str) -> str | None:
    """The rule that `importer` (a path from the root) breaks by importing `name`, if any."""
    if name.startswith("."):
        return "imports are absolute"
    if not within(name, "leadline"):
        return None
    folder = importer.parts[0]
    if folder == "symbolic":
        return broken_floor(importer, name)
    if any(within(name, allowed) for allowed in MAY_IMPORT[folder]):
        return None
    return f"{folder} imports only {', '.join(MAY_IMPORT[folder])}"


def broken_floor(importer: Path, name: str) -> str | None:
    if any(within(name, package) for package in FOUND_AT_RUN_TIME):
        return "the checker knows no protocol: protocols and properties are found at run time"
    if not within(name, "leadline.symbolic"):
        return None
    room = Path(importer.parts[1]).stem
    if within(name, GATES[0]) and room != "lang" and not {name, name.rpartition(".")[0]} & {*GATES}:
        return f"the language is reached through {', '.join(GATES)}"
    other = name.removeprefix("leadline.symbolic").lstrip(".").partition(".")[0]
    if not other:
        return "import a room of leadline.symbolic, not all of it"
    if room == "__init__":
        return "symbolic/__init__.py imports no room, or each room would load all of them"
    if room == other:
        return None
    if other in INDEPENDENT.get(room, ()):
        return f"{room} shares no code with {other}: a replay would prove nothing"
    if unknown := {room, other} - FLOORS.keys():
        return f"{', '.join(sorted(unknown))} has no floor: give it one in FLOORS, {Path(__file__).name}"
    if FLOORS[other] < FLOORS[room] or (room, other) in NEIGHBOURS:
        return None
    return f"{room} imports only from below its floor, {FLOORS[room]}; {other} is on floor {FLOORS[other]}"


def broken_imports(importer: Path, source: str) -> list[str]:
    """One line for each forbidden import: file, line, what is imported and the rule."""
    return [
        f"{importer}:{line}: imports {name}: {rule}"
        for line, name in imports(nodes_of(source))
        if (rule := broken_rule(importer, name))
    ]


def python_files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def test_no_room_imports_a_floor_above_it() -> None:
    broken = [
        complaint
        for path in python_files("symbolic", *MAY_IMPORT)
        for complaint in broken_imports(path.relative_to(ROOT), text_of(path))
    ]
    assert not broken, "\n" + "\n".join(broken)


def test_every_room_has_a_floor() -> None:
    rooms = {path.relative_to(ROOT / "symbolic").parts[0] for path in python_files("symbolic")}
    assert {Path(room).stem for room in rooms} - {"__init__"} <= FLOORS.keys()


def too_long(path: Path, source: str) -> Iterator[str]:
    """A line for each function that is too long."""
    nodes = nodes_of(source)
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = [
        *every(ast.FunctionDef, nodes),
        *every(ast.AsyncFunctionDef, nodes),
    ]
    for node in functions:
        body = node.body if ast.get_docstring(node) is None else node.body[1:]
        length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
        if length > LONGEST_BODY:
            yield f"{path}:{node.lineno}: {node.name} has {length} lines"


def test_no_function_is_too_long() -> None:
    found = [
        told
        for path in python_files("symbolic", "properties", "benchmarks", "tools")
        for told in too_long(path.relative_to(ROOT), text_of(path))
    ]
    assert not found, "\n" + "\n".join(found)


def test_a_docstring_does_not_count_as_body() -> None:
    source = "def f():\n    'Explain.'\n" + "    x = 1\n" * LONGEST_BODY
    assert list(too_long(Path("f.py"), source)) == []
    assert list(too_long(Path("f.py"), source + "    x = 1\n")) == ["f.py:1: f has 41 lines"]


@pytest.mark.parametrize(
    ("importer", "statement", "rule"),
    [
        ("symbolic/trace/itf.py", "from leadline.symbolic.engines import bmc", "engines is on floor 5"),
        ("symbolic/trace/itf.py", "from leadline.symbolic import engines", "engines is on floor 5"),
        ("symbolic/lang/types.py", "import leadline.symbolic.cli as c", "cli is on floor 9"),
        ("symbolic/grid/plan.py", "from leadline.symbolic.report import html", "report is on floor 6"),
        ("symbolic/tla/read/parse.py", "from leadline.symbolic.catalog import find", "catalog is on floor 4"),
        ("symbolic/encode/cnf.py", "from leadline.symbolic.concrete import step", "shares no code"),
        ("symbolic/concrete/step.py", "from leadline.symbolic.solve import Sink", "shares no code"),
        ("symbolic/concrete/step.py", "from leadline.symbolic.encode import cnf", "shares no code"),
        ("symbolic/concrete/step.py", "from leadline.symbolic.trace import itf", "shares no code"),
        ("symbolic/engines/bounded/bmc.py", "from leadline.symbolic.attic import x", "attic has no floor"),
        ("symbolic/cli.py", "from leadline import symbolic", "import a room"),
        ("symbolic/cli.py", "from leadline import encodings", "found at run time"),
        ("symbolic/cli.py", "import leadline.properties.kafka", "found at run time"),
        ("symbolic/cli.py", "import leadline.benchmarks", "found at run time"),
        ("symbolic/__init__.py", "from leadline.symbolic.lang import Protocol", "imports no room"),
        ("symbolic/cli.py", "from .lang import Protocol", "imports are absolute"),
        ("encodings/kafka.py", "from leadline.symbolic.engines import bmc", "encodings imports only"),
        ("encodings/kafka.py", "from leadline.properties import kafka", "encodings imports only"),
        ("properties/kafka.py", "import leadline.benchmarks", "properties imports only"),
    ],
)
def test_forbidden_import_is_told_with_its_place(importer: str, statement: str, rule: str) -> None:
    (complaint,) = broken_imports(Path(importer), f"\ndef late():\n    {statement}\n")
    assert complaint.startswith(f"{importer}:3: ")
    assert rule in complaint


@pytest.mark.parametrize(
    ("importer", "statement"),
    [
        ("symbolic/cli.py", "from leadline import __version__"),
        ("symbolic/cli.py", "from leadline.symbolic.grid.plan import plan"),
        ("symbolic/report/html.py", "from leadline.symbolic.grid import store"),
        ("symbolic/trace/itf.py", "from leadline.symbolic.concrete import step"),
        ("symbolic/encode/cnf.py", "from leadline.symbolic.encode.bits import Bits"),
        ("symbolic/encode/cnf.py", "import z3"),
        ("symbolic/encode/cnf.py", "from leadline.symbolic.solve import Sink"),
        ("encodings/kafka.py", "from leadline.symbolic.lang import Protocol"),
        ("properties/kafka.py", "from leadline.encodings.kafka import Kafka"),
    ],
)
def test_allowed_import_passes(importer: str, statement: str) -> None:
    assert broken_imports(Path(importer), statement) == []


@pytest.mark.parametrize("name", LINKS)
def test_link_is_relative_and_resolves(name: str) -> None:
    link = ROOT / "src" / "leadline" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..", "..", name)
    assert link.resolve(strict=True) == ROOT / name


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_git_stores_the_links_as_links() -> None:
    command = ["git", "ls-files", "--stage", "--", *(f"src/leadline/{name}" for name in LINKS)]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong = [entry for entry in listing.splitlines() if not entry.startswith("120000 ")]
    assert not wrong, "stored as files, not as links:\n" + "\n".join(wrong)


def test_encodings_does_not_shadow_the_standard_library() -> None:
    assert not (ROOT / "encodings" / "__init__.py").exists(), "see encodings/README.md"
    command = [sys.executable, "-c", ""]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)


def test_nothing_leans_on_a_folder_beside_the_checkout() -> None:
    outside = "/".join(("..", "shared"))
    files = [ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / ".ci" / "run", *ROOT.glob("*.md")]
    for folder in (*LINKS, "tests", "tools"):
        files += (path for suffix in ("py", "md", "toml") for path in (ROOT / folder).rglob(f"*.{suffix}"))
    files.append(ROOT / "src" / "leadline" / "__init__.py")
    mentions = [
        f"{path.relative_to(ROOT)}:{number}: mentions {outside}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if outside in line
    ]
    assert not mentions, "\n" + "\n".join(mentions)


WORDS = {"startswith", "endswith", "partition", "rpartition", "split", "splitlines", "find", "index", "count"}
WORDS |= {"match", "fullmatch", "search", "findall"}


def examined_reasons(nodes: Nodes) -> Iterator[int]:
    """The lines that look into a reason, which is for people: programs decide by `Result.cause` and its like."""

    def named(node: ast.AST) -> bool:
        told = [one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)]
        return bool({"reason", "why"} & {*told})

    for call in every(ast.Call, nodes):
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in WORDS
            and (named(call.func.value) or any(map(named, call.args)))
        ):
            yield call.lineno
    for node in every(ast.Compare, nodes):
        pairs = zip(node.ops, node.comparators, strict=True)
        if any(isinstance(by, ast.In | ast.NotIn) and named(text) for by, text in pairs):
            yield node.lineno


def test_no_verdict_is_derived_from_the_text_of_a_reason() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: a reason is for people: decide by the cause"
        for path in python_files("symbolic")
        for line in examined_reasons(nodes_of(text_of(path)))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "(row.reason or '').startswith('time')",
        "row.reason.partition(':')[0]",
        "'time' in result.reason",
        "'time' not in (result.why or '')",
        "pattern.search(row.reason or '')",
    ],
)
def test_a_look_into_a_reason_is_found(code: str) -> None:
    assert [*examined_reasons(nodes_of(code))] == [1]


def test_no_value_is_cast_to_a_meaning() -> None:
    """A meaning implements the interface that searches ask for, and mypy checks that it does."""
    meant = {"Semantics", "Behaviour", "Graph", "Runs", "Step", "Meaning", "Explorer"}
    found = [
        f"{module}:{x.lineno}"
        for module, (nodes, _) in modules().items()
        for x in every(ast.Call, nodes)
        if isinstance(x.func, ast.Name) and x.func.id == "cast" and ast.unparse(x.args[0]) in meant
    ]
    assert not found


def test_no_test_imports_another_test() -> None:
    """Helpers that several tests use are in modules of their own."""
    found = [
        f"{path.relative_to(ROOT)} imports {node.module}"
        for path in python_files("tests")
        if path.name.startswith("test_") and ".test_" in text_of(path)
        for node in every(ast.ImportFrom, nodes_of(text_of(path)))
        if ".test_" in f"{node.module}"
    ]
    assert not found, "\n" + "\n".join(found)


def exported(path: Path) -> str:
    """The module that a file of leadline is."""
    return ".".join(("leadline", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


@functools.cache
def modules(*folders: str) -> dict[str, tuple[Nodes, bool]]:
    """The nodes of each module of symbolic, or of other folders, and whether it is a face."""
    return {
        exported(path): (nodes_of(text_of(path)), path.stem == "__init__" or exported(path) in LIBRARY)
        for path in python_files(*(folders or ("symbolic",)))
    }


@functools.cache
def imported_names(module: str) -> dict[str, tuple[str, str]]:
    """The names that a module imports, each with the module that it is taken from and its name there."""
    found = [x for x in every(ast.ImportFrom, modules(*LINKS)[module][0]) if x.module]
    own = {one.asname or one.name: (str(x.module), one.name) for x in found for one in x.names}
    whole = [str(x.module) for x in found if x.names[0].name == "*"]
    return own | {name: source for face in whole for name, source in imported_names(face).items()}


def origin(module: str, name: str) -> tuple[str, str]:
    """The module that defines a name, and its name there: faces only pass names on."""
    while module in modules() and modules()[module][1] and name in imported_names(module):
        module, name = imported_names(module)[name]
    return module, name


def texts(module: str) -> set[str]:
    """The strings in a module."""
    constants = every(ast.Constant, modules(*LINKS)[module][0])
    return {x.value for x in constants if isinstance(x.value, str)}


@functools.cache
def used(module: str) -> set[str]:
    """The modules of symbolic that a module imports from, past faces, or names as text.

    A face that is imported whole, such as `pdr`, counts by the names that are taken from it.
    """
    names = imported_names(module)
    taken = {origin(*source) for source in names.values()}
    for node in every(ast.Attribute, modules(*LINKS)[module][0]):
        if isinstance(node.value, ast.Name) and node.value.id in names:
            taken.add(origin(".".join(names[node.value.id]), node.attr))
    whole = {f"{source}.{name}" for source, name in taken}
    places = {text.partition(":")[0] for text in texts(module)}
    return ({source for source, _ in taken} | whole | places) & modules().keys() - {module}


def users(module: str) -> set[str]:
    """The modules that use a module of symbolic, faces left out; protocols and benchmarks are users too."""
    return {x for x, (_, face) in modules(*LINKS).items() if not face and module in used(x)}


@functools.cache
def entries() -> set[str]:
    """Modules that are used without an import: a table or `import_module` names them (commands, engines, solvers,
    extras), `import leadline` offers them, or they are processes of their own.
    """
    named = {f"{package}.{text.lstrip('.')}" for table, package in TABLES.items() for text in texts(table)}
    named |= {text.rpartition(".")[0] for text in named}
    offered = {origin(face, name)[0] for face in LIBRARY for name in imported_names(face)}
    processes = {
        module
        for module, (nodes, _) in modules().items()
        for x in every(ast.If, nodes)
        if isinstance(x.test, ast.Compare) and "__name__" in ast.unparse(x.test)
    }
    calls = [
        x
        for nodes, _ in modules().values()
        for x in every(ast.Call, nodes)
        if x.args and "import_module" in ast.unparse(x.func)
    ]
    loaded = {str(x.args[0].value) for x in calls if isinstance(x.args[0], ast.Constant)}
    return (named | offered | processes | loaded) & modules().keys() - {*LIBRARY}


def with_one_user(room: str = "") -> set[str]:
    """The modules that exactly one other module uses, faces and the entries of tables left out."""
    inside = f"leadline.symbolic.{room}".rstrip(".")
    files = {x for x, (_, face) in modules().items() if not face and within(x, inside)}
    return {x for x in files - entries() if len(users(x)) == 1}


def test_few_files_have_a_single_user() -> None:
    """A file is a subject, whole: what changes with one other file alone belongs there."""
    files = [module for module, (_, face) in modules().items() if not face]
    assert len(with_one_user()) <= MOST_WITH_ONE_USER * len(files), sorted(with_one_user())


def test_users_are_found_behind_faces_and_tables() -> None:
    symbolic = "leadline.symbolic."
    assert {
        f"{symbolic}cli.grid",
        f"{symbolic}engines.prove.provers",
        f"{symbolic}solve.cadical",
    } <= entries()
    assert len(users(f"{symbolic}lang.functions")) > 1  # protocols write `forall`, by the language's face
    assert f"{symbolic}cli.prove" in users(f"{symbolic}engines.prove.pdr.results")  # `pdr.PdrOptions`


def test_few_public_classes_have_the_name_of_another() -> None:
    """A reader who looks for a class finds one; the same term of two rooms is the exception."""
    names = Counter(x.name for x in classes().values() if not x.name.startswith("_"))
    namesakes = sorted(name for name, number in names.items() if number > 1)
    assert len(namesakes) <= MOST_NAMESAKES, namesakes


def test_questions_and_answers_have_types() -> None:
    """`Any` is for JSON that was read, the values of users, and libraries without types."""
    files = python_files("symbolic/engines", "symbolic/api", "symbolic/report")
    names = (x for path in files for x in every(ast.Name, nodes_of(text_of(path))))
    assert sum(x.id == "Any" for x in names) <= MOST_ANY


@functools.cache
def classes() -> dict[tuple[str, str], ast.ClassDef]:
    """The classes of symbolic, by module and name."""
    return {
        (module, x.name): x for module, (nodes, _) in modules().items() for x in every(ast.ClassDef, nodes)
    }


def bases(key: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """The bases of a class that stand in symbolic, by module and name."""
    module, _ = key
    for one in classes()[key].bases:
        base = one.value if isinstance(one, ast.Subscript) else one
        if isinstance(base, ast.Name):
            found = imported_names(module).get(base.id, (module, base.id))
        elif isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
            source, name = imported_names(module).get(base.value.id, ("", ""))
            found = f"{source}.{name}", base.attr
        else:
            continue
        if origin(*found) in classes():
            yield origin(*found)


def implements(key: tuple[str, str]) -> bool:
    """Whether a class has a method with a body, other than one that only refuses."""
    methods = [x for x in classes()[key].body if isinstance(x, ast.FunctionDef)]
    return not all(
        isinstance(x.body[-1], ast.Expr)
        or any(isinstance(y, ast.Name) and y.id == "abstractmethod" for y in x.decorator_list)
        or (isinstance(x.body[-1], ast.Raise) and "NotImplementedError" in ast.unparse(x.body[-1]))
        for x in methods
    )


def depth(key: tuple[str, str]) -> int:
    """The most classes with implementations on a way from a class up through its bases."""
    return implements(key) + max(map(depth, bases(key)), default=0)


def test_implementation_is_inherited_from_one_class_at_most() -> None:
    """Counted are classes that have a method with a body: so interfaces, markers and plain data are left out."""
    assert not [one for one in classes() if depth(one) > 2]
