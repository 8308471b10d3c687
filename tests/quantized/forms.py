"""The forms in which tools write a quantized product, and what each gives by exact integer arithmetic."""
import numpy as np

from messages import Graph

DEPTH, OUTPUTS = 24, 16
BYTES = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16}
ACTIVATION = {"u8": (np.float32(0.03), 117), "s8": (np.float32(0.03), -9),
              "u16": (np.float32(1.25e-4), 31000), "s16": (np.float32(1.25e-4), 120)}
RANGE = {"u8": (0, 255), "s8": (-128, 127), "u16": (0, 65535), "s16": (-32768, 32767)}
MICROSOFT = "com.microsoft"


class Product:
    """x . w, both quantized, with its numbers: what a form writes down, and what the result is"""

    def __init__(self, rng, spelling, scales, zeros, activation, weights):
        self.spelling, self.activation, self.graph = spelling, activation, Graph()
        self.x_scale, self.x_zero = ACTIVATION[activation][0], BYTES[activation](ACTIVATION[activation][1])
        middle = 128 if weights == "u8" else 0
        self.w = (rng.integers(-127, 128, (DEPTH, OUTPUTS)) + middle).astype(BYTES[weights])
        self.w_scale = {"scalar": np.float32(0.02), "1": np.array([0.02], np.float32),
                        "n": (rng.uniform(0.5, 1.5, OUTPUTS) * 0.02).astype(np.float32)}[scales]
        self.w_zero = {"none": None, "scalar": np.array(middle, BYTES[weights]),
                       "1": np.array([middle], BYTES[weights]),
                       "n": np.full(OUTPUTS, middle, BYTES[weights])}[zeros]
        self.real_weights = self.w.astype(np.int64) - (0 if self.w_zero is None else self.w_zero.astype(np.int64))

    def say(self, name, array):
        """A constant in the spelling of the case."""
        g, array = self.graph, np.asarray(array)
        if self.spelling == "constant":
            return g.node("Constant", [], name, value=array)
        if self.spelling == "identity":
            return g.node("Identity", [g.constant(name + "_0", array)], name)
        if self.spelling == "cast":
            wide = array.astype(np.float64 if array.dtype == np.float32 else np.int32)
            from messages import code
            return g.node("Cast", [g.constant(name + "_0", wide)], name, to=code(array))
        if self.spelling == "reshape":
            return g.node("Reshape", [g.constant(name + "_0", array.reshape(1, -1)),
                                      g.constant(name + "_1", np.array(array.shape, np.int64))], name)
        if self.spelling == "mul" and array.dtype == np.float32:
            return g.node("Mul", [g.constant(name + "_0", array * np.float32(2)),
                                  g.constant(name + "_1", np.float32(0.5))], name)
        return g.constant(name, array)

    def say_weights(self):
        names = [self.graph.constant("w", self.w), self.say("ws", self.w_scale)]
        return names + ([] if self.w_zero is None else [self.say("wz", self.w_zero)])

    def say_activation(self):
        return [self.say("xs", self.x_scale), self.say("xz", self.x_zero)]

    def samples(self, rng, rows):
        """Values that lie away from the middle between two integers."""
        low, high = RANGE[self.activation]
        spread = (high - low) // 3
        steps = rng.integers(-spread, spread, (rows, DEPTH)) + rng.uniform(-0.3, 0.3, (rows, DEPTH))
        return (steps * np.float64(self.x_scale)).astype(np.float32)

    def quantized(self, x):
        q = np.rint(x.astype(np.float64) / np.float64(self.x_scale)) + int(self.x_zero)
        return np.clip(q, *RANGE[self.activation]).astype(np.int64)

    def product(self, q):
        return (q - int(self.x_zero)) @ self.real_weights * (np.float64(self.x_scale) * np.float64(self.w_scale))


def pairs(p, domain=""):
    g = p.graph
    x, w = p.say_activation(), p.say_weights()
    g.node("QuantizeLinear", ["x", *x], "xq", domain)
    g.node("DequantizeLinear", ["xq", *x], "xd", domain)
    g.node("DequantizeLinear", w, "wd", domain, axis=1)
    g.node("MatMul", ["xd", "wd"], "y")
    return lambda x: p.product(p.quantized(x))


def pairs_of_microsoft(p):
    return pairs(p, MICROSOFT)


def narrow(p):
    """Bounds of the integers between the pair, as quantization-aware training writes them."""
    g = p.graph
    x, w = p.say_activation(), p.say_weights()
    low, high = int(p.x_zero) - 60, int(p.x_zero) + 70
    kind = BYTES[p.activation]
    g.node("QuantizeLinear", ["x", *x], "xq")
    g.node("Clip", ["xq", g.constant("low", kind(low)), g.constant("high", kind(high))], "xc")
    g.node("DequantizeLinear", ["xc", *x], "xd")
    g.node("DequantizeLinear", w, "wd", axis=1)
    g.node("MatMul", ["xd", "wd"], "y")
    return lambda x: p.product(np.clip(p.quantized(x), low, high))


def qlinear(p):
    g = p.graph
    x, w = p.say_activation(), p.say_weights()
    y_scale, y_zero = np.float32(0.05), p.x_zero
    y = [p.say("ys", y_scale), p.say("yz", y_zero)]
    g.node("QuantizeLinear", ["x", *x], "xq")
    g.node("QLinearMatMul", ["xq", *x, *w, *y], "yq")
    g.node("DequantizeLinear", ["yq", *y], "y")

    def compute(x):
        steps = p.product(p.quantized(x)) / np.float64(y_scale)
        low, high = RANGE[p.activation]
        q = np.clip(np.rint(steps), low - int(y_zero), high - int(y_zero))
        near = np.abs(np.abs(steps - np.rint(steps)) - 0.5) < 1e-3
        return np.where(near, np.nan, q * np.float64(y_scale))
    return compute


def scale_sums(p, integers, x_scale):
    g = p.graph
    g.node("Cast", [integers], "real", to=1)
    g.node("Mul", [x_scale, "ws"], "scales")
    g.node("Mul", ["real", "scales"], "y")


def integers_static(p):
    g = p.graph
    x, w = p.say_activation(), p.say_weights()
    g.node("QuantizeLinear", ["x", *x], "xq")
    g.node("MatMulInteger", ["xq", "w", x[1], *w[2:]], "sums")
    scale_sums(p, "sums", x[0])
    return lambda x: p.product(p.quantized(x))


def fused_static(p):
    g = p.graph
    x, w = p.say_activation(), p.say_weights()
    g.node("QuantizeLinear", ["x", *x], "xq")
    g.node("MatMulIntegerToFloat", ["xq", "w", x[0], w[1], x[1], *w[2:]], "y", MICROSOFT)
    return lambda x: p.product(p.quantized(x))


def at_run_time(p):
    """What DynamicQuantizeLinear makes of x."""
    def compute(x):
        low, high = np.float32(min(x.min(), 0)), np.float32(max(x.max(), 0))
        scale = np.float32((high - low) / np.float32(255))
        zero = int(np.clip(np.rint(np.float32(-low / scale)), 0, 255))
        q = np.clip(np.rint((x / scale).astype(np.float32)) + zero, 0, 255).astype(np.int64)
        return (q - zero) @ p.real_weights * (np.float64(scale) * np.float64(p.w_scale))
    return compute


def integers_dynamic(p):
    w = p.say_weights()
    p.graph.node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"])
    p.graph.node("MatMulInteger", ["xq", "w", "xz", *w[2:]], "sums")
    scale_sums(p, "sums", "xs")
    return at_run_time(p)


def fused_dynamic(p):
    p.graph.node("DynamicQuantizeMatMul", ["x", *p.say_weights()], "y", MICROSOFT)
    return at_run_time(p)


WIDE = ("u8", "s8", "u16", "s16")
FORMS = {  # the function, and the activations that it has
    "pairs": (pairs, WIDE), "pairs of com.microsoft": (pairs_of_microsoft, WIDE), "narrow": (narrow, WIDE),
    "qlinear": (qlinear, ("u8", "s8")), "integers": (integers_static, ("u8", "s8")),
    "fused": (fused_static, ("u8", "s8")), "dynamic integers": (integers_dynamic, ("u8",)),
    "fused dynamic": (fused_dynamic, ("u8",)),
}
