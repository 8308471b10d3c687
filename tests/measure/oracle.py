"""What int8 really leaves of the outputs of a model: by numpy, over the elements that somebody reads."""
import math

import numpy as np

DESTROYED, HEALTHY, HEALTHY_SAMPLE, RESCUED = 15, 33, 30, 20  # dB
ALIKE = 45  # dB, of the float outputs of the command beside those of numpy


def decibels(signal, noise):
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf


class Level:
    """dB of all samples together, and of their lower tenth"""

    def __init__(self, total, low):
        self.total, self.low = total, low

    def __str__(self):
        return f"{self.total:.1f}" if self.low > self.total - 3 else f"{self.total:.1f} (samples {self.low:.1f})"

    @property
    def least(self):
        return min(self.total, self.low)

    @property
    def is_healthy(self):
        return self.total >= HEALTHY and self.low >= HEALTHY_SAMPLE


def errors(got, want, read, minus):
    """Squares of what is read, and of its error."""
    got, want = got.astype(np.float64), want.astype(np.float64)
    read = np.broadcast_to(read, want.shape) & np.isfinite(want)
    if not np.isfinite(got[read]).all():
        return 1.0, math.inf
    signal = want[read] if minus is None else want[read] - np.broadcast_to(minus, want.shape)[read]
    return float((signal ** 2).sum()), float(((got[read] - want[read]) ** 2).sum())


def level_of(pairs):
    single = sorted(decibels(s, n) for s, n in pairs if s > 0 or n > 0)
    if not single:
        return Level(math.inf, math.inf)
    low = single[math.ceil(len(single) / 10) - 1]
    return Level(decibels(sum(s for s, _ in pairs), sum(n for _, n in pairs)), low)


def part_level(part, name, got, want, environments):
    pairs = []
    for g, w, env in zip(got, want, environments):
        if g[name].shape != w[name].shape:
            return Level(-math.inf, -math.inf)
        read = np.ones((1,), bool) if part.real is None else part.real(env)
        minus = None if part.minus is None else part.minus(env)
        pairs.append(errors(g[name], w[name], read, minus))
    return level_of(pairs)


def agreement(output, got, want):
    """Integers are the same or not; as if a share were dB"""
    same = np.concatenate([(g[output.name] == w[output.name]).ravel() for g, w in zip(got, want)])
    share = same.mean()
    db = -math.inf if share < 0.6 else math.inf if share > 0.97 else (DESTROYED + HEALTHY) / 2
    return Level(db, db)


class Truth:
    """levels: (output, level, soft)"""

    def __init__(self, outputs, got, want, environments):
        self.levels = []
        for o in outputs:
            if o.integers:
                self.levels.append((o.name, agreement(o, got, want), False))
            for p in [] if o.integers else o.parts:
                self.levels.append((o.name, part_level(p, o.name, got, want, environments), p.soft))

    @property
    def least(self):
        return min((l.least for _, l, soft in self.levels if not soft), default=math.inf)

    @property
    def kind(self):
        """destroyed, healthy, open (by opinion) or unclear"""
        if self.least < DESTROYED:
            return "destroyed"
        if not all(l.is_healthy for _, l, soft in self.levels if not soft):
            return "unclear"
        return "healthy" if all(l.is_healthy for _, l, _ in self.levels) else "open"

    def __str__(self):
        return " ".join(f"{name}{'~' if soft else ''} {l}" for name, l, soft in self.levels)


def differs_from_numpy(graph, float_outputs, environments):
    """A sentence if the command computes something else in float than numpy; None if not"""
    for name, dtype, _ in graph.outputs:
        pairs = []
        for i, (got, env) in enumerate(zip(float_outputs, environments)):
            g, w = got[name], env[name]
            if g.shape != w.shape:
                return f"output '{name}' has the shape {g.shape} in sample {i}, and {w.shape} by numpy"
            if (np.isnan(g) != np.isnan(w)).any() or (np.isinf(g) != np.isinf(w)).any():
                return f"output '{name}' is not finite elsewhere in sample {i} than by numpy"
            pairs.append(errors(g, w, np.ones((1,), bool), None))
        level = level_of(pairs)
        if level.total < ALIKE and g.dtype == np.float32:
            return f"output '{name}' has {level.total:.1f} dB beside numpy"
    return None
