# SPDX-License-Identifier: Apache-2.0
"""Launches of the kernels of networks (sw/kernels/network) in one stream, with operands as lists of numbers."""
import itertools
import json
import math
import operator
import pathlib
import struct

RANK, OPERANDS, INTEGERS, SCALARS = 6, 6, 16, 4  # <spica/network.h>
FIRST = 0xA000_0000
CODES = {"fp32": "f", "fp16": "e", "int32": "i", "int8": "b", "uint8": "B", "bool": "B"}
FRACTION_BITS = {"fp32": 23, "fp16": 10, "bf16": 7}


def bytes_of(format, values):
    if format == "bf16":
        return b"".join(struct.pack("<f", rounded(format, value))[2:] for value in values)
    return struct.pack(f"<{len(values)}{CODES[format]}", *values)


def values_of(format, data):
    if format == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[at:at + 2])[0] for at in range(0, len(data), 2)]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(CODES[format])}{CODES[format]}", data))


def rounded(format, value):
    """The number of the format that memory has for it."""
    if format == "bf16":
        word = struct.unpack("<I", struct.pack("<f", value))[0]
        return struct.unpack("<f", struct.pack("<I", (word + 0x7FFF + (word >> 16 & 1)) & 0xFFFF0000))[0]
    return struct.unpack(f"<{CODES[format]}", struct.pack(f"<{CODES[format]}", value))[0]


def size_of(format):
    return 2 if format == "bf16" else struct.calcsize(CODES[format])


def unit(format, value):
    """The last place of a number of the format."""
    exponent = math.frexp(value)[1] - 1 if value != 0 else -126
    return 2.0 ** (max(exponent, -14 if format == "fp16" else -126) - FRACTION_BITS[format])


def dense(shape):
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    return [stride if extent > 1 else 0 for stride, extent in zip(strides, shape)]


class Operand:
    """Elements in memory and a view of them: strides by dimension, in elements, and the number of the first one."""

    def __init__(self, address, format, values, shape, strides=None, first=0):
        self.address, self.format, self.values, self.shape = address, format, values, list(shape)
        self.strides, self.first = dense(shape) if strides is None else list(strides), first

    def view(self, strides, first=0):
        return Operand(self.address, self.format, self.values, self.shape, strides, first)

    def at(self, index):
        return self.values[self.first + sum(map(operator.mul, index, self.strides))]


class Launches:
    """Collects operands and launches, runs them, and has what the results are."""

    def __init__(self, program, config, folder, sets=()):
        self.program, self.config, self.folder, self.sets = program, config, pathlib.Path(folder), sets
        self.image, self.steps, self.results = bytearray(), [], []

    def operand(self, format, values, shape=None):
        data = bytes_of(format, values)
        return Operand(self._room(data), format, values_of(format, data), shape or [len(values)])

    def result(self, format, shape, fill=0):
        """The place of a result of `shape`, with another number around it that must stay."""
        operand = self.operand(format, [fill] * (math.prod(shape) + 2), shape)
        operand.first = 1
        self.results.append(operand)
        return operand

    def launch(self, kernel, extents, result, operands, integers=(), scalars=(), grid="3"):
        """Extents and strides are those of the last dimensions. A missing operand is None."""
        def front(values, fill):
            return [fill] * (RANK - len(values)) + list(values)
        all_operands = [result, *operands] + [None] * (OPERANDS - 1 - len(operands))
        items = [f"u32:{one}" for one in front(extents, 1)]
        items += [f"u32:{one.address + one.first * size_of(one.format) if one else 0}" for one in all_operands]
        items += [f"i32:{stride}" for one in all_operands for stride in front(one.strides if one else [], 0)]
        items += [f"i32:{one}" for one in [*integers, *[0] * (INTEGERS - len(integers))]]
        items += [f"f32:{float(one)!r}" for one in [*scalars, *[0] * (SCALARS - len(scalars))]]
        self.steps.append(f"{{launch: {kernel}, grid: {grid}, args: \"{','.join(items)}\"}}")

    def run(self, spica, *options):
        """Values of the results, in order. `spica` starts the program."""
        operands, out, file = self.folder / "operands.bin", self.folder / "results.bin", self.folder / "stream.yaml"
        operands.write_bytes(self.image)
        steps = "".join(f"      - {step}\n" for step in self.steps)
        file.write_text(f"program: {self.program}\nconfig: {self.config}\n"
                        f"set: [{', '.join(('dispatcher.present=true', 'command_processor.present=true', *self.sets))}]\n"
                        f"load: [{operands}@{FIRST:#x}]\nsave: [{out}@{FIRST:#x}+{len(self.image)}]\n"
                        f"streams:\n  - name: network\n    steps:\n{steps}")
        ended = spica("stream", file, "--out", self.folder / "out", *options)
        if ended.code != 0:
            raise AssertionError(ended.text)
        data, found = out.read_bytes(), []
        for result in self.results:
            at = result.address - FIRST
            bytes_ = data[at:at + size_of(result.format) * len(result.values)]
            values = values_of(result.format, bytes_)
            if values[0] != result.values[0] or values[-1] != result.values[-1]:
                raise AssertionError(f"a kernel stores outside of its result at {result.address:#x}")
            found.append(values[1:-1])
        return found

    def cycles(self):
        """Of each launch, after run()."""
        stats = json.loads((self.folder / "out" / "stats.json").read_text())
        return [one["ended"] - one["launched"] for one in stats["streams"]["network"]["launches"]]

    def _room(self, data):
        address = FIRST + len(self.image)
        self.image += data + bytes(-len(data) % 64 + 64)
        return address


def indices(shape):
    return itertools.product(*(range(extent) for extent in shape))
