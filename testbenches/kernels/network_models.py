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


class Writer:
    """Nodes and weights of a network, whose values are numbered."""

    def __init__(self, seed):
        self.weights, self.nodes, self.inputs, self.outputs, self.seed = [], [], [], [], seed

    def new(self):
        self.seed += 1
        return f"v{self.seed}"

    def weight(self, *extents, scale=0.3):
        name, count = self.new(), 1
        for extent in extents:
            count *= extent
        self.weights.append(tensor(name, extents, numbers(count, name, scale)))
        return name

    def constant(self, extents, values, kind=None):
        name = self.new()
        self.weights.append(tensor(name, extents, values, *([kind] if kind else [])))
        return name

    def integers(self, *values):
        return self.constant([len(values)], values, INT64)

    def add(self, operator, inputs, outputs=1, **attributes):
        names = [self.new() for _ in range(outputs)]
        self.nodes.append(node(operator, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def input(self, name, extents, *kind):
        self.inputs.append(value(name, extents, *kind))
        return name

    def output(self, name, extents, *kind):
        self.outputs.append(value(name, extents, *kind))

    def write(self, path, opset=17):
        path.write_bytes(model(self.nodes, self.weights, self.inputs, self.outputs, opset=opset))


def sequences(path):
    """A tagger: an LSTM of both directions, a GRU, logarithms of probabilities."""
    w, width, hidden = Writer(0), 8, 6
    ids = w.input("ids", [1, 5], INT64)
    x = w.add("Transpose", [w.add("Gather", [w.weight(20, width), ids])], perm=[1, 0, 2])
    y, _, _ = w.add("LSTM", [x, w.weight(2, 4 * hidden, width), w.weight(2, 4 * hidden, hidden), w.weight(2, 8 * hidden)], 3,
                    direction="bidirectional", hidden_size=hidden)
    y = w.add("Reshape", [w.add("Transpose", [y], perm=[0, 2, 1, 3]), w.integers(5, 1, 2 * hidden)])
    y, state = w.add("GRU", [y, w.weight(1, 3 * hidden, 2 * hidden), w.weight(1, 3 * hidden, hidden), w.weight(1, 6 * hidden)], 2,
                     hidden_size=hidden, linear_before_reset=1)
    _, other = w.add("GRU", [x, w.weight(1, 3 * hidden, width), w.weight(1, 3 * hidden, hidden)], 2, hidden_size=hidden,
                     direction="reverse")
    w.output(w.add("LogSoftmax", [w.add("Squeeze", [y, w.integers(1)])], axis=-1), [5, 1, hidden])
    w.output(w.add("Add", [state, other]), [1, 1, hidden])
    w.write(path)


def upsampling(path):
    """Down and up again: convolutions, pooling, resizing, a transposed convolution, padding, joined channels."""
    w = Writer(0)
    x = w.input("x", [1, 2, 12, 10])
    a = w.add("Elu", [w.add("Conv", [x, w.weight(6, 2, 3, 3), w.weight(6)], pads=[1, 1, 1, 1])])
    p = w.add("AveragePool", [a], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1)
    b = w.add("Mish", [w.add("Conv", [p, w.weight(4, 6, 1, 1)])])
    up = w.add("Resize", [b, "", w.constant([4], [1.0, 1.0, 2.0, 2.0])], mode="nearest", nearest_mode="floor",
               coordinate_transformation_mode="asymmetric")
    other = w.add("Resize", [b, "", "", w.integers(1, 4, 12, 10)], mode="linear")
    joined = w.add("Concat", [w.add("Slice", [up, w.integers(0, 0), w.integers(12, 10), w.integers(2, 3)]), other, a], axis=1)
    y = w.add("ConvTranspose", [joined, w.weight(14, 3, 4, 4), w.weight(3)], strides=[2, 2], pads=[1, 1, 1, 1])
    y = w.add("Pad", [w.add("Selu", [y]), w.integers(0, 0, 1, 2, 0, 0, 1, 2)], mode="reflect")
    w.output(w.add("InstanceNormalization", [y, w.weight(3), w.weight(3)]), [1, 3, 26, 24])
    w.write(path)


def selections(path):
    """Indices and integers: experts with the largest gates, running sums, gathering and scattering."""
    w = Writer(0)
    x, i = w.input("x", [3, 4, 5]), w.input("i", [3, 2, 5], INT64)
    gate, places = w.add("TopK", [w.add("ReduceLogSumExp", [x], axes=[2], keepdims=0), w.integers(2)], 2)
    hot = w.add("OneHot", [places, w.constant([], [4], INT64), w.constant([2], [0.0, 1.0])])
    weights = w.add("ReduceSum", [w.add("Mul", [hot, w.add("Unsqueeze", [w.add("Softmax", [gate]), w.integers(2)])]), w.integers(1)],
                    keepdims=0)
    mixed = w.add("Einsum", [weights, w.weight(4, 5)], equation="ne,ed->nd")
    rows = w.add("GatherND", [x, w.constant([2, 2], [0, 1, 2, -1], INT64)])
    scattered = w.add("ScatterElements", [x, w.constant([3, 1, 5], [2] * 15, INT64), w.weight(3, 1, 5)], axis=1)
    scattered = w.add("ScatterND", [scattered, w.constant([1, 2], [1, 3], INT64), w.weight(1, 5)])
    counts = w.add("CumSum", [w.add("ReduceSum", [i, w.integers(1)], keepdims=0), w.constant([], [1], INT64)], reverse=1)
    odd = w.add("Where", [w.add("Equal", [w.add("Mod", [counts, w.integers(2)]), w.integers(1)]), counts, w.integers(-1)])
    for one, *shape in ((mixed, [3, 5]), (rows, [2, 5]), (scattered, [3, 4, 5]), (odd, [3, 5], INT64),
                        (w.add("GatherElements", [x, i], axis=1), [3, 2, 5]), (w.add("Trilu", [x]), [3, 4, 5]),
                        (w.add("Pow", [x, w.constant([], [3], INT64)]), [3, 4, 5]), (w.add("ArgMin", [x], axis=1), [3, 1, 5], INT64),
                        (w.add("Pad", [x, w.integers(1, 0, 1, 0, 2, 0)], mode="edge"), [4, 6, 6])):
        w.output(one, *shape)
    w.write(path)


# Options that fix the extents.
SHAPES = {encoder: ("--symbol", f"batch=1,words={WORDS}"), pictures: ("--shape", "x=2x3x11x9"), sequences: (), upsampling: (),
          selections: ()}
