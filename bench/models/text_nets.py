"""Networks for tokens, letters and phonemes as people publish them, thinner, with random weights that look trained; each
with texts to calibrate with, in the folders that bench/real/run.sh expects.
"""
import os

import numpy as np
from onnx import TensorProto

from trained import Trained

SAMPLES, WORDS = 16, 1000


def embedded(b, width):
    return b.op("Gather", [b.constant(b.floats(WORDS, width, fan_in=1)), "x"])


def length(b):
    return b.op("Gather", [b.op("Shape", ["x"]), b.ints(1)], axis=0)


def letters_tagger(b):
    """Windows over letters, LSTMs of both directions, and a layer of tags."""
    x = b.swap(b.relu(b.same(b.swap(embedded(b, 32)), 32, 64, (3,))))
    x = b.recurrent("LSTM", b.recurrent("LSTM", x, 64, 64, 2), 128, 64, 2)
    return b.linear(x, 128, 20)


def experts(b):
    """Four feed-forward parts in each layer, of which each token takes two."""
    x = embedded(b, 96)
    for _ in range(2):
        x = b.add(x, b.attend(b.norm(x, 96), 4, 96))
        y = b.norm(x, 96)
        scores = b.softmax(b.linear(y, 96, 4))
        best = b.op("TopK", [scores, b.ints(2)], outputs=2, axis=-1)[0]
        least = b.slice(best, 1, 2, 2)
        kept = b.mul(scores, b.op("Cast", [b.op("GreaterOrEqual", [scores, least])], to=TensorProto.FLOAT))
        kept = b.div(kept, b.op("ReduceSum", [kept, b.ints(2)], keepdims=1))
        for i in range(4):
            x = b.add(x, b.mul(b.slice(kept, i, i + 1, 2), b.feed_forward(y, 96, 192, b.swish)))
    return b.linear(b.norm(x, 96), 96, 50)


def rotated_decoder(b):
    """A causal decoder with rotated positions, RMS norms, keys shared by pairs of heads, and SwiGLU."""
    width, heads, size = 96, 4, 24
    places = b.op("Cast", [b.op("Range", [b.constant(np.int64(0)), b.squeeze(length(b), 0),
                                          b.constant(np.int64(1))])], to=TensorProto.FLOAT)
    speeds = (10000.0 ** (-np.arange(0, size, 2) / size)).astype(np.float32)[None]
    angles = b.mul(b.unsqueeze(places, 1), b.constant(speeds))
    angles = b.concat(angles, angles)
    cos, sin = b.op("Cos", [angles]), b.op("Sin", [angles])
    future = b.op("Less", [b.unsqueeze(places, 1), b.unsqueeze(places, 0)])
    mask = b.op("Where", [future, b.f32(-1e9), b.f32(0)])

    def rotated(x):
        turned = b.concat(b.op("Neg", [b.slice(x, size // 2, size, 3)]), b.slice(x, 0, size // 2, 3), axis=3)
        return b.add(b.mul(x, cos), b.mul(turned, sin))

    x = embedded(b, width)
    for _ in range(2):
        y = b.rms_norm(x, width)
        q = b.transpose(b.reshape(b.linear(y, width, width), 0, 0, heads, size), 0, 2, 1, 3)
        k, v = (b.transpose(b.reshape(b.linear(y, width, width // 2), 0, 0, heads // 2, size), 0, 2, 1, 3)
                for _ in range(2))
        k, v = (b.concat(b.slice(z, 0, 1, 1), b.slice(z, 0, 1, 1), b.slice(z, 1, 2, 1), b.slice(z, 1, 2, 1))
                for z in (rotated(k), v))
        scores = b.mul(b.matmul(rotated(q), b.transpose(k, 0, 1, 3, 2)), b.f32(size ** -0.5))
        mixed = b.matmul(b.softmax(b.add(scores, mask)), v)
        mixed = b.reshape(b.transpose(mixed, 0, 2, 1, 3), 0, 0, width)
        x = b.add(x, b.linear(mixed, width, width))
        y = b.rms_norm(x, width)
        y = b.mul(b.swish(b.linear(y, width, 256)), b.linear(y, width, 256))
        x = b.add(x, b.linear(y, 256, width))
    return b.linear(b.rms_norm(x, width), width, 200)


def speech_from_text(b):
    """Phonemes to frames by gated windows with residuals, positions added, and attention at the end."""
    x = b.swap(embedded(b, 96))
    for dilation in (1, 3, 9, 1, 3, 9):
        y = b.gated(b.same(x, 96, 192, (5,), 1, dilation))
        x = b.mul(b.add(x, y), b.f32(0.5 ** 0.5))
    x = b.transformer_layer(b.swap(x), 2, 96, 256)
    return b.linear(x, 96, 80)


def linear_attention(b):
    """Keys and queries behind elu + 1, summed over all positions instead of compared."""
    def positive(x):
        return b.add(b.op("Elu", [x], alpha=1.0), b.f32(1))
    x = embedded(b, 96)
    for _ in range(3):
        y = b.norm(x, 96)
        q, k, v = (b.heads(b.linear(y, 96, 96), 4, 96, [0, 2, 1, 3]) for _ in range(3))
        q, k = positive(q), positive(k)
        state = b.matmul(b.transpose(k, 0, 1, 3, 2), v)
        total = b.op("ReduceSum", [k, b.ints(2)], keepdims=1)
        weight = b.op("ReduceSum", [b.mul(q, total), b.ints(3)], keepdims=1)
        mixed = b.div(b.matmul(q, state), b.add(weight, b.f32(1e-6)))
        x = b.add(x, b.linear(b.reshape(b.transpose(mixed, 0, 2, 1, 3), 0, 0, 96), 96, 96))
        x = b.add(x, b.feed_forward(b.norm(x, 96), 96, 256, b.gelu))
    return b.linear(b.norm(x, 96), 96, 30)


def long_windows(b):
    """Depthwise windows of 65 tokens between gates, as in place of attention."""
    x = embedded(b, 96)
    for _ in range(3):
        value, gate = b.split(b.linear(b.norm(x, 96), 96, 192), 2)
        mixed = b.swap(b.causal(b.swap(value), 96, 96, 65, groups=96))
        x = b.add(x, b.linear(b.mul(mixed, b.sigmoid(gate)), 96, 96))
        x = b.add(x, b.feed_forward(b.norm(x, 96), 96, 192, b.gelu))
    return b.linear(b.norm(x, 96), 96, 30)


def latents(b):
    """Perceiver: sixteen learned rows ask the text, then each other."""
    def cross(queries, x):
        q = b.heads(b.linear(b.norm(queries, 96), 96, 96), 4, 96, [0, 2, 1, 3])
        k = b.heads(b.linear(x, 96, 96), 4, 96, [0, 2, 3, 1])
        v = b.heads(b.linear(x, 96, 96), 4, 96, [0, 2, 1, 3])
        mixed = b.matmul(b.softmax(b.div(b.matmul(q, k), b.f32(24 ** 0.5))), v)
        mixed = b.reshape(b.transpose(mixed, 0, 2, 1, 3), 0, 0, 96)
        return b.add(queries, b.linear(mixed, 96, 96))
    x = b.norm(embedded(b, 96), 96)
    rows = b.constant(b.floats(1, 16, 96, fan_in=1))
    for _ in range(2):
        rows = cross(rows, x)
        rows = b.add(rows, b.feed_forward(b.norm(rows, 96), 96, 256, b.gelu))
        rows = b.transformer_layer(rows, 4, 96, 256)
    return b.linear(b.mean(rows, [1], 0), 96, 20)


NETWORKS = {"letters-tagger": letters_tagger, "experts": experts, "rotated-decoder": rotated_decoder,
            "speech-from-text": speech_from_text, "linear-attention": linear_attention,
            "long-windows": long_windows, "latents": latents}


def write(folder):
    for name, make in NETWORKS.items():
        b = Trained()
        b.save(f"{folder}/{name}.onnx", make(b), [1, "T"], None, TensorProto.INT64)
        os.makedirs(f"{folder}/inputs/{name}", exist_ok=True)
        random = np.random.default_rng(3)
        for i in range(SAMPLES):
            ids = np.minimum(random.zipf(1.3, (1, int(random.integers(20, 150)))), WORDS) - 1
            np.save(f"{folder}/inputs/{name}/{i}.npy", ids)
