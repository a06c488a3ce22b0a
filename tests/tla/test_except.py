"""EXCEPT with several updates: in order, and as updates of the variable in place."""

from __future__ import annotations

from pathlib import Path

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.interpreter import Interpreter
from tests.exploring import explore
from tests.tla.loading import write
from tests.tla.lowered import counts

MODULE = r"""
EXTENDS Integers
VARIABLE logs
Init == logs = [i \in 0..2 |-> [end |-> 0, items |-> [j \in 0..1 |-> 0]]]
Append(i) == LET log == logs[i] IN
    /\ log.end < 2
    /\ logs' = [logs EXCEPT ![i].items[log.end] = i, ![i].end = @ + 1, ![i].items[log.end] = @ + log.end]
Cut(i) == LET j == (i + 1) % 3 IN
    logs' = [logs EXCEPT ![i].end = 9, ![i] = [@ EXCEPT !.end = @ - 9],
                         ![j].items[1] = 0, ![i].items[0] = 1]
Next == \E i \in 0..2 : Append(i) \/ Cut(i)
Spec == Init /\ [][Next]_logs
"""


def test_updates_in_order_and_in_place(tmp_path: Path) -> None:
    path = write(tmp_path, M=MODULE)
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\n")
    model = model_of(find(str(path)), {})
    found = explore(Semantics(model), [])
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    value = dict(model.actions[0].updates)["logs"]
    assert isinstance(value, n.MapUpdate) and isinstance(value.map, n.StateVar)


OUTSIDE = r"""
EXTENDS Integers, Sequences
VARIABLES f, r, q, g, h, k
Init == /\ f = [i \in 0..2 |-> 0]
        /\ r = [a |-> 1, b |-> 2]
        /\ q = <<1, 2>>
        /\ g = [i \in {"x", "y"} |-> [a |-> 0, s |-> <<0>>]]
        /\ h = [i \in 0..1 |-> [j \in 0..1 |-> 0]]
        /\ k = 0
Go(a, b) ==
    /\ f' = [f EXCEPT ![a] = (@ + 1) % 4, ![b] = @, ![a + 1] = f[a + 1]]
    /\ r' = [r EXCEPT !.c = @ + 1, !.a = (@ + a) % 3]
    /\ q' = [q EXCEPT ![a] = @ + 0, ![0] = @ + 1, ![3] = 1 \div 0, ![4] = CHOOSE x \in {} : TRUE]
    /\ g' = [g EXCEPT !["z"].a = @ + 1, !["x"].c = @ + 1, !["x"].s[2] = @ + 5,
                      !["y"].s[1] = (@ + 1) % 2, !["z"].s[9] = 1 \div 0]
    /\ h' = [h EXCEPT ![a][b] = 1 - @, ![b] = [@ EXCEPT ![a] = 1 - @]]
    /\ k' = (k + 1) % 3
Next == \E a \in 0..3, b \in 0..2 : Go(a, b)
"""


def test_nothing_changes_outside_of_the_domain(tmp_path: Path) -> None:
    """TLC finds 2,304 states within 18 steps and no error: it does not evaluate the value either."""
    path = write(tmp_path, M=OUTSIDE)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    levels = counts(Learner(Interpreter(Source(path).load({}))))
    assert (levels[-1], len(levels)) == (2304, 19)
    found = explore(Semantics(model_of(find(str(path)), {})), [])
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == levels


WITHIN = r"""
EXTENDS Integers
VARIABLES x, y
Twice(F(_), z) == F(F(z))
Init == x = [a |-> 0] /\ y = [a |-> 0]
Next == /\ x' = [x EXCEPT !.a = LET Add(z) == (@ + z) % 3 IN Add(1)]
        /\ y' = [y EXCEPT !.a = Twice(LAMBDA z : (@ + z) % 5, 1)]
"""


def test_an_operator_within_the_value_has_what_was_there(tmp_path: Path) -> None:
    """TLC finds 12 states within 11 steps."""
    path = write(tmp_path, M=WITHIN)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    levels = counts(Learner(Interpreter(Source(path).load({}))))
    assert (levels[-1], len(levels)) == (12, 12)
    assert list(explore(Semantics(model_of(find(str(path)), {})), []).states_within_steps) == levels
