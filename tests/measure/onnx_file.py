"""Writes ONNX files with Python and numpy alone: messages of protobuf, field by field (onnx.proto)."""
import struct

import numpy as np

DTYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7, np.dtype(np.bool_): 9}
FLOAT, INT64, BOOL = 1, 7, 9


def varint(n):
    out = b""
    n &= (1 << 64) - 1
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def tensor(name, array):
    array = np.asarray(array)
    head = b"".join(number(1, d) for d in array.shape) + number(2, DTYPES[array.dtype])
    return head + text(8, name) + text(9, array.tobytes())


def attribute(name, value):
    if isinstance(value, float):
        return text(1, name) + real(2, value) + number(20, 1)
    if isinstance(value, int):
        return text(1, name) + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return text(1, name) + text(4, value) + number(20, 3)
    return text(1, name) + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, output, attributes):
    parts = [text(1, i) for i in inputs] + [text(2, output), text(3, output), text(4, op)]
    return b"".join(parts + [text(5, attribute(*a)) for a in attributes.items()])


def port(name, dtype, dims):
    """dims: numbers, and names of those that are not fixed."""
    shape = b"".join(text(1, number(1, d) if isinstance(d, int) else text(2, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, dtype) + text(2, shape)))


def model(nodes, constants, inputs, outputs, opset):
    graph = b"".join(text(1, n) for n in nodes) + text(2, "g")
    graph += b"".join(text(5, c) for c in constants)
    graph += b"".join(text(11, i) for i in inputs) + b"".join(text(12, o) for o in outputs)
    return number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, opset))
