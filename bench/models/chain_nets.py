"""Small networks of which chains of elementwise operators take much of the time: gates (WaveNet, GLU), activations
that depend on a channel (vocoders), state spaces (Mamba), masks, residual sums that several layers read. Sizes as
published or smaller, weights random; each with inputs to calibrate with, in the folders that bench/real/run.sh expects.
"""
import numpy as np
from onnx import TensorProto, helper

from idiom_nets import write_inputs
from idioms import Idioms



class Chains(Idioms):
    def slices(self, x, width, axis):
        """Two halves along an axis, as PyTorch writes indexing."""
        return [self.op("Slice", [x, self.ints(at), self.ints(at + width), self.ints(axis)]) for at in (0, width)]

    def unsqueeze(self, x, axis):
        return self.op("Unsqueeze", [x, self.ints(axis)])

    def snake(self, x, channels):
        """x + sin(a x)^2 / a, as BigVGAN and DAC write it."""
        a = self.constant(np.abs(self.floats(1, channels, 1, fan_in=1)) + np.float32(0.5))
        waves = self.op("Pow", [self.op("Sin", [self.mul(x, a)]), self.f32(2)])
        inverse = self.op("Reciprocal", [self.add(a, self.f32(1e-9))])
        return self.add(x, self.mul(inverse, waves))


def wavenet(b, channels=64, layers=8):
    """Windows that look back, tanh and sigmoid of the halves, residual sums and skips."""
    x, skips = b.same("x", 80, channels, (1,)), None
    for n in range(layers):
        dilation = 2 ** (n % 4)
        y = b.op("Pad", [x, b.ints(0, 0, 2 * dilation, 0, 0, 0)])
        y = b.conv(y, channels, 2 * channels, 3, 1, 0, dilation)
        left, right = b.slices(y, channels, 1)
        y = b.mul(b.tanh(left), b.sigmoid(right))
        y = b.same(y, channels, 2 * channels, (1,))
        residual, skip = b.slices(y, channels, 1)
        x = b.mul(b.add(x, residual), b.f32(0.70710678))
        skips = skip if skips is None else b.add(skips, skip)
    return b.same(b.relu(b.same(b.relu(skips), channels, channels, (1,))), channels, 80, (1,))


def flow(b, channels=96, layers=4):
    """Of VITS: gates of a sum with the condition of a speaker, everything under a mask."""
    mask = b.op("Cast", [b.op("Less", [b.op("Abs", [b.op("Slice", ["x", b.ints(0), b.ints(1), b.ints(1)])]), b.f32(3)])],
                to=TensorProto.FLOAT)
    x, total = b.mul(b.same("x", 80, channels, (1,)), mask), None
    condition = b.constant(b.floats(1, 2 * channels, 1, fan_in=1))
    for _ in range(layers):
        y = b.add(b.same(x, channels, 2 * channels, (5,)), condition)
        left, right = b.slices(y, channels, 1)
        y = b.same(b.mul(b.tanh(left), b.sigmoid(right)), channels, 2 * channels, (1,))
        residual, skip = b.slices(y, channels, 1)
        x = b.mul(b.add(x, residual), mask)
        total = skip if total is None else b.add(total, skip)
    mean, spread = b.split(b.same(b.mul(total, mask), channels, 160, (1,)))
    return b.mul(b.add(mean, b.mul(b.op("Exp", [spread]), "x")), mask)


def glu_conformer(b, width=144, layers=4):
    """Convolution modules and half steps of a conformer."""
    x = b.linear("x", 80, width)
    for _ in range(layers):
        y = b.swish(b.linear(b.norm(x, width), width, 4 * width))
        x = b.add(x, b.mul(b.linear(y, 4 * width, width), b.f32(0.5)))
        y = b.same(b.transpose(b.norm(x, width), 0, 2, 1), width, 2 * width, (1,))
        left, right = b.split(y)
        y = b.mul(left, b.sigmoid(right))
        y = b.swish(b.batch_norm(b.same(y, width, width, (15,), groups=width), width))
        y = b.transpose(b.same(y, width, width, (1,)), 0, 2, 1)
        x = b.norm(b.add(x, y), width)
    return b.linear(x, width, 60)


def snake_coder(b, channels=96):
    """A vocoder: windows that go back to samples, snakes between."""
    x, c = b.same("x", 80, channels, (7,)), channels
    for stride in (8, 5):
        x = b.conv_transpose(b.snake(x, c), c, c // 2, [2 * stride], [stride], [stride // 2])
        c //= 2
        for dilation in (1, 3):
            y = b.same(b.snake(x, c), c, c, (7,), 1, dilation)
            x = b.add(x, b.same(b.snake(y, c), c, c, (1,)))
    return b.tanh(b.same(b.snake(x, c), c, 1, (7,)))


def scan_body(width, states):
    """h = a h + b, y = sum of h c over the states: one step in time."""
    def value(name, *dims):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    axis = helper.make_tensor("last", TensorProto.INT64, [1], [-1])
    nodes = [helper.make_node("Mul", ["a", "h"], ["ah"]), helper.make_node("Add", ["ah", "b"], ["h_next"]),
             helper.make_node("Mul", ["h_next", "c"], ["hc"]), helper.make_node("ReduceSum", ["hc", "last"], ["y"], keepdims=0)]
    return helper.make_graph(nodes, "step", [value("h", width, states), value("a", width, states), value("b", width, states),
                                             value("c", 1, states)],
                             [value("h_next", width, states), value("y", width)], [axis])


def mamba(b, width=96, states=16, layers=2):
    """State spaces: x of frames by channels, factors and inputs of the states of each channel."""
    inner = 2 * width
    x = b.linear("x", 80, width)
    for _ in range(layers):
        both = b.linear(b.norm(x, width), width, 2 * inner)
        u, z = b.op("Split", [both], outputs=2, axis=2)
        u = b.op("Pad", [b.transpose(u, 0, 2, 1), b.ints(0, 0, 3, 0, 0, 0)])
        u = b.transpose(b.swish(b.conv(u, inner, inner, 4, groups=inner)), 0, 2, 1)
        delta = b.op("Softplus", [b.linear(b.linear(u, inner, 8), 8, inner)])
        a = b.constant(-np.abs(b.floats(inner, states, fan_in=1)))
        factor = b.op("Exp", [b.mul(b.unsqueeze(delta, 3), a)])
        inputs, readers = (b.unsqueeze(b.linear(u, inner, states), 2) for _ in range(2))
        given = b.mul(b.mul(b.unsqueeze(delta, 3), inputs), b.unsqueeze(u, 3))
        flat = [b.op("Squeeze", [v, b.ints(0)]) for v in (factor, given, readers)]
        start = b.constant(np.zeros((inner, states), np.float32))
        _, y = b.op("Scan", [start] + flat, outputs=2, body=scan_body(inner, states), num_scan_inputs=3)
        y = b.add(b.unsqueeze(y, 0), b.mul(u, b.constant(b.floats(inner, fan_in=1))))
        x = b.add(x, b.linear(b.mul(y, b.swish(z)), inner, width))
    return b.linear(b.norm(x, width), width, 40)


def masked_gates(b, width=64):
    """An enhancer: a mask on a spectrum of real and imaginary parts, its power by a root, sums that two layers read."""
    real, imaginary = b.split("x")
    power = b.add(b.mul(real, real), b.mul(imaginary, imaginary))
    y = b.op("Pow", [b.op("Sqrt", [b.add(power, b.f32(1e-8))]), b.f32(0.3)])
    y, c = b.same(y, 1, width // 2, (3, 3)), width // 2
    for _ in range(3):
        z = b.prelu(b.batch_norm(b.add(y, b.same(b.relu(y), c, c, (3, 3), groups=c)), c), c, 2)
        y = b.add(y, b.squeeze_excite(b.same(z, c, c, (1, 1)), c, c // 4, 2))
    mask = b.same(y, c, 2, (3, 3))
    first, second = b.split(mask)
    size = b.op("Sqrt", [b.add(b.add(b.mul(first, first), b.mul(second, second)), b.f32(1e-8))])
    gain = b.op("Div", [b.tanh(size), size])
    first, second = b.mul(first, gain), b.mul(second, gain)
    out = [b.op("Sub", [b.mul(real, first), b.mul(imaginary, second)]),
           b.add(b.mul(real, second), b.mul(imaginary, first))]
    return b.concat(*out)


NETS = {"wavenet": (wavenet, [80, "T"]), "flow": (flow, [80, "T"]), "glu-conformer": (glu_conformer, ["T", 80]),
        "snake-coder": (snake_coder, [80, "T"]), "mamba": (mamba, ["T", 80]),
        "masked-gates": (masked_gates, [2, "T", 128])}


def write(folder):
    for name, (make, shape) in NETS.items():
        b = Chains()
        b.save(f"{folder}/{name}.onnx", make(b), [1, *shape], None)
        write_inputs(f"{folder}/inputs/{name}", shape, 1, False)
