"""Evaluation, comparison and tuning."""

import json
import math
import unittest

import numpy as np

import tare
from common import DIGITS, INTENTS, MODEL, PROFILE, SOURCE, TestCase, command, sentences, table

EVAL = INTENTS / "eval.h5"


class EvaluateTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = tare.build(MODEL, table(), PROFILE)
        cls.float = tare.build(MODEL, profiles=PROFILE)

    def test_as_the_command(self):
        plan, reference = self.folder / "a.plan", self.folder / "b.plan"
        self.plan.save(plan)
        self.float.save(reference)
        text = command("run", "-q", "--json", plan, EVAL, "--limit", 20, "--against", reference,
                       "--labels", "labels", "--metric", "accuracy")
        other = json.loads(text)
        own = tare.evaluate(self.plan, tare.Data(EVAL, limit=20, labels="labels"), self.float,
                            metric="accuracy")
        self.assertEqual(own.total.samples, 20)
        for name in ("sqnr_db", "cosine", "max_abs_error", "top1_agreement"):
            self.assertAlmostEqual(getattr(own.total, name), other[name], 6)
        self.assertEqual(own.total.agreement_kind, other["agreement"]["kind"])
        self.assertAlmostEqual(own.total.agreement, other["agreement"]["value"], 6)
        self.assertAlmostEqual(own.total.agreement_tenth, other["agreement"]["tenth"], 6)
        self.assertEqual(own.total.agreement_output, "logits")
        self.assertEqual(own.total.metric, other["metric"]["value"])
        self.assertEqual(own.total.reference, other["metric"]["reference"])
        self.assertEqual(len(own.sample_names), 20)
        self.assertEqual(len(own.sample_seconds), 20)
        self.assertGreater(own.total.sqnr_db, 10)

    def test_kinds_of_agreement(self):
        data = tare.Data(EVAL, limit=4)
        found = tare.evaluate(self.plan, data, self.float, agreement={"logits": "cosine"})
        self.assertEqual(found.outputs["logits"].agreement_kind, "cosine")
        self.assertGreater(found.total.agreement, 0.9)
        self.assertLessEqual(found.total.agreement_tenth, found.total.agreement)
        found = tare.evaluate(self.plan, data, self.float, agreement={"logits": "none"})
        self.assertEqual(found.total.agreement_kind, "none")
        self.assertTrue(math.isnan(found.total.agreement))
        self.refuses(tare.UsageError, "expected one of auto, none, top1", tare.evaluate, self.plan,
                     data, self.float, agreement={"logits": "best"})
        self.refuses(tare.UsageError, "has no output 'nothing'", tare.evaluate, self.plan, data,
                     self.float, agreement={"nothing": "top1"})

    def test_labels_of_the_program(self):
        samples = list(sentences(6))
        expected = [self.float.run(sample)["logits"].argmax(-1)[0] for sample in samples]
        labelled = [{**sample, "intent": label} for sample, label in zip(samples, expected)]
        found = tare.evaluate(self.float, tare.Data(labelled, labels="intent"), metric="accuracy")
        self.assertEqual(found.total.metric, 1)
        wrong = [(*sample.values(), label + 1) for sample, label in zip(samples, expected)]
        found = tare.evaluate(self.float, tare.Data(wrong, labels=True), metric="accuracy")
        self.assertEqual(found.total.metric, 0)
        self.refuses(tare.InputError, "no label 'intents'", tare.evaluate, self.float,
                     tare.Data(labelled, labels="intents"), metric="accuracy")
        self.refuses(tare.TareError, "label", tare.evaluate, self.float, samples, metric="accuracy")

    def test_text_labels(self):
        plan = tare.build(DIGITS / "digits-conv.onnx", profiles={"samples": (400, 8000, 80000)})
        audio = [(np.sin(np.arange(n, dtype=np.float32)), "12") for n in (4000, 9000)]
        found = tare.evaluate(plan, tare.Data(audio, labels=True), metric="ctc-error",
                              metric_options={"alphabet": "0123456789"})
        self.assertFalse(math.isnan(found.total.metric))

    def test_tensors(self):
        reference = tare.build(MODEL, profiles=PROFILE, observable=True)
        found = tare.evaluate(self.plan, list(sentences(3)), reference, tensors=True)
        self.assertTrue(any(tensor.is_output for tensor in found.tensors))
        self.assertTrue(all(tensor.values for tensor in found.tensors if tensor.comparable))
        self.refuses(tare.UsageError, "tensors=True needs", tare.evaluate, self.plan, [],
                     tensors=True)

    def test_saved_outputs(self):
        path = self.folder / "outputs.h5"
        tare.evaluate(self.float, sentences(3), save_outputs=path, save_inputs=True)
        again = tare.evaluate(self.float, path)
        self.assertEqual(again.total.samples, 3)

    def test_compare(self):
        rows = tare.build(MODEL, table(), PROFILE, layer_precisions="*:int8-rows")
        found = tare.compare({"float": self.float, "int8": self.plan, "rows": rows}, sentences(),
                             self.float)
        self.assertTrue(math.isnan(found["float"].total.sqnr_db))  # it is the reference
        self.assertIsNone(found["float"].sqnr_difference)
        self.assertEqual(found["int8"].sqnr_difference.value, 0)
        difference = found["rows"].sqnr_difference
        self.assertEqual(difference.samples, 12)
        self.assertTrue(difference.distinct)
        self.assertLess(found["int8"].sqnr_interval.low, found["int8"].total.sqnr_db)
        self.assertIsNone(found["int8"].metric_difference)
        labelled = [(*sample.values(), np.zeros(sample["input_ids"].shape[1], np.int64))
                    for sample in sentences()]
        found = tare.compare({"float": self.float, "int8": self.plan},
                             tare.Data(labelled, labels=True), metric="accuracy")
        self.assertEqual(found["float"].metric_difference.value, 0)
        self.refuses(tare.UsageError, "no plans", tare.compare, {}, [])

    def test_usage(self):
        self.refuses(tare.UsageError, "metric: unknown 'x'", tare.evaluate, self.plan, [], metric="x")
        self.refuses(tare.UsageError, "without a metric", tare.evaluate, self.plan, [],
                     metric_options={"alphabet": "abc"})
        self.refuses(tare.UsageError, "", tare.evaluate, self.plan, [], metric="accuracy",
                     metric_options={"alphabet": "abc"})
        self.refuses(tare.CheckError, "stopped", tare.evaluate, self.plan, sentences(),
                     progress=lambda done, total: done < 2)


class RaiseTest(TestCase):
    def test_raise(self):
        folder = SOURCE / "tests" / "fixtures" / "raised"
        model, profile = folder / "deep.onnx", "n=1,t=4:12:20"
        deep = tare.calibrate(model, folder / "calib", profile).table()
        raised = tare.raise_layers(model, deep, folder / "calib", profile)
        self.assertTrue(raised.is_complete)
        self.assertLess(raised.standard_sqnr_db, 22)
        self.assertGreaterEqual(raised.sqnr_db, 28)
        self.assertEqual(deep.layer_precisions, raised.requests)
        self.assertEqual(len(raised.requests.split(",")), raised.n_layers)
        deep.save(self.folder / "deep.json")
        again = tare.Table.load(self.folder / "deep.json")
        plan, other = tare.build(model, again, profile), tare.build(model, profiles=profile)
        found = tare.evaluate(plan, folder / "others", other)
        self.assertGreater(found.total.sqnr_db, 25)
        deep.layer_precisions = ""
        low = tare.evaluate(tare.build(model, deep, profile), folder / "others", other)
        self.assertLess(low.total.sqnr_db, 22)
        with self.assertRaises(tare.UsageError):
            deep.layer_precisions = "layer0:int5"

    def test_raise_layers_of_written_models(self):
        folder = SOURCE / "tests" / "fixtures" / "raised"
        model, profile = folder / "deep.onnx", "n=1,t=4:12:20"
        deep = tare.calibrate(model, folder / "calib", profile, all_tensors=True).table()
        raised = tare.raise_layers(model, deep, folder / "calib", profile,
                                   written={"target": "tensorrt", "profile": 0})
        self.assertGreaterEqual(raised.sqnr_db, 28)
        self.assertIn("layer0:fp32", raised.requests)
        written = tare.export(model, self.folder / "deep.onnx", deep, target="tensorrt")
        self.assertEqual(sum(layer.form == "fp32" for layer in written.layers), raised.n_layers)
        kept = tare.raise_layers(model, deep, folder / "calib", profile,
                                 written={"layer_precisions": "*:fp32"})
        self.assertEqual((kept.requests, kept.sqnr_db), ("", math.inf))
        with self.assertRaises(tare.UsageError):
            tare.raise_layers(model, deep, folder / "calib", profile, written={"rows": "bytes"})
        with self.assertRaises(tare.UsageError):
            tare.raise_layers(model, deep, folder / "calib", profile, written={"profile": 1})


class TuneTest(TestCase):
    def test_tune(self):
        seen, timings = [], self.folder / "times"
        tuned = tare.tune(MODEL, sentences(3), table(), PROFILE, min_sqnr_db=20, threads=1,
                          seconds=2, timings=timings, progress=seen.append)
        self.assertTrue(tuned.score.holds)
        self.assertGreaterEqual(tuned.score.sqnr_db, 20)
        self.assertTrue(seen and tuned.layers)
        self.assertTrue(timings.exists())
        again = tare.build(MODEL, table(), PROFILE, layer_precisions=tuned.requests)
        plan = tuned.plan
        del tuned
        sample = next(sentences())
        np.testing.assert_array_equal(plan.run(sample)["logits"], again.run(sample)["logits"])
        self.refuses(tare.UsageError, "min_sqnr_db or max_drop", tare.tune, MODEL, [], table())

    def test_stopped(self):
        self.refuses(tare.TareError, "", tare.tune, MODEL, list(sentences(3)), table(), PROFILE,
                     min_sqnr_db=200, min_integer_share=0.9, progress=lambda state: False)


if __name__ == "__main__":
    unittest.main()
