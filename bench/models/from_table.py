#!/usr/bin/python3
"""Writes a model as a peer runs it in int8, with the ranges of one of tare's tables.

usage: from_table.py MODEL.onnx TABLE.json FORM OUT.onnx
       FORM: qdq   u8 at the inputs of convolutions and products with constant weights
             qdqf  the same at their outputs too, and around additions and products of attention
             dyn   products with constant weights as com.microsoft.DynamicQuantizeMatMul
The table must know all tensors: tare calibrate --all-tensors, tare table --method minmax.
"""
import json
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

from builder import MICROSOFT, Builder


class Rewriter:
    def __init__(self, model, table, form):
        self.graph = model.graph
        self.form = form
        self.ranges = {t["name"]: (min(t["min"][0], 0.0), max(t["max"][0], 0.0))
                       for t in table["tensors"] if t["amax"][0]}
        self.constants = {i.name: numpy_helper.to_array(i) for i in self.graph.initializer}
        self.constants.update({n.output[0]: numpy_helper.to_array(n.attribute[0].t)
                               for n in self.graph.node if n.op_type == "Constant"})
        self.nodes, self.new, self.real = [], [], {}
        self.consumers = {}
        for node in self.graph.node:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def constant(self, name, array):
        self.new.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def quantized(self, name):
        """The tensor as u8 and back; itself where the table has no range for it."""
        if name not in self.ranges or name in self.constants:
            return name
        if name not in self.real:
            low, high = self.ranges[name]
            scale = self.constant(name + ":scale", np.float32((high - low) / 255))
            zero = self.constant(name + ":zero", np.uint8(round(-low * 255 / (high - low))))
            self.real[name] = name + ":real"
            self.nodes += [
                helper.make_node("QuantizeLinear", [name, scale, zero], [name + ":u8"]),
                helper.make_node("DequantizeLinear", [name + ":u8", scale, zero], [name + ":real"])]
        return self.real[name]

    def scaled(self, name, q, scales):
        return [self.constant(name + ":q", q), self.constant(name + ":scales", scales),
                self.constant(name + ":zeros", np.zeros(len(scales), q.dtype))]

    def dequantize(self, name, q, scales, axis):
        inputs = self.scaled(name, q, scales)
        self.nodes.append(helper.make_node("DequantizeLinear", inputs, [name + ":real"], axis=axis))

    def weights(self, name, axis):
        if name not in self.real:
            self.real[name] = name + ":real"
            self.dequantize(name, *Builder.to_s8(self.constants[name], axis), axis)
        return self.real[name]

    def bias(self, name, x, w):
        """s32 at the scale of the products; itself where the input stays in float."""
        if x not in self.ranges:
            return name
        low, high = self.ranges[x]
        scales = Builder.to_s8(self.constants[w], 0)[1] * np.float32((high - low) / 255)
        q = np.round(self.constants[name] / scales).astype(np.int32)
        self.dequantize(name, q, scales, 0)
        return name + ":real"

    # --- nodes ------------------------------------------------------------------------------------

    def conv(self, node):
        x, w = node.input[0], node.input[1]
        if self.form == "dyn":
            return
        node.input[0] = self.quantized(x)
        node.input[1] = self.weights(w, 0)
        if len(node.input) > 2:
            node.input[2] = self.bias(node.input[2], x, w)

    def matmul(self, node):
        w = node.input[1]
        if w not in self.constants or self.constants[w].ndim != 2:
            if self.form == "qdqf":
                node.input[0], node.input[1] = self.quantized(node.input[0]), self.quantized(w)
            return
        if self.form == "dyn":
            self.dynamic(node)
            return
        node.input[0] = self.quantized(node.input[0])
        node.input[1] = self.weights(w, 1)

    def dynamic(self, node):
        q, scales = Builder.to_s8(self.constants[node.input[1]], 1)
        name = node.input[1]
        inputs = [node.input[0]] + self.scaled(name, q, scales)
        node.CopyFrom(helper.make_node("DynamicQuantizeMatMul", inputs, node.output, name=node.name,
                                       domain=MICROSOFT))

    def add(self, node):
        if self.form == "qdqf" and not any(name in self.constants for name in node.input):
            node.input[0], node.input[1] = (self.quantized(name) for name in node.input)

    def read_output(self, node):
        """In qdqf all readers of a product's or addition's result read it from u8, unless a Relu
        comes first: a peer fuses that into the scale."""
        out = node.output[0]
        readers = self.consumers.get(out, [])
        if self.form != "qdqf" or any(r.op_type == "Relu" for r in readers):
            return
        real = self.quantized(out)
        for reader in readers:
            for i, name in enumerate(reader.input):
                if name == out:
                    reader.input[i] = real

    def run(self):
        rules = {"Conv": self.conv, "MatMul": self.matmul, "Add": self.add}
        for node in self.graph.node:
            kind = node.op_type
            if kind in rules:
                rules[kind](node)
            self.nodes.append(node)
            if kind in rules or kind == "Relu":
                self.read_output(node)
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(self.new)


def main():
    if len(sys.argv) != 5 or sys.argv[3] not in ("qdq", "qdqf", "dyn"):
        sys.exit(__doc__)
    model = onnx.load(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        table = json.load(file)
    Rewriter(model, table, sys.argv[3]).run()
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    onnx.save(model, sys.argv[4])


if __name__ == "__main__":
    main()
