"""Cases of make_edge_cases.py for operators of images, signals and decoders, and for old forms. Where ONNX Runtime has
no kernel for the CPU, numpy computes what the specification says (`expect`)."""
import numpy as np
from onnx import helper

node = helper.make_node
case = None  # that of make_edge_cases.py


def i64(*values):
    return np.array(values, np.int64)


def name_of(dtype):
    return np.dtype(dtype).name


def drawing(seed):
    """Each group draws numbers of its own, so that others may come before it."""
    draws = np.random.RandomState(seed)
    return lambda *dims: draws.randn(*dims).astype(np.float32)


def columns_of(image, block, dilations, pads, strides):
    n = len(image)
    return [(image[i] + pads[i] + pads[n + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
            for i in range(n)]


def col2im_of(x, image, block, dilations, pads, strides):
    """By adding up one element after the other."""
    n, places = len(image), columns_of(image, block, dilations, pads, strides)
    x = x.reshape([x.shape[0], -1] + list(block) + places)
    y = np.zeros(x.shape[:2] + tuple(image), x.dtype)
    for at in np.ndindex(*(list(block) + places)):
        to = [at[n + i] * strides[i] + at[i] * dilations[i] - pads[i] for i in range(n)]
        if all(0 <= to[i] < image[i] for i in range(n)):
            y[(slice(None), slice(None)) + tuple(to)] += x[(slice(None), slice(None)) + at]
    return y


def columns():
    draw = drawing(11)
    forms = [("plain", [5, 5], [1, 5], {}), ("overlap", [5, 6], [2, 3], {}),
             ("strides", [6, 7], [2, 3], {"strides": [2, 3]}),
             ("pads", [4, 5], [3, 2], {"pads": [1, 0, 2, 1]}),
             ("dilations", [7, 6], [2, 2], {"dilations": [3, 2]}),
             ("all", [8, 9], [3, 2], {"dilations": [1, 3], "pads": [2, 1, 0, 1], "strides": [2, 2]}),
             ("line", [9], [4], {"strides": [2], "pads": [1, 2]}),
             ("cube", [4, 3, 5], [2, 1, 3], {"pads": [0, 1, 1, 1, 0, 0], "strides": [1, 2, 1]})]
    for name, image, block, attributes in forms:
        n = len(image)
        full = {"dilations": [1] * n, "pads": [0] * 2 * n, "strides": [1] * n, **attributes}
        places = int(np.prod(columns_of(image, block, **full)))
        x = draw(2, 3 * int(np.prod(block)), places)
        op = node("Col2Im", ["x", "s", "b"], ["y"], **attributes)
        sizes = {"s": i64(*image), "b": i64(*block)}
        case("col2im_" + name, op, {"x": x}, init=sizes, opset=18)
        case("col2im_%s_inputs" % name, op, {"x": x, **sizes}, opset=18)
        x = x.astype(np.float64)
        case("col2im_%s_float64" % name, op, {"x": x}, init=sizes, opset=18,
             expect=[col2im_of(x, image, block, **full)])
    case("col2im_computed", [
        node("Shape", ["i"], ["h"]), node("Slice", ["h", "two", "four"], ["s"]),
        node("Col2Im", ["x", "s", "b"], ["y"])
    ], {"x": draw(2, 12, 20), "i": draw(1, 1, 5, 6)},
         init={"two": i64(2), "four": i64(4), "b": i64(2, 2)}, opset=18)
    x = draw(1, 4, 12).astype(np.float16)
    case("col2im_float16", node("Col2Im", ["x", "s", "b"], ["y"]), {"x": x},
         init={"s": i64(4, 5), "b": i64(2, 2)}, opset=18,
         expect=[col2im_of(x.astype(np.float32), [4, 5], [2, 2], [1] * 2, [0] * 4, [1] * 2).astype(
             np.float16)])


def grid_taps(mode, padding, align, at, n):
    """Elements of an axis and their weights at a place of -1 to 1."""
    at = (at + 1) / 2 * (n - 1) if align else ((at + 1) * n - 1) / 2
    below = int(np.floor(at))
    t = at - below
    if mode == "nearest":
        taps = [(int(np.rint(at)), 1.0)]
    elif mode == "linear":
        taps = [(below, 1 - t), (below + 1, t)]
    else:
        a = -0.75
        near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
        far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        taps = [(below - 1, far(t + 1)), (below, near(t)), (below + 1, near(1 - t)),
                (below + 2, far(2 - t))]
    for i, weight in taps:
        if padding == "border":
            i = min(max(i, 0), n - 1)
        elif padding == "reflection":
            period = max(2 * (n - 1) if align else 2 * n, 1)
            i %= period
            i = i if i < n else period - i - (0 if align else 1)
        if 0 <= i < n:
            yield i, weight


def grid_sample_of(x, grid, mode, padding, align):
    y = np.zeros(x.shape[:2] + grid.shape[1:-1], x.dtype)
    for place in np.ndindex(*grid.shape[:-1]):
        sums = {(): 1.0}
        for d, n in enumerate(x.shape[2:]):
            at = float(grid[place][len(x.shape) - 3 - d])
            sums = {k + (i, weight): None for k in sums
                    for i, weight in grid_taps(mode, padding, align, at, n)}
        for key in sums:
            at, weight = key[::2], float(np.prod(key[1::2]))
            y[(place[0], slice(None)) + place[1:]] += weight * x[(place[0], slice(None)) + at]
    return y


def grids():
    draw = drawing(12)
    old = {"linear": "bilinear", "nearest": "nearest", "cubic": "bicubic"}
    spaces = {"2d": ((5, 6), (3, 4)), "3d": ((3, 4, 5), (2, 3, 4)), "1d": ((7,), (5,))}
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for align in (0, 1):
                for space, (inside, out) in spaces.items():
                    x, grid = draw(2, 3, *inside), 1.3 * draw(2, *out, len(inside))
                    name = "grid_sample_%s_%s_%s_%d" % (space, mode, padding, align)
                    op = node("GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding,
                              align_corners=align)
                    runs = space == "2d" or (space == "3d" and mode != "cubic")
                    case(name, op, {"x": x, "g": grid}, opset=20, expect=None if runs else
                         [grid_sample_of(x, grid, mode, padding, align)])
                    if space == "2d":
                        x, grid = x.astype(np.float64), grid.astype(np.float64)
                        case(name + "_float64", op, {"x": x, "g": grid}, opset=20)
                        case(name + "_op16", node(
                            "GridSample", ["x", "g"], ["y"], mode=old[mode], padding_mode=padding,
                            align_corners=align), {"x": x.astype(np.float32),
                                                   "g": grid.astype(np.float32)}, opset=16)
    op = node("GridSample", ["x", "g"], ["y"])
    case("grid_sample_defaults", op, {"x": draw(1, 2, 4, 4), "g": draw(1, 3, 3, 2)}, opset=20)
    case("grid_sample_defaults_op16", op, {"x": draw(1, 2, 4, 4), "g": draw(1, 3, 3, 2)}, opset=16)
    ties = np.array([-1, -0.5, 0, 0.5, 1, -2, 2, 100], np.float32)
    ties = np.stack(np.meshgrid(ties, ties), -1)[None]
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            case("grid_sample_ties_%s_%s" % (mode, padding), node(
                "GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding),
                 {"x": draw(1, 1, 4, 4), "g": ties}, opset=20)
            case("grid_sample_one_%s_%s" % (mode, padding), node(
                "GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding),
                 {"x": draw(1, 2, 1, 1), "g": ties[:, :3, :4]}, opset=20)
    x, grid = draw(1, 1, 5, 5), draw(1, 40, 30, 2)
    case("grid_sample_large", op, {"x": x, "g": grid}, opset=20)
    case("grid_sample_empty", op, {"x": draw(1, 0, 4, 4), "g": draw(1, 3, 3, 2)}, opset=20)
    x, grid = draw(1, 1, 3, 3).astype(np.float16), draw(1, 2, 2, 2).astype(np.float16)
    case("grid_sample_float16", op, {"x": x, "g": grid}, opset=20, expect=[grid_sample_of(
        x.astype(np.float32), grid, "linear", "zeros", 0).astype(np.float16)])


def unpooled():
    draw = drawing(13)

    def pair(name, x, **attributes):
        pool = node("MaxPool", ["x"], ["p", "i"], **attributes)
        attributes.pop("ceil_mode", None)
        case("max_unpool_" + name,
             [pool, node("MaxUnpool", ["p", "i"], ["y"], **attributes)], {"x": x})

    pair("1d", draw(1, 1, 8), kernel_shape=[2], strides=[2])
    pair("2d", draw(2, 3, 6, 8), kernel_shape=[2, 2], strides=[2, 2])
    pair("3d", draw(1, 2, 4, 4, 6), kernel_shape=[2, 2, 3], strides=[2, 2, 3])
    pair("overlap", draw(2, 2, 5, 6), kernel_shape=[3, 3], strides=[1, 1])
    pair("pads", draw(1, 2, 5, 5), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x, at = draw(1, 1, 2, 2), i64(5, 7, 13, 15).reshape(1, 1, 2, 2)
    op = node("MaxUnpool", ["x", "i", "s"], ["y"], kernel_shape=[2, 2], strides=[2, 2])
    for opset in (9, 11, 22):
        case("max_unpool_shape_op%d" % opset, op, {"x": x, "i": at}, init={"s": i64(1, 1, 5, 5)},
             opset=opset)
    case("max_unpool_shape_input", op, {"x": x, "i": at, "s": i64(1, 1, 5, 5)})
    case("max_unpool_shape_computed", [
        node("MaxPool", ["z"], ["x", "i"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Shape", ["z"], ["s"]), op], {"z": draw(2, 3, 5, 7)})
    case("max_unpool_same_place", node("MaxUnpool", ["x", "i"], ["y"], kernel_shape=[2, 2],
                                       strides=[2, 2]), {"x": x, "i": at * 0 + 3})
    big = np.zeros((1, 1, 4, 4), np.float64)
    big.reshape(-1)[at.reshape(-1)] = x.reshape(-1)
    case("max_unpool_float64", node("MaxUnpool", ["x", "i"], ["y"], kernel_shape=[2, 2],
                                    strides=[2, 2]), {"x": x.astype(np.float64), "i": at},
         expect=[big])


def caches():
    draw = drawing(14)
    for mode, places in (("linear", [1, 3]), ("circular", [5, 9])):
        for name, inner, axis in (("4d", (3, 8, 4), -2), ("3d", (8, 4), 1), ("first", (8, 2, 3), 1),
                                  ("last", (3, 8), -1)):
            cache = draw(2, *inner)
            update = draw(2, *[2 if d == 8 else d for d in inner])
            op = node("TensorScatter", ["x", "u", "w"], ["y"], axis=axis, mode=mode)
            case("tensor_scatter_%s_%s" % (name, mode), op,
                 {"x": cache, "u": update, "w": i64(*places)}, opset=24)
            case("tensor_scatter_%s_%s_init" % (name, mode), op, {"x": cache, "u": update},
                 init={"w": i64(*places)}, opset=24)
            case("tensor_scatter_%s_%s_none" % (name, mode),
                 node("TensorScatter", ["x", "u"], ["y"], axis=axis, mode=mode),
                 {"x": cache, "u": update}, opset=24)
        for dtype in (np.float64, np.float16, np.int64, np.int8, np.bool_):
            x, u = (draw(2, 5, 3) * 9).astype(dtype), (draw(2, 2, 3) * 9).astype(dtype)
            case("tensor_scatter_%s_%s" % (name_of(dtype), mode),
                 node("TensorScatter", ["x", "u", "w"], ["y"], mode=mode),
                 {"x": x, "u": u, "w": i64(3, 0)}, opset=24)
    case("tensor_scatter_whole_circular", node("TensorScatter", ["x", "u", "w"], ["y"],
                                               mode="circular"),
         {"x": draw(2, 4, 3), "u": draw(2, 4, 3), "w": i64(3, 1)}, opset=24)
    case("tensor_scatter_read_later", [
        node("TensorScatter", ["x", "u", "w"], ["z"]), node("Sub", ["z", "x"], ["y"])
    ], {"x": draw(2, 1, 5, 3), "u": draw(2, 1, 1, 3), "w": i64(4, 0)}, opset=24)


def box_suppression(boxes, scores, limit, overlap, least, centered):
    kept = []
    for b, c in np.ndindex(*scores.shape[:2]):
        order = sorted(range(scores.shape[2]), key=lambda i: (-scores[b, c, i], i))
        chosen = []
        for i in order:
            if least is not None and not scores[b, c, i] > least:
                continue
            y0, x0, y1, x1 = boxes[b].T
            if centered:
                x, y, w, h = boxes[b].T
                y0, x0, y1, x1 = y - h / 2, x - w / 2, y + h / 2, x + w / 2
            y0, y1 = np.minimum(y0, y1), np.maximum(y0, y1)
            x0, x1 = np.minimum(x0, x1), np.maximum(x0, x1)
            area = (x1 - x0) * (y1 - y0)
            shared = [max(0, min(x1[i], x1[k]) - max(x0[i], x0[k])) *
                      max(0, min(y1[i], y1[k]) - max(y0[i], y0[k])) for k in chosen]
            if len(chosen) < limit and all(
                    s <= overlap * (area[i] + area[k] - s) for s, k in zip(shared, chosen)):
                chosen.append(i)
        kept += [(b, c, i) for i in chosen]
    return np.array(kept, np.int64).reshape(-1, 3)


def suppressions():
    draw = drawing(15)
    names = ["b", "s", "n", "o", "t"]
    corner = np.sort(np.abs(draw(2, 20, 2, 2)), axis=2).reshape(2, 20, 4)
    flipped = corner[:, :, [2, 1, 0, 3]]
    center = np.abs(draw(2, 20, 4))
    scores = draw(2, 3, 20)
    for name, boxes, attributes in (("corners", corner, {}), ("flipped", flipped, {}),
                                    ("centers", center, {"center_point_box": 1})):
        for limit, overlap, least in ((3, 0.5, None), (20, 0.3, 0.0), (1, 0.0, -9.0), (0, 0.5, 0.1),
                                      (-1, 0.5, None), (30, 1.0, 0.5)):
            feeds = {"b": boxes, "s": scores}
            init = {"n": i64(limit), "o": np.float32([overlap])}
            if least is not None:
                init["t"] = np.float32([least])
            op = node("NonMaxSuppression", names[:2] + list(init), ["y"], **attributes)
            text = "non_max_%s_%s_%g_%s" % (name, limit, overlap, least)
            case(text, op, feeds, init=init, opset=11)
            if limit == 3:
                case(text + "_inputs", op, {**feeds, **init}, opset=10)
    case("non_max_no_limit", node("NonMaxSuppression", names[:2], ["y"]), {"b": corner, "s": scores})
    case("non_max_scalars", node("NonMaxSuppression", names[:4], ["y"]), {"b": corner, "s": scores},
         init={"n": np.int64(2), "o": np.float32(0.4)})
    case("non_max_no_overlap", node("NonMaxSuppression", ["b", "s", "n", "", "t"], ["y"]),
         {"b": corner, "s": scores}, init={"n": i64(5), "t": np.float32([0.2])})
    case("non_max_read", [node("NonMaxSuppression", names[:4], ["k"]),
                          node("Gather", ["k", "two"], ["i"], axis=1),
                          node("Gather", ["b0", "i"], ["y"])],
         {"b": corner[:1], "s": scores[:1, :1], "b0": corner[0]},
         init={"n": i64(6), "o": np.float32([0.2]), "two": np.int64(2)}, outs=("y", "k"))
    same = np.repeat(corner[:1, :5], 4, axis=1)
    case("non_max_ties", node("NonMaxSuppression", names[:4], ["y"]),
         {"b": same, "s": np.zeros((1, 1, 20), np.float32)},
         init={"n": i64(20), "o": np.float32([0.5])},
         expect=[box_suppression(same, np.zeros((1, 1, 20)), 20, 0.5, None, False)])


def squares():
    draw = drawing(16)
    for n in (1, 2, 3, 4, 5, 8, 17):
        for lead in ((), (2,), (2, 3))[:1 if n > 8 else 3]:
            x = draw(*lead, n, n) + 2 * np.eye(n, dtype=np.float32)
            name = "%d_%d" % (n, len(lead))
            case("det_" + name, node("Det", ["x"], ["y"]), {"x": x}, opset=11)
            case("inverse_" + name, node("Inverse", ["x"], ["y"], domain="com.microsoft"), {"x": x})
            x = x.astype(np.float64)
            case("det_%s_float64" % name, node("Det", ["x"], ["y"]), {"x": x}, opset=22,
                 expect=[np.linalg.det(x)])
            case("inverse_%s_float64" % name,
                 node("Inverse", ["x"], ["y"], domain="com.microsoft"), {"x": x})
    x = np.arange(9, dtype=np.float32).reshape(3, 3) * np.float32([[1], [0], [2]])
    case("det_singular", node("Det", ["x"], ["y"]), {"x": x}, opset=11)
    half = (draw(2, 3, 3) + 3 * np.eye(3)).astype(np.float16)
    case("inverse_float16", node("Inverse", ["x"], ["y"], domain="com.microsoft"), {"x": half},
         expect=[np.linalg.inv(half.astype(np.float64)).astype(np.float16)])
    swap = np.float32([[0, 2, 0], [0, 0, 3], [4, 0, 0]])
    case("det_pivots", node("Det", ["x"], ["y"]), {"x": swap}, opset=11)
    case("inverse_pivots", node("Inverse", ["x"], ["y"], domain="com.microsoft"), {"x": swap})


def distances():
    draw = drawing(17)
    for metric in ("euclidean", "sqeuclidean"):
        for m, n, k in ((2, 3, 1), (4, 5, 7), (3, 6, 8), (5, 4, 16), (7, 3, 67)):
            op = node("CDist", ["x", "z"], ["y"], domain="com.microsoft", metric=metric)
            a, b = draw(m, k), draw(n, k)
            name = "cdist_%s_%d_%d_%d" % (metric, m, n, k)
            case(name, op, {"x": a, "z": b})
            case(name + "_float64", op, {"x": a.astype(np.float64), "z": b.astype(np.float64)})
        a += 1e4  # where products cancel
        b = a[:2, ::-1].copy()
        squares_of = np.sum((a.astype(np.float64)[:, None] - b[None]) ** 2, -1)
        case("cdist_%s_near" % metric, op, {"x": a, "z": b}, expect=[
            (squares_of if metric[0] == "s" else np.sqrt(squares_of)).astype(np.float32)])


def spectra():
    draw = drawing(18)
    for dtype in (np.float32, np.float64):
        for signals, dims in ((1, (8,)), (1, (2, 3, 12)), (1, (3, 7)), (2, (2, 4, 6)), (2, (5, 9)),
                              (3, (2, 3, 4, 6)), (3, (4, 3, 8))):
            x = draw(*dims).astype(dtype)
            axes = list(range(-signals, 0))
            y = np.fft.rfftn(x.astype(np.float64), axes=axes)
            y = np.stack([y.real, y.imag], -1).astype(dtype)
            name = "%d_%s_%s" % (signals, "_".join(map(str, dims)), name_of(dtype))
            options = {"domain": "com.microsoft", "signal_ndim": signals}
            case("rfft_" + name, node("Rfft", ["x"], ["y"], onesided=1, normalized=0, **options),
                 {"x": x}, opset=17, expect=[y])
            case("irfft_" + name, node("Irfft", ["x"], ["y"], **options), {"x": y}, opset=17, expect=[
                np.fft.irfftn(y[..., 0] + 1j * y[..., 1], axes=axes).astype(dtype)])


def unfoldings():
    draw = drawing(19)
    for dims, dim, size, step in (((10,), 0, 3, 1), ((2, 10), -1, 4, 3), ((2, 10, 3), 1, 3, 1),
                                  ((10, 2, 3), 0, 2, 4), ((3, 6), 1, 6, 2), ((2, 3, 5, 4), -3, 2, 1)):
        for dtype in (np.float32, np.float64, np.int32, np.int64):
            case("unfold_%s_%d_%d_%d_%s" % ("_".join(map(str, dims)), dim, size, step,
                                            name_of(dtype)),
                 node("UnfoldTensor", ["x"], ["y"], domain="com.microsoft", dim=dim, size=size,
                      step=step), {"x": (9 * draw(*dims)).astype(dtype)})
    x = draw(2, 7)
    case("unfold_defaults", node("UnfoldTensor", ["x"], ["y"], domain="com.microsoft", size=3),
         {"x": x})
    case("unfold_bool", node("UnfoldTensor", ["x"], ["y"], domain="com.microsoft", size=3),
         {"x": x > 0}, expect=[np.stack([(x > 0)[:, i:i + 3] for i in range(5)], 1)])


def warpings():
    draw = drawing(20)
    for dims in ((1, 1), (5, 7), (1, 9, 4), (1, 6), (6, 1), (1, 30, 40)):
        case("warping_" + "_".join(map(str, dims)),
             node("DynamicTimeWarping", ["x"], ["y"], domain="com.microsoft"), {"x": draw(*dims)})
    case("warping_ties", node("DynamicTimeWarping", ["x"], ["y"], domain="com.microsoft"),
         {"x": np.ones((6, 8), np.float32)})
    case("warping_read", [node("DynamicTimeWarping", ["x"], ["p"], domain="com.microsoft"),
                          node("Gather", ["p", "one"], ["y"])], {"x": draw(5, 6)},
         init={"one": np.int64(1)})


def repeats():
    draw = drawing(21)
    tokens = i64(1, 2, 3, 1, 2, 5, 1, 2, 0, 4, 4, 4, 4, 4, 2, 1).reshape(2, 8)
    for size in (1, 2, 3, 4, 8, 9, 12):
        case("ngram_%d" % size, node("NGramRepeatBlock", ["i", "s"], ["y"], ngram_size=size,
                                     domain="com.microsoft"), {"i": tokens, "s": draw(2, 7)})
    case("ngram_read_later", [node("NGramRepeatBlock", ["i", "s"], ["z"], ngram_size=2,
                                   domain="com.microsoft"), node("Add", ["z", "s"], ["y"])],
         {"i": tokens, "s": draw(2, 7)})


def batched_scans():
    draw = drawing(22)
    info = lambda name, *dims: helper.make_tensor_value_info(name, 1, dims)
    total = helper.make_graph([node("Add", ["s", "e"], ["t"]), node("Mul", ["t", "w"], ["z"])], "b",
                              [info("s", 4), info("e", 4)], [info("t", 4), info("z", 4)])
    for name, attributes in (("", {}), ("_backward", {"directions": [1]})):
        for batch, length in ((1, 3), (3, 5), (2, 1)):
            case("scan_batched_%d_%d%s" % (batch, length, name), node(
                "Scan", ["", "s0", "x"], ["y", "z"], body=total, num_scan_inputs=1, **attributes),
                 {"s0": draw(batch, 4), "x": draw(batch, length, 4), "w": draw(4)},
                 outs=("y", "z"), opset=8)
    pair = helper.make_graph([node("Mul", ["a", "b"], ["c"]), node("Add", ["s", "c"], ["t"]),
                              node("Sub", ["u", "c"], ["v"]), node("Neg", ["c"], ["n"])], "b",
                             [info("s", 2), info("u", 2), info("a", 2), info("b", 2)],
                             [info("t", 2), info("v", 2), info("n", 2)])
    case("scan_batched_two", node("Scan", ["", "s0", "u0", "x", "y"], ["t0", "v0", "n0"], body=pair,
                                  num_scan_inputs=2, directions=[0, 1]),
         {"s0": draw(2, 2), "u0": draw(2, 2), "x": draw(2, 6, 2), "y": draw(2, 6, 2)},
         outs=("t0", "v0", "n0"), opset=8)
    none = helper.make_graph([node("Relu", ["e"], ["z"])], "b", [info("e", 4)], [info("z", 4)])
    case("scan_batched_no_state", node("Scan", ["", "x"], ["y"], body=none, num_scan_inputs=1),
         {"x": draw(3, 5, 4)}, opset=8)


def affine_grids():
    draw = drawing(23)
    for align in (0, 1):
        op = node("AffineGrid", ["t", "s"], ["y"], align_corners=align)
        for space in ((3, 4), (1, 5), (1, 1), (2, 3, 4), (1, 3, 1)):
            theta, size = draw(2, len(space), len(space) + 1), i64(2, 1, *space)
            name = "affine_grid_%s_%d" % ("_".join(map(str, space)), align)
            case(name, op, {"t": theta}, init={"s": size}, opset=20)
            case(name + "_input", op, {"t": theta, "s": size}, opset=20)
            case(name + "_float64", op, {"t": theta.astype(np.float64)}, init={"s": size}, opset=20)
        case("affine_grid_sampled_%d" % align, [
            node("Shape", ["x"], ["s"]), node("AffineGrid", ["t", "s"], ["g"], align_corners=align),
            node("GridSample", ["x", "g"], ["y"], align_corners=align)
        ], {"x": draw(2, 3, 5, 6), "t": draw(2, 2, 3)}, opset=20)


def crop_of(x, target, axes):
    """The middle of each axis, or zeros around it."""
    for axis, n in zip(axes, target):
        x = np.moveaxis(x, axis, 0)
        if n < len(x):
            x = x[(len(x) - n) // 2:][:n]
        before = (n - len(x)) // 2
        x = np.concatenate([np.zeros((before,) + x.shape[1:], x.dtype), x,
                            np.zeros((n - len(x) - before,) + x.shape[1:], x.dtype)])
        x = np.moveaxis(x, 0, axis)
    return x


def crops():
    draw = drawing(24)
    for dims, target, axes in (((5, 6), (3, 3), None), ((5, 6), (8, 9), None), ((5, 6), (2, 9), None),
                               ((4, 5, 6), (7,), [1]), ((4, 5, 6), (3, 2), [-1, 0]),
                               ((4, 5, 6), (4, 5), [0, 1]), ((3,), (8,), None)):
        options = {} if axes is None else {"axes": axes}
        name = "center_crop_%s_to_%s" % ("_".join(map(str, dims)), "_".join(map(str, target)))
        op = node("CenterCropPad", ["x", "s"], ["y"], **options)
        x = draw(*dims)
        case(name, op, {"x": x}, init={"s": i64(*target)}, opset=18)
        case(name + "_input", op, {"x": x, "s": i64(*target)}, opset=18)
        x = (9 * x).astype(np.int32)
        case(name + "_int32", op, {"x": x}, init={"s": np.array(target, np.int32)}, opset=18,
             expect=[crop_of(x, target, range(len(dims)) if axes is None else axes)])


def regions():
    draw = drawing(25)
    x = draw(2, 3, 7, 8)
    boxes = np.float32([[0.3, 0.4, 4.2, 3.7], [1, 1, 6, 5], [-3, -2, 9, 12], [4, 4, 2, 2],
                        [0, 0, 0.5, 0.5]])
    which = i64(0, 1, 1, 0, 1)
    for mode in ("avg", "max"):
        for samples in (0, 1, 2):
            for half in ("half_pixel", "output_half_pixel"):
                options = {"output_height": 3, "output_width": 2, "sampling_ratio": samples,
                           "mode": mode, "spatial_scale": 0.8}
                name = "roi_align_%s_%d_%s" % (mode, samples, half)
                op = node("RoiAlign", ["x", "r", "b"], ["y"],
                          coordinate_transformation_mode=half, **options)
                case(name, op, {"x": x, "r": boxes, "b": which}, opset=16)
                case(name + "_float64", op, {"x": x.astype(np.float64),
                                             "r": boxes.astype(np.float64), "b": which}, opset=16)
                if half == "output_half_pixel":
                    case(name + "_op10", node("RoiAlign", ["x", "r", "b"], ["y"], **options),
                         {"x": x, "r": boxes, "b": which}, opset=10)
    case("roi_align_defaults", node("RoiAlign", ["x", "r", "b"], ["y"]),
         {"x": x, "r": boxes, "b": which}, opset=16)
    pooled = np.concatenate([which[:, None], np.round(boxes)], 1).astype(np.float32)
    for scale in (1.0, 0.5):
        for shape in ((1, 1), (2, 3), (5, 5)):
            case("max_roi_pool_%d_%d_%g" % (shape + (scale,)), node(
                "MaxRoiPool", ["x", "r"], ["y"], pooled_shape=shape, spatial_scale=scale),
                 {"x": x - 3, "r": pooled})


def write_all(write, groups=()):
    """All groups, or those that are named."""
    global case
    case = write
    for group in (columns, grids, unpooled, caches, suppressions, squares, distances, spectra,
                  unfoldings, warpings, repeats, batched_scans, affine_grids,
                  crops, regions):
        if not groups or group.__name__ in groups:
            group()
