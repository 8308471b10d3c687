#!/usr/bin/env python3
"""How a measure of accuracy can be fooled: small models by chance whose true accuracy is known.

heads.py TARE [--seed S] [--count N] [--only K] [--scene NAME] [--keep FOLDER] [--verbose]

In half of the models 8 bits destroy what somebody reads of an output (below 15 dB), in the others everything that is
read has 33 dB or more. What is read is known by how a model was made: not what masks put there, not copies of inputs,
not what is not finite in float. `tare calibrate` and `tare quantize` must raise layers of the former, so that 20 dB are
left, or warn; of the latter they must raise none, and not warn. `tare run --against` must show less than 25 dB of the
former. Values that are not finite in float must be named with their output. The seed is TARE_TEST_SEED, or else the time.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import sys
import tempfile
import time

import numpy as np

import command
from models import Maker
from oracle import RESCUED, Truth, differs_from_numpy
from scenes import SCENES

ATTEMPTS = 8
SHOWN_LIMIT = 25  # dB, below which an output is shown as bad
ACCURACY = re.compile(r"SQNR|accura|\bNaN|not finite|infinite|not a number|integers are those of float", re.I)
NOT_FINITE = re.compile(r"\bNaN|not finite|non-finite|infinite|not a number", re.I)


class Case:
    """A model with its data in a folder, and what its float and int8 forms give."""

    def __init__(self, tare, folder, maker):
        self.tare, self.folder, self.maker = tare, pathlib.Path(folder), maker
        self.model, self.data = self.folder / "model.onnx", self.folder / "data"
        self.names = [name for name, _, _ in maker.graph.outputs]
        self.samples = maker.samples()
        self.data.mkdir(parents=True, exist_ok=True)
        maker.graph.write(self.model)
        for i, sample in enumerate(self.samples):
            np.savez(self.data / f"s{i:02d}.npz", **sample)
        self.environments = [maker.graph.compute(s) for s in self.samples]

    def path(self, name):
        return self.folder / name

    def run(self, what, *options):
        """The outputs of a plan or model, and what the command says."""
        saved = self.path("outputs.h5")
        said = self.tare("run", what, self.data, "--save-outputs", saved, *options)
        outputs = command.read_outputs(saved, len(self.samples), self.names)
        saved.unlink()
        return outputs, said

    def truth(self, outputs):
        return Truth(self.maker.outputs, outputs, self.reference, self.environments)

    def measure(self):
        """The truth about int8 without raised layers: of a plan, and of a written model."""
        self.reference, _ = self.run(self.model)
        self.differs = differs_from_numpy(self.maker.graph, self.reference, self.environments)
        self.tare("calibrate", self.model, self.data, "--raise-layers", "off", "-q", "-o", self.path("off.json"))
        self.tare("build", self.model, "--calib", self.path("off.json"), "-q", "-o", self.path("off.plan"))
        outputs, self.shown = self.run(self.path("off.plan"), "--against", self.model, "--json")
        self.plan = self.truth(outputs)

    def measure_file(self):
        self.tare("quantize", self.model, self.data, "--raise-layers", "off", "-q", "-o", self.path("off.onnx"))
        self.file = self.truth(self.run(self.path("off.onnx"))[0])


# --- judges -------------------------------------------------------------------------------------

def warnings_of(said):
    """Lines about accuracy on standard error"""
    return [line for line in said[1].splitlines() if "warning" in line and ACCURACY.search(line)]


def names_nan(case, said):
    """Whether values that are not finite are named with an output that has them"""
    bad = [n for n in case.names if any(np.isnan(r[n]).any() for r in case.reference if r[n].dtype == np.float32)]
    return any(NOT_FINITE.search(line) and any(f"'{n}'" in line for n in bad) for line in said[1].splitlines())


def about_finite(lines):
    return [line for line in lines if not NOT_FINITE.search(line)]


def judge(case, truth, raised, said, rescued):
    """None if the command did well, or what it did"""
    lines = warnings_of(said)
    if truth.kind == "destroyed":
        if raised and rescued().least >= RESCUED:
            return None
        left = f", {rescued()} dB left" if raised else ""
        return None if lines else f"{truth} dB: {raised} raised{left}, no warning"
    if case.maker.nan != "no":
        lines = about_finite(lines)
    if raised or lines:
        return f"{truth} dB: {raised} raised" + "".join(f"; {line}" for line in lines)
    return None


def judge_plan(case):
    table, plan = case.path("t.json"), case.path("t.plan")
    said = case.tare("calibrate", case.model, case.data, "--json", "-o", table)
    accuracy = json.loads(said[0]).get("accuracy", {})

    def rescued():
        case.tare("build", case.model, "--calib", table, "-q", "-o", plan)
        return case.truth(case.run(plan)[0])
    yield "calibrate", case.plan, judge(case, case.plan, accuracy.get("raised", 0), said, rescued)
    yield from judge_nan(case, "calibrate", said)


def judge_file(case):
    model = case.path("q.onnx")
    said = case.tare("quantize", case.model, case.data, "--json", "-o", model)
    accuracy = json.loads(said[0]).get("accuracy", {})

    def rescued():
        return case.truth(case.run(model)[0])
    if all(o.integers for o in case.maker.outputs) and case.file.kind != "destroyed":
        return  # a warning says how many are the same
    yield "quantize", case.file, judge(case, case.file, accuracy.get("raised", 0), said, rescued)
    yield from judge_nan(case, "quantize", said)


def shown_levels(score, integers):
    """What is shown of all outputs, and of each that is not of integers"""
    for item in [score, *score.get("outputs", [])]:
        if item.get("sqnr_db") is not None:
            yield item["sqnr_db"]
        elif item.get("name") not in integers and not item.get("equal"):
            yield -np.inf


def judge_run(case):
    score = json.loads(case.shown[0])
    integers = [o.name for o in case.maker.outputs if o.integers]
    levels, lines = list(shown_levels(score, integers)), warnings_of(case.shown)
    bad = bool(lines) or any(level < SHOWN_LIMIT for level in levels)
    if all(o.integers for o in case.maker.outputs) and case.maker.nan == "no":
        bad = score["top1_agreement"] < 0.9
    if case.maker.nan != "no":
        lines = about_finite(lines)
        bad = bool(lines) or any(level < SHOWN_LIMIT for level in levels)
    said = f"{case.plan} dB: shown {', '.join(f'{level:.1f}' for level in levels)}" + "".join(f"; {l}" for l in lines)
    yield "run", case.plan, None if bad == (case.plan.kind == "destroyed") else said
    yield from judge_nan(case, "run", case.shown)
    if case.maker.nan == "all":
        text = case.tare("run", case.path("off.plan"), case.data, "--against", case.model)[0]
        alone = len(case.names) == 1
        wrong = [line for line in text.splitlines()
                 if (alone or line.split()[:1] == ["bad"]) and re.search(r"\bequal\b|cosine +1\b|1\.000000|inf", line)]
        yield "nan equal", None, f"all NaN: {' / '.join(wrong)}" if wrong else None


def judge_nan(case, who, said):
    if case.maker.nan in ("some", "all"):
        yield f"nan {who}", None, None if names_nan(case, said) else f"NaN in {case.maker.nan} samples is not named"


# --- cases --------------------------------------------------------------------------------------

class Bar:
    """Counts of what was done well"""

    def __init__(self):
        self.counts = collections.defaultdict(lambda: [0, 0])
        self.failures, self.unclear, self.by_scene = [], 0, collections.defaultdict(lambda: [0, 0])

    def add(self, number, scene, about, judge_name, truth, failure):
        kind = truth.kind if truth else "named"
        if kind == "unclear":
            return
        count = self.counts[judge_name, kind]
        count[0] += failure is None
        count[1] += 1
        if kind != "open":
            of_scene = self.by_scene[scene, judge_name, kind]
            of_scene[0] += failure is None
            of_scene[1] += 1
        if failure:
            self.failures.append(kind)
            print(f"{'open' if kind == 'open' else 'FAIL'} {number:3d} {judge_name:10s} {kind:9s} {scene}: {about}: {failure}",
                  flush=True)


def scene_of(seed, number, wanted):
    """The scene of a model, and whether it has a fault"""
    turn, place = divmod(number, len(SCENES))
    if wanted:
        return next(s for s in SCENES if s[0] == wanted), number % 2 == 0
    order = np.random.default_rng([seed, turn]).permutation(len(SCENES))
    at = int(order[place])
    return SCENES[at], (at + turn + seed) % 2 == 0


def make_case(tare, folder, seed, number, wanted):
    """The first of some attempts whose accuracy is clear, or None"""
    (name, function), faulty = scene_of(seed, number, wanted)
    for attempt in range(ATTEMPTS):
        place = pathlib.Path(folder) / f"a{attempt}"
        maker = Maker(np.random.default_rng([seed, number, attempt]), faulty)
        function(maker)
        case = Case(tare, place, maker)
        case.measure()
        kind = case.plan.kind
        if case.differs or kind == ("destroyed" if faulty else "healthy") or kind in ("destroyed", "open"):
            return name, case
    return name, None


def try_case(tare, folder, seed, number, options, bar):
    name, case = make_case(tare, folder, seed, number, options.scene)
    if not case:
        bar.unclear += 1
        if options.verbose:
            print(f"  -- {number:3d} {name}: no attempt was clear")
        return
    about = case.maker.about()
    if case.differs:
        bar.add(number, name, about, "numpy", None, case.differs)
        return
    case.measure_file()
    if options.verbose:
        print(f"  -- {number:3d} {name}: {about}: plan {case.plan.kind} {case.plan}; file {case.file.kind} {case.file}",
              flush=True)
    for judged in (judge_plan, judge_file, judge_run):
        for result in judged(case):
            bar.add(number, name, about, *result)


def print_bar(bar, seconds):
    print()
    for (who, kind), (good, n) in sorted(bar.counts.items()):
        said = {"destroyed": "destroyed found", "healthy": "healthy left alone", "open": "open, as if healthy",
                "named": "named"}[kind]
        print(f"{who:14s} {said:20s} {good:4d} of {n}")
    print("\nfailed by scene, of models: calibrate destroyed, healthy; quantize destroyed, healthy; run destroyed, healthy")
    for name, _ in SCENES:
        cells = []
        for who in ("calibrate", "quantize", "run"):
            for kind in ("destroyed", "healthy"):
                good, n = bar.by_scene[name, who, kind]
                cells.append(f"{n - good:3d}/{n:<3d}" if n else "  -    ")
        print(f"  {name:18s} {' '.join(cells)}")
    print(f"\n{bar.unclear} models were never clear; {seconds:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tare")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TARE_TEST_SEED", time.time())))
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--only", type=int)
    parser.add_argument("--scene", choices=[name for name, _ in SCENES])
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if command.H5 is None:
        print("skipped: no HDF5 library to load")
        return 77
    print(f"TARE_TEST_SEED={options.seed}")
    tare, bar, start = command.Command(options.tare), Bar(), time.time()
    numbers = range(options.count) if options.only is None else [options.only]
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            try:
                try_case(tare, options.keep or folder, options.seed, number, options, bar)
            except command.CommandError as error:
                bar.add(number, scene_of(options.seed, number, options.scene)[0][0], "", "command", None, str(error))
    print_bar(bar, time.time() - start)
    return 1 if any(kind != "open" for kind in bar.failures) else 0


if __name__ == "__main__":
    sys.exit(main())
