"""Single operators that move or combine elements, on 16 MB of floats or what holds as many bytes."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"f32": TensorProto.FLOAT, "i64": TensorProto.INT64, "i32": TensorProto.INT32,
         "u8": TensorProto.UINT8, "f16": TensorProto.FLOAT16, "bool": TensorProto.BOOL,
         "f64": TensorProto.DOUBLE}
SIZES = {"f32": 4, "i64": 8, "i32": 4, "u8": 1, "f16": 2, "bool": 1, "f64": 8}
BYTES = 1 << 24


def block_indices(first, size):
    """Indices of all of a box, as exporters write an assignment to a slice."""
    ranges = [np.arange(a, a + n) for a, n in zip(first, size)]
    return np.stack(np.meshgrid(*ranges, indexing="ij"), -1).astype(np.int64)


def shape_of(dtype):
    return [16, 512, BYTES // SIZES[dtype] // 16 // 512]


def unary(op, dtype="f32", out=None, **attributes):
    s = shape_of(dtype)
    return dict(inputs=[(dtype, s)], nodes=[(op, ["x0"], attributes)], out=(out or dtype, s))


def binary(op, dtype="f32", out=None, other=None):
    s = shape_of(dtype)
    return dict(inputs=[(dtype, s), (dtype, s if other is None else other(s))],
                nodes=[(op, ["x0", "x1"], {})], out=(out or dtype, s))


def cast(dtype, to):
    s = shape_of(max(dtype, to, key=lambda t: SIZES[t]))
    return dict(inputs=[(dtype, s)], nodes=[("Cast", ["x0"], {"to": TYPES[to]})], out=(to, s))


def transpose(dtype, shape, perm):
    return dict(inputs=[(dtype, shape)], nodes=[("Transpose", ["x0"], {"perm": perm})],
                out=(dtype, [shape[p] for p in perm]))


def cut(dtype, starts, ends, axes, steps):
    s = shape_of(dtype)
    x = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), s, [0] * 3)
    index = [slice(None)] * 3
    for start, end, axis, step in zip(starts, ends, axes, steps):
        index[axis] = slice(start, None if end < -s[axis] else end, step)
    constants = {n: np.array(v, np.int64) for n, v in
                 zip(("starts", "ends", "axes", "steps"), (starts, ends, axes, steps))}
    return dict(inputs=[(dtype, s)], constants=constants, nodes=[("Slice", ["x0", *constants], {})],
                out=(dtype, list(x[tuple(index)].shape)))


def gather(dtype, axis, n):
    s = shape_of(dtype)
    indices = np.random.default_rng(1).integers(0, s[axis], n)
    return dict(inputs=[(dtype, s)], constants={"i": indices},
                nodes=[("Gather", ["x0", "i"], {"axis": axis})],
                out=(dtype, s[:axis] + [n] + s[axis + 1:]))


def concat(dtype, axis, n):
    s = shape_of(dtype)
    part = s[:axis] + [s[axis] // n] + s[axis + 1:]
    return dict(inputs=[(dtype, part)] * n, out=(dtype, s),
                nodes=[("Concat", [f"x{i}" for i in range(n)], {"axis": axis})])


def pad(dtype, pads, mode="constant"):
    s = shape_of(dtype)
    return dict(inputs=[(dtype, s)], constants={"pads": np.array(pads, np.int64)},
                nodes=[("Pad", ["x0", "pads"], {"mode": mode})],
                out=(dtype, [n + pads[d] + pads[d + 3] for d, n in enumerate(s)]))


def reduce(op, axes, dtype="f32"):
    s = shape_of(dtype)
    out = [1 if d in axes else n for d, n in enumerate(s)]
    if op == "ReduceSum":
        return dict(inputs=[(dtype, s)], constants={"axes": np.array(axes, np.int64)},
                    nodes=[(op, ["x0", "axes"], {})], out=(dtype, out))
    return dict(inputs=[(dtype, s)], nodes=[(op, ["x0"], {"axes": axes})], out=(dtype, out))


def where(dtype, condition=None, y=None):
    s = shape_of(dtype)
    return dict(inputs=[("bool", condition or s), (dtype, s), (dtype, y or s)],
                nodes=[("Where", ["x0", "x1", "x2"], {})], out=(dtype, s))


def scatter(indices, updates, dtype="f32"):
    s = shape_of(dtype)
    return dict(inputs=[(dtype, s), (dtype, updates)], constants={"i": indices},
                nodes=[("ScatterND", ["x0", "i", "x1"], {})], out=(dtype, s))


def power(exponent):
    s = shape_of("f32")
    return dict(inputs=[("f32", s)], constants={"e": np.float32(exponent)},
                nodes=[("Pow", ["x0", "e"], {})], out=("f32", s))


def divide(dtype):
    s = shape_of(dtype)
    three = np.array(3, {"i32": np.int32, "i64": np.int64}[dtype])
    return dict(inputs=[(dtype, s)], constants={"three": three},
                nodes=[("Div", ["x0", "three"], {})], out=(dtype, s))


def expand(dtype, shape):
    s = shape_of(dtype)
    return dict(inputs=[(dtype, shape)], constants={"s": np.array(s, np.int64)},
                nodes=[("Expand", ["x0", "s"], {})], out=(dtype, s))


def scatters():
    rows = np.random.default_rng(1).permutation(16)[:8].reshape(-1, 1)
    return {"scatter-rows": scatter(rows, [8, 512, 512]),
            "scatter-rows-of-rows": scatter(block_indices((0, 0), (16, 256)), [16, 256, 512]),
            "scatter-block": scatter(block_indices((4, 0, 0), (8, 512, 512)), [8, 512, 512]),
            "scatter-columns": scatter(block_indices((0, 0, 128), (16, 512, 256)),
                                       [16, 512, 256])}


def moves():
    last = lambda s: [s[-1]]
    column = lambda s: [s[0], s[1], 1]
    middle = lambda s: [s[0], 1, s[2]]
    table = {
        "transpose-inner-f32": transpose("f32", [16, 512, 512], [0, 2, 1]),
        "transpose-inner-u8": transpose("u8", [16, 1024, 1024], [0, 2, 1]),
        "transpose-inner-f16": transpose("f16", [16, 1024, 512], [0, 2, 1]),
        "transpose-inner-i64": transpose("i64", [16, 512, 256], [0, 2, 1]),
        "transpose-outer-f32": transpose("f32", [16, 512, 512], [1, 0, 2]),
        "transpose-heads-f32": transpose("f32", [1, 1024, 64, 64], [0, 2, 1, 3]),
        "transpose-all-f32": transpose("f32", [64, 256, 256], [2, 1, 0]),
        "slice-rows-f32": cut("f32", [8], [504], [1], [1]),
        "slice-columns-f32": cut("f32", [8], [504], [2], [1]),
        "slice-step2-f32": cut("f32", [0], [512], [2], [2]),
        "slice-step2-u8": cut("u8", [0], [2048], [2], [2]),
        "slice-reverse-f32": cut("f32", [-1], [-10000], [2], [-1]),
        "slice-middle-step2-f32": cut("f32", [0], [512], [1], [2]),
        "gather-first-f32": gather("f32", 0, 16), "gather-middle-f32": gather("f32", 1, 512),
        "gather-last-f32": gather("f32", 2, 512), "gather-last-u8": gather("u8", 2, 2048),
        "gather-last-i64": gather("i64", 2, 256),
        "concat-first-f32": concat("f32", 0, 4), "concat-middle-f32": concat("f32", 1, 4),
        "concat-last-f32": concat("f32", 2, 4), "concat-last-u8": concat("u8", 2, 4),
        "pad-last-f32": pad("f32", [0, 0, 3, 0, 0, 3]), "pad-middle-f32": pad("f32", [0, 2, 0, 0, 2, 0]),
        "pad-reflect-f32": pad("f32", [0, 0, 3, 0, 0, 3], "reflect"),
        "where-f32": where("f32"), "where-scalar-f32": where("f32", y=[1]),
        "where-mask-f32": where("f32", condition=[16, 1, 512], y=[1]), "where-i64": where("i64"),
        "expand-rows-f32": expand("f32", [16, 1, 512]), "expand-last-f32": expand("f32", [16, 512, 1]),
        "add-f32": binary("Add"), "add-row-f32": binary("Add", other=last),
        "add-column-f32": binary("Add", other=column), "add-middle-f32": binary("Add", other=middle),
        "mul-i64": binary("Mul", "i64"), "add-i64": binary("Add", "i64"),
        "sub-i32": binary("Sub", "i32"), "div-i64": divide("i64"), "div-i32": divide("i32"),
        "less-f32": binary("Less", out="bool"), "less-i64": binary("Less", "i64", "bool"),
        "equal-i64": binary("Equal", "i64", "bool"), "equal-scalar-i64": binary("Equal", "i64", "bool", lambda s: [1]),
        "and-bool": binary("And", "bool"), "not-bool": unary("Not", "bool"),
        "pow2-f32": power(2), "pow-half-f32": power(0.5), "pow-1.7-f32": power(1.7),
        "sqrt-f32": unary("Sqrt"), "abs-f32": unary("Abs"), "exp-f32": unary("Exp"),
        "relu-f32": unary("Relu"), "abs-i64": unary("Abs", "i64"), "neg-i32": unary("Neg", "i32"),
    }
    for pair in ("f32-i64", "i64-f32", "i32-f32", "f32-i32", "i64-i32", "i32-i64", "bool-f32", "f32-bool",
                 "i64-bool", "bool-i64", "u8-f32", "f32-u8", "f32-f64", "f64-f32", "f32-f16", "f16-f32"):
        table[f"cast-{pair}"] = cast(*pair.split("-"))
    for op in ("ReduceMax", "ReduceSum", "ReduceMean"):
        for name, axes in (("last", [2]), ("middle", [1]), ("first", [0]), ("all", [0, 1, 2])):
            table[f"{op.lower()}-{name}-f32"] = reduce(op, axes)
    table["reducesum-last-i64"] = reduce("ReduceSum", [2], "i64")
    table.update(scatters())
    return table


def save(entry, path):
    info = helper.make_tensor_value_info
    inputs = [info(f"x{i}", TYPES[t], s) for i, (t, s) in enumerate(entry["inputs"])]
    nodes = [helper.make_node(op, given, out or ["y"], **attributes)
             for op, given, attributes, *out in entry["nodes"]]
    constants = [numpy_helper.from_array(np.asarray(v), n)
                 for n, v in entry.get("constants", {}).items()]
    dtype, shape = entry["out"]
    graph = helper.make_graph(nodes, "move", inputs, [info("y", TYPES[dtype], shape)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", entry.get("opset", 16))])
    model.ir_version = 8
    if "opset" not in entry:  # newer ones than Debian's onnx knows
        onnx.checker.check_model(model)
    onnx.save(model, path)


def write(folder):
    for name, entry in moves().items():
        save(entry, f"{folder}/move-{name}.onnx")
