"""Quantized models: written, checked, and made float again."""

import unittest

import tare
from common import MODEL, TestCase, command, table


class ExportTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = table(all_tensors=True, fold_norms=True)

    def test_export(self):
        own, other = self.folder / "own.onnx", self.folder / "other.onnx"
        calib = self.folder / "model.calib.json"
        self.table.save(calib)
        written = tare.export(MODEL, own, self.table)
        command("export", "-q", MODEL, "--calib", calib, "-o", other)
        self.same_bytes(own, other)
        self.assertIn("int8", {layer.form for layer in written.layers})
        self.assertFalse(written.external_data)
        self.assertTrue(tare.Model(own).is_quantized)

    def test_choices(self):
        path = self.folder / "q.onnx"
        first = tare.export(MODEL, path, self.table).layers[0].name
        written = tare.export(MODEL, path, self.table, weights="uint8", rows="dynamic",
                              layer_precisions={first: "fp32"})
        self.assertEqual(written.layers[0].form, "fp32")
        self.assertTrue(tare.export(MODEL, path, self.table, max_model_bytes=1).external_data)
        self.refuses(tare.UsageError, "target: unknown 'x'", tare.export, MODEL, path, self.table,
                     target="x")
        self.refuses(tare.FileError, "", tare.export, MODEL, "/nowhere/q.onnx", self.table)

    def test_check(self):
        path = self.folder / "q.onnx"
        tare.export(MODEL, path, self.table)
        found = tare.check(path)
        self.assertEqual(found.errors, ())
        self.assertIn("", found.layers.values())
        other = tare.check(path, "tensorrt")
        self.assertEqual(len(other.layers), len(found.layers))
        self.refuses(tare.InputError, "nothing.onnx", tare.check, "nothing.onnx")

    def test_import(self):
        path, back = self.folder / "q.onnx", self.folder / "float.onnx"
        tare.export(MODEL, path, self.table)
        imported = tare.import_quantized(path, back)
        self.assertEqual(imported.kept, {})
        self.assertFalse(tare.Model(back).is_quantized)
        self.assertEqual(imported.table.model_hash, tare.Model(back).hash)
        self.assertGreater(len(imported.table), 10)
        self.refuses(tare.UnsupportedError, "", tare.import_quantized, MODEL, back)


if __name__ == "__main__":
    unittest.main()
