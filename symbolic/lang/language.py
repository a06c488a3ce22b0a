"""The names that protocols are written with; `import leadline` gives them too."""

from leadline.symbolic.lang.actions import action as action, pick as pick
from leadline.symbolic.lang.containers import (
    AnyExpr as AnyExpr,
    MapExpr as MapExpr,
    OptionExpr as OptionExpr,
    RecordExpr as RecordExpr,
    SeqExpr as SeqExpr,
    SetExpr as SetExpr,
    SetLike as SetLike,
    TupleExpr as TupleExpr,
    UnionExpr as UnionExpr,
)
from leadline.symbolic.lang.enabled import enabled as enabled
from leadline.symbolic.lang.errors import (
    AssumptionFailed as AssumptionFailed,
    Endless as Endless,
    InternalError as InternalError,
    LeadlineError as LeadlineError,
    Mistake as Mistake,
    ModelError as ModelError,
    NoBehaviour as NoBehaviour,
    NoInitialState as NoInitialState,
    NoSymbolicForm as NoSymbolicForm,
    OutOfBounds as OutOfBounds,
    ParameterError as ParameterError,
    UserError as UserError,
)
from leadline.symbolic.lang.expr import (
    BoolExpr as BoolExpr,
    BoolLike as BoolLike,
    Expr as Expr,
    IntExpr as IntExpr,
    IntLike as IntLike,
    NamedExpr as NamedExpr,
    int_range as int_range,
    ite as ite,
    undefined as undefined,
)
from leadline.symbolic.lang.fairness import (
    Fairness as Fairness,
    strong as strong,
    weak as weak,
    weak_next as weak_next,
)
from leadline.symbolic.lang.functions import (
    all_of as all_of,
    any_of as any_of,
    case as case,
    choose as choose,
    exists as exists,
    fold as fold,
    forall as forall,
    implies as implies,
    map_of as map_of,
    maximum as maximum,
    minimum as minimum,
    number_where as number_where,
    of as of,
    replace as replace,
    set_of as set_of,
    sum_of as sum_of,
)
from leadline.symbolic.lang.known import (
    Known as Known,
    at_least as at_least,
    at_most as at_most,
    holds as holds,
    proved as proved,
    violated as violated,
)
from leadline.symbolic.lang.model import (
    Action as Action,
    Model as Model,
    Pick as Pick,
    Property as Property,
    PropertyKind as PropertyKind,
    Variable as Variable,
)
from leadline.symbolic.lang.parameters import (
    Parameter as Parameter,
    parameter as parameter,
    parse_setting as parse_setting,
)
from leadline.symbolic.lang.properties import (
    Claim as Claim,
    alias as alias,
    constraint as constraint,
    expected as expected,
    invariant as invariant,
    probe as probe,
    refines as refines,
    step_property as step_property,
    strengthening as strengthening,
    temporal as temporal,
    view as view,
)
from leadline.symbolic.lang.protocol import Foreign as Foreign, Protocol as Protocol, build as build
from leadline.symbolic.lang.span import Span as Span
from leadline.symbolic.lang.states import Declarations as Declarations, Next as Next, State as State
from leadline.symbolic.lang.structures import (
    Map as Map,
    Record as Record,
    Seq as Seq,
    Set as Set,
    Tuple as Tuple,
    Union as Union,
    record as record,
    union as union,
)
from leadline.symbolic.lang.temporal import (
    Temporal as Temporal,
    always as always,
    eventually as eventually,
    for_each as for_each,
    for_some as for_some,
    leads_to as leads_to,
)
from leadline.symbolic.lang.types import (
    Bool as Bool,
    Enum as Enum,
    Int as Int,
    Never as Never,
    Option as Option,
    Sort as Sort,
    Type as Type,
    enum as enum,
    sort as sort,
)
