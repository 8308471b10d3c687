"""Decoders whose caches have axes with names of their own, or none, by the command and by Python."""

import itertools
import sys
import unittest

import numpy as np

try:
    import h5py
except ImportError:
    h5py = None

import tare
from common import SOURCE, TestCase, command

sys.path.insert(0, str(SOURCE / "tests" / "fixtures"))
from onnx_wire import BOOL, FLOAT, INT64, model, node, number, port, tensor, text  # noqa: E402

WIDTH, HEADS, WORDS, LAST = 8, 2, 11, 32
MASKED = -1e4

# How exporters name axes: by the name of the input, what the axis is (b, s, p or t), and its number.
NAMES = {
    "none": lambda name, kind, axis: "",
    "legacy": lambda name, kind, axis: f"{name}_dynamic_axes_{axis + 1}",
    "own": lambda name, kind, axis: f"{kind}_of_{name}",
    "counted": lambda name, kind, axis: {"b": "s72", "s": "s53", "p": "s70", "t": "s70 + s53"}[kind],
    "meant": lambda name, kind, axis: {"b": "batch", "s": "seq", "p": "past", "t": "past + seq"}[kind],
}


def weights_of(layers):
    random = np.random.default_rng(layers)
    shapes = {"words": (WORDS, WIDTH), "places": (LAST, WIDTH), "head": (WIDTH, WORDS)}
    shapes.update({f"{what}{i}": (WIDTH, WIDTH) for i in range(layers) for what in "qkvo"})
    return {name: (random.standard_normal(shape) / 4).astype(np.float32)
            for name, shape in shapes.items()}


class Writer:
    """Nodes, each with an output of its own name."""

    def __init__(self):
        self.nodes = []

    def __call__(self, op, *inputs, output=None, **attributes):
        output = output or f"{op}_{len(self.nodes)}"
        self.nodes.append(node(op, inputs, output, **attributes))
        return output

    def heads(self, x):
        return self("Transpose", self("Reshape", x, "split"), perm=[0, 2, 1, 3])


def caches_of(layers):
    return [f"past_key_values.{i}.{what}" for i in range(layers) for what in ("key", "value")]


def write_decoder(path, layers, names):
    w, weights = Writer(), weights_of(layers)
    x = w("Add", w("Gather", "words", "input_ids"), w("Gather", "places", "position_ids"))
    mask = w("Cast", "attention_mask", to=FLOAT)
    hidden = w("Unsqueeze", w("Mul", w("Sub", "one", mask), "masked"), "axes")
    for i in range(layers):
        q, k, v = (w.heads(w("MatMul", x, f"{what}{i}")) for what in "qkv")
        k = w("Concat", f"past_key_values.{i}.key", k, output=f"present.{i}.key", axis=2)
        v = w("Concat", f"past_key_values.{i}.value", v, output=f"present.{i}.value", axis=2)
        scores = w("Add", w("MatMul", q, w("Transpose", k, perm=[0, 1, 3, 2])), hidden)
        mixed = w("MatMul", w("Softmax", scores, axis=-1), v)
        rows = w("Reshape", w("Transpose", mixed, perm=[0, 2, 1, 3]), "join")
        x = w("Tanh", w("Add", x, w("MatMul", rows, f"o{i}")))
    w("MatMul", x, "head", output="logits")
    axis = NAMES[names]
    inputs = [port(name, [axis(name, "b", 0), axis(name, kind, 1)], INT64)
              for name, kind in (("input_ids", "s"), ("position_ids", "s"), ("attention_mask", "t"))]
    inputs += [port(name, [axis(name, "b", 0), HEADS, axis(name, "p", 2), WIDTH // HEADS])
               for name in caches_of(layers)]
    outputs = [port("logits", ["", "", WORDS])]
    outputs += [port(name.replace("past_key_values", "present"), ["", HEADS, "", WIDTH // HEADS])
                for name in caches_of(layers)]
    constants = [tensor(name, a.shape, a.ravel().tolist()) for name, a in weights.items()]
    constants += [tensor("one", [], [1.0]), tensor("masked", [], [MASKED]),
                  tensor("axes", [2], [1, 2], INT64), tensor("join", [3], [0, 0, WIDTH], INT64),
                  tensor("split", [4], [0, 0, HEADS, WIDTH // HEADS], INT64)]
    path.write_bytes(model("decoder", w.nodes, constants, inputs, outputs))


def run_decoder(layers, feeds):
    """What numpy says that it is."""
    w = {name: a.astype(np.float64) for name, a in weights_of(layers).items()}
    x = w["words"][feeds["input_ids"]] + w["places"][feeds["position_ids"]]
    hidden = ((1 - feeds["attention_mask"]) * MASKED)[:, None, None, :]
    batch, length = feeds["input_ids"].shape
    found = {}
    for i in range(layers):
        q, k, v = ((x @ w[f"{what}{i}"]).reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
                   for what in "qkv")
        k = found[f"present.{i}.key"] = np.concatenate([feeds[f"past_key_values.{i}.key"], k], 2)
        v = found[f"present.{i}.value"] = np.concatenate([feeds[f"past_key_values.{i}.value"], v], 2)
        scores = q @ k.transpose(0, 1, 3, 2) + hidden
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = scores / scores.sum(-1, keepdims=True) @ v
        x = np.tanh(x + mixed.transpose(0, 2, 1, 3).reshape(batch, length, WIDTH) @ w[f"o{i}"])
    return {"logits": x @ w["head"], **found}


def feeds_of(layers, batch, length, past, seed):
    random = np.random.default_rng(seed)
    feeds = {"input_ids": random.integers(0, WORDS, (batch, length)),
             "position_ids": np.tile(np.arange(past, past + length), (batch, 1)),
             "attention_mask": random.integers(0, 2, (batch, length + past))}
    feeds["attention_mask"][:, -1] = 1
    for name in caches_of(layers):
        shape = (batch, HEADS, past, WIDTH // HEADS)
        feeds[name] = random.standard_normal(shape).astype(np.float32)
    return feeds


SHAPES = ((1, 3, 2), (2, 1, 7), (3, 5, 1), (2, 4, 9))  # batch, length and past


class DecoderTest(TestCase):
    def same_as_numpy(self, plan, layers, feeds):
        found = plan.run(feeds)
        for name, expected in run_decoder(layers, feeds).items():
            self.assertEqual(found[name].shape, expected.shape)
            self.assertLess(np.abs(found[name] - expected).max(), 2e-4, name)

    def write(self, layers, names):
        path = self.folder / f"{names}{layers}.onnx"
        write_decoder(path, layers, names)
        return path

    def write_samples(self, layers):
        paths = []
        for seed, shape in enumerate(SHAPES):
            paths.append(self.folder / f"{layers}-{seed}.npz")
            np.savez(paths[-1], **feeds_of(layers, *shape, seed))
        return paths

    def test_caches_are_one_length(self):
        for layers, names in itertools.product((1, 2, 48), NAMES):
            with self.subTest(layers=layers, names=names):
                loaded = tare.Model(self.write(layers, names))
                lengths = {dim for one in loaded.inputs for dim in one.shape if isinstance(dim, str)}
                self.assertEqual(len(lengths), 4)  # the mask has the sum of two

    def test_numbers(self):
        for layers, names in itertools.product((1, 5), NAMES):
            with self.subTest(layers=layers, names=names):
                path = self.write(layers, names)
                profile = "input_ids:0=1:2:3,input_ids:1=1:4:5,past_key_values.0.value:2=1:7:9"
                plan = tare.build(path, profiles=profile)
                saved = self.folder / "x.plan"
                plan.save(saved)
                for seed, shape in enumerate(SHAPES):
                    feeds = feeds_of(layers, *shape, seed)
                    self.same_as_numpy(plan, layers, feeds)
                    self.same_as_numpy(tare.Plan.load(saved), layers, feeds)

    def test_command(self):
        for layers, names in ((2, "none"), (12, "own"), (48, "legacy")):
            with self.subTest(layers=layers, names=names):
                path, samples = self.write(layers, names), self.write_samples(layers)
                calib, plan = self.folder / "x.calib.json", self.folder / "x.plan"
                command("calibrate", "-q", path, *samples, "-o", calib)
                command("build", "-q", path, "--calib", calib, "-o", plan)
                self.assertIn("SQNR", command("run", plan, *samples, "--against", path))
                command("quantize", "-q", path, *samples, "-o", self.folder / "q.onnx")

    def test_names(self):
        path = self.write(2, "legacy")
        axis = "past_key_values.1.key_dynamic_axes_3"
        plan = tare.build(path, profiles=f"{axis}=2:3:4,input_ids=1:2:3,input_ids:0=1")
        saved = self.folder / "x.plan"
        plan.save(saved)
        self.assertEqual(tare.Plan.load(saved).profiles, plan.profiles)
        self.assertEqual(plan.profiles[0]["past_key_values.0.key_dynamic_axes_3"], (2, 3, 4))
        shown = command("inspect", path) + command("inspect", saved)
        self.assertEqual(shown.count("past_key_values.0.key_dynamic_axes_3: past_key_values.0.key "
                                     "axis 2, past_key_values.0.value axis 2, "
                                     "past_key_values.1.key axis 2 and 1 more"), 2)
        self.refuses(tare.UsageError, "is one length with", tare.build, path,
                     profiles=f"past_key_values.0.key_dynamic_axes_3=3,{axis}=2,input_ids=1")
        self.assertIn("s53: input_ids axis 1, position_ids axis 1",
                      command("inspect", self.write(1, "counted")))

    def test_different_sizes(self):
        path = self.write(1, "none")
        plan = tare.build(path, profiles="input_ids:0=1:2:3,input_ids=1:2:5,past_key_values.0.key:2=1:2:5")
        feeds = feeds_of(1, 2, 3, 2, 0)
        feeds["position_ids"] = feeds["position_ids"][:1]
        self.refuses(tare.ShapeError, "operators of the model need both equal", plan.run, feeds)
        feeds = feeds_of(1, 2, 3, 2, 0)
        feeds["attention_mask"] = feeds["attention_mask"][:, :4]
        self.refuses(tare.ShapeError, "which is not the sum", plan.run, feeds)


def branch(name, make):
    """An attribute with a graph, whose nodes `make` gives for a prefix, with the outputs."""
    nodes, outputs = make(name[0])
    graph = b"".join(text(1, n) for n in nodes) + text(2, name)
    graph += b"".join(text(12, text(1, o)) for o in outputs)
    return text(5, text(1, name) + text(6, graph) + number(20, 5))


def write_merged(path):
    """Adds up what it has seen: by the cache, or without one, as Optimum merges two decoders."""
    def with_cache(p):
        return [node("Concat", ["past.key", "x"], p + "k", axis=1),
                node("ReduceSum", [p + "k", "axes"], p + "y", keepdims=1)], [p + "y", p + "k"]

    def without(p):
        return [node("Identity", ["x"], p + "k"), node("ReduceSum", [p + "k", "axes"], p + "r", keepdims=1),
                node("Add", [p + "r", "hundred"], p + "y")], [p + "y", p + "k"]

    both = (text(1, "use_cache_branch") + text(2, "y") + text(2, "present.key") + text(3, "if") +
            text(4, "If") + branch("then_branch", with_cache) + branch("else_branch", without))
    constants = [tensor("axes", [1], [1], INT64), tensor("hundred", [], [100.0])]
    inputs = [port("x", [1, "seq", 2]), port("past.key", [1, "past", 2]),
              port("use_cache_branch", [1], BOOL)]
    outputs = [port("y", [1, 1, 2]), port("present.key", [1, "", 2])]
    path.write_bytes(model("merged", [both], constants, inputs, outputs))


class MergedTest(TestCase):
    def test_runs(self):
        path, data, out = (self.folder / name for name in ("m.onnx", "x.npz", "out.h5"))
        write_merged(path)
        x = np.random.default_rng(1).standard_normal((1, 6, 2)).astype(np.float32)
        np.savez(data, x=x)
        shown = command("calibrate", path, data, "--chunk", "seq=1", "-o", self.folder / "m.stats")
        self.assertIn("past=0:3:6", shown)
        plan = self.folder / "m.plan"
        command("build", "-q", path, "--fp32", "--profile", "seq=1,past=0:3:6", "-o", plan)
        command("run", "-q", plan, data, "--chunk", "seq=1", "--save-outputs", out)
        if h5py is None:
            self.skipTest("python3-h5py is missing")
        with h5py.File(out) as found:
            self.assertEqual(len(found), x.shape[1])
            for k, run in enumerate(sorted(found)):
                expected = x[:, :k + 1].sum(1, keepdims=True) + (100 if k == 0 else 0)
                np.testing.assert_allclose(found[run]["y"][()].reshape(1, 1, 2), expected, rtol=1e-5,
                                           atol=1e-5)


if __name__ == "__main__":
    unittest.main()
