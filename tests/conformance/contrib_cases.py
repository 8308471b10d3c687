"""Cases of make_edge_cases.py for the operators of com.microsoft. Where ONNX Runtime has no kernel for
the CPU, numpy computes what its documentation says (`expect`)."""
import numpy as np
from onnx import helper

MS = "com.microsoft"


def f32(array):
    return np.asarray(array, np.float32)


def numbers(name, *shape):
    """The same for the same name, whatever other cases there are."""
    return f32(np.random.RandomState(sum(map(ord, name)) % 1000003).randn(*shape))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def erf(x):
    from math import erf as one
    return np.vectorize(one)(x)


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2))) / 2


def wanted(array):
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


class Cases:
    def __init__(self, case):
        self.case = case

    def add(self, name, op, ins, outs=("y",), init=None, expect=None, opset=17, domain=MS,
            **attributes):
        """`ins` are pairs of name and array, or None where an input is absent."""
        init = init or ()
        feeds = {k: v for k, v in filter(None, ins) if k not in init}
        constants = {k: v for k, v in filter(None, ins) if k in init}
        node = helper.make_node(op, [i[0] if i else "" for i in ins], list(outs), domain=domain,
                                **attributes)
        self.case("contrib_" + name, node, feeds, outs=tuple(o for o in outs if o), opset=opset,
                  init=constants, expect=expect and [wanted(e) for e in expect])


def biases(c):
    x, skip, bias = numbers("x", 2, 5, 8), numbers("s", 2, 5, 8), numbers("b", 8)
    c.add("bias_add", "BiasAdd", [("x", x), ("b", bias), ("s", skip)], init="b",
          expect=[x + bias + skip])
    y = x + bias
    c.add("bias_split_gelu", "BiasSplitGelu", [("x", x), ("b", bias)], init="b",
          expect=[y[..., :4] * gelu(y[..., 4:])])
    gate = numbers("g", 2, 5, 1)
    c.add("gated_add", "GatedAdd", [("x", x), ("s", skip), ("g", gate)])
    w = numbers("w", 8, 6)
    z = x @ w + numbers("c", 6)
    c.add("gemm_fast_gelu", "GemmFastGelu", [("x", x), ("w", w), ("c", numbers("c", 6))],
          init="wc", expect=[z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z ** 3))) / 2])
    c.add("bias_gelu", "BiasGelu", [("x", x), ("b", bias)])
    c.add("fast_gelu", "FastGelu", [("x", x)])
    c.add("fast_gelu_bias", "FastGelu", [("x", x), ("b", bias)])
    c.add("gelu", "Gelu", [("x", x)])
    for alpha in (1.0, 1.702):
        c.add("quick_gelu_%d" % (10 * alpha), "QuickGelu", [("x", x)], alpha=alpha)


def products(c):
    a, b = numbers("a", 2, 3, 4, 5), numbers("b", 2, 3, 5, 6)
    for op in ("FusedMatMul", "TransposeMatMul"):
        for ta in (0, 1):
            for tb in (0, 1):
                c.add("%s_%d%d" % (op.lower(), ta, tb), op,
                      [("a", a.swapaxes(2, 3) if ta else a), ("b", b.swapaxes(2, 3) if tb else b)],
                      transA=ta, transB=tb, alpha=0.5)
    batch = {"a": a.transpose(2, 0, 1, 3), "b": b.transpose(2, 0, 1, 3)}
    c.add("fusedmatmul_batch_a", "FusedMatMul", [("a", batch["a"]), ("b", b)], transBatchA=1)
    c.add("fusedmatmul_batch_b", "FusedMatMul", [("a", a), ("b", batch["b"])], transBatchB=1)
    c.add("fusedmatmul_batch_ab", "FusedMatMul",
          [("a", a.transpose(3, 0, 1, 2)), ("b", b.transpose(3, 0, 1, 2))], transA=1, transB=1,
          transBatchA=1, transBatchB=1)
    c.add("fusedmatmul_vector", "FusedMatMul", [("a", a), ("b", numbers("v", 5))])
    c.add("fusedmatmul_weights", "FusedMatMul", [("a", a), ("b", numbers("w", 7, 5))], init="b",
          transB=1, alpha=2.0)
    y = np.einsum("bhij,bhkj->bhik", a, b.swapaxes(2, 3))
    for kind, more, value in (
            ("Relu", {}, np.maximum(y, 0)), ("Tanh", {}, np.tanh(y)), ("Sigmoid", {}, sigmoid(y)),
            ("LeakyRelu", {"activation_alpha": 0.2}, np.where(y < 0, 0.2 * y, y)),
            ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4},
             np.clip(0.3 * y + 0.4, 0, 1)),
            ("Selu", {"activation_alpha": 1.5, "activation_gamma": 1.1},
             1.1 * np.where(y > 0, y, 1.5 * (np.exp(y) - 1)))):
        c.add("fusedmatmulactivation_" + kind.lower(), "FusedMatMulActivation",
              [("a", a), ("b", b.swapaxes(2, 3))], transB=1, activation=kind,
              expect=[value], **more)
    g, d = numbers("g", 4, 5), numbers("d", 5, 6)
    for kind, more in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.2})):
        c.add("fusedgemm_" + kind.lower(), "FusedGemm", [("a", g), ("b", d), ("c", numbers("c", 6))],
              activation=kind, alpha=0.5, beta=2.0, **more)


def norms(c):
    def group_norm(x, gain, shift, groups, epsilon, last, silu):
        x = np.moveaxis(x, -1, 1) if last else x
        flat = x.reshape(x.shape[0], groups, -1).astype(np.float64)
        flat = (flat - flat.mean(2, keepdims=True)) / np.sqrt(flat.var(2, keepdims=True) + epsilon)
        along = (1, -1) + (1,) * (x.ndim - 2)
        y = flat.reshape(x.shape) * gain.reshape(along) + shift.reshape(along)
        y = y * sigmoid(y) if silu else y
        return np.moveaxis(y, 1, -1) if last else y

    gain, shift = numbers("g", 8), numbers("b", 8)
    for last in (0, 1):
        for silu in (0, 1):
            shape = (2, 3, 5, 8) if last else (2, 8, 3, 5)
            spread = (2, 1, 1, 8) if last else (2, 8, 1, 1)
            x, skip = numbers("x", *shape), numbers("s", *shape)
            form = dict(activation=silu, channels_last=last, groups=4, epsilon=1e-3)
            ins = [("x", x), ("g", gain), ("b", shift)]
            name = "%d%d" % (last, silu)
            c.add("group_norm_" + name, "GroupNorm", ins, init="gb",
                  expect=[group_norm(x, gain, shift, 4, 1e-3, last, silu)], **form)
            bias = numbers("c", 8)
            for kind, other, of_bias in (("same", skip, None), ("row", numbers("r", 2, 8), bias),
                                         ("spread", numbers("r", *spread), bias)):
                added = other.reshape(spread) if kind == "row" else other
                total = x + added + (0 if of_bias is None else
                                     of_bias.reshape(spread[1:] if last else (8, 1, 1)))
                y = group_norm(total, gain, shift, 4, 1e-3, last, silu)
                c.add("skip_group_norm_%s_%s" % (name, kind), "SkipGroupNorm",
                      ins + [("s", other)] + ([] if of_bias is None else [("c", of_bias)]),
                      outs=("y", "z"), init="gbc", expect=[y, total], **form)
    c.add("gated_rms_norm", "GatedRMSNorm",
          [("x", numbers("x", 2, 3, 12)), ("s", numbers("s", 4)), ("g", numbers("g", 2, 3, 12))],
          epsilon=1e-3)
    c.add("gated_rms_norm_whole", "GatedRMSNorm",
          [("x", numbers("x", 5, 8)), ("s", numbers("s", 8)), ("g", numbers("g", 5, 8))], init="s")


def wheres(c):
    def bytes_of(name, dtype, *shape):
        return np.random.RandomState(len(name)).randint(0, 100, shape).astype(dtype)

    for dtype in (np.uint8, np.int8):
        for kind, x, y in (("same", (3, 4), (3, 4)), ("row", (4,), (3, 1)), ("one", (), (3, 4))):
            c.add("qlinear_where_%s_%s" % (np.dtype(dtype).name, kind), "QLinearWhere",
                  [("c", np.arange(12).reshape(3, 4) % 3 == 0), ("x", bytes_of("x", dtype, *x)),
                   ("a", f32(0.05)), ("b", dtype(3)), ("y", bytes_of("yy", dtype, *y)),
                   ("d", f32(0.04)), ("e", dtype(9)), ("f", f32(0.06)), ("g", dtype(5))],
                  outs=("z",), init="abdefg")


def positions(c):
    x, relative = numbers("x", 2, 5, 12), numbers("r", 1, 3, 5, 5)
    q, w, bias, eco = numbers("q", 12), numbers("w", 4, 8), numbers("b", 8), numbers("e", 1, 3, 1, 1)
    heads = (x + q).reshape(2, 5, 3, 4).transpose(0, 2, 1, 3)
    gate = sigmoid((heads @ w + bias).reshape(2, 3, 5, 2, 4).sum(-1))
    factor = gate[..., :1] * (gate[..., 1:] * eco - 1) + 2
    c.add("gated_relative_position_bias", "GatedRelativePositionBias",
          [("x", x), ("q", q), ("r", relative), ("w", w), ("b", bias), ("e", eco)], init="qwbe",
          num_heads=3, expect=[factor * relative])
    table = numbers("t", 8, 2)
    for both in (0, 1):
        for rows, columns in ((7, 7), (1, 9), (40, 40)):
            at = np.arange(columns)[None, :] - np.arange(rows)[:, None]
            n = 4 if both else 8
            distance = np.abs(at) if both else np.maximum(-at, 0)
            far = n // 2 + (np.log(f32(np.maximum(distance, 1)) / f32(n // 2)) /
                            f32(np.log(20 / (n // 2))) * f32(n - n // 2)).astype(np.int64)
            bucket = np.where(distance < n // 2, distance, np.minimum(far, n - 1))
            bucket = bucket + (n * (at > 0) if both else 0)
            c.add("relative_position_bias_%d_%d" % (both, rows), "RelativePositionBias",
                  [("t", table), ("q", np.array([rows], np.int64)),
                   ("k", np.array([columns], np.int64))], init="tqk", max_distance=20,
                  is_bidirectional=both, expect=[table[bucket].transpose(2, 0, 1)[None]])


def recurrence(ins, heads):
    """LinearAttention whose keys have as many heads as its values, with a state before."""
    def by_heads(array, n):
        return array.reshape(array.shape[0], array.shape[1], n, -1)

    q = by_heads(ins["q"], ins["q"].shape[2] // 4)
    k, v = by_heads(ins["k"], heads), by_heads(ins["v"], heads)
    s, group = ins["p"].astype(np.float64), q.shape[2] // heads
    out = np.zeros(q.shape[:3] + (v.shape[3],))
    for t in range(q.shape[1]):
        if "d" in ins:
            s = s * np.exp(by_heads(ins["d"], heads)[:, t])[..., None]
        new = v[:, t]
        if "b" in ins:
            new = by_heads(ins["b"], heads)[:, t] * (new - np.einsum("bhkv,bhk->bhv", s, k[:, t]))
        s = s + k[:, t, :, :, None] * new[:, :, None]
        out[:, t] = np.einsum("bhk,bhkv->bhv", q[:, t], np.repeat(s, group, 1)) / 2
    return [out.reshape(out.shape[:2] + (-1,)), s]


def states(c):
    for name, length, size, past, bias, more in (
            ("first", 5, 4, False, False, {}), ("bias", 5, 3, True, True, {}),
            ("token", 1, 4, True, True, {"activation": "silu"}),
            ("short", 2, 4, False, False, {"activation": "swish"}),
            ("one", 4, 1, False, True, {}), ("batch", 6, 4, True, False, {"activation": "none"})):
        ins = [("x", numbers("x", 2, 6, length)), ("w", numbers("w", 6, 1, size)),
               ("b", numbers("b", 6)) if bias else None,
               ("p", numbers("p", 2, 6, size - 1)) if past else None]
        c.add("causal_conv_" + name, "CausalConvWithState", ins, outs=("y", "s"), init="wb", **more)
    c.add("causal_conv_dilated", "CausalConvWithState",
          [("x", numbers("x", 2, 6, 7)), ("w", numbers("w", 6, 1, 3)), None,
           ("p", numbers("p", 2, 6, 4))], outs=("y", "s"), init="w", dilation=2)
    c.add("causal_conv_channels_last", "CausalConvWithState",
          [("x", numbers("x", 2, 7, 6)), ("w", numbers("w", 6, 1, 3)), ("b", numbers("b", 6)),
           ("p", numbers("p", 2, 2, 6))], outs=("y", "s"), init="wb", channels_last=1)
    c.add("causal_conv_alone", "CausalConvWithState",
          [("x", numbers("x", 2, 6, 5)), ("w", numbers("w", 6, 1, 3))], init="w")
    for rule in ("linear", "gated", "delta", "gated_delta"):
        for name, q_heads, k_heads, heads, length, past, wide, per_head in (
                ("token", 2, 2, 2, 1, True, False, True),
                ("first", 2, 2, 2, 5, False, True, False),
                ("shared", 4, 2, 2, 5, True, True, True),
                ("split", 2, 2, 4, 5, True, False, True),
                ("keys", 4, 1, 2, 3, True, False, False)):
            decay, rate = "gated" in rule, "delta" in rule
            ins = [("q", numbers("q", 2, length, q_heads * 4)),
                   ("k", numbers("k", 2, length, k_heads * 4) / 4),
                   ("v", numbers("v", 2, length, heads * 3)),
                   ("p", numbers("p", 2, heads, 4, 3)) if past else None,
                   ("d", -np.abs(numbers("d", 2, length, heads * (4 if wide else 1))))
                   if decay else None,
                   ("b", sigmoid(numbers("b", 2, length, heads if per_head else 1)))
                   if rate else None]
            c.add("linear_attention_%s_%s" % (rule, name), "LinearAttention", ins,
                  outs=("y", "s"), q_num_heads=q_heads, kv_num_heads=heads, update_rule=rule,
                  **({"scale": 0.7} if name == "first" else {}))
            if name in ("token", "shared"):
                c.add("onnx_linear_attention_%s_%s" % (rule, name), "LinearAttention", ins,
                      outs=("y", "s"), q_num_heads=q_heads, kv_num_heads=heads, update_rule=rule,
                      domain="", opset=27, expect=recurrence(dict(filter(None, ins)), heads))
    x, w, b, p = [numbers(n, *shape) for n, shape in
                  (("x", (2, 6, 5)), ("w", (6, 1, 3)), ("b", (6,)), ("p", (2, 6, 2)))]
    whole = np.concatenate([p, x], 2)
    y = sum(w[:, 0, k, None] * whole[:, :, k:k + 5] for k in range(3)) + b[:, None]
    c.add("onnx_causal_conv", "CausalConvWithState", [("x", x), ("w", w), ("b", b), ("p", p)],
          outs=("y", "s"), init="wb", activation="silu", domain="", opset=27,
          expect=[y * sigmoid(y), whole[:, :, -2:]])
    gates = [("a", numbers("a", 2, 5, 3)), ("t", numbers("t", 3)), ("s", -np.abs(numbers("s", 3)))]
    c.add("linear_attention_gate", "LinearAttentionGate", gates, init="ts")
    c.add("linear_attention_gate_rate", "LinearAttentionGate",
          gates + [("b", numbers("b", 2, 5, 3))], outs=("y", "z"), init="ts")


def packed(integers, bits):
    """Integers of a row, the lowest bits of a byte first."""
    n = 8 // bits
    short = -integers.shape[-1] % n
    integers = np.pad(integers, [(0, 0)] * (integers.ndim - 1) + [(0, short)]).astype(np.uint8)
    return sum((integers[..., i::n] << (bits * i)) for i in range(n)).astype(np.uint8)


def experts(c):
    x, router = numbers("x", 6, 16), numbers("r", 6, 4)

    def weights(fused, rows=24, columns=16):
        return [("f", numbers("f", 4, fused * rows, columns) / 4), ("g", numbers("g", 4, fused * rows)),
                ("h", numbers("h", 4, columns, rows) / 4), ("i", numbers("i", 4, columns))]

    def add(name, *ins, **attributes):
        c.add("moe_" + name, "MoE", ins, init="fghij", **attributes)

    ins = [("x", x), ("r", router)]
    for kind in ("relu", "gelu", "silu", "identity"):
        for k in (1, 2, 4):
            for normalizes in (0, 1):
                add("%s_%d_%d" % (kind, k, normalizes), *ins, *weights(1), k=k,
                    activation_type=kind, normalize_routing_weights=normalizes)
    for name, more in (("plain", {}), ("limit", {"swiglu_limit": 0.5}),
                       ("parameters", {"activation_alpha": 1.702, "activation_beta": 1.0})):
        add("swiglu_" + name, *ins, *weights(2), k=2, activation_type="swiglu", swiglu_fusion=1,
            **more)
    add("three_axes", ("x", x.reshape(2, 3, 16)), ins[1], *weights(1), k=2)
    no_bias = weights(1)
    add("no_bias", *ins, no_bias[0], None, no_bias[2], k=2)
    old = [(k, v.reshape(4, v.shape[2], v.shape[1]) if v.ndim == 3 else v) for k, v in weights(1)]
    add("old_dims", *ins, *old, k=2)
    add("ties", ins[0], ("r", np.zeros((6, 4), np.float32)), *weights(1), k=2)
    add("token", ("x", x[:1]), ("r", router[:1]), *weights(1), k=2)
    add("weights_as_inputs", *[(k.upper(), v) for k, v in ins + weights(1)], k=2)
    separate(c, x, router, weights)
    for bits in (2, 4, 8):
        for block in (0, 16):
            for zeros in (False, True):
                quantized_experts(c, "%d_%d_%d" % (bits, block, zeros), bits, block, zeros,
                                  activation_type="silu")
        quantized_experts(c, "%d_swiglu" % bits, bits, 0, False, activation_type="swiglu",
                          swiglu_fusion=1)
    quantized_experts(c, "8_kept", 8, 0, False, activation_type="relu", normalize_routing_weights=1)
    quantized_experts(c, "4_mixed", 4, 0, True, mixed=True, activation_type="silu")
    quantized_experts(c, "4_mixed_normalized", 4, 0, False, mixed=True, activation_type="silu",
                      normalize_routing_weights=1)


def separate(c, x, router, weights):
    """Gate and value as products of their own, or side by side, which no kernel for the CPU has."""
    (_, f), (_, g), (_, h), (_, i) = weights(1)
    j, k = numbers("j", *f.shape) / 4, numbers("k", *g.shape)
    odds = np.exp(router) / np.exp(router).sum(1, keepdims=True)
    places = np.argsort(-odds, 1)[:, :2]

    def mix(expert):
        return np.array([sum(odds[t, e] * expert(x[t], e) for e in places[t]) for t in range(6)])

    def swiglu(row, e):
        a, b = f[e] @ row + g[e], j[e] @ row + k[e]
        a, b = np.minimum(a, 0.7), np.clip(b, -0.7, 0.7)
        return h[e] @ (a * sigmoid(1.5 * a) * (b + 0.5)) + i[e]

    def silu(row, e):
        a, b = f[e] @ row + g[e], j[e] @ row + k[e]
        return h[e] @ (a * sigmoid(a) * b) + i[e]

    form = dict(k=2, activation_type="swiglu", activation_alpha=1.5, activation_beta=0.5,
                swiglu_limit=0.7)
    ins = [("x", x), ("r", router)]
    third = ins + [("f", f), ("g", g), ("h", h), ("i", i), ("j", j), ("k", k)]
    c.add("moe_separate_swiglu", "MoE", third, init="fghijk", expect=[mix(swiglu)], **form)
    c.add("moe_separate_silu", "MoE", third, init="fghijk", expect=[mix(silu)], k=2,
          activation_type="silu")
    side = ins + [("f", np.concatenate([f, j], 1)), ("g", np.concatenate([g, k], 1)), ("h", h),
                  ("i", i)]
    c.add("moe_side_by_side", "MoE", side, init="fghi", expect=[mix(swiglu)], swiglu_fusion=2,
          **form)


def quantized_experts(c, name, bits, block, zeros, mixed=False, **attributes):
    random = np.random.RandomState(bits + block)
    size = 64
    fused = 2 if "swiglu_fusion" in attributes else 1
    ins = [("x", numbers("x", 6, size)), ("r", numbers("r", 6, 4))]
    of_zeros = []
    for w, s, z, rows in (("f", "g", "h", fused * size), ("i", "j", "k", size)):
        blocks = size // block if block else 1
        scales = f32(random.rand(4, rows, blocks) * 0.02 + 0.01) * (1 if bits > 2 else 10) / bits
        point = random.randint(0, 2 ** bits, (4, rows, blocks))
        ins += [(w, packed(random.randint(0, 2 ** bits, (4, rows, size)), bits)),
                (s, scales if block else scales[..., 0]), None]
        of_zeros.append((z, packed(point if block else point[..., 0], bits)))
    ins += [None] * 3 + (of_zeros if zeros else [None, None])
    if mixed:
        ins += [None, ("m", sigmoid(numbers("m", 6, 4)))]
    while ins[-1] is None:
        ins.pop()
    if block:
        attributes["block_size"] = block
    c.add("qmoe_" + name, "QMoE", ins, init="fghijk", k=2, expert_weight_bits=bits, **attributes)


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def attend(q, k, v, bias=0.0):
    """[B, H, S, d] each"""
    return softmax(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]) + bias) @ v


def split(x, heads):
    return x.reshape(x.shape[0], x.shape[1], heads, -1).swapaxes(1, 2)


def merge(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def tokens(c):
    """Batches without padding."""
    lengths = np.array([2, 5, 0, 4], np.int32)
    real = np.arange(5) < lengths[:, None]
    order = np.concatenate([np.flatnonzero(real), np.flatnonzero(~real)]).astype(np.int32)
    order, sums = order.reshape(4, 5), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    x = numbers("x", 4, 5, 6)
    c.add("remove_padding", "RemovePadding", [("x", x), ("l", lengths)], outs=("y", "o", "s", "m"),
          expect=[x[real], order, sums, np.array([5], np.int32)])
    c.add("restore_padding", "RestorePadding", [("x", x[real]), ("o", order)],
          expect=[np.where(real[..., None], x, 0)])
    lengths = np.array([2, 5, 1], np.int32)
    real = np.arange(5) < lengths[:, None]
    order = np.concatenate([np.flatnonzero(real), np.flatnonzero(~real)]).astype(np.int32)
    order, sums = order.reshape(3, 5), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    mask = np.where(real, 0, -np.inf)[:, None, None]
    places = [("o", order), ("s", sums)]
    x, w, b = numbers("xx", 3, 5, 6), numbers("w", 6, 24) / 2, numbers("b", 24)
    added = numbers("a", 1, 2, 5, 5)
    q, k, v = [split(p, 2) for p in np.split(x @ w + b, 3, 2)]
    for name, more, bias in (("", [], 0.0), ("_bias", [("a", added)], added)):
        c.add("packed_attention" + name, "PackedAttention",
              [("x", x[real]), ("w", w), ("b", b)] + places + more, init="wb", num_heads=2,
              expect=[merge(attend(q, k, v, mask + bias))[real]])
    wide = numbers("w", 6, 28)
    q, k, v = [split(p, 2) for p in np.split(x @ wide + numbers("c", 28), [8, 16], 2)]
    c.add("packed_attention_sizes", "PackedAttention",
          [("x", x[real]), ("w", wide), ("c", numbers("c", 28))] + places, init="wc", num_heads=2,
          qkv_hidden_sizes=[8, 8, 12], expect=[merge(attend(q, k, v, mask))[real]])
    parts = [numbers(n, 3, 5, 8) for n in "qkv"]
    for name, bias in (("", None), ("_bias", numbers("b", 24))):
        moved = parts if bias is None else [p + o for p, o in zip(parts, np.split(bias, 3))]
        y = merge(attend(*[split(p, 2) for p in moved], mask))[real]
        last = [None if bias is None else ("b", bias)] + places
        c.add("packed_multi_head" + name, "PackedMultiHeadAttention",
              [(n, p[real]) for n, p in zip("qkv", parts)] + last, init="b", num_heads=2, expect=[y])
        joined = np.stack([p.reshape(3, 5, 2, 4) for p in parts], 3)[real]
        c.add("packed_multi_head_joined" + name, "PackedMultiHeadAttention",
              [("x", joined), None, None] + last, init="b", num_heads=2, expect=[y])


def decoders(c):
    q, k, v = [numbers(n, 2, 1, 8) for n in "qkv"]
    pk, pv = numbers("pk", 2, 2, 7, 4), numbers("pv", 2, 2, 7, 4)
    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]], np.int32)
    added = numbers("a", 1, 2, 1, 5)
    for name, of_mask, bias, of_qkv in (("plain", None, None, None), ("masked", mask, None, None),
                                        ("bias", None, added, numbers("b", 24)),
                                        ("all", mask, added, numbers("b", 24))):
        c.add("decoder_masked_" + name, "DecoderMaskedMultiHeadAttention",
              [("q", q), ("k", k), ("v", v), None if of_mask is None else ("m", of_mask),
               None if bias is None else ("a", bias), ("p", pk), ("r", pv),
               ("n", np.array([4], np.int32)), None, None,
               None if of_qkv is None else ("b", of_qkv)], outs=("y", "z", "w"), init="b",
              num_heads=2, past_present_share_buffer=1,
              **({"scale": 0.3} if name == "all" else {}))
    c.add("decoder_masked_cross", "DecoderMaskedMultiHeadAttention",
          [("q", q), ("p", pk), ("r", pv)], num_heads=2)
    c.add("decoder_masked_cross_mask", "DecoderMaskedMultiHeadAttention",
          [("q", q), ("p", pk), ("r", pv), ("m", np.array([[1] * 5 + [0] * 2, [1] * 7], np.int32))],
          num_heads=2, mask_filter_value=-50.0)
    x, w, b = numbers("x", 2, 1, 6), numbers("w", 6, 24) / 2, numbers("b", 24)
    new = [split(p, 2) for p in np.split(x @ w + b, 3, 2)]
    whole = [np.concatenate([p[:, :, :4], n, p[:, :, 5:]], 2) for p, n in zip((pk, pv), new[1:])]
    seen = np.where(mask, 0, -10000.0)[:, None, None]
    c.add("decoder_masked_self", "DecoderMaskedSelfAttention",
          [("x", x), ("w", w), ("b", b), ("m", mask), ("p", np.stack([pk, pv])), None,
           ("n", np.array([4], np.int32))], outs=("y", "z"), init="wb", num_heads=2,
          past_present_share_buffer=1,
          expect=[merge(attend(new[0], whole[0][:, :, :5], whole[1][:, :, :5], seen)),
                  np.stack(whole)])


def aliases(c):
    x = numbers("x", 3, 4, 5)
    for upper in (0, 1):
        c.add("trilu_%d" % upper, "Trilu", [("x", x), ("k", np.int64(1 - 2 * upper))], upper=upper)
    c.add("trilu_plain", "Trilu", [("x", x)])
    for dtype in (np.int64, np.int32, np.float32):
        c.add("range_%s" % np.dtype(dtype).name, "Range",
              [("a", dtype(2)), ("b", dtype(11)), ("c", dtype(3))], init="abc")
    c.add("range_step", "Range", [("a", np.array([1], np.int64)), ("b", np.array([6], np.int64))],
          init="ab")
    pads = np.array([1, 0, 2, 0, 1, 0], np.int64)
    for mode in ("constant", "reflect", "edge"):
        c.add("pad_" + mode, "Pad", [("x", x), ("p", pads)] + ([("v", f32(1.5))] if mode[0] == "c"
                                                              else []), init="pv", mode=mode)
    c.add("gather_nd", "GatherND", [("x", x), ("i", np.array([[[0, 1]], [[2, 3]]], np.int64))])
    for axis in (0, 2, -1):
        c.add("expand_dims_%d" % axis, "ExpandDims", [("x", x), ("a", np.array(axis, np.int32))],
              init="a")
    c.add("unique", "Unique", [("x", f32([3, 1, 2, 1, 3, 3]))], outs=("y", "i", "n"))
    table = numbers("t", 7, 4)
    ids = np.array([[0, 6, 2], [2, 2, 1]], np.int64)
    c.add("torch_embedding", "TorchEmbedding",
          [("t", table), ("i", ids), ("p", np.array(2, np.int64))], init="tp", expect=[table[ids]])
    image = np.random.RandomState(2).randint(0, 200, (2, 6, 7, 3)).astype(np.uint8)
    c.add("nhwc_max_pool", "NhwcMaxPool", [("x", image)], kernel_shape=[3, 2], strides=[2, 2],
          pads=[1, 0, 1, 0])
    c.add("nhwc_max_pool_int8", "NhwcMaxPool", [("x", (image - 100).astype(np.int8))],
          kernel_shape=[2, 2])


def quantizers(c):
    random = np.random.RandomState(5)
    x = random.randint(0, 255, (2, 5, 8)).astype(np.uint8)
    masks = {"none": None, "ends": np.array([3, 5], np.int32),
             "padding": np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32)}
    for kind, dtype in (("u8", np.uint8), ("i8", np.int8)):
        w = (random.randint(0, 100, (8, 24))).astype(dtype)
        for mask in masks:
            for channels in (1, 24):
                scale, zero = f32(np.full(channels, 0.01)), np.full(channels, 40, dtype)
                if channels == 24:
                    scale = f32(0.005 + random.rand(24) / 100)
                c.add("qattention_%s_%s_%d" % (kind, mask, channels), "QAttention",
                      [("x", x), ("w", w), ("b", numbers("b", 24)), ("s", f32(0.02)), ("t", scale),
                       None if masks[mask] is None else ("m", masks[mask]), ("z", np.uint8(120)),
                       ("a", zero)], init="wbstza", num_heads=2)
    c.add("qattention_causal_past", "QAttention",
          [("x", x), ("w", w), ("b", numbers("b", 24)), ("s", f32(0.02)), ("t", f32(0.01)), None,
           ("z", np.uint8(120)), ("a", np.int8(3)), ("p", numbers("p", 2, 2, 2, 3, 4))],
          outs=("y", "q"), init="wbstza", num_heads=2, unidirectional=1)
    ids = random.randint(0, 9, (2, 5)).astype(np.int32)
    tables = [random.randint(0, 255, n).astype(np.uint8) for n in ((9, 6), (8, 6), (2, 6), 6, 6)]
    scales = [f32(0.01 + 0.002 * k) for k in range(5)]
    zeros = [np.uint8(100 + 5 * k) for k in range(5)]

    def embed(name, segments, mask):
        parts = zip("ABCDE", tables), zip("FGHIJ", scales), zip("KLMNO", zeros)
        c.add("qembed_" + name, "QEmbedLayerNormalization",
              [("i", ids), ("s", ids % 2) if segments else None] + list(parts[0]) +
              [("m", (ids > 2).astype(np.int32)) if mask else None] + list(parts[1]) +
              list(parts[2]), outs=("y", "n"), init="ABCDEFGHIJKLMNO", epsilon=1e-5)

    embed("all", True, True)
    embed("plain", True, False)
    y = np.random.RandomState(6).randint(0, 255, (2, 3, 4)).astype(np.uint8)
    real = (y.astype(np.float64) - 7) * 0.02
    for axes, keeps in (([1], 1), ([-1], 0), ([0, 2], 1)):
        mean = real.mean(tuple(axes), keepdims=bool(keeps))
        c.add("qlinear_reduce_mean_%d_%d" % (len(axes), keeps), "QLinearReduceMean",
              [("x", y), ("s", f32(0.02)), ("z", np.uint8(7)), ("t", f32(0.0213)),
               ("w", np.uint8(3))], init="sztw", axes=axes, keepdims=keeps,
              expect=[np.clip(np.rint(mean / f32(0.0213)) + 3, 0, 255).astype(np.uint8)])


def attentions(c):
    """Attention: masks of all forms, caches, sizes; MultiHeadAttention: operands of all forms."""
    x, w, b = numbers("x", 2, 5, 6), numbers("w", 6, 24) / 2, numbers("b", 24)
    past = numbers("p", 2, 2, 2, 3, 4)
    plain = [("x", x), ("w", w), ("b", b)]

    def masks(length):
        real = np.arange(length) < np.array([[length - 2], [length]])
        return {"ends": np.array([length - 2, length], np.int32),
                "ends_starts": np.array([length, length, 2, 0], np.int32),
                "keys": real.astype(np.int32),
                "pairs": np.repeat(real[:, None], 5, 1).astype(np.int32)}

    def add(name, ins, outs=("y",), **attributes):
        c.add("attention_" + name, "Attention", ins, outs=outs, init="wb", num_heads=2, **attributes)

    add("plain", plain)
    add("no_bias", plain[:2] + [None])
    for causal in (0, 1):
        for mask, array in masks(5).items():
            add("%s_%d" % (mask, causal), plain + [("m", array)], unidirectional=causal)
        for mask, array in masks(8).items():
            if mask != "ends_starts":
                add("past_%s_%d" % (mask, causal), plain + [("m", array), ("p", past)],
                    outs=("y", "q"), unidirectional=causal)
        add("past_%d" % causal, plain + [None, ("p", past)], outs=("y", "q"),
            unidirectional=causal)
    add("present", plain, outs=("y", "q"))
    add("filter", plain + [("m", masks(5)["keys"])], mask_filter_value=-3.0)
    add("scale", plain, scale=0.3)
    for shape in ((2, 2, 5, 5), (1, 2, 5, 5), (2, 1, 5, 5), (1, 1, 5, 5)):
        add("bias_%d%d" % shape[:2], plain + [None, None, ("a", numbers("a", *shape))])
    add("bias_mask", plain + [("m", masks(5)["keys"]), None, ("a", numbers("a", 2, 2, 5, 5))])
    add("sizes", [("x", x), ("w", numbers("w", 6, 28)), ("b", numbers("b", 28))],
        qkv_hidden_sizes=[8, 8, 12])
    q, k, v = numbers("q", 2, 5, 8), numbers("k", 2, 7, 8), numbers("v", 2, 7, 12)
    same = [("q", q), ("k", numbers("k", 2, 5, 8)), ("v", numbers("v", 2, 5, 8))]

    def many(name, ins, outs=("y",), **attributes):
        c.add("multi_head_" + name, "MultiHeadAttention", ins, outs=outs, init="b", num_heads=2,
              **attributes)

    many("cross", [("q", q), ("k", k), ("v", v)])
    many("cross_bias", [("q", q), ("k", k), ("v", v), ("b", numbers("b", 28))])
    many("same_bias", same + [("b", b)])
    many("causal", same, unidirectional=1)
    many("causal_token", [("q", q[:, :1])] + [(n, a[:, :1]) for n, a in same[1:]] +
         [None, None, None, ("p", past[0]), ("r", past[1])], outs=("y", "s", "t"), unidirectional=1)
    many("scale", same, scale=0.3)
    for mask, array in masks(7).items():
        if mask != "ends_starts":
            many("mask_" + mask, [("q", q), ("k", k), ("v", v), None, ("m", array)])
    many("mask_all", same + [None, ("m", np.array([5, 3, 0, 5, 10, 0, 5, 10], np.int32))])
    many("filter", same + [None, ("m", masks(5)["keys"])], mask_filter_value=-3.0)
    for shape in ((2, 2, 5, 7), (1, 2, 5, 7), (2, 1, 5, 7), (1, 1, 5, 7)):
        many("added_%d%d" % shape[:2],
             [("q", q), ("k", k), ("v", v), None, None, ("a", numbers("a", *shape))])
    old = [("p", past[0]), ("r", past[1])]
    many("past", same + [None, None, None] + old, outs=("y", "s", "t"))
    many("past_bias", same + [("b", b), None, None] + old, outs=("y", "s", "t"))
    many("past_mask", same + [None, ("m", masks(8)["keys"]), None] + old, outs=("y", "s", "t"))
    many("past_added", same + [None, None, ("a", numbers("a", 1, 2, 5, 8))] + old,
         outs=("y", "s", "t"))
    many("present", same, outs=("y", "s", "t"))
    many("packed", [("x", numbers("x", 2, 5, 2, 3, 4))])
    many("packed_causal", [("x", numbers("x", 2, 5, 2, 3, 4))], unidirectional=1)
    many("packed_bias", [("x", numbers("x", 2, 5, 2, 3, 4)), None, None, ("b", b)])
    many("packed_pair", [("q", q), ("x", numbers("x", 2, 7, 2, 2, 4))])
    many("packed_pair_bias", [("q", q), ("x", numbers("x", 2, 7, 2, 2, 4)), None, ("b", b)])
    many("heads", [("q", q), ("k", numbers("k", 2, 2, 7, 4)), ("v", numbers("v", 2, 2, 7, 4))])
    many("heads_bias", [("q", q), ("k", numbers("k", 2, 2, 7, 4)), ("v", numbers("v", 2, 2, 7, 4)),
                        ("b", b)])
    many("scores", same, outs=("y", "", "", "s"))


def grouped(c):
    """GroupQueryAttention with biases, sinks and smooth softmax."""
    ins = [("q", numbers("q", 2, 5, 32)), ("k", numbers("k", 2, 5, 16)),
           ("v", numbers("v", 2, 5, 16)), None, None, ("l", np.array([4, 4], np.int32)),
           ("t", np.array(5, np.int32)), None, None, None]
    token = [("q", numbers("q", 2, 1, 32)), ("k", numbers("k", 2, 1, 16)),
             ("v", numbers("v", 2, 1, 16)), ("p", numbers("p", 2, 2, 6, 8)),
             ("r", numbers("r", 2, 2, 6, 8)), ("l", np.array([6, 6], np.int32)),
             ("t", np.array(7, np.int32)), None, None, None]
    for name, first, total in (("first", ins, 5), ("token", token, 7)):
        rows = first[0][1].shape[1]
        for more, last, attributes in (
                ("bias", [("a", numbers("a", 2, 4, rows, total))], {}),
                ("bias_shared", [("a", numbers("a", 1, 1, rows, total))], {}),
                ("sink", [None, ("h", numbers("h", 4))], {}),
                ("smooth", [], {"smooth_softmax": 1}),
                ("smooth_cap", [], {"smooth_softmax": 1, "softcap": 2.0}),
                ("sink_window", [None, ("h", numbers("h", 4))], {"local_window_size": 2})):
            c.add("grouped_%s_%s" % (name, more), "GroupQueryAttention", first + last,
                  outs=("y", "s", "u"), num_heads=4, kv_num_heads=2, **attributes)


def rotations(c):
    angle = np.arange(12)[:, None] * np.arange(1, 5) / 10
    tables = [("c", f32(np.cos(angle))), ("s", f32(np.sin(angle)))]
    half = [("c", f32(np.cos(angle[:, :2]))), ("s", f32(np.sin(angle[:, :2])))]
    start, places = np.array([3], np.int64), np.array([[0, 1, 2], [7, 3, 5]], np.int64)
    for interleaved in (0, 1):
        for name, at in (("start", start), ("places", places)):
            for rank, shape in ((3, (2, 3, 16)), (4, (2, 2, 3, 8))):
                c.add("rotary_%d_%s_%d" % (interleaved, name, rank), "RotaryEmbedding",
                      [("x", numbers("x", *shape)), ("p", at)] + tables, init="cs",
                      interleaved=interleaved)
    for shape in ((2, 3, 16), (2, 2, 3, 8)):
        c.add("rotary_part_%d" % len(shape), "RotaryEmbedding",
              [("x", numbers("x", *shape)), ("p", places)] + half, init="cs", num_heads=2,
              rotary_embedding_dim=4)
    c.add("rotary_heads", "RotaryEmbedding", [("x", numbers("x", 2, 3, 16)), ("p", start)] + tables,
          init="cs", num_heads=2)


def residuals(c):
    x, skip = numbers("x", 2, 5, 8), numbers("s", 2, 5, 8)
    gain, shift, bias = numbers("g", 8), numbers("h", 8), numbers("b", 8)
    skips = {"same": skip, "one": skip[:1], "rows": skip[0]}
    for name, other in skips.items():
        for outs in (("y",), ("y", "", "", "z")):
            tail = "%s_%d" % (name, len(outs))
            c.add("skip_norm_" + tail, "SkipLayerNormalization",
                  [("x", x), ("s", other), ("g", gain), ("h", shift), ("b", bias)], outs=outs,
                  init="ghb", epsilon=1e-3)
            c.add("skip_simple_" + tail, "SkipSimplifiedLayerNormalization",
                  [("x", x), ("s", other), ("g", gain), ("b", bias)], outs=outs, init="gb",
                  epsilon=1e-3)
    c.add("skip_norm_plain", "SkipLayerNormalization", [("x", x), ("s", skip), ("g", gain)],
          init="g")
    c.add("skip_norm_flat", "SkipLayerNormalization", [("x", x[0]), ("s", skip[0]), ("g", gain)],
          init="g")
    ids = np.array([[1, 4, 2], [0, 3, 5]], np.int32)
    words, places = numbers("w", 6, 8), numbers("p", 7, 8)
    segments, at = numbers("t", 2, 8), np.array([[2, 0, 1], [4, 5, 6]], np.int32)

    def embed(name, of_segments=True, mask=False, of_at=False, outs=("y", "n"), **attributes):
        c.add("embed_" + name, "EmbedLayerNormalization",
              [("i", ids), ("k", ids % 2) if of_segments else None, ("w", words), ("p", places),
               ("t", segments) if of_segments else None, ("g", gain), ("h", shift),
               ("m", (ids > 1).astype(np.int32)) if mask else None,
               ("a", at) if of_at else None], outs=outs, init="wptgh", **attributes)

    embed("plain")
    embed("no_segments", of_segments=False)
    embed("mask", mask=True)
    embed("mask_type", mask=True, mask_index_type=1)
    embed("no_mask_type", mask_index_type=0)
    embed("places", of_at=True)
    embed("sum", outs=("y", "n", "z"), epsilon=1e-3)
    embed("one_output", outs=("y",))


GROUPS = (biases, products, norms, wheres, positions, states, experts, tokens, decoders, aliases, quantizers, attentions, grouped,
          rotations, residuals)


def write_all(case):
    for group in GROUPS:
        group(Cases(case))
