# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the batch_increase_function of a Python file, one line of JSON for each question and answer.

Batchpeak runs it by "python3 -c" with the path of the file. Question: {"epoch": 1, "current_batch_size": 8}.
Answer: {"increment": 4}, or what happened instead: {"raised": text, "line": number or null},
{"left": text, "line": number or null}, {"returned": text}, {"missing": true}, {"too_large": true}.
"""

import json
import operator
import os
import sys
import traceback
import types

LONGEST_TEXT = 400
NAME = "batch_increase_function"


def private_channels():
    """Questions and answers on descriptors of their own: what the user's file reads and prints goes elsewhere."""
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
    """Where it came from in the user's file: the innermost of its lines."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def outcome_of(path, action):
    """What action() gives, and otherwise what it did instead."""
    try:
        return action(), None
    except SystemExit as end:
        return None, {"left": text_of(end.code), "line": line_in(path, end)}
    except BaseException as error:
        # A SyntaxError's own text names file and line once more.
        message = text_of(error.msg if isinstance(error, SyntaxError) else error)
        text = type(error).__name__ + (": " + message if message else "")
        return None, {"raised": text, "line": line_in(path, error)}


def load(path):
    """The module, compiled from its source: no __pycache__ appears in the user's folder."""
    with open(path, "rb") as file:
        source = file.read()
    module = types.ModuleType("batch_growth")
    module.__file__ = path
    sys.modules[module.__name__] = module
    # "python3 -c" put its working folder there as "", unless it was asked for a safe path.
    sys.path[:] = [os.path.dirname(path)] + [entry for entry in sys.path if entry]
    sys.argv = [path]
    sys.dont_write_bytecode = True
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    return module


def whole_number(value):
    """Of an int, also NumPy's; nothing for a bool, which is an int to Python but no number of samples."""
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
