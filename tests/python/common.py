"""What the tests share: small models and data, samples of different lengths, and the command."""

import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import tare

SOURCE = pathlib.Path(os.environ["TARE_SOURCE"])
COMMAND = os.environ["TARE_COMMAND"]
SMALL = SOURCE / "tests" / "fixtures" / "small"
INTENTS = SMALL / "intents-mini"
DIGITS = SMALL / "digits-conv"
MODEL = str(INTENTS / "intents-mini.onnx")
PROFILE = {"sequence": (1, 16, 512)}

warnings.simplefilter("error", tare.TareWarning)  # those that no test expects


def sentences(n=12, seed=1):
    """Samples of different lengths for the model of intents."""
    random = np.random.default_rng(seed)
    for _ in range(n):
        length = int(random.integers(3, 40))
        yield {"input_ids": random.integers(1, 1000, (1, length)),
               "attention_mask": np.ones((1, length), np.int64)}


def command(*arguments):
    """Runs the command, which must succeed."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run([COMMAND, *map(str, arguments)], check=True, text=True, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


class TestCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refuses(self, kind, part, function, *arguments, **named):
        """Calls a function, which must raise an error with that text."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        return caught.exception

    def warned(self, function, *arguments, **named):
        """The result of a function, and the warnings that it gave."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*arguments, **named)
        return result, [str(w.message) for w in caught if w.category is tare.TareWarning]

    def same_bytes(self, a, b):
        """Two files have the same contents."""
        self.assertEqual(pathlib.Path(a).read_bytes(), pathlib.Path(b).read_bytes())


def table(**options):
    """A table of the model of intents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tare.calibrate(MODEL, list(sentences()), PROFILE, **options).table()
