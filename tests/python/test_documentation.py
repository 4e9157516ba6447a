# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the documentation shows the scripts that other tests run."""

from __future__ import annotations

import re
import unittest

from .talk import PACKAGE

GUIDE = PACKAGE.parent / "docs/python.md"
EXAMPLES = sorted((PACKAGE / "examples").glob("*.py"))


def shown() -> dict[str, str]:
    """Returns each block of Python that follows a link, keyed by the linked file."""
    text = GUIDE.read_text()
    blocks = re.findall(r"\]\(\.\./python/examples/(\S+)\)\n\n```python\n(.*?)```\n", text, re.DOTALL)
    if len(blocks) != text.count("```python\n"):
        raise AssertionError("A block of Python in %s does not follow a link to its file." % GUIDE)
    return dict(blocks)


class DocumentationTest(unittest.TestCase):
    def test_shows_every_example(self):
        self.assertEqual(sorted(shown()), [path.name for path in EXAMPLES])
        self.assertTrue(EXAMPLES)

    def test_shows_them_as_they_are(self):
        for path in EXAMPLES:
            with self.subTest(path.name):
                lines = path.read_text().splitlines(keepends=True)
                self.assertTrue(all(line.startswith("# SPDX-") for line in lines[:2]))
                self.assertEqual(shown()[path.name], "".join(lines[2:]))

    def test_every_example_is_tested(self):
        tests = (PACKAGE.parent / "tests/python/test_examples.py").read_text()
        for path in EXAMPLES:
            self.assertIn('example = "%s"' % path.name, tests)


if __name__ == "__main__":
    unittest.main()
