# SPDX-License-Identifier: Apache-2.0
"""What a user gets wrong ends with one clear message and exit code 2."""
import pathlib
import unittest

from spica_runner import elf, folder, spica


class CommandLine(unittest.TestCase):
    def refused(self, *arguments, expect):
        result = spica(*arguments)
        self.assertEqual(result.code, 2, result.text)
        for text in [expect] if isinstance(expect, str) else expect:
            self.assertIn(text, result.err)
        return result

    def test_missing_elf(self):
        self.refused("run", "virgo", "/nowhere/x.elf", expect="/nowhere/x.elf")

    def test_file_that_is_no_elf(self):
        with folder() as out:
            path = pathlib.Path(out) / "x.elf"
            path.write_text("hello")
            self.refused("run", "virgo", path, expect="ELF")

    def test_host_program_is_refused_with_its_machine(self):
        self.refused("run", "virgo", "/bin/true", expect=["x86-64", "RISC-V"])

    def test_unknown_configuration(self):
        self.refused("run", "vrigo", elf("hello"), expect="virgo")

    def test_all_configuration_mistakes_at_once(self):
        result = self.refused("config", "virgo", "--set", "cluster.cors=2", "--set", "l2.ways=three",
                              "--set", "cluster.core.warps=900", "--set", "l2.line_bytes=48",
                              expect=["cluster.cors", "cores", "l2.ways", "cluster.core.warps",
                                      "l2.line_bytes"])
        self.assertEqual(len(result.err.strip().splitlines()), 4)

    def test_contradiction_names_both_keys(self):
        self.refused("config", "virgo", "--set", "cluster.shared_memory.size=256 KiB",
                     expect=["window_bytes", "shared_memory.size"])

    def test_list_shows_unit_range_and_source(self):
        result = spica("config", "--list", "--find", "simt_stack_depth")
        self.assertEqual(result.code, 0)
        for text in ("entries", "64", "7", "VX_split_join.sv"):
            self.assertIn(text, result.out)

    def test_dump_can_be_loaded_again(self):
        with folder() as out:
            first = spica("config", "virgo", "--dump", "--set", "cluster.cores=2")
            self.assertEqual(first.code, 0, first.text)
            path = pathlib.Path(out) / "dump.yaml"
            path.write_text(first.out)
            second = spica("config", path, "--dump")
            self.assertEqual(second.code, 0, second.text)
            def values(text):
                return [line.split("#")[0].rstrip() for line in text.splitlines()
                        if line.split("#")[0].strip()]
            self.assertEqual(values(first.out), values(second.out))

    def test_unknown_option(self):
        self.refused("gemm", "--sise", "64x64x64", expect="--sise")

    def test_size_that_is_no_size(self):
        self.refused("gemm", "--size", "64by64", expect="64by64")

    def test_load_outside_memory(self):
        with folder() as out:
            path = pathlib.Path(out) / "x.bin"
            path.write_bytes(b"1234")
            self.refused("run", "virgo", elf("hello"), "--load", f"{path}@0x100", expect="0x")

    def test_help_names_the_commands(self):
        result = spica("--help")
        self.assertEqual(result.code, 0)
        for command in ("gemm", "run", "config", "bench"):
            self.assertIn(command, result.out)


if __name__ == "__main__":
    unittest.main()
