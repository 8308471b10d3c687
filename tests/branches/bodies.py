"""Bodies by chance: each is nodes of a file, and a function of numpy that raises Refused where they cannot run.

All make y [1, 4] of x [1, N]. Their names begin with what is given.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures"))
from onnx_wire import FLOAT, INT64, graph, node, port, raw_tensor, text  # noqa: E402

FOREIGN = "org.nowhere"  # a domain that nobody has


class Refused(Exception):
    """No such run."""


class Body:
    def __init__(self, name):
        self.name, self.nodes, self.constants = name, [], []

    def constant(self, name, array):
        array = np.ascontiguousarray(array)
        dtype = INT64 if array.dtype == np.int64 else FLOAT
        self.constants.append(raw_tensor(f"{self.name}_{name}", array.shape, dtype, array.tobytes()))
        return f"{self.name}_{name}"

    def add(self, op, inputs, name, **attributes):
        self.nodes.append(node(op, inputs, f"{self.name}_{name}", **attributes))
        return f"{self.name}_{name}"

    def graph(self, output):
        return graph(self.name, self.nodes, self.constants, [], [text(1, output)]  # no more than its name
                     )


def ints(*values):
    return np.array(values, np.int64)


def head(body, value, width, random):
    """[1, width] to [1, 4]"""
    weights = random.standard_normal((width, 4)).astype(np.float32)
    return body.add("MatMul", [value, body.constant("w", weights)], "y"), weights


def window(name, n, random):
    """A convolution with windows that may be too long, and the mean over them."""
    taps, stride = int(random.integers(1, 2 * n)), int(random.integers(1, n))
    weights = (random.standard_normal((6, 1, taps)) / taps**0.5).astype(np.float32)
    b = Body(name)
    wide = b.add("Unsqueeze", ["x", b.constant("axis", ints(1))], "wide")
    conv = b.add("Conv", [wide, b.constant("taps", weights)], "conv", strides=[stride])
    y, w = head(b, b.add("ReduceMean", [conv], "mean", axes=[2], keepdims=0), 6, random)

    def compute(x, _):
        count = (x.shape[1] - taps) // stride + 1
        if x.shape[1] < taps:
            raise Refused(name)
        windows = np.stack([x[0, i * stride:i * stride + taps] for i in range(count)])
        return (windows @ weights[:, 0].T.astype(np.float64)).mean(0, keepdims=True) @ w
    return b.graph(y), compute


def squeezed(name, n, random):
    """A single window, or none that can be squeezed."""
    taps = int(random.choice([n, n // 2, 2 * n, max(1, n // 3)]))
    weights = (random.standard_normal((4, 1, taps)) / taps**0.5).astype(np.float32)
    b = Body(name)
    wide = b.add("Unsqueeze", ["x", b.constant("axis", ints(1))], "wide")
    conv = b.add("Conv", [wide, b.constant("taps", weights)], "conv", strides=[taps])
    y = b.add("Squeeze", [conv, b.constant("last", ints(2))], "y")

    def compute(x, _):
        if x.shape[1] // taps != 1:
            raise Refused(name)
        return x[:, :taps].astype(np.float64) @ weights[:, 0].T
    return b.graph(y), compute


def reshaped(name, n, random):
    rows = int(random.choice([1, 2, 4]))
    columns = int(random.choice([n, n + rows, 2 * n])) // rows
    b = Body(name)
    table = b.add("Reshape", ["x", b.constant("shape", ints(rows, columns))], "table")
    y, w = head(b, b.add("ReduceMean", [table], "mean", axes=[0], keepdims=1), columns, random)

    def compute(x, _):
        if x.shape[1] != rows * columns:
            raise Refused(name)
        return x.reshape(rows, columns).astype(np.float64).mean(0, keepdims=True) @ w
    return b.graph(y), compute


def multiplied(name, n, random):
    width = int(random.choice([n, n // 2, 2 * n]))
    b = Body(name)
    y, w = head(b, "x", width, random)

    def compute(x, _):
        if x.shape[1] != width:
            raise Refused(name)
        return x.astype(np.float64) @ w
    return b.graph(y), compute


def added(name, n, random):
    """Operands that broadcast, or do not."""
    width = int(random.choice([n, 2 * n, n + 1, 1]))
    offset = random.standard_normal((1, width)).astype(np.float32)
    b = Body(name)
    total = b.add("Add", ["x", b.constant("offset", offset)], "sum")
    y, w = head(b, b.add("ReduceMean", [total], "mean", axes=[1], keepdims=1), 1, random)

    def compute(x, _):
        if width not in (1, x.shape[1]):
            raise Refused(name)
        return (x + offset).astype(np.float64).mean(1, keepdims=True) @ w
    return b.graph(y), compute


def foreign(name, n, random):
    b = Body(name)
    given = b.add("Relu", ["x"], "given")
    b.nodes.append(node("Elsewhere", [given], f"{name}_y") + text(7, FOREIGN))

    def compute(x, _):
        raise Refused(name)
    return b.graph(f"{name}_y"), compute


def sides(random):
    """What the names of branches end in: they may have the same, as nothing sees both."""
    return "bb" if random.random() < 0.3 else "te"


def chosen(name, n, random, depth=1):
    """An If on the flag of this depth."""
    b = Body(name)
    branches = [body(f"{name}_{side}", n, random, depth) for side in sides(random)]
    y = b.add("If", [f"flag{depth}"], "y", then_branch=branches[0][0], else_branch=branches[1][0])

    def compute(x, flags):
        return branches[0 if flags[depth] else 1][1](x, flags)
    return b.graph(y), compute


def repeated(name, n, random, depth=1):
    """An If in a Loop that adds up what it gives."""
    turns = int(random.integers(1, 4))
    b, turn = Body(name), Body(f"{name}_b")
    branches = [body(f"{name}_l{side}", n, random, depth) for side in sides(random)]
    made = turn.add("If", [f"flag{depth}"], "made", then_branch=branches[0][0], else_branch=branches[1][0])
    total = turn.add("Add", [f"{name}_so", made], "total")
    go = turn.add("Identity", [f"{name}_go"], "on")
    loop = graph(f"{name}_body", turn.nodes, turn.constants,
                 [port(f"{name}_i", [], INT64), port(f"{name}_go", [], 9), port(f"{name}_so", [1, 4])],
                 [port(go, [], 9), port(total, [1, 4])])
    start = b.constant("start", np.zeros((1, 4), np.float32))
    y = b.add("Loop", [b.constant("turns", np.array(turns, np.int64)), "", start], "y", body=loop)

    def compute(x, flags):
        return turns * branches[0 if flags[depth] else 1][1](x, flags)
    return b.graph(y), compute


PLAIN = [window, squeezed, reshaped, multiplied, added, foreign]
MOST_DEPTH = 3


def body(name, n, random, depth):
    """A graph of the file and its function, of flags from `depth` on."""
    if depth < MOST_DEPTH - 1 and random.random() < 0.3:
        return random.choice([chosen, repeated])(name, n, random, depth + 1)
    return random.choice(PLAIN)(name, n, random)
