"""Values that are large, clipped or not finite, and samples of different levels and lengths."""
import numpy as np

from models import BATCH, LENGTH, N_SAMPLES, Value
from onnx_file import FLOAT
from registry import classes, scene


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
