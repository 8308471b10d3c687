"""Models that draw random numbers."""

import os

import numpy as np

import tare
from common import TestCase

FOLDER = os.path.join(os.environ["TARE_SOURCE"], "tests", "fixtures", "random")
PROFILE = "n=20:40:64"


class RandomTest(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = tare.build(os.path.join(FOLDER, "speech.onnx"), profiles=PROFILE)
        cls.x = np.random.RandomState(1).standard_normal((1, 4, 30)).astype(np.float32)

    def same(self, a, b):
        return all(np.array_equal(a[name], b[name]) for name in a)

    def test_counts(self):
        self.assertEqual(tare.Model(os.path.join(FOLDER, "speech.onnx")).n_random, 3)
        self.assertEqual(tare.Model(os.path.join(FOLDER, "fed.onnx")).n_random, 0)
        self.assertEqual(self.plan.n_random, 3)

    def test_seeds(self):
        context = self.plan.context()
        first = context.run(self.x)
        self.assertTrue(self.same(first, context.run(self.x)), "equal inputs give equal outputs")
        self.assertTrue(self.same(first, self.plan.context(threads=2).run(self.x)))
        other = context.run(self.x + 1)
        self.assertFalse(np.array_equal(first["noise"], other["noise"]), "another sample")
        context.set_seed(7)
        self.assertFalse(np.array_equal(first["noise"], context.run(self.x)["noise"]))
        self.assertTrue(self.same(context.run(self.x), self.plan.context(seed=7).run(self.x)))
        context.set_seed(0)
        self.assertTrue(self.same(first, context.run(self.x)))

    def test_data(self):
        """A program that runs a plan draws what an evaluation draws for the sample."""
        noise = self.plan.context(seed=5).run(self.x)["noise"]
        for seed in (5, 6):
            data = tare.Data([{"x": self.x, "noise": noise}], labels="noise", seed=seed)
            output = [port.name for port in self.plan.outputs].index("noise")
            found = tare.evaluate(self.plan, data, metric="mae", output=output).total.metric
            self.assertEqual(found == 0, seed == 5)

    def test_turns(self):
        turns = self.plan.run(self.x)["each"]
        self.assertEqual(len({turn.tobytes() for turn in turns}), 3, "turns draw each for itself")
