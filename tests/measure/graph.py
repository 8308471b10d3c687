"""Graphs that are written as ONNX files and computed by numpy: each node is both."""
import math

import numpy as np

import onnx_file

OPSET = 17
ERF = np.vectorize(math.erf, otypes=[np.float64])


def softmax(x, axis, log=False):
    x = x.astype(np.float64)
    x = x - x.max(axis=axis, keepdims=True)
    total = np.log(np.exp(x).sum(axis=axis, keepdims=True))
    return (x - total if log else np.exp(x - total)).astype(np.float32)


def layer_norm(x, scale, bias, axis=-1, epsilon=1e-5):
    x = x.astype(np.float64)
    x = x - x.mean(axis=axis, keepdims=True)
    return (x / np.sqrt((x * x).mean(axis=axis, keepdims=True) + epsilon) * scale + bias).astype(np.float32)


def conv(x, weights, bias, pads, kernel_shape, strides=(1,)):
    taps = kernel_shape[0]
    padded = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[1]))).astype(np.float64)
    n = padded.shape[2] - taps + 1
    windows = np.stack([padded[:, :, t:t + n:strides[0]] for t in range(taps)], axis=-1)
    return (np.einsum("bcnt,oct->bon", windows, weights) + bias[:, None]).astype(np.float32)


def matmul(a, b):
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def sliced(x, starts, ends, axes):
    at = [slice(None)] * x.ndim
    for start, end, axis in zip(starts, ends, axes):
        at[axis] = slice(int(start), int(end))
    return x[tuple(at)]


def scatter_nd(x, indices, updates):
    out = x.copy()
    out[tuple(np.moveaxis(indices, -1, 0))] = updates
    return out


def reduced(function):
    return lambda x, axes, keepdims=1: function(x.astype(np.float64), axis=tuple(axes),
                                                keepdims=bool(keepdims)).astype(np.float32)


def divide(a, b):
    """Integers toward zero"""
    if not np.issubdtype(np.asarray(a).dtype, np.integer):
        return np.divide(a, b)
    return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(np.asarray(a).dtype)


def reshape(x, dims):
    return x.reshape([x.shape[i] if d == 0 else int(d) for i, d in enumerate(dims)])


def pad(x, amounts):
    half = len(amounts) // 2
    return np.pad(x, [(int(amounts[i]), int(amounts[half + i])) for i in range(half)])


CASTS = {onnx_file.FLOAT: np.float32, onnx_file.INT64: np.int64, onnx_file.BOOL: np.bool_}
OPS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": divide, "Mod": np.mod, "Neg": np.negative,
    "Floor": np.floor, "Ceil": np.ceil,
    "Min": np.minimum, "Max": np.maximum,
    "MatMul": matmul,
    "Gemm": lambda a, b, c: (a.astype(np.float64) @ b + c).astype(np.float32),
    "Conv": conv,
    "Relu": lambda x: np.maximum(x, 0), "Tanh": np.tanh, "Sqrt": np.sqrt, "Log": np.log, "Exp": np.exp,
    "Erf": lambda x: ERF(x).astype(np.float32), "Abs": np.abs,
    "Sigmoid": lambda x: (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32),
    "Softmax": lambda x, axis: softmax(x, axis),
    "LogSoftmax": lambda x, axis: softmax(x, axis, log=True),
    "LayerNormalization": layer_norm,
    "ReduceMean": reduced(np.mean), "ReduceMax": reduced(np.max),
    "ReduceL2": reduced(lambda x, axis, keepdims: np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))),
    "ReduceSum": lambda x, axes, keepdims=1: x.sum(axis=tuple(axes), keepdims=bool(keepdims)),
    "Transpose": lambda x, perm: np.transpose(x, perm),
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)),
    "Squeeze": lambda x, axes: np.squeeze(x, tuple(axes)),
    "Slice": sliced,
    "Concat": lambda *xs, axis: np.concatenate(xs, axis),
    "Where": np.where, "Equal": np.equal, "Less": np.less, "Not": np.logical_not, "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal, "Identity": lambda x: x,
    "Reshape": reshape, "Pad": pad, "Expand": lambda x, dims: x * np.ones(dims, x.dtype),
    "Cast": lambda x, to: x.astype(CASTS[to]),
    "Gather": lambda x, indices, axis=0: np.take(x, indices, axis),
    "Shape": lambda x: np.array(x.shape, np.int64),
    "Range": lambda start, limit, delta: np.arange(start, limit, delta),
    "ArgMax": lambda x, axis, keepdims=1: np.argmax(x, axis).astype(np.int64),
    "ScatterND": scatter_nd,
}


class Graph:
    """Nodes in order; a value is a name."""

    def __init__(self):
        self.nodes, self.constants, self.inputs, self.outputs = [], {}, {}, []

    def input(self, name, dtype, dims):
        self.inputs[name] = (dtype, dims)
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def __call__(self, op, *inputs, **attributes):
        """Adds a node. Arrays among the inputs become constants."""
        names = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        name = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append((op, names, name, attributes))
        return name

    def output(self, value, name, dtype, dims):
        """The value becomes an output of that name, through Identity where nodes read it, too, or none makes it."""
        for i, (op, inputs, output, attributes) in enumerate(self.nodes):
            if output == value and not any(value in n[1] for n in self.nodes):
                self.nodes[i] = (op, inputs, name, attributes)
                break
        else:
            self.nodes.append(("Identity", [value], name, {}))
        self.outputs.append((name, dtype, dims))

    def compute(self, inputs):
        """All values of a sample."""
        env = {**self.constants, **inputs}
        with np.errstate(all="ignore"):
            for op, names, output, attributes in self.nodes:
                env[output] = OPS[op](*(env[n] for n in names), **attributes)
        return env

    def write(self, path):
        nodes = [onnx_file.node(*n, **attributes) for *n, attributes in self.nodes]
        constants = [onnx_file.tensor(*c) for c in self.constants.items()]
        inputs = [onnx_file.port(name, dims, dtype) for name, (dtype, dims) in self.inputs.items()]
        outputs = [onnx_file.port(name, dims, dtype) for name, dtype, dims in self.outputs]
        with open(path, "wb") as file:
            file.write(onnx_file.model("g", nodes, constants, inputs, outputs, OPSET))
