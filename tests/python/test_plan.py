"""Plans and contexts."""

import gc
import os
import resource
import threading
import unittest
import warnings
import weakref

import numpy as np

import tare
from common import DIGITS, MODEL, PROFILE, TestCase, command, sentences, table


class PlanTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = table()
        cls.plan = tare.build(MODEL, cls.table)
        cls.float = tare.build(MODEL, profiles=PROFILE)

    def test_plan(self):
        self.assertEqual(self.plan.profiles, [{"batch": (1, 1, 1), "sequence": (1, 16, 512)}])
        self.assertEqual(self.plan.inputs, tare.Model(MODEL).inputs)
        self.assertEqual(self.plan.outputs[0].name, "logits")
        self.assertLess(self.plan.weight_bytes, self.float.weight_bytes)
        self.assertGreater(self.plan.context_bytes, 0)
        self.assertTrue(self.plan.passes)
        self.assertIn("input_ids", repr(self.plan))

    def test_layers(self):
        precisions = {layer.got for layer in self.plan.layers}
        self.assertTrue(precisions & {"int8", "int8-rows"})
        self.assertNotIn("int8", {layer.got for layer in self.float.layers})
        layer = next(layer for layer in self.plan.layers if layer.got.startswith("int8"))
        self.assertEqual(layer.weights, "int8")
        self.assertTrue(layer.origins and layer.inputs and layer.outputs and layer.kernel)

    def test_requests(self):
        plan = tare.build(MODEL, self.table, layer_precisions={"@MatMul": "fp32"})
        layers = [layer for layer in plan.layers if "MatMul" in layer.name]
        self.assertTrue(layers)
        self.assertEqual({layer.got for layer in layers if layer.asked == "fp32"}, {"fp32"})
        self.refuses(tare.UsageError, "fp33", tare.build, MODEL, self.table,
                     layer_precisions="*:fp33")
        self.refuses(tare.UnsupportedError, "", tare.build, MODEL, None, PROFILE,
                     layer_precisions="*:int8", constraints="obey")
        self.refuses(tare.UsageError, "constraints: unknown", tare.build, MODEL, constraints="x")

    def test_saved(self):
        own, other = self.folder / "own.plan", self.folder / "other.plan"
        calib = self.folder / "model.calib.json"
        self.table.save(calib)
        self.plan.save(own)
        command("build", "-q", MODEL, "--calib", calib, "-o", other)
        self.same_bytes(own, other)
        loaded = tare.Plan.load(own)
        for sample in sentences(3):
            np.testing.assert_array_equal(loaded.run(sample)["logits"],
                                          self.plan.run(sample)["logits"])
        self.refuses(tare.InputError, "model.calib.json", tare.Plan.load, calib)

    def test_needs_profiles(self):
        self.refuses(tare.UsageError, "needs a range: give the lengths to run at", tare.build, MODEL)

    def test_lengths_without_range(self):
        for profile in ({}, "batch=2", {"batch": 2}):
            with self.assertWarnsRegex(tare.TareWarning, "sequence is 1, since it has no range"):
                plan = tare.build(MODEL, profiles=profile)
            self.assertEqual(plan.profiles[0]["sequence"], (1, 1, 1))
        with warnings.catch_warnings():
            warnings.simplefilter("error", tare.TareWarning)
            tare.build(MODEL, profiles={"sequence": (1, 8, 16)})

    def test_any_length(self):
        for length in (1, 7, 100, 512):
            ids = np.ones((1, length), np.int64)
            self.assertEqual(self.plan.run(ids, ids)["logits"].shape, (1, length, 150))
        single = np.ones(9, np.int64)
        self.assertEqual(self.plan.run(single, single)["logits"].shape[-2:], (9, 150))
        self.refuses(tare.ShapeError, "513", self.plan.run, np.ones((1, 513), np.int64),
                     np.ones((1, 513), np.int64))

    def test_ways_to_give_inputs(self):
        sample = next(sentences())
        ids, mask = sample["input_ids"], sample["attention_mask"]
        expected = self.plan.run(sample)["logits"]
        context = self.plan.context(threads=1, profile=0)
        self.assertIsNone(context.profile)
        for outputs in (context.run(ids, mask), context.run(ids, attention_mask=mask),
                        context.run(**sample), context.run(np.asfortranarray(ids), mask)):
            np.testing.assert_array_equal(outputs["logits"], expected)
        self.assertEqual(context.profile, 0)

    def test_wrong_inputs(self):
        ids = np.ones((1, 3), np.int64)
        run = self.plan.run
        self.refuses(tare.UsageError, "no array for input 'attention_mask'", run, ids)
        self.refuses(tare.UsageError, "expected one array for each of", run, ids, ids, ids)
        self.refuses(tare.UsageError, "no input 'mask': expected input_ids", run, ids, mask=ids)
        self.refuses(tare.UsageError, "expected one array", run, ids, ids, input_ids=ids)
        self.refuses(tare.UsageError, "float64", run, ids + 0.5, ids)
        self.refuses(tare.InputError, "input 'input_ids': element type object", run, [None], ids)
        self.refuses(tare.ShapeError, "", run, ids, np.ones((1, 4), np.int64))
        self.refuses(tare.InputError, "input 'input_ids': has rank 9", run, np.ones((1,) * 9), ids)

    def test_views(self):
        context = self.plan.context()
        ids = np.ones((1, 5), np.int64)
        view = context.run(ids, ids, copy=False)["logits"]
        kept = view.copy()
        copied = context.run(ids + 1, ids)["logits"]
        np.testing.assert_array_equal(view, copied)
        self.assertFalse(np.array_equal(kept, copied))
        del context  # the view keeps its memory
        gc.collect()
        np.testing.assert_array_equal(view, copied)

    def test_threads(self):
        samples = list(sentences(8))
        expected = [self.plan.run(sample)["logits"] for sample in samples]
        shared, wrong = self.plan.context(threads=1), []

        def work(run):
            for sample, logits in zip(samples * 5, expected * 5):
                if not np.array_equal(run(sample)["logits"], logits):
                    wrong.append(sample)

        threads = [threading.Thread(target=work, args=(run,)) for run in
                   (shared.run, shared.run, self.plan.run, self.plan.run,
                    self.plan.context(threads=2).run)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipIf(os.environ.get("LD_PRELOAD"), "sanitizers keep what is freed")
    def test_nothing_leaks(self):
        context = tare.build(DIGITS / "digits-conv.onnx", profiles={"samples": (400, 800, 1600)},
                             ).context(threads=1)
        audio = [np.zeros((1, n), np.float32) for n in (400, 777, 1600)]

        def peak(runs):
            for i in range(runs):
                context.run(audio[i % 3])
                context.run(audio[i % 3], copy=False)
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = peak(300)
        self.assertLess(peak(2000) - before, 2000)  # KiB; a leak of one output each has 20 MB

    def test_plans_go_with_their_contexts(self):
        plan = tare.build(MODEL, profiles=PROFILE)
        plan.run(next(sentences()))
        here = weakref.ref(plan)
        context = plan.context(threads=1)
        del plan
        self.assertIsNone(here())  # without a collection of cycles
        self.assertEqual(len(context.run(next(sentences()))), 1)

    def test_profiling(self):
        context = self.plan.context()
        context.set_profiling(True)
        context.run(next(sentences()))
        seconds = context.layer_seconds()
        self.assertEqual(len(seconds), len(self.plan.layers))
        self.assertGreater(sum(seconds), 0)


if __name__ == "__main__":
    unittest.main()
