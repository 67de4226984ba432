# SPDX-License-Identifier: Apache-2.0
"""The largest error of each built-in function of float or double, in ulp, against long double.

  python3 math_errors.py float|double COUNT [SEED [FUNCTION...]]

COUNT: random values of each of three distributions. Prints a line for each function: its name, the largest error, the limit of the
OpenCL standard, and the arguments of the largest error. Exit code 1: a limit is exceeded.
"""
import math
import sys

import numpy as np
import pyopencl as cl

np.seterr(all="ignore")
FLOAT, BITS, FRACTION, LEAST = {"float": (np.float32, np.uint32, 23, -126), "double": (np.float64, np.uint64, 52, -1022)}[sys.argv[1]]
LD = np.longdouble
PI = LD("3.14159265358979323846264338327950288")


def each(function, edges=None):
    def safe(*x):
        try:
            return function(*map(float, x))
        except OverflowError:
            return math.inf
        except ValueError:
            return edges(*x) if edges else math.nan
    return lambda *x: np.array([safe(*one) for one in zip(*x)], LD)


def gamma_edge(x):
    if x == 0:
        return math.copysign(math.inf, x)
    return math.inf if x == math.inf else math.nan


def reduced(x):
    """x modulo 2, in -1 to 1."""
    return np.fmod(x, LD(2)) - np.where(np.fmod(x, LD(2)) > 1, 2, 0) + np.where(np.fmod(x, LD(2)) < -1, 2, 0)


def sinpi(x):
    r = reduced(x)
    r = np.where(r > LD(0.5), 1 - r, np.where(r < -LD(0.5), -1 - r, r))
    return np.sin(PI * r)


def cospi(x):
    return sinpi(LD(0.5) - np.abs(reduced(x)))


def tanpi(x):
    return sinpi(x) / cospi(x)


def nextafter(x, y):
    return np.nextafter(x.astype(FLOAT), y.astype(FLOAT)).astype(LD)


def rootn(x, n):
    root = np.power(np.abs(x), 1 / n.astype(LD))
    return np.where((n == 0) | ((x < 0) & (n % 2 == 0)), np.nan, np.where(n % 2 != 0, np.copysign(root, x), root))


def larger(x, y):
    return np.where(np.abs(x) > np.abs(y), x, np.where(np.abs(y) > np.abs(x), y, np.fmax(x, y)))


def smaller(x, y):
    return np.where(np.abs(x) < np.abs(y), x, np.where(np.abs(y) < np.abs(x), y, np.fmin(x, y)))


def logb(x):
    return np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, np.floor(np.log2(np.abs(x)))))


def fdim(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0))


def powr(x, y):
    r = np.power(x, y)
    r = np.where((x < 0) | ((x == 0) & (y == 0)) | (np.isinf(x) & (y == 0)) | ((x == 1) & np.isinf(y)), np.nan, r)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where((x == 0) & (y < 0), np.inf, np.where((x == 0) & (y > 0), 0, r)))


def remainder(x, y):
    return np.array([math.remainder(float(a), float(b)) if np.isfinite(a) and b != 0 and not np.isnan(b) else math.nan for a, b in zip(x, y)], LD)


def round_(x):
    return np.copysign(np.floor(np.abs(x) + LD(0.5)), x)


# name: (limit in ulp, reference)
ONE = {
    "acos": (4, np.arccos), "acosh": (4, np.arccosh), "acospi": (5, lambda x: np.arccos(x) / PI),
    "asin": (4, np.arcsin), "asinh": (4, np.arcsinh), "asinpi": (5, lambda x: np.arcsin(x) / PI),
    "atan": (5, np.arctan), "atanh": (5, np.arctanh), "atanpi": (5, lambda x: np.arctan(x) / PI),
    "cbrt": (2, np.cbrt), "ceil": (0, np.ceil), "cos": (4, np.cos), "cosh": (4, np.cosh), "cospi": (4, cospi),
    "erf": (16, each(math.erf)), "erfc": (16, each(math.erfc)), "exp": (3, np.exp), "exp2": (3, np.exp2),
    "exp10": (3, lambda x: np.power(LD(10), x)), "expm1": (3, np.expm1), "fabs": (0, np.abs), "floor": (0, np.floor),
    "log": (3, np.log), "log2": (3, np.log2), "log10": (3, np.log10), "log1p": (2, np.log1p), "rint": (0, np.rint),
    "round": (0, round_), "rsqrt": (2, lambda x: 1 / np.sqrt(x)), "sin": (4, np.sin), "sinh": (4, np.sinh), "sinpi": (4, sinpi),
    "sqrt": (2.5, np.sqrt), "tan": (5, np.tan), "tanh": (5, np.tanh), "tanpi": (6, tanpi), "trunc": (0, np.trunc),
    "tgamma": (16, each(math.gamma, gamma_edge)), "logb": (0, logb),
}
TWO = {
    "atan2": (6, np.arctan2), "atan2pi": (6, lambda y, x: np.arctan2(y, x) / PI), "copysign": (0, np.copysign),
    "fdim": (0, fdim), "fmax": (0, np.fmax), "fmin": (0, np.fmin), "fmod": (0, np.fmod),
    "hypot": (4, np.hypot), "nextafter": (0, nextafter), "pow": (16, np.power), "powr": (16, powr), "remainder": (0, remainder),
    "maxmag": (0, larger), "minmag": (0, smaller),
    "divide": (2.5, lambda x, y: x / y),
}
INTEGER = {"ldexp": (0, np.ldexp), "pown": (16, lambda x, n: np.power(x, n.astype(LD))), "rootn": (16, rootn)}

EDGES = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 1.5, -1.5, 2.5, 3, -3, 4, 10, 100, 1e10, -1e10, 1e38, -1e38, 1.17549435e-38, -1.17549435e-38,
         1e-45, -1e-45, 1e-40, np.inf, -np.inf, np.nan, 3.4028235e38, -3.4028235e38, 88.7, -87.3, -103.9, 127.99, -126.5, -149.5, 34.9, 35.05,
         171.6, -171.5, 9.3, 10.05, 26.5, -150.0, 0.99999994, 1.0000001, 16777216, 8388607.5, 0.49999997, 4.9e-324, 709.7, -745.1, -1070.5]


def values(rng, count):
    """Edges, random bits, numbers of usual sizes, and numbers from -1 to 1."""
    bits = np.frombuffer(rng.bytes(count * BITS().nbytes), BITS).view(FLOAT)
    usual = rng.standard_normal(count) * 10.0 ** rng.uniform(-3, 2.2, count)
    return np.concatenate([np.array(EDGES), bits, usual, rng.uniform(-1, 1, count)]).astype(FLOAT)


def errors(got, want):
    """In ulp of the result; infinity: one is a number, the other one is none."""
    exponent = np.where(want == 0, LEAST, np.floor(np.log2(np.abs(want))))
    ulp = np.exp2(np.maximum(exponent, LEAST).astype(LD) - FRACTION)
    beyond = np.copysign(LD(2) ** (2 - LEAST), got)  # as if numbers continued there
    error = np.abs(np.where(np.isinf(got) & np.isfinite(want), beyond, got.astype(LD)) - want) / ulp
    same = (got == want.astype(FLOAT)) | (np.isnan(got) & np.isnan(want))
    return np.where(same, np.where(np.isfinite(error), np.minimum(error, 0.5), 0), np.where(np.isnan(error), np.inf, error)).astype(float)


def calls(names):
    """{name: (call in OpenCL C, limit, reference of the arguments x, y, n)}."""
    found = {name: (f"{name}(x[i])", limit, lambda x, y, n, f=f: f(x)) for name, (limit, f) in ONE.items()}
    found.update({name: (f"{name}(x[i], y[i])", limit, lambda x, y, n, f=f: f(x, y)) for name, (limit, f) in TWO.items()})
    found.update({name: (f"{name}(x[i], n[i])", limit, lambda x, y, n, f=f: f(x, n)) for name, (limit, f) in INTEGER.items()})
    found["divide"] = ("x[i] / y[i]", *found["divide"][1:])
    return {name: call for name, call in found.items() if not names or name in names}


def main():
    rng = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    x = values(rng, int(sys.argv[2]))
    y = rng.permutation(x)
    near = rng.random(len(x)) < 0.3
    y[near] = x[near] * rng.uniform(-4, 4, len(x))[near].astype(FLOAT)
    n = rng.integers(-40, 41, len(x)).astype(np.int32)
    n[::17] = rng.integers(-400, 400, len(n[::17]))
    queue = cl.CommandQueue(cl.Context([cl.get_platforms()[0].get_devices()[0]]))
    access = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(queue.context, access, hostbuf=one) for one in (x, y, n)]
    tested = calls(sys.argv[4:])
    source = "".join(f"__kernel void test_{name}(__global const T* x, __global const T* y, __global const int* n, __global T* result)"
                     f" {{ const int i = get_global_id(0); result[i] = {call}; }}\n" for name, (call, *_) in tested.items())
    program = cl.Program(queue.context, source).build([f"-DT={sys.argv[1]}"])
    wrong = []
    for name, (_, limit, reference) in tested.items():
        got = np.zeros(len(x), FLOAT)
        at = cl.Buffer(queue.context, access, hostbuf=got)
        getattr(program, f"test_{name}")(queue, x.shape, None, *buffers, at)
        cl.enqueue_copy(queue, got, at)
        want = np.asarray(reference(x.astype(LD), y.astype(LD), n), LD)
        error = errors(got, want)
        worst = int(np.argmax(error))
        if error[worst] > max(limit, 0.5):
            wrong.append(name)
        print(f"{name:10} {error[worst]:10.3f} of {limit:4} x={x[worst]!r} y={y[worst]!r} n={n[worst]} got={got[worst]!r} want={want[worst]!r}", flush=True)
    if wrong:
        sys.exit("beyond the limit: " + " ".join(wrong))


if __name__ == "__main__":
    main()
