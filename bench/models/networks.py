"""The networks of the benchmarks: sizes as published, weights random."""
import numpy as np

from builder import Builder

BERT_FORMS = ("f32", "f32x", "qdq", "qdqx", "qdqf", "dyn", "dynx")
QUARTZNET_FORMS = ("f32", "qdq")
WAV2VEC2_FORMS = ("f32", "f32x", "qdqf", "qdqx", "dynx")


def bert(form, layers, width, heads, path):
    """Encoder layers; the embedding in front is a table and costs nothing beside them."""
    b = Builder(form)
    x = "x"
    for _ in range(layers):
        x = b.encoder_layer(x, heads, width, 4 * width)
    b.save(path, x, [1, "S", width], [1, "S", width])


def bert_mini(form, path):
    bert(form, 4, 256, 4, path)


def bert_base(form, path):
    bert(form, 12, 768, 12, path)


def quartznet(form, path):
    """QuartzNet 5x5 on 64 mel bands, 100 frames a second."""
    b = Builder(form)

    def positive(x):  # zero point 0: a runtime can then drop the Relu
        return b.quantized(b.op("Relu", [x]), 0.0, 8.0)

    def separable(x, c_in, c_out, taps, stride=1, dilation=1):
        x = b.conv(x, c_in, c_in, taps, stride, dilation * (taps - 1) // 2, dilation, groups=c_in)
        return b.conv(b.quantized(x), c_in, c_out, 1)

    x, c = positive(separable(b.quantized("x"), 64, 256, 33, stride=2)), 256
    for c_out, taps in ((256, 33), (256, 39), (512, 51), (512, 63), (512, 75)):
        y, c_in = x, c
        for last in (False, False, False, False, True):
            y = separable(y, c_in, c_out, taps)
            y = b.quantized(y) if last else positive(y)
            c_in = c_out
        x = positive(b.op("Add", [y, b.quantized(b.conv(x, c, c_out, 1))]))
        c = c_out
    x = positive(separable(x, 512, 512, 87, dilation=2))
    x = b.conv(positive(b.conv(x, 512, 1024, 1)), 1024, 29, 1)
    b.save(path, x, [1, 64, "T"], [1, 29, "T2"])


def wav2vec2(form, path):
    """wav2vec 2.0 base on 16 kHz audio."""
    b = Builder(form)
    outputs = b.everywhere or b.contrib  # quantize what convolutions give, too
    convs = [(1, 10, 5)] + [(512, 3, 2)] * 4 + [(512, 2, 2)] * 2
    x = "x"
    for i, (c_in, taps, stride) in enumerate(convs):
        x = b.quantized(b.conv(b.quantized(x), c_in, 512, taps, stride), wanted=outputs)
        if i == 0:
            x = instance_norm(b, x, 512)
        x = b.gelu(x)
    x = b.op("Transpose", [x], perm=[0, 2, 1])
    x = b.linear(b.quantized(b.norm(x, 512)), 512, 768)
    x = b.norm(b.op("Add", [x, positions(b, x, outputs)]), 768)
    for _ in range(12):
        x = b.encoder_layer(x, 12, 768, 3072)
    b.save(path, x, [1, 1, "T"], [1, "S", 768])


def instance_norm(b, x, channels):
    return b.op("InstanceNormalization", [x] + b.scale_and_shift(channels), epsilon=1e-5)


def positions(b, x, outputs):
    """The grouped convolution over 128 steps that stands for position embeddings."""
    p = b.quantized(b.op("Transpose", [x], perm=[0, 2, 1]))
    p = b.quantized(b.conv(p, 768, 768, 128, 1, 64, groups=16), wanted=outputs)
    starts, ends, axes = (b.constant(np.array([v], np.int64)) for v in (0, -1, 2))
    p = b.op("Slice", [p, starts, ends, axes])  # an even kernel gives one step too many
    return b.op("Transpose", [b.gelu(p)], perm=[0, 2, 1])


NETWORKS = {"bert-mini": (bert_mini, BERT_FORMS), "bert-base": (bert_base, BERT_FORMS),
            "quartznet": (quartznet, QUARTZNET_FORMS), "wav2vec2": (wav2vec2, WAV2VEC2_FORMS)}
