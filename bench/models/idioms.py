"""Layers as several exporters write them: activations of several nodes, norms where nothing folds them, axes
that are moved, divided and joined.
"""
import numpy as np

from spectral_nets import Layers


class Idioms(Layers):
    def f32(self, x):
        return self.constant(np.float32(x))

    def ints(self, *n):
        return self.constant(np.array(n, np.int64))

    def transpose(self, x, *order):
        return self.op("Transpose", [x], perm=order)

    def reshape(self, x, *shape):
        return self.op("Reshape", [x, self.ints(*shape)])

    def mul(self, x, y):
        return self.op("Mul", [x, y])

    def sigmoid(self, x):
        return self.op("Sigmoid", [x])

    def tanh(self, x):
        return self.op("Tanh", [x])

    def concat(self, *parts, axis=1):
        return self.op("Concat", list(parts), axis=axis)

    def split(self, x, axis=1):
        return self.op("Split", [x], outputs=2, axis=axis)

    def mean(self, x, axes, keep=1):
        return self.op("ReduceMean", [x], axes=axes, keepdims=keep)

    def prelu(self, x, channels, axes):
        return self.op("PRelu", [x, self.constant(np.full((channels,) + (1,) * axes, 0.2, np.float32))])

    def hard_sigmoid(self, x):
        """As PyTorch writes it before its operator set has one."""
        bounds = [self.f32(bound) for bound in (0, 6)]
        return self.op("Div", [self.op("Clip", [self.add(x, self.f32(3))] + bounds), self.f32(6)])

    def hard_swish(self, x):
        return self.mul(x, self.hard_sigmoid(x))

    def squeeze_excite(self, x, channels, narrow, axes, gate=None):
        y = self.mean(x, [2, 3][:axes])
        y = self.relu(self.same(y, channels, narrow, (1,) * axes))
        return self.mul(x, (gate or self.sigmoid)(self.same(y, narrow, channels, (1,) * axes)))

    def conv_norm(self, x, *args, **attributes):
        return self.batch_norm(self.same(x, *args, **attributes), args[1])

    def conv_transpose(self, x, c_in, c_out, taps, stride, pads, groups=1):
        w = self.floats(c_in, c_out // groups, *taps, fan_in=c_in // groups * 2)
        bias = self.constant(np.zeros(c_out, np.float32))
        return self.op("ConvTranspose", [x, self.constant(w), bias], strides=stride, pads=pads * 2,
                       kernel_shape=taps, group=groups)

    def channel_norm(self, x, channels):
        """LayerNormalization of the channels of an image, between transposes."""
        return self.transpose(self.norm(self.transpose(x, 0, 2, 3, 1), channels), 0, 3, 1, 2)

    def group_norm(self, x, channels, groups):
        y = self.reshape(x, 0, groups, -1)
        ones, zeros = (self.constant(np.full(groups, n, np.float32)) for n in (1, 0))
        y = self.op("InstanceNormalization", [y, ones, zeros], epsilon=1e-5)
        y = self.op("Reshape", [y, self.op("Shape", [x])])
        gain, shift = (self.constant(self.floats(channels, 1, 1, fan_in=9) + n) for n in (1, 0))
        return self.add(self.mul(y, gain), shift)

    def gemm(self, x, k, n):
        inputs = [x, self.constant(self.floats(n, k, fan_in=k)), self.constant(np.zeros(n, np.float32))]
        return self.op("Gemm", inputs, transB=1)

    def embedding(self, rows, width):
        return self.op("Gather", [self.constant(self.floats(rows, width, fan_in=1)), "x"])
