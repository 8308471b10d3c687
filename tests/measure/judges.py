"""What the commands say of a model, beside the truth."""
import json
import math
import re

import numpy as np

from command import CommandError
from oracle import RESCUED

SHOWN_LIMIT = 25  # dB, below which an output is shown as bad
NOT_FINITE = re.compile(r"\bNaN|not finite|non-finite|no finite|infinite|not a number", re.I)
ACCURACY = re.compile(r"SQNR|accura|integers are those of float|" + NOT_FINITE.pattern, re.I)
STATISTICS = re.compile(r"tensors that contain")  # NaN in statistics, of any tensor


class Verdict:
    """What a command made of a case: noticed or not, and in words"""

    def __init__(self, who, truth, noticed, words):
        self.who, self.kind, self.noticed, self.words = who, truth.kind, noticed, f"{truth} dB: {words}"

    @property
    def failed(self):
        return self.kind in ("destroyed", "healthy") and self.noticed != (self.kind == "destroyed")


class Named:
    """Whether values that are not finite are named, or taken for equal ones"""

    def __init__(self, who, failed, words):
        self.who, self.kind, self.noticed, self.failed, self.words = who, "named", not failed, failed, words


# --- what commands say --------------------------------------------------------------------------

def lines_of(said):
    """Sentences about accuracy: on standard error, and warnings of a table"""
    lines = [line for line in said[1].splitlines() if "warning" in line]
    if said[0].startswith("{"):
        lines += json.loads(said[0]).get("table", {}).get("warnings", [])
    return [line for line in lines if ACCURACY.search(line) and not STATISTICS.search(line)]


def warnings_of(case, said):
    """Without those that a model deserves"""
    lines = lines_of(said)
    return lines if case.maker.nan == "no" else [line for line in lines if not NOT_FINITE.search(line)]


def named(case, who, said):
    if case.maker.nan in ("some", "all"):
        bad = [f"'{n}'" for n in case.names if any(np.isnan(r[n]).any() for r in case.reference)]
        found = any(NOT_FINITE.search(line) and any(n in line for n in bad) for line in lines_of(said))
        yield Named(f"{who} nan", not found, f"NaN in {case.maker.nan} samples is not named")


def raised_or_warned(case, who, truth, said, rescued):
    """Layers that are raised help a model that is destroyed only if they leave something of it."""
    raised = json.loads(said[0]).get("accuracy", {}).get("raised", 0)
    lines = warnings_of(case, said)
    words = f"{raised} raised" + "".join(f"; {line}" for line in lines)
    noticed = raised > 0 or bool(lines)
    if truth.kind == "destroyed" and raised and not lines:
        left = rescued()
        noticed = left.least >= RESCUED
        words += f", {left} dB left"
    yield Verdict(who, truth, noticed, words)
    yield from named(case, who, said)


def calibrate(case):
    table, plan = case.path("t.json"), case.path("t.plan")
    said = case.tare("calibrate", case.model, case.data, "--json", "-o", table)

    def rescued():
        case.tare("build", case.model, "--calib", table, "-q", "-o", plan)
        return case.truth(case.run(plan)[0])
    yield from raised_or_warned(case, "calibrate", case.plan, said, rescued)
    score = json.loads(said[0]).get("accuracy", {})
    if case.maker.nan == "all" and len(case.names) == 1:
        yield Named("calibrate equal", score.get("equal", False), "all NaN, and equal")


def quantize(case):
    model = case.path("q.onnx")
    said = case.tare("quantize", case.model, case.data, "--json", "-o", model)
    if all(o.integers for o in case.maker.outputs) and case.file.kind != "destroyed":
        return  # a warning says how many are the same
    yield from raised_or_warned(case, "quantize", case.file, said, lambda: case.truth(case.run(model)[0]))


def shown_levels(case, score):
    """What is shown of all outputs, and of each that is not of integers"""
    integers = [o.name for o in case.maker.outputs if o.integers]
    for item in [score, *score.get("outputs", [])]:
        if item.get("sqnr_db") is not None:
            yield item["sqnr_db"]
        elif item.get("name") not in integers and item.get("broken"):
            yield -math.inf


def shown(who, case, score, said):
    """Figures below the limit, or a warning"""
    levels, lines = list(shown_levels(case, score)), warnings_of(case, said)
    noticed = bool(lines) or any(level < SHOWN_LIMIT for level in levels)
    if all(o.integers for o in case.maker.outputs):
        noticed = score.get("top1_agreement", 1) < 0.9
    words = "shown " + ", ".join(f"{level:.1f}" for level in levels) + "".join(f"; {line}" for line in lines)
    return Verdict(who, case.plan, noticed, words)


def run(case):
    score = json.loads(case.shown[0])
    yield shown("run", case, score, case.shown)
    yield from named(case, "run", case.shown)
    if case.maker.nan == "all":
        items = [score] if len(case.names) == 1 else [o for o in score["outputs"] if o["name"] == "bad"]
        wrong = [i for i in items if i.get("equal") or i.get("cosine") == 1 or i.get("sqnr_db") is not None]
        yield Named("run equal", bool(wrong), f"all NaN, and {json.dumps(wrong)}")


def sensitivity(case):
    said = case.tare("debug", "sensitivity", case.model, case.data, "--calib", case.path("off.json"), "--json")
    level = json.loads(said[0])["quantized_sqnr_db"]
    level = math.inf if level is None else level
    yield Verdict("sensitivity", case.plan, level < SHOWN_LIMIT, f"shown {level:.1f}")


def compare(case):
    said = case.tare("compare", case.model, case.data, "--eval", case.data, "--methods", "minmax", "--fits", "native",
                     "--json")
    first = [s for s in json.loads(said[0])["strategies"] if not s.get("raised")][0]
    yield shown("compare", case, first, said)


def tune(case):
    """The plan that it finds must be good, or it says that none is."""
    plan = case.path("tuned.plan")
    try:
        said = case.tare("tune", case.model, case.data, "--sqnr", "30", "--json", "-o", plan)
    except CommandError as error:
        if case.maker.nan != "all" or len(case.names) > 1:
            raise
        yield Named("tune nan", not NOT_FINITE.search(str(error)), str(error))
        return
    result = json.loads(said[0])
    default, chosen = result["default"], result["chosen"]
    level = math.inf if default["sqnr_db"] is None else default["sqnr_db"]
    noticed, words = level < SHOWN_LIMIT, f"default {level:.1f}"
    if case.plan.kind == "destroyed":
        left = case.truth(case.run(plan)[0])
        noticed = left.least >= RESCUED or not chosen["holds"]
        words += f", chosen {left}"
    yield Verdict("tune", case.plan, noticed, words)


JUDGES = {"calibrate": calibrate, "quantize": quantize, "run": run, "sensitivity": sensitivity, "compare": compare,
          "tune": tune}
USUAL = ["calibrate", "quantize", "run"]


def verdicts(case, names):
    for name in names:
        try:
            yield from JUDGES[name](case)
        except CommandError as error:
            yield Named(f"{name} failed", True, str(error))
