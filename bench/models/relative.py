"""Encoders whose attention depends on relative positions, as T5 and DeBERTa are exported."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    def __init__(self):
        self.nodes, self.constants, self.random = [], [], np.random.default_rng(7)

    def op(self, kind, inputs, **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, value, dtype=None):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weights(self, *shape):
        return self.constant(self.random.standard_normal(shape) / np.sqrt(shape[0]), np.float32)

    def ints(self, *values):
        return self.constant(values, np.int64)


def length_of(g):
    shape = g.op("Shape", ["tokens"])
    return g.op("Gather", [shape, g.constant(1, np.int64)], axis=0)


def distances(g):
    """[S, S]: position of the key minus that of the query."""
    positions = g.op("Range", [g.constant(0, np.int64), length_of(g), g.constant(1, np.int64)])
    return g.op("Sub", [g.op("Unsqueeze", [positions, g.ints(0)]),
                        g.op("Unsqueeze", [positions, g.ints(1)])])


def buckets(g, count=32, most=128):
    """Half of the buckets for each direction, half of those for exact distances."""
    half, exact = count // 2, count // 4
    distance = distances(g)
    later = g.op("Cast", [g.op("Greater", [distance, g.constant(0, np.int64)])], to=TensorProto.INT64)
    later = g.op("Mul", [later, g.constant(half, np.int64)])
    size = g.op("Abs", [distance])
    near = g.op("Less", [size, g.constant(exact, np.int64)])
    ratio = g.op("Div", [g.op("Cast", [size], to=TensorProto.FLOAT), g.constant(exact, np.float32)])
    steps = g.op("Div", [g.op("Log", [ratio]), g.constant(np.log(most / exact), np.float32)])
    steps = g.op("Mul", [steps, g.constant(half - exact, np.float32)])
    far = g.op("Add", [g.op("Cast", [steps], to=TensorProto.INT64), g.constant(exact, np.int64)])
    shape = g.op("Shape", [far])
    last = g.op("ConstantOfShape", [shape],
                value=numpy_helper.from_array(np.array([half - 1], np.int64)))
    far = g.op("Min", [far, last])
    return g.op("Add", [later, g.op("Where", [near, size, far])])


def position_bias(g, heads):
    """[1, H, S, S] from a table of buckets by heads."""
    values = g.op("Gather", [g.weights(32, heads), buckets(g)], axis=0)
    values = g.op("Transpose", [values], perm=[2, 0, 1])
    return g.op("Unsqueeze", [values, g.ints(0)])


def heads_of(g, x, hidden, heads, perm):
    y = g.op("MatMul", [x, g.weights(hidden, hidden)])
    y = g.op("Reshape", [y, g.ints(0, 0, heads, hidden // heads)])
    return g.op("Transpose", [y], perm=perm)


def disentangled(g, query, hidden, heads, span=64):
    """[B, H, S, S]: products of queries with embeddings of relative positions, each at its distance."""
    table = g.weights(2 * span, hidden)
    length = g.op("Unsqueeze", [length_of(g), g.ints(0)])
    low, high = g.ints(span), g.op("Add", [length, g.ints(span)])
    rows = g.op("Slice", [table, g.op("Sub", [low, g.op("Min", [length, low])]),
                          g.op("Min", [high, g.ints(2 * span)]), g.ints(0)])
    keys = g.op("MatMul", [rows, g.weights(hidden, hidden)])
    keys = g.op("Reshape", [keys, g.ints(-1, heads, hidden // heads)])
    keys = g.op("Transpose", [keys], perm=[1, 2, 0])
    scores = g.op("MatMul", [query, keys])
    reach = g.op("Min", [length, low])
    index = g.op("Add", [distances(g), reach])
    most = g.op("Sub", [g.op("Mul", [reach, g.ints(2)]), g.ints(1)])
    index = g.op("Max", [g.op("Min", [index, most]), g.ints(0)])
    index = g.op("Unsqueeze", [g.op("Unsqueeze", [index, g.ints(0)]), g.ints(0)])
    like = g.op("Concat", [g.op("Slice", [g.op("Shape", [query]), g.ints(0), g.ints(3)]), length],
                axis=0)
    return g.op("GatherElements", [scores, g.op("Expand", [index, like])], axis=3)


def layer(g, x, hidden, heads, bias, relative):
    query = heads_of(g, x, hidden, heads, [0, 2, 1, 3])
    key = heads_of(g, x, hidden, heads, [0, 2, 3, 1])
    value = heads_of(g, x, hidden, heads, [0, 2, 1, 3])
    scores = g.op("MatMul", [query, key])
    if relative:
        bias = disentangled(g, query, hidden, heads)
    probabilities = g.op("Softmax", [g.op("Add", [scores, bias])], axis=-1)
    y = g.op("Transpose", [g.op("MatMul", [probabilities, value])], perm=[0, 2, 1, 3])
    y = g.op("MatMul", [g.op("Reshape", [y, g.ints(0, 0, hidden)]), g.weights(hidden, hidden)])
    x = g.op("Add", [x, y])
    y = g.op("Relu", [g.op("MatMul", [x, g.weights(hidden, 4 * hidden)])])
    return g.op("Add", [x, g.op("MatMul", [y, g.weights(4 * hidden, hidden)])])


def encoder(kind, path, hidden=128, heads=4, layers=2, words=1000, tags=9,
            shows=False):
    """`kind`: buckets (T5), products (DeBERTa). `shows`: distances are an output too."""
    g = Graph()
    x = g.op("Gather", [g.weights(words, hidden), "tokens"], axis=0)
    bias = position_bias(g, heads) if kind == "buckets" else None
    for _ in range(layers):
        x = layer(g, x, hidden, heads, bias, kind == "products")
    g.nodes.append(helper.make_node("MatMul", [x, g.weights(hidden, tags)], ["logits"]))
    info = helper.make_tensor_value_info
    outputs = [info("logits", TensorProto.FLOAT, ["B", "S", tags])]
    if shows:
        g.nodes.append(helper.make_node("Abs", [distances(g)], ["distances"]))
        outputs.append(info("distances", TensorProto.INT64, ["S", "S"]))
    graph = helper.make_graph(
        g.nodes, f"relative-{kind}", [info("tokens", TensorProto.INT64, ["B", "S"])],
        outputs, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    onnx.save(model, path)


def write(folder):
    for kind in ("buckets", "products"):
        encoder(kind, f"{folder}/relative-{kind}_f32.onnx")
