"""The language that protocols are written in: types, expressions, protocols, actions and properties.

A protocol is written once, as data; its concrete meaning (Python values) and its symbolic meaning
(formulas) are derived from that one definition and share nothing below it.

Meaning. Actions interleave: one at a time, and what an action does not assign keeps its value. Evaluation is
lazy from left to right, as in TLA+. Bounds are never silent: a value that would leave its declared range, a
sequence that would outgrow its capacity, a map applied outside its domain, a field read from None, a choice
from an empty set makes the outcome *out of bounds*, which is reported as such and never as safe.
"""

from leadline.symbolic.lang import language

# For the other rooms of the checker; a protocol needs none of these.
from leadline.symbolic.lang.actions import declaration_log as declaration_log, namespace_of as namespace_of
from leadline.symbolic.lang.coercion import (
    BOOL as BOOL,
    NEVER as NEVER,
    as_node as as_node,
    coerce as coerce,
    fits as fits,
    mistakes_of as mistakes_of,
)
from leadline.symbolic.lang.containers import field_of as field_of
from leadline.symbolic.lang.enabled import (
    changes as changes,
    enabledness as enabledness,
    fair_enabled as fair_enabled,
    key_variables as key_variables,
)
from leadline.symbolic.lang.errors import (
    ALONE as ALONE,
    DEADLOCK as DEADLOCK,
    unknown_name as unknown_name,
    unknown_property as unknown_property,
)
from leadline.symbolic.lang.expr import wrap as wrap
from leadline.symbolic.lang.fairness import Arm as Arm
from leadline.symbolic.lang.known import Bound as Bound, Status as Status
from leadline.symbolic.lang.language import *  # noqa: F403
from leadline.symbolic.lang.listed import (
    Listed as Listed,
    listed as listed,
    listed_member as listed_member,
    looked_up as looked_up,
    member_of as member_of,
)
from leadline.symbolic.lang.model import (
    ERRORS as ERRORS,
    GUARDS as GUARDS,
    AliasValue as AliasValue,
    Origin as Origin,
    fingerprint as fingerprint,
)
from leadline.symbolic.lang.names import (
    OPEN as OPEN,
    Text as Text,
    atom as atom,
    camel as camel,
    counted as counted,
    infix as infix,
    kebab as kebab,
    pascal as pascal,
    prefix as prefix,
    setting_text as setting_text,
    shortened as shortened,
    spoken as spoken,
)
from leadline.symbolic.lang.parameters import (
    Setting as Setting,
    constant_text as constant_text,
    settings as settings,
)
from leadline.symbolic.lang.rules import item_of as item_of
from leadline.symbolic.lang.schedule import (
    is_total as is_total,
    is_total_beyond as is_total_beyond,
    schedule as schedule,
)
from leadline.symbolic.lang.script import mistake_of as mistake_of, python_says as python_says
from leadline.symbolic.lang.span import (
    NOWHERE as NOWHERE,
    caller_span as caller_span,
    excerpt as excerpt,
    hidden_by_decorator as hidden_by_decorator,
    placed as placed,
    start_if_any as start_if_any,
    start_of as start_of,
)
from leadline.symbolic.lang.structures import (
    AnyOf as AnyOf,
    Graph as Graph,
    Slots as Slots,
    bits as bits,
    entry_of as entry_of,
    largest as largest,
    without_places as without_places,
)
from leadline.symbolic.lang.symmetry import (
    Permutation as Permutation,
    chooses_by_order as chooses_by_order,
    exchanges as exchanges,
    group_of as group_of,
    named_in as named_in,
    permuted as permuted,
    sorts_in as sorts_in,
    symmetric_sorts as symmetric_sorts,
)
from leadline.symbolic.lang.temporal import (
    Always as Always,
    Both as Both,
    Either as Either,
    Eventually as Eventually,
    ForEach as ForEach,
    ForSome as ForSome,
    Happens as Happens,
    Holds as Holds,
    LeadsTo as LeadsTo,
    Negated as Negated,
    expanded as expanded,
    expressions as expressions,
    folded as folded,
    formulas as formulas,
    instances as instances,
    is_plain as is_plain,
    is_step as is_step,
    joined as joined,
    normal as normal,
    primed as primed,
    substituted as substituted,
)
from leadline.symbolic.lang.types import (
    MOST_PARTS as MOST_PARTS,
    TOO_MANY as TOO_MANY,
    Atoms as Atoms,
    Mapped as Mapped,
    Named as Named,
    Value as Value,
    all_types as all_types,
)
from leadline.symbolic.lang.values import in_tla as in_tla, shown as shown, untagged as untagged
from leadline.symbolic.lang.work import Work as Work, at_work as at_work, site as site

__all__ = [name for name in vars(language) if name[0] != "_"]
