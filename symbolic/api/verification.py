"""Properties as tests: a decorator for pytest, and the judgement of results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

from leadline.symbolic.api.protocols import ProtocolLike
from leadline.symbolic.api.results import Results
from leadline.symbolic.api.verbs import check
from leadline.symbolic.engines.ask.result import Judgement
from leadline.symbolic.lang import Claim, LeadlineError

F = TypeVar("F", bound=Callable[..., Any])

MARK = "__leadline_verification__"
"""The attribute of a test that verifies a protocol."""


class Violated(AssertionError):
    """A property that is tested does not hold; the message has the counterexample."""


class Unanswered(LeadlineError, RuntimeError):
    """A tested property has no answer. That is an error of the test, and no pass."""


@dataclass(frozen=True)
class Verification:
    """A check as a test.

    Attributes:
        protocol: the protocol.
        asked: the arguments of `check`.
    """

    protocol: ProtocolLike
    asked: Mapping[str, Any]

    @cached_property
    def results(self) -> Results:
        """The answer. No judgement in it is open.

        Raises:
            Unanswered: if a property is unknown, or a probe is not reached within the bound.
            UserError: if the check has mistakes.
        """
        results = check(self.protocol, **{"progress": False, **self.asked})
        unknown = [one for one in results.values() if one.judgement is Judgement.OPEN]
        if unknown:
            told = "\n".join(f"  {one.property}: {one.reason or one}" for one in unknown)
            raise Unanswered(f"{results.title} has no answer about\n{told}\ngive it a depth, or more time")
        return results

    def judge(self) -> Results:
        """The answer, if each property holds and each probe is reached.

        Raises:
            Violated: if a property is violated or a probe is unreachable.
            Unanswered: as `results`.
        """
        results = self.results
        failed = [one for one in results.values() if one.judgement is not Judgement.PASSED]
        runs = ("" if one.trace is None else f"\n\n{one.trace}" for one in failed)
        wrong = [f"{one.property} is {one}{run}" for one, run in zip(failed, runs, strict=True)]
        if results.out_of_bounds is not None and not wrong:
            wrong = [f"a step goes out of bounds\n\n{results.out_of_bounds}"]
        if wrong:
            raise Violated("\n\n".join([results.title, *wrong]))
        return results


def verify(
    protocol: ProtocolLike,
    /,
    *,
    property: str | Claim | None = None,
    properties: Sequence[str | Claim] | None = None,
    **asked: Any,
) -> Callable[[F], F]:
    """Turn a function into a test that checks a protocol first.

    The test fails with the counterexample if a property is violated or out of bounds, and if a probe is
    unreachable. A property without an answer is an error, and so is a probe that is not reached within the
    bound; they never pass. The function's body runs after the check; if it has an argument `results`, that
    is the answer.

        @leadline.verify(Counter, property="nothing-lost", workers=3, depth=8)
        def test_nothing_is_lost(): ...

    Args:
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        property: the property to check: a name such as "nothing-lost", or the decorated function.
        properties: several properties; by default all but strengthenings.
        asked: further arguments of `check`: parameters of the protocol and options.
    """
    names = properties if property is None else [property]
    wanted = dict(asked) if names is None else {**asked, "properties": names}
    verification = Verification(protocol, wanted)

    def decorate(function: F) -> F:
        takes = inspect.signature(function).parameters

        @wraps(function)
        def test(*arguments: Any, **fixtures: Any) -> Any:
            # pytest shows only the counterexample, not the way to it.
            __tracebackhide__ = True
            results = verification.judge()
            if "results" in takes:
                fixtures["results"] = results
            return function(*arguments, **fixtures)

        left = [one for name, one in takes.items() if name != "results"]
        setattr(test, "__signature__", inspect.Signature(left))  # noqa: B010  # pytest's fixtures, not ours
        setattr(test, MARK, verification)
        return test  # type: ignore[return-value]  # but for `results`, its arguments are the function's

    return decorate
