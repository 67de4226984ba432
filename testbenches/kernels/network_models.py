# SPDX-License-Identifier: Apache-2.0
"""Small neural networks as ONNX files."""
import random

from onnx_writer import INT64, model, node, tensor, value

WIDTH, WORDS, HEADS = 32, 20, 2


def numbers(count, seed, scale=0.2):
    random.seed(seed)
    return [random.uniform(-scale, scale) for _ in range(count)]


def encoder(path):
    """A layer of a transformer with a mask, as an exporter writes it, and a classifier."""
    weights, nodes = [], []

    def weight(name, *extents):
        count = 1
        for extent in extents:
            count *= extent
        weights.append(tensor(name, extents, numbers(count, name)))
        return name

    def linear(x, name, rows, columns):
        nodes.append(node("MatMul", [x, weight(f"{name}.w", rows, columns)], [f"{name}.product"]))
        nodes.append(node("Add", [f"{name}.product", weight(f"{name}.b", columns)], [name]))
        return name

    def heads(x, order):
        nodes.append(node("Reshape", [x, "split"], [f"{x}.split"]))
        nodes.append(node("Transpose", [f"{x}.split"], [f"{x}.heads"], perm=order))
        return f"{x}.heads"

    weights.append(tensor("split", [4], [0, 0, HEADS, WIDTH // HEADS], INT64))
    weights.append(tensor("merge", [3], [0, 0, WIDTH], INT64))
    nodes.append(node("Gather", [weight("table", 50, WIDTH), "ids"], ["x"]))
    q, k, v = (heads(linear("x", name, WIDTH, WIDTH), order)
               for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])))
    weights.append(tensor("scale", [], [4.0]))
    nodes.append(node("MatMul", [q, k], ["scores"]))
    nodes.append(node("Div", ["scores", "scale"], ["scaled"]))
    nodes.append(node("Add", ["scaled", "mask"], ["masked"]))
    nodes.append(node("Softmax", ["masked"], ["weights"], axis=-1))
    nodes.append(node("MatMul", ["weights", v], ["mixed"]))
    nodes.append(node("Transpose", ["mixed"], ["back"], perm=[0, 2, 1, 3]))
    nodes.append(node("Reshape", ["back", "merge"], ["joined"]))
    nodes.append(node("Add", [linear("joined", "o", WIDTH, WIDTH), "x"], ["sum"]))
    nodes.append(node("LayerNormalization", ["sum", weight("g", WIDTH), weight("h", WIDTH)], ["normal"], axis=-1, epsilon=1e-5))
    nodes.append(node("Tanh", [linear("normal", "out", WIDTH, 7)], ["y"]))
    path.write_bytes(model(nodes, weights, [value("ids", ["batch", "words"], INT64), value("mask", ["batch", 1, 1, "words"])],
                           [value("y", ["batch", "words", 7])]))


def pictures(path):
    """Convolutions with stride, groups and a residual, pooling, a classifier."""
    weights = [tensor("w1", [8, 3, 3, 3], numbers(216, 1)), tensor("b1", [8], numbers(8, 2)), tensor("w2", [8, 1, 3, 3], numbers(72, 3)),
               tensor("w3", [8, 8, 1, 1], numbers(64, 4)), tensor("w4", [5, 8], numbers(40, 5)), tensor("b4", [5], numbers(5, 6))]
    nodes = [node("Conv", ["x", "w1", "b1"], ["c1"], strides=[2, 2], pads=[1, 1, 1, 1]), node("Relu", ["c1"], ["r1"]),
             node("Conv", ["r1", "w2"], ["c2"], group=8, pads=[1, 1, 1, 1]), node("Conv", ["c2", "w3"], ["c3"]),
             node("Add", ["c3", "r1"], ["sum"]), node("Relu", ["sum"], ["r3"]),
             node("MaxPool", ["r3"], ["p"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
             node("GlobalAveragePool", ["p"], ["mean"]), node("Flatten", ["mean"], ["flat"]),
             node("Gemm", ["flat", "w4", "b4"], ["y"], transB=1)]
    path.write_bytes(model(nodes, weights, [value("x", ["n", 3, 11, 9])], [value("y", ["n", 5])]))


def layers(path, count):
    """Equal blocks behind each other."""
    weights, nodes, x = [], [], "x"
    for layer in range(count):
        a, b, c, d, e = (f"{letter}{layer}" for letter in "abcde")
        weights += [tensor(f"g{layer}", [32], numbers(32, a)), tensor(f"h{layer}", [32], numbers(32, b)),
                    tensor(f"v{layer}", [32, 64], numbers(2048, c)), tensor(f"w{layer}", [64, 32], numbers(2048, d))]
        nodes += [node("LayerNormalization", [x, f"g{layer}", f"h{layer}"], [a], axis=-1), node("MatMul", [a, f"v{layer}"], [b]),
                  node("Sigmoid", [b], [c]), node("MatMul", [c, f"w{layer}"], [d]), node("Add", [d, x], [e])]
        x = e
    path.write_bytes(model(nodes, weights, [value("x", [24, 32])], [value(x, [24, 32])]))

# Options that fix the extents.
SHAPES = {encoder: ("--symbol", f"batch=1,words={WORDS}"), pictures: ("--shape", "x=2x3x11x9")}
