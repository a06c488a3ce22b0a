"""The language that protocols are written in: types, expressions, protocols, actions and properties.

A protocol is written once, as data; its concrete meaning (Python values) and its symbolic meaning
(formulas) are derived from that one definition and share nothing below it.

Meaning. Actions interleave: one at a time, and what an action does not assign keeps its value. Evaluation is
lazy from left to right, as in TLA+. Bounds are never silent: a value that would leave its declared range, a
sequence that would outgrow its capacity, a map applied outside its domain, a field read from None, a choice
from an empty set makes the outcome *out of bounds*, which is reported as such and never as safe.
"""

from leadline.symbolic.lang.actions import action, pick
from leadline.symbolic.lang.containers import (
    AnyExpr,
    MapExpr,
    OptionExpr,
    RecordExpr,
    SeqExpr,
    SetExpr,
    SetLike,
    TupleExpr,
    UnionExpr,
)
from leadline.symbolic.lang.enabled import enabled
from leadline.symbolic.lang.errors import (
    AssumptionFailed,
    Endless,
    InternalError,
    LeadlineError,
    Mistake,
    ModelError,
    NoSymbolicForm,
    OutOfBounds,
    ParameterError,
    UserError,
)
from leadline.symbolic.lang.expr import (
    BoolExpr,
    BoolLike,
    Expr,
    IntExpr,
    IntLike,
    NamedExpr,
    int_range,
    ite,
    undefined,
)
from leadline.symbolic.lang.fairness import Fairness, strong, weak, weak_next
from leadline.symbolic.lang.functions import (
    all_of,
    any_of,
    case,
    choose,
    exists,
    fold,
    forall,
    implies,
    map_of,
    maximum,
    minimum,
    number_where,
    of,
    replace,
    set_of,
    sum_of,
)
from leadline.symbolic.lang.known import Known, at_least, at_most, holds, proved, violated
from leadline.symbolic.lang.model import Action, Model, Pick, Property, PropertyKind, Variable
from leadline.symbolic.lang.over_runs import refines, step_property, temporal
from leadline.symbolic.lang.parameters import Parameter, parameter, parse_setting
from leadline.symbolic.lang.properties import Claim, constraint, expected, invariant, probe, strengthening
from leadline.symbolic.lang.protocol import Foreign, Protocol, build
from leadline.symbolic.lang.shown import alias, view
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.states import Declarations, Next, State
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union, record, union
from leadline.symbolic.lang.temporal import Temporal, always, eventually, for_each, for_some, leads_to
from leadline.symbolic.lang.types import Bool, Enum, Int, Never, Option, Sort, Type, enum, sort

__all__ = [
    "Action",
    "AnyExpr",
    "AssumptionFailed",
    "Bool",
    "BoolExpr",
    "BoolLike",
    "Claim",
    "Declarations",
    "Endless",
    "Enum",
    "Expr",
    "Fairness",
    "Foreign",
    "Int",
    "IntExpr",
    "IntLike",
    "InternalError",
    "Known",
    "LeadlineError",
    "Map",
    "MapExpr",
    "Mistake",
    "Model",
    "ModelError",
    "NamedExpr",
    "Never",
    "Next",
    "NoSymbolicForm",
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
    "SetLike",
    "Sort",
    "Span",
    "State",
    "Temporal",
    "Tuple",
    "TupleExpr",
    "Type",
    "Union",
    "UnionExpr",
    "UserError",
    "Variable",
    "action",
    "alias",
    "all_of",
    "always",
    "any_of",
    "at_least",
    "at_most",
    "build",
    "case",
    "choose",
    "constraint",
    "enabled",
    "enum",
    "eventually",
    "exists",
    "expected",
    "fold",
    "for_each",
    "for_some",
    "forall",
    "holds",
    "implies",
    "int_range",
    "invariant",
    "ite",
    "leads_to",
    "map_of",
    "maximum",
    "minimum",
    "number_where",
    "of",
    "parameter",
    "parse_setting",
    "pick",
    "probe",
    "proved",
    "record",
    "refines",
    "replace",
    "set_of",
    "sort",
    "step_property",
    "strengthening",
    "strong",
    "sum_of",
    "temporal",
    "undefined",
    "union",
    "view",
    "violated",
    "weak",
    "weak_next",
]
