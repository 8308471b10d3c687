#!/usr/bin/env python3
"""How a measure of accuracy can be fooled: small models by chance, whose true accuracy is known.

heads.py TARE [--seed S] [--count N] [--only K] [--scene NAME] [--judges LIST] [--keep FOLDER] [--verbose]

In half of the models 8 bits destroy what somebody reads of an output (below 15 dB), in the others everything that is
read has 33 dB or more. What is read is known by how a model was made: not what masks put there, not copies of inputs,
not what is not finite in float. `tare calibrate` and `tare quantize` must raise layers of the former, so that 20 dB are
left, or warn; of the latter they must raise none, and not warn. `tare run --against` must show less than 25 dB of the
former alone. NaN of float must be named with its output. Where it is a matter of opinion whether int8 is good enough,
what the commands say is counted as open, and not judged. The seed is TARE_TEST_SEED, or else the time.
"""
import argparse
import collections
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
import command
import judges
from models import Maker
from oracle import HEALTHY, HEALTHY_FILE, Truth, differs_from_numpy
from scenes import SCENES

ATTEMPTS = 8


class Case:
    """A model with its data in a folder, and what its float and int8 forms give"""

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
        self.measure()

    def path(self, name):
        return self.folder / name

    def run(self, what, *options):
        """The outputs of a plan or model, and what the command says"""
        saved = self.path("outputs.h5")
        said = self.tare("run", what, self.data, "--save-outputs", saved, *options)
        outputs = command.read_outputs(saved, len(self.samples), self.names)
        saved.unlink()
        return outputs, said

    def truth(self, outputs, healthy=HEALTHY):
        return Truth(self.maker.outputs, outputs, self.reference, self.environments, healthy, self.maker.open)

    def measure(self):
        """Plans without raised layers"""
        self.reference, _ = self.run(self.model)
        self.differs = differs_from_numpy(self.maker, self.reference, self.environments)
        self.tare("calibrate", self.model, self.data, "--raise-layers", "off", "-q", "-o", self.path("off.json"))
        self.tare("build", self.model, "--calib", self.path("off.json"), "-q", "-o", self.path("off.plan"))
        outputs, self.shown = self.run(self.path("off.plan"), "--against", self.model, "--json")
        self.plan = self.truth(outputs)

    def measure_file(self):
        """A written model without raised layers"""
        self.tare("quantize", self.model, self.data, "--raise-layers", "off", "-q", "-o", self.path("off.onnx"))
        self.file = self.truth(self.run(self.path("off.onnx"))[0], HEALTHY_FILE)


# --- cases --------------------------------------------------------------------------------------

def scene_of(seed, number, wanted):
    """The name and function of the scene of a model, and whether it has a fault"""
    turn, place = divmod(number, len(SCENES))
    if wanted:
        return next(s for s in SCENES if s[0] == wanted), number % 2 == 0
    at = int(np.random.default_rng([seed, turn]).permutation(len(SCENES))[place])
    return SCENES[at], (at + turn + seed) % 2 == 0


def make_case(tare, folder, seed, number, wanted):
    """The first of some attempts whose accuracy is clear, or None"""
    (_, function), faulty = scene_of(seed, number, wanted)
    for attempt in range(ATTEMPTS):
        maker = Maker(np.random.default_rng([seed, number, attempt]), faulty)
        function(maker)
        case = Case(tare, pathlib.Path(folder) / f"attempt{attempt}", maker)
        if case.differs or case.plan.kind in ("destroyed", "open") or (case.plan.kind == "healthy" and not faulty):
            return case
    return None


class Bar:
    """Counts of what was done well"""

    def __init__(self, options):
        self.options = options
        self.counts, self.scenes = (collections.defaultdict(lambda: [0, 0]) for _ in range(2))
        self.failed = self.unclear = 0

    def add(self, number, scene, about, verdict):
        if verdict.kind == "unclear":
            return
        good = verdict.noticed if verdict.kind == "open" else not verdict.failed
        for count in (self.counts[verdict.who, verdict.kind], self.scenes[scene, verdict.who, verdict.kind]):
            count[0] += good
            count[1] += 1
        self.failed += verdict.failed
        if verdict.failed or (self.options.verbose and verdict.kind == "open"):
            print(f"{'FAIL' if verdict.failed else 'open'} {number:3d} {verdict.who} {verdict.kind}: {scene}: {about}: "
                  f"{verdict.words}", flush=True)

    def try_case(self, tare, folder, number):
        options = self.options
        name = scene_of(options.seed, number, options.scene)[0][0]
        case = make_case(tare, options.keep or folder, options.seed, number, options.scene)
        if not case:
            self.unclear += 1
            return
        about = ", ".join(case.maker.words)
        if case.differs:
            self.add(number, name, about, judges.Named("numpy", True, case.differs))
            return
        case.measure_file()
        if options.verbose:
            print(f"   - {number:3d} {name}: {about}: plan {case.plan.kind} {case.plan}; file {case.file.kind} "
                  f"{case.file}; {case.folder.name}", flush=True)
        for verdict in judges.verdicts(case, options.judges):
            self.add(number, name, about, verdict)

    def print(self, seconds):
        words = {"destroyed": "destroyed: found", "healthy": "healthy: left alone", "open": "open: noticed",
                 "named": "told"}
        print()
        for (who, kind), (good, n) in sorted(self.counts.items()):
            print(f"{who:16s} {words[kind]:20s} {good:4d} of {n}")
        print(f"\nfailures by scene, of models: {', '.join(self.options.judges)}, each destroyed and healthy")
        for name, _ in SCENES:
            counts = [self.scenes[name, who, kind] for who in self.options.judges for kind in ("destroyed", "healthy")]
            if any(n for _, n in counts):
                print(f"  {name:18s} " + " ".join(f"{n - good:3d}/{n:<3d}" if n else "   -   " for good, n in counts))
        print(f"\n{self.unclear} models were never clear; {seconds:.0f} s")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tare", help="the command")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TARE_TEST_SEED") or time.time()))
    parser.add_argument("--count", type=int, default=24, help="how many models (default 24)")
    parser.add_argument("--only", type=int, help="the number of the only model")
    parser.add_argument("--scene", choices=[name for name, _ in SCENES], metavar="NAME", help="models of one scene")
    parser.add_argument("--judges", default=",".join(judges.USUAL), help=f"of {','.join(judges.JUDGES)}, or all")
    parser.add_argument("--keep", help="keep models, data and plans in this folder")
    parser.add_argument("--verbose", action="store_true", help="print all models")
    options = parser.parse_args()
    options.judges = list(judges.JUDGES) if options.judges == "all" else options.judges.split(",")
    return options


def main():
    options = parse()
    if command.H5 is None:
        print("skipped: no library of HDF5 to read outputs with")
        return 77
    print(f"TARE_TEST_SEED={options.seed}")
    tare, bar, start = command.Command(options.tare), Bar(options), time.time()
    for number in range(options.count) if options.only is None else [options.only]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                bar.try_case(tare, folder, number)
            except command.CommandError as error:
                bar.add(number, scene_of(options.seed, number, options.scene)[0][0], "",
                        judges.Named("command", True, str(error)))
    bar.print(time.time() - start)
    return 1 if bar.failed else 0


if __name__ == "__main__":
    sys.exit(main())
