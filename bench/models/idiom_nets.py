"""Small networks in the idioms of several exporters, which the other networks of this folder lack: images with
channels last (Keras), activations of several nodes (PyTorch), normalizations where nothing folds them (Paddle), channels
that are split, shuffled or joined, gates, unfolded spectra, embeddings of bytes. Random weights; each with inputs to
calibrate with, in the folders that bench/real/run.sh expects.
"""
import os

import numpy as np
from onnx import TensorProto

from idioms import Idioms

FRAMES, SAMPLES = 100, 12


def keras_cnn(b):
    """[T, bands, 1]; normalization behind the activation, dense layers on what is flattened."""
    x, c = b.transpose("x", 0, 3, 1, 2), 1
    for c_out in (16, 32, 64):
        x = b.batch_norm(b.relu(b.same(x, c, c_out, (3, 3))), c_out)
        x, c = b.pool(x, "MaxPool", [2, 2]), c_out
    x = b.reshape(b.transpose(x, 0, 2, 3, 1), 0, -1, 64 * 5)
    x = b.relu(b.linear(x, 320, 64))
    return b.op("Softmax", [b.linear(b.mean(x, [1], 0), 64, 10)], axis=-1)


def keras_separable(b):
    """Leaky activations by Max, separable layers, global maximum."""
    def leaky(x):
        return b.op("Max", [x, b.mul(x, b.f32(0.3))])
    x, c = leaky(b.same(b.transpose("x", 0, 3, 1, 2), 1, 24, (3, 3), 2)), 24
    for c_out, stride in ((48, 1), (64, 2), (96, 1)):
        x = b.same(x, c, c, (3, 3), stride, groups=c)
        x, c = leaky(b.conv_norm(x, c, c_out, (1, 1))), c_out
    x = b.op("ReduceMax", [x], axes=[2, 3], keepdims=0)
    return b.sigmoid(b.linear(x, 96, 20))


def mobilenet_v3(b):
    x, c = b.hard_swish(b.same("x", 1, 16, (3, 3), 2)), 16
    for taps, wide, c_out, excite, swish, stride in (
            (3, 16, 16, True, False, 2), (3, 72, 24, False, False, 2), (3, 88, 24, False, False, 1),
            (5, 96, 40, True, True, 2), (5, 240, 40, True, True, 1), (5, 120, 48, True, True, 1)):
        act = b.hard_swish if swish else b.relu
        y = act(b.same(x, c, wide, (1, 1)))
        y = act(b.same(y, wide, wide, (taps, taps), stride, groups=wide))
        y = b.squeeze_excite(y, wide, wide // 4, 2, b.hard_sigmoid) if excite else y
        y = b.same(y, wide, c_out, (1, 1))
        x, c = b.add(x, y) if c == c_out and stride == 1 else y, c_out
    x = b.op("GlobalAveragePool", [b.hard_swish(b.same(x, c, 288, (1, 1)))])
    return b.gemm(b.hard_swish(b.gemm(b.op("Flatten", [x]), 288, 256)), 256, 50)


def lcnet(b):
    """PP-LCNet as Paddle writes it: nothing folded, hard swish of two nodes."""
    def act(x):
        return b.mul(x, b.op("HardSigmoid", [x], alpha=1 / 6, beta=0.5))
    x, c = act(b.conv_norm("x", 1, 16, (3, 3), 2)), 16
    for taps, c_out, stride in ((3, 32, 1), (3, 64, (2, 1)), (3, 64, 1), (3, 128, (2, 1)), (5, 128, 1),
                                (5, 128, 1), (5, 160, 2)):
        stride = stride if isinstance(stride, tuple) else (stride, stride)
        x = act(b.conv_norm(x, c, c, (taps, taps), stride, groups=c))
        x, c = act(b.conv_norm(x, c, c_out, (1, 1))), c_out
    x = b.squeeze_excite(x, c, c // 4, 2)
    x = b.transpose(b.reshape(b.mean(x, [2]), 0, c, -1), 0, 2, 1)
    return b.op("Softmax", [b.linear(x, c, 40)], axis=-1)


def shufflenet(b):
    def shuffle(x, c):
        halves = b.op("Reshape", [x, b.constant(np.array([0, 2, c // 2, 16, -1], np.int64))])
        return b.reshape(b.transpose(halves, 0, 2, 1, 3, 4), 0, c, 16, -1)

    def branch(x, c_in, c, stride):
        y = b.relu(b.same(x, c_in, c, (1, 1)))
        return b.relu(b.same(b.same(y, c, c, (3, 3), stride, groups=c), c, c, (1, 1)))

    x = b.relu(b.same("x", 1, 24, (3, 3), 2))
    right = branch(x, 24, 24, 2)
    left = b.relu(b.same(b.same(x, 24, 24, (3, 3), 2, groups=24), 24, 24, (1, 1)))
    x = shuffle(b.concat(left, right), 48)
    for _ in range(4):
        left, right = b.split(x)
        x = shuffle(b.concat(left, branch(right, 24, 24, 1)), 48)
    return b.classes(b.relu(b.same(x, 48, 128, (1, 1))), 128, 30, 2)


def dense_delays(b):
    """CAM++ of speakers: normalization before each layer, what came before beside it, masks by context."""
    def norm_act(x, c):
        return b.relu(b.batch_norm(x, c))
    x = b.relu(b.same(b.reshape("x", 0, 1, 80, -1), 1, 16, (3, 3), (2, 1)))
    for _ in range(2):
        y = b.relu(b.same(x, 16, 16, (3, 3)))
        x = b.relu(b.add(b.same(y, 16, 16, (3, 3)), x))
    x = b.relu(b.same(x, 16, 16, (3, 3), (2, 1)))
    x, c = b.relu(b.same(b.reshape(x, 0, 320, -1), 320, 64, (5,), 2)), 64
    for layers, dilation in ((4, 1), (6, 2)):
        for _ in range(layers):
            y = norm_act(b.same(norm_act(x, c), c, 64, (1,)), 64)
            local = b.same(y, 64, 32, (3,), 1, dilation)
            context = b.add(b.mean(y, [2]), b.op("AveragePool", [y], kernel_shape=[5], strides=[1],
                                                 pads=[2, 2]))
            mask = b.sigmoid(b.same(b.relu(b.same(context, 64, 32, (1,))), 32, 32, (1,)))
            x, c = b.concat(x, b.mul(local, mask)), c + 32
        x, c = b.same(norm_act(x, c), c, c // 2, (1,)), c // 2
    mean = b.mean(x, [2])
    spread = b.op("Sub", [x, mean])
    spread = b.op("Sqrt", [b.add(b.mean(b.mul(spread, spread), [2]), b.f32(1e-5))])
    return b.same(b.concat(mean, spread), 2 * c, 96, (1,))


def fsmn(b):
    """Voice activity of FunASR: [T, 400], memory by windows of 20 frames before."""
    x = b.relu(b.linear(b.linear("x", 400, 140), 140, 250))
    for _ in range(4):
        y = b.op("MatMul", [x, b.constant(b.floats(250, 128, fan_in=250))])
        image = b.op("Unsqueeze", [b.transpose(y, 0, 2, 1), b.ints(3)])
        padded = b.op("Pad", [image, b.ints(0, 0, 19, 0, 0, 0, 0, 0)])
        memory = b.conv(padded, 128, 128, (20, 1), 1, (0, 0), 1, groups=128)
        memory = b.transpose(b.op("Squeeze", [b.add(image, memory), b.ints(3)]), 0, 2, 1)
        x = b.relu(b.linear(memory, 128, 250))
    return b.op("Softmax", [b.linear(b.linear(x, 250, 140), 140, 248)], axis=-1)


def delays(b):
    """A network with dilated windows that look back, PRelu and sums (Conv-TasNet without its norms)."""
    x = b.same("x", 80, 64, (1,))
    for dilation in (1, 2, 4, 8, 16, 32):
        y = b.prelu(b.same(x, 64, 128, (1,)), 128, 1)
        y = b.op("Pad", [y, b.ints(0, 0, 2 * dilation, 0, 0, 0)])
        y = b.prelu(b.conv(y, 128, 128, (3,), 1, 0, dilation, groups=128), 128, 1)
        x = b.add(x, b.same(y, 128, 64, (1,)))
    return b.mul("x", b.sigmoid(b.same(x, 64, 80, (1,))))


def unet_joined(b):
    """An enhancer with depthwise 1x5 windows of stride 2, ConvTranspose and joined skips: [2, T, 96]."""
    x, c, skips = b.prelu(b.conv_norm("x", 2, 16, (3, 3)), 16, 2), 16, []
    for c_out in (24, 32, 48):
        skips.append((x, c))
        x = b.conv_norm(x, c, c, (1, 5), (1, 2), groups=c)
        x, c = b.prelu(b.conv_norm(x, c, c_out, (1, 1)), c_out, 2), c_out
    x = b.prelu(b.same(x, c, c, (3, 3)), c, 2)
    for skip, c_out in reversed(skips):
        y = b.conv_transpose(x, c, c, [1, 4], [1, 2], [0, 1], c)
        x = b.prelu(b.same(b.concat(y, skip), c + c_out, c_out, (1, 1)), c_out, 2)
        c = c_out
    return b.mul("x", b.tanh(b.same(x, c, 2, (3, 3))))


def convnext(b):
    x = b.channel_norm(b.conv("x", 1, 32, (4, 4), (4, 4), (0, 0)), 32)
    for c, c_out in ((32, 64), (64, 96)):
        for _ in range(2):
            y = b.transpose(b.same(x, c, c, (7, 7), groups=c), 0, 2, 3, 1)
            y = b.linear(b.gelu(b.linear(b.norm(y, c), c, 4 * c)), 4 * c, c)
            y = b.mul(b.constant(b.floats(c, fan_in=100)), y)
            x = b.add(x, b.transpose(y, 0, 3, 1, 2))
        x = b.conv(b.channel_norm(x, c), c, c_out, (2, 2), (2, 2), (0, 0))
    return b.gemm(b.norm(b.mean(x, [2, 3], 0), 96), 96, 40)


def group_norms(b):
    x, c = b.swish(b.group_norm(b.same("x", 1, 24, (3, 3), (2, 1)), 24, 4)), 24
    for c_out, stride in ((24, 1), (48, 2), (48, 1)):
        y = b.swish(b.group_norm(b.same(x, c, c_out, (3, 3), (stride, stride)), c_out, 4))
        y = b.group_norm(b.same(y, c_out, c_out, (3, 3)), c_out, 4)
        x, c = b.swish(b.add(y, b.same(x, c, c_out, (1, 1), (stride, stride)))), c_out
    return b.classes(x, 48, 20, 2)


def unet_resized(b):
    """An enhancer that goes back by Resize: [1, T, 64]."""
    x, c, skips = "x", 1, []
    for c_out in (16, 32, 48):
        skips.append((x, c))
        x, c = b.op("LeakyRelu", [b.same(x, c, c_out, (3, 3), (1, 2))], alpha=0.2), c_out
    scales = b.constant(np.array([1, 1, 1, 2], np.float32))
    for i, (skip, c_skip) in enumerate(reversed(skips)):
        x = b.op("Resize", [x, "", scales], mode="linear" if i == 2 else "nearest",
                 coordinate_transformation_mode="half_pixel" if i == 2 else "asymmetric",
                 **({} if i == 2 else {"nearest_mode": "floor"}))
        x, c = b.relu(b.same(b.concat(x, skip), c + c_skip, 16, (3, 3))), 16
    return b.mul("x", b.sigmoid(b.same(x, 16, 1, (1, 1))))


def soft_blocks(b):
    """Activations of Zipformer, log(1 + e^(x - 1)) - 0.08 x - 0.31, behind linear layers and windows."""
    def swoosh(x):
        y = b.op("Sub", [b.op("Softplus", [b.op("Sub", [x, b.f32(1)])]), b.mul(x, b.f32(0.08))])
        return b.op("Sub", [y, b.f32(0.313261687)])
    x = b.linear("x", 80, 96)
    for _ in range(3):
        x = b.add(x, b.linear(swoosh(b.linear(x, 96, 192)), 192, 96))
        y = swoosh(b.same(b.transpose(x, 0, 2, 1), 96, 96, (15,), groups=96))
        x = b.norm(b.add(x, b.linear(b.transpose(y, 0, 2, 1), 96, 96)), 96)
    return b.linear(x, 96, 60)


def elu_coder(b):
    """A coder of audio: Elu, strided windows, and back: [1, T]."""
    def elu(x):
        return b.op("Elu", [x], alpha=1.0)
    def residual(x, c):
        return b.add(x, b.same(elu(b.same(elu(x), c, c // 2, (3,))), c // 2, c, (1,)))
    x, c = b.same("x", 1, 16, (7,)), 16
    for stride in (2, 4, 5):
        x, c = b.conv(elu(residual(x, c)), c, 2 * c, 2 * stride, stride, (stride + 1) // 2), 2 * c
    x = b.same(elu(x), c, c, (7,))
    for stride in (5, 4, 2):
        x = b.conv_transpose(elu(x), c, c // 2, [2 * stride], [stride], [stride // 2])
        x, c = residual(x, c // 2), c // 2
    return b.same(elu(x), c, 1, (7,))


def spectrum_front(b):
    """A waveform: its spectrum by a convolution, power, bands, logarithm, then windows along time."""
    k, n = np.arange(201)[:, None], np.arange(400)
    window = np.hanning(400)
    basis = np.concatenate([window * np.cos(2 * np.pi * k * n / 400), window * np.sin(2 * np.pi * k * n / 400)])
    y = b.op("Conv", ["x", b.constant(basis[:, None].astype(np.float32))], strides=[160], kernel_shape=[400])
    y = b.op("Pow", [y, b.f32(2)])
    y = b.add(b.op("Slice", [y, b.ints(0), b.ints(201), b.ints(1)]),
              b.op("Slice", [y, b.ints(201), b.ints(402), b.ints(1)]))
    bands = np.abs(b.floats(64, 201, fan_in=201))
    y = b.op("Log", [b.op("Clip", [b.op("MatMul", [b.constant(bands), y]), b.f32(1e-6)])])
    y = b.op("Sub", [y, b.mean(y, [2])])
    for c, taps, stride in ((64, 5, 2), (64, 5, 1), (96, 3, 2), (96, 3, 1)):
        c_in = 64 if c == 64 else (64 if stride == 2 else 96)
        y = b.relu(b.conv_norm(y, c_in, c, (taps,), stride))
    return b.classes(y, 96, 12, 1)


def mixed_windows(b):
    """Wake words: groups of channels with windows of several lengths along time."""
    x = b.relu(b.same("x", 40, 32, (5,), 2))
    for taps in ((5, 9), (9, 13), (13, 21)):
        first, second = b.split(x)
        y = b.concat(b.same(first, 16, 16, taps[:1], groups=16), b.same(second, 16, 16, taps[1:], groups=16))
        x = b.relu(b.add(b.conv_norm(y, 32, 32, (1,)), x))
    return b.sigmoid(b.classes(x, 32, 1, 1))


def char_cnn(b):
    """Windows of 2 to 5 letters, the maximum of each over a text."""
    x = b.transpose(b.embedding(200, 32), 0, 2, 1)
    found = [b.op("Squeeze", [b.op("GlobalMaxPool", [b.relu(b.conv(x, 32, 64, n))]), b.ints(2)])
             for n in (2, 3, 4, 5)]
    return b.gemm(b.relu(b.gemm(b.concat(*found), 256, 64)), 64, 20)


def byte_gates(b):
    """MalConv: windows of 16 bytes, gates, the maximum over a file."""
    x = b.transpose(b.embedding(257, 8), 0, 2, 1)
    gated = b.mul(b.conv(x, 8, 96, 16, 8), b.sigmoid(b.conv(x, 8, 96, 16, 8)))
    found = b.op("ReduceMax", [gated], axes=[2], keepdims=0)
    return b.gemm(b.relu(b.gemm(found, 96, 96)), 96, 2)


def byte_classes(b):
    """Bytes, in blocks with normalization and strides, as deep networks for text have them."""
    x, c = b.same(b.transpose(b.embedding(256, 16), 0, 2, 1), 16, 64, (3,)), 64
    for c_out in (64, 96, 128):
        for i in range(2):
            x, c = b.relu(b.conv_norm(x, c if i == 0 else c_out, c_out, (3,))), c_out
        x = b.op("MaxPool", [x], kernel_shape=[3], strides=[2], pads=[1, 1])
    x = b.op("Flatten", [b.op("GlobalMaxPool", [x])])
    return b.gemm(b.relu(b.gemm(x, 128, 128)), 128, 14)


SPECTRA = {"keras-cnn": (keras_cnn, ["T", 40, 1]), "keras-separable": (keras_separable, ["T", 64, 1]),
           "mobilenet-v3": (mobilenet_v3, [1, "T", 64]), "lcnet": (lcnet, [1, 64, "T"]),
           "shufflenet": (shufflenet, [1, 64, "T"]), "dense-delays": (dense_delays, [80, "T"]),
           "fsmn": (fsmn, ["T", 400]), "delays": (delays, [80, "T"]),
           "unet-joined": (unet_joined, [2, "T", 96]), "convnext": (convnext, [1, "T", 64]),
           "group-norms": (group_norms, [1, "T", 64]), "mixed-windows": (mixed_windows, [40, "T"]),
           "unet-resized": (unet_resized, [1, "T", 64]), "soft-blocks": (soft_blocks, ["T", 80])}
WAVES = {"spectrum-front": (spectrum_front, [1, "T"]), "elu-coder": (elu_coder, [1, "T"])}
TEXTS = {"char-cnn": (char_cnn, ["T"]), "byte-gates": (byte_gates, ["T"]), "byte-classes": (byte_classes, ["T"])}


def write_inputs(folder, shape, unit, ids):
    """Lengths in units, which are frames of spectra or samples of a frame."""
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(3)
    for i in range(SAMPLES):
        dims = [1] + [n if n != "T" else (FRAMES + 20 * i) * unit for n in shape]
        x = random.integers(1, 200, dims) if ids else random.standard_normal(dims).astype(np.float32)
        np.save(f"{folder}/{i}.npy", x)


def write(folder):
    for family, unit, ids in ((SPECTRA, 1, False), (WAVES, 160, False), (TEXTS, 8, True)):
        for name, (make, shape) in family.items():
            b = Idioms()
            b.save(f"{folder}/{name}.onnx", make(b), [1, *shape], None,
                   TensorProto.INT64 if ids else TensorProto.FLOAT)
            write_inputs(f"{folder}/inputs/{name}", shape, unit, ids)
