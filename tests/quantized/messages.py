"""Messages of ONNX files that quantized models need: nodes of several outputs and domains, bodies, tensors of bytes."""
import sys
import pathlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fixtures"))
from onnx_wire import attribute, number, port, raw_tensor, text

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float64": 11}


def code(array):
    return TYPES[np.asarray(array).dtype.name]


def constant(name, array):
    array = np.asarray(array)
    return raw_tensor(name, array.shape, code(array), array.tobytes())


class Graph:
    """Nodes and constants; also a body of a node."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, array):
        self.constants.append(constant(name, array))
        return name

    def node(self, op, inputs, outputs, domain="", **attributes):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        message = b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs)
        message += text(3, "n_" + outputs[0]) + text(4, op)
        for name, value in attributes.items():
            if isinstance(value, np.ndarray):
                message += text(5, text(1, name) + text(5, constant("", value)) + number(20, 4))
            elif isinstance(value, bytes):
                message += text(5, text(1, name) + text(6, value) + number(20, 5))
            else:
                message += text(5, attribute(name, value))
        self.nodes.append(message + (text(7, domain) if domain else b""))
        return outputs[0]

    def message(self, name, inputs, outputs):
        """inputs and outputs: (name, dims, type)"""
        graph = b"".join(text(1, n) for n in self.nodes) + text(2, name)
        graph += b"".join(text(5, c) for c in self.constants)
        graph += b"".join(text(11, port(*i)) for i in inputs)
        return graph + b"".join(text(12, port(*o)) for o in outputs)


def write(path, graph, inputs, outputs, opset=21):
    opsets = text(8, text(1, "") + number(2, opset)) + text(8, text(1, "com.microsoft") + number(2, 1))
    message = number(1, 10) + text(7, graph.message("model", inputs, outputs)) + opsets
    pathlib.Path(path).write_bytes(message)
