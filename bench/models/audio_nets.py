"""Networks for recordings as people publish them, of about their sizes or thinner, with random weights that look trained;
each with voices to calibrate with, in the folders that bench/real/run.sh expects.
"""
import os

import numpy as np

import voices
from trained import Trained

SAMPLES = 16


# --- waves: [1, T] --------------------------------------------------------------------------------

def wavenet(b):
    """Gated dilated windows on the wave, with skips."""
    x, skips = b.causal(b.unsqueeze("x", 1), 1, 32, 2), None
    for dilation in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        y = b.causal(x, 32, 64, 2, dilation)
        y = b.mul(b.tanh(b.slice(y, 0, 32, 1)), b.sigmoid(b.slice(y, 32, 64, 1)))
        skip = b.same(y, 32, 32, (1,))
        skips = skip if skips is None else b.add(skips, skip)
        x = b.add(x, b.same(y, 32, 32, (1,)))
    return b.same(b.relu(b.same(b.relu(skips), 32, 64, (1,))), 64, 64, (1,))


def conv_tasnet(b):
    """Separation: a learned basis, dilated depthwise blocks with global norms, a mask, and back."""
    basis = b.relu(b.conv(b.unsqueeze("x", 1), 1, 128, 16, 8))
    x = b.same(b.global_norm(basis, 128), 128, 64, (1,))
    for dilation in (1, 2, 4, 8, 1, 2, 4, 8):
        y = b.global_norm(b.prelu(b.same(x, 64, 128, (1,)), 1, 1), 128)
        y = b.same(y, 128, 128, (3,), 1, dilation, groups=128)
        y = b.global_norm(b.prelu(y, 1, 1), 128)
        x = b.add(x, b.same(y, 128, 64, (1,)))
    mask = b.relu(b.same(b.prelu(x, 1, 1), 64, 128, (1,)))
    return b.conv_transpose(b.mul(basis, mask), 128, 1, [16], [8], [0])


def demucs(b):
    """Strided windows with GLU, LSTMs in both directions, and back, with skips."""
    x, c, skips = b.unsqueeze("x", 1), 1, []
    for c_out in (24, 48, 96):
        x = b.relu(b.conv(x, c, c_out, 8, 4, 2))
        x, c = b.gated(b.same(x, c_out, 2 * c_out, (1,))), c_out
        skips.append(x)
    y = b.recurrent("LSTM", b.swap(x), c, c, 2)
    x = b.swap(b.linear(y, 2 * c, c))
    for c_out in (48, 24, 1):
        x = b.gated(b.same(b.add(x, skips.pop()), c, 2 * c, (1,)))
        x = b.conv_transpose(x, c, c_out, [8], [4], [2])
        x, c = x if c_out == 1 else b.relu(x), c_out
    return x


def wav2vec(b):
    """Windows on the wave, the first with GroupNorm, then a transformer with positions by a convolution."""
    x = b.gelu(b.norm_of_channels(b.conv(b.unsqueeze("x", 1), 1, 96, 10, 5), 96))
    for taps in (3, 3, 3, 3, 2, 2):
        x = b.gelu(b.conv(x, 96, 96, taps, 2))
    x = b.linear(b.norm(b.swap(x), 96), 96, 128)
    places = b.gelu(b.swap(b.same(b.swap(x), 128, 128, (15,), groups=8)))
    x = b.norm(b.add(x, places), 128)
    for _ in range(3):
        x = b.encoder_layer(x, 4, 128, 512)
    return b.linear(x, 128, 32)


def codec(b):
    """EnCodec: Elu, residual windows, strides, LSTMs whose input is added, and the latents."""
    def elu(x):
        return b.op("Elu", [x], alpha=1.0)
    x, c = b.same(b.unsqueeze("x", 1), 1, 16, (7,)), 16
    for stride in (2, 4, 5, 8):
        y = b.same(elu(b.same(elu(x), c, c // 2, (3,))), c // 2, c, (1,))
        x = b.add(y, b.same(x, c, c, (1,)))
        x, c = b.conv(elu(x), c, 2 * c, 2 * stride, stride, (stride + 1) // 2), 2 * c
    y = b.swap(x)
    y = b.add(b.recurrent("LSTM", b.recurrent("LSTM", y, c, c), c, c), y)
    return b.same(elu(b.swap(y)), c, 64, (7,))


def filter_bank(b):
    """LEAF: complex windows of 401 samples, squared, smoothed for each band, PCEN, and depthwise blocks."""
    n = np.arange(-200, 201)
    centres, widths = np.geomspace(0.03, 2.8, 40)[:, None], np.linspace(60, 15, 40)[:, None]
    envelope = np.exp(-n ** 2 / (2 * widths ** 2)) / widths
    basis = np.stack([envelope * np.cos(centres * n), envelope * np.sin(centres * n)], 1).reshape(80, 1, 401)
    y = b.op("Conv", [b.unsqueeze("x", 1), b.constant(basis.astype(np.float32))], pads=[200, 200],
             kernel_shape=[401])
    y = b.op("AveragePool", [b.swap(b.mul(y, y))], kernel_shape=[2], strides=[2])
    y = b.mul(b.swap(y), b.f32(2))
    low = np.hanning(401)[None, None].repeat(40, 0) / 200
    y = b.op("Conv", [y, b.constant(low.astype(np.float32))], pads=[200, 200], strides=[160], group=40,
             kernel_shape=[401])
    y = b.op("Max", [y, b.f32(1e-5)])
    smooth = b.op("AveragePool", [y], kernel_shape=[9], strides=[1], pads=[4, 4])
    y = b.div(y, b.op("Pow", [b.add(smooth, b.f32(1e-6)), b.f32(0.96)]))
    y = b.sub(b.op("Pow", [b.add(y, b.f32(2)), b.f32(0.5)]), b.f32(2 ** 0.5))
    x, c = b.unsqueeze(y, 1), 1
    for c_out, stride in ((16, 1), (32, 2), (48, 2), (64, 2)):
        x = b.swish(b.conv_norm(x, c, 2 * c_out, (3, 3), stride))
        x, c = b.same(b.squeeze_excite(x, 2 * c_out, c_out // 4, 2), 2 * c_out, c_out, (1, 1)), c_out
    return b.classes(x, c, 35, 2)


# --- magnitudes of 257 bins: [1, 257, T] ----------------------------------------------------------

def gru_denoiser(b):
    x = b.op("Log", [b.add(b.swap("x"), b.f32(1e-4))])
    x = b.relu(b.linear(x, 257, 160))
    y = b.recurrent("GRU", b.recurrent("GRU", x, 160, 160), 160, 160)
    mask = b.sigmoid(b.linear(b.relu(b.linear(b.concat(x, y, axis=2), 320, 200)), 200, 257))
    return b.mul("x", b.swap(mask))


def mosnet(b):
    """Quality of each frame and their mean: windows with strides along the bins, LSTMs of both directions."""
    x, c = b.unsqueeze(b.swap("x"), 1), 1
    for c_out in (16, 32, 64):
        for stride in (1, 1, 3):
            x, c = b.relu(b.same(x, c, c_out, (3, 3), (1, stride))), c_out
    x = b.reshape(b.transpose(x, 0, 2, 1, 3), 0, 0, 64 * 10)
    x = b.recurrent("LSTM", x, 640, 64, 2)
    frames = b.linear(b.relu(b.linear(x, 128, 64)), 64, 1)
    return b.concat(b.mean(frames, [1]), frames)


def complex_denoiser(b):
    """DCCRN: real and imaginary parts in channels, an LSTM between, skips."""
    x, c, skips = b.unsqueeze("x", 1), 1, []
    for c_out in (16, 32, 48, 64):
        x = b.prelu(b.conv_norm_of(x, c, c_out, (5, 3), (2, 1), (2, 1)), 1, 2)
        skips.append(x)
        c = c_out
    y = b.reshape(b.transpose(x, 0, 3, 1, 2), 0, 0, 64 * 17)
    y = b.linear(b.recurrent("LSTM", y, 64 * 17, 96), 96, 64 * 17)
    x = b.transpose(b.reshape(y, 0, 0, 64, 17), 0, 2, 3, 1)
    for c_out in (48, 32, 16, 1):
        x = b.concat(x, skips.pop())
        x = b.conv_transpose(x, 2 * c, c_out, [5, 3], [2, 1], [2, 1])
        x, c = x if c_out == 1 else b.prelu(b.batch_norm(x, c_out), 1, 2), c_out
    return b.mul("x", b.sigmoid(b.squeeze(x, 1)))


# --- logarithms of 80 bands: [1, 80, T] -----------------------------------------------------------

def deep_speech(b):
    """Two wide windows over bands and time with clipped outputs, three GRUs of both directions."""
    x = b.relu20(b.conv_norm_of(b.unsqueeze("x", 1), 1, 16, (41, 11), (2, 2), (20, 5)))
    x = b.relu20(b.conv_norm_of(x, 16, 16, (21, 11), (2, 1), (10, 5)))
    x, c = b.reshape(b.transpose(x, 0, 3, 1, 2), 0, 0, 16 * 20), 320
    for _ in range(3):
        x, c = b.recurrent("GRU", x, c, 96, 2), 192
    return b.op("LogSoftmax", [b.linear(b.norm(x, 192), 192, 29)], axis=-1)


def ecapa(b):
    """Speakers: residual windows in groups that read each other, excitation, attentive statistics."""
    def res2(x, c, dilation):
        parts = b.op("Split", [x], outputs=4, axis=1)
        out, before = [parts[0]], None
        for part in parts[1:]:
            y = part if before is None else b.add(part, before)
            before = b.batch_norm(b.relu(b.same(y, c // 4, c // 4, (3,), 1, dilation)), c // 4)
            out.append(before)
        return b.concat(*out)
    x = b.batch_norm(b.relu(b.same(b.sub("x", b.mean("x", [2])), 80, 128, (5,))), 128)
    layers = []
    for dilation in (2, 3, 4):
        y = b.batch_norm(b.relu(b.same(x, 128, 128, (1,))), 128)
        y = b.batch_norm(b.relu(b.same(res2(y, 128, dilation), 128, 128, (1,))), 128)
        x = b.add(x, b.squeeze_excite(y, 128, 32, 1))
        layers.append(x)
    x = b.relu(b.same(b.concat(*layers), 384, 256, (1,)))
    mean, spread = (b.op("Expand", [part, b.op("Shape", [x])]) for part in b.split(b.statistics(x)))
    y = b.tanh(b.batch_norm(b.relu(b.same(b.concat(x, mean, spread), 768, 64, (1,))), 64))
    weights = b.softmax(b.same(y, 64, 256, (1,)), 2)
    mean = b.op("ReduceSum", [b.mul(x, weights), b.ints(2)], keepdims=1)
    spread = b.sub(b.op("ReduceSum", [b.mul(b.mul(x, x), weights), b.ints(2)], keepdims=1), b.mul(mean, mean))
    spread = b.op("Sqrt", [b.op("Clip", [spread, b.f32(1e-4)])])
    return b.same(b.concat(mean, spread), 512, 96, (1,))


def conformer(b):
    """Half steps around attention and gated depthwise windows, after two strided windows."""
    x = b.relu(b.same(b.unsqueeze(b.swap("x"), 1), 1, 32, (3, 3), 2))
    x = b.relu(b.same(x, 32, 32, (3, 3), 2))
    x = b.linear(b.reshape(b.transpose(x, 0, 2, 1, 3), 0, 0, 32 * 20), 640, 96)
    for _ in range(3):
        for part in ("first", "attention", "windows", "last"):
            y = b.norm(x, 96)
            if part == "attention":
                y = b.attend(y, 4, 96)
            elif part == "windows":
                y = b.gated(b.same(b.swap(y), 96, 192, (1,)))
                y = b.swish(b.batch_norm(b.same(y, 96, 96, (15,), groups=96), 96))
                y = b.swap(b.same(y, 96, 96, (1,)))
            else:
                y = b.mul(b.feed_forward(y, 96, 384, b.swish), b.f32(0.5))
            x = b.add(x, y)
        x = b.norm(x, 96)
    return b.op("LogSoftmax", [b.linear(x, 96, 64)], axis=-1)


def wav2letter(b):
    """Gated windows with normalization of layers between."""
    x, c = "x", 80
    for taps, c_out in ((9, 96), (9, 96), (13, 128), (13, 128), (17, 160)):
        y = b.gated(b.same(x, c, 2 * c_out, (taps,)))
        x, c = b.swap(b.norm(b.swap(y), c_out)), c_out
    return b.same(x, c, 40, (1,))


def speech_states(b):
    """Mamba on frames: gates, causal depthwise windows, and a scan written out over a few steps back."""
    x = b.linear(b.swap("x"), 80, 64)
    for _ in range(2):
        half, gate = b.split(b.linear(b.norm(x, 64), 64, 256), 2)
        y = b.swish(b.swap(b.causal(b.swap(half), 128, 128, 4, groups=128)))
        step = b.op("Softplus", [b.linear(y, 128, 128)])
        decay = b.op("Exp", [b.mul(step, b.constant(-np.exp(b.floats(128, fan_in=4))))])
        state = b.mul(step, y)
        for back in (1, 2, 4):
            def earlier(z, n=back):
                return b.slice(b.op("Pad", [z, b.ints(0, n, 0, 0, 0, 0)]), 0, -n, 1)
            state = b.add(state, b.mul(decay, earlier(state)))
            decay = b.mul(decay, earlier(decay))
        y = b.mul(b.add(state, b.mul(y, b.constant(1 + b.floats(128, fan_in=9)))), b.swish(gate))
        x = b.add(x, b.linear(y, 128, 64))
    return b.linear(b.rms_norm(x, 64), 64, 40)


def vocoder(b):
    """HiFi-GAN: ConvTranspose, and residual windows of several lengths that are summed."""
    def leaky(x):
        return b.op("LeakyRelu", [x], alpha=0.1)
    x, c = b.same("x", 80, 96, (7,)), 96
    for stride in (8, 5, 4):
        x, c = b.conv_transpose(leaky(x), c, c // 2, [2 * stride], [stride], [stride // 2]), c // 2
        total = None
        for taps in (3, 7):
            y = x
            for dilation in (1, 3):
                y = b.add(y, b.same(leaky(b.same(leaky(y), c, c, (taps,), 1, dilation)), c, c, (taps,)))
            total = y if total is None else b.add(total, y)
        x = b.div(total, b.f32(2))
    return b.tanh(b.same(leaky(x), c, 1, (7,)))


def snake_vocoder(b):
    """BigVGAN without its filters: periodic activations."""
    x, c = b.same("x", 80, 64, (7,)), 64
    for stride in (8, 5):
        x, c = b.conv_transpose(x, c, c // 2, [2 * stride], [stride], [stride // 2]), c // 2
        for dilation in (1, 3):
            y = b.same(b.snake(x, c), c, c, (3,), 1, dilation)
            x = b.add(x, b.same(b.snake(y, c), c, c, (3,)))
    return b.tanh(b.same(b.snake(x, c), c, 1, (7,)))


def flow(b):
    """VITS: couplings of halves by gated windows, whose channels are turned round between."""
    x = "x"
    for _ in range(4):
        first, second = b.split(x)
        y, total = b.same(first, 40, 64, (1,)), None
        for dilation in (1, 2, 4):
            z = b.same(y, 64, 128, (5,), 1, dilation)
            z = b.mul(b.tanh(b.slice(z, 0, 64, 1)), b.sigmoid(b.slice(z, 64, 128, 1)))
            z = b.same(z, 64, 128, (1,))
            y = b.add(y, b.slice(z, 0, 64, 1))
            skip = b.slice(z, 64, 128, 1)
            total = skip if total is None else b.add(total, skip)
        x = b.concat(first, b.add(second, b.same(total, 64, 40, (1,))))
        x = b.op("Slice", [x, b.ints(-1), b.ints(-81), b.ints(1), b.ints(-1)])
    return x


def quality_of_segments(b):
    """NISQA: normalized windows with pools, self-attention, attention pooling."""
    x, c = b.unsqueeze("x", 1), 1
    for c_out, size in ((16, [2, 2]), (32, [2, 1]), (48, [2, 1]), (48, None)):
        x, c = b.relu(b.conv_norm_of(x, c, c_out, (3, 3), (1, 1), (1, 1))), c_out
        x = b.pool(x, "MaxPool", size) if size else x
    x = b.linear(b.reshape(b.transpose(x, 0, 3, 1, 2), 0, 0, 480), 480, 64)
    for _ in range(2):
        x = b.encoder_layer(x, 1, 64, 64)
    weights = b.swap(b.linear(b.relu(b.linear(x, 64, 128)), 128, 1))
    return b.linear(b.matmul(b.softmax(weights), x), 64, 1)


def speech_encoder(b):
    """RNN-T: LSTMs with layer norm, frames joined in pairs after the first."""
    x, c = b.swap("x"), 80
    for layer in range(3):
        x, c = b.norm(b.recurrent("LSTM", x, c, 160), 160), 160
        if layer == 0:
            x = b.swap(b.op("AveragePool", [b.swap(x)], kernel_shape=[2], strides=[2]))
    return b.linear(b.tanh(b.linear(x, 160, 128)), 128, 60)


def whisper(b):
    x = b.gelu(b.same("x", 80, 96, (3,)))
    x = b.swap(b.gelu(b.same(x, 96, 96, (3,), 2)))
    for _ in range(3):
        x = b.transformer_layer(x, 4, 96, 384)
    return b.norm(x, 96)


def tagger(b):
    """CRNN with excitation: windows, GRUs of both directions, attention over frames."""
    x, c = b.unsqueeze("x", 1), 1
    for c_out in (16, 32, 64):
        x = b.relu(b.conv_norm_of(x, c, c_out, (3, 3), (1, 1), (1, 1)))
        x, c = b.pool(b.squeeze_excite(x, c_out, c_out // 4, 2), "AveragePool", [4, 1]), c_out
    x = b.recurrent("GRU", b.swap(b.mean(x, [2], 0)), 64, 64, 2)
    strong, weights = b.sigmoid(b.linear(x, 128, 10)), b.softmax(b.linear(x, 128, 10))
    total = b.op("ReduceSum", [b.mul(strong, weights), b.ints(1)], keepdims=0)
    return b.div(total, b.op("ReduceSum", [weights, b.ints(1)], keepdims=0))


WAVES = {"wavenet": wavenet, "conv-tasnet": conv_tasnet, "demucs": demucs, "wav2vec": wav2vec, "codec": codec,
         "filter-bank": filter_bank}
MAGNITUDES = {"gru-denoiser": gru_denoiser, "mosnet": mosnet, "complex-denoiser": complex_denoiser}
BANDS = {"deep-speech": deep_speech, "ecapa": ecapa, "conformer": conformer, "wav2letter": wav2letter,
         "speech-states": speech_states, "vocoder": vocoder, "snake-vocoder": snake_vocoder, "flow": flow,
         "quality-of-segments": quality_of_segments, "speech-encoder": speech_encoder, "whisper": whisper,
         "tagger": tagger}
FAMILIES = ((WAVES, [1, "T"], lambda random, frames: voices.wave(random, 160 * frames)),
            (MAGNITUDES, [1, 257, "T"], voices.magnitudes),
            (BANDS, [1, 80, "T"], lambda random, frames: voices.bands(random, frames, 80)))


def write(folder):
    for networks, shape, make_input in FAMILIES:
        for name, make in networks.items():
            b = Trained()
            b.save(f"{folder}/{name}.onnx", make(b), shape, None)
            os.makedirs(f"{folder}/inputs/{name}", exist_ok=True)
            random = np.random.default_rng(3)
            for i in range(SAMPLES):
                frames = 4 * int(random.integers(25, 75))
                np.save(f"{folder}/inputs/{name}/{i}.npy", make_input(random, frames)[None])
