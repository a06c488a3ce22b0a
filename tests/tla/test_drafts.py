"""Modules while they are being written: the names in them, and all their mistakes."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.symbolic.tla.read import parse
from leadline.symbolic.tla.read.drafts import Drafts, Refused, config_mentions
from leadline.symbolic.tla.read.levels import Levels
from leadline.symbolic.tla.read.resolve import Resolver

SHAPES = r"""---- MODULE Shapes ----
EXTENDS Naturals
CONSTANTS N, F(_)
RECURSIVE fact(_)
fact(n) == IF n = 0 THEN 1 ELSE n * fact(n - 1)
f[i \in 1..N, j, k \in {1}] == i + f[i - 1, j, k]
a \oplus b == a + b
Op(G(_), z) == LET q == z  h(u) == u IN lab(z):: [q EXCEPT !.fld = h(@)] \oplus G(1)
Set == {m : m \in 1..N} \cup {w \in 1..N : \E <<s, t>> \in {} : s = t + w}
Lam == Op(LAMBDA d : d, CHOOSE e \in {} : TRUE)
Local == LET I == INSTANCE Inner2 IN I!deep
THEOREM T == ASSUME NEW nn \in Nat PROVE nn > 0
<1>1. ASSUME NEW i PROVE i = i
  <2>. QED BY DEF Op
<1>2. SUFFICES ASSUME NEW i \in Nat PROVE i > nn
  OBVIOUS
<1>3. PICK kk \in Nat : kk > i OBVIOUS
<1>. DEFINE dd == kk
<1>. QED BY <1>1, T DEF dd
---- MODULE Inner ----
inner == N
====
====
"""
INNER = "---- MODULE Inner2 ----\ndeep == 1\n====\n"


def drafts(**texts: str) -> Drafts:
    """Drafts of files that are on no disk."""
    return Drafts({Path(f"/nowhere/{name}.tla"): text for name, text in texts.items()})


def test_every_name_has_its_declaration() -> None:
    made, path = drafts(Shapes=SHAPES, Inner2=INNER), Path("/nowhere/Shapes.tla")
    lines = SHAPES.split("\n")
    found: dict[tuple[str, int], set[int]] = {}
    for mention, declared in made.meanings(path):
        line, start, end = mention.spot
        assert lines[line][start:end] == mention.name
        if declared is not None:
            found.setdefault((mention.name, line), set()).add(declared.about.spot.line)
    assert found["fact", 3] == found["fact", 4] == {4}
    assert found["f", 5] == {5}
    assert found["N", 20] == {2}
    assert found["\\oplus", 7] == {6}
    assert found["deep", 10] == {1}  # of Inner2
    assert found["i", 12] == {12}
    assert found["i", 14] == found["i", 16] == {14}
    assert found["nn", 14] == {11}
    assert found["kk", 17] == {16}
    assert found["dd", 18] == {17}
    bound = {(name, line) for (name, line), places in found.items() if places == {line}}
    names = {"n", "j", "a", "b", "G", "z", "q", "h", "u", "m", "w", "s", "t", "d", "e"}
    assert names <= {name for name, _ in bound}
    assert made.scan(path).fields == {"fld"}


def test_standard_names_are_declared_nowhere() -> None:
    made = drafts(Shapes=SHAPES, Inner2=INNER)
    lacking = {one.name for one, declared in made.meanings(Path("/nowhere/Shapes.tla")) if declared is None}
    assert lacking == {"Naturals", "Nat"}


@pytest.mark.parametrize(
    ("broken", "names"),
    [
        ("A == (", ["A", "B", "C"]),
        ("A(p, q) ==\n  /\\ p", ["A", "B", "C"]),
        ("A ==", ["A", "B", "C"]),
        ('A == "open', ["A", "B", "C"]),
        ("A[i \\in {}] == [", ["A", "B", "C"]),
        ("A == (* open", ["A", "B", "C"]),
        ("A(p, == 1", ["B", "C"]),
    ],
)
def test_a_definition_that_is_unfinished_leaves_the_others(broken: str, names: list[str]) -> None:
    made = drafts(M=f"---- MODULE M ----\n{broken}\nB == 1\nC == B\n====\n")
    path = Path("/nowhere/M.tla")
    assert [*made.scan(path).modules["M"].names] == names
    assert len(made.mistakes(path)) == (0 if broken.endswith("/\\ p") else 1)


def test_mistakes_of_names_are_told_beside_those_of_syntax() -> None:
    text = "---- MODULE M ----\nA(p) == (\nB == A(1, 2)\nC == A(Missing)\nD == [\n====\n"
    lines = [one.span.line for one in drafts(M=text).mistakes(Path("/nowhere/M.tla"))]
    assert lines == [3, 3, 4, 6]


def test_constants_need_no_value_without_a_configuration() -> None:
    text = "---- MODULE M ----\nCONSTANTS N, Op(_)\nVARIABLE x\nInit == x = Op(N)\n====\n"
    assert drafts(M=text).mistakes(Path("/nowhere/M.tla")) == []


def test_names_of_a_configuration() -> None:
    text = "CONSTANTS N = 3 Model = m1 Set = {a, b} Op <- Mine\nF <- [Other] G\nINVARIANT Inv \\* Not\n"
    found = [one.name for one in config_mentions(text)]
    assert found == ["N", "Model", "Set", "Op", "Mine", "F", "G", "Inv"]


def test_modules_with_the_same_names_do_not_mix() -> None:
    one = "---- MODULE {name} ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\nSpec == Init\n====\n"
    made = drafts(A=one.format(name="A"), B=one.format(name="B"))
    mention, found = made.at(Path("/nowhere/A.tla"), 2, 0) or (None, None)
    assert mention is not None
    assert found is not None
    assert {path.stem for path, _ in made.rename(found, "Begin")} == {"A"}


def test_a_name_of_an_algorithm_is_changed_there() -> None:
    text = (
        "---- MODULE P ----\n(* --algorithm p variables x = 0; begin A: x := 1; end algorithm *)\n"
        "\\* BEGIN TRANSLATION\nVARIABLES x\nInit == x = 0\n\\* END TRANSLATION\n====\n"
    )
    made = drafts(P=text)
    _, found = made.at(Path("/nowhere/P.tla"), 3, 10) or (None, None)
    assert found is not None
    with pytest.raises(Refused, match="the algorithm mentions x"):
        made.rename(found, "y")


def long(broken: int) -> str:
    """A module of about a thousand lines, of whose definitions one is unfinished."""
    parts = [
        f"A{i}(n) ==\n  /\\ x + n < {i}{' (' if i == broken else ''}\n  /\\ x' = x + n\n\\* ...\n"
        for i in range(250)
    ]
    return "\n".join(["---- MODULE Long ----", "EXTENDS Naturals", "VARIABLE x", *parts, "====", ""])


@pytest.mark.parametrize("broken", [10, 125, 240])
def test_only_what_is_around_a_mistake_is_parsed_with_a_log(
    broken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log makes parsing about ten times as slow, so a thousand lines with it are too much for an editor."""
    read: list[int] = []
    whole = parse._stop

    def counted(language: object, text: str) -> int | None:
        read.append(len(text))
        return whole(parse.language(), text)

    monkeypatch.setattr(parse, "_stop", counted)
    text = long(broken)
    (mistake,) = drafts(Long=text).mistakes(Path("/nowhere/Long.tla"))
    assert text.split("\n")[mistake.span.line - 1].endswith(f"< {broken} (")
    assert sum(read) < len(text) / 4


@pytest.mark.parametrize("broken", ["(", "/\\", "x ==", ""])
def test_the_part_that_is_parsed_with_a_log_tells_the_same(broken: str) -> None:
    text = (
        long(-1).replace("A100(n) ==\n  /\\ x", f"A100(n) ==\n  /\\ x {broken}").replace("A101(n)", "A101(n")
    )
    search = parse._Search(parse.language(), text)
    assert search._misfit() == parse._stop(parse.language(), text) is not None


USER = r"""---- MODULE User ----
EXTENDS Shapes, FiniteSets
VARIABLES x, y
vars == <<x, y>>
I == INSTANCE Inner2
J(q1) == INSTANCE Other WITH z <- x + q1

(* A comment (* in a comment *) of
   two lines. *)
Init == x = 0 /\ y = Op(LAMBDA c : c, 2)
Step(n) ==
  /\ x < N
  /\ x' = LET g == n  h(u) == u + g IN h(1)
  /\ UNCHANGED y
Half == Step(1)!2 /\ J(1)!Twice = I!deep
Next == \E n \in Set : Step(n) \/ Half
Live == <>(x = 1) /\ WF_vars(Next)
Named == [a |-> fact(x), b |-> f[1, 1, 1]]
ASSUME N \in Nat
THEOREM Safe == Init => Cardinality({x}) = 1
Spec == Init /\ [][Next]_vars
====
"""
OTHER = "---- MODULE Other ----\nEXTENDS Naturals\nVARIABLE z\nTwice == 2 * z\nMore == z' = Twice\n====\n"
PIECES = (
    "\n", "\n\n", " ", "(", ")", "==", "'", "[]", "<>", "x", "N", "\nNew == x\n", "\nOp == 1\n", '"', "\\/ ",
    "\nVARIABLE more\n", "(*", "*)", " + Missing", "\nINSTANCE Other WITH z <- y\n", "\nLOCAL x == 2\n", "@",
)  # fmt: skip


def edited(text: str, chosen: random.Random) -> str:
    """The text after a change: something added, removed or moved, or a word in place of another."""
    at, way, lines = chosen.randrange(len(text)), chosen.randrange(4), text.split("\n")
    if way == 0:
        return text[:at] + chosen.choice(PIECES) + text[at:]
    if way == 1:
        return text[:at] + text[at + chosen.randrange(1, 4) :]
    if way == 2:
        moved = lines.pop(chosen.randrange(len(lines)))
        lines.insert(chosen.randrange(len(lines)), moved)
        return "\n".join(lines)
    words = list(re.finditer(r"\w+", text))
    one, put = chosen.choice(words), chosen.choice(words)[0]
    return text[: one.start()] + put + text[one.end() :]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_mistakes_after_changes_are_those_of_a_fresh_reading(seed: int) -> None:
    chosen, path = random.Random(seed), Path("/nowhere/User.tla")
    texts = sound = {"Shapes": SHAPES, "Inner2": INNER, "Other": OTHER, "User": USER}
    kept = drafts(**texts)
    assert kept.mistakes(path) == []
    told = 0
    for _ in range(20):
        name = chosen.choice(["User", "User", "Shapes", "Other"])
        texts = {**texts, name: edited(texts[name], chosen)}
        fresh = drafts(**texts)
        kept.texts.update(fresh.texts)
        kept.refresh()
        found = fresh.mistakes(path)
        assert kept.mistakes(path) == found
        told += len(found)
        if found and chosen.random() < 0.7:  # most are undone: mistakes hide others
            texts = sound
        elif not found:
            sound = texts
    assert told


def test_after_a_change_only_what_it_touches_is_read_and_resolved_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, path = drafts(Long=long(-1)), Path("/nowhere/Long.tla")
    assert made.mistakes(path) == []
    done: list[str] = []
    for kind, name in ((parse.Reader, "unit"), (Resolver, "definition"), (Levels, "_of")):
        whole = getattr(kind, name)

        def counted(*given: object, whole: Callable[..., object] = whole, name: str = name) -> object:
            done.append(name)
            return whole(*given)

        monkeypatch.setattr(kind, name, counted)
    made.texts[path] = long(-1).replace("A100(n) ==\n", "\nA100(n) ==\n  /\\ n > Missing\n")
    (mistake,) = made.mistakes(path)
    assert made.texts[path].split("\n")[mistake.span.line - 1].endswith("Missing")
    made.texts[path] = long(-1).replace("A100(n) ==\n", "A100(n) ==\n  /\\ n > 1\n")
    assert made.mistakes(path) == []
    counts = {name: done.count(name) for name in done}
    assert counts.keys() == {"unit", "definition", "_of"}
    assert max(counts.values()) < 250  # as many as definitions


def test_a_definition_is_judged_again_when_one_that_it_mentions_is_about_another_level() -> None:
    text = "---- MODULE M ----\nVARIABLE x\nA == x\nB == A\nC == B'\n====\n"
    made, path = drafts(M=text), Path("/nowhere/M.tla")
    assert made.mistakes(path) == []
    made.texts[path] = text.replace("A == x", "A == x'")
    assert [one.span.line for one in made.mistakes(path)] == [5]
