"""Results of definitions that are kept: nothing else may change."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.meaning import Explorer
from leadline.symbolic.tla.values import writer
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.translation import Translation
from leadline.symbolic.tla.values.writer import Memo
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


def test_kept_results_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for most in (3, 1 << 14):
        monkeypatch.setattr(writer, "_MOST", most)
        explorer = Explorer(behaviour(tmp_path), ["Few"], 5)
        explorer.run()
        found.append((explorer.order, explorer.fired))
    kept = explorer.semantics.interpreter.source.functions
    monkeypatch.setattr(Translation, "_remembers", lambda *_: False)
    explorer = Explorer(behaviour(tmp_path), ["Few"], 5)
    explorer.run()
    assert found == [(explorer.order, explorer.fired)] * 2 and len(explorer.order) > 300
    assert sum("remembered" in name for name in kept) > 0


def test_a_result_is_computed_once() -> None:
    calls: list[object] = []
    known = Memo({"f": calls.append}, "f")
    for x in ("a", "b"):
        known.add((id(x),), (x,))
    assert [known[(id(x),)][1] for x in ("a", "b")] == [("a",), ("b",)]
    assert calls == ["a", "b"]


def test_results_of_a_recursion_are_kept_where_it_begins(tmp_path: Path) -> None:
    """Its own calls stay plain: each would take more of the stack. A constant is no reason to evaluate later."""
    body = """
        EXTENDS Integers
        CONSTANT Nothing
        VARIABLE s
        RECURSIVE Total(_, _)
        Total(S, none) == IF S = {} THEN none ELSE LET m == CHOOSE m \\in S : \\A n \\in S : m >= n
                                                   IN m + Total(S \\ {m}, none)
        Init == s = {}
        Next == \\E x \\in 1..3 : s' = s \\union {x}
        Few == \\A x \\in s : x <= Total(s, Nothing)
    """
    one = specification(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Few\nCONSTANT Nothing = 0")
    explorer = Explorer(Behaviour(one), ["Few"], 5)
    explorer.run()
    made = explorer.semantics.interpreter.source.functions
    kept = [name for name in made if name.endswith("_Total_remembered")]
    assert len(kept) == 1
    assert not any(kept[0] in str(fn.lines) for name, fn in made.items() if name.endswith("_Total"))
