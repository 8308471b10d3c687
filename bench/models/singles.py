"""Single operators on 0.1 to 16 MB, each as a model of its own, to find what is slower than in another engine."""
import itertools

import numpy as np

import moves

SHAPE = [16, 64, 32, 32]  # 4 MB
ROWS = [8, 256, 512]
NUMPY = {"i32": np.int32, "i64": np.int64}
random = np.random.default_rng(3)


def floats(*shape):
    return (random.standard_normal(shape) / 8).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def one(op, shape, out=None, dtypes=("f32", "f32"), constants=None, opset=16, more=(), **attributes):
    """x0, then further inputs, then constants."""
    inputs = [(dtypes[0], list(shape)), *more]
    constants = constants or {}
    names = [f"x{i}" for i in range(len(inputs))] + list(constants)
    return dict(inputs=inputs, constants=constants, nodes=[(op, names, attributes)], opset=opset,
                out=(dtypes[1], list(out or shape)))


UNARY = """Abs Ceil Floor Round Sign Neg Reciprocal Exp Erf Sigmoid Tanh Sin Cos Tan Atan Sinh Asinh Softplus Softsign
Relu LeakyRelu Elu Selu Celu HardSigmoid HardSwish ThresholdedRelu Identity Mish Gelu""".split()
OPSETS = {"Mish": 18, "Gelu": 20}


def pointwise():
    table = {f"{op.lower()}": one(op, ROWS, opset=OPSETS.get(op, 16)) for op in UNARY}
    for op in ("Sqrt", "Log"):
        entry = one(op, ROWS)
        entry["nodes"] = [("Abs", ["x0"], {}, "a"), (op, ["a"], {})]
        table[op.lower() + "-abs"] = entry
    for op in ("Add", "Sub", "Mul", "Div", "Pow", "Mod", "Max", "Min", "PRelu", "Less", "Greater", "Equal",
               "LessOrEqual", "GreaterOrEqual"):
        out = "bool" if op in ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual") else "f32"
        extra = {"fmod": 1} if op == "Mod" else {}
        for name, other in (("same", ROWS), ("row", [512]), ("column", [8, 256, 1]), ("scalar", [1])):
            table[f"{op.lower()}-{name}"] = one(op, ROWS, dtypes=("f32", out), more=[("f32", other)], **extra)
    for dtype in ("i32", "i64"):
        for op in ("Add", "Mul", "Div", "Max", "Less", "Equal"):
            out = "bool" if op in ("Less", "Equal") else dtype
            other = np.full(ROWS, 3, NUMPY[dtype]) if op == "Div" else None
            table[f"{op.lower()}-{dtype}"] = one(op, ROWS, dtypes=(dtype, out), more=[] if op == "Div" else [(dtype, ROWS)],
                                                 constants={"c": other} if op == "Div" else {})
        table[f"mod-{dtype}"] = one("Mod", ROWS, dtypes=(dtype, dtype), constants={"c": np.array(3, NUMPY[dtype])})
    for op in ("And", "Or", "Xor"):
        table[f"{op.lower()}"] = one(op, ROWS, dtypes=("bool", "bool"), more=[("bool", ROWS)])
    for op in ("IsNaN", "IsInf"):
        table[op.lower()] = one(op, ROWS, dtypes=("f32", "bool"), opset=13)
    table["pow-3"] = one("Pow", ROWS, constants={"c": np.float32(3)})
    table["pow-1.7"] = moves.power(1.7)
    table["clip"] = one("Clip", ROWS, constants={"a": np.float32(-1), "b": np.float32(1)})
    table["sum-3"] = one("Sum", ROWS, more=[("f32", ROWS)] * 2)
    table["mean-3"] = one("Mean", ROWS, more=[("f32", ROWS)] * 2)
    table["where"] = one("Where", ROWS, dtypes=("bool", "f32"), more=[("f32", ROWS)] * 2)
    table["where-row"] = one("Where", [8, 1, 512], ROWS, dtypes=("bool", "f32"), more=[("f32", ROWS), ("f32", [1])])
    table["bitshift"] = one("BitShift", ROWS, dtypes=("u8", "u8"), more=[("u8", ROWS)], direction="LEFT")
    return table


REDUCTIONS = """ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum
ReduceLogSumExp""".split()


def reductions():
    table = {}
    for op in REDUCTIONS:
        for name, axes in (("last", [2]), ("middle", [1]), ("first", [0]), ("all", [0, 1, 2]), ("ends", [0, 2]), ("space", [1, 2])):
            out = [1 if d in axes else n for d, n in enumerate(ROWS)]
            entry = one(op, ROWS, out, constants={"axes": ints(*axes)}, opset=18)
            if op == "ReduceLogSum":
                entry["nodes"] = [("Abs", ["x0"], {}, "a"), (op, ["a", "axes"], {})]
            table[f"{op.lower()}-{name}"] = entry
    for axis, name in enumerate(("first", "middle", "last")):
        out = [1 if d == axis else n for d, n in enumerate(ROWS)]
        for op in ("ArgMax", "ArgMin"):
            table[f"{op.lower()}-{name}"] = one(op, ROWS, out, dtypes=("f32", "i64"), axis=axis)
        for op in ("Softmax", "LogSoftmax", "Hardmax"):
            table[f"{op.lower()}-{name}"] = one(op, ROWS, axis=axis)
        for exclusive, reverse in ((0, 0), (1, 1)):
            table[f"cumsum-{name}{'-reverse' if reverse else ''}"] = one(
                "CumSum", ROWS, constants={"axis": np.array(axis)}, exclusive=exclusive, reverse=reverse)
        for k in (1, 10, 100):
            if k < ROWS[axis]:
                out = [k if d == axis else n for d, n in enumerate(ROWS)]
                entry = one("TopK", ROWS, out, constants={"k": ints(k)})
                entry["nodes"] = [("TopK", ["x0", "k"], {"axis": axis}, "y", "i")]
                table[f"topk-{name}-{k}"] = entry
        table[f"lpnorm-{name}"] = one("LpNormalization", ROWS, axis=axis)
    for dtype in ("i32", "i64"):
        table[f"reducesum-last-{dtype}"] = one("ReduceSum", ROWS, ROWS[:2] + [1], dtypes=(dtype, dtype),
                                               constants={"axes": ints(2)})
        table[f"reducemax-last-{dtype}"] = one("ReduceMax", ROWS, ROWS[:2] + [1], dtypes=(dtype, dtype), axes=[2])
    return table


def gathers():
    table = {}
    for axis, name in enumerate(("first", "middle", "last")):
        n = ROWS[axis]
        index = random.integers(0, n, n)
        table[f"gather-{name}"] = one("Gather", ROWS, constants={"i": index}, axis=axis)
        index = random.integers(0, n, ROWS)
        table[f"gatherelements-{name}"] = one("GatherElements", ROWS, constants={"i": index}, axis=axis)
        for reduction in ("none", "add"):
            table[f"scatterelements-{name}-{reduction}"] = dict(
                inputs=[("f32", ROWS), ("f32", ROWS)], constants={"i": index}, out=("f32", ROWS),
                nodes=[("ScatterElements", ["x0", "i", "x1"], {"axis": axis, "reduction": reduction})])
    rows = np.stack([random.integers(0, 8, 2048), random.integers(0, 256, 2048)], -1)
    table["gathernd-rows"] = one("GatherND", ROWS, [2048, 512], constants={"i": rows})
    table["gathernd-elements"] = one("GatherND", ROWS, [1 << 18], constants={
        "i": np.stack([random.integers(0, n, 1 << 18) for n in ROWS], -1)})
    table["gathernd-batch"] = one("GatherND", ROWS, [8, 300, 512], constants={"i": random.integers(0, 256, (8, 300, 1))},
                                  batch_dims=1)
    for reduction in ("none", "add"):
        table[f"scatternd-rows-{reduction}"] = dict(
            inputs=[("f32", ROWS), ("f32", [2048, 512])], constants={"i": rows}, out=("f32", ROWS),
            nodes=[("ScatterND", ["x0", "i", "x1"], {"reduction": reduction})])
    table["embedding"] = dict(inputs=[("i64", [4096])], constants={"w": floats(1000, 256)}, out=("f32", [4096, 256]),
                              nodes=[("Gather", ["w", "x0"], {})])
    table["onehot"] = dict(inputs=[("i64", [4096])], constants={"d": ints(256), "v": np.array([0, 1], np.float32)},
                           out=("f32", [4096, 256]), nodes=[("OneHot", ["x0", "d", "v"], {})])
    table["onehot-first"] = dict(inputs=[("i64", [4096])], constants={"d": ints(256), "v": np.array([0, 1], np.float32)},
                                 out=("f32", [256, 4096]), nodes=[("OneHot", ["x0", "d", "v"], {"axis": 0})])
    table["compress"] = one("Compress", ROWS, [8, 128, 512], constants={"c": np.arange(256) % 2 == 0}, axis=1)
    table["reversesequence"] = one("ReverseSequence", ROWS, constants={"n": np.full(256, 8)}, batch_axis=1, time_axis=0)
    return table


def layouts():
    table = {}
    for shape in ([64, 128, 96], [16, 48, 32, 40]):
        for perm in list(itertools.permutations(range(len(shape))))[1:]:
            table[f"transpose-{''.join(map(str, perm))}"] = one("Transpose", shape, [shape[p] for p in perm], perm=list(perm))
    for dtype in ("u8", "i64", "bool"):
        table[f"transpose-021-{dtype}"] = one("Transpose", ROWS, [8, 512, 256], dtypes=(dtype, dtype), perm=[0, 2, 1])
    for axis, name in enumerate(("first", "middle", "last")):
        part = [n // 2 if d == axis else n for d, n in enumerate(ROWS)]
        table[f"concat-{name}"] = one("Concat", part, ROWS, more=[("f32", part)], axis=axis)
        entry = one("Split", ROWS, part, axis=axis)
        entry["nodes"] = [("Split", ["x0"], {"axis": axis}, "a", "b"), ("Add", ["a", "b"], {})]
        table[f"split-{name}"] = entry
        cut = [n - 3 if d == axis else n for d, n in enumerate(ROWS)]
        table[f"slice-{name}"] = one("Slice", ROWS, cut, constants={"s": ints(1), "e": ints(ROWS[axis] - 2), "a": ints(axis)})
        table[f"slice-{name}-2"] = one("Slice", ROWS, part, constants={
            "s": ints(0), "e": ints(ROWS[axis]), "a": ints(axis), "t": ints(2)})
        table[f"slice-{name}-back"] = one("Slice", ROWS, constants={
            "s": ints(-1), "e": ints(-9999), "a": ints(axis), "t": ints(-1)})
        pads = [0] * 6
        pads[axis] = pads[axis + 3] = 2
        out = [n + 4 if d == axis else n for d, n in enumerate(ROWS)]
        for mode in ("constant", "reflect", "edge"):
            table[f"pad-{name}-{mode}"] = one("Pad", ROWS, out, constants={"p": ints(*pads)}, mode=mode)
        repeats = [2 if d == axis else 1 for d in range(3)]
        table[f"tile-{name}"] = one("Tile", part, ROWS, constants={"r": ints(*repeats)})
        flat = [1 if d == axis else n for d, n in enumerate(ROWS)]
        table[f"expand-{name}"] = one("Expand", flat, ROWS, constants={"s": ints(*ROWS)})
    table["trilu"] = one("Trilu", ROWS)
    table["trilu-lower"] = one("Trilu", ROWS, upper=0)
    table["depthtospace"] = one("DepthToSpace", SHAPE, [16, 16, 64, 64], blocksize=2)
    table["depthtospace-crd"] = one("DepthToSpace", SHAPE, [16, 16, 64, 64], blocksize=2, mode="CRD")
    table["spacetodepth"] = one("SpaceToDepth", SHAPE, [16, 256, 16, 16], blocksize=2)
    for pair in ("f32-i64", "i64-f32", "i32-f32", "f32-i32", "i64-i32", "i32-i64", "bool-f32", "f32-bool", "i64-bool",
                 "bool-i64", "u8-f32", "f32-u8", "f32-f64", "f64-f32", "f32-f16", "f16-f32", "bool-i32", "i32-bool"):
        table[f"cast-{pair}"] = moves.cast(*pair.split("-"))
    return table


def resizes():
    table = {}
    half = [16, 64, 16, 16]
    for mode in ("nearest", "linear", "cubic"):
        for coordinates in ("asymmetric", "half_pixel", "align_corners"):
            table[f"resize-{mode}-{coordinates}-up"] = one(
                "Resize", half, SHAPE, constants={"r": np.zeros(0, np.float32), "s": np.array([1, 1, 2, 2], np.float32)},
                mode=mode, coordinate_transformation_mode=coordinates)
        table[f"resize-{mode}-down"] = one(
            "Resize", SHAPE, half, constants={"r": np.zeros(0, np.float32), "s": np.array([1, 1, .5, .5], np.float32)}, mode=mode)
        if mode != "cubic":
            table[f"resize-{mode}-1d"] = one(
                "Resize", [16, 64, 512], [16, 64, 1024],
                constants={"r": np.zeros(0, np.float32), "s": np.array([1, 1, 2], np.float32)}, mode=mode)
    return table


def norms():
    ones, zeros = np.ones(64, np.float32), np.zeros(64, np.float32)
    table = {"instancenorm": one("InstanceNormalization", SHAPE, constants={"s": ones, "b": zeros}),
             "instancenorm-1d": one("InstanceNormalization", [16, 64, 1000], constants={"s": ones, "b": zeros}),
             "groupnorm": one("GroupNormalization", SHAPE, constants={"s": ones, "b": zeros}, num_groups=8, opset=21),
             "batchnorm": one("BatchNormalization", SHAPE, constants={"s": ones, "b": zeros, "m": floats(64), "v": ones}),
             "layernorm": one("LayerNormalization", ROWS, constants={"s": floats(512), "b": floats(512)}, opset=17),
             "layernorm-96": one("LayerNormalization", [16, 640, 96], constants={"s": floats(96), "b": floats(96)}, opset=17),
             "layernorm-space": one("LayerNormalization", ROWS, constants={"s": floats(256, 512), "b": floats(256, 512)},
                                    axis=1, opset=17),
             "rmsnorm": one("RMSNormalization", ROWS, constants={"s": floats(512)}, opset=23),
             "meanvariance": one("MeanVarianceNormalization", SHAPE),
             "lrn": one("LRN", SHAPE, size=5),
             "globalaveragepool": one("GlobalAveragePool", SHAPE, [16, 64, 1, 1]),
             "globalmaxpool": one("GlobalMaxPool", SHAPE, [16, 64, 1, 1]),
             "globallppool": one("GlobalLpPool", SHAPE, [16, 64, 1, 1])}
    for op in ("AveragePool", "MaxPool", "LpPool"):
        for k, s in ((2, 2), (3, 1), (3, 2), (5, 1)):
            pad = k // 2 if k % 2 else 0
            out = [16, 64, 32 // s, 32 // s]
            table[f"{op.lower()}-{k}-s{s}"] = one(op, SHAPE, out, kernel_shape=[k, k], strides=[s, s], pads=[pad] * 4)
        for k, s in ((2, 2), (3, 1), (3, 2), (8, 4)):
            pad = k // 2 if k % 2 else 0
            out = [16, 64, (1024 + 2 * pad - k) // s + 1]
            table[f"{op.lower()}-1d-{k}-s{s}"] = one(op, [16, 64, 1024], out, kernel_shape=[k], strides=[s], pads=[pad] * 2)
        table[f"{op.lower()}-3d"] = one(op, [4, 32, 16, 32, 16], kernel_shape=[3] * 3, strides=[1] * 3, pads=[1] * 6)
    return table


def convs():
    table = {}
    for c_out in (8, 16, 32, 64):
        for k, s in ((3, 1), (3, 2), (5, 1), (7, 2)):
            shape, p = [1, 1, 200, 80], k // 2
            out = [1, c_out] + [(n + 2 * p - k) // s + 1 for n in shape[2:]]
            table[f"conv-first-{c_out}-{k}x{k}-s{s}"] = one(
                "Conv", shape, out, constants={"w": floats(c_out, 1, k, k), "b": floats(c_out)}, strides=[s, s], pads=[p] * 4)
    for c_out, k, s in ((512, 10, 5), (64, 16, 8), (256, 20, 10), (128, 80, 4), (80, 251, 1), (128, 400, 160), (64, 64, 32),
                        (32, 7, 1), (16, 3, 1), (64, 5, 1)):
        t = 16000
        table[f"conv-audio-{c_out}-k{k}-s{s}"] = one(
            "Conv", [1, 1, t], [1, c_out, (t - k) // s + 1], constants={"w": floats(c_out, 1, k), "b": floats(c_out)}, strides=[s])
    table["conv-first-rgb"] = one("Conv", [1, 3, 128, 128], [1, 32, 64, 64], constants={
        "w": floats(32, 3, 3, 3), "b": floats(32)}, strides=[2, 2], pads=[1] * 4)
    table["convtranspose-1d"] = one("ConvTranspose", [1, 64, 500], [1, 32, 2000], constants={
        "w": floats(64, 32, 8), "b": floats(32)}, strides=[4], pads=[2, 2])
    table["convtranspose-2d"] = one("ConvTranspose", [1, 32, 40, 40], [1, 16, 80, 80], constants={
        "w": floats(32, 16, 4, 4), "b": floats(16)}, strides=[2, 2], pads=[1] * 4)
    table["conv-3d"] = one("Conv", [1, 8, 16, 32, 32], [1, 16, 16, 32, 32], constants={
        "w": floats(16, 8, 3, 3, 3), "b": floats(16)}, pads=[1] * 6)
    table["conv-groups"] = one("Conv", [1, 64, 64, 64], constants={"w": floats(64, 16, 3, 3), "b": floats(64)}, pads=[1] * 4,
                               group=4)
    table["conv-depthwise"] = one("Conv", [1, 64, 64, 64], constants={"w": floats(64, 1, 3, 3), "b": floats(64)}, pads=[1] * 4,
                                  group=64)
    table["conv-dilated"] = one("Conv", [1, 32, 64, 64], constants={"w": floats(32, 32, 3, 3), "b": floats(32)}, pads=[2] * 4,
                                dilations=[2, 2])
    table["conv-1x1"] = one("Conv", [1, 64, 64, 64], constants={"w": floats(64, 64, 1, 1), "b": floats(64)})
    return table


def products():
    table = {}
    for name, a, b in (("batched", [16, 128, 64], [16, 64, 128]), ("heads", [8, 12, 64, 64], [8, 12, 64, 64]),
                       ("small", [256, 16, 16], [256, 16, 16]), ("tiny", [4096, 4, 4], [4096, 4, 4]),
                       ("vector", [1, 1024], [1024, 1024]), ("row-vector", [64, 1, 64], [64, 64, 64]),
                       ("column", [512, 512], [512, 1]), ("square", [384, 384], [384, 384]), ("thin", [2000, 8], [8, 256]),
                       ("broadcast", [32, 64, 64], [64, 64])):
        out = a[:-1] + [b[-1]]
        table[f"matmul-{name}"] = one("MatMul", a, out, more=[("f32", b)])
        if len(b) == 2:
            table[f"matmul-{name}-weights"] = one("MatMul", a, out, constants={"w": floats(*b)})
    for ta, tb in itertools.product((0, 1), (0, 1)):
        a, b = ([256, 300] if ta else [300, 256]), ([128, 256] if tb else [256, 128])
        table[f"gemm-{ta}{tb}"] = one("Gemm", a, [300, 128], more=[("f32", b)], constants={"c": floats(128)}, transA=ta, transB=tb)
        table[f"gemm-{ta}{tb}-weights"] = one("Gemm", a, [300, 128], constants={"w": floats(*b), "c": floats(128)},
                                              transA=ta, transB=tb)
    for name, equation, a, b, out in (
            ("bhid", "bhid,bhjd->bhij", [4, 8, 64, 32], [4, 8, 64, 32], [4, 8, 64, 64]),
            ("bihd", "bihd,bjhd->bhij", [4, 64, 8, 32], [4, 64, 8, 32], [4, 8, 64, 64]),
            ("outer", "i,j->ij", [1024], [1024], [1024, 1024]), ("dot", "bi,bi->b", [1024, 512], [1024, 512], [1024]),
            ("bilinear", "bik,kj->bij", [16, 64, 128], [128, 64], [16, 64, 64]),
            ("nc", "nct,cv->nvt", [8, 64, 500], [64, 96], [8, 96, 500])):
        table[f"einsum-{name}"] = one("Einsum", a, out, more=[("f32", b)], equation=equation)
    return table


def recurrences():
    table = {}
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for h in (8, 16, 32, 64):
            for batch in (1, 16):
                table[f"{op.lower()}-{h}x{batch}"] = one(
                    op, [100, batch, h], [100, 1, batch, h], hidden_size=h,
                    constants={"w": floats(1, gates * h, h), "r": floats(1, gates * h, h), "b": floats(1, 2 * gates * h)})
    return table


def signals():
    return {"dft-512": one("DFT", [64, 512, 1], [64, 512, 2], axis=1, opset=17),
            "dft-onesided": one("DFT", [64, 512, 1], [64, 257, 2], axis=1, onesided=1, opset=17)}


def singles():
    return {**pointwise(), **reductions(), **gathers(), **layouts(), **resizes(), **norms(), **convs(), **products(),
            **recurrences(), **signals()}


def write(folder):
    for name, entry in singles().items():
        moves.save(entry, f"{folder}/single-{name}.onnx")
