"""Writes the cases of edge_cases.tar.xz: forms of operators that ONNX's own node tests leave out
(older opsets, other element types, shapes computed in the graph, empty tensors, outputs that nobody
reads), in the form of those tests. What the outputs should be is computed by ONNX Runtime with its
optimizations off, or by numpy for forms that it does not run.

    python3 make_edge_cases.py FOLDER        (needs onnx, numpy, onnxruntime)
    tar --sort=name --mtime=@0 --owner=0 --group=0 -cJf edge_cases.tar.xz edge_cases
"""
import os
import shutil
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

import contrib_cases
import image_cases

OUT = os.path.join(sys.argv[1], "edge_cases")
RANDOM = np.random.RandomState(3)
DTYPES = [np.float32, np.int64, np.int32, np.bool_, np.float64, np.uint8, np.int8, np.int16]
DTYPES += [np.float16, np.uint16, np.uint32, np.uint64]
node = helper.make_node


def onnx_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) if hasattr(
        helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)]


def name_of(dtype):
    return np.dtype(dtype).name


def i64(*values):
    return np.array(values, np.int64)


def info(name, array):
    return helper.make_tensor_value_info(name, onnx_type(array.dtype), list(array.shape))


def write_tensor(path, name, array):
    with open(path, "wb") as f:
        f.write(numpy_helper.from_array(array, name).SerializeToString())


def reference(path, feeds):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(path, options).run(None, feeds)


def case(name, nodes, feeds, outs=("y",), opset=13, init=None, expect=None):
    """Left out where the reference does not run it and nothing says what to expect."""
    nodes = nodes if isinstance(nodes, list) else [nodes]
    feeds = {k: np.asarray(v) for k, v in feeds.items()}
    init = [numpy_helper.from_array(np.asarray(v), k) for k, v in (init or {}).items()]
    graph = helper.make_graph(nodes, "g", [info(k, v) for k, v in feeds.items()],
                              [onnx.ValueInfoProto(name=o) for o in outs], init)
    domains = sorted({n.domain for n in nodes} - {""})
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)] +
                              [helper.make_opsetid(domain, 1) for domain in domains])
    model.ir_version = 8 if opset > 13 else 7
    folder = os.path.join(OUT, "test_" + name.replace("-", "m"))
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data)
    path = os.path.join(folder, "model.onnx")
    onnx.save(model, path)
    try:
        results = reference(path, feeds) if expect is None else expect
    except Exception as error:
        print("left out:", name, str(error)[:60])
        shutil.rmtree(folder)
        return
    del model.graph.output[:]
    model.graph.output.extend(info(o, r) for o, r in zip(outs, results))
    onnx.save(model, path)
    for i, (k, v) in enumerate(feeds.items()):
        write_tensor(os.path.join(data, "input_%d.pb" % i), k, v)
    for i, (k, v) in enumerate(zip(outs, results)):
        write_tensor(os.path.join(data, "output_%d.pb" % i), k, v)


X = RANDOM.randn(2, 3, 4).astype(np.float32)
X5 = X.reshape(2, 1, 3, 1, 4)


def shapes():
    for op in (7, 13, 15, 19):
        case("shape_op%d" % op, node("Shape", ["x"], ["y"]), {"x": X}, opset=op)
        case("size_op%d" % op, node("Size", ["x"], ["y"]), {"x": X}, opset=op)
    case("shape_from_end", node("Shape", ["x"], ["y"], start=-2), {"x": X}, opset=15)
    case("shape_scalar", node("Shape", ["x"], ["y"]), {"x": np.float32(3)})
    case("size_scalar", node("Size", ["x"], ["y"]), {"x": np.float32(3)})
    for op in (7, 9, 11, 13):
        for axis in (0, 1, 2, 3) + ((-1, -3) if op >= 11 else ()):
            case("flatten_op%d_%d" % (op, axis), node("Flatten", ["x"], ["y"], axis=axis),
                 {"x": X}, opset=op)
    case("flatten_int64", node("Flatten", ["x"], ["y"]), {"x": (X * 10).astype(np.int64)})
    case("flatten_vector_0", node("Flatten", ["x"], ["y"], axis=0), {"x": X[0, 0]})
    case("flatten_vector_1", node("Flatten", ["x"], ["y"], axis=1), {"x": X[0, 0]})


def reshapes():
    reshape = node("Reshape", ["x", "s"], ["y"])
    for target in ([2, 12], [-1], [0, -1], [4, 0, -1], [1, 2, 3, 4, 1], [0, 0, 0], [24, 1, -1]):
        text = "_".join(map(str, target))
        for op in (7, 13, 14):
            case("reshape_op%d_%s" % (op, text), reshape, {"x": X}, init={"s": i64(*target)},
                 opset=op)
        case("reshape_input_" + text, reshape, {"x": X, "s": i64(*target)})
    case("reshape_to_scalar", reshape, {"x": np.float32([3])}, init={"s": i64()})
    case("reshape_of_scalar", reshape, {"x": np.float32(3)}, init={"s": i64(1, -1)})
    constant = node("Constant", [], ["s"], value=numpy_helper.from_array(i64(3, -1)))
    case("reshape_constant_node", [constant, reshape], {"x": X})
    case("reshape_computed", [
        node("Shape", ["x"], ["h"]), node("Gather", ["h", "zero"], ["b"], axis=0),
        node("Unsqueeze", ["b"], ["b1"], axes=[0]),
        node("Concat", ["b1", "rest"], ["s"], axis=0), reshape
    ], {"x": X}, init={"zero": np.int64(0), "rest": i64(-1)}, opset=11)
    case("reshape_by_data", [
        node("ReduceSum", ["k"], ["n"], keepdims=0), node("Unsqueeze", ["n"], ["n1"], axes=[0]),
        node("Concat", ["n1", "rest"], ["s"], axis=0), reshape, node("Relu", ["y"], ["z"])
    ], {"x": X, "k": i64(2, 1)}, outs=("z",), init={"rest": i64(-1)}, opset=11)
    empty = np.zeros((0, 3), np.float32)
    case("reshape_empty", node("Reshape", ["x", "s"], ["y"], allowzero=1), {"x": empty},
         init={"s": i64(3, 0)}, opset=14)


def squeezes():
    for op in (7, 11):
        case("squeeze_op%d" % op, node("Squeeze", ["x"], ["y"], axes=[1, 3]), {"x": X5}, opset=op)
        case("squeeze_all_op%d" % op, node("Squeeze", ["x"], ["y"]), {"x": X5}, opset=op)
        case("unsqueeze_op%d" % op, node("Unsqueeze", ["x"], ["y"], axes=[0, 4]), {"x": X},
             opset=op)
    case("squeeze_negative", node("Squeeze", ["x"], ["y"], axes=[-2]), {"x": X5}, opset=11)
    case("unsqueeze_negative", node("Unsqueeze", ["x"], ["y"], axes=[-1, -5]), {"x": X}, opset=11)
    case("squeeze_constant", node("Squeeze", ["x", "a"], ["y"]), {"x": X5}, init={"a": i64(-2, 1)})
    case("squeeze_input", node("Squeeze", ["x", "a"], ["y"]), {"x": X5, "a": i64(-2, 1)})
    case("squeeze_all_op13", node("Squeeze", ["x"], ["y"]), {"x": X5})
    case("unsqueeze_input", node("Unsqueeze", ["x", "a"], ["y"]), {"x": X, "a": i64(2, 0)})
    case("unsqueeze_scalar", node("Unsqueeze", ["x", "a"], ["y"]), {"x": np.float32(2)},
         init={"a": i64(0)})


def expansions():
    expand = node("Expand", ["x", "s"], ["y"])
    for target in ([2, 3, 4], [3, 1], [1], [5, 2, 3, 4], [1, 1, 1]):
        text = "_".join(map(str, target))
        case("expand_constant_" + text, expand, {"x": X}, init={"s": i64(*target)}, opset=8)
        case("expand_input_" + text, expand, {"x": X, "s": i64(*target)})
    case("expand_scalar", expand, {"x": np.float32(4), "s": i64(2, 2)})
    case("expand_both_ways", expand, {"x": X[:, :1], "s": i64(3, 1, 7, 4)})
    where = node("Where", ["c", "x", "z"], ["y"])
    case("where_broadcast", where,
         {"c": np.array([[True], [False]]), "x": X[:, 0], "z": np.float32(1)}, opset=9)
    case("where_scalar", where, {"c": np.array(True), "x": X[:, 0], "z": X[:1, 0]}, opset=9)
    fill = node("ConstantOfShape", ["s"], ["y"])
    case("fill_default", fill, {"s": i64(2, 3)}, opset=9)
    case("fill_scalar", fill, {"x": X}, init={"s": i64()}, opset=9)
    case("fill_nothing", fill, {"x": X}, init={"s": i64(0)}, opset=9)
    case("fill_shape", [node("Shape", ["x"], ["s"]), fill], {"x": X}, opset=9)
    for k in (-2, -1, 0, 1, 3, 7):
        case("eye_%d" % k, node("EyeLike", ["x"], ["y"], k=k, dtype=1),
             {"x": np.zeros((3, 5), np.int32)}, opset=9)


def ranges():
    limits = node("Range", ["a", "b", "c"], ["y"])
    for dtype in (np.float32, np.float64, np.int16, np.int32, np.int64):
        for a, b, c in ((1, 9, 2), (9, 1, -3), (1, 1, 1), (5, 1, 1)):
            numbers = {"a": dtype(a), "b": dtype(b), "c": dtype(c)}
            text = "%s_%d_%d_%d" % (name_of(dtype), a, b, c)
            case("range_" + text, limits, numbers, opset=11)
            case("range_constant_" + text, [
                node("Range", ["a", "b", "c"], ["r"]), node("Add", ["r", "x"], ["y"])
            ], {"x": np.ones(1, dtype)}, init=numbers)
    case("range_fractions", limits,
         {"a": np.float32(0.1), "b": np.float32(1.15), "c": np.float32(0.1)}, opset=11)
    case("range_size", [node("Size", ["x"], ["b"]), limits], {"x": X},
         init={"a": np.int64(0), "c": np.int64(1)}, opset=11)
    case("range_size_as_float", [
        node("Size", ["x"], ["n"]), node("Cast", ["n"], ["b"], to=1), limits
    ], {"x": X}, init={"a": np.float32(0), "c": np.float32(0.5)}, opset=11)


def types():
    for dtype in DTYPES:
        x, name = (np.abs(X) * 9).astype(dtype), name_of(dtype)
        case("expand_" + name, node("Expand", ["x", "s"], ["y"]), {"x": x[:1]},
             init={"s": i64(2, 3, 4)})
        case("identity_" + name, node("Identity", ["x"], ["y"]), {"x": x})
        case("where_" + name, node("Where", ["c", "x", "z"], ["y"]),
             {"c": X > 0, "x": x, "z": x[:1]})
        case("squeeze_" + name, node("Squeeze", ["x", "a"], ["y"]), {"x": x.reshape(X5.shape)},
             init={"a": i64(1)})
        case("reshape_" + name, node("Reshape", ["x", "s"], ["y"]), {"x": x},
             init={"s": i64(-1, 2)})
        case("transpose_" + name, node("Transpose", ["x"], ["y"], perm=[2, 0, 1]), {"x": x})
        case("concat_" + name, node("Concat", ["x", "x"], ["y"], axis=-1), {"x": x})
        three = numpy_helper.from_array(np.array([3], dtype))
        case("fill_" + name, node("ConstantOfShape", ["s"], ["y"], value=three), {"s": i64(2, 3)},
             opset=9)
        case("eye_" + name, node("EyeLike", ["x"], ["y"]), {"x": x[0]}, opset=9)
        for to in DTYPES:
            case("cast_%s_%s" % (name, name_of(to)), node("Cast", ["x"], ["y"], to=onnx_type(to)),
                 {"x": x}, opset=13 if to == np.float16 else 9)
        for to in (np.float32, np.int64, np.bool_):
            case("cast_like_%s_%s" % (name, name_of(to)), node("CastLike", ["x", "l"], ["y"]),
                 {"x": x, "l": np.zeros(1, to)}, opset=15)


def graphs():
    constant = node("Constant", [], ["y"], value=numpy_helper.from_array(X))
    for key, value in (("value_float", 1.5), ("value_int", 3), ("value_floats", [1., 2.]),
                       ("value_ints", [4, 5])):
        case("constant_" + key, [
            node("Constant", [], ["c"], **{key: value}), node("Cast", ["c"], ["d"], to=1),
            node("Add", ["d", "x"], ["y"])
        ], {"x": X[0, 0, :1]}, opset=12)
    relu = node("Relu", ["x"], ["z"])
    case("constant_alone", constant, {})
    case("constant_output", [constant, relu], {"x": X}, outs=("y", "z"))
    case("initializer_output", [relu], {"x": X}, outs=("w", "z"), init={"w": X})
    case("input_output", [relu], {"x": X}, outs=("x", "z"))
    case("unused_input", [relu], {"x": X, "u": X}, outs=("z",))
    case("unused_node", [relu, node("Sqrt", ["x"], ["q"])], {"x": X}, outs=("z",))
    case("one_input_twice", [node("Mul", ["x", "x"], ["y"])], {"x": X})
    case("output_read", [relu, node("Neg", ["z"], ["y"])], {"x": X}, outs=("z", "y"))
    case("identities", [node("Identity", ["x"], ["a"]), node("Identity", ["a"], ["y"])], {"x": X})
    case("identities_out", [node("Identity", ["x"], ["a"]), node("Identity", ["x"], ["y"])],
         {"x": X}, outs=("a", "y"))
    case("view_output", [node("Reshape", ["x", "s"], ["y"]), node("Transpose", ["y"], ["z"])],
         {"x": X}, outs=("y", "z"), init={"s": i64(6, 4)})
    x8 = RANDOM.randn(1, 2, 1, 2, 1, 2, 1, 2).astype(np.float32)
    case("rank8_add", node("Add", ["x", "x"], ["y"]), {"x": x8})
    case("rank8_transpose", node("Transpose", ["x"], ["y"]), {"x": x8})
    case("rank8_where", node("Where", ["c", "x", "z"], ["y"]),
         {"c": x8 > 0, "x": x8, "z": np.float32(0)})


def dropouts():
    for op in (7, 10, 12, 13):
        case("dropout_op%d" % op, node("Dropout", ["x"], ["y"]), {"x": X}, opset=op)
    inputs = {"x": X, "r": np.float32(.3), "t": np.array(False)}
    case("dropout_inputs", node("Dropout", ["x", "r", "t"], ["y"]), inputs, opset=12)
    inputs = {"x": X, "r": np.float32(0), "t": np.array(True)}
    case("dropout_training_of_nothing", node("Dropout", ["x", "r", "t"], ["y", "m"]), inputs,
         outs=("y", "m"), opset=12)
    case("dropout_float64", node("Dropout", ["x", "r"], ["y"]),
         {"x": X.astype(np.float64), "r": np.float64(.3)})


def empties():
    x = np.zeros((0, 4), np.float32)
    for op in ("Relu", "Identity", "Shape", "Size", "Transpose", "Flatten", "Neg", "Softmax"):
        case("empty_" + op.lower(), node(op, ["x"], ["y"]), {"x": x})
    case("empty_add", node("Add", ["x", "b"], ["y"]), {"x": x, "b": np.ones(4, np.float32)})
    two = np.ones((2, 4), np.float32)
    case("empty_concat", node("Concat", ["x", "b"], ["y"], axis=0), {"x": x, "b": two})
    case("empty_concat_constant", node("Concat", ["b", "x"], ["y"], axis=0), {"b": two},
         init={"x": x})
    case("empty_sum", node("ReduceSum", ["x", "a"], ["y"], keepdims=0), {"x": x},
         init={"a": i64(0)})
    matmul = node("MatMul", ["x", "b"], ["y"])
    case("empty_matmul_rows", matmul, {"x": x, "b": np.ones((4, 3), np.float32)})
    case("empty_matmul_inner", matmul,
         {"x": np.zeros((2, 0), np.float32), "b": np.zeros((0, 3), np.float32)})
    case("empty_gather", node("Gather", ["x", "i"], ["y"], axis=0), {"x": X, "i": i64()})
    case("empty_slice", node("Slice", ["x", "s", "t"], ["y"]), {"x": X},
         init={"s": i64(2), "t": i64(2)})
    case("empty_non_zero", node("NonZero", ["x"], ["y"]), {"x": np.zeros((3, 2), np.float32)})
    case("empty_expand", node("Expand", ["x", "s"], ["y"]), {"x": np.zeros((0, 1), np.float32)},
         init={"s": i64(0, 4)})


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def weights(*shape):
    return np.random.RandomState(5).randn(*shape).astype(np.float32)


def nothing():
    """Axes of length 0: an empty batch, an empty sequence, sums over nothing."""
    rows, middle, batch = zeros(0, 3), zeros(2, 0, 4), zeros(0, 4, 6, 6)
    for op in ("Add", "Mul", "Div", "Pow", "Max", "Min", "Less", "Equal"):
        case("nothing_%s" % op.lower(), node(op, ["x", "b"], ["y"]), {"x": rows, "b": rows})
        case("nothing_%s_row" % op.lower(), node(op, ["b", "x"], ["y"]),
             {"x": rows, "b": weights(1, 3)})
    for op in ("Sum", "Prod", "Max", "Min", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"):
        for name, axes in (("rows", i64(0)), ("columns", i64(1)), ("all", i64(0, 1))):
            for keep in (0, 1):
                case("nothing_reduce_%s_%s_%d" % (op.lower(), name, keep),
                     node("Reduce" + op, ["x", "a"], ["y"], keepdims=keep), {"x": rows},
                     init={"a": axes}, opset=20)
        case("nothing_reduce_%s_middle" % op.lower(), node("Reduce" + op, ["x", "a"], ["y"]),
             {"x": middle}, init={"a": i64(1)}, opset=20)
    for dtype in (np.int32, np.int64):
        for op in ("Sum", "Prod", "Max", "Min"):
            case("nothing_reduce_%s_%s" % (op.lower(), name_of(dtype)),
                 node("Reduce" + op, ["x", "a"], ["y"]), {"x": rows.astype(dtype)},
                 init={"a": i64(0)}, opset=20)
    case("nothing_argmax", node("ArgMax", ["x"], ["y"], axis=1), {"x": rows})
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for opset in (11, 13):
            for axis in (0, 1, 2):
                case("nothing_%s_op%d_%d" % (op.lower(), opset, axis),
                     node(op, ["x"], ["y"], axis=axis), {"x": middle}, opset=opset)
    case("nothing_cumsum", node("CumSum", ["x", "a"], ["y"]), {"x": middle},
         init={"a": np.int64(1)})
    case("nothing_topk_none", node("TopK", ["x", "k"], ["y", "i"]), {"x": X}, outs=("y", "i"),
         init={"k": i64(0)})
    moves(rows, middle)
    case("nothing_unique", node("Unique", ["x"], list("yivc")), {"x": zeros(0)}, outs=tuple("yivc"))
    case("nothing_non_zero", node("NonZero", ["x"], ["y"]), {"x": middle})
    case("nothing_non_zero_gather", [
        node("NonZero", ["x"], ["z"]), node("Squeeze", ["z", "zero"], ["i"]),
        node("Gather", ["t", "i"], ["g"]), node("MatMul", ["g", "w"], ["p"]),
        node("Softmax", ["p"], ["y"]), node("ReduceSum", ["p", "zero"], ["s"])
    ], {"x": zeros(5), "t": X[0, :, :].repeat(2, 0)}, outs=("y", "s"),
         init={"zero": i64(0), "w": weights(4, 6)})
    products()
    layers(batch)
    case("nothing_loop", node("Loop", ["n", "t", "x"], ["y", "s"], body=rows_body()),
         {"n": np.int64(2), "x": rows}, outs=("y", "s"), init={"t": np.array(True)})
    case("nothing_quantize", node("QuantizeLinear", ["x", "s", "z"], ["y"]), {"x": rows},
         init={"s": np.float32(0.1), "z": np.uint8(3)})
    case("nothing_quantize_dynamic", node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]),
         {"x": rows}, outs=("y", "s", "z"))


def moves(rows, middle):
    for axis in (0, 1):
        other = np.ones((2, 3) if axis == 0 else (0, 2), np.float32)
        case("nothing_concat_%d" % axis, node("Concat", ["x", "b"], ["y"], axis=axis),
             {"x": rows, "b": other})
        case("nothing_gather_%d" % axis, node("Gather", ["x", "i"], ["y"], axis=axis),
             {"x": X[0], "i": zeros(0, 2, dtype=np.int64)})
        case("nothing_flatten_%d" % axis, node("Flatten", ["x"], ["y"], axis=axis), {"x": middle})
        case("nothing_split_%d" % axis, node("Split", ["x", "s"], ["y", "z"], axis=axis),
             {"x": X[0]}, outs=("y", "z"), init={"s": i64(0, X[0].shape[axis])})
        case("nothing_one_hot_%d" % axis, node("OneHot", ["i", "d", "v"], ["y"], axis=axis),
             {"i": zeros(0, 2, dtype=np.int64)}, init={"d": np.int64(5), "v": weights(2)})
    case("nothing_compress", node("Compress", ["x", "c"], ["y"], axis=0),
         {"x": X[0], "c": np.zeros(3, np.bool_)})
    case("nothing_gather_nd", node("GatherND", ["x", "i"], ["y"]),
         {"x": X[0], "i": zeros(0, 2, dtype=np.int64)})
    none = zeros(0, 4, dtype=np.int64)
    case("nothing_scatter", node("ScatterElements", ["x", "i", "u"], ["y"]),
         {"x": X[0], "i": none, "u": zeros(0, 4)}, opset=18)
    case("nothing_scatter_nd", node("ScatterND", ["x", "i", "u"], ["y"]),
         {"x": X[0], "i": none[:, :1], "u": zeros(0, 4)}, opset=18)
    case("nothing_slice_backwards", node("Slice", ["x", "s", "e", "a", "t"], ["y"]), {"x": rows},
         init={"s": i64(-1), "e": i64(-100), "a": i64(0), "t": i64(-1)})
    case("nothing_slice_beyond", node("Slice", ["x", "s", "e", "a"], ["y"]), {"x": X[0]},
         init={"s": i64(3), "e": i64(100), "a": i64(0)})
    case("nothing_pad", node("Pad", ["x", "p"], ["y"]), {"x": rows}, init={"p": i64(1, 0, 1, 2)})
    for mode in ("reflect", "edge"):
        case("nothing_pad_" + mode, node("Pad", ["x", "p"], ["y"], mode=mode), {"x": rows},
             init={"p": i64(0, 1, 0, 2)})
    case("nothing_tile", node("Tile", ["x", "r"], ["y"]), {"x": rows}, init={"r": i64(2, 2)})
    case("nothing_expand", node("Expand", ["x", "s"], ["y"]), {"x": rows}, init={"s": i64(2, 1, 1)})
    case("nothing_trilu", node("Trilu", ["x"], ["y"]), {"x": middle}, opset=14)
    case("nothing_reshape_all", node("Reshape", ["x", "s"], ["y"]), {"x": rows}, init={"s": i64(-1)})
    case("nothing_reshape_heads", node("Reshape", ["x", "s"], ["y"]), {"x": middle},
         init={"s": i64(0, 0, 2, 2)})
    case("nothing_transpose", node("Transpose", ["x"], ["y"], perm=[2, 1, 0]), {"x": middle})
    fill = [node("Shape", ["x"], ["s"]), node("ConstantOfShape", ["s"], ["y"])]
    case("nothing_fill", fill, {"x": rows})
    case("nothing_range", [node("Size", ["x"], ["n"]), node("Range", ["a", "n", "b"], ["y"])],
         {"x": zeros(0)}, init={"a": np.int64(0), "b": np.int64(1)})


def products():
    matmul = node("MatMul", ["x", "z"], ["y"])
    for n, k, m in ((0, 3, 5), (2, 0, 5), (2, 3, 0), (0, 0, 5)):
        case("nothing_matmul_%d_%d_%d" % (n, k, m), matmul, {"x": zeros(n, k), "z": zeros(k, m)})
    case("nothing_matmul_batch", matmul, {"x": zeros(0, 2, 3, 4), "z": zeros(0, 2, 4, 5)})
    case("nothing_matmul_weights", [matmul, node("Add", ["y", "b"], ["q"]),
                                    node("Relu", ["q"], ["r"])],
         {"x": zeros(2, 0, 4)}, outs=("r",), init={"z": weights(4, 6), "b": weights(6)})
    for k in (0, 3):
        case("nothing_gemm_%d" % k, node("Gemm", ["x", "z", "b"], ["y"], transB=1),
             {"x": zeros(2 if k == 0 else 0, k), "z": zeros(5, k)}, init={"b": weights(5)})
    case("nothing_einsum", node("Einsum", ["x", "z"], ["y"], equation="bik,bkj->bij"),
         {"x": zeros(2, 3, 0), "z": zeros(2, 0, 4)})
    q, scale = weights(1, 2, 3, 4), np.float32(0.5)
    for queries, keys in ((0, 3), (3, 0), (0, 0)):
        kv = np.resize(q, (1, 2, keys, 4)).astype(np.float32)
        case("nothing_attention_%d_%d" % (queries, keys), [
            node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2]), node("MatMul", ["q", "t"], ["s"]),
            node("Mul", ["s", "scale"], ["u"]), node("Softmax", ["u"], ["p"], axis=-1),
            node("MatMul", ["p", "v"], ["y"])
        ], {"q": q[:, :, :queries], "k": kv, "v": kv}, init={"scale": scale})


def layers(batch):
    w, four = {"w": weights(5, 4, 3, 3), "b": weights(5)}, np.ones(4, np.float32)
    conv = node("Conv", ["x", "w", "b"], ["y"], pads=[1, 1, 1, 1])
    case("nothing_conv", conv, {"x": batch}, init=w)
    case("nothing_conv_relu", [conv, node("Relu", ["y"], ["z"])], {"x": batch}, outs=("z",), init=w)
    case("nothing_conv_depthwise", node("Conv", ["x", "w"], ["y"], group=4), {"x": batch},
         init={"w": weights(4, 1, 3, 3)})
    case("nothing_conv_transpose", node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2]),
         {"x": batch}, init={"w": weights(4, 5, 3, 3)})
    for op in ("MaxPool", "AveragePool", "LpPool"):
        case("nothing_" + op.lower(), node(op, ["x"], ["y"], kernel_shape=[2, 2]), {"x": batch})
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        case("nothing_" + op.lower(), node(op, ["x"], ["y"]), {"x": batch})
    norm = dict.fromkeys("sbmv", four)
    case("nothing_batch_norm", node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"]),
         {"x": batch}, init=norm)
    case("nothing_instance_norm", node("InstanceNormalization", ["x", "s", "b"], ["y"]),
         {"x": batch}, init={"s": four, "b": four})
    case("nothing_layer_norm", node("LayerNormalization", ["x", "s", "b"], ["y", "m", "d"]),
         {"x": zeros(2, 0, 4)}, outs=("y", "m", "d"), init={"s": four, "b": four}, opset=17)
    for mode in ("nearest", "linear", "cubic"):
        case("nothing_resize_" + mode, node("Resize", ["x", "", "s"], ["y"], mode=mode),
             {"x": batch}, init={"s": np.float32([1, 1, 2, 2])})
    case("nothing_depth_to_space", node("DepthToSpace", ["x"], ["y"], blocksize=2), {"x": batch})


def rows_body():
    rows = [helper.make_tensor_value_info(n, 1, [None, 3]) for n in ("p", "p2", "s2")]
    flag = [helper.make_tensor_value_info(n, 9, []) for n in ("c", "c2")]
    turn = helper.make_tensor_value_info("i", 7, [])
    nodes = [node("Identity", ["c"], ["c2"]), node("Neg", ["p"], ["p2"]),
             node("Relu", ["p2"], ["s2"])]
    return helper.make_graph(nodes, "body", [turn, flag[0], rows[0]], [flag[1], rows[1], rows[2]])


def group_queries():
    """GroupQueryAttention: caches that grow and caches that are buffers, sequences of other lengths."""
    angle = np.arange(32)[:, None] * np.arange(1, 9) / 10
    tables = {"cos": np.cos(angle).astype(np.float32), "sin": np.sin(angle).astype(np.float32)}

    def attend(name, batch, rows, past, last, kv=2, packed=False, tables=None, places=None, **more):
        random = np.random.RandomState(len(name) + batch)

        def numbers(*shape):
            return random.randn(*shape).astype(np.float32)

        feeds = {"q": numbers(batch, rows, (4 + 2 * kv if packed else 4) * 16)}
        if not packed:
            feeds.update(k=numbers(batch, rows, kv * 16), v=numbers(batch, rows, kv * 16))
        feeds.update(pk=numbers(batch, kv, past, 16), pv=numbers(batch, kv, past, 16),
                     last=np.array(last, np.int32), total=np.array(max(last) + 1, np.int32))
        ins = ["q"] + (["", ""] if packed else ["k", "v"]) + ["pk", "pv", "last", "total"]
        ins += ["cos", "sin"] if tables else []
        if places is not None:
            feeds["places"] = np.array(places, np.int64)
            ins.append("places")
        case("group_query_" + name,
             node("GroupQueryAttention", ins, ["y", "ck", "cv"], domain="com.microsoft",
                  num_heads=4, kv_num_heads=kv, do_rotary=int(tables is not None), **more),
             feeds, outs=("y", "ck", "cv"), init=tables, opset=17)

    attend("first", 2, 5, 0, [4, 4])
    attend("first_in_buffer", 2, 5, 12, [4, 4])
    attend("token", 2, 1, 6, [6, 6])
    attend("token_in_buffer", 2, 1, 12, [6, 6])
    attend("token_lengths", 3, 1, 6, [6, 3, 4])
    attend("token_lengths_in_buffer", 3, 1, 12, [6, 3, 4])
    attend("chunk", 1, 3, 4, [6])
    attend("chunk_in_buffer", 1, 3, 12, [6])
    attend("packed", 2, 5, 0, [4, 4], packed=True)
    attend("single_key_head", 2, 1, 6, [6, 6], kv=1)
    attend("softcap", 2, 5, 0, [4, 4], softcap=2.0)
    attend("scale", 2, 5, 0, [4, 4], scale=0.5)
    for window in (1, 3):
        attend("window_%d" % window, 2, 5, 0, [4, 4], local_window_size=window)
        attend("window_%d_token" % window, 2, 1, 6, [6, 6], local_window_size=window)
        attend("window_%d_chunk" % window, 1, 3, 6, [8], local_window_size=window)
    for interleaved in (0, 1):
        turn = {"tables": tables, "rotary_interleaved": interleaved}
        attend("rotary_%d_first" % interleaved, 2, 5, 0, [4, 4], **turn)
        attend("rotary_%d_token" % interleaved, 2, 1, 6, [6, 6], **turn)
        attend("rotary_%d_lengths" % interleaved, 3, 1, 12, [6, 3, 4], **turn)
        attend("rotary_%d_packed" % interleaved, 2, 1, 6, [6, 6], packed=True, **turn)
    attend("rotary_places", 2, 1, 6, [6, 6], tables=tables, places=[[7], [5]])


def loop_body():
    number = [helper.make_tensor_value_info(n, 1, []) for n in ("p", "p2", "s2")]
    flag = [helper.make_tensor_value_info(n, 9, []) for n in ("c", "c2")]
    turn = helper.make_tensor_value_info("i", 7, [])
    nodes = [node("Identity", ["c"], ["c2"]), node("Add", ["p", "one"], ["p2"]),
             node("Identity", ["p2"], ["s2"])]
    one = numpy_helper.from_array(np.float32(1), "one")
    return helper.make_graph(nodes, "body", [turn, flag[0], number[0]],
                             [flag[1], number[1], number[2]], [one])


def branch(name, first, second):
    outs = [helper.make_tensor_value_info(name + n, 1, None) for n in "12"]
    nodes = [node(first, ["x"], [name + "1"]), node(second, ["x"], [name + "2"])]
    return helper.make_graph(nodes, name, [], outs)


def unread():
    """Of several outputs one is read."""
    k = {"k": i64(2)}
    case("unread_topk_values", node("TopK", ["x", "k"], ["v", "y"]), {"x": X}, init=k, opset=11)
    case("unread_topk_indices", [node("TopK", ["x", "k"], ["v", "i"]), node("Relu", ["v"], ["y"])],
         {"x": X}, init=k, opset=11)
    case("unread_split_first", node("Split", ["x"], ["a", "y"], axis=2), {"x": X}, opset=11)
    case("unread_split_last", [
        node("Split", ["x"], ["a", "b"], axis=2), node("Neg", ["a"], ["y"])
    ], {"x": X}, opset=11)
    w = RANDOM.randn(1, 20, 4).astype(np.float32)
    r = RANDOM.randn(1, 20, 5).astype(np.float32)
    for op, outs, rows in (("LSTM", "hyc", 20), ("LSTM", "yhc", 20), ("LSTM", "hcy", 20),
                           ("GRU", "hy", 15), ("GRU", "yh", 15), ("RNN", "hy", 5)):
        case("unread_%s_%s" % (op.lower(), outs),
             node(op, ["x", "w", "r"], list(outs), hidden_size=5), {"x": X},
             init={"w": w[:, :rows], "r": r[:, :rows]})
    image = RANDOM.randn(1, 2, 6, 6).astype(np.float32)
    for outs in ("yi", "vy"):
        case("unread_max_pool_" + outs, node("MaxPool", ["x"], list(outs), kernel_shape=[2, 2]),
             {"x": image}, opset=12)
    for outs in ("viyc", "yijc"):
        case("unread_unique_" + outs, node("Unique", ["x"], list(outs)), {"x": i64(3, 1, 3, 2, 1)},
             opset=11)
    for outs in ("ym", "dy"):
        case("unread_dropout_" + outs, node("Dropout", ["x"], list(outs)), {"x": X}, opset=12)
    for outs in ("qyz", "qsy"):
        case("unread_dynamic_quantize_" + outs, node("DynamicQuantizeLinear", ["x"], list(outs)),
             {"x": X}, opset=11)
    case("unread_layer_norm", node("LayerNormalization", ["x", "g"], ["y", "m", "s"]), {"x": X},
         init={"g": np.ones(4, np.float32)}, opset=17)
    case("unread_layer_norm_data", node("LayerNormalization", ["x", "g"], ["q", "y", "s"]),
         {"x": X}, init={"g": np.ones(4, np.float32)}, opset=17)
    for outs in ("qy", "yq"):
        case("unread_loop_" + outs, node("Loop", ["n", "t", "x"], list(outs), body=loop_body()),
             {"n": np.int64(3), "x": np.float32(2)}, init={"t": np.array(True)})
    case("unread_if", node("If", ["c"], ["q", "y"], then_branch=branch("a", "Relu", "Neg"),
                           else_branch=branch("b", "Neg", "Relu")), {"c": np.array(True), "x": X})


def tensors(*names):
    return [helper.make_value_info(n, helper.make_sequence_type_proto(
        helper.make_tensor_type_proto(1, None))) for n in names]


def growing(element, n_lists=1, carried=()):
    """Turns that put element(s) into sequences s0, s1, ..., beside carried values."""
    turn = helper.make_tensor_value_info("i", 7, [])
    flags = [helper.make_tensor_value_info(n, 9, []) for n in ("c", "c2")]
    nodes = element + [node("Identity", ["c"], ["c2"])]
    nodes += [node("SequenceInsert", ["s%d" % k, "e%d" % k], ["t%d" % k]) for k in range(n_lists)]
    ins = [helper.make_tensor_value_info(n, 1, None) for n in carried]
    outs = [helper.make_tensor_value_info(n + "2", 1, None) for n in carried]
    return helper.make_graph(
        nodes, "body", [turn, flags[0]] + ins + tensors(*("s%d" % k for k in range(n_lists))),
        [flags[1]] + outs + tensors(*("t%d" % k for k in range(n_lists))))


def sequences():
    """Lists of PyTorch: appended to in loops, joined behind them; pieces of tensors."""
    x, n = {"x": X[0]}, {"n": np.int64(3)}
    true = {"t": np.array(True)}
    empty = node("SequenceEmpty", [], ["s"])
    pick = [node("Gather", ["x", "i"], ["e0"], axis=0)]
    ends = {"one": i64(1), "zero": i64(0), "axis": i64(1)}
    cut = [node("Reshape", ["i", "one"], ["i1"]), node("Add", ["i1", "one"], ["end"]),
           node("Slice", ["x", "zero", "end", "axis"], ["e0"])]

    def loop(body, before=(empty,), ins=("s",), outs=("z",)):
        return list(before) + [node("Loop", ["n", "t"] + list(ins), list(outs), body=body)]

    def concat(out="y", of="z", **attributes):
        return node("ConcatFromSequence", [of], [out], **attributes)

    for axis, new_axis in ((0, 0), (-1, 0), (0, 1), (1, 1), (-1, 1)):
        case("sequence_loop_%d_%d" % (axis, new_axis),
             loop(growing(pick)) + [concat(axis=axis, new_axis=new_axis)], {**x, **n}, init=true)
    for axis in (1, -1):
        case("sequence_loop_sizes_%d" % axis, loop(growing(cut)) + [concat(axis=axis)],
             {**x, **n}, init={**true, **ends})
    begun = [node("Gather", ["x", "one"], ["g"], axis=0),
             node("Reshape", ["g", "row"], ["b"]), node("SequenceConstruct", ["b"], ["s"])]
    rows = {"one": i64(1), "row": i64(-1)}
    for turns in (0, 2):
        case("sequence_loop_begun_%d" % turns, loop(growing(pick), begun) +
             [concat(axis=0, new_axis=1)], {**x, "n": np.int64(turns)}, init={**true, **rows})
        case("sequence_loop_begun_%d_last" % turns, loop(growing(pick), begun) +
             [concat(axis=-1, new_axis=1)], {**x, "n": np.int64(turns)}, init={**true, **rows})
    two = pick + [node("Add", ["p", "e0"], ["p2"]), node("Mul", ["p2", "e0"], ["e1"])]
    case("sequence_loop_two", [node("SequenceEmpty", [], ["u"])] + loop(
        growing(two, 2, ["p"]), ins=("p", "s", "u"), outs=("q", "z", "v")) +
        [concat(axis=1, new_axis=1), concat("w", "v", axis=0)],
        {**x, **n, "p": X[1, 0]}, outs=("y", "w", "q"), init=true)
    case("sequence_loop_read", loop(growing(pick)) +
         [node("SequenceLength", ["z"], ["l"]), node("SequenceAt", ["z", "last"], ["y"])],
         {**x, **n}, outs=("y", "l"), init={**true, "last": np.int64(-1)})
    both = [helper.make_graph([concat(name, axis=0, new_axis=1)], name, [],
                              [helper.make_tensor_value_info(name, 1, None)]) for name in "ab"]
    case("sequence_loop_in_branch", loop(growing(pick)) +
         [node("If", ["d"], ["y"], then_branch=both[0], else_branch=both[1])],
         {**x, **n, "d": np.array(True)}, init=true)
    put = [node("Neg", ["x"], ["x2"]), node("SequenceConstruct", ["x", "x2"], ["s"]),
           node("SequenceInsert", ["s", "x"], ["z"]), node("SequenceLength", ["z"], ["l"]),
           node("SequenceAt", ["z", "k"], ["w"])]
    for new_axis, opset in ((0, 11), (1, 11), (1, 13)):
        case("sequence_put_%d_op%d" % (new_axis, opset), put + [concat(axis=1, new_axis=new_axis)],
             x, outs=("y", "l", "w"), init={"k": np.int64(-2)}, opset=opset)

    def pieces(name, split, index, opset=13, **attributes):
        feeds = {"x": X[0], "k": np.int64(index)}
        init = {} if split is None else {"sizes": np.array(split)}
        ins = ["x"] + list(init)
        case("sequence_pieces_" + name,
             [node("SplitToSequence", ins, ["s"], **attributes),
              node("SequenceAt", ["s", "k"], ["y"]), node("SequenceLength", ["s"], ["l"])],
             feeds, outs=("y", "l"), init=init, opset=opset)

    for index in (0, 2, -1):
        pieces("single_%d" % index, None, index, axis=0)
        pieces("dropped_%d" % index, None, index, axis=-1, keepdims=0)
        pieces("size_%d" % index, np.int64(2), min(index, 1), axis=1)
        pieces("sizes_%d" % index, i64(1, 0, 3), index, axis=1, opset=11)
    pieces("int32", np.array([1, 3], np.int32), 1, axis=1)
    case("sequence_pieces_in_loop", [
        node("SplitToSequence", ["x", "sizes"], ["a"], axis=1)] + loop(
            growing([node("SequenceAt", ["a", "i"], ["b"]), node("Neg", ["b"], ["e0"])])) +
        [concat(axis=1)], {**x, "n": np.int64(2)}, init={**true, "sizes": i64(3, 1)})


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    for group in (shapes, reshapes, squeezes, expansions, ranges, types, graphs, dropouts, empties,
                  unread, sequences, nothing, group_queries):
        group()
    image_cases.write_all(case)
    contrib_cases.write_all(case)
