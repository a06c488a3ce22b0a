"""The symbols of TLA+'s operators: their ASCII names, and how tightly they bind."""

from __future__ import annotations

from typing import NamedTuple


class Binding(NamedTuple):
    """How tightly an operator binds its operands.

    Attributes:
        low: the lower end of its range of precedences.
        high: the upper end.
        repeats: of an infix operator, whether `a + b + c` is allowed, as `(a + b) + c`.
    """

    low: int
    high: int
    repeats: bool = False


# Lamport, Specifying Systems (2002), table 6 on page 271; the keys are the parser's names of the symbols.
_INFIX = {
    Binding(1, 1): {"implies": "=>"},
    Binding(2, 2): {"plus_arrow": "-+->", "equiv": "<=>", "iff": "<=>", "leads_to": "~>"},
    Binding(3, 3, True): {"land": "/\\", "lor": "\\/"},
    Binding(5, 5): {
        "assign": ":=", "bnf_rule": "::=", "eq": "=", "neq": "#", "lt": "<", "gt": ">", "leq": "<=",
        "geq": ">=", "approx": "\\approx", "rs_ttile": "|-", "rd_ttile": "|=", "ls_ttile": "-|",
        "ld_ttile": "=|", "asymp": "\\asymp", "cong": "\\cong", "doteq": "\\doteq", "gg": "\\gg",
        "ll": "\\ll", "in": "\\in", "notin": "\\notin", "prec": "\\prec", "succ": "\\succ",
        "preceq": "\\preceq", "succeq": "\\succeq",
        "propto": "\\propto", "sim": "\\sim", "simeq": "\\simeq", "sqsubset": "\\sqsubset",
        "sqsupset": "\\sqsupset", "sqsubseteq": "\\sqsubseteq", "sqsupseteq": "\\sqsupseteq",
        "subset": "\\subset", "supset": "\\supset", "subseteq": "\\subseteq", "supseteq": "\\supseteq",
    },
    Binding(5, 14, True): {"cdot": "\\cdot"},
    Binding(6, 6, True): {"compose": "@@"},
    Binding(7, 7): {"map_to": ":>", "map_from": "<:"},
    Binding(8, 8): {"setminus": "\\"},
    Binding(8, 8, True): {"cap": "\\cap", "cup": "\\cup"},
    Binding(9, 9): {"dots_2": "..", "dots_3": "..."},
    Binding(9, 13): {"excl": "!!"},
    Binding(9, 13, True): {
        "hashhash": "##", "dol": "$", "doldol": "$$", "qq": "??", "sqcap": "\\sqcap", "sqcup": "\\sqcup",
        "uplus": "\\uplus",
    },
    Binding(9, 14): {"wr": "\\wr"},
    Binding(10, 10, True): {"plus": "+", "plusplus": "++", "oplus": "\\oplus"},
    Binding(10, 11): {"mod": "%"},
    Binding(10, 11, True): {"modmod": "%%", "vert": "|", "vertvert": "||"},
    Binding(10, 13, True): {"times": "\\X"},
    Binding(11, 11, True): {"ominus": "\\ominus", "minus": "-", "minusminus": "--"},
    Binding(13, 13): {"oslash": "\\oslash", "slash": "/", "slashslash": "//", "div": "\\div"},
    Binding(13, 13, True): {
        "amp": "&", "ampamp": "&&", "odot": "\\odot", "otimes": "\\otimes", "mul": "*", "mulmul": "**",
        "bigcirc": "\\bigcirc", "bullet": "\\bullet", "circ": "\\o", "star": "\\star",
    },
    Binding(14, 14): {"pow": "^", "powpow": "^^"},
}  # fmt: skip
_PREFIX = {
    Binding(4, 4): {"lnot": "~"},
    Binding(4, 15): {"enabled": "ENABLED", "unchanged": "UNCHANGED", "always": "[]", "eventually": "<>"},
    Binding(10, 13): {"union": "UNION", "powerset": "SUBSET", "domain": "DOMAIN"},
    Binding(12, 12): {"negative": "-."},
}  # fmt: skip
_POSTFIX = {"sup_plus": "^+", "asterisk": "^*", "sup_hash": "^#", "prime": "'"}

INFIX = {name: binding for binding, names in _INFIX.items() for name in names.values()}
"""The infix operators by name."""

PREFIX = {name: binding for binding, names in _PREFIX.items() for name in names.values()}
"""The prefix operators by name; `-.` is the sign of a number."""

ASCII = {
    kind: name for names in (*_INFIX.values(), *_PREFIX.values(), _POSTFIX) for kind, name in names.items()
}
"""The name of each symbol by the parser's name of its node."""

SETS = {"nat_number_set": "Nat", "int_number_set": "Int", "real_number_set": "Real", "string_set": "STRING",
        "boolean_set": "BOOLEAN"}  # fmt: skip

RESERVED = frozenset({
    "ASSUME", "ASSUMPTION", "AXIOM", "BOOLEAN", "CASE", "CHOOSE", "CONSTANT", "CONSTANTS", "COROLLARY",
    "DOMAIN", "ELSE", "ENABLED", "EXCEPT", "EXTENDS", "FALSE", "IF", "IN", "INSTANCE", "LAMBDA", "LEMMA",
    "LET", "LOCAL", "MODULE", "OTHER", "PROPOSITION", "RECURSIVE", "STRING", "SUBSET", "THEN", "THEOREM",
    "TRUE", "UNCHANGED", "UNION", "VARIABLE", "VARIABLES", "WITH",
})  # fmt: skip
"""Words that are no names."""


def clash(outer: str, inner: str, left: bool) -> bool:
    """Whether an infix operator needs parentheses inside of another: their precedences overlap.

    Args:
        left: whether the inner one is the left argument.
    """
    a, b = INFIX[outer], INFIX[inner]
    if outer == inner and left and a.repeats:
        return False
    return _overlap(a, b)


def prefix_clash(prefix: str, infix: str) -> bool:
    """Whether `prefix a infix b` needs parentheses: the precedences overlap."""
    return _overlap(PREFIX[prefix], INFIX[infix])


def _overlap(a: Binding, b: Binding) -> bool:
    return a.low <= b.high and b.low <= a.high
