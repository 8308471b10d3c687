#!/usr/bin/env python3
"""Towers of layers that change lengths, by chance, beside numpy.

towers.py TARE [--seed S] [--count N] [--only K] [--layers MOST] [--keep FOLDER] [--verbose]

Each model has 1 to 48 layers between sequences: strided convolutions, windows that are gathered, frames by a reshape to
-1 after padding to a multiple or trimming, branches that meet again, attention with relative positions. As exporters
write it, the length is also computed beside the layers, from that of the input, in integers or floats, and decides
masks and positions. No model may be refused, and float, a float plan that another process loads, and numpy must
agree at all lengths. int8 plans must be made and run. The seed is TARE_TEST_SEED, or else the time.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing (python3-numpy)")
    sys.exit(77)

sys.dont_write_bytecode = True
import command
from graph import Graph
from onnx_file import FLOAT, INT64

CHANNELS, HEADS = 8, 2
MOST_POSITIONS = 6
TOLERANCE = 2e-3
MOST_SCORES = 400  # positions that attention is tried on


def integers(*values):
    return np.array(values, np.int64)


class Tower:
    """A model under construction: x is [1, CHANNELS, length], n the length as it was computed beside."""

    def __init__(self, rng, n_layers):
        self.rng, self.graph, self.words = rng, Graph(), []
        low = int(rng.integers(40, 400))
        self.lengths = sorted({low, low + int(rng.integers(1, 9)), int(rng.integers(low, 3000))})
        self.samples = list(self.lengths)
        self.graph.input("x", FLOAT, [1, "n"])
        self.n = self.size_of("x", 1)
        self.x = self.graph("Unsqueeze", "x", integers(1))
        self.convolve(CHANNELS, 1)
        for _ in range(n_layers):
            self.layer()
        self.graph.output(self.x, "y", FLOAT, [1, CHANNELS, "m"])

    # --- parts ----------------------------------------------------------------------------------

    def weights(self, *dims):
        fan = np.prod(dims[1:]) if len(dims) > 2 else dims[0]
        return (self.rng.standard_normal(dims) / np.sqrt(fan)).astype(np.float32)

    def size_of(self, value, axis):
        """A scalar"""
        return self.graph("Gather", self.graph("Shape", value), np.int64(axis))

    def vector(self, *scalars):
        parts = [integers(s) if isinstance(s, int) else self.graph("Unsqueeze", s, integers(0)) for s in scalars]
        return self.graph("Concat", *parts, axis=0)

    def slice_last(self, value, start, end, axis):
        ends = integers(end) if isinstance(end, int) else self.graph("Unsqueeze", end, integers(0))
        return self.graph("Slice", value, integers(start), ends, integers(axis))

    def length(self):
        """The present length: that of x, or as it was computed beside"""
        return self.n if self.rng.random() < 0.5 else self.size_of(self.x, 2)

    def quotient(self, value, divisor, up=False):
        """A scalar divided, in one of the ways of exporters"""
        g, way = self.graph, self.rng.integers(3)
        if way == 0:
            real = g("Div", g("Cast", value, to=FLOAT), np.float32(divisor))
            return g("Cast", g("Ceil" if up else "Floor", real), to=INT64)
        value = g("Add", value, np.int64(divisor - 1)) if up else value
        if way == 2:
            return g("Div", g("Sub", value, g("Mod", value, np.int64(divisor))), np.int64(divisor))
        return g("Div", value, np.int64(divisor))

    def windows(self, kernel, stride, pads=0):
        """The length behind windows, computed beside"""
        g = self.graph
        way = self.rng.integers(3)
        if way == 0:  # floor((n + p - k) / s) + 1
            left = g("Add", self.n, np.int64(pads - kernel))
            return g("Add", g("Div", left, np.int64(stride)), np.int64(1))
        if way == 1:  # floor((n + p - k) / s + 1), in floats
            left = g("Cast", g("Add", self.n, np.int64(pads - kernel)), to=FLOAT)
            real = g("Add", g("Div", left, np.float32(stride)), np.float32(1))
            return g("Cast", g("Floor", real), to=INT64)
        return self.quotient(g("Add", self.n, np.int64(pads - kernel + stride)), stride)

    def settle(self, value, word):
        self.x = self.graph("Tanh", value)
        self.words.append(word)

    # --- layers ---------------------------------------------------------------------------------

    def convolve(self, kernel, stride, pads=0):
        channels = CHANNELS if self.words else 1
        w = self.weights(CHANNELS, channels, kernel)
        self.n = self.windows(kernel, stride, 2 * pads)
        self.lengths = [(n + 2 * pads - kernel) // stride + 1 for n in self.lengths]
        y = self.graph("Conv", self.x, w, np.zeros(CHANNELS, np.float32), pads=[pads, pads], strides=[stride],
                       kernel_shape=[kernel])
        self.settle(y, f"conv {kernel}/{stride}")

    def strided(self):
        kernel, stride = int(self.rng.integers(2, 8)), int(self.rng.integers(1, 4))
        self.convolve(kernel, stride, int(self.rng.integers(0, (kernel + 1) // 2)))

    def padded_frames(self):
        """Zeros up to a multiple, frames, a product in each, and back; perhaps as many as before"""
        g, m = self.graph, int(self.rng.integers(2, 9))
        before, length = self.n, self.length()
        rest = g("Sub", g("Mul", self.quotient(length, m, up=True), np.int64(m)), length)
        pads = self.vector(0, 0, 0, 0, 0, rest)
        y = g("Reshape", g("Pad", self.x, pads), integers(0, CHANNELS, -1, m))
        y = g("Reshape", g("MatMul", y, self.weights(m, m)), integers(1, CHANNELS, -1))
        if self.rng.random() < 0.5:
            self.settle(g("Add", self.slice_last(y, 0, length, 2), self.x), f"frames of {m}, cut")
            return
        self.n = g("Mul", self.quotient(before, m, up=True), np.int64(m))
        self.lengths = [-(-n // m) * m for n in self.lengths]
        self.settle(y, f"frames of {m}")

    def trimmed_frames(self):
        """Whole frames, of which means are left"""
        g, m, length = self.graph, int(self.rng.integers(2, 4)), self.length()
        whole = g("Sub", length, g("Mod", length, np.int64(m)))
        y = g("Reshape", self.slice_last(self.x, 0, whole, 2), self.vector(1, CHANNELS, self.quotient(length, m), m)
              if self.rng.random() < 0.5 else integers(1, CHANNELS, -1, m))
        self.n = self.quotient(self.n, m)
        self.lengths = [n // m for n in self.lengths]
        self.settle(g("ReduceMean", y, axes=[3], keepdims=0), f"means of {m}")

    def unfold(self):
        """Windows that are gathered by positions"""
        g, width, hop = self.graph, int(self.rng.integers(2, 6)), int(self.rng.integers(1, 4))
        last = g("Sub", self.length(), np.int64(width - 1))
        starts = g("Unsqueeze", g("Range", np.int64(0), last, np.int64(hop)), integers(1))
        y = g("Gather", self.x, g("Add", starts, np.arange(width)[None]), axis=2)
        y = g("Squeeze", g("MatMul", y, self.weights(width, 1)), integers(3))
        self.n = self.windows(width, hop)
        self.lengths = [(n - width) // hop + 1 for n in self.lengths]
        self.settle(y, f"windows {width}/{hop}")

    def repeated(self):
        g, times = self.graph, int(self.rng.integers(2, 4))
        y = g("Expand", g("Unsqueeze", self.x, integers(3)), self.vector(1, 1, self.length(), times))
        self.n = g("Mul", self.n, np.int64(times))
        self.lengths = [n * times for n in self.lengths]
        self.settle(g("Reshape", y, integers(0, 0, -1)), f"{times} times")

    def shifted(self):
        g = self.graph
        y = g("Concat", self.slice_last(self.x, 0, 1, 2), self.slice_last(self.x, 0, -1, 2), axis=2)
        self.settle(g("Add", y, self.x), "shifted")

    def branches(self):
        """A strided convolution, and means of pairs behind padding: the same length in other words"""
        g, length = self.graph, self.length()
        w = self.weights(CHANNELS, CHANNELS, 3)
        one = g("Conv", self.x, w, np.zeros(CHANNELS, np.float32), pads=[1, 1], strides=[2], kernel_shape=[3])
        rest = g("Mod", g("Neg", length), np.int64(2)) if self.rng.random() < 0.5 else g("Mod", length, np.int64(2))
        pairs = g("Reshape", g("Pad", self.x, self.vector(0, 0, 0, 0, 0, rest)), integers(1, CHANNELS, -1, 2))
        self.n = self.quotient(self.n, 2, up=True)
        self.lengths = [-(-n // 2) for n in self.lengths]
        self.settle(g("Add", one, g("ReduceMean", pairs, axes=[3], keepdims=0)), "branches")

    def positions(self):
        """Biases of [heads, length, length] by distance"""
        g, length = self.graph, self.length()
        at = g("Range", np.int64(0), length, np.int64(1))
        apart = g("Sub", g("Unsqueeze", at, integers(0)), g("Unsqueeze", at, integers(1)))
        near = g("Min", g("Max", apart, integers(-MOST_POSITIONS)), integers(MOST_POSITIONS))
        table = self.rng.standard_normal((2 * MOST_POSITIONS + 1, HEADS)).astype(np.float32)
        biases = g("Gather", table, g("Add", near, integers(MOST_POSITIONS)), axis=0)
        return g("Unsqueeze", g("Transpose", biases, perm=[2, 0, 1]), integers(0))

    def mask(self):
        """Zeros as long as the length that was computed beside, of rank 4"""
        g = self.graph
        at = g("Range", np.int64(0), self.n, np.int64(1))
        valid = g("Unsqueeze", g("GreaterOrEqual", at, np.int64(0)), integers(0, 1, 2))
        if self.rng.random() < 0.5:
            valid = g("Expand", valid, self.vector(1, 1, self.n, self.n))
        return g("Where", valid, np.float32(0), np.float32(-1e4))

    def attention(self):
        g = self.graph
        rows = g("Transpose", self.x, perm=[0, 2, 1])
        heads = integers(1, -1, HEADS, CHANNELS // HEADS) if self.rng.random() < 0.5 else \
            self.vector(1, self.length(), HEADS, CHANNELS // HEADS)
        q, k, v = (g("Transpose", g("Reshape", g("MatMul", rows, self.weights(CHANNELS, CHANNELS)), heads),
                     perm=perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = g("MatMul", q, k)
        scores = g("Add", scores, self.positions()) if self.rng.random() < 0.5 else scores
        scores = g("Add", scores, self.mask()) if self.rng.random() < 0.7 else scores
        y = g("Transpose", g("MatMul", g("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        y = g("Reshape", y, integers(1, -1, CHANNELS) if self.rng.random() < 0.5
              else self.vector(1, self.length(), CHANNELS))
        self.settle(g("Add", g("Transpose", y, perm=[0, 2, 1]), self.x), "attention")

    def layer(self):
        """One that leaves something of the shortest sample, and keeps the longest short"""
        low, high = min(self.lengths), max(self.lengths)
        chances = [(self.shifted, 1 + 2 * (low > 2)), (self.padded_frames, 2)]
        if low >= 9:
            chances += [(self.strided, 6), (self.unfold, 2), (self.trimmed_frames, 2), (self.branches, 2)]
        if high < 300:
            chances.append((self.repeated, 2))
        if high < MOST_SCORES:
            chances.append((self.attention, 4))
        weights = np.array([w for _, w in chances], float)
        chances[int(self.rng.choice(len(chances), p=weights / weights.sum()))][0]()


# --- trial --------------------------------------------------------------------------------------

def worst_difference(got, wanted):
    if got.shape != wanted.shape:
        return f"shape {got.shape}, expected {wanted.shape}"
    worst = float(np.abs(got - wanted).max()) if got.size else 0.0
    return "" if worst <= TOLERANCE else f"differs by {worst:.2g}"


def try_tower(tare, folder, tower):
    """What is wrong with a model, or nothing"""
    folder = pathlib.Path(folder)
    data, model, saved = folder / "data", folder / "model.onnx", folder / "out.h5"
    data.mkdir(parents=True, exist_ok=True)
    tower.graph.write(model)
    samples = [tower.rng.standard_normal((1, n)).astype(np.float32) for n in tower.samples]
    for i, x in enumerate(samples):
        np.savez(data / f"s{i}.npz", x=x)
    wanted = [tower.graph.compute({"x": x})["y"] for x in samples]
    for i, y in enumerate(wanted):
        assert y.shape[2] == tower.lengths[i], (tower.words, y.shape, tower.lengths)
    profile = f"n={tower.samples[0]}:{tower.samples[-1]}:{tower.samples[-1]}"
    try:
        tare("run", model, data, "--save-outputs", saved)
        outputs = [(s["y"], "model") for s in command.read_outputs(saved, len(samples), ["y"])]
        tare("build", model, "--fp32", "--profile", profile, "-o", folder / "x.plan")
        saved.unlink()
        tare("run", folder / "x.plan", data, "--save-outputs", saved)
        outputs += [(s["y"], "plan") for s in command.read_outputs(saved, len(samples), ["y"])]
        tare("calibrate", model, data, "--raise-layers", "off", "-q", "-o", folder / "x.json")
        tare("build", model, "--calib", folder / "x.json", "--small-layers", "int8", "-o", folder / "x.plan")
        tare("run", folder / "x.plan", data)
    except command.CommandError as error:
        return str(error).replace(str(folder) + "/", "")
    finally:
        saved.unlink(missing_ok=True)
    for i, (got, where) in enumerate(outputs):
        what = worst_difference(got, wanted[i % len(wanted)])
        if what:
            return f"{where}, length {tower.samples[i % len(wanted)]}: {what}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tare", help="the command")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TARE_TEST_SEED") or time.time()))
    parser.add_argument("--count", type=int, default=24, help="how many models (default 24)")
    parser.add_argument("--only", type=int, help="this model alone")
    parser.add_argument("--layers", type=int, default=48, help="at most (default 48)")
    parser.add_argument("--keep", help="folder for the models")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if not command.H5:
        print("skipped: no HDF5 library")
        return 77
    tare = command.Command(options.tare)
    print(f"TARE_TEST_SEED={options.seed}")
    failed = 0
    numbers = [options.only] if options.only is not None else range(options.count)
    for number in numbers:
        rng = np.random.default_rng([options.seed, number])
        tower = Tower(rng, int(rng.integers(1, options.layers + 1)))
        with tempfile.TemporaryDirectory() as folder:
            wrong = try_tower(tare, pathlib.Path(options.keep) / f"t{number:04d}" if options.keep else folder, tower)
        failed += bool(wrong)
        if wrong or options.verbose:
            print(f"{'FAIL' if wrong else 'good'} {number:4d} {tower.samples} -> {tower.lengths}: "
                  f"{', '.join(tower.words)}: {wrong}", flush=True)
    print(f"{len(numbers) - failed} of {len(numbers)} towers are right")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
