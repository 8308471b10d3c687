"""ONNX files of numpy arrays, with the messages that fixtures are made of."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures"))
from onnx_wire import BOOL, FLOAT, INT64, model, node, port, raw_tensor  # noqa: E402, F401

DTYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64, np.dtype(np.bool_): BOOL}


def tensor(name, array):
    array = np.asarray(array)
    return raw_tensor(name, array.shape, DTYPES[array.dtype], array.tobytes())
