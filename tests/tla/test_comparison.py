"""Values of different kinds that are compared: an error in TLC, and out of bounds in the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find_module, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Limits, Query, Verdict
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.tla import origin
from leadline.symbolic.trace import end_reason
from tests.tla.loading import write

MIXED = r"""
EXTENDS Integers, Sequences
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = (x + 1) % 5 /\ y' = IF x = 2 THEN "a" ELSE y
Same == x = 3 => y = 0
Member == x # 3 \/ y \notin {1, 2}
Sooner == <<x, y>> # <<7, 0>>
"""
LISTED = r"""
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x = 0 /\ x' = [a |-> 1]
Known == x \in [a : {1, 2}] \union {0}
"""
TAKEN = r"""
EXTENDS Integers
VARIABLES msgs, x
Init == msgs = {} /\ x = 0
Next == \/ /\ msgs = {} /\ \E k \in 1..5, v \in 1..9 : msgs' = {[key |-> k, of |-> v], [key |-> k, of |-> {v}]}
           /\ x' = 1
        \/ \E m \in msgs : msgs' = msgs \ {m} /\ x' = m.key
"""
NO_SET = r"""
EXTENDS Integers
VARIABLES x, f
Init == x = 0 /\ f = 0
Next == {step}
Small == x < 5
"""
RESTRICTED = r"""
EXTENDS Integers, TLC
VARIABLES f, w
Init == f \in [{"a", "b"} -> 0..1] /\ w \in {"a", "b"}
Next == UNCHANGED <<f, w>>
Never == [x \in {w} |-> f[x]] # ("a" :> 1)
Equal == [x \in {w} |-> f[x]] # [b |-> 2]
"""
REFUSED = ("Same", "Member")


def test_the_error_is_that_of_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.5)
    path = write(tmp_path, Mixed=MIXED)
    path.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANTS Sooner {' '.join(REFUSED)}")
    entry = find_module(path)
    model = model_of(entry, {})
    for name in REFUSED:
        question = Asked(entry, model, Query(entry.source, {}, (name,), BmcOptions(depth=4), "cadical"))
        question.put(Limits(), lambda _: None, lambda _: None)
        (found,) = question.verdicts
        assert (found.verdict, found.steps) == (Verdict.OUT_OF_BOUNDS, 3) and found.trace is not None
        told = end_reason(Semantics(model), found.trace) or ""
        assert "Mixed.tla:" in told and "is compared with" in told, (name, told)
    question = Asked(entry, model, Query(entry.source, {}, ("Sooner",), BmcOptions(depth=4), "cadical"))
    question.put(Limits(), lambda _: None, lambda _: None)
    assert question.verdicts[0].verdict is Verdict.SAFE


def test_a_union_is_looked_into_where_it_is_listed_first(tmp_path: Path) -> None:
    """As in TLC: 0 is found before it is compared with records, and the record is compared with 0."""
    path = write(tmp_path, Listed=LISTED)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Known\nCHECK_DEADLOCK FALSE\n")
    for options in (ExploreOptions(), BmcOptions(depth=3)):
        entry = find_module(path)
        question = Asked(entry, model_of(entry, {}), Query(entry.source, {}, ("Known",), options, "cadical"))
        question.put(Limits(), lambda _: None, lambda _: None)
        (found,) = question.verdicts
        assert (found.verdict, found.steps) == (Verdict.OUT_OF_BOUNDS, 1)


def test_an_element_that_is_taken_out_is_compared_with_none(tmp_path: Path) -> None:
    """Its place in the table of messages tells which it is."""
    path = write(tmp_path, Taken=TAKEN)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next")
    (after,) = [dict(one.updates)["msgs"] for one in model_of(find_module(path), {}).actions[1:]]
    assert isinstance(after, n.SetMinus) and not any(isinstance(x, n.BINDERS) for x in n.postorder(after))


@pytest.mark.parametrize(
    "step",
    [
        r"\E y \in x : x' = y /\ f' = f",
        r"\A y \in x : x' = 1 /\ f' = f",
        r"x' = 1 /\ f' = [y \in x |-> 0]",
        r"x' = 1 /\ f' = {y + 1 : y \in x}",
        r"x' = 1 /\ f' = CHOOSE y \in x : TRUE",
        r"(\E y \in x : y > 0) /\ x' = 1 /\ f' = f",
    ],
)
def test_what_is_no_set_has_no_elements_to_go_through(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(origin, "AHEAD", 0.1)
    path = write(tmp_path, NoSet=NO_SET.replace("{step}", step))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    entry = find_module(path)
    question = Asked(
        entry, model_of(entry, {}), Query(entry.source, {}, ("Small",), BmcOptions(depth=2), "cadical")
    )
    question.put(Limits(), lambda _: None, lambda _: None)
    (found,) = question.verdicts
    assert found.verdict is Verdict.OUT_OF_BOUNDS and found.steps == 1


def test_a_record_is_compared_with_a_function_of_some_strings(tmp_path: Path) -> None:
    path = write(tmp_path, Restricted=RESTRICTED)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANTS Never Equal")
    entry = find_module(path)
    question = Asked(
        entry, model_of(entry, {}), Query(entry.source, {}, None, BmcOptions(depth=1), "cadical")
    )
    question.put(Limits(), lambda _: None, lambda _: None)
    never, equal = question.verdicts
    assert (never.verdict, never.steps) == (Verdict.VIOLATED, 0)
    assert equal.verdict is Verdict.SAFE
