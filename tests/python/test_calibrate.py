"""Calibration, and statistics."""

import math
import os
import unittest
import warnings

import numpy as np

import tare
from common import DIGITS, INTENTS, MODEL, PROFILE, SOURCE, TestCase, command, sentences

CALIB = INTENTS / "calib.h5"


class CommandTest(TestCase):
    """The package and the command give the same bytes."""

    def test_files(self):
        own, other = self.folder / "own.stats", self.folder / "other.stats"
        tare.calibrate(MODEL, tare.Data(CALIB, limit=20)).save(own)
        command("calibrate", "-q", MODEL, CALIB, "--limit", 20, "-o", other)
        self.same_bytes(own, other)

    def test_audio(self):
        model, audio = DIGITS / "digits-conv.onnx", DIGITS / "calib"
        own, other = self.folder / "own.stats", self.folder / "other.stats"
        stats = tare.calibrate(model, tare.Data(audio, rate=8000, limit=6), weight="sample",
                               smoothing="auto", weight_clipping="auto", bias_correction=True)
        stats.save(own)
        command("calibrate", "-q", model, audio, "--rate", 8000, "--limit", 6, "--weight", "sample",
                "--smoothing", "auto", "--weight-clipping", "auto", "--bias-correction", "on",
                "-o", other)
        self.same_bytes(own, other)

    def test_samples_of_the_program(self):
        for i, sample in enumerate(sentences()):
            np.savez(self.folder / f"{i:02}.npz", **sample)
        own, other = self.folder / "own.stats", self.folder / "other.stats"
        tare.calibrate(MODEL, sentences()).save(own)
        command("calibrate", "-q", MODEL, self.folder, "-o", other)
        self.same_bytes(own, other)

    def test_fits(self):
        for fit in ("pad", "truncate", "opt"):
            own, other = self.folder / "own.stats", self.folder / "other.stats"
            stats, _ = self.warned(tare.calibrate, MODEL, tare.Data(CALIB, limit=4),
                                   {"sequence": (4, 64, 128)}, fit=fit, outside="nearest",
                                   count_padding=True)
            stats.save(own)
            command("calibrate", "-q", MODEL, CALIB, "--limit", 4, "--profile",
                    "sequence=4:64:128", "--fit", fit, "--outside", "nearest", "--pad-stats",
                    "count", "-o", other)
            self.same_bytes(own, other)


class StreamingTest(TestCase):
    MODEL = SOURCE / "tests" / "fixtures" / "onnx" / "good_stream.onnx"
    PROFILE = {"samples": 400}

    def test_as_the_command(self):
        own, other = self.folder / "own.stats", self.folder / "other.stats"
        data, streaming = DIGITS / "eval", tare.Streaming("samples=400")
        stats, _ = self.warned(tare.calibrate, self.MODEL, tare.Data(data, limit=3), self.PROFILE,
                               streaming=streaming)
        stats.save(own)
        command("calibrate", "-q", self.MODEL, data, "--limit", 3, "--chunk", "samples=400", "-o",
                other)
        self.same_bytes(own, other)

    def test_samples_of_the_program(self):
        """Data have no states."""
        audio = [np.sin(np.arange(n, dtype=np.float32)) for n in (900, 2000)]
        streaming = tare.Streaming("samples=400", states=["stateN:state"])
        stats = tare.calibrate(self.MODEL, iter(audio), self.PROFILE, streaming=streaming)
        self.assertEqual(stats.samples, [2])
        plan = tare.build(self.MODEL, profiles=self.PROFILE)
        found = tare.evaluate(plan, audio, plan, streaming=streaming)
        self.assertGreater(found.total.samples, 2)  # chunks
        self.refuses(tare.UsageError, "needs a range", tare.calibrate, self.MODEL, audio,
                     streaming=streaming)
        self.refuses(tare.UsageError, "no", tare.calibrate, self.MODEL, audio, self.PROFILE,
                     streaming=tare.Streaming(states=["y:nothing"]))
        self.refuses(tare.UsageError, "hop 500", tare.calibrate, self.MODEL, audio, self.PROFILE,
                     streaming=tare.Streaming("samples=400", hop=500))

    def test_a_wrong_name_is_no_state(self):
        """Where the model has a state h0, data have h_0."""
        names = SOURCE / "tests" / "fixtures" / "names"
        model, profile, streaming = names / "enhancer.onnx", {"b": 1, "n": 30}, tare.Streaming("n=30")
        near = "'h_0', which no input takes, is near 'h0'"
        self.refuses(tare.InputError, near, tare.calibrate, model, names / "hidden.npz", profile,
                     streaming=streaming)
        sample = {"audio": np.ones((1, 90), np.float32), "h_0": np.ones((1, 1, 4), np.float32)}
        self.refuses(tare.InputError, near, tare.calibrate, model, [sample], profile,
                     streaming=streaming)
        declared = tare.Streaming("n=30", states=["hn:h0"])
        stats = tare.calibrate(model, names / "hidden.npz", profile, streaming=declared)
        self.assertEqual(stats.samples, [1])
        sample["label"] = sample.pop("h_0")
        _, warned = self.warned(tare.calibrate, model, [sample], profile, streaming=streaming)
        self.assertIn("'label', which the model does not take: ignored", str(warned[0]))
        self.refuses(tare.InputError, "'embed' is near 'embeds'", tare.calibrate,
                     names / "denoiser.onnx", names / "typo.npz", {"b": 1, "n": 6})


class CalibrateTest(TestCase):
    def calibrated(self, **options):
        return tare.calibrate(MODEL, list(sentences()), PROFILE, **options)

    def test_statistics(self):
        stats = self.calibrated()
        self.assertEqual(stats.samples, [12])
        self.assertEqual(stats.profiles, ["batch=1:1:1,sequence=1:16:512"])
        self.assertEqual(stats.fit, "native")
        self.assertEqual(stats.model_hash, tare.Model(MODEL).hash)
        name = stats.tensors[0]
        tensor = stats.tensor(name)
        self.assertEqual((tensor.name, tensor.samples, tensor.nan, tensor.inf), (name, 12, 0, 0))
        self.assertLess(tensor.min, tensor.max)
        counts, _, width = stats.histogram(name)
        self.assertEqual(sum(counts), tensor.count)
        self.assertEqual(math.log2(width) % 1, 0)
        self.assertIn("12 samples", repr(stats))
        with self.assertRaises(KeyError):
            stats.tensor("nothing")
        with self.assertRaises(IndexError):
            stats.tensor(name, 1)

    def test_saved(self):
        path, again = self.folder / "a.stats", self.folder / "b.stats"
        self.calibrated().save(path)
        tare.Statistics.load(path).save(again)
        self.same_bytes(path, again)
        self.refuses(tare.InputError, "a.stat", tare.Statistics.load, self.folder / "a.stat")
        self.refuses(tare.FileError, "cannot", tare.Statistics.load(path).save, "/nowhere/a.stats")

    def test_several_profiles(self):
        stats = tare.calibrate(MODEL, list(sentences()),
                               [{"sequence": (1, 8, 16)}, "sequence=17:32:64"])
        self.assertEqual(sum(stats.samples), 12)
        self.assertTrue(all(stats.samples))

    def test_shards(self):
        samples = list(sentences())
        whole, merged = self.folder / "whole.stats", self.folder / "merged.stats"
        tare.calibrate(MODEL, samples, PROFILE).save(whole)
        parts = [tare.calibrate(MODEL, tare.Data(iter(samples), shard=(i, 3)), PROFILE)
                 for i in range(3)]
        self.assertTrue(parts[0].is_undecided)
        decided = parts[2].merge(parts[0], parts[1]).decide(MODEL)
        self.assertFalse(decided.is_undecided)
        decided.save(merged)
        self.same_bytes(whole, merged)
        self.refuses(tare.TareError, "", decided.merge, parts[0])

    def test_checkpoint(self):
        samples = list(sentences())
        whole, resumed = self.folder / "whole.stats", self.folder / "resumed.stats"
        part = self.folder / "part.stats"
        tare.calibrate(MODEL, samples, PROFILE).save(whole)
        self.refuses(tare.CheckError, "stopped after", tare.calibrate, MODEL, samples, PROFILE,
                     checkpoint=part, progress=lambda done, total: done < 4)
        self.assertTrue(tare.Statistics.load(part).is_partial)
        tare.calibrate(MODEL, samples, PROFILE, resume=part).save(resumed)
        self.same_bytes(whole, resumed)
        self.refuses(tare.InputError, "all were counted", tare.calibrate, MODEL, samples, PROFILE,
                     counted=[whole])

    def test_checkpoint_at_the_end(self):
        samples, part = list(sentences()), self.folder / "part.stats"
        whole, resumed = self.folder / "whole.stats", self.folder / "resumed.stats"
        tare.calibrate(MODEL, samples, PROFILE).save(whole)
        for threads in (1, 2) * 5:  # with two, the last sample is now and then the second's
            self.refuses(tare.CheckError, "stopped after 12", tare.calibrate, MODEL, samples,
                         PROFILE, threads=threads, checkpoint=part,
                         progress=lambda done, total: done < total)
            tare.calibrate(MODEL, samples, PROFILE, resume=part).save(resumed)
            self.same_bytes(whole, resumed)
            part.unlink()

    def test_progress(self):
        seen = []
        self.calibrated(progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[-1], (12, 12))
        self.assertEqual(seen, sorted(seen))
        tare.calibrate(MODEL, sentences(), PROFILE,
                       progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[-1], (12, None))

    def test_progress_that_raises(self):
        def broken(done, total):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            self.calibrated(progress=broken)

    def test_levels(self):
        samples = [np.sin(np.arange(n, dtype=np.float32)) for n in (4000, 5000)]
        stats = tare.calibrate(DIGITS / "digits-conv.onnx",
                               tare.Data(samples, gain_range="-20:0", waveforms=["audio"]))
        self.assertEqual(stats.samples, [2])
        self.assertEqual(stats.tensor("audio").samples, 2 * 3)

    def test_warnings(self):
        _, told = self.warned(tare.calibrate, MODEL, list(sentences()), {"sequence": (1, 5, 5)},
                              outside="nearest")
        self.assertEqual(len(told), 1)
        self.assertIn("samples cut to fit a profile, losing", told[0])
        _, told = self.warned(tare.calibrate, DIGITS / "digits-conv.onnx", DIGITS / "calib")
        self.assertIn("sample rates from 8000 to 22050 Hz", told[0])
        zeros = [np.zeros(4000, np.float32)] * 2
        stats = tare.calibrate(DIGITS / "digits-conv.onnx", zeros)
        self.assertIn("dead", [warning.kind for warning in stats.warnings])

    def test_lengths_that_cannot_run(self):
        bounded = SOURCE / "tests" / "fixtures" / "bounded"
        wave, wav = bounded / "wave.onnx", bounded / "wav"
        error = self.refuses(tare.ShapeError, "S=700 is too short for the model: ", tare.calibrate,
                             wave, wav)
        self.assertIn("; the least S that works is 720", str(error))
        self.assertIn("c.wav", str(error))
        stats, told = self.warned(tare.calibrate, wave, tare.Data(wav, skip_bad=True))
        self.assertEqual((stats.samples, len(told)), ([3], 1))
        self.assertIn("c.wav: S=700 is too short", told[0])
        stats = tare.calibrate(wave, wav, outside="nearest")
        self.assertEqual((stats.samples, stats.profiles), ([4], ["B=1:1:1,S=8000:12000:16000"]))
        stats, told = self.warned(tare.calibrate, wave, wav, outside="skip")
        self.assertEqual((stats.samples, told), ([3], ["left out: 1 of 4 samples outside all profiles"]))
        self.refuses(tare.InputError, "no usable sample to derive a profile from: ", tare.calibrate,
                     wave, tare.Data(wav / "c.wav", skip_bad=True))
        samples = [np.ones((n, 4), np.float32) for n in (12, 6, 64, 65)]
        stats, told = self.warned(tare.calibrate, bounded / "quads.onnx",
                                  tare.Data(samples, skip_bad=True))
        self.assertEqual((stats.samples, len(told)), ([2], 2))

    def test_where_warnings_point(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tare.calibrate(MODEL, list(sentences()), {"sequence": (1, 5, 5)}, outside="nearest")
        self.assertEqual(os.path.basename(caught[0].filename), "test_calibrate.py")

    def test_usage(self):
        for part, options in {"fit: unknown 'x'": {"fit": "x"}, "weight: unknown": {"weight": "x"},
                              "weight_rounding": {"weight_rounding": "x"},
                              "stratify": {"stratify": "x"}, "unknown instruction set": {"isa": "sse9"}}.items():
            self.refuses(tare.UsageError, part, self.calibrated, **options)
        for wrong in ((1, 2), (1.5, 2, 3), "x", None, 2.0):
            self.refuses(tare.UsageError, "profile: 'sequence' is", tare.calibrate, MODEL,
                         list(sentences()), {"sequence": wrong})
        self.refuses(tare.UsageError, "profiles: expected", tare.calibrate, MODEL,
                     list(sentences()), [5])


if __name__ == "__main__":
    unittest.main()
