"""The answer to one query for other programs: messages at lines of the source, and Markdown for a pull request."""

from __future__ import annotations

import json
from collections.abc import Iterator

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Result, Verdict
from leadline.symbolic.engines.ask.result import Judgement, judgement, verdict_text
from leadline.symbolic.lang import Span
from leadline.symbolic.meaning.trace import action_named, title
from leadline.symbolic.report.sarif import Finding, address, document
from leadline.symbolic.trace import DEADLOCK, Trace, call_of, end_place, end_reason
from leadline.symbolic.trace.page import page_data


def sarif(asked: Asked) -> dict[str, object]:
    """The answer as SARIF: a result for each property that fails, a notification for each unknown one."""
    return document([*_findings(asked)], [*_unknown(asked)])


def problems(asked: Asked) -> str:
    """The answer as lines `file:line: error: text`, as compilers write them; nothing if all is well."""
    lines = [f"{_place(one.span)}: error: {one.text}" for one in _findings(asked)]
    lines += [f"{_place(asked.entry.place)}: warning: {text}" for text in _unknown(asked)]
    return "".join(f"{line}\n" for line in lines)


def _place(span: Span | None) -> str:
    assert span is not None  # every property of a model has a line
    return f"{address(span)}:{span.line}"


def _findings(asked: Asked) -> Iterator[Finding]:
    for result in asked.verdicts:
        if judgement(asked.model, result) is Judgement.FAILED:
            verdict, why = verdict_text(asked.model, result), _why(asked, result.trace)
            yield _finding(asked, result.property, verdict, _line(asked, result), result, why)
    beyond = asked.answer.out_of_bounds
    if beyond is not None and not any(one.verdict is Verdict.OUT_OF_BOUNDS for one in asked.verdicts):
        last = beyond.stages[-1]
        span = end_place(Semantics(asked.model), beyond) or action_named(asked.model, last.action).span
        verdict = f"{call_of(asked.model, last)} goes out of bounds"
        yield _finding(asked, "out-of-bounds", verdict, span, None, _why(asked, beyond))


def _why(asked: Asked, trace: Trace | None) -> str:
    """The reason why a trace ends out of bounds, with its place, behind a colon; "" for other ends."""
    reason = end_reason(Semantics(asked.model), trace) if trace is not None else None
    return f": {reason}" if reason else ""


def _finding(asked: Asked, name: str, verdict: str, span: Span, result: Result | None, why: str) -> Finding:
    model = asked.model
    steps = None if result is None else result.steps
    length = f" in {steps} steps" if steps is not None else ""
    parameters = json.dumps(dict(model.parameters), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    about = {"parameters": dict(model.parameters), "steps": steps}
    text = f"{name}: {verdict}{length}, at {title(model)}{why}"
    return Finding(model.protocol, name, parameters, text, span, about)


def _line(asked: Asked, result: Result) -> Span:
    """The line that goes out of bounds; else of a property its own, of a deadlock the protocol's, of a step its
    action's."""
    trace = result.trace
    place = end_place(Semantics(asked.model), trace) if trace is not None else None
    if place is not None:
        return place
    if trace is not None and trace.last is None:
        return action_named(asked.model, trace.stages[-1].action).span
    return asked.entry.place if result.property == DEADLOCK else asked.model.properties[result.property].span


def _unknown(asked: Asked) -> Iterator[str]:
    for result in asked.verdicts:
        if judgement(asked.model, result) is Judgement.OPEN:
            why = f": {result.reason}" if result.reason else ""
            yield f"{result.property}: {verdict_text(asked.model, result)}, at {title(asked.model)}{why}"


def markdown(asked: Asked) -> str:
    """The answer as Markdown: failures first, the verdicts as a table, and each counterexample folded."""
    # Here, since it brings what reads stores, and with that Arrow.
    from leadline.symbolic.report.markdown import bounded

    return bounded(_markdown(asked))


def _markdown(asked: Asked) -> Iterator[str]:
    from leadline.symbolic.report.markdown import code, folded, table, verdict

    model, semantics = asked.model, Semantics(asked.model)
    yield f"### {code(title(model))}"
    order = (Judgement.FAILED, Judgement.OPEN, Judgement.PASSED)
    judged = [(judgement(model, one), one) for one in asked.verdicts]
    rows = [
        [
            code(one.property),
            verdict(judged_as, verdict_text(model, one)),
            "" if one.steps is None else str(one.steps),
            code(one.engine),
        ]
        for judged_as, one in sorted(judged, key=lambda pair: order.index(pair[0]))
    ]
    yield table(["property", "verdict", "steps", "engine"], rows)
    if found := [code(line) for line in asked.reasons(semantics)]:
        yield "\n".join(f"- {line}" for line in found)
    for trace in reversed(asked.traces(asked.verdicts, every=False)):
        data = page_data(semantics, trace)
        yield folded(code(data["finding"]), data)
