"""The symbols of TLA+'s operators: their ASCII names, and how tightly they bind."""

from __future__ import annotations

from typing import NamedTuple


class Infix(NamedTuple):
    """An infix operator.

    Attributes:
        low: the lower end of its range of precedences.
        high: the upper end.
        repeats: whether `a + b + c` is allowed, as `(a + b) + c`.
    """

    low: int
    high: int
    repeats: bool = False


# Lamport, Specifying Systems (2002), table 6 on page 271; the keys are the parser's names of the symbols.
_INFIX = {
    Infix(1, 1): {"implies": "=>"},
    Infix(2, 2): {"plus_arrow": "-+->", "equiv": "<=>", "iff": "<=>", "leads_to": "~>"},
    Infix(3, 3, True): {"land": "/\\", "lor": "\\/"},
    Infix(5, 5): {
        "assign": ":=", "bnf_rule": "::=", "eq": "=", "neq": "#", "lt": "<", "gt": ">", "leq": "<=",
        "geq": ">=", "approx": "\\approx", "rs_ttile": "|-", "rd_ttile": "|=", "ls_ttile": "-|",
        "ld_ttile": "=|", "asymp": "\\asymp", "cong": "\\cong", "doteq": "\\doteq", "gg": "\\gg",
        "ll": "\\ll", "in": "\\in", "notin": "\\notin", "prec": "\\prec", "succ": "\\succ",
        "preceq": "\\preceq", "succeq": "\\succeq",
        "propto": "\\propto", "sim": "\\sim", "simeq": "\\simeq", "sqsubset": "\\sqsubset",
        "sqsupset": "\\sqsupset", "sqsubseteq": "\\sqsubseteq", "sqsupseteq": "\\sqsupseteq",
        "subset": "\\subset", "supset": "\\supset", "subseteq": "\\subseteq", "supseteq": "\\supseteq",
    },
    Infix(5, 14, True): {"cdot": "\\cdot"},
    Infix(6, 6, True): {"compose": "@@"},
    Infix(7, 7): {"map_to": ":>", "map_from": "<:"},
    Infix(8, 8): {"setminus": "\\"},
    Infix(8, 8, True): {"cap": "\\cap", "cup": "\\cup"},
    Infix(9, 9): {"dots_2": "..", "dots_3": "..."},
    Infix(9, 13): {"excl": "!!"},
    Infix(9, 13, True): {
        "hashhash": "##", "dol": "$", "doldol": "$$", "qq": "??", "sqcap": "\\sqcap", "sqcup": "\\sqcup",
        "uplus": "\\uplus",
    },
    Infix(9, 14): {"wr": "\\wr"},
    Infix(10, 10, True): {"plus": "+", "plusplus": "++", "oplus": "\\oplus"},
    Infix(10, 11): {"mod": "%"},
    Infix(10, 11, True): {"modmod": "%%", "vert": "|", "vertvert": "||"},
    Infix(10, 13, True): {"times": "\\X"},
    Infix(11, 11, True): {"ominus": "\\ominus", "minus": "-", "minusminus": "--"},
    Infix(13, 13): {"oslash": "\\oslash", "slash": "/", "slashslash": "//", "div": "\\div"},
    Infix(13, 13, True): {
        "amp": "&", "ampamp": "&&", "odot": "\\odot", "otimes": "\\otimes", "mul": "*", "mulmul": "**",
        "bigcirc": "\\bigcirc", "bullet": "\\bullet", "circ": "\\o", "star": "\\star",
    },
    Infix(14, 14): {"pow": "^", "powpow": "^^"},
}  # fmt: skip
_PREFIX = {
    "lnot": "~", "union": "UNION", "powerset": "SUBSET", "domain": "DOMAIN", "negative": "-.",
    "enabled": "ENABLED", "unchanged": "UNCHANGED", "always": "[]", "eventually": "<>",
}  # fmt: skip
_POSTFIX = {"sup_plus": "^+", "asterisk": "^*", "sup_hash": "^#", "prime": "'"}

INFIX = {name: infix for infix, names in _INFIX.items() for name in names.values()}
"""The infix operators by name."""

ASCII = {kind: name for names in (*_INFIX.values(), _PREFIX, _POSTFIX) for kind, name in names.items()}
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
    return a.low <= b.high and b.low <= a.high
