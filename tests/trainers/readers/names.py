# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for packages that a trainer's parser imports but does not use, such as clients of cloud storage and kernels
for GPUs. Each name in them is a class."""

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Optional


class Names(ModuleType):
    __path__: list[str] = []
    __version__ = "0"

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Anything,), {"__module__": self.__name__})


class Named(type):
    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class Anything(metaclass=Named):
    """Can be constructed and inherited, and has every method, which does nothing."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **named: None


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages

    def find_spec(self, name: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        covered = any(name == package or name.startswith(package + ".") for package in self.packages)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if covered else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return Names(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def stand_in_for(*packages: str) -> None:
    """Only packages that are not installed are replaced."""
    sys.meta_path.append(Finder(packages))
