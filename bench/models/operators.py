"""Single operators: convolutions, recurrent layers, and the products of `bench_kernels`."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from builder import MICROSOFT, Builder

# name: channels in, out, taps, stride, pad, dilation, groups
CONVS = {
    "conv-audio": (1, 512, 10, 5, 0, 1, 1),
    "conv-k10": (512, 512, 10, 5, 0, 1, 1),
    "conv-k3": (512, 512, 3, 2, 0, 1, 1),
    "conv-positions": (768, 768, 128, 1, 64, 1, 16),
    "depthwise-256-k33": (256, 256, 33, 1, 16, 1, 256),
    "depthwise-512-k75": (512, 512, 75, 1, 37, 1, 512),
    "depthwise-512-k87-d2": (512, 512, 87, 1, 86, 2, 512),
    "pointwise-256": (256, 256, 1, 1, 0, 1, 1),
    "pointwise-512": (512, 512, 1, 1, 0, 1, 1),
}
# name: channels in, out, taps, stride, bands of the spectrum, layers
CONVS_2D = {
    "conv2d-first-3x3": (1, 32, (3, 3), 1, 80, 1),
    "conv2d-first-3x3-s2": (1, 32, (3, 3), 2, 80, 1),
    **{f"conv2d-{channels}-{name}": (channels, channels, taps, stride, bands, layers)
       for channels, bands in ((24, 40), (48, 40), (96, 20))
       for name, taps, stride, layers in (("1x3", (1, 3), 1, 4), ("3x1", (3, 1), 1, 4),
                                          ("3x3", (3, 3), 1, 4), ("3x3-s2", (3, 3), 2, 2))},
}
PRODUCTS = [(256, 256), (256, 1024), (1024, 256), (512, 2048),
            (768, 768), (768, 3072), (3072, 768), (1024, 4096)]


def conv(name, form, path):
    c_in, c_out, taps, stride, pad, dilation, groups = CONVS[name]
    b = Builder(form)
    y = b.conv(b.quantized("x"), c_in, c_out, taps, stride, pad, dilation, groups)
    b.save(path, b.quantized(y), [1, c_in, "T"], [1, c_out, "T2"])


def conv_2d(name, form, path):
    """Convolutions over T frames of a spectrum, and the mean of what the last one finds."""
    c_in, c_out, taps, stride, bands, layers = CONVS_2D[name]
    b = Builder(form)
    y = b.quantized("x")
    for channels in [c_in] + [c_out] * (layers - 1):
        pad = tuple(n // 2 for n in taps)
        y = b.op("Relu", [b.conv(y, channels, c_out, taps, (stride, stride), pad)])
        y = b.quantized(y, 0, 4)
    mean = b.quantized(b.op("GlobalAveragePool", [y]), 0, 4)
    b.save(path, mean, [1, c_in, "T", bands], [1, c_out, 1, 1])


def recurrent(kind, hidden, directions, form, path, batch=1):
    """LSTM or GRU over T steps of `batch` samples."""
    gates = 4 if kind == "LSTM" else 3
    b = Builder(form)
    w, r = (b.floats(directions, gates * hidden, hidden, fan_in=hidden) for _ in range(2))
    bias = b.constant(np.zeros((directions, 2 * gates * hidden), np.float32))
    attributes = {"hidden_size": hidden,
                  "direction": "forward" if directions == 1 else "bidirectional"}
    if kind == "GRU":
        attributes["linear_before_reset"] = 1
    if form == "f32":
        y = b.op(kind, ["x", b.constant(w), b.constant(r), bias], **attributes)
    else:
        packed = []
        for weights in (w, r):
            halves = [b.to_s8(half.T.copy(), 1) for half in weights]
            q, scales = (np.stack([half[i] for half in halves]) for i in range(2))
            zeros = np.zeros((directions, gates * hidden), np.int8)
            packed.append([b.constant(c) for c in (q, scales, zeros)])
        (wq, ws, wz), (rq, rs, rz) = packed
        inputs = ["x", wq, rq, bias, "", "", "", "", ws, wz, rs, rz]
        y = b.op("DynamicQuantizeLSTM", inputs, domain=MICROSOFT, **attributes)
    b.save(path, y, ["T", batch, hidden], ["T", directions, batch, hidden])


def product(k, n, path):
    """u8 rows times s8 weights to u8, with a scale for each column."""
    random = np.random.default_rng(1)
    constants = {
        "w": random.integers(-127, 128, (k, n)).astype(np.int8),
        "w_scale": (0.01 + 0.001 * (np.arange(n) % 7)).astype(np.float32),
        "w_zero": np.zeros(n, np.int8),
        "x_scale": np.float32(0.02), "y_scale": np.float32(0.5), "zero": np.uint8(128),
    }
    nodes = [helper.make_node("DequantizeLinear", ["x", "x_scale", "zero"], ["x_real"]),
             helper.make_node("DequantizeLinear", ["w", "w_scale", "w_zero"], ["w_real"], axis=1),
             helper.make_node("MatMul", ["x_real", "w_real"], ["y_real"]),
             helper.make_node("QuantizeLinear", ["y_real", "y_scale", "zero"], ["y"])]
    graph = helper.make_graph(
        nodes, "product", [helper.make_tensor_value_info("x", TensorProto.UINT8, ["M", k])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, ["M", n])],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.save(model, path)
