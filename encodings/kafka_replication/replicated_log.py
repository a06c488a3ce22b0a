"""Logs of bounded size: the module FiniteReplicatedLog of hachikuji/kafka-specification.

A log is a record of `end_offset`, the number of written records, and `records`, a map from the offsets to a
record or None. Offsets below `end_offset` hold records and the others None: the property `type-ok`.
"""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    BoolExpr,
    IntExpr,
    RecordExpr,
    Type,
    all_of,
    int_range,
    ite,
    map_of,
    replace,
)


def has_offset(log: RecordExpr, offset: Any) -> BoolExpr:
    """Whether a record is written at the offset."""
    return BoolExpr((offset < log.end_offset).node)


def have_same_entry(one: RecordExpr, other: RecordExpr, offset: Any) -> BoolExpr:
    """Whether both logs hold the same record at the offset."""
    same = one.records[offset] == other.records[offset]
    return all_of(has_offset(one, offset), has_offset(other, offset), same)


def epoch_at(log: RecordExpr, offset: Any) -> IntExpr:
    """The leader epoch of the record at an offset that is written."""
    epoch: IntExpr = log.records[offset].value.epoch
    return epoch


def of_same_epoch(one: RecordExpr, other: RecordExpr, offset: Any) -> BoolExpr:
    """Whether both logs hold a record at the offset, and both records are of one leader epoch."""
    mine, theirs = one.records[offset], other.records[offset]
    return all_of(mine.is_some, theirs.is_some, mine.value.epoch == theirs.value.epoch)


def appended(log: RecordExpr, entry: Any) -> Any:
    """The log with one more record. Out of bounds if it is full."""
    longer = log.records.set(log.end_offset, entry)
    return replace(log, end_offset=log.end_offset + 1, records=longer)


def truncated(log: RecordExpr, offsets: Type, end_offset: Any) -> Any:
    """The log without the records from `end_offset` on."""
    kept = map_of(offsets, lambda offset: ite(offset < end_offset, log.records[offset], None))
    return replace(log, end_offset=end_offset, records=kept)


def offsets_where(log: RecordExpr, log_size: int, keep: Any) -> Any:
    """The set of the written offsets that satisfy the predicate."""
    return int_range(0, log_size - 1).filter(lambda offset: has_offset(log, offset) & keep(offset))
