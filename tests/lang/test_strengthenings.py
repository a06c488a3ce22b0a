"""Strengthenings: claims that are only means of inductive proofs."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.lang import (
    Claim,
    Int,
    ModelError,
    PropertyKind,
    Protocol,
    build,
    invariant,
    strengthening,
)


class Clock(Protocol):
    """Shows a number."""

    def define(self, state: Any) -> None:
        state.hour = Int(0, 11)

    def init(self, start: Any) -> None:
        start.hour = 0


@invariant(Clock)
def no_noon(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.hour < 12


def early(*arguments: Any, **options: Any) -> Claim:
    @strengthening(*arguments, **options)
    def early_hours(protocol: Any, now: Any) -> Any:
        """Where it comes from."""
        return now.hour < 6

    return early_hours


@pytest.mark.parametrize(
    ("of", "expected"),
    [("no-noon", ("no-noon",)), (("no-noon", "early-hours"), ("no-noon", "early-hours")), ((), ())],
)
def test_a_strengthening(of: Any, expected: tuple[str, ...]) -> None:
    model = build(Clock(), [early(Clock, of=of), no_noon])
    found = model.properties["early-hours"]
    assert (found.kind, found.tla, found.doc) == (
        PropertyKind.STRENGTHENING,
        "EarlyHours",
        "Where it comes from.",
    )
    assert (found.strengthens, found.entails) == (expected, False)
    assert (model.properties["no-noon"].strengthens, model.properties["no-noon"].entails) == ((), False)


def test_it_is_checked_only_where_it_is_named() -> None:
    model = build(Clock(), [early(Clock), no_noon])
    assert model.claimed == ("no-noon",)
    assert [one.name for one in model.choose_properties(())] == ["no-noon"]
    assert [one.name for one in model.choose_properties(("early-hours",))] == ["early-hours"]


def test_it_is_part_of_what_the_model_means() -> None:
    """A certificate must not outlive the strengthenings that it rests on."""
    assert build(Clock(), [early(Clock), no_noon]).fingerprint != build(Clock(), [no_noon]).fingerprint


def test_it_may_be_for_a_property_that_does_not_apply() -> None:
    @invariant(Clock, when=lambda protocol: False)
    def never_stated(protocol: Any, now: Any) -> Any:
        """Does not apply."""
        return now.hour > 0

    model = build(Clock(), [early(Clock, of="never-stated"), never_stated])
    assert list(model.properties) == ["early-hours"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"of": "no-moon"},
            "the strengthening early-hours is of a property that there is not: `no-moon`: "
            "did you mean `no-noon`?",
        ),
        (
            {"entails": True},
            "the strengthening early-hours entails no property that is named",
        ),
    ],
)
def test_mistakes(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ModelError) as told:
        build(Clock(), [early(Clock, **options), no_noon])
    assert complaint in told.value.mistakes[0].text
    assert told.value.mistakes[0].span.file == __file__
