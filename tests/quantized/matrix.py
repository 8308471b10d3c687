#!/usr/bin/env python3
"""Quantized models in the forms in which tools write them, against exact integer arithmetic in numpy.

matrix.py TARE [--seed S] [--count N] [--keep FOLDER]

Each case is a product in one of the forms of forms.py, at the root, in a branch of an If (with its constants inside or
outside) or in a Loop, with constants in one of several spellings, and scales and zero points of one of several shapes. It
must build without a table, have a layer in int8 (or int16 for 16 bits), and give what the integers give, as a plan and as a
model. `tare check` must count the layer, and `tare calibrate` must refuse with advice that works. The seed is
TARE_TEST_SEED, or else the time.
"""
import argparse
import itertools
import json
import os
import pathlib
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing (python3-numpy)")
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "measure"))
import command
from forms import DEPTH, FORMS, OUTPUTS, Product
from messages import Graph, write

ROWS, TURNS = 7, 2
PLACES = ("root", "branch", "branch, constants outside", "loop")
SPELLINGS = ("initializer", "constant", "identity", "cast", "mul", "reshape")
SHAPES = (("scalar", "scalar"), ("scalar", "none"), ("1", "1"), ("n", "n"), ("n", "scalar"), ("n", "1"), ("n", "none"))


def all_cases():
    for form, place, spelling, shape in itertools.product(FORMS, PLACES, SPELLINGS, SHAPES):
        for activation, weights in itertools.product(FORMS[form][1], ("u8", "s8")):
            needs_zero = weights == "u8" or form == "qlinear"
            if not (needs_zero and shape[1] == "none"):
                yield form, place, spelling, shape, activation, weights


def in_branch(product, outside):
    """The product in a branch that is always taken, which only the data say."""
    top, body, other = Graph(), product.graph, Graph()
    if outside:
        top.constants, body.constants = body.constants, []
        made = [n for n in body.nodes if is_spelling(n)]
        top.nodes, body.nodes = made, [n for n in body.nodes if n not in made]
    other.node("MatMul", ["x", other.constant("ones", np.ones((DEPTH, OUTPUTS), np.float32))], "z")
    top.node("ReduceSum", ["x"], "sum", keepdims=0)
    top.node("Less", ["sum", top.constant("large", np.float32(1e9))], "small")
    top.node("If", ["small"], "out", then_branch=body.message("then", [], [("y", ["n", OUTPUTS])]),
             else_branch=other.message("else", [], [("z", ["n", OUTPUTS])]))
    return top, ["n", OUTPUTS]


def is_spelling(node):
    """Whether a node makes a constant: the name of its output follows "n_"."""
    return any(b"n_" + name in node for name in (b"xs\x22", b"xz\x22", b"ws\x22", b"wz\x22", b"ys\x22", b"yz\x22"))


def in_loop(product):
    top, body = Graph(), product.graph
    body.node("Identity", ["go"], "going")
    body.node("Identity", ["kept"], "keeps")
    inputs = [("turn", [], 7), ("go", [], 9), ("kept", [1])]
    outputs = [("going", [], 9), ("keeps", [1]), ("y", ["n", OUTPUTS])]
    top.node("Loop", [top.constant("turns", np.int64(TURNS)), "", top.constant("none", np.zeros(1, np.float32))],
             ["last", "out"], body=body.message("body", inputs, outputs))
    return top, [TURNS, "n", OUTPUTS]


def wrap(product, place):
    if place == "root":
        product.graph.node("Identity", ["y"], "out")
        return product.graph, ["n", OUTPUTS]
    return in_loop(product) if place == "loop" else in_branch(product, "outside" in place)


def differs(got, wanted):
    """By how much, relative to the largest; NaN: not compared."""
    compared = ~np.isnan(wanted)
    return np.abs(got - wanted)[compared].max() / np.abs(wanted[compared]).max()


def refuses_a_table(tare, model, data):
    try:
        tare("calibrate", model, data, "-o", model.with_suffix(".json"))
    except command.CommandError as failure:
        return "without a table (tare build MODEL -o PLAN)" in str(failure)
    return False


def try_case(tare, folder, case, rng):
    """What is wrong, or None."""
    form, place, spelling, (scales, zeros), activation, weights = case
    product = Product(rng, spelling, scales, zeros, activation, weights)
    compute = FORMS[form][0](product)
    graph, dims = wrap(product, place)
    model, plan, data, saved = (folder / n for n in ("model.onnx", "model.plan", "data", "out.h5"))
    write(model, graph, [("x", ["n", DEPTH])], [("out", dims)])
    data.mkdir(exist_ok=True)
    x = product.samples(rng, ROWS)
    np.savez(data / "s0.npz", x=x)
    tare("build", model, "--profile", "n=1:8:40", "-o", plan, "-q")
    wanted, precision = compute(x), "int16" if "16" in activation else "int8"
    found = [layer.get("precision") for layer in json.loads(tare("inspect", plan, "--json")[0])["layers"]]
    if precision not in found:
        return f"no layer is {precision}: {found}"
    for what in (plan, model):
        tare("run", what, data, "--save-outputs", saved)
        got = command.read_outputs(saved, 1, ["out"])[0]["out"]
        saved.unlink()
        error = differs(got.reshape(-1, ROWS, OUTPUTS), np.stack([wanted] * (got.size // wanted.size)))
        if not error < 1e-5:
            return f"{what.name} differs by {error:.1e}"
    same_shape = scales != "n" or zeros in ("n", "none")  # ONNX Runtime insists on it
    if same_shape and precision == "int8" and (activation, weights) != ("s8", "u8"):
        layers = json.loads(tare("check", model, "--json")[0])["layers"]
        if not any(layer["int8"] for layer in layers):
            return f"check finds no layer in int8: {layers}"
    return None if refuses_a_table(tare, model, data) else "calibrate does not refuse it with advice"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tare")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TARE_TEST_SEED", time.time())) % 2**32)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--keep")
    a = parser.parse_args()
    if not command.H5:
        print("skipped: no HDF5 library")
        return 77
    rng, tare, failures = np.random.default_rng(a.seed), command.Command(a.tare), 0
    cases = list(all_cases())
    print(f"seed {a.seed}, {len(cases)} cases")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(a.keep or folder)
        folder.mkdir(parents=True, exist_ok=True)
        for i in rng.permutation(len(cases))[:a.count]:
            try:
                wrong = try_case(tare, folder, cases[i], np.random.default_rng([a.seed, i]))
            except command.CommandError as failure:
                wrong = str(failure)
            if wrong:
                failures += 1
                print(f"FAILED {cases[i]}: {wrong}")
    print(f"{failures} of {min(a.count, len(cases))} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
