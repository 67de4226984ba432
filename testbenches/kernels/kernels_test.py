# SPDX-License-Identifier: Apache-2.0
"""The kernels of sw/kernels run to their end and say so."""
import math
import pathlib
import struct
import unittest

from spica_runner import elf, folder, spica, stats


class Kernels(unittest.TestCase):
    def test_hello_prints_whole_lines_from_several_lanes_and_warps(self):
        result = spica("run", "virgo", elf("hello"))
        self.assertEqual(result.code, 0, result.text)
        lines = [line for line in result.out.splitlines() if "core" in line and "lane" in line]
        self.assertGreaterEqual(len(lines), 8)
        self.assertEqual(len(lines), len(set(lines)))

    def test_vecadd(self):
        result = spica("run", "virgo", elf("vecadd"))
        self.assertEqual(result.code, 0, result.text)

    def test_saxpy(self):
        result = spica("run", "virgo", elf("saxpy"))
        self.assertEqual(result.code, 0, result.text)

    def test_reduce(self):
        result = spica("run", "virgo", elf("reduce"))
        self.assertEqual(result.code, 0, result.text)

    def test_arguments_have_names(self):
        for program in elf("saxpy"), "saxpy":
            result = spica("run", "virgo", program, "--args", "alpha=-1.5,n=20")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("PASS: 20 elements, alpha -1.5", result.out)
        result = spica("run", "virgo", elf("saxpy"), "--args", "beta=1")
        self.assertEqual(result.code, 2)
        self.assertIn("there is no such argument; there are n, flags, alpha, unused, x, y, check", result.err)

    def test_softmax_is_that_of_the_host_on_any_machine(self):
        rows, columns = 5, 70
        for config, lanes in (("virgo", 8), ("volta-sm", 32), ("attention", 8)):  # the last is compiled for its shared memory
            with self.subTest(config=config), folder() as out:
                x, y = (pathlib.Path(out) / name for name in ("x.bin", "y.bin"))
                result = spica("run", config, "softmax", "--args", f"rows={rows},columns={columns}", "--check", "hazards", "--save",
                               f"{x}@0xA0000000+{4 * rows * columns}", "--save", f"{y}@0xC0000000+{4 * rows * columns}")
                self.assertEqual(result.code, 0, result.text)
                self.assertIn(f"PASS: {rows} rows of {columns}", result.out)
                x, y = (struct.unpack(f"<{rows * columns}f", path.read_bytes()) for path in (x, y))
                for row in range(rows):
                    part = slice(row * columns, (row + 1) * columns)
                    powers = [math.exp(value - max(x[part])) for value in x[part]]
                    for power, value in zip(powers, y[part]):
                        self.assertAlmostEqual(value / (power / sum(powers)), 1, delta=(columns + 8) * 2 ** -23)

    def test_elementwise_functions_are_those_of_the_host(self):
        def sigmoid(x):
            return 1 / (1 + math.exp(-x))
        functions = {"add": lambda x, z, b: x + z, "multiply": lambda x, z, b: x * z, "relu": lambda x, z, b: max(x, 0),
                     "gelu": lambda x, z, b: x * sigmoid(1.702 * x), "swish": lambda x, z, b: x * sigmoid(x),
                     "bias": lambda x, z, b: x + b}
        count, columns = 300, 7
        for number, (name, function) in enumerate(functions.items()):
            with self.subTest(operation=name), folder() as out:
                paths = [pathlib.Path(out) / letter for letter in "xzy"]
                saves = [f"--save={path}@{address}+{4 * count}" for path, address in zip(paths, ("0xA0000000", "0xA1000000", "0xC0000000"))]
                result = spica("run", "volta-sm", "elementwise", "--args", f"n={count},flags=3,operation={number},columns={columns}", *saves)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn(f"PASS: {name} of {count} elements", result.out)
                x, z, y = (struct.unpack(f"<{count}f", path.read_bytes()) for path in paths)
                for i in range(count):
                    expected = function(x[i], z[i], z[i % columns])
                    # 1.702 x is rounded before its exponential is taken.
                    bound = (4 + 2 * abs(x[i])) * 2 ** -24 * abs(expected)
                    self.assertAlmostEqual(y[i], expected, delta=bound + 1e-30)
        self.assertEqual(spica("run", "virgo", "elementwise", "--args", "n=9,flags=3,operation=6").code, 2)

    def test_results_folder_is_complete(self):
        with folder() as out:
            result = spica("run", "virgo", elf("hello"), "--out", out)
            self.assertEqual(result.code, 0, result.text)
            names = sorted(path.name for path in pathlib.Path(out).iterdir())
            self.assertEqual(names, ["config.yaml", "console.txt", "stats.json"])
            data = stats(out)
            for key in ("cycles", "instructions", "host_seconds", "simulated_cycles_per_second",
                        "provenance", "stats"):
                self.assertIn(key, data)
            console = (pathlib.Path(out) / "console.txt").read_text()
            self.assertIn("lane", console)

    def test_memory_is_loaded_and_saved(self):
        with folder() as out:
            source = pathlib.Path(out) / "in.bin"
            target = pathlib.Path(out) / "out.bin"
            source.write_bytes(bytes(range(256)) * 4)
            result = spica("run", "virgo", elf("hello"), "--load", f"{source}@0xB0000000", "--save",
                           f"{target}@0xB0000000+1024")
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(target.read_bytes(), source.read_bytes())


if __name__ == "__main__":
    unittest.main()
