# SPDX-License-Identifier: Apache-2.0
"""The kernels of sw/kernels run to their end and say so."""
import pathlib
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
