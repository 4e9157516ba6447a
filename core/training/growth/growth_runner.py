# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls the batch_increase_function of a Python file: each question and each answer is one line of JSON.

Batchpeak runs this script with "python3 -c" and the path of the file. A question on stdin is
{"epoch": 1, "current_batch_size": 8}. Its answer on stdout is {"increment": 4}, or what happened instead:
{"raised": text, "line": number or null}, {"left": text, "line": number or null}, {"returned": text},
{"missing": true}, {"too_large": true}.

From the folder of the file, only Python files and packages with an __init__.py can be imported, because these are
what the user was asked to trust. Anything else that Python would find there, such as a shared library or a .pyc file,
is ignored.
"""

import sys

# "python3 -c" adds the working folder as "". None of the modules below may come from there.
sys.path[:] = [entry for entry in sys.path if entry]

import json
import operator
import os
import traceback
import types
from importlib.machinery import FileFinder, SourceFileLoader

LONGEST_TEXT = 400
NAME = "batch_increase_function"


def private_channels():
    """Returns the streams of questions and answers, on other descriptors than stdin and stdout.

    The user's file can then neither read a question nor print into an answer: its stdin is empty, and its stdout is
    stderr.
    """
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def text_of(value, describe=str):
    try:
        return describe(value)[:LONGEST_TEXT]
    except BaseException:
        return "?"


def line_in(path, error):
    """Returns the line of the user's file that an error comes from: the innermost one; None if there is none."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def outcome_of(path, action):
    """Returns the result of action() and None; or None and the answer that says what happened instead."""
    try:
        return action(), None
    except SystemExit as end:
        return None, {"left": text_of(end.code), "line": line_in(path, end)}
    except BaseException as error:
        # The whole text of a SyntaxError would also contain the file and the line.
        message = text_of(error.msg if isinstance(error, SyntaxError) else error)
        text = type(error).__name__ + (": " + message if message else "")
        return None, {"raised": text, "line": line_in(path, error)}


class SourceLoader(SourceFileLoader):
    """Always compiles the source. A __pycache__ beside it, which could hold other code, is neither read nor written."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class SourceFinder(FileFinder):
    """Finds the sources of one folder, and of the packages in it."""

    folders = set()

    def find_spec(self, fullname, target=None):
        spec = super().find_spec(fullname, target)
        # A folder without an __init__.py has no loader.
        if spec is None or spec.loader is None:
            return None
        self.folders.update(spec.submodule_search_locations or ())
        return spec

    @classmethod
    def hook(cls, path):
        if path not in cls.folders:
            raise ImportError
        return cls(path, (SourceLoader, [".py"]))


def import_from(folder):
    SourceFinder.folders.add(folder)
    sys.path_hooks.insert(0, SourceFinder.hook)
    sys.path_importer_cache.pop(folder, None)
    sys.path.insert(0, folder)


def load(path):
    """Returns the module, compiled from its source, so that no __pycache__ appears in the user's folder."""
    with open(path, "rb") as file:
        source = file.read()
    module = types.ModuleType("batch_growth")
    module.__file__ = path
    sys.modules[module.__name__] = module
    os.chdir(os.path.dirname(path))
    import_from(os.path.dirname(path))
    sys.argv = [path]
    sys.dont_write_bytecode = True
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    return module


def whole_number(value):
    """Returns the value of an int, including those of NumPy; None for anything else.

    A bool is an int in Python, but not a number of samples.
    """
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except BaseException:
        return None


def reply_to(function, path, question):
    increment, failure = outcome_of(path, lambda: function(question["epoch"], question["current_batch_size"]))
    if failure:
        return failure
    number = whole_number(increment)
    if number is None:
        return {"returned": type(increment).__name__ + ", " + text_of(increment, repr)}
    if not -(2**63) <= number < 2**63:
        return {"too_large": True}
    return {"increment": number}


def main():
    path = sys.argv[1]
    questions, answers = private_channels()
    module, failure = outcome_of(path, lambda: load(path))
    function = getattr(module, NAME, None)
    if not failure and not callable(function):
        failure = {"missing": True}
    for line in questions:
        answers.write(json.dumps(failure or reply_to(function, path, json.loads(line))) + "\n")
        answers.flush()


main()
