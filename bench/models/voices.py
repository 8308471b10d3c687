"""What networks are calibrated and measured with: voiced sounds with pauses and noise, and what front ends make of them."""
import numpy as np

RATE, HOP, POINTS = 16000, 160, 512


def wave(random, samples):
    """Syllables of a changing pitch, shaped by two resonances each, in noise of a level of its own."""
    out = np.zeros(samples, np.float32)
    at = int(random.integers(0, RATE // 8))
    while at < samples:
        n = min(int(random.uniform(0.08, 0.3) * RATE), samples - at)
        pitch = random.uniform(90, 240) * (1 + random.uniform(-0.2, 0.2) * np.linspace(0, 1, n))
        phase = 2 * np.pi * np.cumsum(pitch) / RATE
        formants = random.uniform((300, 900), (800, 2500))
        sound = np.zeros(n)
        for k in range(1, 25):
            distance = (k * pitch.mean() - formants) / (0.15 * formants + 60)
            sound += np.sin(k * phase) * (0.02 + np.exp(-distance ** 2).sum()) / k ** 0.5
        out[at:at + n] += sound * np.sin(np.linspace(0, np.pi, n)) ** 0.5 * random.uniform(0.03, 0.2)
        at += n + int(random.exponential(0.06) * RATE)
    return (out + random.standard_normal(samples) * 10 ** random.uniform(-3.5, -2)).astype(np.float32)


def magnitudes(random, frames):
    """[257, frames]"""
    signal = wave(random, (frames - 1) * HOP + POINTS)
    windows = np.lib.stride_tricks.sliding_window_view(signal, POINTS)[::HOP]
    return np.abs(np.fft.rfft(windows * np.hanning(POINTS))).T.astype(np.float32)


def bands(random, frames, n):
    """Logarithms of the power of n bands, wider towards the high ones: [n, frames]."""
    edges = 256 * ((1 + 12) ** (np.arange(n + 2) / (n + 1)) - 1) / 12
    bins = np.arange(257)
    rise = (bins - edges[:-2, None]) / np.maximum(edges[1:-1] - edges[:-2], 1)[:, None]
    fall = (edges[2:, None] - bins) / np.maximum(edges[2:] - edges[1:-1], 1)[:, None]
    weights = np.maximum(0, np.minimum(1, np.minimum(rise, fall)))
    return np.log(weights @ magnitudes(random, frames) ** 2 + 1e-5).astype(np.float32)
