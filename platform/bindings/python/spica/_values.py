# SPDX-License-Identifier: Apache-2.0
"""What a user gives, as a machine takes it. What is wrong is a ConfigError."""
import collections.abc
import decimal
import numbers
import os

import numpy as np

from ._machine import ConfigError

UNKNOWN = 0
KINDS = {"b": 1, "u": 1, "i": 2, "f": 3, "V": UNKNOWN}


def single_of(text):
    """The float that a program reads: rounded once, not to a double first."""
    number = float(text)
    with np.errstate(all="ignore"):
        near = float(np.float32(number))
        other = 2 * number - near
        if near == number or not abs(number) < 2.0**128 or float(np.float32(other)) != other:
            return near
    exact, half = decimal.Decimal(text), decimal.Decimal(number)  # between two floats
    return near if exact == half else max(near, other) if exact > half else min(near, other)


def shortest(number, digits, read):
    """The text with the fewest digits that is read as that number."""
    texts = [f"{number:.{few}g}" for few in range(1, digits + 1)]
    return next((text for text in texts if read(text) == number), texts[-1])


def number_text(number):
    """Of a double. A program may have a float there; where the shortest text is another float than the number, all digits."""
    text = shortest(number, 17, float)
    with np.errstate(over="ignore"):
        return text if not np.isfinite(number) or single_of(text) == np.float32(number) else f"{number:.1100g}"


def single_text(number):
    """Of a float."""
    return shortest(number, 9, single_of)


def value_text(name, value):
    """The value of an argument, as --args takes it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_, numbers.Integral)):
        return str(int(value))
    if isinstance(value, (np.float32, np.float16)):
        return single_text(float(value))
    if isinstance(value, numbers.Real):
        return number_text(float(value))
    raise ConfigError(f"argument '{name}': a number or the name of a symbol, not {type(value).__name__}")


def value_texts(name, value):
    """(name, text) of an argument; of an array each element."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
        array = np.asarray(value)
        if array.dtype.kind not in "buif":
            raise ConfigError(f"argument '{name}': an array of numbers, not of {array.dtype}")
        return [(name + "".join(f"[{i}]" for i in index), value_text(name, array[index])) for index in np.ndindex(*array.shape)]
    return [(name, value_text(name, value))]


def as_dtype(name, values, dtype):
    """Numbers outside an array, converted to the type of a variable."""
    array = np.asarray(values)
    if array.dtype.kind not in "buif" or dtype.kind not in "uif":
        raise ConfigError(f"input {name!r}: {type(values).__name__} is no array of numbers" if array.dtype.kind not in "buif" else
                          f"input {name!r}: the program does not say of which type it is; give an array with a dtype")
    with np.errstate(all="ignore"):
        result = array.astype(dtype)
    if dtype.kind in "ui" and not np.array_equal(result.astype(object), array.astype(object)):
        raise ConfigError(f"input {name!r}: values do not fit {dtype.name}")
    return result


def array_of(name, value, dtype):
    """(kind, contiguous array in the order of bytes of the machine) of what a user gives."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return UNKNOWN, np.frombuffer(value, dtype=np.uint8)
    if not isinstance(value, (np.ndarray, np.generic)):
        value = as_dtype(name, value, dtype())
    array = np.asarray(value)
    if array.dtype.kind not in KINDS or array.dtype.hasobject:
        raise ConfigError(f"input {name!r}: arrays of {array.dtype} do not go into a machine")
    kind = KINDS[array.dtype.kind]
    array = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    return kind, array


def bytes_of(array):
    return memoryview(array.reshape(-1).view(np.uint8))


class Problems:
    """Collects ConfigErrors, to raise them as one."""

    def __init__(self):
        self.lines = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, ConfigError):
            self.lines += error.problems
            return True
        return False

    def check(self):
        if self.lines:
            raise ConfigError("\n".join(self.lines))


def whole_number(what, value, bits=32):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or not 0 <= value < 2**bits:
        raise ConfigError(f"{what}: a number from 0 to {2**bits - 1}, not {value!r}")
    return int(value)


def extent(what, value, most=3):
    """A number, or one to three of them; of a block (most: 4) a fourth is bytes of shared memory."""
    if value is None:
        return []
    each = [value] if isinstance(value, (str, numbers.Number, np.bool_)) or not isinstance(value, collections.abc.Iterable) else list(value)
    if not 1 <= len(each) <= most or any(isinstance(one, (bool, np.bool_)) or not isinstance(one, numbers.Integral) or not (i < 3) <= one < 2**32 for i, one in enumerate(each)):
        raise ConfigError(f"{what}: one to three whole numbers from 1 on{', and a fourth of bytes' if most == 4 else ''}, not {value!r}")
    return [int(one) for one in each]


def extents(grid, block):
    problems, extents = Problems(), []
    for what, value, most in (("grid", grid, 3), ("block", block, 4)):
        with problems:
            extents.append(extent(what, value, most))
    problems.check()
    return extents


def yes_or_no(what, value):
    if not isinstance(value, (bool, np.bool_)):
        raise ConfigError(f"{what}: True or False, not {value!r}")
    return bool(value)


def words(what, value):
    """A text, or several."""
    words = [value] if isinstance(value, (str, os.PathLike)) else list(value) if isinstance(value, collections.abc.Iterable) else [value]
    if not all(isinstance(word, (str, os.PathLike)) for word in words):
        raise ConfigError(f"{what}: a text or several, not {value!r}")
    return [os.fspath(word) for word in words]


def trace_file(text):
    """FILE or KIND=FILE, wherever the machine's process is."""
    kind, sign, file = text.rpartition("=") if text.partition("=")[0] in ("perfetto", "kanata", "log", "vcd") else ("", "", text)
    return kind + sign + os.path.abspath(file)
