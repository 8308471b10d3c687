"""Heads of all kinds: logits, embeddings, what is passed through, integers, outputs of different sizes."""
import numpy as np

from models import BATCH, LENGTH, Part, Value
from onnx_file import FLOAT, INT64
from registry import classes, scene


@scene
def logits(m):
    n = classes(m)
    h = m.branch(m.start())
    if m.chance():
        m.output(m.logits(h, n))
    else:
        m.say("pooled")
        m.output(Value(m.linear(m.pooled(h), m.d, n, 4.0), [BATCH, n]))


@scene
def ctc(m):
    n = classes(m)
    v = m.logits(m.branch(m.start()), n)
    m.output(Value(m.graph("LogSoftmax", v.name, axis=-1), v.dims))


@scene
def probabilities(m):
    n = classes(m)
    v = m.logits(m.branch(m.start()), n)
    kind = m.pick("Softmax", "Sigmoid")
    m.say(kind)
    m.output(Value(m.graph(kind, v.name, **({"axis": -1} if kind == "Softmax" else {})), v.dims))


@scene
def embedding(m):
    h = m.branch(m.start())
    e = m.linear(m.pooled(h), m.d, m.d, 3.0)
    m.output(Value(m.graph("Div", e, m.graph("ReduceL2", e, axes=[-1], keepdims=1)), [BATCH, m.d]))


@scene
def wave(m):
    h = m.branch(m.trunk(m.features()))
    m.output(Value(m.graph("Tanh", m.linear(h, m.d, 1, 1.0)), [BATCH, LENGTH, 1]))


@scene
def span(m):
    v = m.logits(m.branch(m.start()), 2)
    for i in range(2):
        m.output(Value(m.graph("Gather", v.name, np.int64(i), axis=2), [BATCH, LENGTH]))


def passed_through(m):
    """Something of the input, which int8 leaves as it is"""
    how = m.pick("Identity", "Mul", "Transpose", "positions", "normal")
    m.say(how)
    x = "x"
    if how == "positions":
        return Value(m.graph("Cast", m.positions(), to=FLOAT), [LENGTH])
    if how == "normal":
        return Value(m.norm(x, m.d), [BATCH, LENGTH, m.d])
    if how == "Mul":
        x = m.graph("Mul", x, np.float32(m.pick(0.1, 10, 100)))
    elif how == "Transpose":
        return Value(m.graph("Transpose", x, perm=[0, 2, 1]), [BATCH, m.d, LENGTH])
    return Value(m.graph("Identity", x) if how == "Identity" else x, [BATCH, LENGTH, m.d])


@scene
def passes_input(m):
    h = m.branch(m.trunk(m.features()))
    first = m.chance()
    if first:
        m.output(passed_through(m), "copy", [])
    m.output(m.logits(h, classes(m)))
    if not first:
        m.output(passed_through(m), "copy", [])


@scene
def cache(m):
    """Concat of what came in and what is new, as caches of decoders are"""
    h = m.branch(m.trunk(m.features()))
    size = float(m.pick(1, 10, 100))
    m.say(f"input times {size:g}")
    new = m.linear(h, m.d, m.d)
    axis = m.pick(1, 2)
    old = m.graph("Mul", "x", np.float32(size)) if size != 1 else "x"

    def real(env):
        shape = env["x"].shape
        return np.concatenate([np.zeros(shape, bool), np.ones(shape, bool)], axis)
    v = Value(m.graph("Concat", old, new, axis=axis),
              [BATCH, "n2" if axis == 1 else LENGTH, 2 * m.d if axis == 2 else m.d], real)
    m.output(v)


@scene
def residual(m):
    """y = x + f(x)"""
    h = m.branch(m.trunk(m.features()))
    size = float(m.pick(0.01, 0.1, 3, 10))
    m.say(f"f times {size:g}")
    f = m.graph("Mul", m.linear(h, m.d, m.d), np.float32(size))
    m.output(Value(m.graph("Add", "x", f), [BATCH, LENGTH, m.d]), None,
             [Part(), Part(minus=lambda env: env["x"], soft=True)])


@scene
def integers(m):
    """ArgMax, alone or beside its scores"""
    v = m.logits(m.branch(m.start()), classes(m))
    alone = m.chance()
    m.say("alone" if alone else "with scores")
    a = Value(m.graph("ArgMax", v.name, axis=-1, keepdims=0), v.dims[:2])
    if m.chance(0.4):
        mask = m.masked_rows()
        a = Value(m.graph("Where", mask, a.name, np.int64(m.pick(0, -100))), a.dims, lambda env: env[mask])
    if not alone:
        m.output(v)
    m.output(a, "tags", None, INT64)


@scene
def scales(m):
    """Two or three outputs of sizes that differ; the fault is in one of them"""
    h = m.trunk(m.source(), broken=False)
    n = int(m.pick(2, 3))
    broken = int(m.rng.integers(n))
    for i in range(n):
        size = float(10 ** m.rng.uniform(-3, 5))
        b = m.branch(h, i == broken)
        m.say(f"times {size:.2g}{'!' if i == broken and m.faulty else ''}")
        v = m.logits(b, classes(m))
        m.output(Value(m.graph("Mul", v.name, np.float32(size)), v.dims))


@scene
def units(m):
    """One output whose columns have different units; the small ones are broken"""
    h = m.trunk(m.source(), broken=False)
    size = float(m.pick(30, 300, 3000))
    m.say(f"columns times {size:g}")
    big, small = m.logits(h, 8), m.logits(m.branch(h), 16)
    y = m.graph("Concat", m.graph("Mul", big.name, np.float32(size)), small.name, axis=-1)
    dims, shape = [BATCH, LENGTH, 24], (24,)
    if m.chance():  # as detectors have boxes and scores
        y, dims, shape = m.graph("Transpose", y, perm=[0, 2, 1]), [BATCH, 24, LENGTH], (24, 1)

    def columns(low, high):
        return lambda env: ((np.arange(24) >= low) & (np.arange(24) < high)).reshape(shape)
    m.output(Value(y, dims), None, [Part(columns(0, 8)), Part(columns(8, 24), soft=True)])


@scene
def sink(m):
    """The first row is far above the others, which are broken"""
    h = m.trunk(m.source(), broken=False)
    size = float(m.pick(30, 300, 1000))
    m.say(f"first row times {size:g}")
    g = m.graph
    first = g("Unsqueeze", g("Equal", m.positions(), np.int64(0)), np.array([1]))
    y = m.linear(g("Where", first, h, m.branch(h)), m.d, m.d)
    y = g("Mul", y, g("Where", first, np.float32(size), np.float32(1)))

    def rows(is_first):
        return lambda env: (np.arange(env[m.x].shape[1]) == 0)[None, :, None] == is_first
    m.output(Value(y, [BATCH, LENGTH, m.d]), None, [Part(rows(True)), Part(rows(False), soft=True)])


@scene
def offset(m):
    """A constant in all classes, in each class or growing with the distance, far above what is computed"""
    g = m.graph
    v = m.logits(m.branch(m.start()), classes(m))
    size = float(m.pick(-300, -50, 50, 300))
    how = m.pick("all", "each", "position")
    m.say(f"{size:+g} in {how}")
    if how == "position":
        added = g("Mul", g("Unsqueeze", g("Cast", m.positions(), to=FLOAT), np.array([1])), np.float32(size / 10))
    else:
        added = g.constant(np.full(v.dims[2], size, np.float32) if how == "all" else m.bias(v.dims[2], size))
    m.output(Value(g("Add", v.name, added), v.dims), None,
             [Part(), Part(minus=lambda env: env[added], soft=True)])
    m.open = ["destroyed"]
