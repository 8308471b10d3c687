"""Scripts as people write them for TensorRT and ONNX Runtime."""

import os
import unittest

import numpy as np

import tare
import tare.compat.tensorrt as trt
from common import MODEL, PROFILE, TestCase, sentences
from tare.compat.onnxruntime import (CalibrationDataReader, CalibrationMethod, QuantFormat,
                                     QuantType, StaticQuantConfig, quantize, quantize_static)


class Calibrator(trt.IInt8EntropyCalibrator2):
    """As in TensorRT's samples, without the copy to the device."""

    def __init__(self, samples, cache_file):
        trt.IInt8EntropyCalibrator2.__init__(self)
        self.samples = iter(samples)
        self.cache_file = cache_file

    def get_batch_size(self):
        return 1

    def get_batch(self, names):
        try:
            sample = next(self.samples)
        except StopIteration:
            return None
        return [np.ascontiguousarray(sample[name]) for name in names]

    def read_calibration_cache(self):
        if os.path.exists(self.cache_file):
            with open(self.cache_file, "rb") as f:
                return f.read()
        return None

    def write_calibration_cache(self, cache):
        with open(self.cache_file, "wb") as f:
            f.write(cache)


class Pointers(Calibrator):
    def get_batch(self, names):
        return [140737488355328 for _ in names]


class TensorrtTest(TestCase):
    def calibrate(self, samples, kind=Calibrator, profiles=None):
        calibrator = kind(samples, self.folder / "calibration.cache")
        return self.warned(trt.calibrate, MODEL, calibrator, profiles)[0]

    def test_calibrator(self):
        table = self.calibrate(sentences())
        self.assertEqual(table.method, "entropy")
        cache = (self.folder / "calibration.cache").read_bytes()
        self.assertTrue(cache.startswith(b"TRT-"))
        self.assertIn(b"-EntropyCalibration2\n", cache)
        again = self.calibrate(())
        self.assertEqual(len(again), cache.count(b"\n") - 1)

    def test_minmax(self):
        class MinMax(trt.IInt8MinMaxCalibrator, Calibrator):
            pass

        table = self.calibrate(sentences(), MinMax)
        self.assertEqual(table.method, "minmax")
        self.assertEqual(trt.IInt8MinMaxCalibrator().get_algorithm(),
                         trt.CalibrationAlgoType.MINMAX_CALIBRATION)

    def test_plan(self):
        calibrator = Calibrator(sentences(), self.folder / "calibration.cache")
        plan, _ = self.warned(trt.build_plan, MODEL, calibrator, PROFILE)
        self.assertEqual(plan.run(next(sentences()))["logits"].shape[-1], 150)

    def test_wrong(self):
        self.refuses(tare.InputError, "takes no device pointers", self.calibrate, (), Pointers)
        self.refuses(tare.UsageError, "calibrator: expected a subclass", trt.calibrate, MODEL, [])

        class Short(Calibrator):
            def get_batch(self, names):
                return [np.ones((1, 3), np.int64)]

        self.refuses(tare.InputError, "returned 1 arrays, expected one for each of input_ids",
                     self.calibrate, (), Short)

        class Empty(trt.IInt8EntropyCalibrator2):
            pass

        with self.assertRaises(NotImplementedError):
            trt.calibrate(MODEL, Empty())


class Reader(CalibrationDataReader):
    def __init__(self, samples):
        self.enum_data = iter(list(samples))

    def get_next(self):
        return next(self.enum_data, None)


class OnnxRuntimeTest(TestCase):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "model.int8.onnx"

    def quantize(self, *arguments, **named):
        return self.warned(quantize_static, MODEL, self.output, Reader(sentences()), *arguments,
                           **named)

    def test_script(self):
        for method in (CalibrationMethod.MinMax, CalibrationMethod.Entropy,
                       CalibrationMethod.Percentile):
            written, _ = self.quantize(quant_format=QuantFormat.QDQ, per_channel=True,
                                       activation_type=QuantType.QUInt8,
                                       weight_type=QuantType.QInt8, calibrate_method=method)
            self.assertIn("int8", {layer.form for layer in written.layers})
            self.assertEqual(tare.check(self.output).errors, ())

    def test_model_object(self):
        class ModelProto:
            def SerializeToString(self):
                with open(MODEL, "rb") as file:
                    return file.read()

        config = StaticQuantConfig(Reader(sentences()))
        self.warned(quantize, ModelProto(), self.output, config)
        self.assertTrue(tare.Model(self.output).is_quantized)

    def test_choice_of_nodes(self):
        names = [layer.name for layer in self.quantize()[0].layers]
        forms = {layer.name: layer.form
                 for layer in self.quantize(nodes_to_exclude=[names[0]])[0].layers}
        self.assertEqual((forms[names[0]], forms[names[1]]), ("fp32", "int8"))
        forms = {layer.name: layer.form
                 for layer in self.quantize(nodes_to_quantize=[names[0]])[0].layers}
        self.assertEqual((forms[names[0]], forms[names[1]]), ("int8", "fp32"))
        written, told = self.quantize(op_types_to_quantize=["Conv", "Add"])
        self.assertNotIn("int8", {layer.form for layer in written.layers})
        self.assertTrue(any("op_types_to_quantize: Add stay float" in text for text in told))

    def test_external_data(self):
        self.assertTrue(self.quantize(use_external_data_format=True)[0].external_data)

    def test_what_is_named(self):
        for part, named in {
                "per_channel=False": {"per_channel": False},
                "reduce_range=True": {"reduce_range": True},
                "calibration_providers: CUDAExecutionProvider":
                    {"calibration_providers": ["CUDAExecutionProvider", "CPUExecutionProvider"]},
                "CalibMovingAverage=True": {"extra_options": {"CalibMovingAverage": True}},
                "WeightSymmetric=False": {"extra_options": {"WeightSymmetric": False}}}.items():
            with self.subTest(part):
                self.assertTrue(any(part in text for text in self.quantize(**named)[1]))

    def test_what_is_not(self):
        _, told = self.quantize(extra_options={"CalibMovingAverage": False, "WeightSymmetric": True,
                                               "CalibTensorRangeSymmetric": True})
        self.assertFalse([text for text in told if "extra_options" in text])

    def test_what_is_refused(self):
        for part, named in {
                "QOperator": {"quant_format": QuantFormat.QOperator},
                "calibrate_method: Distribution":
                    {"calibrate_method": CalibrationMethod.Distribution},
                "activation_type: QInt16": {"activation_type": QuantType.QInt16},
                "weight_type: QInt4": {"weight_type": QuantType.QInt4},
                "TensorQuantOverrides": {"extra_options": {"TensorQuantOverrides": {}}}}.items():
            with self.subTest(part):
                self.refuses(tare.UnsupportedError, part, self.quantize, **named)
        self.refuses(tare.UsageError, "unknown option 'CalibPercent'", self.quantize,
                     extra_options={"CalibPercent": 99})


if __name__ == "__main__":
    unittest.main()
