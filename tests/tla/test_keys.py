"""Sets of records with a key: learned, encoded as tables, and given up where a run has two records of one key."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.engines import BmcOptions, Options, Verdict
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang.keyed import KeyedSet
from leadline.symbolic.lang.structures import Set, record
from leadline.symbolic.lang.types import Int
from leadline.symbolic.meaning import explore
from leadline.symbolic.tla import origin
from tests.tla.loading import write
from tests.tla.lowered import asked

PAIRS = KeyedSet(record("Pair", at=Int(1, 3), of=Int(0, 2)), "at")
REQUESTS = """
EXTENDS Integers, FiniteSets
CONSTANT Late
VARIABLES epoch, sent, seen
Request == [epoch |-> epoch, to |-> 0, size |-> 1]
Init == epoch = 0 /\\ sent = {} /\\ seen = 0
Send == \\E to \\in 0..2, size \\in 1..2 :
    /\\ epoch < 3
    /\\ epoch' = epoch + 1
    /\\ sent' = sent \\cup {[Request EXCEPT !.to = to, !.size = size]}
    /\\ UNCHANGED seen
Again == epoch = Late /\\ sent' = {[Request EXCEPT !.epoch = 0, !.to = 2]} \\cup sent /\\ UNCHANGED <<epoch, seen>>
Take == \\E r \\in sent : r.to > 0 /\\ seen' = r.size /\\ UNCHANGED <<epoch, sent>>
Drop == sent' = {r \\in sent : r.size > 1} /\\ sent' # sent /\\ UNCHANGED <<epoch, seen>>
Remove == \\E r \\in sent : sent' = sent \\ {r} /\\ UNCHANGED <<epoch, seen>>
Next == Send \\/ Again \\/ Take \\/ Drop \\/ Remove
Spec == Init /\\ [][Next]_<<epoch, sent, seen>>
OneEach == \\A r, s \\in sent : r.epoch = s.epoch => r = s
Few == Cardinality(sent) < 3
Taken == seen < 2
Subset == sent \\subseteq [epoch : 0..3, to : 0..2, size : 1..2]
"""
CLAIMS = {"OneEach": None, "Few": 3, "Taken": 2, "Subset": None}


def written(folder: Path, late: int) -> Path:
    text = f"CONSTANT Late = {late}\nSPECIFICATION Spec\nINVARIANT OneEach Few Taken Subset\n"
    (folder / "M.cfg").write_text(text)
    return write(folder, M=REQUESTS)


def test_values_of_the_type() -> None:
    values = list(PAIRS.values())
    assert len(set(values)) == len(values) == PAIRS.cardinality == 4**3
    assert all(PAIRS.contains(x) and PAIRS.rank(x) == rank for rank, x in enumerate(values))
    plain = [x for x in Set(PAIRS.item).values() if len({key for key, _ in x}) == len(x)]
    assert set(plain) == set(values)
    assert not PAIRS.contains(frozenset({(1, 0), (1, 1)}))


@pytest.mark.parametrize("options", [BmcOptions(depth=4), BmcOptions(depth=4, unroll="sweeps"), PdrOptions()])
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_set_with_a_key(claim: str, options: Options, tmp_path: Path) -> None:
    model, result = asked(written(tmp_path, late=9), claim, options)
    kind = model.variable("sent").type
    assert isinstance(kind, KeyedSet) and kind.key == "epoch"
    steps = CLAIMS[claim]
    assert (result.verdict is Verdict.VIOLATED) is (steps is not None)
    assert result.verdict in (Verdict.VIOLATED, Verdict.SAFE, Verdict.PROVED)


def test_the_state_is_a_table() -> None:
    kind = KeyedSet(record("Pair", at=Int(1, 8), of=Int(0, 15)), "at")
    circuit = Circuit()
    before = circuit.variables
    Layout(circuit).free(kind)
    assert circuit.variables - before == 8 * (1 + 4)


def test_a_quantifier_has_an_instance_for_each_key(tmp_path: Path) -> None:
    """An instance for each two of 36 records made 326 gates, and took the time of 1,296 instances."""
    model = model_of(find(str(written(tmp_path, late=9))), {})
    claim = model.properties["OneEach"]
    assert len(Encoding(model).predicates([claim]).template.gates) < 160


def test_no_step_leaves_the_type(tmp_path: Path) -> None:
    model = model_of(find(str(written(tmp_path, late=9))), {})
    found = explore(Semantics(model), list(CLAIMS))
    assert found.complete and not found.steps_out_of_bounds


@pytest.mark.parametrize("options", [BmcOptions(depth=4), PdrOptions()])
def test_a_run_without_the_key_widens_the_type(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two requests have one epoch after three steps, which the runs ahead do not reach."""
    path = written(tmp_path, late=2)
    monkeypatch.setattr(origin, "AHEAD", 0.0)
    before = model_of(find(str(path)), {}).variable("sent").type
    model, result = asked(path, "OneEach", options)
    assert result.verdict is Verdict.VIOLATED
    assert before != model.variable("sent").type
    kind = model.variable("sent").type
    assert not isinstance(kind, KeyedSet) or kind.key != "epoch"
