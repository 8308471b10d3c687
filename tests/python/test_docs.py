"""The script in docs/python.md runs, and prints what is shown there."""

import contextlib
import io
import os
import re
import unittest
import warnings

from common import SOURCE, TestCase

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def without_numbers(lines):
    """Figures change when tare gets better."""
    return [re.sub(r"\d+", "#", line) for line in lines]


class DocsTest(TestCase):
    def test_python(self):
        document = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = BLOCK.findall(document)
        self.assertGreater(len(blocks), 8)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(SOURCE)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(blocks), {"__name__": "script"})  # pylint: disable=exec-used
        text = BLOCK.sub("", document[document.index("## Tutorial"):])
        shown = re.findall(r"^    (\S.*)$", text, re.MULTILINE)
        self.assertEqual(without_numbers(printed.getvalue().splitlines()), without_numbers(shown))


if __name__ == "__main__":
    unittest.main()
