#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes large networks with random weights as ONNX files with external data, to measure `spica network` by.

Usage: large_networks.py {bert,llama,resnet} FOLDER [--layers N] [--tokens N] [--cache N] [--half]

bert    BERT-base: 12 layers, 768 wide, 12 heads, 110 M parameters; input ids
llama   TinyLlama: 22 layers, 2048 wide, 32 query and 4 key heads, 1.1 G parameters; with --cache N, --tokens 1 is a step behind N
        tokens
resnet  ResNet-50: 224x224 pixels, 25 M parameters
The file is FOLDER/model.onnx, its weights are FOLDER/weights.bin: FP32, or FP16 with --half (bert and llama).
"""
import argparse
import array
import math
import pathlib
import random

from onnx_writer import INT64, _field, model, node, tensor, value

FLOAT, HALF = 1, 10
TABLE = 1 << 20  # numbers from which weights are taken, at random places


class Weights:
    """The weights of a model, in a file of their own."""

    def __init__(self, file, half):
        self.file, self.half, self.initializers, self.at = file, half, [], 0
        self.tables, self.places = {}, random.Random(1)
        self.small = []

    def _table(self, scale):
        if scale not in self.tables:
            numbers = random.Random(2)
            values = [numbers.uniform(-scale, scale) for _ in range(TABLE)]
            if self.half:
                import struct
                self.tables[scale] = struct.pack(f"<{TABLE}e", *values)
            else:
                self.tables[scale] = array.array("f", values).tobytes()
        return self.tables[scale]

    def random(self, name, *extents, scale=None):
        size = 2 if self.half else 4
        table = self._table(scale or round(1.7 / math.sqrt(extents[0] if len(extents) == 2 else math.prod(extents[1:])), 6))
        count = math.prod(extents)
        external = {"location": self.file.name, "offset": str(self.at), "length": str(count * size)}
        self.initializers.append(b"".join(_field(1, one) for one in extents) + _field(2, HALF if self.half else FLOAT) + _field(8, name) +
                                 b"".join(_field(13, _field(1, key) + _field(2, text)) for key, text in external.items()) + _field(14, 1))
        for begin in range(0, count, TABLE):
            part = min(TABLE, count - begin) * size
            start = self.places.randrange(TABLE) * size
            piece = table[start:start + part]
            self.file.write(piece + table[:part - len(piece)])
        self.at += count * size
        return name

    def ones(self, name, count):
        return self.constant(name, [count], [1.0] * count)

    def constant(self, name, extents, values, type=FLOAT):
        if self.half and type == FLOAT:
            import struct
            self.initializers.append(b"".join(_field(1, one) for one in extents) + _field(2, HALF) + _field(8, name) +
                                     _field(9, struct.pack(f"<{len(values)}e", *values)))
        else:
            self.initializers.append(tensor(name, extents, values, type))
        return name


def bert(weights, layers, tokens, **_):
    width, heads, inner = 768, 12, 3072
    nodes = []

    def add(type, inputs, name, **attributes):
        nodes.append(node(type, inputs, [name], **attributes))
        return name

    def linear(x, name, rows, columns):
        product = add("MatMul", [x, weights.random(name + ".weight", rows, columns)], name + "/MatMul")
        return add("Add", [product, weights.random(name + ".bias", columns, scale=0.1)], name + "/Add")

    def normal(x, name):
        return add("LayerNormalization", [x, weights.ones(name + ".weight", width), weights.random(name + ".bias", width, scale=0.1)],
                   name + "/LayerNorm", axis=-1, epsilon=1e-12)

    def split(x, perm):
        return add("Transpose", [add("Reshape", [x, "split"], x + "/Reshape")], x + "/Transpose", perm=perm)

    weights.constant("split", [4], [0, 0, heads, width // heads], INT64)
    weights.constant("merge", [3], [0, 0, width], INT64)
    weights.constant("scale", [], [math.sqrt(width // heads)])
    weights.constant("half", [], [0.5])
    weights.constant("one", [], [1.0])
    weights.constant("root", [], [math.sqrt(2.0)])
    x = add("Gather", [weights.random("words", 30522, width, scale=0.5), "ids"], "/embeddings/Gather")
    x = add("Add", [x, weights.random("positions", tokens, width, scale=0.5)], "/embeddings/Add")
    x = normal(x, "/embeddings")
    for layer in range(layers):
        at = f"/encoder/layer.{layer}"
        q, k, v = (split(linear(x, f"{at}/attention/{name}", width, width), perm)
                   for name, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])))
        scores = add("Div", [add("MatMul", [q, k], at + "/attention/scores/MatMul"), "scale"], at + "/attention/scores/Div")
        mixed = add("MatMul", [add("Softmax", [scores], at + "/attention/Softmax", axis=-1), v], at + "/attention/mix/MatMul")
        mixed = add("Reshape", [add("Transpose", [mixed], at + "/attention/mix/Transpose", perm=[0, 2, 1, 3]), "merge"], at + "/attention/mix/Reshape")
        x = normal(add("Add", [linear(mixed, at + "/attention/output", width, width), x], at + "/attention/Add"), at + "/attention/output_norm")
        a = linear(x, at + "/intermediate", width, inner)
        erf = add("Erf", [add("Div", [a, "root"], at + "/gelu/Div")], at + "/gelu/Erf")
        gelu = add("Mul", [add("Mul", [a, add("Add", [erf, "one"], at + "/gelu/Add")], at + "/gelu/Mul"), "half"], at + "/gelu/Mul_1")
        x = normal(add("Add", [linear(gelu, at + "/output", inner, width), x], at + "/Add"), at + "/output_norm")
    return model(nodes, weights.initializers, [value("ids", [1, tokens], INT64)], [value(x, [1, tokens, width])])


def llama(weights, layers, tokens, cache, **_):
    width, heads, keys, inner, words = 2048, 32, 4, 5632, 32000
    size, nodes = width // heads, []
    kind = HALF if weights.half else FLOAT

    def add(type, inputs, name, **attributes):
        nodes.append(node(type, inputs, [name], **attributes))
        return name

    def linear(x, name, rows, columns):
        return add("MatMul", [x, weights.random(name + ".weight", rows, columns)], name + "/MatMul")

    def normal(x, name):
        square = add("Pow", [x, "two"], name + "/Pow")
        mean = add("ReduceMean", [square], name + "/ReduceMean", axes=[-1], keepdims=1)
        root = add("Sqrt", [add("Add", [mean, "epsilon"], name + "/Add")], name + "/Sqrt")
        return add("Mul", [weights.ones(name + ".weight", width), add("Mul", [x, add("Reciprocal", [root], name + "/Reciprocal")], name + "/Mul")], name + "/Mul_1")

    def rotary(x, name):
        low = add("Slice", [x, "zero", "middle", "last"], name + "/Slice")
        high = add("Slice", [x, "middle", "end", "last"], name + "/Slice_1")
        turned = add("Concat", [add("Neg", [high], name + "/Neg"), low], name + "/Concat", axis=-1)
        return add("Add", [add("Mul", [x, "cos"], name + "/Mul"), add("Mul", [turned, "sin"], name + "/Mul_1")], name + "/Add")

    def split(x, count):
        weights.constant(f"{x}/shape", [4], [1, tokens, count, size], INT64)
        return add("Transpose", [add("Reshape", [x, f"{x}/shape"], x + "/Reshape")], x + "/Transpose", perm=[0, 2, 1, 3])

    def repeated(x, name, length):
        weights.constant(name + "/expand", [5], [1, keys, heads // keys, length, size], INT64)
        weights.constant(name + "/flat", [4], [1, heads, length, size], INT64)
        wide = add("Expand", [add("Unsqueeze", [x, "two_axis"], name + "/Unsqueeze"), name + "/expand"], name + "/Expand")
        return add("Reshape", [wide, name + "/flat"], name + "/Reshape")

    weights.constant("two", [], [2.0])
    weights.constant("epsilon", [], [1e-5])
    weights.constant("zero", [1], [0], INT64)
    weights.constant("middle", [1], [size // 2], INT64)
    weights.constant("end", [1], [size], INT64)
    weights.constant("last", [1], [3], INT64)
    weights.constant("two_axis", [1], [2], INT64)
    weights.constant("merge", [3], [1, tokens, width], INT64)
    weights.constant("scale", [], [math.sqrt(size)])
    angles = [(cache + t) / 10000 ** (2 * (i % (size // 2)) / size) for t in range(tokens) for i in range(size)]
    weights.constant("cos", [1, 1, tokens, size], [math.cos(one) for one in angles])
    weights.constant("sin", [1, 1, tokens, size], [math.sin(one) for one in angles])
    total = cache + tokens
    weights.constant("mask", [1, 1, tokens, total], [0.0 if c <= cache + r else -1e4 for r in range(tokens) for c in range(total)])
    inputs, outputs = [value("ids", [1, tokens], INT64)], []
    x = add("Gather", [weights.random("words", words, width, scale=0.5), "ids"], "/embed_tokens/Gather")
    for layer in range(layers):
        at = f"/layers.{layer}"
        a = normal(x, at + "/input_norm")
        q = rotary(split(linear(a, at + "/attn/q_proj", width, width), heads), at + "/attn/q_rotary")
        k = rotary(split(linear(a, at + "/attn/k_proj", width, keys * size), keys), at + "/attn/k_rotary")
        v = split(linear(a, at + "/attn/v_proj", width, keys * size), keys)
        if cache:
            inputs += [value(f"past_key.{layer}", [1, keys, cache, size], kind), value(f"past_value.{layer}", [1, keys, cache, size], kind)]
            k = add("Concat", [f"past_key.{layer}", k], at + "/attn/key/Concat", axis=2)
            v = add("Concat", [f"past_value.{layer}", v], at + "/attn/value/Concat", axis=2)
        outputs += [value(k, [1, keys, total, size], kind), value(v, [1, keys, total, size], kind)]
        turned = add("Transpose", [repeated(k, at + "/attn/repeat_k", total)], at + "/attn/key/Transpose", perm=[0, 1, 3, 2])
        scores = add("Div", [add("MatMul", [q, turned], at + "/attn/scores/MatMul"), "scale"], at + "/attn/scores/Div")
        weights_of = add("Softmax", [add("Add", [scores, "mask"], at + "/attn/Add")], at + "/attn/Softmax", axis=-1)
        mixed = add("MatMul", [weights_of, repeated(v, at + "/attn/repeat_v", total)], at + "/attn/mix/MatMul")
        mixed = add("Reshape", [add("Transpose", [mixed], at + "/attn/mix/Transpose", perm=[0, 2, 1, 3]), "merge"], at + "/attn/mix/Reshape")
        x = add("Add", [x, linear(mixed, at + "/attn/o_proj", width, width)], at + "/Add")
        b = normal(x, at + "/post_norm")
        gate = linear(b, at + "/mlp/gate_proj", width, inner)
        silu = add("Mul", [gate, add("Sigmoid", [gate], at + "/mlp/Sigmoid")], at + "/mlp/Mul")
        gated = add("Mul", [silu, linear(b, at + "/mlp/up_proj", width, inner)], at + "/mlp/Mul_1")
        x = add("Add", [x, linear(gated, at + "/mlp/down_proj", inner, width)], at + "/Add_1")
    logits = linear(normal(x, "/norm"), "/lm_head", width, words)
    return model(nodes, weights.initializers, inputs, [value(logits, [1, tokens, words], kind)] + outputs)


def resnet(weights, **_):
    nodes = []

    def conv(x, name, inside, outside, size, stride, relu=True):
        weight = weights.random(name + ".weight", outside, inside, size, size)
        nodes.append(node("Conv", [x, weight, weights.random(name + ".bias", outside, scale=0.1)], [name + "/Conv"], kernel_shape=[size, size], strides=[stride, stride],
                          pads=[size // 2] * 4))
        if relu:
            nodes.append(node("Relu", [name + "/Conv"], [name + "/Relu"]))
        return name + ("/Relu" if relu else "/Conv")

    x = conv("image", "/stem", 3, 64, 7, 2)
    nodes.append(node("MaxPool", [x], ["/stem/MaxPool"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
    x, inside = "/stem/MaxPool", 64
    for stage, (width, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
        for block in range(count):
            at, stride = f"/layer{stage}.{block}", 2 if block == 0 and stage > 1 else 1
            a = conv(conv(x, at + "/conv1", inside, width, 1, 1), at + "/conv2", width, width, 3, stride)
            a = conv(a, at + "/conv3", width, 4 * width, 1, 1, relu=False)
            short = conv(x, at + "/downsample", inside, 4 * width, 1, stride, relu=False) if block == 0 else x
            nodes.append(node("Add", [a, short], [at + "/Add"]))
            nodes.append(node("Relu", [at + "/Add"], [at + "/Relu"]))
            x, inside = at + "/Relu", 4 * width
    nodes.append(node("GlobalAveragePool", [x], ["/pool/GlobalAveragePool"]))
    nodes.append(node("Flatten", ["/pool/GlobalAveragePool"], ["/pool/Flatten"]))
    nodes.append(node("Gemm", ["/pool/Flatten", weights.random("/fc.weight", 1000, 2048), weights.random("/fc.bias", 1000, scale=0.1)], ["logits"], name="/fc/Gemm", transB=1))
    return model(nodes, weights.initializers, [value("image", [1, 3, 224, 224])], [value("logits", [1, 1000])])


def main():
    networks = {"bert": (bert, 12, 128), "llama": (llama, 22, 128), "resnet": (resnet, 0, 0)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=networks)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--cache", type=int, default=0)
    parser.add_argument("--half", action="store_true")
    asked = parser.parse_args()
    make, layers, tokens = networks[asked.network]
    asked.folder.mkdir(parents=True, exist_ok=True)
    with open(asked.folder / "weights.bin", "wb") as file:
        named = Weights(file, asked.half)
        file_name = pathlib.Path(file.name).name
        named.file = type("Named", (), {"name": file_name, "write": staticmethod(file.write)})
        data = make(named, layers=asked.layers or layers, tokens=asked.tokens or tokens, cache=asked.cache)
    (asked.folder / "model.onnx").write_bytes(data)


if __name__ == "__main__":
    main()
