"""Small models by chance: a trunk, perhaps with one layer that 8 bits destroy, and the heads of a scene behind it.

A scene is a function of a Maker that adds outputs; each says which of its elements somebody reads.
"""
import numpy as np

from graph import Graph
from onnx_file import BOOL, FLOAT, INT64

N_SAMPLES = 8  # the command judges by the first eight
VOCABULARY = 50
CONSTANTS = [-1e1, -1e2, -1e3, -1e4, -1e5, -1e9, -65504.0, -3.4028234663852886e38, -np.inf, 1e2, 1e4, 1e9]

BATCH, LENGTH = "batch", "n"


class Part:
    """Elements of an output that are judged together."""

    def __init__(self, real=None, minus=None, soft=False):
        self.real = real    # of an environment: where there is something to read; None: everywhere
        self.minus = minus  # of an environment: what is no merit of the model
        self.soft = soft    # whether it has to be as good as the rest is a matter of opinion


class Output:
    def __init__(self, name, parts, integers=False):
        self.name, self.parts, self.integers = name, parts, integers


class Value:
    """A tensor of the graph, its dims, and where it is real."""

    def __init__(self, name, dims, real=None):
        self.name, self.dims, self.real = name, dims, real


def everywhere(real, shape):
    return np.broadcast_to(np.ones((1,), bool) if real is None else real, shape)


class Maker:
    def __init__(self, rng, faulty):
        self.rng, self.faulty = rng, faulty
        self.graph = Graph()
        self.outputs, self.words = [], []
        self.nan = "no"     # NaN in float: no, some or all samples, rows that nobody reads; inf: those alone
        self.rounded = []   # outputs that are nothing but the rounding of floats
        self.open = []      # kinds of truths (oracle.py) that are a matter of opinion
        self.d = int(rng.choice([32, 48, 64]))
        self.lengths = [int(n) for n in rng.integers(5, 40, N_SAMPLES)]
        self.inputs = {}  # makers of samples: name -> function of the number of a sample and its length
        self.placed = not faulty
        self.x = None

    # --- what models are made of ----------------------------------------------------------------

    def say(self, *words):
        self.words += [str(w) for w in words]

    def pick(self, *choices):
        choice = choices[int(self.rng.integers(len(choices)))]
        return choice

    def chance(self, p=0.5):
        return bool(self.rng.random() < p)

    def weights(self, n_in, n_out, gain=1.0):
        return (self.rng.standard_normal((n_in, n_out)) * gain / np.sqrt(n_in)).astype(np.float32)

    def bias(self, n, size=0.1):
        return (self.rng.standard_normal(n) * size).astype(np.float32)

    def linear(self, x, n_in, n_out, gain=1.0, bias=None):
        product = self.graph("MatMul", x, self.weights(n_in, n_out, gain))
        return self.graph("Add", product, self.bias(n_out) if bias is None else bias)

    def conv(self, x, n_in, n_out, taps=3):
        g = self.graph
        w = self.weights(n_in * taps, n_out).T.reshape(n_out, n_in, taps)
        y = g("Conv", g("Transpose", x, perm=[0, 2, 1]), np.ascontiguousarray(w), self.bias(n_out),
              pads=[taps // 2, taps // 2], kernel_shape=[taps])
        return g("Transpose", y, perm=[0, 2, 1])

    def norm(self, x, d):
        g = self.graph
        scale, bias = self.rng.uniform(0.7, 1.3, d).astype(np.float32), self.bias(d)
        if self.chance():
            return g("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)
        c = g("Sub", x, g("ReduceMean", x, axes=[-1], keepdims=1))
        variance = g("ReduceMean", g("Mul", c, c), axes=[-1], keepdims=1)
        y = g("Div", c, g("Sqrt", g("Add", variance, np.float32(1e-5))))
        return g("Add", g("Mul", y, scale), bias)

    def gelu(self, x):
        g = self.graph
        erf = g("Erf", g("Div", x, np.float32(np.sqrt(2))))
        return g("Mul", g("Mul", x, g("Add", erf, np.float32(1))), np.float32(0.5))

    def activation(self, x):
        kind = self.pick("Relu", "Tanh", "Gelu")
        return self.gelu(x) if kind == "Gelu" else self.graph(kind, x)

    # --- inputs ---------------------------------------------------------------------------------

    def features(self, sample=None):
        """x [batch, n, d]"""
        self.graph.input("x", FLOAT, [BATCH, LENGTH, self.d])
        self.inputs["x"] = sample or (lambda i, n: self.rng.standard_normal((1, n, self.d)).astype(np.float32))
        self.x = "x"
        return "x"

    def ids(self):
        """ids [batch, n], the last of which are 0 in some samples, and their embeddings"""
        def sample(i, n):
            ids = self.rng.integers(1, VOCABULARY, (1, n))
            ids[0, n - int(self.rng.integers(0, n - 2)):] = 0
            return ids.astype(np.int64)
        self.graph.input("ids", INT64, [BATCH, LENGTH])
        self.inputs["ids"] = sample
        table = self.rng.standard_normal((VOCABULARY, self.d)).astype(np.float32)
        self.x = self.graph("Gather", table, "ids", axis=0)
        return self.x

    def attention_mask(self):
        def sample(i, n):
            mask = np.ones((1, n), np.int64)
            mask[0, n - int(self.rng.integers(0, n - 2)):] = 0
            return mask * (i != nothing)
        nothing = int(self.pick(-1, -1, 1, 5))  # a sample of which nothing is read
        if "attention_mask" not in self.inputs:
            self.graph.input("attention_mask", INT64, [BATCH, LENGTH])
            self.inputs["attention_mask"] = sample
        return "attention_mask"

    def positions(self):
        """[n]"""
        g = self.graph
        n = g("Gather", g("Shape", self.x), np.int64(1), axis=0)
        return g("Range", np.int64(0), n, np.int64(1))

    def source(self):
        """The input of the trunk: features or ids, and what masks can follow from"""
        return self.features() if self.chance(0.6) else self.ids()

    def masked_rows(self):
        """A mask [batch, n] of booleans: false where nothing is read."""
        g = self.graph
        kinds = ["attention_mask", "position"] + (["ids"] * 2 if "ids" in self.inputs else [])
        kind = self.pick(*kinds)
        self.say(f"mask by {kind}")
        if kind == "ids":
            return g("Not", g("Equal", "ids", np.int64(0)))
        if kind == "attention_mask":
            mask = self.attention_mask()
            return g("Cast", mask, to=BOOL) if self.chance() else g("Greater", mask, np.int64(0))
        first = g("Less", self.positions(), np.int64(self.pick(1, 3)))
        some = g("Cast", g("ReduceMean", self.x, axes=[-1], keepdims=0), to=BOOL)  # [batch, n]
        return g("Not", g("Where", some, first, first))

    # --- the trunk, and what breaks it ----------------------------------------------------------

    def fault(self, h):
        """Behind it 8 bits leave nothing of h, though each layer keeps what comes out of it"""
        kind = self.pick("common", "common", "twins", "offset", "loud")
        self.placed = True
        size = float(10 ** self.rng.uniform(2.6, 3.4))
        self.say(f"[{kind} {size:.0f}]")
        return getattr(self, f"fault_{kind}")(h, size)

    def fault_common(self, h, size):
        """Weights that give all channels the same large value, which a normalization takes away"""
        d, g = self.d, self.graph
        w = self.weights(d, d) / np.float32(size) + self.weights(d, 1)
        y = g("MatMul", h, w.astype(np.float32))
        y = g("Sub", y, g("ReduceMean", y, axes=[-1], keepdims=1))
        return self.norm(g("Mul", y, np.float32(size)), d)

    def fault_twins(self, h, size):
        """Two layers with nearly the same weights, whose difference counts"""
        d, g = self.d, self.graph
        w, v = self.weights(d, d), self.weights(d, d) / np.float32(size)
        y = g("Sub", g("MatMul", h, w + v), g("MatMul", h, w))
        return g("Mul", y, np.float32(size))

    def fault_offset(self, h, size):
        """A large constant in front of a layer, whose product is taken away behind it"""
        return self.fault_shift(h, np.full(self.d, size, np.float32))

    def fault_shift(self, h, size):
        d, g = self.d, self.graph
        k = (size * self.rng.choice([-1, 1], d)).astype(np.float32)
        w = self.weights(d, d)
        y = g("MatMul", g("Add", h, k), w)
        return g("Sub", y, (k.astype(np.float64) @ w).astype(np.float32))

    def fault_loud(self, h, size):
        """A channel far above the others, whose part of the sums is taken away behind the layer"""
        d, g = self.d, self.graph
        at = int(self.rng.integers(d))
        scale = np.ones(d, np.float32)
        scale[at] = size
        w = self.weights(d, d)
        loud = g("Mul", h, scale)
        y = g("MatMul", loud, w)
        channel = g("Slice", loud, np.array([at]), np.array([at + 1]), np.array([2]))
        return g("Sub", y, g("Mul", channel, w[at]))

    def block(self, h):
        kind = self.pick("linear", "linear", "conv", "residual")
        d = self.d
        if kind == "linear":
            return self.activation(self.linear(h, d, d))
        if kind == "conv":
            return self.activation(self.conv(h, d, d))
        return self.graph("Add", h, self.linear(self.activation(self.linear(h, d, d)), d, d, gain=0.7))

    def trunk(self, h, broken=None):
        """broken: whether the fault, if there is one, is here (None: in two of three models)"""
        here = self.faulty and not self.placed and (self.chance(0.67) if broken is None else broken)
        n = int(self.rng.integers(1, 4))
        at = int(self.rng.integers(n + 1))
        for i in range(n + 1):
            if here and i == at:
                h = self.fault(h)
            if i < n:
                h = self.block(h)
        return self.norm(h, self.d)

    def branch(self, h, broken=True):
        """What a head reads: the fault is here if it is nowhere else."""
        if broken and not self.placed:
            h = self.fault(h)
        return h

    def start(self):
        """The end of a usual trunk, [batch, n, d]"""
        return self.trunk(self.source())

    def pooled(self, h):
        return self.graph("ReduceMean", h, axes=[1], keepdims=0)

    # --- outputs --------------------------------------------------------------------------------

    def output(self, value, name=None, parts=None, dtype=FLOAT):
        name = name or f"y{len(self.outputs)}"
        self.graph.output(value.name, name, dtype, value.dims)
        self.outputs.append(Output(name, [Part(value.real)] if parts is None else parts, dtype != FLOAT))

    def logits(self, h, n, gain=2.0):
        """[batch, n, classes]"""
        return Value(self.linear(h, self.d, n, gain), [BATCH, LENGTH, n])

    def samples(self):
        """Their inputs, by name"""
        return [{name: make(i, n) for name, make in self.inputs.items()} for i, n in enumerate(self.lengths)]

    def about(self):
        return ", ".join(self.words)
