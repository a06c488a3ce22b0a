"""What passes between a query's child process and its parent: one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from leadline.symbolic.engines.verdict import Effort, Progress, Result, Verdict
from leadline.symbolic.lang import Mistake, Model, ModelError, Span
from leadline.symbolic.trace import Stored, document


def result_json(model: Model, result: Result, source: str) -> dict[str, Any]:
    """A result as a JSON object; its trace as a document that can be replayed."""
    trace = None if result.trace is None else document(model, result.trace, source)
    plain = {
        name: getattr(result, name) for name in ("property", "engine", "unroll", "solver", "depth", "steps")
    }
    return {
        **plain,
        "verdict": result.verdict.name,
        "effort": asdict(result.effort),
        "trace": trace,
        "reason": result.reason,
    }


def result_from(model: Model, body: Mapping[str, Any]) -> Result:
    """The result that `result_json` wrote."""
    trace = None if body["trace"] is None else Stored("the child's answer", body["trace"]).trace(model)
    return Result(
        protocol=model.protocol,
        parameters=model.parameters,
        property=body["property"],
        engine=body["engine"],
        unroll=body["unroll"],
        solver=body["solver"],
        verdict=Verdict[body["verdict"]],
        depth=body["depth"],
        steps=body["steps"],
        effort=Effort(**body["effort"]),
        trace=trace,
        reason=body["reason"],
    )


def progress_from(body: Mapping[str, Any]) -> Progress:
    """The progress that `asdict` made."""
    return Progress(**{**body, "open": tuple(body["open"])})


def model_error_json(error: ModelError) -> list[list[Any]]:
    """The mistakes of a model as JSON."""
    return [[mistake.span.file, mistake.span.line, mistake.text] for mistake in error.mistakes]


def model_error_from(body: Sequence[Sequence[Any]]) -> ModelError:
    """The mistakes that `model_error_json` wrote."""
    return ModelError(Mistake(Span(file, line), text) for file, line, text in body)
