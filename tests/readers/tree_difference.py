# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds where two trees of values differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """A value that differs, or exists in only one tree; `after` is None if it was removed."""

    path: str
    after: Any


def changes(before: Any, after: Any, path: str = "") -> Iterator[Change]:
    """Yields the changes; paths are keys and indices, joined by dots."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from changes(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(before, list) and isinstance(after, list):
        yield from list_changes(before, after, path)
    elif type(before) is not type(after) or not is_same(before, after):
        yield from leaves(after, path)


def list_changes(before: list, after: list, path: str) -> Iterator[Change]:
    # New items are added at the beginning, so lists are compared from the end.
    added = len(after) - len(before)
    if added < 0:
        yield Change(path, None)
        return
    for place in range(added):
        yield from leaves(after[place], f"{path}.{place}")
    for place, item in enumerate(before):
        yield from changes(item, after[place + added], f"{path}.{place + added}")


def is_same(before: Any, after: Any) -> bool:
    # NaN does not equal itself.
    return before == after or (before != before and after != after)


def leaves(value: Any, path: str) -> Iterator[Change]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from leaves(item, f"{path}.{place}")
    else:
        yield Change(path, value)
