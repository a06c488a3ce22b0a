"""Steps in stages that keep their results, and applications evaluated once: nothing else may change."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.meaning import Explorer
from leadline.symbolic.tla.values import writer
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.values import tla_text
from leadline.symbolic.tla.values.writer import Memo, reuse
from tests.tla.loading import specification

BODY = """
EXTENDS Integers, FiniteSets, Sequences
VARIABLES log, sent, clock
Peers == 1..3
Max(S) == CHOOSE m \\in S : \\A n \\in S : m >= n
Behind(p) == {q \\in Peers : log[q].at < log[p].at}
Write == \\E p \\in Peers : /\\ log[p].at < 2
                         /\\ log' = [log EXCEPT ![p].at = @ + 1, ![p].by = p]
                         /\\ UNCHANGED <<sent, clock>>
Send == \\E p, q \\in Peers : /\\ q \\in Behind(p)
                           /\\ sent' = sent \\union {[to |-> q, at |-> log[p].at]}
                           /\\ clock' = (clock + 1) % 3
                           /\\ UNCHANGED log
Take == \\E m \\in sent : \\/ /\\ log[m.to].at = m.at
                          /\\ sent' = sent \\ {m}
                          /\\ UNCHANGED <<log, clock>>
                       \\/ /\\ log[m.to].at < Max({m.at, 1})
                          /\\ log' = [log EXCEPT ![m.to].at = m.at]
                          /\\ IF clock = 0 THEN sent' = sent ELSE sent' = sent \\ {m}
                          /\\ clock' \\in {0, Cardinality(sent) % 3}
Break == \\E p \\in Peers, m \\in sent : /\\ log[p].at = 2 /\\ m.to = p
                                     /\\ clock = 2
                                     /\\ log' = [log EXCEPT ![p].by = <<1>>[clock]]
                                     /\\ UNCHANGED <<sent, clock>>
Turn == \\E m \\in sent : \\E q \\in Behind(m.to) :
          IF clock = q % 2 THEN /\\ clock' = 2
                                /\\ sent' = sent \\ {m}
                                /\\ UNCHANGED log
                           ELSE /\\ sent' = sent \\ {m}
                                /\\ clock' = q % 2
                                /\\ UNCHANGED log
Init == log = [p \\in Peers |-> [at |-> 0, by |-> 0]] /\\ sent = {} /\\ clock = 0
Next == Write \\/ Send \\/ Take \\/ Turn \\/ Break
Few == Cardinality({p \\in Peers : log[p].at = 2}) < 3
"""


def behaviour(folder: Path) -> Behaviour:
    return Behaviour(specification(folder, BODY, "INIT Init\nNEXT Next\nINVARIANT Few"))


@pytest.mark.parametrize("most", [3, 1 << 14])
def test_steps_in_stages_are_those_of_the_whole_action(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(writer, "_MOST", most)
    one = behaviour(tmp_path)
    explorer = Explorer(one, ["Few"], 5)
    explorer.run()
    traced = one.interpreter.traced
    assert len(explorer.order) > 300
    assert sum("remembered" in name for name in one.interpreter.source.functions) > 5
    failed = 0
    for state in explorer.order:
        for place, step in enumerate(one.steps[1:], start=1):
            found: list[Any] = []
            step(state, found.append)
            expected: list[Any] = []
            try:
                traced[place](state, lambda pair: expected.append(pair[1]))  # noqa: B023
            except Exception:
                expected.append(None)
                failed += 1
            assert found == expected, tla_text(state)
    assert failed


def test_a_result_is_computed_once_while_keeping_it_pays() -> None:
    calls: list[object] = []

    def compute(x: object) -> list[tuple[int, object]]:
        calls.append(x)
        return [(0, x)]

    known = Memo({"f": compute}, "kept", "f", lists=True)
    for x in ("a", "b"):
        assert known.add((id(x),), (x,)) == ((0, x),)
    assert known[(id("a"),)][0] is known.add(("other",), ("a",))
    assert calls == ["a", "b", "a"]


def test_a_memo_that_is_seldom_of_use_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_TRIAL", 10)
    namespace: dict[str, Any] = {"f": str, "kept": None}
    known = Memo(namespace, "kept", "f")
    known.hits = 20
    for x in range(10):
        known.add((x,), (x,))
    assert namespace["kept"] is None and len(known) == 10
    for x in range(10):
        known.add((x,), (x,))
    assert namespace["kept"] is str and not known


REUSED = {
    "two uses": ("return f[f[0].index[x]] + f[f[0].index[x]]", 1),
    "parts": (
        "return (a := f[f[0].index[x]])[a[0].index['k']] + (b := f[f[0].index[x]])[b[0].index['k']]",
        2,
    ),
    "after a test": ("if f[f[0].index[x]] == 1:\n  return 2\n return f[f[0].index[x]]", 1),
    "within a test": ("if y and f[f[0].index[x]] == 1:\n  return f[f[0].index[x]]\n return 0", 1),
    "after a test that may not be evaluated": (
        "if y and f[f[0].index[x]]:\n  pass\n return f[f[0].index[x]]",
        2,
    ),
    "in two arms": ("return f[f[0].index[x]] if y else f[f[0].index[x]]", 2),
    "in a loop": ("for x in y:\n  f[f[0].index[x]]\n return f[f[0].index[x]]", 2),
    "before a loop": ("a = f[f[0].index[x]]\n for z in y:\n  b = f[f[0].index[x]]\n return a", 1),
    "of another value": ("a = f[f[0].index[x]]\n x = 2\n return a + f[f[0].index[x]]", 2),
    "of another function": ("return f[f[0].index[x]] + y[y[0].index[x]]", 2),
    "after a failure": (
        "try:\n  a = f[f[0].index[x]]\n except KeyError:\n  a = 0\n return f[f[0].index[x]]",
        2,
    ),
    "of one and TRUE": ("return f[f[0].index[1]] + f[f[0].index[True]]", 2),
}


@pytest.mark.parametrize("case", REUSED)
def test_an_application_is_evaluated_once_on_each_way(case: str) -> None:
    body, times = REUSED[case]
    tree = reuse(ast.parse(f"def g(f, x, y):\n {body}"))
    compile(tree, "", "exec")
    assert ast.unparse(tree).count(".index[") == times, ast.unparse(tree)
