# SPDX-License-Identifier: Apache-2.0
"""Matrix multiply-adds as silicon computes them, to the bit, without a machine.

    import numpy as np
    from spica import numerics

    d = numerics.mma("hopper", a, b, c, format="fp16", result="fp32")
    steps = numerics.explain("hopper", a[3], b[:, 5], c[3, 5], format="fp16", result="fp32")

`spica numerics --list` prints the rules with their evidence. docs/howto/compare-bits-with-a-gpu.md.
"""
import re
import struct
import threading

import numpy as np

from . import _machine
from ._machine import ConfigError

__all__ = ["mma", "explain"]

_FLOATS = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}
_INTEGERS = {"int8": (np.int8, 0xFF), "uint8": (np.uint8, 0xFF), "int4": (np.int8, 0xF), "uint4": (np.uint8, 0xF)}
_RESULTS = {"fp16": np.uint16, "fp32": np.uint32, "fp64": np.uint64, "int32": np.uint32}

_turn = threading.Lock()
_service = None


def _ask(request, values):
    """The process answers all calls of this process; a lost one is replaced."""
    global _service
    with _turn:
        if _service is None or not _service.serves():
            _service = _machine.Service(_machine.program())
        service = _service
    return service.ask(request, values)


def _word(dtype_bits):
    return np.uint64 if dtype_bits == 64 else np.uint32


def _width(kind):
    """Bits of a word."""
    return next((int(digits) for digits in re.findall(r"(?:fp|bf|tf|int)(\d+)", kind)), 64)


def _words(name, array, kind):
    """Words of elements. Floating-point arrays are rounded to `kind`, to nearest even; unsigned integers are words."""
    array = np.asarray(array)
    bits = 64 if kind == "fp64" else 32
    if kind in _INTEGERS and array.dtype.kind in "iu":
        dtype, mask = _INTEGERS[kind]
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if mask == 0xFF else ((-8, 7) if dtype is np.int8 else (0, 15))
        if array.size and (array.min() < low or array.max() > high):
            raise ConfigError(f"{name}: {kind} has numbers from {low} to {high}")
        return (array.astype(np.int64) & mask).astype(np.uint32)
    if kind == "int32" and array.dtype.kind in "iu":
        if array.size and (array.min() < -2**31 or array.max() >= 2**32):
            raise ConfigError(f"{name}: int32 has 32 bits")
        return (array.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    if array.dtype.kind == "u":
        if array.size and int(array.max()) >> _width(kind):
            raise ConfigError(f"{name}: words of {kind} have {_width(kind)} bits")
        return array.astype(_word(bits))
    if array.dtype.kind != "f":
        raise ConfigError(f"{name}: floating-point numbers, or words as unsigned integers, not {array.dtype}")
    if kind in _FLOATS:
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = np.ascontiguousarray(array, dtype=_FLOATS[kind])
        return numbers.view(f"u{numbers.itemsize}").astype(_word(bits))
    if kind == "tf32":  # the unit ignores the low bits
        return np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    if kind == "bf16":
        single = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
        if array.dtype == np.float64:  # rounded once: the last bit of FP32 is odd if more follows
            cut = np.ascontiguousarray(array, dtype=np.float32)
            away = np.abs(cut.astype(np.float64)) > np.abs(array)
            single = np.where(away & np.isfinite(cut), single - 1, single).astype(np.uint32)
            inexact = single.view(np.float32).astype(np.float64) != array
            single = np.where(inexact & np.isfinite(array), single | 1, single).astype(np.uint32)
        rounded = (single.astype(np.uint64) + 0x7FFF + ((single >> 16) & 1)) >> 16
        return np.where((single & 0x7FFFFFFF) > 0x7F800000, 0x7FC0, rounded).astype(np.uint32)
    raise ConfigError(f"{name}: {kind} takes words, as unsigned integers")


def _rule(silicon, format, result, instruction):
    return b"".join(_machine._text(text) for text in (silicon, format, result, instruction))


def _bytes(array):
    return _machine._text(np.ascontiguousarray(array).tobytes())


def _scales(a, b, m, n):
    """The bytes of both, whose number the process compares with k."""
    if a is None and b is None:
        return [b"", b""]
    if a is None or b is None:
        raise ConfigError(f"{'scale_a' if a is None else 'scale_b'} is missing: A and B have scales")
    a, b = np.asarray(a), np.asarray(b)
    for name, scales in ("scale_a", a), ("scale_b", b):
        if scales.dtype != np.uint8 or scales.ndim != 2:
            raise ConfigError(f"{name}: uint8, a byte for each block along k")
    if a.shape[0] != m or b.shape[1] != n or a.shape[1] != b.shape[0]:
        raise ConfigError(f"scale_a and scale_b: matrices of {m} x blocks and blocks x {n}, not {a.shape} and {b.shape}")
    return [a.tobytes(), b.tobytes()]


def mma(silicon, a, b, c=None, *, format, result=None, instruction="", scale_a=None, scale_b=None):
    """D = A @ B + C, with the sums of `silicon` ("hopper", ...), from the first element of k on.

    a, b, c: matrices of m x k, k x n and m x n; floating-point numbers, which are rounded to `format` and `result`, or words
    as unsigned integers, an element each. TF32 has FP32 words, whose low 13 bits the unit cuts; `spica gemm` rounds before. c: None for zeros. result: "fp32" (default), "fp16", "fp64" or "int32".
    instruction: "mma", "wgmma", "tcgen05", "mfma", "mfma_1k" (BF16 of MI200); that of the silicon if omitted. scale_a, scale_b: bytes, m x (k / block)
    and (k / block) x n, of formats with block scales. Words in give words out, numbers give numbers."""
    result = result or ("int32" if format in _INTEGERS else "fp64" if format == "fp64" else "fp32")
    as_words = format not in _INTEGERS and np.asarray(a).dtype.kind == "u"
    left, right = _words("a", a, format), _words("b", b, format)
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise ConfigError(f"a and b: matrices of m x k and k x n, not {left.shape} and {right.shape}")
    (m, k), n = left.shape, right.shape[1]
    word = _word(64 if result == "fp64" else 32)
    addend = np.zeros((m, n), word) if c is None else _words("c", c, result)
    if addend.shape != (m, n):
        raise ConfigError(f"c: a matrix of {m} x {n}, not {addend.shape}")
    answer = _ask(_machine.Request.MMA, _rule(silicon, format, result, instruction) + struct.pack("=III", m, n, k)
                  + _bytes(left) + _bytes(right) + _bytes(addend.astype(word))
                  + b"".join(map(_machine._text, _scales(scale_a, scale_b, m, n))))
    words = np.frombuffer(answer.raw(m * n * np.dtype(word).itemsize), word).reshape(m, n).astype(_RESULTS[result])
    if as_words:
        return words
    return words.view(np.int32 if result == "int32" else _FLOATS[result])


def explain(silicon, a, b, c=0, *, format, result="fp32", instruction="", scale_a=None, scale_b=None):
    """How one element comes about: a row of A, a column of B, and C. A dictionary: `rule` and `evidence` as text, and `steps`,
    each with `exponent` and `grid` (both None if the step does not align), `c` and `result` as words, and `terms`: of each
    its `k`, exponent, value, and what was kept of it. k is -1 for C, and the first k of a group that is added before it is
    aligned. CDNA3 aligns twice: steps whose result is None add products, and their sum is a term with k = -2 of the next
    one. scale_a, scale_b: bytes, one for each block along k."""
    left, right = _words("a", a, format).ravel(), _words("b", b, format).ravel()
    if left.size != right.size:
        raise ConfigError(f"a and b: {left.size} and {right.size} elements")
    if result == "fp64":
        raise ConfigError("explain: sums in FP64 are those of IEEE 754, a product at a time")
    if np.size(c) != 1:
        raise ConfigError(f"c: one element, not {np.size(c)}")
    if isinstance(c, (int, float)):
        c = np.asarray(c, np.int64 if result == "int32" else np.float64)
    addend = int(_words("c", c, result).ravel()[0])
    scales = [None if one is None else np.asarray(one).reshape(shape)
              for one, shape in ((scale_a, (1, -1)), (scale_b, (-1, 1)))]
    answer = _ask(_machine.Request.EXPLAIN, _rule(silicon, format, result, instruction) + struct.pack("=I", left.size)
                  + _bytes(left) + _bytes(right) + struct.pack("=I", addend)
                  + b"".join(map(_machine._text, _scales(*scales, 1, 1))))
    rule, evidence, steps = answer.text(), answer.text(), []
    for _ in range(answer.number()):
        aligned, partial, exponent, grid, before, after = answer.get("??iiII")
        terms = [dict(zip(("k", "exponent", "value", "kept"), answer.get("iidd"))) for _ in range(answer.number())]
        steps.append({"exponent": exponent if aligned else None, "grid": grid if aligned else None,
                      "c": None if partial else before, "result": None if partial else after, "terms": terms})
    return {"rule": rule, "evidence": evidence, "steps": steps}
