# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from the kernel how much main memory the computer has and this process uses."""

from __future__ import annotations

import ctypes
import resource
from pathlib import Path

# Version 1 of control groups represents "no limit" as 2^63 - 1, rounded down to a page.
_NO_LIMIT = 1 << 62


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    try:
        return int(_text(path))
    except ValueError:
        return None


def _entry(text: str, key: str) -> int | None:
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == key:
            return int(words[1])
    return None


def _own_bytes(key: str, root: Path = Path("/")) -> int:
    return 1024 * (_entry(_text(root / "proc/self/status"), key) or 0)


def held_bytes() -> int:
    """Returns the resident anonymous memory. Pages of programs and libraries are not counted."""
    return _own_bytes("RssAnon:")


def peak_held_bytes() -> int:
    """Returns the peak since reset_peak(), or since the process began if the kernel cannot reset peaks. It is the
    peak of all pages minus the present pages of files, which stay once they are read."""
    text = _text(Path("/proc/self/status"))
    peak, files, shared = (_entry(text, key) or 0 for key in ("VmHWM:", "RssFile:", "RssShmem:"))
    return 1024 * max(0, peak - files - shared)


def data_bytes() -> int:
    """Returns the memory that RLIMIT_DATA limits: private writable memory, whether it is resident or not."""
    return _own_bytes("VmData:")


def reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def trim() -> None:
    """Returns freed memory to the kernel, which would otherwise be counted for the next size."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return


class DataLimit:
    """Limits what the process may allocate, so that an allocation fails before the kernel kills the process."""

    def __init__(self, more_bytes: int):
        self._bytes = data_bytes() + more_bytes
        self._before = None

    def __enter__(self):
        before = resource.getrlimit(resource.RLIMIT_DATA)
        bytes_ = self._bytes if before[1] == resource.RLIM_INFINITY else min(self._bytes, before[1])
        resource.setrlimit(resource.RLIMIT_DATA, (bytes_, before[1]))
        self._before = before
        return self

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_DATA, self._before)


def host_memory(root: Path = Path("/")) -> tuple[int, int]:
    """Returns total and available bytes, at most what the control group allows; zeros if the kernel does not report
    them."""
    info = _text(root / "proc/meminfo")
    total = 1024 * (_entry(info, "MemTotal:") or 0)
    available = 1024 * (_entry(info, "MemAvailable:") or 0)
    for limit, free in _group_bounds(root):
        total, available = min(total, limit), min(available, free)
    return total, available


def _group_bounds(root: Path):
    top, folder, is_unified = _memory_group(root)
    limit_name = "memory.max" if is_unified else "memory.limit_in_bytes"
    used_name = "memory.current" if is_unified else "memory.usage_in_bytes"
    # The kernel drops page cache first, active or not.
    droppable_names = ["%s%s_file" % ("" if is_unified else "total_", kind) for kind in ("inactive", "active")]
    # A container often sees its own group as the root of the mounted tree, but a path of the host: folders that do
    # not exist are skipped.
    while True:
        limit = _number(folder / limit_name)
        if limit is not None and limit < _NO_LIMIT:
            used = _number(folder / used_name) or 0
            statistics = _text(folder / "memory.stat")
            droppable = sum(_entry(statistics, name) or 0 for name in droppable_names)
            yield limit, max(0, min(limit, limit - used + droppable))
        if folder == top or folder == folder.parent:
            return
        folder = folder.parent


def _memory_group(root: Path) -> tuple[Path, Path, bool]:
    mount = root / "sys/fs/cgroup"
    unified = (mount, mount, True)
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        path = path.lstrip("/")
        if not controllers:
            unified = (mount, mount / path, True)
        elif "memory" in controllers.split(","):
            return mount / "memory", mount / "memory" / path, False
    return unified


def processor_name(root: Path = Path("/")) -> str:
    for line in _text(root / "proc/cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""
