"""Questions to every engine about a module, and the comparison of the answers with those of TLC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pytest

from leadline.symbolic.api.wording import WORDINGS
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import ENGINES, Answer, Limits, Options, Query, Verdict
from leadline.symbolic.engines.ask.engine import AboutRuns
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.ask.widening import Kept, widened_answers
from leadline.symbolic.engines.bounded.bmc import SWEEPS, BmcOptions
from leadline.symbolic.engines.explore.explore import CIRCUITS, VALUES, ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.novelty import NoveltyOptions
from leadline.symbolic.engines.explore.simulate import SimulateOptions
from leadline.symbolic.engines.explore.specifications import explore_specification
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.run.parallel import answer_here
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.lang import Model, ModelError, NoSymbolicForm
from leadline.symbolic.solve import LONE
from leadline.symbolic.tla.outline import outlined
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.values.behaviour import Behaviour
from tests.tla.random_modules import Family

MOST_STATES = 5_000
"""Some modules have a violation and no end."""
DEADLOCKED, VIOLATED = 11, 12
"""TLC's exit codes where the last state of a run is wrong."""
WRONG = (Verdict.VIOLATED, Verdict.OUT_OF_BOUNDS)
PAST = 2
"""Steps beyond those of the farthest state, where nothing wrong is found."""
MOST_SWEEPS = 5
"""The sweeps that are refuted where TLC has no run. Each may take every action, so they are far more steps."""


@dataclass(frozen=True)
class Tlc:
    """TLC's answer.

    Attributes:
        seed: that of the module.
        text: its hash.
        code: its exit code.
        distinct: the number of states; None unless it ended by itself.
        depth: the steps to the farthest of them.
        steps: those of a counterexample that is no loop; None if there is none.
    """

    seed: int
    text: str
    code: int
    distinct: int | None
    depth: int | None
    steps: int | None

    @property
    def failed(self) -> bool:
        """Whether it ended with an error of evaluation; a violation may lie beyond it."""
        return self.code not in (0, 11, 12, 13)


class Asking:
    """A module, its exploration by the interpreter, and questions about the model that it makes.

    Attributes:
        deadlock: whether its configuration asks for deadlocks.
        exploring: the options of an exploration, without bound where TLC has met the end.
    """

    def __init__(self, path: Path, told: Tlc) -> None:
        self.entry, self.told = find(str(path)), told
        self.specification = Source(path).load({})
        self.deadlock = self.specification.deadlock
        self.exploring = ExploreOptions(max_states=MOST_STATES if told.distinct is None else None)
        self.whole = self.explored(self.specification)

    @cached_property
    def model(self) -> Model | None:
        """The model; None if the module has none."""
        try:
            return model_of(self.entry, {})
        except NoSymbolicForm:
            return None

    @cached_property
    def every(self) -> Answer:
        """The answer of the interpreter where every state counts."""
        return self.explored(replace(self.specification, view=None, symmetry=()))

    def by_novelty(self) -> Answer:
        """The answer of the search that goes on from states with new facts first."""
        asked = outlined(self.specification, {})
        query = Query(
            self.entry.source,
            {},
            (*asked.properties,),
            NoveltyOptions(MOST_STATES),
            LONE,
            deadlock=self.deadlock,
        )
        return answer_here(asked, query)

    def explored(self, specification: Specification) -> Answer:
        return explore_specification(
            Behaviour(specification), self.exploring, Limits(), SILENT, deadlock=self.deadlock
        )

    def answer(self, options: Options) -> Answer:
        """The answer of an engine about the model, with wider types if need be."""
        assert self.model is not None
        names = tuple(self.model.properties)
        query = Query(self.entry.source, {}, names, options, "cadical", deadlock=self.deadlock)
        kept = Kept()

        def ask(model: Model, _: Limits) -> Answer:
            left = kept.left(model, query)
            return answer_here(model, left) if left.properties or left.deadlock else Answer(())

        *_, (model, found) = widened_answers(self.model, Limits(), ask, kept)
        return replace(found, results=WORDINGS[query.engine].verdicts(model, query, found))

    @property
    def about_states(self) -> bool:
        """Whether it is asked only whether properties hold in each state."""
        assert self.model is not None
        return not self.deadlock and all(one.temporal is None for one in self.model.properties.values())

    @property
    def farthest(self) -> int:
        """The steps to the farthest state, or of a counterexample that is longer; of that alone if states have
        no end."""
        depth = _depth(self.every) if self.every.told(ExploreFacts).complete else 0
        return max([depth, *(one.steps or 0 for one in self.every.results)])

    def check(self, options: Options, answer: Answer, *, decides: bool, shortest: bool) -> None:
        """Compare an answer with TLC's.

        Args:
            decides: whether unknown is a mistake.
            shortest: whether each counterexample must be a shortest one.
        """
        told = [(one.property, str(one.verdict), one.steps) for one in answer.results]
        about = (options, told, self.told)
        worst = max(one.verdict for one in answer.results)
        if self.told.code == 0:
            assert worst not in WRONG, about
            assert not decides or worst is not Verdict.UNKNOWN, about
            return
        assert worst in WRONG or not decides, about
        assert worst not in (Verdict.SAFE, Verdict.PROVED), about
        if self.told.failed:
            return
        assert worst is not Verdict.OUT_OF_BOUNDS, about
        steps = [one.steps for one in answer.results if one.verdict is Verdict.VIOLATED]
        if self.told.steps is not None and worst is Verdict.VIOLATED:
            least = min(x for x in steps if x is not None)
            assert least == self.told.steps if shortest else least >= self.told.steps, about


def _depth(answer: Answer) -> int:
    """The steps to the farthest of the states found; those that a constraint excludes do not count."""
    within = answer.told(ExploreFacts).states_within_steps
    return next(k for k, states in enumerate(within) if states == within[-1])


def check(family: Family, told: Tlc, folder: Path) -> None:
    """Compare the answers of every engine about a random module with TLC's."""
    assert family.digest(told.seed) == told.text, "the generator changed: have TLC answer the modules again"
    path = family.write(folder, told.seed)
    if "RandomElement(" in path.read_text():
        with pytest.raises(ModelError, match=f"(?s){path.name}:.*RandomElement"):
            Source(path).load({})
        return
    asking = Asking(path, told)
    asking.check(asking.exploring, asking.whole, decides=True, shortest=True)
    if told.distinct is not None:
        assert (asking.whole.told(ExploreFacts).states, _depth(asking.whole)) == (told.distinct, told.depth)
    asking.check(replace(asking.exploring, every_state=True), asking.every, decides=True, shortest=True)
    wrong = told.code in (DEADLOCKED, VIOLATED)
    asking.check(NoveltyOptions(MOST_STATES), asking.by_novelty(), decides=wrong, shortest=False)
    if asking.model is not None:
        for by in (VALUES, CIRCUITS):
            check_states(asking, by)
        for options, decides, shortest in _ways(asking):
            if ENGINES[options.engine].runs is AboutRuns.REFUSED and not asking.about_states:
                continue
            asking.check(options, asking.answer(options), decides=decides, shortest=shortest)


def check_states(asking: Asking, by: str, *, symmetry: bool = False) -> None:
    """Explore the model, where every state counts."""
    options = replace(asking.exploring, by=None if by == CIRCUITS else by, symmetry=symmetry)
    answer = asking.answer(options)
    asking.check(options, answer, decides=True, shortest=True)
    if asking.told.code == 0:
        states = asking.every.told(ExploreFacts).states, _depth(asking.every)
        assert (answer.told(ExploreFacts).states, _depth(answer)) == states, by


def _ways(asking: Asking) -> Sequence[tuple[Options, bool, bool]]:
    """Options of engines; whether they answer more than unknown, and with a shortest counterexample."""
    deep = asking.farthest + PAST
    # So many sweeps have a run of as many steps.
    sweeps = min(deep, MOST_SWEEPS if asking.told.steps is None else asking.told.steps + PAST)
    return (
        (BmcOptions(deep), True, True),
        (BmcOptions(sweeps, SWEEPS), True, False),
        # Where nothing is found, nothing is made shorter.
        *([(BmcOptions(sweeps, SWEEPS, shortest=True), True, True)] if asking.told.code else []),
        (PdrOptions(), True, False),
        (InductionOptions(), False, False),
        (SimulateOptions(runs=20, depth=deep), False, False),
        (PortfolioOptions(), True, False),
    )
