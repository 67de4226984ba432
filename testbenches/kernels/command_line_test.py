# SPDX-License-Identifier: Apache-2.0
"""What a user gets wrong ends with one clear message and exit code 2."""
import json
import pathlib
import re
import unittest

from spica_runner import elf, folder, spica, stats


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

    def test_options_that_would_do_nothing_are_refused_all_at_once(self):
        run = "run", "virgo", elf("hello")
        self.refused(*run, "--keep", "stats.l2.hits", "--lines", "--power-window", "100", "--trace-filter", "core=0",
                     "--trace-limit", "1MiB", "--trace-no-cycles", "--suppress", "/dev/null",
                     expect=["--keep does nothing without --record.", "--lines does nothing without --out or --report.",
                             "--power-window does nothing without --out or --report.",
                             "--trace-filter does nothing without --trace.", "--trace-limit does nothing without --trace.",
                             "--trace-no-cycles does nothing without --trace.", "--suppress does nothing without --check."])
        self.refused("gemm", "--top", "3", "--disassembly", expect=["--top does nothing without --annotate.",
                                                                    "--disassembly does nothing without --annotate."])
        with folder() as out:
            self.refused(*run, "--out", out, "--power-window", "100", expect="--power-window does nothing without --energy")
        self.refused("config", "virgo", "--as", "json", expect="--as does nothing without --list or --find.")
        self.refused("config", "virgo", "--list", "--dump", "--set", "clusters=2",
                     expect=["--dump does nothing with --list.", "--set does nothing with --list."])
        self.refused("power", "--events", "--voltage", "0.7", expect="--voltage does nothing with --events.")
        self.refused("area", "--table", "--parts", expect="--parts does nothing with --table.")
        self.refused("sweep", "run", "accuracy", "--tasks", "3", "--no-submit",
                     expect=["--tasks does nothing without --slurm.", "--no-submit does nothing without --slurm."])

    def test_arguments_are_those_of_the_program(self):
        run = "run", "virgo", "vecadd", "--args"
        self.refused(*run, "u32:16,u32:1", expect="'a' (u64) has no value")
        self.refused(*run, "n=16,n=17", expect="'n=17': it is given twice")
        self.refused(*run, "u32:16,f32:1,u64:0,u64:0,u64:0,u8:3",
                     expect=["the program has 'flags' there, u32 at byte 4", "'u8:3' at byte 32: the argument block ends at byte 32"])

    def test_a_name_that_is_too_long_for_the_system_is_the_users(self):
        with folder() as out:
            design = pathlib.Path(out) / "d.yaml"
            design.write_text(f"extends: designs/virgo-dma\nkernel: {'k' * 300}\n")
            self.refused("gemm", "--design", design, expect="name too long")
            for arguments in (("run", "virgo", "k" * 300), ("run", "c" * 300, "hello"), ("gemm", "--design", "d" * 300),
                              ("config", "c" * 300), ("sweep", "table", "s" * 300), ("report", "r" * 300),
                              ("stream", "s" * 300), ("train", "l" * 300), ("run", "virgo", "hello", "--out", f"{out}/{'o' * 300}"),
                              ("run", "virgo", "hello", "--record", f"{out}/{'o' * 300}"), ("new", f"{out}/{'n' * 300}")):
                result = spica(*arguments)
                self.assertEqual(result.code, 2, result.text)

    def test_size_that_is_no_size(self):
        self.refused("gemm", "--size", "64by64", expect="64by64")

    def test_load_outside_memory(self):
        with folder() as out:
            path = pathlib.Path(out) / "x.bin"
            path.write_bytes(b"1234")
            self.refused("run", "virgo", elf("hello"), "--load", f"{path}@0x100", expect="0x")

    def test_help_of_runs_has_its_options_in_groups(self):
        for command in ("gemm", "attention", "concurrent", "stream", "run"):
            parts = re.split(r"^([A-Z][a-z ]+):$", spica(command, "--help").out, flags=re.M)
            groups = dict(zip(parts[1::2], parts[2::2]))
            self.assertEqual("Work" in groups, command != "stream", command)  # whose work is a file
            for group, option in (("Machine", "--set"), ("Results", "--out"), ("Debugging", "--gdb"), ("Options", "--help")):
                self.assertIn(option, groups[group], command)
            self.assertLess(len(groups["Options"].splitlines()), 6, command)
            for line in "".join(parts).splitlines():
                self.assertLessEqual(len(line[30:]), 120, f"{command}: {line}")  # behind the names

    def test_a_run_as_data_is_that_of_its_command_line(self):
        with folder() as out:
            document = pathlib.Path(out) / "run.json"
            asked = {"job": "gemm", "size": "64x64x64", "batch": 2, "energy": True, "set": ["l2.ways=4", "run.quantum=500"],
                     "keep": ["stats.l2.read_misses"], "record": f"{out}/data"}
            document.write_text(json.dumps(asked))
            self.assertEqual(spica("config", "--kind", "job", document).code, 0)
            result = spica("job", document)
            self.assertEqual(result.code, 0, result.text)
            words = ("gemm", "--size", "64x64x64", "--batch", "2", "--energy", "--set", "l2.ways=4", "--set", "run.quantum=500",
                     "--keep", "stats.l2.read_misses", "--record")
            self.assertEqual(spica(*words, f"{out}/words").code, 0)
            records = [json.loads(pathlib.Path(out, name).read_text()) for name in ("data", "words")]
            self.assertEqual(*records)
            asked.update(out=out, record=f"{out}/third")
            document.write_text(json.dumps(asked))
            self.assertEqual(spica("job", document).code, 0)
            self.assertIn(" ".join(words), stats(out)["provenance"]["command_line"])

    def test_all_that_is_wrong_with_a_run_as_data_is_reported(self):
        with folder() as out:
            document = pathlib.Path(out) / "run.yaml"
            for text, messages in (('{"job": "gem"}', ['job: "gem" is not one of the choices, did you mean "gemm"?; allowed: gemm, attention, run']),
                                   ("[]", ["job: is missing; allowed: gemm"]),
                                   ('job: gemm\nbatch: two\nsiz: 64x64x64\nseed: [1, 2]\nkeep: [cycles]\n',
                                    ["run.yaml:2: batch: \"two\" is not a whole number; allowed: 1..4096 products",
                                     "run.yaml:3: siz: unknown key, did you mean \"size\"?; allowed: job, design, size,",
                                     "run.yaml:4: seed: a list is not a whole number",
                                     "run.yaml:5: keep: does nothing without record"]),
                                   ('{"job": "gemm", "load": ["x@0"]}', ["load: unknown key"]),
                                   ('{"job": "run", "config": "virgo"}', ["elf: is missing"])):
                document.write_text(text)
                self.refused("job", document, expect=messages)
                self.refused("config", "--kind", "job", document, expect=messages)
            self.refused("job", "nowhere", expect="no such run; allowed: the path of a YAML file")

    def test_help_names_the_commands(self):
        result = spica("--help")
        self.assertEqual(result.code, 0)
        for command in ("gemm", "run", "config", "bench"):
            self.assertIn(command, result.out)


if __name__ == "__main__":
    unittest.main()
