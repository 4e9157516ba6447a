# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out which libraries are installed, without importing them, and makes the commands that install others."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from .serving import Refusal

# The oldest versions that were tested with networks, compiled networks and adapters, on the CPU.
_OLDEST = {"torch": "2.5", "transformers": "4.45"}
_OLDEST_PYTHON = (3, 9)
# The environment for libraries if the system's Python does not allow pip to install any.
_ENVIRONMENT = "~/batchpeak-python"


class Missing(Refusal):
    """A library is missing. It is fatal: a new process is needed after it has been installed."""

    fatal = True


def version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def builds_for_gpus() -> bool:
    """Returns whether the installed torch was built for any GPU. It reads a file and does not import torch."""
    found = importlib.util.find_spec("torch")
    try:
        text = Path(found.submodule_search_locations[0], "version.py").read_text(encoding="utf-8")
    except (AttributeError, IndexError, OSError, TypeError):
        return True
    names = re.findall(r"^(cuda|hip|xpu)\b[^=\n]*=\s*['\"]", text, re.MULTILINE)
    return bool(names) or "cuda" not in text


def problem_of(*packages: str) -> str:
    """Returns why packages cannot be used according to their versions, with the command that fixes it; empty if they
    can."""
    if sys.version_info < _OLDEST_PYTHON:
        text = "%s is Python %d.%d, and trials need %d.%d or newer. Name another one by --with python=PATH."
        return text % (sys.executable, *sys.version_info[:2], *_OLDEST_PYTHON)
    missing = [package for package in packages if version_of(package) is None]
    if missing:
        text = "%s has no %s. To install %s: %s"
        names, them = " and no ".join(missing), "it" if len(missing) == 1 else "them"
        return text % (sys.executable, names, them, line_for(*missing))
    for package in packages:
        oldest, version = _OLDEST.get(package, "0"), version_of(package) or ""
        if _numbers(version) < _numbers(oldest):
            text = "%s has %s %s, and trials need %s or newer. To update it: %s"
            return text % (sys.executable, package, version, oldest, line_for(package, updates=True))
    return ""


def require(package: str, module: str | None = None):
    """Imports and returns a module, by default that of the package.

    Raises Missing."""
    try:
        return importlib.import_module(module or package)
    except Exception as error:  # a library that does not match another may raise any exception
        raise Missing(problem_of(package) or _broken(package, error)) from error


def line_for(*packages: str, updates: bool = False, anew: bool = False) -> str:
    """Returns the command that installs packages into this Python, or into an environment if this Python belongs to
    the system. Without updates or anew, pip does not change what is installed."""
    python, wanted = shlex.quote(sys.executable), " ".join(map(_wanted, packages))
    if _is_of_the_system():
        # A new environment has none of the installed packages.
        needed = " ".join(map(_wanted, dict.fromkeys(("torch", "transformers", *packages))))
        own = _ENVIRONMENT + "/bin/python3"
        text = "%s -m venv %s && %s -m pip install %s; then name it by --with python=%s"
        return text % (python, _ENVIRONMENT, own, needed, own)
    options = "--force-reinstall " if anew else "--upgrade " if updates else ""
    if importlib.util.find_spec("pip"):
        return "%s -m pip install %s%s" % (python, options, wanted)
    if shutil.which("uv"):
        return "uv pip install --python %s %s%s" % (python, options, wanted)
    return "%s -m ensurepip && %s -m pip install %s%s" % (python, python, options, wanted)


def _broken(package: str, error: Exception) -> str:
    reason = " ".join(str(error).split())[:300] or type(error).__name__
    text = "%s has %s %s, which cannot be imported (%s). To install it anew: %s"
    line = line_for(package, anew=True)
    return text % (sys.executable, package, version_of(package), reason.rstrip("."), line)


def _is_of_the_system() -> bool:
    """Returns whether pip must not change this Python, as on Debian and other systems (PEP 668)."""
    mark = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return sys.prefix == sys.base_prefix and os.path.exists(mark)


def _wanted(package: str) -> str:
    return shlex.quote("%s>=%s" % (package, _OLDEST[package]) if package in _OLDEST else package)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:2]]
