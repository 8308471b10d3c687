"""Calibration tables, in every method and format."""

import math
import unittest

import tare
from common import MODEL, TestCase, command, sentences

TWO = [{"sequence": (1, 8, 16)}, {"sequence": (17, 32, 64)}]


class TableTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stats = tare.calibrate(MODEL, list(sentences()), TWO, all_tensors=True)

    def table(self, method="minmax", **options):
        return self.warned(self.stats.table, method, **options)[0]

    def test_methods(self):
        path = self.folder / "model.stats"
        self.stats.save(path)
        for method in tare.methods():
            for per_profile in (False, True) if method == "minmax" else (False,):
                own, other = self.folder / "own.calib.json", self.folder / "other.calib.json"
                table = self.table(method, per_profile=per_profile)
                table.save(own)
                command("table", "-q", path, "--method", method, "-o", other,
                        *(["--per-profile"] if per_profile else []))
                self.same_bytes(own, other)
                self.assertEqual(table.method, method)
                self.assertEqual(table.n_columns, 2 if per_profile else 1)

    def test_entries(self):
        table = self.table()
        entry = table.entries()[0]
        self.assertEqual(entry, table.entry(entry.name))
        self.assertEqual(entry.scale, entry.amax / 127)
        self.assertIn(entry.name, table)
        self.assertNotIn("nothing", table)
        self.assertEqual(len(table), len(table.entries()))
        self.assertEqual(table.profiles, self.stats.profiles)
        with self.assertRaises(KeyError):
            table.entry("nothing")
        with self.assertRaises(IndexError):
            table.entries(2)

    def test_percentile(self):
        entry = self.stats.tensors[0]
        low = self.table("percentile", percentile=90).entry(entry).amax
        self.assertLess(low, self.table("minmax").entry(entry).amax)
        self.refuses(tare.UsageError, "percentile", self.stats.table, "percentile", percentile=101)
        self.refuses(tare.UsageError, "foo", self.stats.table, "foo")

    def test_formats(self):
        table = self.table()
        for kind in tare.table_formats():
            with self.subTest(kind.name):
                path = self.folder / ("model" + kind.extension)
                _, told = self.warned(table.save, path, kind.name, model=MODEL)
                self.assertEqual(bool(told), kind.engine is not None)
                if not kind.needs_model:
                    entry = table.entries()[0]
                    read = tare.Table.load(path).entry(entry.name)
                    self.assertTrue(math.isclose(read.amax, entry.amax, rel_tol=1e-5))

    def test_columns(self):
        table, path = self.table(per_profile=True), self.folder / "model.cache"
        self.refuses(tare.UsageError, "choose one with profile=0 to 1", table.save, path)
        self.warned(table.save, path, profile=1)
        entry = table.entries(1)[0]
        self.assertTrue(math.isclose(tare.Table.load(path).entry(entry.name).amax, entry.amax,
                                     rel_tol=1e-5))
        self.refuses(tare.UsageError, "profile", table.save, path, profile=2)

    def test_options(self):
        table, path = self.table(), self.folder / "model.cache"
        self.warned(table.save, path, options={"trt-version": "8.6.1"})
        self.assertTrue(path.read_bytes().startswith(b"TRT-8601-"))
        self.refuses(tare.UsageError, "trt-versions", table.save, path,
                     options={"trt-versions": "8"})

    def test_errors(self):
        table = self.table()
        self.refuses(tare.UsageError, "cannot infer the format", table.save, "model.txt")
        self.refuses(tare.UsageError, "format: unknown 'foo'", table.save, "model.txt", "foo")
        self.refuses(tare.InputError, "model.cache", tare.Table.load, self.folder / "model.cache")
        self.assertEqual(table.unify(MODEL), self.table().unify(MODEL))


if __name__ == "__main__":
    unittest.main()
