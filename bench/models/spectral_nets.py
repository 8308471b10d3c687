"""Small networks on spectra, as people publish them: keyword spotting, voice activity, speech quality,
enhancement. Sizes as published, weights random; each with inputs to calibrate with, in the folders that
bench/real/run.sh expects.
"""
import os

import numpy as np

from builder import Builder

FRAMES = 100
SAMPLES = 3


class Layers(Builder):
    """What the networks have in common: x is [1, channels, bands, T], or [1, channels, T]."""

    def __init__(self):
        super().__init__("f32")

    def relu(self, x):
        return self.op("Relu", [x])

    def relu6(self, x):
        return self.op("Clip", [x] + [self.constant(np.float32(bound)) for bound in (0, 6)])

    def swish(self, x):
        return self.op("Mul", [x, self.op("Sigmoid", [x])])

    def add(self, x, y):
        return self.op("Add", [x, y])

    def same(self, x, c_in, c_out, taps, stride=1, dilation=1, groups=1):
        """A convolution that keeps the size where its stride is 1."""
        pairs = zip(taps, dilation if isinstance(dilation, tuple) else (dilation,) * len(taps))
        pads = tuple(d * (n - 1) // 2 for n, d in pairs)
        return self.conv(x, c_in, c_out, taps, stride, pads, dilation, groups)

    def separable(self, x, c_in, c_out, taps, stride=1, act=None):
        """Depthwise and pointwise, each with an activation."""
        act = act or self.relu
        x = act(self.same(x, c_in, c_in, taps, stride, groups=c_in))
        return act(self.same(x, c_in, c_out, (1,) * len(taps)))

    def pool(self, x, kind, size):
        return self.op(kind, [x], kernel_shape=size, strides=size)

    def classes(self, x, channels, n, axes):
        mean = self.op("GlobalAveragePool", [x])
        return self.same(mean, channels, n, (1,) * axes)

    def batch_norm(self, x, channels):
        """Not behind a convolution, where exporters fold it."""
        of_each = [1 + 0.1 * self.random.standard_normal(channels), np.zeros(channels),
                   0.1 * self.random.standard_normal(channels), 1 + 0.1 * self.random.random(channels)]
        return self.op("BatchNormalization",
                       [x] + [self.constant(a.astype(np.float32)) for a in of_each])

    def sub_spectral_norm(self, x, channels, bands):
        """A normalization of its own for each fifth of the bands."""
        split = self.constant(np.array([0, channels * 5, bands // 5, -1], np.int64))
        joined = self.constant(np.array([0, channels, bands, -1], np.int64))
        return self.op("Reshape", [self.batch_norm(self.op("Reshape", [x, split]), channels * 5), joined])


def bc_block(b, x, c_in, c_out, bands, dilation, stride):
    """Of BC-ResNet: two dimensions over the bands, one over time, broadcast over the bands again."""
    same = c_in == c_out and stride == 1
    y = x if same else b.relu(b.same(x, c_in, c_out, (1, 1)))
    y = b.same(y, c_out, c_out, (3, 1), (stride, 1), groups=c_out)
    y = by_bands = b.sub_spectral_norm(y, c_out, bands // stride)
    y = b.op("ReduceMean", [y], axes=[2], keepdims=1)
    y = b.same(y, c_out, c_out, (1, 3), 1, (1, dilation), groups=c_out)
    y = b.same(b.swish(y), c_out, c_out, (1, 1))
    y = b.add(by_bands, y)
    return b.relu(b.add(y, x) if same else y)


def bcresnet(width):
    b = Layers()
    x, c, bands = b.relu(b.same("x", 1, 2 * width, (5, 5), (2, 1))), 2 * width, 20
    for n, c_out, stride, dilation in ((2, width, 1, 1), (2, width * 3 // 2, 2, 2),
                                       (4, width * 2, 2, 4), (4, width * 5 // 2, 1, 8)):
        for i in range(n):
            x = bc_block(b, x, c, c_out, bands, dilation, stride if i == 0 else 1)
            bands, c = (bands // stride if i == 0 else bands), c_out
    x = b.conv(x, c, c, (5, 5), 1, (0, 2), 1, groups=c)
    x = b.relu(b.same(x, c, 4 * width, (1, 1)))
    return b, b.classes(x, 4 * width, 12, 2), (1, 40)


def matchboxnet(width=64, classes=30):
    b = Layers()

    def sub_block(x, c_in, c_out, taps, dilation=1):
        x = b.same(x, c_in, c_in, (taps,), 1, dilation, groups=c_in)
        return b.same(x, c_in, c_out, (1,))

    x, c = b.relu(sub_block("x", 64, 128, 11)), 128
    for taps in (13, 15, 17):
        y = sub_block(b.relu(sub_block(x, c, width, taps)), width, width, taps)
        x = b.relu(b.add(y, b.same(x, c, width, (1,))))
        c = width
    x = b.relu(sub_block(x, c, 128, 29, 2))
    x = b.relu(b.same(x, 128, 128, (1,)))
    return b, b.classes(x, 128, classes, 1), (64,)


def tcresnet(scale):
    b = Layers()
    sizes = [int(n * scale) for n in (16, 24, 32, 48)]
    x, c = b.relu(b.same("x", 40, sizes[0], (3,))), sizes[0]
    for c_out in sizes[1:]:
        y = b.relu(b.same(x, c, c_out, (9,), 2))
        y = b.same(y, c_out, c_out, (9,))
        x, c = b.relu(b.add(y, b.relu(b.same(x, c, c_out, (1,), 2)))), c_out
    return b, b.classes(x, c, 12, 1), (40,)


def ds_cnn(width, blocks):
    b = Layers()
    x = b.relu(b.conv("x", 1, width, (10, 4), (2, 2), (4, 1)))
    for _ in range(blocks):
        x = b.separable(x, width, width, (3, 3))
    return b, b.classes(x, width, 12, 2), (1, 10)


def mobilenet_v1(scale):
    """YAMNet, thinner."""
    b = Layers()
    x, c = b.relu(b.same("x", 1, int(32 * scale), (3, 3), 2)), int(32 * scale)
    for c_out, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        x, c = b.separable(x, c, int(c_out * scale), (3, 3), stride), int(c_out * scale)
    return b, b.classes(x, c, 50, 2), (1, 64)


def mobilenet_v2(scale):
    b = Layers()
    x, c = b.relu6(b.same("x", 1, int(32 * scale), (3, 3), 2)), int(32 * scale)
    for c_out, n, stride, wider in ((16, 1, 1, 1), (24, 2, 2, 6), (32, 3, 2, 6), (64, 2, 1, 6)):
        for i in range(n):
            c_out_, wide = max(8, int(c_out * scale)), c * wider
            y = x if wider == 1 else b.relu6(b.same(x, c, wide, (1, 1)))
            y = b.relu6(b.same(y, wide, wide, (3, 3), stride if i == 0 else 1, groups=wide))
            y = b.same(y, wide, c_out_, (1, 1))
            x, c = b.add(x, y) if c == c_out_ and (i > 0 or stride == 1) else y, c_out_
    return b, b.classes(x, c, 50, 2), (1, 64)


def resnet(layers, width, dilated):
    """res8 and res15 of Tang and Lin."""
    b = Layers()
    x = b.relu(b.same("x", 1, width, (3, 3)))
    x = x if dilated else b.pool(x, "AveragePool", [3, 4])
    for i in range(layers // 2):
        first, second = ((2 ** ((2 * i + j) // 3)) if dilated else 1 for j in (0, 1))
        y = b.relu(b.same(x, width, width, (3, 3), 1, (first, first)))
        y = b.relu(b.same(b.batch_norm(y, width), width, width, (3, 3), 1, (second, second)))
        x = b.batch_norm(b.add(y, x), width)
    return b, b.classes(x, width, 12, 2), (1, 40)


def quality_cnn():
    """The framewise network of NISQA, over all frames at once."""
    b = Layers()
    x, c = "x", 1
    for c_out, size in ((16, [2, 2]), (32, [2, 2]), (64, None), (64, [2, 1]), (64, None), (64, None)):
        x, c = b.relu(b.same(x, c, c_out, (3, 3))), c_out
        x = b.pool(x, "MaxPool", size) if size else x
    return b, b.classes(x, c, 1, 2), (1, 48)


def enhancer(widths):
    """Strided convolutions over the bands, and back, with skips (a convolutional U-Net)."""
    b = Layers()
    x, c, skips = "x", 2, []
    for c_out in widths:
        skips.append((x, c))
        x = b.op("LeakyRelu", [b.conv(x, c, c_out, (3, 3), (2, 1), (1, 1))], alpha=0.2)
        c = c_out
    for skip, c_out in reversed(skips):
        w = b.floats(c, c_out, 4, 3, fan_in=c * 6)
        bias = b.constant(np.zeros(c_out, np.float32))
        y = b.op("ConvTranspose", [x, b.constant(w), bias], strides=[2, 1], pads=[1, 1, 1, 1],
                 kernel_shape=[4, 3])
        x = b.op("LeakyRelu", [b.add(y, skip)], alpha=0.2)
        c = c_out
    return b, x, (2, 64)


def x_vector(width):
    """A network with delays, and statistics over time."""
    b = Layers()
    x, c = "x", 24
    for c_out, taps, dilation in ((width, 5, 1), (width, 3, 2), (width, 3, 3), (width, 1, 1)):
        x, c = b.batch_norm(b.relu(b.same(x, c, c_out, (taps,), 1, dilation)), c_out), c_out
    return b, b.classes(x, c, 64, 1), (24,)


NETWORKS = {
    "bcresnet-1": lambda: bcresnet(8),
    "bcresnet-3": lambda: bcresnet(24),
    "bcresnet-8": lambda: bcresnet(64),
    "matchboxnet": matchboxnet,
    "marblenet": lambda: matchboxnet(classes=2),
    "tcresnet": lambda: tcresnet(1),
    "tcresnet-1.5": lambda: tcresnet(1.5),
    "ds-cnn-s": lambda: ds_cnn(64, 4),
    "ds-cnn-l": lambda: ds_cnn(276, 5),
    "mobilenet-v1": lambda: mobilenet_v1(0.25),
    "mobilenet-v2": lambda: mobilenet_v2(0.5),
    "res8": lambda: resnet(6, 45, False),
    "res8-narrow": lambda: resnet(6, 19, False),
    "res15": lambda: resnet(12, 45, True),
    "quality-cnn": quality_cnn,
    "enhancer": lambda: enhancer((16, 32, 48)),
    "x-vector": lambda: x_vector(128),
}


def write_inputs(folder, shape):
    """Levels and frames differ, as in recordings."""
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(3)
    for i in range(SAMPLES):
        x = random.standard_normal((1, *shape, FRAMES + 20 * i)).astype(np.float32)
        np.save(f"{folder}/{i}.npy", x)


def write(folder):
    for name, make in NETWORKS.items():
        b, y, shape = make()
        b.save(f"{folder}/{name}.onnx", y, [1, *shape, "T"], None)
        write_inputs(f"{folder}/inputs/{name}", shape)
