"""What models end in: heads of all kinds, masks on outputs, values that are not finite, samples of all levels."""
import numpy as np

from models import BATCH, CONSTANTS, LENGTH, N_SAMPLES, Part, Value, everywhere
from onnx_file import FLOAT, INT64

SCENES = []  # name, function


def scene(function):
    SCENES.append((function.__name__, function))
    return function


def classes(m):
    return int(m.pick(8, 16, 24, 40))


# --- heads --------------------------------------------------------------------------------------

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
    m.output(Value(y, dims), None, [Part(columns(0, 8)), Part(columns(8, 24))])


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
    m.output(Value(y, [BATCH, LENGTH, m.d]), None, [Part(rows(True)), Part(rows(False))])


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


@scene
def large(m):
    """What is computed is as large as constants of masks, in some classes or in all"""
    v = m.logits(m.branch(m.start()), classes(m))
    size = np.float32(10 ** m.rng.uniform(3.5, 9))
    m.say(f"times {size:.2g}")
    y = m.graph("Mul", v.name, size)
    if m.chance():
        m.say("negative")
        y = m.graph("Sub", y, m.graph("ReduceMax", y, axes=[-1], keepdims=1))
    m.output(Value(y, v.dims))


@scene
def clipped(m):
    """Values that are the same in float and int8 since they are at the end of a range, and are read all the same"""
    g = m.graph
    v = m.logits(m.branch(m.start()), classes(m), 1.0)
    how = m.pick("both ends", "Relu", "few above 0")
    m.say(how)
    y = v.name
    if how == "both ends":
        y = g("Min", g("Max", g("Mul", y, np.float32(m.pick(1, 3))), np.float32(-1)), np.float32(1))
    elif how == "Relu":
        y = g("Relu", y)
    else:
        y = g("Relu", g("Sub", y, np.float32(1.2)))
    m.output(Value(y, v.dims))


@scene
def roots(m):
    """Finite in float; of int8 that has lost everything, NaN or inf"""
    g = m.graph
    v = m.logits(m.branch(m.start()), classes(m), 1.0)
    how = m.pick("Sqrt", "Log", "Exp")
    m.say(how)
    y = g("Mul", v.name, np.float32(0.15))
    if how == "Exp":
        y = g("Exp", g("Mul", y, np.float32(5)))
    else:
        y = g(how, g("Add", y, np.float32(1)))
    m.output(Value(y, v.dims))


@scene
def nothing(m):
    """Beside what is computed, an output that is 0 but for the rounding of floats"""
    g = m.graph
    h = m.branch(m.start())
    v = m.logits(h, classes(m))
    p = g("Softmax", v.name, axis=-1)
    zero = g("Sub", g("ReduceSum", p, np.array([-1]), keepdims=1), np.float32(1))
    m.output(v)
    m.output(Value(zero, [BATCH, LENGTH, 1]), "zero", [])
    m.rounded, m.open = ["zero"], ["healthy"]


@scene
def late(m):
    """Many samples by length, of which the last ones are broken"""
    n = 3 * N_SAMPLES
    m.lengths = sorted(int(k) for k in m.rng.integers(5, 60, n))
    h = m.trunk(m.source(), broken=False)
    m.say("[rows from 48 on]" if m.faulty else "")
    if m.faulty:
        m.lengths[-8:] = range(100, 108)
        far = m.graph("Unsqueeze", m.graph("Less", m.positions(), np.int64(60)), np.array([1]))
        h = m.graph("Where", far, h, m.branch(h))
        m.open = ["destroyed"]
    m.output(m.logits(h, classes(m)))


# --- masks --------------------------------------------------------------------------------------

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
    g, end, real, rank = m.graph, m.pick("none", "none", "LogSoftmax", "Transpose", "Slice", "Concat", "Squeeze"), v.real, len(v.dims)
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


# --- not finite ---------------------------------------------------------------------------------

def with_zeros(m):
    """Some samples are zeros. These are first, last, and between."""
    zeros = set(int(i) for i in m.rng.choice(N_SAMPLES, int(m.pick(1, 2, 3)), replace=False))
    m.say(f"zeros in {sorted(zeros)}")

    def sample(i, n):
        return m.rng.standard_normal((1, n, m.d)).astype(np.float32) * np.float32(i not in zeros)
    return m.features(sample)


def loudness(m):
    return m.graph("ReduceMean", m.graph("Abs", "x"), axes=[1, 2], keepdims=0)  # [batch]


@scene
def norm_of_zeros(m):
    """x / |x| of samples of zeros"""
    g = m.graph
    h = m.branch(m.trunk(with_zeros(m)))
    e = m.linear(m.pooled(h), m.d, m.d, 3.0)
    e = g("Mul", e, g("Unsqueeze", loudness(m), np.array([1])))
    m.output(Value(g("Div", e, g("ReduceL2", e, axes=[-1], keepdims=1)), [BATCH, m.d]))
    m.nan = "some"


@scene
def log_of_zeros(m):
    """The logarithm of what is 0 in some samples, beside logits or added to them"""
    g = m.graph
    v = m.logits(m.branch(m.trunk(with_zeros(m))), classes(m))
    level = g("Unsqueeze", g("Log", loudness(m)), np.array([1, 2]))
    if m.chance():
        m.output(Value(g("Add", v.name, level), v.dims))
    else:
        m.output(Value(level, [BATCH, 1, 1]), "level", [])
        m.output(v)
    m.nan = "inf"


@scene
def masked_attention(m):
    """Attention whose masked rows have no keys: NaN there in float"""
    g = m.graph
    x = m.source()
    h = m.trunk(x)
    mask = m.masked_rows()
    q, k, w = m.linear(h, m.d, m.d), m.linear(h, m.d, m.d), m.linear(h, m.d, m.d)
    scores = g("Mul", g("MatMul", q, g("Transpose", k, perm=[0, 2, 1])), np.float32(m.d ** -0.5))
    ones = g("Cast", mask, to=FLOAT)
    pairs = g("Mul", g("Unsqueeze", ones, np.array([1])), g("Unsqueeze", ones, np.array([2])))
    scores = g("Where", g("Greater", pairs, np.float32(0.5)), scores, np.float32(-np.inf))
    a = g("MatMul", g("Softmax", scores, axis=-1), w)
    v = m.logits(m.branch(g("Add", h, a)), classes(m))
    m.output(Value(v.name, v.dims, lambda env: env[mask][:, :, None]))
    m.nan = "rows"


@scene
def nan_everywhere(m):
    """One output has nothing but NaN, alone or beside another"""
    h = m.branch(m.start())
    g = m.graph
    bad = g("Sqrt", g("Sub", np.float32(-1), g("Abs", m.linear(h, m.d, 8))))
    if m.chance():
        m.output(m.logits(h, classes(m)))
    else:
        m.say("alone")
    m.output(Value(bad, [BATCH, LENGTH, 8]), "bad", [])
    m.nan = "all"


# --- levels and lengths -------------------------------------------------------------------------

@scene
def levels(m):
    """Samples from -40 to 0 dB; a fault is one for the quiet ones alone"""
    order = m.rng.permutation(N_SAMPLES)
    db = np.linspace(-float(m.pick(30, 40, 50)), 0, N_SAMPLES)[order]
    m.say(f"{db.min():.0f}..0 dB")

    def sample(i, n):
        return (m.rng.standard_normal((1, n, m.d)) * 10 ** (db[i] / 20)).astype(np.float32)
    g, h = m.graph, m.features(sample)
    h = g("Relu", g("MatMul", h, m.weights(m.d, m.d, 1.4)))
    if m.faulty:
        size = float(m.rng.uniform(0.5, 1.5))
        m.say(f"[shift {size:.1f}]")
        h = m.fault_shift(h, np.full(m.d, size, np.float32))
        m.placed = True
    if m.chance():
        h = g("Relu", h)
    n = int(m.pick(1, 16, m.d))
    m.output(Value(g("MatMul", h, m.weights(m.d, n)), [BATCH, LENGTH, n]))


@scene
def one_long(m):
    """A long sample beside short ones; a fault is one for the first rows alone"""
    m.lengths = [int(n) for n in m.rng.integers(3, 8, N_SAMPLES)]
    m.lengths[int(m.rng.integers(N_SAMPLES))] = int(m.pick(400, 1500, 4000))
    h = m.trunk(m.source(), broken=False)
    g, d = m.graph, m.d
    if m.faulty:
        size = float(10 ** m.rng.uniform(1.6, 2.6))
        m.say(f"[first rows {size:.0f}]")
        first = g("Unsqueeze", g("Cast", g("Less", m.positions(), np.int64(8)), to=FLOAT), np.array([1]))
        k = (size * m.rng.choice([-1, 1], d)).astype(np.float32)
        w = m.weights(d, d)
        y = g("MatMul", g("Add", h, g("Mul", first, k)), w)
        h = g("Sub", y, g("Mul", first, (k.astype(np.float64) @ w).astype(np.float32)))
        m.placed = True
    m.output(m.logits(h, classes(m)))
