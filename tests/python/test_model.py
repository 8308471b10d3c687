"""Models, errors, and the package itself."""

import copy
import os
import pickle
import subprocess
import sys
import unittest

import tare
from common import DIGITS, MODEL, TestCase


class ModelTest(TestCase):
    def test_ports(self):
        model = tare.Model(MODEL)
        self.assertEqual(model.inputs[0], tare.Port("input_ids", "int64", ("batch", "sequence")))
        self.assertEqual(model.outputs[0].dtype, "float32")
        self.assertEqual(model.path, MODEL)
        self.assertFalse(model.is_quantized)
        self.assertGreater(model.operators["MatMul"], 4)
        self.assertIn("MatMul", model.print())
        self.assertIn("input_ids", repr(model))

    def test_outputs_have_expressions(self):
        shape = tare.Model(DIGITS / "digits-conv.onnx").outputs[0].shape
        self.assertEqual(shape, ("batch", "(samples + 159) / 160", 11))

    def test_errors(self):
        error = self.refuses(tare.InputError, "missing.onnx", tare.Model, "missing.onnx")
        self.assertEqual((error.status, error.status_name), (-3, "E_INPUT"))
        self.assertIsInstance(error, ValueError)
        self.refuses(tare.InputError, "", tare.Model, __file__)
        self.refuses(ValueError, "null character", tare.Model, MODEL + "\0")
        self.refuses(tare.UsageError, "profiles: expected", tare.build, MODEL, profiles=5)
        self.refuses(tare.UsageError, "no input 'sr'", tare.Model, MODEL, set={"sr": 16000})

    def test_is_not_pickled(self):
        model = tare.Model(MODEL)
        self.refuses(TypeError, "cannot pickle tare.Model: each process makes", pickle.dumps, model)
        self.assertIs(copy.copy(model), model)

    def test_limits(self):
        self.assertIn("max-nodes", tare.limits())
        self.refuses(tare.LimitError, "max-nodes", tare.Model, MODEL, limits={"max_nodes": 3})
        self.refuses(tare.UsageError, "unknown 'max_fun'", tare.Model, MODEL, limits={"max_fun": 3})

    def test_what_there_is(self):
        self.assertIn("entropy", tare.methods())
        self.assertIn("onnxruntime", tare.export_targets())
        self.assertIn("ctc-error", [metric.name for metric in tare.metrics()])
        self.assertGreaterEqual(tare.cores(), 1)
        self.assertIn("gemm", tare.cpu_report())
        self.assertEqual(tare.__version__.count("."), 2)


class ImportTest(TestCase):
    def import_with(self, library):
        run = subprocess.run([sys.executable, "-c", "import tare"], check=False, text=True,
                             env={**os.environ, "TARE_LIBRARY": str(library)},
                             stderr=subprocess.PIPE)
        return run.stderr

    def test_missing_library(self):
        self.assertIn("ImportError: cannot load /nowhere/libtare.so.0: /nowhere/libtare.so.0: cannot "
                      "open", self.import_with("/nowhere/libtare.so.0"))

    def test_other_library(self):
        self.assertIn("Error", self.import_with(__file__))


if __name__ == "__main__":
    unittest.main()
