# SPDX-License-Identifier: Apache-2.0
"""Kernels of neural networks (sw/kernels/network) against double precision."""
import functools
import math
import operator
import pathlib
import random
import subprocess
import sys
import unittest

from network_launches import Launches, dense, indices, rounded, size_of, unit
from spica_runner import KERNELS, elf, folder, spica

MACHINES = {"virgo": ("network", 8), "mgpu-4": ("network", 8), "volta-sm": ("network_32_lanes", 32)}


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


UNARY = {
    "neg": lambda x: -x, "abs": abs, "exp": math.exp, "sigmoid": sigmoid,
    "relu": lambda x: max(x, 0), "hard_swish": lambda x: x * min(max(x / 6 + 0.5, 0), 1),
    "leaky_relu": lambda x: x if x > 0 else x * 0.125, "hard_sigmoid": lambda x: min(max(0.125 * x + 0.5, 0), 1),
    "clip": lambda x: min(max(x, 0.125), 0.5), "elu": lambda x: 0.5 * (x if x > 0 else 0.125 * math.expm1(x)), "softsign": lambda x: x / (1 + abs(x)),
    "mish": lambda x: x * math.tanh(math.log1p(math.exp(x))), "silu": lambda x: x * sigmoid(x),
    "gelu": lambda x: x * math.erfc(-x / math.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x * sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x ** 3)),
    "tanh": math.tanh, "erf": math.erf, "softplus": lambda x: max(x, 0) + math.log1p(math.exp(-abs(x))),
    "gelu_sigmoid": lambda x: x * sigmoid(1.702 * x),
}
POSITIVE = {"log": math.log, "sqrt": math.sqrt, "reciprocal": lambda x: 1 / x}
BINARY = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "min": min, "max": max, "gated_silu": lambda x, y: x * sigmoid(x) * y, "prelu": lambda x, y: x if x > 0 else x * y,
}
COMPARISONS = {
    "equal": lambda x, y: x == y, "less": lambda x, y: x < y, "less_or_equal": lambda x, y: x <= y,
    "greater": lambda x, y: x > y, "greater_or_equal": lambda x, y: x >= y,
}


class Cases:
    """Launches on one machine, and the values that each result must have."""

    def __init__(self, machine, work, seed, config=None, program=None, sets=()):
        usual, self.lanes = MACHINES[machine]
        self.launches = Launches(elf(program or usual), config or machine, work, sets)
        self.draw, self.wanted = random.Random(seed), []

    def numbers(self, count, scale=3.0):
        return [self.draw.gauss(0, scale) for _ in range(count)]

    def operand(self, shape, format="fp32", scale=3.0):
        return self.launches.operand(format, self.numbers(math.prod(shape), scale), shape)

    def expect(self, kernel, shape, result, operands, value, units, *, scale=None, **more):
        """value(index): what the element must be; scale(index): whose last place `units` counts, the element's if None."""
        self.launches.launch(kernel, more.pop("extents", shape), result, operands, **more)
        wanted = []
        for index in indices(shape):
            element = value(index)
            wanted.append((element, units * unit(result.format, scale(index) if scale else element) if units else 0))
        self.wanted.append((kernel, wanted))

    def check(self, test, *options):
        found = self.launches.run(spica, *options)
        for (kernel, wanted), values in zip(self.wanted, found):
            for number, ((element, allowed), value) in enumerate(zip(wanted, values)):
                if not abs(value - element) <= allowed + 1e-30:
                    test.fail(f"{kernel}, element {number}: {value!r}, must be {element!r} within {allowed!r}")

    def check_in(self, test, modes):
        for mode in modes:
            with test.subTest(machine=self.launches.config, mode=mode):
                self.check(test, "--mode", mode)

    def elements(self, format="fp32"):
        suffix, launches = f"_{format}", self.launches
        units = 4 if format == "fp32" else 1
        x, y = self.operand([5, 3, 37], format), self.operand([5, 3, 37], format)
        positive = launches.operand(format, [abs(one) + 0.01 for one in x.values], x.shape)
        for name, f in {**UNARY, **POSITIVE}.items():
            from_ = positive if name in POSITIVE else x
            self.expect(name + suffix, x.shape, launches.result(format, x.shape), [from_],
                        lambda i, f=f, from_=from_: f(from_.at(i)), units, scalars=(0.125, 0.5))
        # a row along the middle, read backwards, one number for all, and another order of dimensions
        views = [y, y.view([0, 37, 0]), y.view([111, 37, -1], 36), y.view([0, 0, 0], 7)]
        for number, (name, f) in enumerate({**BINARY, **COMPARISONS}.items()):
            view, compares = views[number % len(views)], name in COMPARISONS
            result = launches.result("bool" if compares else format, x.shape)
            self.expect(name + suffix, x.shape, result, [x, view],
                        lambda i, f=f, view=view: f(x.at(i), view.at(i)), 0 if compares else units)
        self.expect("pow" + suffix, x.shape, launches.result(format, x.shape), [positive, y.view([0, 0, 0], 3)],
                    lambda i: positive.at(i) ** y.values[3], units)
        condition = launches.operand("bool", [self.draw.randrange(2) for _ in range(37)]).view([0, 0, 1])
        self.expect("where" + ("_32" if format == "fp32" else "_16"), x.shape, launches.result(format, x.shape), [condition, x, y],
                    lambda i: x.at(i) if condition.at(i) else y.at(i), 1)
        long_ = self.operand([self.lanes * 70 + 3], format)  # pieces of rows
        self.expect("mul" + suffix, long_.shape, launches.result(format, long_.shape), [long_, long_],
                    lambda i: long_.at(i) ** 2, units, grid="1")

    def moves(self):
        launches = self.launches
        for bits, format in ((32, "int32"), (16, "fp16"), (8, "uint8")):
            x = launches.operand(format, [self.draw.randrange(100) for _ in range(6 * 11 * 5)], [6, 11, 5])
            turned = x.view([1, 55, 5])
            self.expect(f"copy_{bits}", [5, 6, 11], launches.result(format, [5, 6, 11]), [turned], turned.at, 0)
            index = launches.operand("int32", [3, -1, 0, -1, 5, -1, 5, -1, -6, -1], [5, 2])  # of 64 bits
            rows = index.view([2, 0, 0])
            self.expect(f"gather_{bits}", [5, 11, 5], launches.result(format, [5, 11, 5]),
                        [x.view([0, 5, 1]), rows], lambda i: x.at((rows.at(i) % 6, i[1], i[2])), 0, integers=(1, 0, 55, 6))
            places = launches.operand("int32", [2, 0, 6, 1, 4], [5])
            result = launches.result(format, [7], fill=9)
            result.strides, updates = [0], launches.operand(format, [11, 12, 13, 14, 15])
            launches.launch(f"scatter_{bits}", [5], result, [updates, places], integers=(1, 0, 1, 7))
            self.wanted.append((f"scatter_{bits}", [(one, 0) for one in (12, 14, 11, 9, 15, 9, 13)]))
            pairs = launches.operand("int32", [2, -1, -6, 0, 5, 4], [3, 2])  # indices of two entries
            self.expect(f"gather_{bits}", [3, 5], launches.result(format, [3, 5]), [x.view([0, 1]), pairs.view([2, 0])],
                        lambda i: x.at((pairs.values[2 * i[0]] % 6, pairs.values[2 * i[0] + 1] % 11, i[1])), 0,
                        integers=(2, 1, 55, 6, 5, 11))
            self.expect(f"fill_{bits}", [4, 9], launches.result(format, [4, 9]), [], lambda i, f=format: 1.0 if f == "fp16" else 60, 0,
                        integers=(0x3C00 if format == "fp16" else 60,))
            row, column = launches.operand("int32", [0, 5, 2], [3]), launches.operand("int32", [10, 0, 3, 3], [4])
            self.expect(f"nearest_{bits}", [5, 3, 4], launches.result(format, [5, 3, 4]),
                        [x.view([1, 0, 0]), row.view([0, 1, 0]), column.view([0, 0, 1])],
                        lambda i: x.at((row.values[i[1]], column.values[i[2]], i[0])), 0, integers=(55, 5))
        for format in ("fp32", "fp16", "bf16"):
            x = self.operand([3, 2, 10], format)
            cos, sin = self.operand([3, 10], format, 1.0), self.operand([3, 10], format, 1.0)
            result, half = launches.result(format, [3, 2, 10]), 5
            def turn(i, x=x, cos=cos, sin=sin):
                at, other = x.at(i), (x.at((*i[:2], i[2] - half)) if i[2] >= half else -x.at((*i[:2], i[2] + half)))
                return at * cos.at((i[0], i[2])) + other * sin.at((i[0], i[2]))
            self.expect(f"rotary_{format}", [3, 2, 10], result, [x, cos.view([10, 0, 1]), sin.view([10, 0, 1])], turn,
                        4, scale=lambda i: 30, extents=[3, 2, 5], integers=(5, 5, 5, 5))
            self.between(format)
            self.cells(format)

    def between(self, format):
        launches, x = self.launches, self.operand([2, 4, 5], format)
        row, column = launches.operand("int32", [0, 3, 2], [3]), launches.operand("int32", [4, 0, 3, 1], [4])
        down, across = launches.operand(format, [0.25, 0.5, 0], [3]), launches.operand(format, [0.5, 0, 0.75, 0.125], [4])
        def value(i):
            v, w = down.values[i[1]], across.values[i[2]]
            def at(r, c):
                return x.at((i[0], min(row.values[i[1]] + r, 3), min(column.values[i[2]] + c, 4)))
            return (1 - v) * ((1 - w) * at(0, 0) + w * at(0, 1)) + v * ((1 - w) * at(1, 0) + w * at(1, 1))
        self.expect(f"interpolation_{format}", [2, 3, 4], launches.result(format, [2, 3, 4]),
                    [x.view([20, 0, 0]), row.view([0, 1, 0]), column.view([0, 0, 1]), down.view([0, 1, 0]), across.view([0, 0, 1])],
                    value, 4, scale=lambda i: 4, integers=(5, 1, 3, 4))

    def cells(self, format):
        launches, h, n = self.launches, 11, 3
        gates, cells, state = (self.operand([n, one], format, 1.0) for one in (4 * h, h, h))
        following = launches.result(format, [n, h])
        launches.results.pop()
        g = [lambda i, k=k: gates.at((i[0], k * h + i[1])) for k in range(4)]
        def cell(i):
            return sigmoid(g[2](i)) * cells.at(i) + sigmoid(g[0](i)) * math.tanh(g[3](i))
        self.expect(f"lstm_cell_{format}", [n, h], launches.result(format, [n, h]), [gates.view([4 * h, 1]), cells, following],
                    lambda i: sigmoid(g[1](i)) * math.tanh(cell(i)), 4, scale=lambda i: 1, integers=(h,))
        self.expect(f"copy_{8 * size_of(format)}", [n, h], launches.result(format, [n, h]), [following], cell, 4, scale=lambda i: 1)
        for resets in (0, 1):
            def value(i, resets=resets):
                z, r = sigmoid(g[0](i) + g[1](i)), sigmoid(g[1](i) + g[2](i)) if resets else 1
                return (1 - z) * math.tanh(g[2](i) + r * g[3](i)) + z * state.at(i)
            self.expect(f"gru_cell_{format}", [n, h], launches.result(format, [n, h]),
                        [gates.view([4 * h, 1]), gates.view([4 * h, 1], h), state], value, 4, scale=lambda i: 4, integers=(h, h, resets))

    def casts(self):
        launches, numbers = self.launches, [0.5, -1.75, 3e-6, 70.0, -0.0, 1000.4] + self.numbers(40)
        x, whole = launches.operand("fp32", numbers), launches.operand("int32", [0, 1, -7, 100000] * 9)
        for name, from_, to, f in (
                ("cast_fp32_fp16", x, "fp16", lambda v: rounded("fp16", v)),
                ("cast_fp32_bf16", x, "bf16", lambda v: rounded("bf16", v)),
                ("cast_fp32_int32", x, "int32", int), ("cast_fp32_bool", x, "bool", lambda v: v != 0),
                ("cast_int32_fp32", whole, "fp32", float), ("cast_int32_bool", whole, "bool", lambda v: v != 0)):
            self.expect(name, from_.shape, launches.result(to, from_.shape), [from_], lambda i, f=f, from_=from_: f(from_.at(i)), 0)
        scale = launches.operand("fp32", [0.25, 0.5]).view([1, 0])
        for format, least, most in (("int8", -128, 127), ("uint8", 0, 255)):
            zero = launches.operand(format, [3, 5]).view([1, 0])
            q = launches.operand(format, [self.draw.randrange(least, most + 1) for _ in range(46)], [2, 23])
            self.expect(f"quantize_fp32_{format}", [2, 23], launches.result(format, [2, 23]), [x.view([23, 1]), scale, zero],
                        lambda i: min(max(round(x.at((23 * i[0] + i[1],)) / scale.at(i)) + zero.at(i), least), most), 0)
            self.expect(f"dequantize_{format}_fp32", [2, 23], launches.result("fp32", [2, 23]), [q, scale, zero],
                        lambda i: (q.at(i) - zero.at(i)) * scale.at(i), 0)

    def integers(self):
        launches, values = self.launches, [0, 1, -1, 7, -7, 2 ** 31 - 1, -2 ** 31, 123456789] * 8
        x = launches.operand("int32", values)
        y = launches.operand("int32", [self.draw.choice((1, 2, 3, -2, -5, 2 ** 30, 99)) for _ in values])
        def wrapped(v):
            return (v + 2 ** 31) % 2 ** 32 - 2 ** 31
        functions = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "min": min, "max": max,
                     "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), "mod": lambda a, b: a % b,
                     "pow": lambda a, b: pow(a, b, 2 ** 32) if b >= 0 else a if abs(a) == 1 and b % 2 else abs(a) if abs(a) == 1 else 0}
        for name, f in {**functions, **COMPARISONS}.items():
            self.expect(f"{name}_int32", x.shape, launches.result("bool" if name in COMPARISONS else "int32", x.shape), [x, y],
                        lambda i, f=f: wrapped(int(f(x.at(i), y.at(i)))), 0)
        for name, f in {"neg": lambda a: -a, "abs": abs, "sign": lambda a: (a > 0) - (a < 0), "relu": lambda a: max(a, 0),
                        "clip": lambda a: min(max(a, -3), 100)}.items():
            self.expect(f"{name}_int32", x.shape, launches.result("int32", x.shape), [x], lambda i, f=f: wrapped(f(x.at(i))), 0,
                        scalars=(-3, 100))
        rows = launches.operand("int32", [self.draw.randrange(-2 ** 31, 2 ** 31) for _ in range(3 * 41)], [3, 41])
        for name, f in {"sum": sum, "max": max, "min": min, "prod": math.prod}.items():
            one = launches.result("int32", [3])
            one.strides = [1, 0, 0]
            self.expect(f"reduce_{name}_int32", [3], one, [rows.view([41, 0, 1])],
                        lambda i, f=f: wrapped(f(rows.values[41 * i[0]:41 * i[0] + 41])), 0, extents=[3, 1, 41])
        self.expect("running_sum_int32", [3, 41], launches.result("int32", [3, 41]), [rows],
                    lambda i: wrapped(sum(rows.values[41 * i[0]:41 * i[0] + i[1] + 1])), 0)

    def special(self):
        """Numbers that a formula may not survive."""
        launches, values = self.launches, [1e30, -1e30, 3e38, -3e38, 1e5, -1e5, 1e-30, 88.0, -104.0, 2.5e8, 131072.0, 0.0]
        x = launches.operand("fp32", values)
        for name, f in {"gelu": lambda v: max(v, 0), "gelu_tanh": lambda v: max(v, 0), "gelu_sigmoid": lambda v: max(v, 0),
                        "silu": lambda v: max(v, 0), "mish": lambda v: max(v, 0)}.items():
            self.expect(f"{name}_fp32", x.shape, launches.result("fp32", x.shape), [x], lambda i, f=f: f(x.at(i)), 4, scale=lambda i: max(x.at(i), 16))
        for name, f in {"sin": math.sin, "cos": math.cos}.items():
            self.expect(f"{name}_fp32", x.shape, launches.result("fp32", x.shape), [x], lambda i, f=f: f(x.at(i)), 4)
        odd = launches.operand("fp32", [math.nan, 1, math.inf, -math.inf])
        self.expect("is_nan_fp32", [4], launches.result("bool", [4]), [odd], lambda i: i[0] == 0, 0)

    def rows(self, format="fp32"):
        suffix, launches = f"_{format}", self.launches
        for columns in (self.lanes * 8, self.lanes * 5 + 3, 5, self.lanes * 12 + 1):
            shape, count = [3, 4, columns], columns
            x, scale, bias = self.operand(shape, format), self.operand([columns], format, 1.0), self.operand([columns], format, 1.0)
            mask = launches.operand(format, [-math.inf if self.draw.random() < 0.2 else 0.5 for _ in range(columns)])
            rows, units = {}, count + 8
            if format != "fp32":
                units = 2
            for i in indices(shape[:2]):
                rows[i] = [x.at((*i, c)) for c in range(columns)]
            def softmax(scores):
                @functools.cache
                def of_row(i):
                    row = scores(i)
                    top = max(row)
                    powers = [math.exp(one - top) for one in row]
                    whole = sum(powers)
                    return [one / whole for one in powers]
                return lambda i: of_row(i[:2])[i[2]]
            short = "_short" if columns <= 8 * self.lanes else ""
            result = lambda shape=shape: launches.result(format, shape)
            @functools.cache
            def logarithm_of_sum(i, rows=rows):
                top = max(rows[i]) * 0.5
                return top + math.log(sum(math.exp(v * 0.5 - top) for v in rows[i]))
            def logarithm(i, rows=rows, logarithm_of_sum=logarithm_of_sum):
                return rows[i[:2]][i[2]] * 0.5 - logarithm_of_sum(i[:2])
            self.expect("log_softmax" + suffix, shape, result(), [x], logarithm, units, scale=lambda i: 32, scalars=(0.5,))
            for exclusive in (0, 1):
                self.expect("running_sum" + suffix, shape, result(), [x],
                            lambda i, exclusive=exclusive: sum(rows[i[:2]][:i[2] + 1 - exclusive]), units,
                            scale=lambda i: sum(map(abs, rows[i[:2]])), integers=(exclusive,))
            for smallest in (0, 1):
                numbers = launches.result("int32", [3, 4, 3])
                numbers.strides = dense([3, 4, 3])
                order = {i: sorted(range(columns), key=lambda c, i=i: (rows[i][c] * (1 if smallest else -1), c)) for i in rows}
                launches.results.pop()
                found = launches.result(format, [3, 4, 3])
                self.expect("selection" + suffix, [3, 4, 3], found, [x, numbers],
                            lambda i, order=order: rows[i[:2]][order[i[:2]][i[2]]], 0, extents=shape, integers=(3, smallest))
                self.expect("copy_32", [36], launches.result("int32", [36]), [numbers.view([1], 1)],
                            lambda i, order=order: order[i[0] // 12, i[0] // 3 % 4][i[0] % 3], 0)
            self.expect("softmax" + short + suffix, shape, result(), [x], softmax(lambda i: [v * 0.125 for v in rows[i]]), units,
                        scalars=(0.125,))
            self.expect("softmax_masked" + short + suffix, shape, result(), [x, mask.view([0, 0, 1])],
                        softmax(lambda i: [v * 0.125 + m for v, m in zip(rows[i], mask.values)]), units, scalars=(0.125,))
            causal = lambda i: [v if c <= i[1] + 2 else -math.inf for c, v in enumerate(rows[i])]
            self.expect("softmax" + short + suffix, shape, result(), [x], softmax(causal), units, scalars=(1,), integers=(1, 2))
            @functools.cache
            def moments(i, rows=rows, count=count):
                mean = sum(rows[i]) / count
                return mean, 1 / math.sqrt(sum((v - mean) ** 2 for v in rows[i]) / count + 1e-5)
            root = functools.cache(lambda i, rows=rows, count=count: math.sqrt(sum(v * v for v in rows[i]) / count + 1e-5))
            def layer_norm(i, part=False):
                mean, factor = moments(i[:2])
                value = (rows[i[:2]][i[2]] - mean) * factor * scale.values[i[2]]
                return abs(value) + abs(bias.values[i[2]]) + abs(mean) * factor if part else value + bias.values[i[2]]
            def along(operand, row):  # the kernels of norms have rows of two dimensions
                return operand.view([columns, 0, 1] if row else [0, 0, 1])
            flat, out = [12, 1, columns], launches.result
            def dense_rows(one):
                one.strides = [columns, 0, 1]
                return one
            self.expect("layer_norm" + suffix, shape, dense_rows(out(format, shape)),
                        [along(x, True), along(scale, False), along(bias, False)], layer_norm, units,
                        scale=lambda i: layer_norm(i, True), extents=flat, scalars=(1e-5,))
            self.expect("rms_norm" + suffix, shape, dense_rows(out(format, shape)), [along(x, True), along(scale, False)],
                        lambda i: rows[i[:2]][i[2]] / root(i[:2]) * scale.values[i[2]], units, extents=flat, scalars=(1e-5,))
            for name, f, of in (("sum", sum, lambda r: sum(map(abs, r))), ("mean", lambda r: sum(r) / count, lambda r: sum(map(abs, r)) / count),
                                ("max", max, max), ("min", min, min),
                                ("l1", lambda r: sum(map(abs, r)), None), ("log_sum_exp", lambda r: max(r) + math.log(sum(math.exp(v - max(r)) for v in r)), lambda r: 32),
                                ("sum_square", lambda r: sum(v * v for v in r), None),
                                ("l2", lambda r: math.sqrt(sum(v * v for v in r)), None)):
                one = out(format, shape[:2])
                one.strides = [1, 0, 0]
                self.expect(f"reduce_{name}" + suffix, shape[:2], one, [along(x, True)], lambda i, f=f: f(rows[i]), units,
                            scale=lambda i, of=of, f=f: (of or f)(rows[i]), extents=flat)
        # rows of two dimensions: mean of each channel of pictures, channels last
        x, result = self.operand([2, 3, 5, 4], format), launches.result(format, [2, 4])
        result.strides = [4, 1, 0, 0]
        self.expect("reduce_mean" + suffix, [2, 4], result, [x.view([60, 1, 20, 4])],
                    lambda i: sum(x.at((i[0], h, w, i[1])) for h in range(3) for w in range(5)) / 15, 25, extents=[2, 4, 3, 5],
                    scale=lambda i: 4)

    def products(self, unit, format="fp32", shapes=((2, 2, 9, 37, 21), (1, 1, 1, 130, 19), (2, 1, 30, 33, 8))):
        """`unit`: lanes, vector, unit or fragments; _turned: for a B whose columns are contiguous."""
        launches, units = self.launches, 4 if format == "fp32" else 1
        for number, (heads, groups, m, n, k) in enumerate(shapes):
            batch, turned = [heads, groups], unit.endswith("turned") or (unit in ("lanes", "vector") and number % 2 == 1)
            a = self.operand([*batch, m, k], format, 1.0)
            b = self.operand([heads, n, k] if turned else [heads, k, n], format, k ** -0.5)  # the same in all groups
            rows = {i: [a.at((*i, j)) for j in range(k)] for i in indices([heads, groups, m])}
            columns = {(h, c): [b.at((h, c, j) if turned else (h, j, c)) for j in range(k)] for h, c in indices([heads, n])}
            sizes = [{at: list(map(abs, line)) for at, line in lines.items()} for lines in (rows, columns)]
            sums = {i: math.fsum(map(operator.mul, rows[i[:3]], columns[i[0], i[3]])) for i in indices([*batch, m, n])}
            of_sizes = {i: sum(map(operator.mul, sizes[0][i[:3]], sizes[1][i[0], i[3]])) * max(k / 16, 1) for i in sums}
            for name, f in (("", lambda x: x), ("_relu", UNARY["relu"]), ("_gelu", UNARY["gelu"]), ("_silu", UNARY["silu"])):
                if unit.startswith("large") and name not in ("", "_relu"):
                    continue
                bias, rest = self.operand([n], format, 1.0), self.operand([*batch, m, n], format, 1.0)
                result, is_full = launches.result(format, [*batch, m, n]), name != ""
                s = 0.5 if is_full else 1.0
                result.strides.append(0)
                operands = [a.view([groups * m * k, m * k, k, 0, 1]),
                            b.view([n * k, 0, 0, k, 1] if turned else [n * k, 0, 0, 1, n])]
                if is_full:
                    operands += [bias.view([0, 0, 0, 1, 0]), rest.view([*dense(rest.shape), 0])]
                def value(i, is_full=is_full, f=f, s=s, bias=bias, rest=rest, sums=sums):
                    return f(sums[i] * s + bias.at(i[3:]) + rest.at(i)) if is_full else f(sums[i] * s)
                def size(i, is_full=is_full, rest=rest, of_sizes=of_sizes):
                    return of_sizes[i] + (1 + abs(rest.at(i)) if is_full else 0)
                self.expect(f"product{name}_{unit}_{format}", rest.shape, result, operands, value, units, scale=size,
                            extents=[*rest.shape, k], scalars=(s,), grid="1" if unit.startswith("unit") else "3")

    def windows(self, format="fp32", by_unit=False):
        units = 4 if format == "fp32" else 1
        # pictures, groups, channels of a group of result and x, picture, window, stride, padding, distance, more outside
        large = ((1, 1, 66, 8, (9, 10), (3, 3), (1, 1), (1, 1), (1, 1), 0), (2, 2, 7, 3, (8, 9), (5, 2), (2, 1), (1, 0), (1, 2), 0),
                 (1, 1, 5, 70, (4, 5), (2, 2), (1, 1), (0, 1), (1, 1), 0))
        for n, g, oc, ic, picture, window, stride, padding, apart, more in large if by_unit else (
                (2, 2, 5, 3, (7, 9), (3, 2), (2, 1), (1, 1), (1, 2), 1), (1, 1, 9, 4, (6, 6), (1, 1), (1, 1), (0, 0), (1, 1), 0),
                (1, 7, 1, 1, (5, 11), (3, 3), (1, 1), (1, 1), (1, 1), 2), (2, 3, 1, 1, (8, 7), (2, 3), (2, 2), (0, 1), (1, 1), 1)):
            size = [(e + 2 * p - (w - 1) * a - 1) // s + 1 for e, w, s, p, a in zip(picture, window, stride, padding, apart)]
            x = self.operand([n, g, ic, *picture], format, 1.0)
            rows, columns = picture
            x_view = x.view([g * ic * rows * columns, ic * rows * columns, 0, columns, 1, rows * columns])
            integers = (*window, *stride, *padding, *apart, *picture)
            @functools.cache
            def under(start, place, picture=picture, stride=stride, padding=padding, apart=apart, window=window, x=x):
                at_window = ((at, [o * s + w * a - p for o, s, w, a, p in zip(place, stride, at, apart, padding)]) for at in indices(window))
                return [(at, x.at((*start, *y))) for at, y in at_window if all(0 <= e < most for e, most in zip(y, picture))]
            def inside(i, c, under=under):
                """Elements of the picture under the window, by place in the window."""
                return under((i[0], i[1], c), tuple(i[-2:]))
            # On the unit, channels are neighbours.
            weights = self.operand([g, oc, *window, ic] if by_unit else [g, oc, ic, *window], format, 0.5)
            weight = lambda group, m, c, at, weights=weights: weights.at((group, m, *at, c) if by_unit else (group, m, c, *at))
            bias = self.operand([g, oc], format)
            shape, area = [n, g, oc, *size], math.prod(window)
            views = [x_view, weights.view([0, oc * ic * area, ic * area, window[1], 1, area]), bias.view([0, oc, 1, 0, 0, 0])]
            @functools.lru_cache(1)  # for the value and its scale
            def terms(i, ic=ic, inside=inside, weight=weight):
                return [value * weight(*i[1:3], c, at) for c in range(ic) for at, value in inside(i, c)]
            if by_unit:
                k, result = ic * area, self.launches.result(format, [n, g, oc, math.prod(size)])
                result.strides = [*result.strides[:2], 0, *result.strides[2:], 0]
                place = lambda i, size=size: (*i[:3], i[3] // size[1], i[3] % size[1])
                self.expect(f"convolution_relu_unit_{format}", [n, g, oc, math.prod(size)], result,
                            [weights.view([0, oc * k, 0, k, 0, 1]), x_view, bias.view([0, oc, 0, 1, 0, 0])],
                            lambda i, terms=terms, bias=bias, place=place: max(sum(terms(place(i))) + bias.at(i[1:3]), 0), units,
                            scale=lambda i, terms=terms, bias=bias, place=place: sum(map(abs, terms(place(i)))) + abs(bias.at(i[1:3])),
                            extents=[n, g, 1, oc, math.prod(size), k], integers=[*integers, size[1], ic], scalars=(1,), grid="1")
                continue
            names = ["convolution", "convolution_relu"] if oc > 1 else ["convolution_depthwise", "convolution_clip_depthwise"]
            for name, f in zip(names, (lambda v: v, UNARY["relu" if oc > 1 else "clip"])):
                result = self.launches.result(format, shape)
                result.strides.append(0)
                self.expect(f"{name}_{format}", shape, result, views, lambda i, f=f, terms=terms, bias=bias: f(sum(terms(i)) + bias.at(i[1:3])),
                            units, scale=lambda i, terms=terms, bias=bias: sum(map(abs, terms(i))) + abs(bias.at(i[1:3])),
                            extents=[*shape, ic], integers=integers, scalars=(1, 0.125, 0.5))
            for name, f in (("max", max), ("mean", lambda v, more=more: sum(v) / (area if more == 2 else len(v)))):
                result, pooled = self.launches.result(format, [n, g, *size]), x.view([*x_view.strides[:2], 0, *x_view.strides[3:5], 0])
                result.strides = [*result.strides[:2], 0, *result.strides[2:], 0]
                self.expect(f"pool_{name}_{format}", [n, g, *size], result, [pooled],
                            lambda i, f=f, inside=inside: f([v for _, v in inside(i, 0)]), units, scale=lambda i: 4,
                            extents=[n, g, 1, *size, 1], integers=[*integers, *(e + p for e, p in zip(picture, padding)), int(more == 2)])


def modes(machine):
    """The timing fuzz compares both modes of whole networks on other machines."""
    return ("cycle", "fast") if machine == "virgo" else ("fast",)


class NetworkKernels(unittest.TestCase):
    def test_no_inner_loop_uses_the_stack(self):
        sw = pathlib.Path(__file__).resolve().parents[2] / "sw"
        for program in ("network", "network_32_lanes", "network_unit"):
            objects = KERNELS / "objects" / program / "main.cpp.o"
            done = subprocess.run([sys.executable, "-B", sw / "check_kernel_stacks.py", elf(program), objects],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_elements_in_all_modes_and_machines(self):
        for machine in MACHINES:
            with folder() as work:
                cases = Cases(machine, work, 1)
                cases.elements()
                cases.moves()
                cases.casts()
                cases.integers()
                cases.special()
                cases.check_in(self, modes(machine))

    def test_rows_in_all_modes_and_machines(self):
        for machine in MACHINES:
            with folder() as work:
                cases = Cases(machine, work, 2)
                cases.rows()
                cases.check_in(self, modes(machine))

    def test_products_by_lanes_in_all_modes_and_machines(self):
        for machine in MACHINES:
            with folder() as work:
                cases = Cases(machine, work, 4)
                cases.products("lanes")
                cases.products("vector")
                cases.check_in(self, modes(machine))

    def test_windows_in_all_modes_and_machines(self):
        for machine in MACHINES:
            with folder() as work:
                cases = Cases(machine, work, 6)
                cases.windows()
                cases.check_in(self, modes(machine))

    def test_products_by_the_matrix_unit_with_and_without_a_transposer(self):
        shapes = ((1, 2, 64, 64, 128), (1, 1, 70, 65, 72), (2, 1, 3, 130, 64))
        for machine, mode, transposer in (("virgo", "cycle", "true"), ("virgo", "fast", "false"), ("virgo-4", "fast", "true")):
            with self.subTest(machine=machine, mode=mode, transposer=transposer), folder() as work:
                cases = Cases("virgo", work, 5, machine, "network_unit", [f"cluster.dma.transposer={transposer}"])
                cases.products("unit", shapes=shapes[1:2] if mode == "cycle" else shapes)
                if transposer == "true":
                    cases.products("unit_turned", shapes=shapes[:1] if mode == "cycle" else shapes)
                cases.windows(by_unit=True)
                if mode == "fast":
                    cases.products("unit", "bf16", shapes[1:2])
                cases.check(self, "--mode", mode)

    def test_products_by_tensor_cores_of_fragments(self):
        with folder() as work:
            cases = Cases("volta-sm", work, 7)
            shapes = (1, 1, 5, 34, 32), (2, 2, 70, 66, 64)
            cases.products("fragments", "fp16", shapes)
            cases.products("fragments_turned", "fp16", shapes)
            cases.products("large_fragments", "fp16", ((1, 1, 130, 136, 96),))
            for machine, mode in ("volta-sm", "cycle"), ("ampere-sm", "fast"):
                cases.launches.config = machine
                cases.check_in(self, [mode])

    def test_narrow_formats(self):
        for machine, format in (("virgo", "fp16"), ("volta-sm", "bf16")):
            with self.subTest(machine=machine, format=format), folder() as work:
                cases = Cases(machine, work, 3)
                cases.elements(format)
                cases.rows(format)
                cases.products("lanes", format)
                cases.windows(format)
                cases.check(self, "--mode", "fast")


if __name__ == "__main__":
    unittest.main()
