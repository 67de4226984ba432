# SPDX-License-Identifier: Apache-2.0
"""Random matrix-unit programs on whole machines leave the memory of the independent model."""
import os
import pathlib
import subprocess
import unittest

from spica_runner import elf, folder, spica


class MatrixCommands(unittest.TestCase):
    def check(self, config, program, shared, sums, unit=0, commands=40):
        for seed in (11, 12):
            with self.subTest(seed=seed), folder() as out:
                out = pathlib.Path(out)
                subprocess.run([os.environ["SPICA_MATRIX_PROGRAM"], config, str(unit), str(seed),
                                str(commands), out], check=True)
                wanted = [(out / f"wanted_{name}.bin").read_bytes() for name in ("results", "shared")]
                self.assertEqual([len(bytes_) for bytes_ in wanted], [256 * 1024 + sums, shared])
                result = spica("run", config, elf(program),
                               "--load", f"{out}/commands.bin@0xB0000000",
                               "--load", f"{out}/operands.bin@0xA0000000",
                               "--load", f"{out}/shared.bin@0xB1000000",
                               "--save", f"{out}/results.bin@0xC0000000+{len(wanted[0])}",
                               "--save", f"{out}/after.bin@0xB2000000+{shared}")
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(result.err, "")
                for name, want in zip(("results", "after"), wanted):
                    got = (out / f"{name}.bin").read_bytes()
                    different = [i for i in range(len(want)) if got[i] != want[i]]
                    self.assertEqual(different[:4], [], f"{len(different)} bytes of {name} differ")

    def test_first_revision(self):
        self.check("virgo", "matrix_commands_64k", 64 * 1024, 16 * 1024)

    def test_16_kb(self):
        self.check("virgo-16k", "matrix_commands_16k", 16 * 1024, 4 * 1024)

    def test_second_unit_of_another_size(self):
        self.check("virgo-dual", "matrix_commands_64k", 64 * 1024, 16 * 1024, unit=1)

    def test_fp16_with_quartile_commands_and_lines_of_16_words(self):
        self.check("fp16-quartile", "matrix_commands_128k", 128 * 1024, 32 * 1024)

    def test_fp16_with_hexadecile_commands(self):
        self.check("fp16-virgo", "matrix_commands_128k", 128 * 1024, 32 * 1024)

    def test_fp32_with_hexadecile_commands(self):
        self.check("attention", "matrix_commands_256k", 256 * 1024, 16 * 1024)


if __name__ == "__main__":
    unittest.main()
