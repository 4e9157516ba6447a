# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which libraries are there, told without importing them, and how to get those that are not."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys

from .serving import Refusal

_WANTED = {"transformers": '"transformers>=4.45"'}


class Missing(Refusal):
    """A library is not there: no other load could do without a new process."""

    fatal = True


def version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def missing(package: str, reason: str = "") -> str:
    """The sentence of a package that cannot be used, with the line that installs it."""
    why = " (%s)" % reason if reason else ""
    wanted = _WANTED.get(package, package)
    return "%s is missing in this Python%s. Install it: %s -m pip install %s" % (
        package,
        why,
        sys.executable,
        wanted,
    )


def require(package: str, module: str | None = None):
    """The imported module, of the package where no other is named.

    Raises Missing."""
    try:
        return importlib.import_module(module or package)
    except ImportError as error:
        raise Missing(missing(package, str(error))) from error
