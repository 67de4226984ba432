# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files by the wire format of protocol buffers, for tests of networks."""
import struct

FLOAT, INT8, INT64 = 1, 3, 7
_CODES = {FLOAT: "f", INT8: "b", INT64: "q"}


def _varint(value):
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes(data) + bytes([value])


def _field(number, value):
    """An integer, or a message, text or bytes with its length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    value = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _float(number, value):
    return _varint(number << 3 | 5) + struct.pack("<f", value)


def tensor(name, extents, values, type=FLOAT):
    return b"".join(_field(1, extent) for extent in extents) + _field(2, type) + _field(8, name) + \
        _field(9, struct.pack(f"<{len(values)}{_CODES[type]}", *values))


def value(name, extents, type=FLOAT):
    """Extents: numbers, or names of symbols."""
    dims = b"".join(_field(1, _field(2 if isinstance(one, str) else 1, one)) for one in extents)
    return _field(1, name) + _field(2, _field(1, _field(1, type) + _field(2, dims)))


def attribute(name, given):
    if isinstance(given, float):
        return _field(1, name) + _float(2, given) + _field(20, 1)
    if isinstance(given, int):
        return _field(1, name) + _field(3, given) + _field(20, 2)
    if isinstance(given, str):
        return _field(1, name) + _field(4, given) + _field(20, 3)
    return _field(1, name) + b"".join(_field(8, one) for one in given) + _field(20, 7)


def node(type, inputs, outputs, name="", **attributes):
    return b"".join(_field(1, one) for one in inputs) + b"".join(_field(2, one) for one in outputs) + \
        _field(3, name or outputs[0]) + _field(4, type) + \
        b"".join(_field(5, attribute(key, one)) for key, one in attributes.items())


def model(nodes, initializers, inputs, outputs, opset=17):
    graph = b"".join(_field(1, one) for one in nodes) + _field(2, "graph") + \
        b"".join(_field(5, one) for one in initializers) + b"".join(_field(11, one) for one in inputs) + \
        b"".join(_field(12, one) for one in outputs)
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, opset))
