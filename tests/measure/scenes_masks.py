"""Masks on outputs: constants in padding, in classes that never occur, in rows and columns of their own."""
import numpy as np

from models import BATCH, CONSTANTS, LENGTH, Value, everywhere
from onnx_file import FLOAT
from registry import classes, scene


def constant(m, finite=False):
    c = m.pick(*[c for c in CONSTANTS if np.isfinite(c) or not finite])
    m.say(f"{c:g}")
    return np.float32(c)


FORMS = ["where", "swapped", "added", "subtracted", "penalty", "multiplied", "sloped", "input"]


def penalty(m, mask, form):
    """What is added to values: 0, and a constant where the mask is false"""
    g = m.graph
    if form == "penalty":
        return g("Where", mask, np.float32(0), constant(m))
    c = constant(m, True)
    hidden = g("Sub", np.float32(1), g("Cast", mask, to=FLOAT))
    return g("Mul", hidden, c * np.float32(0.1 if form == "sloped" else -1 if form == "subtracted" else 1))


def slope(m, v):
    """1 and more with the position, so that what is masked is not all the same"""
    g = m.graph
    at = g("Cast", m.positions(), to=FLOAT)
    if len(v.dims) == 3 and v.dims[2] != LENGTH:
        at = g("Unsqueeze", at, np.array([1]))
    return g("Add", g("Mul", at, np.float32(0.01)), np.float32(1))


def given_penalty(m, v):
    """The same from an input [batch, n] of floats, which data must have finite"""
    c = constant(m, True)

    def sample(i, n):
        out = np.zeros((1, n), np.float32)
        out[0, n - int(m.rng.integers(0, n - 2)):] = c
        return out
    if "bias" not in m.inputs:
        m.graph.input("bias", FLOAT, [BATCH, LENGTH])
        m.inputs["bias"] = sample
    added = "bias"
    if len(v.dims) == 3:
        added = m.graph("Unsqueeze", "bias", np.array([1 if v.dims[2] == LENGTH else 2]))
    return Value(m.graph("Add", v.name, added), v.dims, lambda env: env[added] == 0)


def mask_values(m, v, mask, form):
    """A value with a mask of booleans that is broadcast to it"""
    g = m.graph
    if form == "input":
        return given_penalty(m, v)
    if form == "where":
        y = g("Where", mask, v.name, constant(m))
    elif form == "swapped":
        y = g("Where", g("Not", mask), constant(m), v.name)
    elif form == "multiplied":
        ones = g("Cast", mask, to=FLOAT)
        hidden = g("Mul", g("Sub", np.float32(1), ones), constant(m, True))
        y = g("Add", g("Mul", v.name, ones), hidden)
    else:
        added = penalty(m, mask, form)
        if form == "sloped":
            added = g("Mul", added, slope(m, v))
        y = g("Sub" if form == "subtracted" else "Add", v.name, added)
    return Value(y, v.dims, lambda env: env[mask])


def ended(m, v):
    """Operators behind the mask"""
    g, real, rank = m.graph, v.real, len(v.dims)
    end = m.pick("none", "none", "LogSoftmax", "Transpose", "Slice", "Concat", "Squeeze")
    if end == "none":
        return v
    m.say(f"then {end}")
    shape = lambda env: everywhere(real(env), env[v.name].shape)
    if end == "LogSoftmax":
        return Value(g("LogSoftmax", v.name, axis=-1), v.dims, real)
    if end == "Transpose":
        perm = [0, *range(rank - 1, 0, -1)]
        return Value(g("Transpose", v.name, perm=perm), [v.dims[p] for p in perm],
                     lambda env: np.transpose(shape(env), perm))
    if end == "Slice":
        dims = v.dims[:1] + ["n1"] + v.dims[2:] if v.dims[1] == LENGTH else [v.dims[0], v.dims[1] - 1]
        return Value(g("Slice", v.name, np.array([1]), np.array([100000]), np.array([1])), dims,
                     lambda env: shape(env)[:, 1:])
    if end == "Squeeze":
        y = g("Squeeze", g("Unsqueeze", v.name, np.array([1])), np.array([1]))
        return Value(y, v.dims, real)
    last = v.dims[-1]
    return Value(g("Concat", v.name, g("Mul", v.name, np.float32(0.5)), axis=-1),
                 v.dims[:-1] + [2 * last if isinstance(last, int) else "n2"],
                 lambda env: np.concatenate([shape(env)] * 2, -1))


@scene
def masked_rows(m):
    """Rows of padding are masked"""
    g = m.graph
    h = m.branch(m.start())
    form = m.pick(*FORMS)
    m.say(form)
    mask = m.masked_rows()
    if m.chance():
        v = m.logits(h, classes(m))
        v = mask_values(m, v, g("Unsqueeze", mask, np.array([2])), form)
        m.output(ended(m, v) if m.chance() else v)
    else:
        m.say("span")
        both = m.logits(h, 2)
        for i in range(int(m.pick(1, 2))):
            one = Value(g("Gather", both.name, np.int64(i), axis=2), [BATCH, LENGTH])
            m.output(ended(m, mask_values(m, one, mask, form)))


@scene
def causal(m):
    """Scores of pairs of rows, those of the future masked"""
    g = m.graph
    h = m.branch(m.start())
    q, k = m.linear(h, m.d, m.d), m.linear(h, m.d, m.d)
    scores = g("Mul", g("MatMul", q, g("Transpose", k, perm=[0, 2, 1])), np.float32(m.d ** -0.5))
    at = m.positions()
    mask = g("Not", g("Less", g("Unsqueeze", at, np.array([1])), g("Unsqueeze", at, np.array([0]))))
    form = m.pick(*FORMS)
    m.say(form)
    v = mask_values(m, Value(scores, [BATCH, LENGTH, LENGTH]), mask, form)
    if m.chance(0.3):
        m.say("then LogSoftmax")
        v = Value(g("LogSoftmax", v.name, axis=-1), v.dims, v.real)
    m.output(v)


@scene
def forbidden(m):
    """Classes that never occur have a constant"""
    g, n = m.graph, int(m.pick(16, 24, 40))
    h = m.branch(m.start())
    count = int(m.rng.integers(1, n // 2))
    allowed = np.ones(n, bool)
    allowed[m.rng.choice(n, count, replace=False)] = False
    form = m.pick("added", "bias", "where", "scattered")
    m.say(form, f"{count} of {n}")
    c = constant(m)
    penalty = np.where(allowed, np.float32(0), c).astype(np.float32)
    if form == "bias":
        y = g("Add", g("MatMul", h, m.weights(m.d, n, 2.0)), m.bias(n) + penalty)
    else:
        y = m.logits(h, n).name
        if form == "added":
            y = g("Add", y, penalty)
        elif form == "where":
            y = g("Where", allowed, y, c)
        else:
            t = g("Transpose", y, perm=[2, 0, 1])
            some = g("Slice", t, np.array([0]), np.array([count]), np.array([0]))
            updates = g("Add", g("Mul", some, np.float32(0)), c)
            t = g("ScatterND", t, np.flatnonzero(~allowed)[:, None].astype(np.int64), updates)
            y = g("Transpose", t, perm=[1, 2, 0])
    v = Value(y, [BATCH, LENGTH, n], lambda env: allowed)
    m.output(ended(m, v))


@scene
def constants(m):
    """An output of which a part is constant, beside what is computed"""
    v = m.logits(m.branch(m.start()), classes(m))
    n = v.dims[2]
    c = constant(m)
    k = int(m.pick(1, 4, 16))
    if m.chance():
        zeros = m.graph("Mul", m.graph("Slice", v.name, np.array([0]), np.array([1]), np.array([2])), np.float32(0))
        part = m.graph("Add", zeros, np.full(k, c, np.float32))
        m.output(Value(m.graph("Concat", part, v.name, axis=2), [BATCH, LENGTH, n + k],
                       lambda env: np.arange(n + k) >= k))
    else:
        m.say("row")
        zeros = m.graph("Mul", m.graph("Slice", v.name, np.array([0]), np.array([1]), np.array([1])), np.float32(0))
        part = m.graph("Add", zeros, c)
        m.output(Value(m.graph("Concat", part, v.name, axis=1), [BATCH, "n1", n],
                       lambda env: (np.arange(env[v.name].shape[1] + 1) >= 1)[:, None]))
