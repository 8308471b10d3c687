#!/usr/bin/env python3
"""Branches that are not taken refuse nothing: models by chance with an If whose branches run at other lengths.

branches.py TARE [--seed S] [--count N] [--only K] [--keep FOLDER]

A branch may have windows that do not fit, a Reshape, Squeeze, product or sum that is impossible at the length, or an
operator that does not exist; it may hold another If, or a Loop with one. Lengths are fixed, one for each profile, or a
range. What numpy can compute must come out of `tare run`, of the model, of a plan and of an int8 plan; what it refuses
must be refused by the run, in a sentence that names the branch. The seed is TARE_TEST_SEED, or else the time.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing (python3-numpy)")
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "measure"))
from bodies import FOREIGN, MOST_DEPTH, Refused, chosen, repeated
from command import Command, read_outputs
from onnx_wire import INT64, node, number, port, raw_tensor, text


class Wrong(Exception):
    """What the command does is not what numpy says."""


class Case:
    def __init__(self, tare, folder, random):
        self.tare, self.folder, self.random = tare, folder, random
        self.n = int(random.integers(8, 48))
        self.fixed = random.random() < 0.3
        make = random.choice([chosen, repeated])
        self.graph, self.compute = make("m", self.n, random, 0)
        self.model = folder / "m.onnx"
        self.model.write_bytes(self.file())

    def file(self):
        """The one node of the body, beside the flags, which are inputs 'mode0', ... that are 16 or not."""
        flags = [node("Equal", [f"mode{d}", "sixteen"], f"flag{d}") for d in range(MOST_DEPTH)]
        constants = [raw_tensor("sixteen", [], INT64, np.array(16, np.int64).tobytes())]
        inputs = [port("x", [1, self.n if self.fixed else "N"])]
        inputs += [port(f"mode{d}", [], INT64) for d in range(MOST_DEPTH)]
        # the nodes, constants and output of the body are fields of the graph as they stand
        head, tail = number(1, 8), text(8, text(1, "") + number(2, 13))
        plain = b"".join(text(1, f) for f in flags) + b"".join(text(5, c) for c in constants)
        plain += b"".join(text(11, i) for i in inputs)
        return head + text(7, plain + self.graph) + tail + text(8, text(1, FOREIGN) + number(2, 1))

    def sample(self, flags):
        """A file with these flags, and what numpy makes of it, or None."""
        x = self.random.standard_normal((1, self.n)).astype(np.float32)
        path = self.folder / ("s" + "".join(str(int(f)) for f in flags) + ".npz")
        np.savez(path, x=x, **{f"mode{d}": np.array(16 if f else 8) for d, f in enumerate(flags)})
        try:
            return path, self.compute(x, flags)
        except Refused:
            return path, None

    def call(self, *arguments):
        done = subprocess.run([self.tare.path, *map(str, arguments)], text=True, timeout=120,
                              env=self.tare.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode not in (0, 2, 3, 4, 5):
            raise Wrong(f"{arguments}: exit code {done.returncode}: {done.stderr}")
        return done

    def check(self, what, path, wanted, tolerance):
        saved = self.folder / "out.h5"
        done = self.call("run", what, path, "--save-outputs", saved)
        if wanted is None:
            if done.returncode not in (3, 4) or "_branch" not in done.stderr:
                raise Wrong(f"{what} {path}: expected a refusal that names a branch, got {done.returncode}: "
                            f"{done.stdout}{done.stderr}")
            return
        if done.returncode:
            raise Wrong(f"{what} {path}: {done.stderr}")
        got = read_outputs(saved, 1, ["m_y"])[0]["m_y"]
        saved.unlink()
        scale = np.abs(wanted).max() + 1e-3
        if got.shape != wanted.shape or not np.abs(got - wanted).max() <= tolerance * scale:
            raise Wrong(f"{what} {path}: {got} instead of {wanted}")

    def must(self, *arguments):
        done = self.call(*arguments)
        if done.returncode:
            raise Wrong(f"{arguments}: {done.stderr}")
        return done

    def profiles(self):
        if self.fixed:
            return [[]]
        return [["--profile", f"N={self.n}:{self.n}:{self.n}"], ["--profile", f"N={self.n // 2}:{self.n}:{3 * self.n}"]]

    def check_all(self):
        samples = [self.sample(f) for f in itertools.product([False, True], repeat=MOST_DEPTH)]
        good = [s for s in samples if s[1] is not None]
        if not good:
            return False
        for path, wanted in samples:
            self.check(self.model, path, wanted, 1e-3)
        for profile in self.profiles():
            plan = self.folder / "m.plan"
            self.must("build", self.model, "--fp32", *profile, "-o", plan)
            for path, wanted in samples:
                self.check(plan, path, wanted, 1e-3)
            self.must("inspect", plan)
            table = self.folder / "m.calib.json"
            self.must("calibrate", self.model, *(p for p, _ in good), *profile, "-o", table)
            self.must("build", self.model, "--calib", table, *profile, "-o", plan)
            for path, wanted in samples:
                self.check(plan, path, wanted, 0.25)
        self.check_written(self.profiles()[0], *good[int(self.random.integers(len(good)))])
        return True

    def check_written(self, profile, path, wanted):
        """A model that is written for the flags of one sample."""
        flags = [f for d in range(MOST_DEPTH) for f in ("--set", f"mode{d}={16 if path.stem[1 + d] == '1' else 8}")]
        table, written = self.folder / "set.calib.json", self.folder / "w.onnx"
        self.must("quantize", self.model, path, *flags, *profile, "-o", written)
        self.check(written, path, wanted, 0.25)
        self.must("calibrate", self.model, path, *flags, *profile, "--all-tensors", "-o", table)
        self.must("export", self.model, "--calib", table, *flags, "-o", written)
        self.check(written, path, wanted, 0.25)
        if "mode0 int64" in self.must("inspect", written).stdout:
            raise Wrong(f"{written} has an input that was set")


def run_case(tare, folder, seed, k):
    folder.mkdir(parents=True, exist_ok=True)
    return Case(tare, folder, np.random.default_rng([seed, k])).check_all()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tare")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TARE_TEST_SEED", 0)) or int(time.time()))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    tare, failed, ran = Command(given.tare), 0, 0
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or pathlib.Path(made)
        for k in range(given.count) if given.only is None else [given.only]:
            try:
                ran += run_case(tare, folder / str(k), given.seed, k)
            except Wrong as wrong:
                failed += 1
                print(f"--seed {given.seed} --only {k}: {wrong}")
    print(f"seed {given.seed}: {ran} models with a branch that runs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
