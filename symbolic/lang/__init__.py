"""The language that protocols are written in: types, expressions, protocols, actions and properties.

A protocol is written once, as data; its concrete meaning (Python values) and its symbolic meaning
(formulas) are derived from that one definition and share nothing below it.

Meaning. Actions interleave: one at a time, and what an action does not assign keeps its value. Evaluation is
lazy from left to right, as in TLA+. Bounds are never silent: a value that would leave its declared range, a
sequence that would outgrow its capacity, a map applied outside its domain, a field read from None, a choice
from an empty set makes the outcome *out of bounds*, which is reported as such and never as safe.
"""

from leadline.symbolic.lang.errors import (
    AssumptionFailed,
    InternalError,
    LeadlineError,
    Mistake,
    ModelError,
    OutOfBounds,
    ParameterError,
    UserError,
)
from leadline.symbolic.lang.expr import (
    BoolExpr,
    IntExpr,
    MapExpr,
    NamedExpr,
    OptionExpr,
    RecordExpr,
    SeqExpr,
    SetExpr,
    TupleExpr,
    UnionExpr,
    Value,
    int_range,
    ite,
    undefined,
)
from leadline.symbolic.lang.functions import (
    all_of,
    any_of,
    case,
    choose,
    exists,
    forall,
    implies,
    map_of,
    maximum,
    minimum,
    number_where,
    of,
    replace,
    set_of,
)
from leadline.symbolic.lang.model import Action, Model, Pick, Property, PropertyKind, Variable
from leadline.symbolic.lang.next_state import Next
from leadline.symbolic.lang.parameters import Parameter, parameter, parse_setting
from leadline.symbolic.lang.properties import Claim, invariant, probe, strengthening
from leadline.symbolic.lang.protocol import Protocol, State, action, build, pick
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union, record, union
from leadline.symbolic.lang.types import Bool, Enum, Int, Never, Option, Sort, Type, enum, sort

__all__ = [
    "Action",
    "AssumptionFailed",
    "Bool",
    "BoolExpr",
    "Claim",
    "Enum",
    "Int",
    "IntExpr",
    "InternalError",
    "LeadlineError",
    "Map",
    "MapExpr",
    "Mistake",
    "Model",
    "ModelError",
    "NamedExpr",
    "Never",
    "Next",
    "Option",
    "OptionExpr",
    "OutOfBounds",
    "Parameter",
    "ParameterError",
    "Pick",
    "Property",
    "PropertyKind",
    "Protocol",
    "Record",
    "RecordExpr",
    "Seq",
    "SeqExpr",
    "Set",
    "SetExpr",
    "Sort",
    "Span",
    "State",
    "Tuple",
    "TupleExpr",
    "Type",
    "Union",
    "UnionExpr",
    "UserError",
    "Value",
    "Variable",
    "action",
    "all_of",
    "any_of",
    "build",
    "case",
    "choose",
    "enum",
    "exists",
    "forall",
    "implies",
    "int_range",
    "invariant",
    "ite",
    "map_of",
    "maximum",
    "minimum",
    "number_where",
    "of",
    "parameter",
    "parse_setting",
    "pick",
    "probe",
    "record",
    "replace",
    "set_of",
    "sort",
    "strengthening",
    "undefined",
    "union",
]
