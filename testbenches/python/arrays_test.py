# SPDX-License-Identifier: Apache-2.0
"""numpy arrays in and out, with the types that the program's debug information has."""
import unittest

import numpy as np
import spica

from python_kernel import ELF, SMALL, run


class Arrays(unittest.TestCase):
    def refused(self, text, **given):
        """One ConfigError with this text; returns its problems."""
        with self.assertRaises(spica.ConfigError) as caught:
            run(**given)
        self.assertIn(text, str(caught.exception))
        return caught.exception.problems

    def test_arguments_and_inputs_go_in_and_outputs_come_out_in_both_modes(self):
        x = np.arange(64, dtype=np.float32)
        for mode in "cycle", "fast":
            with self.subTest(mode):
                result = run(args={"factor": 2.5, "offset": -3}, inputs={"x": x}, outputs=["y"], mode=mode)
                np.testing.assert_array_equal(result["y"], 2.5 * x - 3)
                self.assertEqual((result["y"].dtype, result["y"].shape), (np.float32, (64,)))
                self.assertTrue(result.ok)

    def test_outputs_have_the_type_and_shape_they_have_in_the_program(self):
        result = run(args={"precise": 0.1}, inputs={"pairs": np.array([(4, 1.5)], dtype=[("first", "<i4"), ("second", "<f4")])},
                     outputs=["x", "table", "halves", "wide", "flag", "limit", "pairs", "wrapped", "colour", "deep::counts"])
        types = {name: (array.dtype.str, array.shape) for name, array in result.outputs.items()}
        self.assertEqual(types, {"x": ("<f4", (64,)), "table": ("<i4", (4, 8)), "halves": ("<u2", (3,)), "wide": ("<f8", ()),
                                 "flag": ("|u1", ()), "limit": ("<u4", ()), "pairs": ("|V8", (5,)), "wrapped": ("<f4", (6,)),
                                 "colour": ("|u1", ()), "deep::counts": ("<i8", (2, 2))})
        self.assertEqual(result["table"][:, 0].tolist(), [0, 1, 2, 3])
        self.assertEqual(result["halves"].tolist(), [1, 2, 65535])
        self.assertEqual((result["wide"], result["limit"], result["flag"]), (0.1, 7, 1))
        self.assertEqual(result["deep::counts"].tolist(), [[1, -2], [3, -4]])
        pairs = result["pairs"].view([("first", "<i4"), ("second", "<f4")])
        self.assertEqual((pairs[0].item(), pairs[1].item()), ((4, 1.5), (0, float(np.float32(0.1)))))

    def test_what_an_array_may_be(self):
        table = np.arange(32, dtype=np.int32).reshape(4, 8)
        for given, rows in ((table, 4), (table[:2], 2), (table.reshape(-1), 4), (table[:3].reshape(-1), 3), (np.asfortranarray(table), 4),
                            (table.astype(">i4"), 4), (table[::-1][::-1], 4), (table.tolist(), 4), (table.tobytes(), 4), (table[:1].tobytes(), 1)):
            with self.subTest(str(given)[:50]):
                expected = np.zeros((4, 8), np.int32)
                expected[:rows] = table[:rows]
                expected[:, 0] += np.arange(4)
                np.testing.assert_array_equal(run(inputs={"table": given}, outputs=["table"])["table"], expected)
        result = run(inputs={"flag": False, "limit": np.uint32(9), "wide": 0.3, "colour": np.array(True), "halves": range(3)},
                     outputs=["flag", "limit", "wide", "colour", "halves"])
        self.assertEqual([array.tolist() for array in result.outputs.values()], [0, 9, 0.3, 1, [0, 1, 2]])

    def test_an_array_that_does_not_fit_is_refused_with_both_types(self):
        for given, text in ((np.arange(64), "int64[64] does not fit 'x', which is float32[64]: the elements differ"),
                            (np.zeros(65, np.float32), "float32[65] does not fit 'x', which is float32[64]: that is too much"),
                            (np.zeros((8, 8), np.float32), "float32[8][8] does not fit 'x', which is float32[64]: the shapes differ"),
                            (b"." * 257, "byte[257] does not fit 'x', which is float32[64]: the data has 257 bytes, the variable 256"),
                            (np.zeros(3, np.complex64), "arrays of complex64 do not go into a machine"),
                            (np.array(["a"]), "arrays of <U1 do not go into a machine"), ("text", "str is no array of numbers"),
                            ({1: 2}, "dict is no array of numbers")):
            with self.subTest(text):
                self.refused("input 'x': " + text, inputs={"x": given})
        self.refused("int32[4] does not fit 'table', which is int32[4][8]: the shapes differ", inputs={"table": np.zeros(4, np.int32)})
        self.refused("input 'halves': values do not fit uint16", inputs={"halves": [1, 65536]})
        self.refused("input 'halves': values do not fit uint16", inputs={"halves": [1.5]})
        self.refused("input 'limit': values do not fit uint32", inputs={"limit": -1})
        self.refused("the data has 48 bytes, the variable 40", inputs={"pairs": np.zeros(6, dtype=[("a", "<i4"), ("b", "<i4")])})

    def test_all_that_is_wrong_is_said_at_once(self):
        problems = self.refused("", args={"n": 1, "nn": 2, "factor": "much", "offset": 2**31, "mode": {1}}, inputs={"z": np.zeros(1), "x": np.zeros(1)},
                                outputs=["yy", "y"])
        self.assertEqual(len(problems), 7, problems)
        for problem, text in zip(problems, ("argument 'mode': a number or the name of a symbol, not set", "item 'nn=2': there is no such argument; there are n, mode",
                                            "'much' is not a floating-point number", "2147483648 does not fit 32 bits", "no symbol 'z'",
                                            "input 'x': float64[1] does not fit 'x'", "no symbol 'yy'")):
            self.assertIn(text, problem)
        problems = self.refused("", settings={"cluster.coers": 2, "clock_mhz": 0})
        self.assertEqual(len(problems), 2, problems)

    def test_arguments_are_numbers_symbols_or_the_text_of_the_command_line(self):
        for value in 0.1, np.float32(0.1), np.float64(0.1), 1, True, np.int8(1), 1e30, -0.0, 16777217, 1.00000017881393432617187500:
            with self.subTest(value):
                result = run(args={"factor": value}, inputs={"x": np.ones(1, np.float32)}, outputs=["y"])
                self.assertEqual(result["y"][0], np.float32(value))
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF, args={"precise": 0.1, "address": "y", "n": "0x20"})
            machine.run()
            self.assertEqual(machine["pairs"].view([("a", "<i4"), ("b", "<f4")])["b"][1], np.float32(0.1))
            self.assertEqual(machine["deep::counts"][1, 1], machine.variable("y").address - 4)
            self.assertEqual(machine.console, "32 elements\n")
        self.assertEqual(run(args="n=5,factor=3").console, "5 elements\n")
        self.refused("names and values must not contain a comma", args={"n": "1,factor=2"})

    def test_addresses_take_arrays_and_give_what_is_asked_for(self):
        data = np.arange(6, dtype=np.int16).reshape(2, 3)
        result = run(inputs={0xA0000000: data}, outputs={0xA0000000: (np.int16, (2, 3)), "x": np.uint8, "table": (np.int32, 8), "limit": None})
        np.testing.assert_array_equal(result[0xA0000000], data)
        self.assertEqual((result["x"].shape, result["table"].shape, result["limit"][()]), ((256,), (8,), 7))
        self.refused("an address needs a dtype", outputs=[0xA0000000])
        self.refused("an address takes an array with a dtype, or bytes", inputs={0xA0000000: [1]})
        self.refused("float32[65] is more than 'x' has, which is float32[64]", outputs={"x": (np.float32, 65)})
        self.refused("lies outside memory", inputs={16: data})


if __name__ == "__main__":
    unittest.main()
