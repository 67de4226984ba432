# SPDX-License-Identifier: Apache-2.0
"""Kernels in the style of CUDA from Python: shared memory whose size the launch sets, in runs, in machines and in streams."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import spica

ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
sys.path.insert(0, str(ROOT / "testbenches/kernels"))
from spica_runner import BINARY  # noqa: E402

TEXT = np.frombuffer((ROOT / "sw/examples/cuda/heat.cu").read_bytes()[:1000], np.uint8)
COUNTS = np.bincount(TEXT, minlength=256)
ARGS = {"bytes": "text", "n": 1000, "bins": "counts", "bin_count": 256}
SETTINGS = {"dispatcher.present": True, "command_processor.present": True}


class SharedMemoryOfTheLaunch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.work.cleanup)
        cls.elf = f"{cls.work.name}/histogram.elf"
        subprocess.run([BINARY, "cc", ROOT / "sw/examples/cuda/histogram.cu", "-o", cls.elf], check=True)

    def run_with(self, block, **given):
        text = np.zeros(1 << 16, np.uint8)
        text[:1000] = TEXT
        return spica.run(self.elf, settings=SETTINGS, grid=8, block=block, args=ARGS, inputs={"text": text}, outputs=["counts"], **given)

    def test_it_is_the_fourth_number_of_a_block(self):
        for mode in ("cycle", "fast"):
            done = self.run_with((64, 1, 1, 1024), mode=mode, checks=("hazards", "memory"))
            self.assertTrue(np.array_equal(done["counts"], COUNTS))
            self.assertEqual(done.findings, [])

    def test_streams_have_it_too(self):
        with spica.Machine(settings=SETTINGS) as machine:
            machine.load(self.elf)
            machine.write("text", np.pad(TEXT, (0, (1 << 16) - 1000)))
            machine.stream("a").launch("histogram", 4, block=(32, 1, 1, 1024), args=ARGS).launch("histogram", 8, block=(64, 1, 1, 1024), args=ARGS)
            self.assertTrue(machine.run().ok)
            self.assertTrue(np.array_equal(machine.read("counts"), 2 * COUNTS))

    def test_too_little_of_it_is_a_finding(self):
        for block in ((64, 1, 1, 1020), (64, 1, 1, 0)):
            with self.assertRaisesRegex(spica.CheckError, "outside the work group's part of shared memory(.*\n)*.*histogram.cu:"):
                self.run_with(block, checks=("memory",))

    def test_what_is_no_size_is_refused(self):
        for block, message in ((64, "whose size the launch sets"), ((64, 1, 1, -1), "and a fourth of bytes"), ((64, 1, 1, 1 << 32), "and a fourth of bytes"),
                               ((64, 1, 1, 4, 4), "and a fourth of bytes"), ((64, 1, 1, 1 << 24), "shared memory"), ((0, 1, 1, 4), "from 1 on")):
            with self.subTest(block), self.assertRaisesRegex(spica.ConfigError, message):
                self.run_with(block)


if __name__ == "__main__":
    unittest.main()
