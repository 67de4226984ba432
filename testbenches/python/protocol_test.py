# SPDX-License-Identifier: Apache-2.0
"""The Python side of the messages is that of C++."""
import ctypes
import os
import pathlib
import re
import struct
import unittest

import numpy as np
import spica
from spica import _machine, _values

ROOT = pathlib.Path(os.environ["SPICA_ROOT"])


def names(header, enumeration):
    """kRunCycles -> RUN_CYCLES"""
    text = (ROOT / "platform/bindings/client" / header).read_text()
    body = re.sub("//.*", "", re.search(rf"enum class {enumeration} : std::uint8_t {{(.*?)}}", text, re.DOTALL)[1])
    return [re.sub("(?<=[a-z])(?=[A-Z])", "_", word.strip()[1:]).upper() for word in body.split(",") if word.strip()]


class Protocol(unittest.TestCase):
    def test_numbers_mean_what_they_mean_in_the_headers(self):
        for header, enumeration, mine in (("wire.h", "Request", _machine.Request.__members__), ("wire.h", "Answer", _machine.Answer.__members__),
                                          ("spica.h", "Severity", [name.upper() for name in _machine.SEVERITIES]),
                                          ("spica.h", "End", [name.upper() for name in _machine.ENDS])):
            self.assertEqual(names(header, enumeration), list(mine))
        kinds = names("spica.h", "Kind")
        self.assertEqual({kinds.index("UNKNOWN"), _values.UNKNOWN, _values.KINDS["V"]}, {0})
        self.assertEqual({kinds[number] for letter, number in _values.KINDS.items() if letter in "bu"}, {"UNSIGNED"})
        self.assertEqual((kinds[_values.KINDS["i"]], kinds[_values.KINDS["f"]]), ("SIGNED", "FLOAT"))
        self.assertEqual([kind for kind in _machine.Request], list(range(len(_machine.Request))))

    def test_the_version_is_that_of_the_program(self):
        self.assertEqual(spica.__version__, re.search(r"project\(spica VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1])

    def test_a_message_that_is_too_short_is_a_bug(self):
        for data in (b"", struct.pack("=I", 1), struct.pack("=Q", 9) + b"12345678"):
            for read in (_machine._Reader.text, _machine._Reader.outcome):
                with self.assertRaisesRegex(spica.InternalError, "too short"):
                    read(_machine._Reader(data))

    def test_numbers_of_arguments_are_read_back_as_they_are(self):
        c = ctypes.CDLL(None)
        c.strtof.restype, c.strtof.argtypes = ctypes.c_float, (ctypes.c_char_p, ctypes.c_void_p)
        c.strtod.restype, c.strtod.argtypes = ctypes.c_double, (ctypes.c_char_p, ctypes.c_void_p)
        random = np.random.default_rng(1)
        doubles = random.integers(0, 2**64, 3000, np.uint64).view(np.float64)
        singles = random.integers(0, 2**32, 3000, np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            between = [(float(one) + float(np.nextafter(one, np.float32(np.inf)))) / 2 for one in singles]
            as_singles = [*doubles[np.isfinite(doubles)].astype(np.float32), *singles]
        near = [float.fromhex(text) for text in ("0x1.000001p0", "0x1.0000010000001p0", "0x1.000001p-30", "0x1.ffffffp127", "0x1p-150", "0x1p-1074")]
        for number in (*near, *between, *map(float, doubles), 0.1, -0.0, 1e300, 16777217.0, 1 / 3):
            if np.isfinite(number):
                text = _values.number_text(number).encode()
                with np.errstate(over="ignore"):
                    self.assertEqual((c.strtod(text, None), c.strtof(text, None)), (number, float(np.float32(number))))
        for number in map(float, as_singles):
            if np.isfinite(number):
                text = _values.single_text(number).encode()
                self.assertEqual((c.strtof(text, None), len(text) <= 15), (number, True))
        self.assertEqual([_values.number_text(0.1), _values.single_text(float(np.float32(0.1))), _values.number_text(1e300)], ["0.1", "0.1", "1e+300"])


if __name__ == "__main__":
    unittest.main()
