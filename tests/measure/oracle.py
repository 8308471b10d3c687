"""What int8 really leaves of the outputs of a model: by numpy, over the elements that somebody reads."""
import math

import numpy as np

DESTROYED, RESCUED = 15, 20  # dB
HEALTHY, HEALTHY_FILE = 33, 31  # dB; layers of models that are written are raised below 27 instead of 28
LESS = 3  # dB that the worst of healthy samples may have less
ALIKE = 45  # dB, of the float outputs of the command beside those of numpy


def decibels(signal, noise):
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 and noise < math.inf else -math.inf


class Level:
    """dB of all samples together, and of their lower tenth"""

    def __init__(self, total, low):
        self.total, self.low = total, low

    def __str__(self):
        return f"{self.total:.1f}" if self.low > self.total - 3 else f"{self.total:.1f} (samples {self.low:.1f})"

    @property
    def least(self):
        return min(self.total, self.low)

    def reaches(self, db):
        return self.total >= db and self.low >= db - LESS


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


def keeps_masks(output, got, want, env):
    """Whether what is not read has about the value that it has in float"""
    if len(output.parts) != 1 or output.parts[0].real is None or got[output.name].shape != want[output.name].shape:
        return True
    got, want = got[output.name].astype(np.float64), want[output.name].astype(np.float64)
    hidden = ~np.broadcast_to(output.parts[0].real(env), want.shape) & ~np.isnan(want)
    if (np.isinf(want[hidden]) & (got[hidden] != want[hidden])).any():
        return False
    finite = np.isfinite(want)
    most = np.abs(want[~hidden & finite]).max(initial=1)
    hidden &= finite
    return bool((np.abs(got - np.where(finite, want, 0))[hidden] <= 10 * most + 0.1 * np.abs(want[hidden])).all())


def agreement(output, got, want, environments):
    """Integers are the same or not; as if a share were dB"""
    real = output.parts[0].real or (lambda env: np.ones((1,), bool))
    same = [(g[output.name] == w[output.name])[np.broadcast_to(real(env), w[output.name].shape)]
            for g, w, env in zip(got, want, environments)]
    share = np.concatenate(same).mean()
    db = -math.inf if share < 0.6 else math.inf if share > 0.97 else (DESTROYED + HEALTHY) / 2
    return Level(db, db)


class Truth:
    """levels: (output, level, soft); opinions: kinds that are open instead"""

    def __init__(self, outputs, got, want, environments, healthy, opinions):
        self.levels, self.healthy, self.opinions = [], healthy, opinions
        for o in outputs:
            if not all(keeps_masks(o, g, w, env) for g, w, env in zip(got, want, environments)):
                self.levels.append((f"masks of {o.name}", Level(-math.inf, -math.inf), False))
            if o.integers:
                self.levels.append((o.name, agreement(o, got, want, environments), False))
            for p in [] if o.integers else o.parts:
                self.levels.append((o.name, part_level(p, o.name, got, want, environments), p.soft))

    @property
    def least(self):
        return min((l.least for _, l, soft in self.levels if not soft), default=math.inf)

    @property
    def kind(self):
        """destroyed, healthy, open (a matter of opinion) or unclear"""
        kind = self.by_levels()
        return "open" if kind in self.opinions else kind

    def by_levels(self):
        if self.least < DESTROYED:
            return "destroyed"
        if not all(l.reaches(self.healthy) for _, l, soft in self.levels if not soft):
            return "unclear"
        return "healthy" if all(l.reaches(self.healthy) for _, l, _ in self.levels) else "open"

    def __str__(self):
        return " ".join(f"{name}{'~' if soft else ''} {l}" for name, l, soft in self.levels)


def differs_from_numpy(maker, float_outputs, environments):
    """A sentence if the command computes something else in float than numpy; None if not"""
    for name in [o.name for o in maker.outputs if o.name not in maker.rounded]:
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
