# SPDX-License-Identifier: Apache-2.0
"""Kernels in plain C++ in which lanes part: every result word is the host's. At length: plain_cpp/run_plain.py."""
import pathlib
import sys
import unittest

from spica_runner import folder

FOLDER = pathlib.Path(__file__).resolve().parent / "plain_cpp"
sys.path.insert(0, str(FOLDER))
import run_plain  # noqa: E402

EVERY = run_plain.LEVELS


class PlainCpp(unittest.TestCase):
    def run_file(self, name, levels, lanes=("8",), modes=("cycle", "fast"), more=()):
        with folder() as work:
            run_plain.run_source(FOLDER / name, pathlib.Path(work), levels, lanes, modes, more)

    def test_every_way_to_part_gives_the_results_of_the_host_at_every_level(self):
        self.run_file("cases.cpp", EVERY)

    def test_every_way_to_part_gives_the_results_of_the_host_with_4_16_and_32_lanes(self):
        self.run_file("cases.cpp", ["-O2"], ["4", "16", "32"])

    def test_every_operation_with_a_branch_in_it_gives_the_results_of_the_host_at_every_level(self):
        self.run_file("operations.cpp", EVERY)

    def test_every_operation_with_a_branch_in_it_gives_the_results_of_the_host_with_4_16_and_32_lanes(self):
        self.run_file("operations.cpp", ["-O2"], ["4", "16", "32"])

    def test_forced_duplication_of_code_leaves_split_and_join_alone(self):
        torture = [word for option in ("-tail-dup-size=60", "-tail-dup-placement-threshold=60",
                                       "-tail-dup-placement-aggressive-threshold=60")
                   for word in ("-mllvm", option)]
        for name in ("cases.cpp", "operations.cpp"):
            self.run_file(name, ["-O3", "-O2"], modes=["fast"], more=torture)

    def test_random_programs_give_the_results_of_the_host(self):
        with folder() as work:
            for seed in range(1, 21):
                home = pathlib.Path(work, str(seed))
                home.mkdir()
                source = home / "program.cpp"
                source.write_text(run_plain.generate(seed))
                run_plain.run_source(source, home, [EVERY[seed % 5]], [run_plain.LANES[seed // 5 % 4]],
                                     [run_plain.MODES[seed % 2]])
