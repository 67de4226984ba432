# SPDX-License-Identifier: Apache-2.0
"""`spica network`: what becomes of each node of a model, what is refused, and how."""
import pathlib
import struct
import unittest

from spica_runner import folder, spica


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def field(number, value):
    """A field of a protocol buffer: an integer, text, or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, extents, value):
    count = 1
    for extent in extents:
        count *= extent
    return field(5, b"".join(field(1, extent) for extent in extents) + field(2, 1) + field(8, name) + field(9, struct.pack("<f", value) * count))


def input_of(name, extents):
    shape = b"".join(field(1, field(2 if isinstance(extent, str) else 1, extent)) for extent in extents)
    return field(11, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))


def node(operator, inputs, output):
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(3, "layer/" + output) + field(4, operator))


def model(path, *parts):
    graph = b"".join(parts) + field(12, field(1, "y"))
    pathlib.Path(path).write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))
    return str(path)


class NetworkList(unittest.TestCase):
    def layer(self, here, *last):
        return model(pathlib.Path(here) / "layer.onnx", input_of("x", ["batch", 4]), tensor("w", [4, 8], 0.5), tensor("b", [8], 1),
                     node("MatMul", ["x", "w"], "p"), node("Add", ["p", "b"], "q"), *last)

    def test_each_node_has_a_row(self):
        with folder() as here:
            result = spica("network", self.layer(here, node("Relu", ["q"], "y")), "--list", "--symbol", "batch=3")
            self.assertEqual(result.code, 0, result.text)
            rows = {line.split()[0]: " ".join(line.split()[2:]) for line in result.out.splitlines() if line.startswith("layer/")}
            self.assertEqual(rows, {"layer/p": "product 3x8x4 + bias, relu", "layer/q": "fused into layer/p", "layer/y": "fused into layer/p"})
            self.assertIn("3 nodes: 1 operators, 2 fused, 0 folded, 0 views", result.out)

    def test_symbols_that_are_not_set_are_listed(self):
        with folder() as here:
            result = spica("network", self.layer(here, node("Relu", ["q"], "y")))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("extents are not set: batch; set them with --symbol batch=N", result.text)

    def test_unsupported_nodes_are_reported_together(self):
        with folder() as here:
            file = self.layer(here, node("NonZero", ["q"], "n"), node("Frob", ["q"], "f"), node("Frob", ["f"], "y"))
            result = spica("network", file, "--shape", "x=3x4")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("node 'layer/n' (NonZero): its extents depend on values that are computed", result.text)
            self.assertIn("node 'layer/f' (Frob): unsupported operator (2 nodes)", result.text)
            self.assertIn("supported operators: Abs, Add,", result.text)

    def test_other_formats_are_refused_with_the_way_to_export(self):
        with folder() as here:
            path = pathlib.Path(here) / "model.pt"
            path.write_bytes(b"PK\x03\x04 a zip archive")
            result = spica("network", str(path))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("torch.onnx.export(model, inputs, 'model.onnx')", result.text)


if __name__ == "__main__":
    unittest.main()
