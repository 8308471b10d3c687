"""Builds ONNX graphs of one network in the forms that a runtime may like best.

f32   float, ordinary operators
qdq   static QuantizeLinear/DequantizeLinear at the inputs of MatMul and Conv; attention in float
qdqf  the same at every place where a static quantizer puts them, attention products too
dyn   com.microsoft.DynamicQuantizeMatMul
x     after a form: attention, residual + LayerNormalization and GELU as com.microsoft operators

Activations are u8, weights s8 with one scale for each output channel. Weights are random, and the
same in all forms; ranges of activations are set by hand, since only time is measured.
"""
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT_FORMS = ("f32", "f32x")
MICROSOFT = "com.microsoft"


class Builder:
    def __init__(self, form, seed=7):
        self.contrib = form.endswith("x")
        base = form[:-1] if self.contrib else form
        self.static = base in ("qdq", "qdqf")
        self.everywhere = base == "qdqf"
        self.dynamic = base == "dyn"
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants = [], []

    # --- parts of a graph -------------------------------------------------------------------------

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def op(self, kind, inputs, domain="", outputs=1, **attributes):
        """The name of the output, or a list of several."""
        first = f"{kind.lower()}{len(self.nodes)}"
        names = [first] + [f"{first}_{i}" for i in range(1, outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"n_{first}", domain=domain,
                                           **attributes))
        return names if outputs > 1 else first

    def save(self, path, output, in_shape, out_shape, in_type=TensorProto.FLOAT):
        self.nodes.append(helper.make_node("Identity", [output], ["y"], name="n_y"))
        graph = helper.make_graph(
            self.nodes, "bench",
            [helper.make_tensor_value_info("x", in_type, in_shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, out_shape)], self.constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)])
        model.ir_version = 8
        onnx.save(model, path)

    # --- quantization -----------------------------------------------------------------------------

    def quantized(self, x, low=-4.0, high=4.0, wanted=True):
        """x as u8 over low..high and back, in the static forms."""
        if not (self.static and wanted):
            return x
        scale = (high - low) / 255
        zero = self.constant(np.uint8(round(-low / scale)))
        scale = self.constant(np.float32(scale))
        q = self.op("QuantizeLinear", [x, scale, zero])
        return self.op("DequantizeLinear", [q, scale, zero])

    @staticmethod
    def to_s8(w, axis):
        """s8 weights and one scale for each index of the axis."""
        others = tuple(i for i in range(w.ndim) if i != axis)
        scales = (np.abs(w).max(others) / 127 + 1e-9).astype(np.float32)
        shape = [-1 if i == axis else 1 for i in range(w.ndim)]
        return np.clip(np.round(w / scales.reshape(shape)), -127, 127).astype(np.int8), scales

    def weight(self, w, axis):
        if not self.static:
            return self.constant(w)
        q, scales = self.to_s8(w, axis)
        return self.real(q, scales, axis)

    def real(self, q, scales, axis):
        zeros = np.zeros(len(scales), q.dtype)
        inputs = [self.constant(q), self.constant(scales), self.constant(zeros)]
        return self.op("DequantizeLinear", inputs, axis=axis)

    def conv_bias(self, bias, weights):
        """A runtime fuses a convolution only with a bias in s32 at the scale of its products."""
        if not self.static:
            return self.constant(bias)
        scales = (self.to_s8(weights, 0)[1] * (8 / 255)).astype(np.float32)
        return self.real(np.round(bias / scales).astype(np.int32), scales, 0)

    def floats(self, *shape, fan_in):
        return (self.random.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)

    # --- layers -----------------------------------------------------------------------------------

    def linear(self, x, k, n):
        w = self.floats(k, n, fan_in=k)
        bias = self.floats(n, fan_in=2500)
        if self.dynamic:
            q, scales = self.to_s8(w, 1)
            constants = [self.constant(c) for c in (q, scales, np.zeros(n, np.int8), bias)]
            return self.op("DynamicQuantizeMatMul", [x] + constants, domain=MICROSOFT)
        y = self.quantized(self.op("MatMul", [x, self.weight(w, 1)]), wanted=self.everywhere)
        return self.quantized(self.op("Add", [y, self.constant(bias)]), wanted=self.everywhere)

    def conv(self, x, c_in, c_out, taps, stride=1, pad=0, dilation=1, groups=1):
        """Numbers along one axis; pairs of them along two."""
        taps, stride, pad, dilation = (n if isinstance(n, tuple) else (n,)
                                       for n in (taps, stride, pad, dilation))
        axes = len(taps)
        w = self.floats(c_out, c_in // groups, *taps, fan_in=c_in // groups * math.prod(taps))
        bias = self.floats(c_out, fan_in=2500)
        inputs = [x, self.weight(w, 0), self.conv_bias(bias, w)]
        return self.op("Conv", inputs, strides=stride * (axes // len(stride)), pads=pad * 2,
                       dilations=dilation * (axes // len(dilation)), group=groups,
                       kernel_shape=taps)

    def scale_and_shift(self, width):
        return [self.constant(fill(width, np.float32)) for fill in (np.ones, np.zeros)]

    def norm(self, x, width):
        inputs = [x] + self.scale_and_shift(width)
        return self.op("LayerNormalization", inputs, axis=-1, epsilon=1e-5)

    def add_norm(self, x, y, width):
        if not self.contrib:
            return self.norm(self.op("Add", [self.quantized(x, wanted=self.everywhere), y]), width)
        inputs = [y, x] + self.scale_and_shift(width)
        return self.op("SkipLayerNormalization", inputs, domain=MICROSOFT, epsilon=1e-5)

    def gelu(self, x):
        if self.contrib:
            return self.op("Gelu", [x], domain=MICROSOFT)
        erf = self.op("Erf", [self.op("Div", [x, self.constant(np.float32(np.sqrt(2)))])])
        sum_ = self.op("Add", [erf, self.constant(np.float32(1))])
        return self.op("Mul", [self.op("Mul", [x, sum_]), self.constant(np.float32(0.5))])

    # --- attention --------------------------------------------------------------------------------

    def heads(self, x, heads, width, order):
        shape = self.constant(np.array([0, 0, heads, width // heads], np.int64))
        return self.op("Transpose", [self.op("Reshape", [x, shape])], perm=order)

    def attention(self, x, heads, width):
        q, k, v = (self.linear(x, width, width) for _ in range(3))
        if self.contrib:
            return self.op("MultiHeadAttention", [q, k, v], domain=MICROSOFT, num_heads=heads)
        q = self.heads(q, heads, width, [0, 2, 1, 3])
        k = self.heads(k, heads, width, [0, 2, 3, 1])
        v = self.heads(v, heads, width, [0, 2, 1, 3])
        scores = self.quantized(self.op("MatMul", [q, k]), -32, 32, self.everywhere)
        scores = self.op("Mul", [scores, self.constant(np.float32(1 / np.sqrt(width // heads)))])
        shares = self.quantized(self.op("Softmax", [scores], axis=-1), 0, 1, self.everywhere)
        mixed = self.quantized(self.op("MatMul", [shares, v]), wanted=self.everywhere)
        mixed = self.op("Transpose", [mixed], perm=[0, 2, 1, 3])
        return self.op("Reshape", [mixed, self.constant(np.array([0, 0, width], np.int64))])

    def encoder_layer(self, x, heads, width, inner):
        mixed = self.attention(self.quantized(x), heads, width)
        mixed = self.quantized(mixed, wanted=self.contrib or not self.everywhere)
        x = self.add_norm(x, self.linear(mixed, width, width), width)
        y = self.gelu(self.linear(self.quantized(x), width, inner))
        return self.add_norm(x, self.linear(self.quantized(y), inner, width), width)
