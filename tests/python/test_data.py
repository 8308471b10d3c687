"""The forms in which samples come, and what is wrong with them."""

import unittest

import numpy as np

import tare
from common import DIGITS, MODEL, PROFILE, SOURCE, TestCase, sentences


class Reader:
    """A reader as ONNX Runtime has it."""

    def __init__(self, samples):
        self.samples = list(samples)
        self.at = 0

    def get_next(self):
        self.at += 1
        return self.samples[self.at - 1] if self.at <= len(self.samples) else None


class Rewound(Reader):
    def rewind(self):
        self.at = 0


class Tensor:
    """What tensors of torch have in common with arrays."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def detach(self):
        return self

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.array


class Loader:
    """A loader whose batches are tensors; each iteration begins again."""

    def __init__(self, samples):
        self.samples = list(samples)

    def __len__(self):
        return len(self.samples)

    def __iter__(self):
        return ({name: Tensor(array) for name, array in sample.items()} for sample in self.samples)


class Indexed:
    """A data set with __getitem__ that never raises IndexError."""

    def __init__(self, samples):
        self.samples = list(samples)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i % len(self.samples)]


class FormsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.expected = self.saved(list(sentences()))

    def saved(self, data, profiles=PROFILE):
        path = self.folder / "own.stats"
        tare.calibrate(MODEL, data, profiles, weight_rounding="nearest").save(path)
        return path.read_bytes()

    def test_forms(self):
        samples = list(sentences())
        pairs = [tuple(sample.values()) for sample in samples]
        without_batch = [{name: array[0] for name, array in sample.items()} for sample in samples]
        narrow = [{name: array.astype(np.int32) for name, array in sample.items()}
                  for sample in samples]
        strided = [{name: np.repeat(array, 2, 1)[:, ::2] for name, array in sample.items()}
                   for sample in samples]
        swapped = [{name: array.astype(">i8") for name, array in sample.items()}
                   for sample in samples]
        forms = {"generator": sentences(), "function": sentences, "reader": Reader(samples),
                 "rewound": Rewound(samples), "loader": Loader(samples), "indexed": Indexed(samples),
                 "tuples": pairs, "lists": [list(pair) for pair in pairs], "narrow": narrow,
                 "strided": strided, "swapped": swapped}
        for name, form in forms.items():
            with self.subTest(name):
                self.assertEqual(self.saved(form), self.expected)
        self.assertEqual(len(tare.calibrate(MODEL, without_batch, PROFILE).tensors), 23)

    def test_reader_of_arrays(self):
        arrays = [np.ones((1, n), np.float32) for n in (8000, 9000)]
        stats = tare.calibrate(DIGITS / "digits-conv.onnx", Reader(arrays), {"samples": (400, 8000, 9000)})
        self.assertEqual(stats.samples, [2])

    def test_profiles_of_data(self):
        """Data that are read once are kept until they are calibrated."""
        expected = self.saved(list(sentences()), None)
        for name, form in {"generator": sentences(), "reader": Reader(sentences()),
                           "rewound": Rewound(sentences()), "loader": Loader(sentences())}.items():
            with self.subTest(name):
                self.assertEqual(self.saved(form, None), expected)

    def test_once(self):
        data = tare.Data(sentences())
        tare.calibrate(MODEL, data, PROFILE)
        self.refuses(tare.UsageError, "can be read only once", tare.calibrate, MODEL, data, PROFILE)

    def test_parts(self):
        stats = tare.calibrate(MODEL, tare.Data(sentences(), limit=3), PROFILE)
        self.assertEqual(stats.samples, [3])
        stats = tare.calibrate(MODEL, list(sentences()), PROFILE, samples=5, seed=2)
        self.assertEqual(stats.samples, [5])
        stats = tare.calibrate(MODEL, sentences(), PROFILE, samples=5, stratify="length")
        self.assertEqual(stats.samples, [5])


class WrongTest(TestCase):
    def wrong(self, sample, part, kind=tare.InputError, **options):
        data = tare.Data([*sentences(2), sample], **options)
        self.refuses(kind, part, tare.calibrate, MODEL, data, PROFILE)

    def test_names(self):
        ids = np.ones((1, 3), np.int64)
        self.wrong({"input_ids": ids, "atention_mask": ids},
                   "data[2]: no input 'attention_mask': the sample has 'input_ids', 'atention_mask' "
                   "(did 'atention_mask' mean it?)")
        self.wrong({}, "no input 'input_ids': the sample has nothing")
        self.wrong((ids,), "has 1 arrays, expected 2: 'input_ids', 'attention_mask'")
        self.wrong((ids, ids, ids), "(labels=True if the last one is the label)")
        self.wrong(ids, "is one ndarray, but the model has 2 inputs")

    def test_values(self):
        ids = np.ones((1, 3), np.int64)
        self.wrong((ids + 0.5, ids), "input 'input_ids': value 1.5 at element 0 is not an integer")
        self.wrong((ids, np.full((1, 3), np.nan)), "input 'attention_mask': value nan at element 0")
        self.wrong((np.array(["a"]), ids), "input 'input_ids': element type <U1 is not a type of")
        self.wrong((object(), ids), "input 'input_ids': element type object is not a type of")
        self.wrong({"input_ids": [[1], [2, 3]], "attention_mask": ids}, "input 'input_ids': ")

    def test_shapes(self):
        ids = np.ones((1, 3), np.int64)
        self.wrong((ids[None], ids), "data of rank 3 does not match an input of rank 2")
        self.wrong((ids, np.ones((1, 4), np.int64)), "sequence", tare.ShapeError)
        self.wrong((ids[:, :0], ids), "sequence is 0 by axis 1", tare.ShapeError)
        self.wrong((ids[:, :0],) * 2, "outside every profile", tare.ShapeError)
        self.wrong((np.ones((1, 900), np.int64),) * 2, "outside every profile", tare.ShapeError)

    def test_named(self):
        self.wrong({}, "words[2]: ", name="words")

    def test_skipped(self):
        samples = [*sentences(3), {"input_ids": 1}, *sentences(3, seed=9)]
        for data in (samples, iter(samples)):
            stats, told = self.warned(tare.calibrate, MODEL, tare.Data(data, skip_bad=True), PROFILE)
            self.assertEqual(stats.samples, [6])
            self.assertEqual(len(told), 1)
            self.assertIn("skipped: data[3]: no input 'attention_mask'", told[0])

    def test_ignored_keys(self):
        samples = [{**sample, "token_type_ids": 0} for sample in sentences()]
        _, told = self.warned(tare.calibrate, MODEL, samples, PROFILE)
        self.assertEqual(told, ["samples have 'token_type_ids', which the model does not take: "
                                "ignored"])

    def test_no_data(self):
        self.refuses(tare.InputError, "no usable sample", tare.calibrate, MODEL, iter(()), PROFILE)
        self.refuses(tare.InputError, "holds no samples", tare.calibrate, MODEL, (), PROFILE)
        self.refuses(tare.InputError, "no usable sample", tare.calibrate, MODEL, iter(()))
        self.refuses(tare.InputError, "nowhere.h5", tare.calibrate, MODEL, "nowhere.h5", PROFILE)
        for none in (None, 5, {"input_ids": 1}, np.zeros(3), ["a.h5", 5]):
            self.refuses(tare.UsageError, "data: ", tare.calibrate, MODEL, none, PROFILE)

    def test_options(self):
        self.refuses(tare.UsageError, "unknown option 'rates'", tare.Data, [], rates=3)
        self.refuses(tare.UsageError, "rate: only for files", tare.Data, [], rate=8000)
        self.refuses(tare.UsageError, "shard is 3, expected", tare.calibrate, MODEL,
                     tare.Data(list(sentences(2)), shard=3))

    def test_what_they_raise(self):
        def broken():
            yield from sentences(4)
            raise KeyError("lost")

        for profiles in (PROFILE, None):
            with self.assertRaises(KeyError):
                tare.calibrate(MODEL, broken(), profiles)


class LengthsTest(TestCase):
    """Samples that are left out by their lengths."""

    def lengths(self, data, model=MODEL):
        stats, told = self.warned(tare.calibrate, model, data)
        return stats.samples[0], told

    def test_samples(self):
        samples = list(sentences())
        lengths = sorted(one["input_ids"].shape[1] for one in samples)
        low, high = lengths[2], lengths[-3]
        kept = sum(low <= n <= high for n in lengths)
        shorter, longer = sum(n < low for n in lengths), sum(n > high for n in lengths)
        told = [f"left out: {shorter} of 12 samples shorter than sequence={low}",
                f"left out: {longer} of 12 samples longer than sequence={high}"]
        self.assertEqual(self.lengths(tare.Data(samples, min_length=low, max_length=high)),
                         (kept, told))
        self.assertEqual(self.lengths(tare.Data(samples, min_length={"sequence": low},
                                                max_length={"sequence": high})), (kept, told))

    def test_seconds(self):
        bounded = SOURCE / "tests" / "fixtures" / "bounded"
        data = tare.Data(bounded / "wav", min_length="100ms", max_length="1.5s")
        self.assertEqual(self.lengths(data, bounded / "wave.onnx"),
                         (2, ["left out: 1 of 4 samples shorter than 0.1s",
                              "left out: 1 of 4 samples longer than 1.5s"]))

    def test_usage(self):
        samples = list(sentences())
        for wrong in ("long", "5", 1.5, "xs"):
            self.refuses(tare.UsageError, "min_length is", tare.calibrate, MODEL,
                         tare.Data(samples, min_length=wrong))
        self.refuses(tare.UsageError, "no input has symbol 'q'", tare.calibrate, MODEL,
                     tare.Data(samples, max_length={"q": 3}))
        self.refuses(tare.UsageError, "are for audio", tare.calibrate, MODEL,
                     tare.Data(samples, max_length="3s"))


if __name__ == "__main__":
    unittest.main()
