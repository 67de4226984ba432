# SPDX-License-Identifier: Apache-2.0
"""Built-in functions, conversions and shifts of integers against exact arithmetic: `python3 integers.py [WIDTHS OF VECTORS] [every-shuffle]`.

Shuffles to or from 16 elements take long to compile: without every-shuffle each pair of sizes is of one type only."""
import sys

import numpy as np
import pyopencl as cl

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
ITEMS = 64


def is_signed(kind):
    return kind[0] != "u"


def unsigned(kind):
    return "u" + kind if is_signed(kind) else kind


def numpy_of(kind):
    return np.dtype(f"{'i' if is_signed(kind) else 'u'}{BITS[kind] // 8}").type


def bounds(kind):
    bits = BITS[kind]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(kind) else (0, (1 << bits) - 1)


def saturated(kind, x):
    least, most = bounds(kind)
    return min(max(x, least), most)


def bits_of(kind, x):
    return x & (1 << BITS[kind]) - 1


def wrapped(kind, x):
    x = bits_of(kind, x)
    return x - (1 << BITS[kind]) if is_signed(kind) and x >> BITS[kind] - 1 else x


def rotated(t, a, b):
    return wrapped(t, bits_of(t, a) << b % BITS[t] | bits_of(t, a) >> BITS[t] - b % BITS[t])


FUNCTIONS = {  # of a type and numbers
    "add_sat": (2, lambda t, a, b: saturated(t, a + b)),
    "sub_sat": (2, lambda t, a, b: saturated(t, a - b)),
    "mad_sat": (3, lambda t, a, b, c: saturated(t, a * b + c)),
    "hadd": (2, lambda t, a, b: a + b >> 1),
    "rhadd": (2, lambda t, a, b: a + b + 1 >> 1),
    "mul_hi": (2, lambda t, a, b: a * b >> BITS[t]),
    "mad_hi": (3, lambda t, a, b, c: wrapped(t, (a * b >> BITS[t]) + c)),
    "max": (2, lambda t, a, b: max(a, b)),
    "min": (2, lambda t, a, b: min(a, b)),
    "rotate": (2, rotated),
    "clz": (1, lambda t, a: BITS[t] - bits_of(t, a).bit_length()),
    "popcount": (1, lambda t, a: bin(bits_of(t, a)).count("1")),
    "bitselect": (3, lambda t, a, b, c: wrapped(t, a & ~c | b & c)),
    "abs": (1, lambda t, a: abs(a)),
    "abs_diff": (2, lambda t, a, b: abs(a - b)),
}


class Case:
    """A kernel that applies `text`, in which a, b and c are operands of the types `operands`, to vectors."""

    def __init__(self, name, text, operands, result, exact):
        self.name, self.text, self.operands, self.result, self.exact = name, text, operands, result, exact

    def kernel(self, width):
        loads = [f"{kind}{width} {name} = vload{width}(i, p{name});" if width else f"{kind} {name} = p{name}[i];"
                 for kind, name in zip(self.operands, "abc")]
        store = f"vstore{width}({self.text}, i, out)" if width else f"out[i] = {self.text}"
        parameters = "".join(f"__global const {kind}* p{name}, " for kind, name in zip(self.operands, "abc"))
        return f"__kernel void {self.name}({parameters}__global {self.result}* out) {{ int i = get_global_id(0); {' '.join(loads)} {store}; }}\n"


def cases_of(t, width):
    for name, (count, exact) in FUNCTIONS.items():
        result = unsigned(t) if name in ("abs", "abs_diff") else t
        yield Case(f"{name}_{t}", f"{name}({', '.join('abc'[:count])})", [t] * count, result, lambda *x, exact=exact: exact(t, *x))
    for other in BITS:
        yield Case(f"sat_{t}_{other}", f"convert_{other}{width}_sat(a)", [t], other, lambda a, other=other: saturated(other, a))
        yield Case(f"cut_{t}_{other}", f"convert_{other}{width}(a)", [t], other, lambda a, other=other: wrapped(other, a))
    bits = BITS[t] if width else max(BITS[t], 32)  # scalars are promoted
    yield Case(f"left_{t}", "a << b", [t, t], t, lambda a, b: wrapped(t, a << b % bits))
    yield Case(f"right_{t}", "a >> b", [t, t], t, lambda a, b: a >> b % bits)
    flag = (lambda c: bits_of(t, c) >> BITS[t] - 1) if width else bool
    yield Case(f"select_{t}", "select(a, b, c)", [t] * 3, t, lambda a, b, c: b if flag(c) else a)
    if BITS[t] > 8:
        half = next(one for one in BITS if BITS[one] == BITS[t] // 2 and is_signed(one) == is_signed(t))
        yield Case(f"upsample_{t}", "upsample(a, b)", [half, unsigned(half)], t, lambda a, b: wrapped(t, (a << BITS[half]) + b))


def numbers(random, kind, count):
    """Many of them where functions change their ways."""
    least, most = bounds(kind)
    edges = [least, least + 1, saturated(kind, -1), 0, 1, 2, 31, 33, most // 2, most - 1, most]
    return [edges[random.integers(len(edges))] if random.random() < 0.6 else int(random.integers(least, most, dtype=numpy_of(kind), endpoint=True))
            for _ in range(count)]


def check_shuffles(context, queue, random, every):
    """Of numbers of all widths: vectors whose elements are chosen at run time."""
    types, sizes = ("uchar", "ushort", "uint", "ulong"), (2, 4, 8, 16)
    pairs = [(m, n) for m in sizes for n in sizes]
    large = [pair for pair in pairs if 16 in pair]
    chosen_pairs = [(t, m, n) for at, t in enumerate(types) for m, n in pairs
                    if every or (m, n) not in large or large.index((m, n)) % len(types) == at]
    count = 0
    program = cl.Program(context, "".join(
        f"__kernel void {t}_one{m}_{n}(__global {t}* x, __global {t}* k, __global {t}* out) {{ int i = get_global_id(0); "
        f"vstore{n}(shuffle(vload{m}(2 * i, x), vload{n}(i, k)), i, out); }}\n"
        f"__kernel void {t}_two{m}_{n}(__global {t}* x, __global {t}* k, __global {t}* out) {{ int i = get_global_id(0); "
        f"vstore{n}(shuffle2(vload{m}(2 * i, x), vload{m}(2 * i + 1, x), vload{n}(i, k)), i, out); }}\n"
        for t, m, n in chosen_pairs)).build(["-w"])
    for t, m, n in chosen_pairs:
        for name, known in ((f"{t}_one{m}_{n}", m), (f"{t}_two{m}_{n}", 2 * m)):
            x = random.integers(0, 256, (ITEMS, 2 * m)).astype(numpy_of(t))
            chosen = random.integers(0, 256, (ITEMS, n)).astype(numpy_of(t))
            result = np.zeros_like(chosen)
            buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array) for array in (x, chosen, result)]
            getattr(program, name)(queue, (ITEMS,), None, *buffers)
            cl.enqueue_copy(queue, result, buffers[2])
            want = np.take_along_axis(x, chosen.astype(int) & known - 1, 1)
            assert (result == want).all(), name
            count += 1
    return count


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(1)
    count = 0
    every = "every-shuffle" in sys.argv
    for width in [word for word in sys.argv[1:] if word != "every-shuffle"] or ["", "2"]:
        cases = [case for t in BITS for case in cases_of(t, width)]
        program = cl.Program(context, "".join(case.kernel(width) for case in cases)).build(["-w"])
        for case in cases:
            operands = [numbers(random, kind, ITEMS * int(width or 1)) for kind in case.operands]
            buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.array(values, numpy_of(kind)))
                       for values, kind in zip(operands, case.operands)]
            result = np.zeros(len(operands[0]), numpy_of(case.result))
            out = cl.Buffer(context, cl.mem_flags.READ_WRITE, result.nbytes)
            getattr(program, case.name)(queue, (ITEMS,), None, *buffers, out)
            cl.enqueue_copy(queue, result, out)
            count += 1
            for got, *values in zip(result, *operands):
                assert int(got) == case.exact(*values), f"{case.name}{width}{tuple(values)} is {got}, not {case.exact(*values)}"
    count += check_shuffles(context, queue, random, every)
    print(f"{count} functions are right")


if __name__ == "__main__":
    main()
