"""One query of a grid: a value that can travel to any machine, with a name that says exactly what it asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import leadline
from leadline.symbolic.engines import Limits
from leadline.symbolic.lang.parameters import Setting


def parameters_json(parameters: Mapping[str, Setting | None]) -> str:
    """Parameters as canonical JSON: by name, without spaces.

    >>> parameters_json({"replicas": 2, "fast": True})
    '{"fast":true,"replicas":2}'
    """
    return json.dumps(parameters, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True)
class GridQuery:
    """One question about one property of one protocol at one point of the parameters.

    With the engine "bmc": can the property be violated within so many layers? With "induction": does one
    obligation of its inductive proof hold?

    Attributes:
        protocol: the protocol's name.
        source: the protocol as the catalog finds it: its name, or the absolute path of its file.
        settings: the parameters that the grid file sets.
        parameters: all parameters, as `parameters_json` writes them.
        property: the property's name, or "deadlock".
        kind: the property's kind: "invariant", "probe" or "deadlock".
        engine: "bmc" or "induction".
        depth: layers to look ahead; None for an obligation.
        unroll: what a layer of the unrolling holds; None for an obligation.
        obligation: the obligation's name; None for a bounded check.
        solver: the solver's name.
        seed: what the solver draws its random choices from, 0 or more.
        limits: what the query may use.
        fingerprint: the model's.
    """

    protocol: str
    source: str
    settings: tuple[tuple[str, Setting], ...]
    parameters: str
    property: str
    kind: str
    engine: str
    depth: int | None
    unroll: str | None
    obligation: str | None
    solver: str
    seed: int
    limits: Limits
    fingerprint: str

    @cached_property
    def id(self) -> str:
        """A hash of what is asked, of what model and by which Leadline.

        Neither where the protocol's file lies nor the limits are part of it: an answer holds whatever they
        were, and whether an unknown stands is for `Row.settles` to say.
        """
        asked = {
            "depth": self.depth,
            "engine": self.engine,
            "fingerprint": self.fingerprint,
            "kind": self.kind,
            "leadline": leadline.__version__,
            "obligation": self.obligation,
            "parameters": self.parameters,
            "property": self.property,
            "protocol": self.protocol,
            "seed": self.seed,
            "solver": self.solver,
            "unroll": self.unroll,
        }
        text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:40]
