"""The interface of engines.

An engine is one module with a subclass of `Engine`, and one line in `leadline.symbolic.engines.ask.table`. Child
processes, races between solvers, grids, the store and the command line work through this interface alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.judgement import judgement, verdict_text
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer, Facts, Part, Result, Table, Verdict, trace_json
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model, counted
from leadline.symbolic.solve import Solver
from leadline.symbolic.trace import end_reason

if TYPE_CHECKING:
    from leadline.symbolic.engines import runs as liveness

NewSolver = Callable[[], Solver]
"""Makes a fresh solver."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search.

    Attributes:
        answer: the answer so far.
        message: how far it is, if the answer does not say it.
    """

    def __init__(self, answer: Answer, message: str = "") -> None:
        super().__init__(message)
        self.answer = answer
        self.message = message


class Engine(ABC):
    """A kind of search or proof.

    Attributes:
        name: the engine's name.
        doing: the engine's work in a word, such as "checking", for the line that shows progress.
        options: the class of its options.
        facts: the class of the facts that it tells besides verdicts.
        takes_solver: whether it takes a solver.
        needs_property: whether its command needs a property, or --deadlock.
        breadth_first: whether its counterexamples to claims about states are shortest ones.
        suited: why it suits a property, in words, for a command that leaves the choice to Leadline.
        in_portfolio: its options in a portfolio of engines, each of which goes on until its answer is
            definite; None if it takes no part.
        knows_runs: whether it answers about claims about runs by itself; for others they are reduced.
        asks_states: whether it can be asked about states alone, and about no claim about runs.
        limits_itself: whether it obeys limits by itself; other engines run in a process that is killed.
        sets_alarm: whether it obeys a time limit by a signal, which only a main thread can set.
    """

    name: ClassVar[str]
    doing: ClassVar[str] = ""
    options: ClassVar[type[Options]]
    facts: ClassVar[type[Facts]] = Facts
    takes_solver: ClassVar[bool] = True
    needs_property: ClassVar[bool] = True
    knows_runs: ClassVar[bool] = False
    asks_states: ClassVar[bool] = False
    limits_itself: ClassVar[bool] = False
    sets_alarm: ClassVar[bool] = False
    breadth_first: ClassVar[bool] = False
    suited: ClassVar[str] = ""
    in_portfolio: ClassVar[Options | None] = None

    @abstractmethod
    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        """Answer a query in this process.

        Args:
            model: the model that the query is about.
            query: the question; its solver is one by name.
            new_solver: makes a fresh solver; an engine that takes none does not call it.
            limits: the limits to obey, if `limits_itself`.
            listener: is told of progress and results.

        Raises:
            ModelError: if the model has no initial state.
            InternalError: if a counterexample does not replay.
        """

    def options_for(self, command: str, given: Mapping[str, Any]) -> Options:
        """The options of a command for the values that a user gave; None stands for a value left out."""
        return self.options.chosen(given)

    def suits(self, model: Model, goal: str, options: Options) -> bool:
        """Whether a command that leaves the choice to Leadline asks this engine about a property."""
        return False

    def head_start(self, model: Model, query: Query) -> float:
        """The seconds that it has for itself in a portfolio, before other engines begin."""
        return 0.0

    def patient(self, options: Options, questions: int) -> Options:
        """The options with a limit on the questions to solvers, 0 for none, if the engine counts them."""
        return options

    def loop(
        self, product: liveness.Product, name: str, query: Query, new_solver: NewSolver, listener: Listener
    ) -> Result | None:
        """The result about a fair run of a product, which is then a counterexample; None if it does not look
        for loops by itself, but for states of another model.

        Args:
            product: the product of a model and the negation of a property.
            name: the name of the property.
            query: the question.
            new_solver: makes a fresh solver.
            listener: is told of progress.
        """
        return None

    def parts(self, model: Model, query: Query) -> tuple[Part, ...]:
        """The subjects of the results of an answer, in its order."""
        return tuple((name, None) for name in query.names(model))

    def beside(self, query: Query) -> Query:
        """The query for a second solver that works at the same time as a first one."""
        return query

    def cut_off(self, query: Query, result: Result, why: str) -> Result:
        """A result of a query that was stopped before its end, after the query had told it."""
        return result

    # -- the answer for people and programs ---------------------------------------------------------

    def verdicts(self, model: Model, query: Query, answer: Answer) -> Sequence[Result]:
        """A result for each property."""
        return answer.results

    def describe(self, model: Model, query: Query, answer: Answer) -> Sequence[str | Table]:
        """The answer for a person: lines and tables."""
        return [self.verdict_table(model, query, answer)]

    def extent(self, model: Model, query: Query, answer: Answer) -> str:
        """How much of a proof was shown, in a few words."""
        results = self.verdicts(model, query, answer)
        return f"{sum(one.holds for one in results)} of {counted(len(results), 'invariant')} checked"

    def verdict_table(self, model: Model, query: Query, answer: Answer) -> Table:
        """The verdict about each property, with seconds and memory if the engine takes a solver."""
        header, rows = ["property", "verdict", "steps"], []
        for result in self.verdicts(model, query, answer):
            steps = "-" if result.steps is None else str(result.steps)
            rows.append([result.property, verdict_text(model, result), steps])
            if self.takes_solver:
                rows[-1] += [f"{result.effort.total:.1f}", f"{result.effort.memory_mb:.0f}"]
        return Table([*header, *(["seconds", "MB"] if self.takes_solver else [])], rows)

    def as_json(self, model: Model, query: Query, answer: Answer) -> dict[str, Any]:
        """The answer for a program, as a JSON object."""

        def shown(result: Result) -> dict[str, Any]:
            return {
                key: value
                for key, value in self.result_json(model, query, result).items()
                if key != "property"
            }

        beyond = answer.out_of_bounds
        return {
            **self.model_json(model),
            **({} if answer.facts is None else answer.facts.to_json()),
            "properties": {one.property: shown(one) for one in self.verdicts(model, query, answer)},
            "out_of_bounds": beyond
            and {
                "steps": beyond.length,
                "reason": end_reason(Semantics(model), beyond),
                "trace": trace_json(model, beyond, query.source),
            },
        }

    @staticmethod
    def model_json(model: Model) -> dict[str, Any]:
        """The model that an answer is about, as members of a JSON object."""
        return {
            "protocol": model.protocol,
            "parameters": dict(model.parameters),
            "constraints": [one.name for one in model.constraints],
        }

    def record(self, model: Model, query: Query, result: Result) -> dict[str, Any]:
        """All that is known of a result, as a JSON object."""
        violated = result.verdict is Verdict.VIOLATED
        wrong = violated or result.verdict is Verdict.OUT_OF_BOUNDS
        return {
            **self.model_json(model),
            **self.result_json(model, query, result),
            "engine": result.engine,
            "unroll": result.unroll,
            "solver": result.solver,
            # The layer that holds the violation, or else the deepest one that is known to hold none.
            "depth": result.depth + 1 if violated else result.depth,
            # All runs of so many steps have no violation: k sweeps cover those of k and many far longer.
            "steps_covered": None if wrong or result.loops or result.depth < 0 else result.depth,
            **result.effort.to_json(),
            "reason": result.why,
            "cause": result.cause,
            "reached": dict(result.reached),
        }

    @staticmethod
    def result_json(model: Model, query: Query, result: Result) -> dict[str, Any]:
        """A property's verdict and counterexample, as members of a JSON object."""
        trace = trace_json(model, result.trace, query.source)
        return {
            "property": result.property,
            "verdict": str(result.verdict),
            "judgement": str(judgement(model, result)),
            "steps": result.steps,
            **Engine._loop_json(result),
            "trace": trace,
        }

    @staticmethod
    def _loop_json(result: Result) -> dict[str, Any]:
        """The steps before and in the loop of a run that goes on for ever; a run that stutters has one in it."""
        if result.trace is None or result.trace.loop is None:
            return {}
        return {"stem": result.trace.loop, "loop": result.trace.loop_length}
