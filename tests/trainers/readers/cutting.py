# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes statements of a trainer out of its file, if the file cannot be imported without a GPU's kernels."""

import ast
import importlib.util
from pathlib import Path
from typing import Any


def source_of(package: str, file: str) -> ast.Module:
    """Returns the syntax tree of a file of a package, without importing the package."""
    (folder,) = importlib.util.find_spec(package).submodule_search_locations
    return ast.parse((Path(folder) / file).read_text(encoding="utf-8"))


def function_of(tree: ast.AST, name: str) -> Any:
    """Returns the function or method with this name, which must need no imports."""
    (found,) = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    return run([found], {})[name]


def run(statements: list[ast.stmt], names: dict[str, Any]) -> dict[str, Any]:
    exec(compile(ast.Module(statements, type_ignores=[]), "<cut>", "exec"), names)
    return names
