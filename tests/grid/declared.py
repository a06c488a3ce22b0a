"""Parameters for constraints."""

from __future__ import annotations

from leadline.symbolic.lang.parameters import Parameter

DECLARED = {
    name: Parameter(default, None, None, choices, "", name)
    for name, default, choices in (
        ("replicas", 1, ()),
        ("log_size", 2, ()),
        ("fast", True, ()),
        ("slow", False, ()),
        ("variant", "kip-101", ("kip-101", "kip-279", "kip-320")),
        ("max_pid", None, ()),
    )
}


UNSET = frozenset({"max_pid"})
