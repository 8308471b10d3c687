#!/usr/bin/env python3
"""Pairs of options that nobody tried together.

try_options.py TARE SOURCE [--seed S] [--count N] [--first K] [--command NAME] [--keep FOLDER] [--timeout S]

Takes the options of each command from its --help, and runs it with two or three of them at a time, chosen at random,
with values of EXAMPLES. Whatever they are: no crash, a documented exit code, one sentence of error, nothing left of an
output that failed, an output that a new process can read. An option of which EXAMPLES has no value is a failure too.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

# --- what options take --------------------------------------------------------------------------

# Values of an option; {scene} stands for what a scene has under this name. None: the option takes no value.
EXAMPLES = {
    "against": ["{model}", "{plan}"],
    "agreement": ["{output}=top1", "{output}=edits", "{output}=none", "missing=top1"],
    "algo-header": ["EntropyCalibration2", "MinMaxCalibration"],
    "allow-external": ["{folder}"],
    "alphabet": ["0123456789", "ab"],
    "also": ["{plan}", "{quantized}", "{plan},{quantized}"],
    "atol": ["0.1", "{output}:1e-3"],
    "average": ["macro", "micro", "binary"],
    "bias-correction": ["on", "off"],
    "blank": ["0", "3"],
    "calib": ["{table}", "{per_profile}", "{cache}"],
    "channel": ["1", "2", "mix"],
    "checkpoint": ["{folder}/check.stats"],
    "checkpoint-every": ["0.01"],
    "chunk": ["{symbol}=64", "{input}=16"],
    "count": ["1", "3"],
    "coverage": ["{model}"],
    "duration": ["0.01"],
    "eval": ["{data}"],
    "exportProfile": ["{folder}/profile.json"],
    "features": ["whisper", "kaldi,mels=40"],
    "find-samples": ["{data}"],
    "fit": ["native", "pad", "truncate", "opt"],
    "fits": ["native", "pad,opt", "per-profile", "all"],
    "format": ["trt", "json", "ort", "ncnn"],
    "gain-range": ["-20:20dB", "-6:6:6dB"],
    "generate": ["3"],
    "hop": ["8"],
    "ignore-index": ["-100", "0"],
    "isa": ["scalar", "avx2", "avx512"],
    "iterations": ["2"],
    "keep": ["fp32", "bf16"],
    "label-shift": ["1", "-1"],
    "labels": ["{labels}", "missing"],
    "layer-output-types": ["*:fp32", "*:int8"],
    "layer-precisions": ["*:int8", "*:fp32", "@MatMul:bf16", "*:int16", "nothing:int8", "*:int8-rows"],
    "layer-weight-types": ["*:int8", "*:fp16", "*:bf16"],
    "layers": ["*", "nothing"],
    "length-input": ["{input}={symbol}"],
    "limit": ["1", "2"],
    "map": ["{input}={input}"],
    "max": ["100"],
    "max-archive": ["1M"],
    "max-drop": ["0.5", "10"],
    "max-elements": ["10", "1000000"],
    "max-length": ["{symbol}=100", "50", "1s"],
    "max-loop-turns": ["10"],
    "max-memory": ["1M", "1G"],
    "max-nesting": ["1"],
    "max-nodes": ["10", "1000"],
    "max-seconds": ["10"],
    "max-tensor": ["10k", "100M"],
    "max-tokens": ["8"],
    "maxShapes": ["{shapes}"],
    "method": ["minmax", "entropy", "percentile", "mse"],
    "methods": ["minmax", "entropy,mse", "all"],
    "metric": ["accuracy", "f1", "ctc-error", "perplexity", "mae", "spearman", "agreement", "cosine", "recall", "si-sdr", "score"],
    "metric-command": ["echo 0.5", "false", "echo nonsense", "cat /dev/null", "sleep 0.1; echo nan"],
    "metric-timeout": ["1", "5"],
    "min": ["1"],
    "min-int8": ["0.5", "1"],
    "min-length": ["{symbol}=2", "10", "200ms"],
    "min-sqnr": ["10", "{output}:20"],
    "minShapes": ["{shapes}"],
    "model": ["{model}"],
    "most": ["2"],
    "neighbours": ["1", "2"],
    "optShapes": ["{shapes}"],
    "output-index": ["0", "1"],
    "output": ["{folder}/out{extension}", "{folder}/sub/out{extension}", "{folder}/out.other"],
    "outside": ["error", "nearest", "skip"],
    "pad-stats": ["exclude", "count"],
    "pad-value": ["{input}=1"],
    "padding": ["10"],
    "percentile": ["99", "99.99"],
    "plan": ["{plan}"],
    "precision-constraints": ["prefer", "obey", "none"],
    "precisions": ["int8", "bf16,int16", "all"],
    "profile": ["{profile}", "auto", "{symbol}=1:2:3"],
    "profile-file": ["{profile_file}"],
    "profile-index": ["0", "5"],
    "quota": ["1"],
    "rank-timeout": ["30"],
    "rate": ["8000", "4000"],
    "report": ["{folder}/r.html", "{folder}/r.md", "{folder}/r.csv", "{folder}/r.json"],
    "require": ["sqnr>=1", "sqnr>=200", "drop<=1"],
    "row-scales": ["float", "int16", "dynamic"],
    "rtol": ["0.1", "{output}:1e-3"],
    "samples": ["2"],
    "save-outputs": ["{folder}/outputs.h5"],
    "seed": ["7"],
    "set": ["{input}=1"],
    "shapes": ["{shapes}"],
    "shard": ["0/2", "1/2"],
    "skip-counted": ["{stats}"],
    "small-layers": ["float", "int8"],
    "raise-layers": ["auto", "off"],
    "smoothing": ["table", "none"],
    "special-tokens": ["bos"],
    "sqnr": ["10", "60"],
    "state": ["none", "{output}:{input}"],
    "stratify": ["length"],
    "streams": ["2"],
    "symbol": ["{symbol}"],
    "symbols": ["{symbols}"],
    "table": ["{folder}/t.json", "{folder}/t.cache"],
    "target": ["onnxruntime", "tensorrt", "openvino", "generic"],
    "template": ["{cache}"],
    "tensor": ["{output}"],
    "text": ["text"],
    "text-pair": ["other"],
    "threads": ["1", "3"],
    "time-budget": ["1s", "5m"],
    "time-limit": ["0.1", "2"],
    "times": ["{times}"],
    "timing-cache": ["{folder}/timing"],
    "tokenizer": ["{tokenizer}"],
    "tokens": ["{tokens}"],
    "top": ["1", "2"],
    "trace": ["{folder}/trace.json"],
    "trt-version": ["8.6", "10"],
    "unify": ["{model}"],
    "unit": ["char", "word"],
    "use-profile": ["0", "3"],
    "warmUp": ["0"],
    "waveform": ["{input}"],
    "weight": ["sample", "length", "element"],
    "weight-clipping": ["on", "off"],
    "weight-rounding": ["table", "nearest"],
    "weights": ["int8", "uint8", "float", "int7"],
    "within": ["10"],
    "work": ["{folder}/work"],
    "worst": ["2"],
}

# The same name with another meaning.
MAKES = ("calibrate", "tune", "quantize", "compare")
SPECIAL = {**{(c, "weight-rounding"): ["least-squares", "nearest"] for c in MAKES},
           **{(c, "smoothing"): ["off", "auto", "on"] for c in MAKES},
           ("export", "layer-precisions"): ["*:int8", "*:fp32", "@MatMul:int8-rows"],
           ("quantize", "layer-precisions"): ["*:int8", "*:fp32", "@MatMul:int8-rows"],
           ("debug sensitivity", "target"): ["10"], ("diff", "times"): [None],
           ("bench", "percentile"): ["50,99"]}

# What an option means nothing without; now and then it is left out all the same.
COMPANIONS = {
    "alphabet": ["--metric=ctc-error", "--labels={labels}"], "average": ["--metric=f1", "--labels={labels}"],
    "blank": ["--metric=ctc-error", "--alphabet=0123456789", "--labels={labels}"],
    "checkpoint-every": ["--checkpoint={folder}/check.stats"], "hop": ["--chunk={symbol}=64"],
    "ignore-index": ["--metric=accuracy", "--labels={labels}"], "labels": ["--metric=accuracy"],
    "label-shift": ["--metric=perplexity", "--labels={labels}"], "max-drop": ["--metric=accuracy", "--labels={labels}", "--eval={data}"],
    "maxShapes": ["--minShapes={shapes}", "--optShapes={shapes}"], "metric": ["--labels={labels}", "--eval={data}"],
    "metric-command": ["--metric=score", "--eval={data}"],
    "metric-timeout": ["--metric=loss", "--metric-command=echo{tab}0.5"], "minShapes": ["--maxShapes={shapes}", "--optShapes={shapes}"],
    "neighbours": ["--metric=recall", "--labels={labels}"], "pad-value": ["--fit=pad"], "resume": ["--work={folder}/work"],
    "seed": ["--samples=2"], "stratify": ["--samples=2"], "template": ["-o", "{folder}/out.cache"],
    "tensor": [], "top": ["--metric=accuracy", "--labels={labels}"], "trt-version": ["-o", "{folder}/out.cache"],
    "algo-header": ["-o", "{folder}/out.cache"], "worst": ["--against={model}"], "percentile": ["--method=percentile"],
    "waveform": ["--gain-range=-6:6:6dB"], "quota": ["--samples=2"], "output-index": ["--metric=accuracy", "--labels={labels}"],
    "unit": ["--metric=ctc-error", "--alphabet=0123456789", "--labels={labels}"],
}

# Options that are not tried: they end the command at once.
LEFT_OUT = {"help", "usage", "version"}

# --- commands -----------------------------------------------------------------------------------

# The line of each command, and the extension of its output ("" without one).
COMMANDS = {
    "calibrate": ("{model} {data} {options}", ".stats"),
    "merge": ("{part0} {part1}", ".stats"),
    "table": ("{stats}", ".json"),
    "build": ("{model} {lengths} --calib {table}", ".plan"),
    "tune": ("{model} {data} {options} --time-limit 1", ".plan"),
    "quantize": ("{model} {data} {options}", ".onnx"),
    "export": ("{model} --calib {table}", ".onnx"),
    "check": ("{quantized}", ""),
    "import-qdq": ("{quantized} --table {folder}/q.json", ".onnx"),
    "run": ("{plan} {data} {plan_options}", ""),
    "compare": ("{model} {data} --eval {data} {options} --methods minmax --fits native", ".plan"),
    "bench": ("{plan} --duration 0 --iterations 1 --warmUp 0", ""),
    "profiles": ("{data} --model {model} {plan_options}", ""),
    "inspect": ("{model}", ""),
    "diff": ("{plan} {plan}", ""),
    "debug compare": ("{plan} {data} {plan_options} --against {model}", ""),
    "debug reduce": ("{model} {data} {options} --calib {table} --min-sqnr 30", ".onnx"),
    "debug sensitivity": ("{model} {data} {options} --calib {table} --limit 1", ""),
    "doctor": ("", ""),
}

# Options on texts, of which the scenes have none.
RARE = {"special-tokens", "text", "text-files", "text-pair", "tokenizer", "tokens"}

# How often a command is tried, where not as often as others.
WEIGHTS = {"doctor": 0.2, "check": 0.4, "bench": 0.5, "calibrate": 2, "compare": 3, "tune": 2, "quantize": 2, "run": 2}

OPTION = re.compile(r"^ {2,6}(?:-(?P<short>\w)(?:, )?)?(?:--(?P<long>[\w-]+))?(?P<value>\[?=\S+)?(?:  |$)")


def options_of(tare, command):
    """(name, takes a value) of each option in the help."""
    text = subprocess.run([tare] + command.split() + ["--help"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.split("\n\nExample")[0].splitlines():
        match = OPTION.match(line)
        name = match and match.group("long")
        if name and name not in LEFT_OUT:
            found[name] = bool(match.group("value"))
    return sorted(found.items())


# --- scenes -------------------------------------------------------------------------------------

class Scene:
    """A model with data, and what was made of both."""

    def __init__(self, tare, folder, name, values):
        self.name = name
        self.v = dict(values)
        self.v.setdefault("plan_options", self.v["options"])
        self.v.setdefault("lengths", "--profile " + self.v["profile"])
        for key, end in [("stats", "x.stats"), ("table", "x.json"), ("per_profile", "p.json"), ("cache", "x.cache"),
                         ("plan", "x.plan"), ("quantized", "q.onnx"), ("part0", "0.stats"), ("part1", "1.stats"),
                         ("times", "times.json"), ("profile_file", "profiles.txt")]:
            self.v[key] = os.path.join(folder, name + "-" + end)
        with open(self.v["profile_file"], "w") as file:
            file.write(self.v["profile"] + "\n")
        make = lambda line: subprocess.run([tare] + self.fill(line), check=True, capture_output=True)
        calibrate = "calibrate {model} {data} {options} --all-tensors -q "
        make(calibrate + "-o {stats}")
        make("table {stats} -q -o {table}")
        make("table {stats} -q --per-profile -o {per_profile}")
        make("table {stats} -q -o {cache}")
        make("build {model} {lengths} --calib {table} -q -o {plan}")
        make("export {model} --calib {table} --row-scales dynamic -q -o {quantized}")
        for i in (0, 1):
            make(calibrate + f"--shard {i}/2 -o {{part{i}}}")
        make("bench {plan} --duration 0 --iterations 1 --warmUp 0 --exportProfile {times}")

    def fill(self, line, **more):
        words = []
        for word in line.split():
            filled = word.format(**self.v, **more)
            words += filled.split() if word in ("{options}", "{plan_options}", "{lengths}", "{data}") else [filled]
        return words


def make_scenes(tare, source, folder):
    fixtures = source + "/tests/fixtures/"
    common = {"labels": "labels", "tokenizer": fixtures + "tokenizers/none.json", "tokens": fixtures + "none.txt"}
    scenes = [
        Scene(tare, folder, "encoder", dict(
            common, model=fixtures + "precision/encoder.onnx", data=fixtures + "precision/encoder.npz",
            options="--profile batch=4,frames=1:24:100", plan_options="", profile="batch=4,frames=1:24:100",
            symbol="frames", input="x", output="y", shapes="x:4x24x16", symbols="batch=4,frames=24")),
        Scene(tare, folder, "pooled", dict(
            common, model=fixtures + "pooled/pooled.onnx", data=fixtures + "pooled/calib",
            options="--profile n=1,t=4:20:60", plan_options="", profile="n=1,t=4:20:60", symbol="t", input="x",
            output="y", shapes="x:1x12x20", symbols="n=1,t=20")),
        Scene(tare, folder, "words", dict(
            common, model=fixtures + "small/intents-mini/intents-mini.onnx", data=fixtures + "small/intents-mini/eval.h5",
            options="--profile sequence=2:32:512 --limit 2", plan_options="--limit 2", profile="sequence=2:32:512",
            symbol="sequence", input="input_ids", output="logits",
            shapes="input_ids:1x32,attention_mask:1x32", symbols="sequence=32")),
        Scene(tare, folder, "speech", dict(
            common, labels="digits", model=fixtures + "small/digits-conv/digits-conv.onnx",
            data=fixtures + "small/digits-conv/eval", options="--rate 8000 --profile samples=1600:16000:80000 --limit 1",
            plan_options="--rate 8000 --limit 1", profile="samples=1600:16000:80000", symbol="samples",
            input="audio", output="logits", shapes="audio:1x16000", symbols="samples=16000")),
    ]
    return scenes


# --- a run --------------------------------------------------------------------------------------

class Trial:
    """One command line with some options, in a folder of its own."""

    def __init__(self, dice, tare, scenes, commands, folder):
        self.command = dice.choices(list(commands), [WEIGHTS.get(c, 1) for c in commands])[0]
        self.scene = dice.choice(scenes)
        self.folder = folder
        line, self.extension = COMMANDS[self.command]
        more = {"folder": folder, "extension": self.extension}
        self.words = [tare] + self.command.split() + self.scene.fill(line, **more)
        names = []
        while len(names) < dice.choice([2, 2, 3]):
            option = dice.choice(commands[self.command])
            rare = option[0] in RARE or (option[0].startswith("max-") and option[0] != "max-drop")
            if option not in names and (not rare or dice.random() < 0.3):
                names.append(option)
        if self.extension and dice.random() < 0.95 and not any(name == "output" for name, _ in names):
            self.words += ["-o", folder + "/out" + self.extension]
        for name, takes in names:
            known = {n for n, _ in commands[self.command]} | {""}
            for companion in COMPANIONS.get(name, []) if dice.random() < 0.8 else []:
                if companion.startswith("--") and companion[2:].split("=")[0] not in known:
                    continue
                self.words.append(companion.format(**self.scene.v, tab=" ", **more))
            values = SPECIAL.get((self.command, name)) or EXAMPLES.get(name, [None])
            value = dice.choice(values)
            text = "--" + name
            if takes and value is not None:
                text += "=" + value.format(**self.scene.v, **more)
            self.words.append(text)
        self.json = "--json" in self.words

    def run(self, timeout):
        """None, or what is wrong."""
        before = set(os.listdir(self.folder))
        try:
            done = subprocess.run(self.words, capture_output=True, cwd=self.folder, timeout=timeout,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"does not end within {timeout} s"
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        made = sorted(set(os.listdir(self.folder)) - before)
        return self.bad_code() or self.bad_sentence() or self.bad_json() or self.bad_files(made)

    def bad_code(self):
        if b"Sanitizer" in self.err or b"runtime error" in self.err:
            return "a sanitizer complains"
        return None if 0 <= self.code <= 5 else f"ends with code {self.code}"

    def errors(self):
        lines = self.err.decode("utf-8", "replace").replace("\r", "\n").splitlines()
        return [l for l in lines if re.match(r"tare[^:]*: (?!warning: |note: )", l)]

    def bad_sentence(self):
        if self.code <= 1:
            return None
        if not self.err.strip():
            return f"code {self.code} without a sentence"
        if self.code == 2 and b"Try `tare" not in self.err and not self.errors():
            return "wrong usage without a sentence"
        last = self.errors()[-1] if self.errors() else ""
        for bad in ("(null)", "%s", "%d", " nan ", "Internal", "assert"):
            if bad in last:
                return f"the sentence holds {bad!r}"
        return None if last else f"code {self.code} without a sentence of tare"

    def bad_json(self):
        if not self.json or self.code > 1:
            return None
        try:
            json.loads(self.out)
        except ValueError as e:
            return f"--json prints what is none: {e}"
        return None

    def bad_files(self, made):
        for name in made:
            if name.startswith(".") or name.endswith("~") or ".tmp" in name:
                return f"leaves {name}"
            path = os.path.join(self.folder, name)
            if self.code >= 2 and name.startswith("out."):
                return f"code {self.code}, but {name} is there"
            if self.code == 0 and name == "out" + self.extension and not self.loads(path):
                return f"{name} does not load"
        wanted = "-o" in self.words
        if self.code == 0 and wanted and not made:
            return "success without an output"
        return None

    def loads(self, path):
        tare = self.words[0]
        if path.endswith(".cache"):
            return os.path.getsize(path) > 0
        done = subprocess.run([tare, "inspect", path], capture_output=True)
        return done.returncode == 0


def quoted(words):
    return " ".join("'" + w + "'" if re.search(r"[^\w./=:,@+-]", w) else w for w in words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tare")
    parser.add_argument("source")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--command")
    parser.add_argument("--keep")
    parser.add_argument("--timeout", type=float, default=300)
    a = parser.parse_args()
    tare, source = os.path.abspath(a.tare), os.path.abspath(a.source)
    commands = {c: options_of(tare, c) for c in COMMANDS if not a.command or c == a.command}
    lacking = sorted({n for c, o in commands.items() for n, takes in o if takes and n not in EXAMPLES})
    bad = 0
    if lacking:
        print("MISSED: EXAMPLES has no value of", ", ".join("--" + n for n in lacking))
        bad += 1
    folder = tempfile.mkdtemp(prefix="tare-options-")
    try:
        scenes = make_scenes(tare, source, folder)
        codes = {}
        for i in range(a.first, a.first + a.count):
            dice = random.Random(a.seed * 1000003 + i)
            own = tempfile.mkdtemp(dir=folder)
            trial = Trial(dice, tare, scenes, commands, own)
            what = trial.run(a.timeout)
            if what:
                bad += 1
                print(f"MISSED (--seed {a.seed} --first {i} --count 1): {what}\n  {quoted(trial.words)}")
                for text in (getattr(trial, "err", b""), ):
                    print("  | " + text.decode("utf-8", "replace").strip().replace("\n", "\n  | ")[-1500:])
            else:
                codes[trial.code] = codes.get(trial.code, 0) + 1
            if a.keep:
                with open(a.keep, "a") as log:
                    err = getattr(trial, "err", b"").decode("utf-8", "replace").strip()
                    log.write(f"== {i} {trial.command} {getattr(trial, 'code', '?')}\n{quoted(trial.words[1:])}\n{err}\n")
            shutil.rmtree(own, ignore_errors=True)
        print(f"{a.count} runs of seed {a.seed}: {bad} missed; codes "
              + ", ".join(f"{k}: {n}" for k, n in sorted(codes.items())))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
