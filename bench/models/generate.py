#!/usr/bin/python3
"""Writes the models of the benchmarks, NAME_FORM.onnx each.

usage: generate.py FOLDER [NAME...]
       names: bert-mini bert-base quartznet wav2vec2 convs convs-2d recurrent recurrent-small
              products moves singles relative spectral-nets idiom-nets chain-nets
              audio-nets text-nets
              (default: all)
"""
import os
import sys

import audio_nets
import chain_nets
import idiom_nets
import moves
import networks
import operators
import relative
import singles
import spectral_nets
import text_nets


def write_convs(folder):
    for name in operators.CONVS:
        for form in ("f32", "qdq"):
            operators.conv(name, form, f"{folder}/{name}_{form}.onnx")


def write_convs_2d(folder):
    for name in operators.CONVS_2D:
        for form in ("f32", "qdq"):
            operators.conv_2d(name, form, f"{folder}/{name}_{form}.onnx")


def write_recurrent(folder):
    for hidden in (128, 256, 512, 768):
        for directions in (1, 2):
            for kind, form in (("LSTM", "f32"), ("LSTM", "dyn"), ("GRU", "f32")):
                name = f"{'bi' * (directions - 1)}{kind.lower()}-{hidden}_{form}.onnx"
                operators.recurrent(kind, hidden, directions, form, f"{folder}/{name}")


def write_recurrent_small(folder):
    for hidden in (4, 8, 16, 32, 48, 64):
        for batch in (1, 8, 33):
            for kind in ("LSTM", "GRU"):
                name = f"small-{kind.lower()}-{hidden}x{batch}_f32.onnx"
                operators.recurrent(kind, hidden, 1, "f32", f"{folder}/{name}", batch)


def write_products(folder):
    for k, n in operators.PRODUCTS:
        operators.product(k, n, f"{folder}/product-{k}x{n}_qdq.onnx")


def writers():
    def network(name):
        make, forms = networks.NETWORKS[name]
        return lambda folder: [make(form, f"{folder}/{name}_{form}.onnx") for form in forms]
    return {**{name: network(name) for name in networks.NETWORKS},
            "convs": write_convs, "convs-2d": write_convs_2d, "recurrent": write_recurrent,
            "recurrent-small": write_recurrent_small,
            "products": write_products, "moves": moves.write, "singles": singles.write,
            "relative": relative.write,
            "spectral-nets": spectral_nets.write, "idiom-nets": idiom_nets.write,
            "chain-nets": chain_nets.write,
            "audio-nets": audio_nets.write, "text-nets": text_nets.write}


def main():
    known = writers()
    names = sys.argv[2:] or list(known)
    unknown = [name for name in names if name not in known]
    if len(sys.argv) < 2 or unknown or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} FOLDER [{' | '.join(known)}]...")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in names:
        known[name](sys.argv[1])


if __name__ == "__main__":
    main()
