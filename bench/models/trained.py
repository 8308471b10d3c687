"""Layers with random weights that look trained: heavy tails, and outputs of unequal size. Sequences are [1, T, width]
to recurrent layers and attention, [1, width, T] to convolutions along time.
"""
import numpy as np

from idioms import Idioms


class Trained(Idioms):
    def floats(self, *shape, fan_in):
        """Like those of a distribution with five degrees of freedom; the last axis of two has the outputs."""
        w = self.random.standard_t(5, shape) / np.sqrt(5 / 3 * fan_in)
        if len(shape) < 2:
            return w.astype(np.float32)
        outputs = (shape[0],) + (1,) * (len(shape) - 1) if len(shape) > 2 else (1, shape[-1])
        return (w * self.random.lognormal(0, 0.35, outputs)).astype(np.float32)

    def sub(self, x, y):
        return self.op("Sub", [x, y])

    def div(self, x, y):
        return self.op("Div", [x, y])

    def matmul(self, x, y):
        return self.op("MatMul", [x, y])

    def softmax(self, x, axis=-1):
        return self.op("Softmax", [x], axis=axis)

    def swap(self, x):
        """Between sequences and channels."""
        return self.transpose(x, 0, 2, 1)

    def unsqueeze(self, x, *axes):
        return self.op("Unsqueeze", [x, self.ints(*axes)])

    def squeeze(self, x, *axes):
        return self.op("Squeeze", [x, self.ints(*axes)])

    def slice(self, x, start, end, axis):
        return self.op("Slice", [x, self.ints(start), self.ints(end), self.ints(axis)])

    def causal(self, x, c_in, c_out, taps, dilation=1, groups=1):
        """A convolution along time that looks back only."""
        padded = self.op("Pad", [x, self.ints(0, 0, (taps - 1) * dilation, 0, 0, 0)])
        return self.conv(padded, c_in, c_out, taps, 1, 0, dilation, groups)

    def conv_norm_of(self, x, c_in, c_out, taps, stride, pad):
        return self.batch_norm(self.conv(x, c_in, c_out, taps, stride, pad), c_out)

    def relu20(self, x):
        return self.op("Clip", [x, self.f32(0), self.f32(20)])

    def snake(self, x, channels):
        """x + sin(ax)^2 / a, with an a of each channel."""
        a = np.exp(0.3 * self.random.standard_normal((1, channels, 1))).astype(np.float32)
        wave = self.op("Pow", [self.op("Sin", [self.mul(x, self.constant(a))]), self.f32(2)])
        return self.add(x, self.mul(wave, self.constant(1 / a)))

    def gated(self, x, axis=1):
        """GLU: one half, by the sigmoid of the other."""
        half, gate = self.split(x, axis)
        return self.mul(half, self.sigmoid(gate))

    def global_norm(self, x, channels):
        """Over channels and time at once, as separation networks have it."""
        centred = self.sub(x, self.mean(x, [1, 2]))
        power = self.mean(self.op("Pow", [centred, self.f32(2)]), [1, 2])
        y = self.div(centred, self.op("Sqrt", [self.add(power, self.f32(1e-8))]))
        gain, shift = (self.constant(self.floats(channels, 1, fan_in=25) + n) for n in (1, 0))
        return self.add(self.mul(y, gain), shift)

    def norm_of_channels(self, x, channels):
        """Each channel over time."""
        gain, shift = (self.constant(self.floats(channels, fan_in=25) + n) for n in (1, 0))
        return self.op("InstanceNormalization", [x, gain, shift], epsilon=1e-5)

    def rms_norm(self, x, width):
        power = self.mean(self.op("Pow", [x, self.f32(2)]), [-1])
        y = self.mul(x, self.op("Reciprocal", [self.op("Sqrt", [self.add(power, self.f32(1e-6))])]))
        return self.mul(self.constant(1 + self.floats(width, fan_in=50)), y)

    def recurrent(self, kind, x, k, hidden, directions=1):
        """LSTM or GRU over a sequence, as PyTorch exports them with batch_first."""
        gates = {"LSTM": 4, "GRU": 3}[kind]
        w = [self.random.standard_t(5, (directions, gates * hidden, n)) / np.sqrt(3 * n) for n in (k, hidden)]
        bias = 0.1 * self.random.standard_normal((directions, 2 * gates * hidden))
        inputs = [self.transpose(x, 1, 0, 2)] + [self.constant(a.astype(np.float32)) for a in w + [bias]]
        attributes = {"linear_before_reset": 1} if kind == "GRU" else {}
        y = self.op(kind, inputs, hidden_size=hidden, **attributes,
                    direction="bidirectional" if directions == 2 else "forward")
        y = self.reshape(self.transpose(y, 0, 2, 1, 3), 0, 0, -1)
        return self.transpose(y, 1, 0, 2)

    def attend(self, x, heads, width):
        """Attention with one product for queries, keys and values."""
        joined = self.linear(x, width, 3 * width)
        q, k, v = self.op("Split", [joined], outputs=3, axis=2)
        q = self.heads(q, heads, width, [0, 2, 1, 3])
        k = self.heads(k, heads, width, [0, 2, 3, 1])
        v = self.heads(v, heads, width, [0, 2, 1, 3])
        scores = self.div(self.matmul(q, k), self.f32(np.sqrt(width // heads)))
        mixed = self.transpose(self.matmul(self.softmax(scores), v), 0, 2, 1, 3)
        return self.linear(self.reshape(mixed, 0, 0, width), width, width)

    def feed_forward(self, x, width, inner, act):
        return self.linear(act(self.linear(x, width, inner)), inner, width)

    def transformer_layer(self, x, heads, width, inner):
        """With normalization before each part."""
        x = self.add(x, self.attend(self.norm(x, width), heads, width))
        return self.add(x, self.feed_forward(self.norm(x, width), width, inner, self.gelu))

    def statistics(self, x):
        """Mean and deviation over time: [1, 2 channels, 1]."""
        mean = self.mean(x, [2])
        spread = self.sub(x, mean)
        power = self.mean(self.mul(spread, spread), [2])
        return self.concat(mean, self.op("Sqrt", [self.add(power, self.f32(1e-5))]))
