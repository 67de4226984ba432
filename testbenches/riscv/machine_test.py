# SPDX-License-Identifier: Apache-2.0
"""Machine mode, tohost, performance counters, and programs for other configurations, on whole runs."""
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest
from unittest import mock

from riscv_build import FAST, FOLDER, build, run, run_on_qemu

sys.path.insert(0, str(FOLDER.parent / "kernels"))
from spica_runner import stats  # noqa: E402
from trace_reader import Kanata  # noqa: E402


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="spica-riscv-")))

    def program(self, source, *options):
        target = self.folder / f"{source}.elf"
        build(FOLDER / source, target, *options)
        return target


class MachineMode(Programs):
    def passes(self, source, *options):
        result = run(self.program(source), "-q", *options)
        self.assertEqual(result.code, 0, result.text)

    def test_every_exception_traps_with_its_cause_value_and_address(self):
        self.passes("traps.S")

    def test_user_mode_sees_less_and_machine_mode_comes_back(self):
        self.passes("modes.S")

    def test_a_warp_with_several_lanes_traps_as_a_whole_and_each_warp_for_itself(self):
        self.passes("lanes.S")

    def test_locks_and_counters_of_all_warps_lose_nothing(self):
        self.passes("locks.S")

    def test_the_float_unit_is_off_initial_clean_or_dirty_as_mstatus_says(self):
        self.passes("float_unit.S")

    def test_an_independent_machine_agrees_about_the_float_unit(self):
        code = run_on_qemu(self.program("float_unit.S"))
        if code is None:
            self.skipTest("qemu-system-riscv32 is not installed")
        self.assertEqual(code, 0)

    def test_a_program_that_never_writes_mstatus_has_floating_point(self):
        result = run(self.program("float_off.S"), "-q")
        self.assertEqual((result.code, result.err), (0, ""))
        result = run(self.program("float_off.S", "-DWRITE=0"), "--set", "cluster.core.machine_mode=false", "-q")
        self.assertEqual((result.code, result.err), (0, ""))
        # On again: dirty stays dirty.
        self.assertEqual(run(self.program("float_off.S", "-DWRITE=0x6000"), "-q").code, 0)

    def test_without_a_handler_the_float_unit_that_is_off_is_a_fault_with_its_reason(self):
        result = run(self.program("float_off.S", "-DWRITE=8"))
        self.assertEqual(result.code, 1)
        self.assertIn("fmv.w.x", result.err)
        self.assertIn("switched the floating-point unit off", result.err)

    def test_counters_can_be_set(self):
        self.passes("set_counters.S")
        result = run(self.program("set_counters.S"), "--set", "cluster.core.machine_mode=false")
        self.assertEqual(result.code, 1)

    @unittest.skipIf(FAST, "the fast mode has no pipeline")
    def test_instructions_behind_a_trap_are_dropped_in_the_pipeline_log(self):
        log = self.folder / "t.kanata"
        self.passes("traps.S", "--trace", log, "--out", self.folder)
        trace = Kanata(log)
        unfinished = [entry for entry in trace.instructions.values() if "not committed" in entry["detail"]]
        self.assertEqual(trace.retired + sum("lanes" in entry["detail"] for entry in unfinished),
                         stats(self.folder)["instructions"])
        self.assertLess(len(unfinished), 16, "all others left when they were dropped")
        self.assertGreater(trace.flushed - len(unfinished), 10)

    def test_a_warp_without_a_handler_is_reported_whatever_the_others_have(self):
        result = run(self.program("lanes.S", "-DUNHANDLED=1"))
        self.assertEqual(result.code, 1)
        for text in ("an ecall without a trap handler", "core 0, warp 1", "warp_without_handler"):
            self.assertIn(text, result.err)

    def test_a_handler_where_there_is_no_code_is_named_in_the_report(self):
        result = run(self.program("bad_handler.S"))
        self.assertEqual(result.code, 1)
        self.assertIn("an illegal instruction", result.err)
        self.assertIn("there is no code at mtvec = 0x10000000", result.err)

    def test_a_handler_that_never_gets_past_its_trap_is_a_live_lock(self):
        for storm in range(5):
            with self.subTest(storm=storm):
                result = run(self.program("trap_storm.S", f"-DSTORM={storm}"), "--set", "run.hang_cycles=20000")
                self.assertEqual(result.code, 1, result.text)
                self.assertRegex(result.err, r"Live-lock: core 0, warp 0 takes the same trap again and again, at pc 0x")
                if storm != 2:  # calls are not listed
                    self.assertRegex(result.err, r"Last traps\n  core 0, warp 0: .*; \d+ traps in all")

    def test_a_handler_that_traps_at_once_ends_at_the_cycle_limit(self):
        for quantum in (1000, 1000000000):
            result = run(self.program("trap_storm.S", "-DSTORM=0"), "--set", "run.max_cycles=50000",
                         "--set", f"run.quantum={quantum}", "--out", self.folder / "out")
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("Stopped at run.max_cycles = 50000", result.err)
            self.assertLess(stats(self.folder / "out")["simulated_cycles"], 51200)

    def test_misaligned_accesses_of_user_mode_can_trap_too(self):
        result = run(self.program("modes.S"), "--set", "cluster.core.misaligned=trap")
        self.assertEqual(result.code, 1)
        self.assertIn("through tohost", result.err)
        self.assertRegex(result.err, r"Last traps\n  core 0, warp 0: misaligned load at pc 0x8000[0-9a-f]{4} "
                                     r"\(after_call\), mtval 0x8000[0-9a-f]{4}; \d+ traps in all")

    def test_without_machine_mode_the_registers_read_zero_and_nothing_traps(self):
        result = run(self.program("bad_handler.S"), "--set", "cluster.core.machine_mode=false")
        self.assertEqual(result.code, 1)
        self.assertIn("an illegal instruction", result.err)
        self.assertNotIn("mtvec", result.err)
        result = run(self.program("traps.S"), "--set", "cluster.core.machine_mode=false")
        self.assertEqual(result.code, 1)
        self.assertIn("mret", result.err)  # the first instruction that needs it


class Compressed(Programs):
    RVC = "-march=rv32imafc_zicsr_zifencei"

    def test_a_header_that_announces_compressed_instructions_stops_nothing(self):
        program = self.program("compressed.S", self.RVC)
        self.assertEqual(program.read_bytes()[36] & 1, 1)
        result = run(program, "-q")
        self.assertEqual((result.code, result.err), (0, ""))

    def test_a_compressed_instruction_that_is_fetched_is_a_fault_that_names_the_header(self):
        result = run(self.program("compressed.S", self.RVC, "-DCOMPRESSED"))
        self.assertEqual(result.code, 1)
        self.assertIn("a compressed instruction, which the cores do not support", result.err)
        self.assertIn("EF_RISCV_RVC", result.err)
        self.assertIn("-march=rv32imaf", result.err)


class HostCalls(Programs):
    def ending(self, number):
        return run(self.program("host_calls.c", "-O1", "-ffreestanding", f"-DENDING={number}"))

    def test_characters_and_system_calls_print_and_answer(self):
        result = self.ending(0)
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("ab\nwritten by a system call\n", result.out)
        self.assertIn("system call 1234", result.err)
        self.assertIn("passed", result.out)

    def test_an_odd_value_is_the_number_of_the_failed_test(self):
        result = self.ending(1)
        self.assertEqual(result.code, 1)
        self.assertIn("exit code 42.", result.err)
        self.assertIn("FAILED", result.out)

    def test_the_exit_system_call_ends_the_run(self):
        result = self.ending(2)
        self.assertEqual(result.code, 7)

    def test_the_low_word_alone_counts_after_a_while(self):
        self.assertEqual(self.ending(3).code, 0)

    def test_an_even_value_that_is_no_address_is_a_fault(self):
        result = self.ending(4)
        self.assertEqual(result.code, 1)
        self.assertIn("0x10000000 is even", result.err)
        self.assertRegex(result.err, r"\n  in +main")

    def test_an_unknown_device_is_named(self):
        result = self.ending(5)
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("device 5 command 0", result.err)

    def test_the_results_say_how_the_run_ended(self):
        out = self.folder / "out"
        result = run(self.program("host_calls.c", "-O1", "-ffreestanding", "-DENDING=1"), "--out", out)
        self.assertEqual(result.code, 1)
        self.assertEqual(stats(out)["exit_code"], 42)


class Counters(Programs):
    def dump(self, *options, putchar=0xFF010000):
        """Counters of core 1 by number as (low, high), end-of-run statistics, result of the run."""
        program = self.program("counters.S", f"-DPUTCHAR={putchar:#x}")
        out, image, result = self.folder / "out", self.folder / "dump", self.folder / "result"
        ran = run(program, "--out", out, "--save", f"{image}@0xFF080140+256", "--save", f"{result}@result+4", *options)
        self.assertEqual(ran.code, 0, ran.text)
        words = struct.unpack("<64I", image.read_bytes())
        counters = {0xB00 + i: words[i] | words[32 + i] << 32 for i in range(32)}
        self.assertEqual(struct.unpack("<I", result.read_bytes()), (24,))  # minstret counts lanes
        return counters, stats(out), ran

    def test_without_a_class_only_cycles_and_instructions_count(self):
        counters, _, ran = self.dump()
        self.assertGreater(counters[0xB00], 100 if FAST else 300)
        self.assertGreater(counters[0xB02], 20 * 8 * 8)
        self.assertEqual({n: v for n, v in counters.items() if v != 0}.keys(), {0xB00, 0xB02})
        self.assertEqual(sorted(ran.out.split()[:4]), ["0", "1", "2", "3"])  # putchar in the print buffer

    @unittest.skipIf(FAST, "pipeline and memory system are not modelled")
    def test_class_1_shows_the_pipeline(self):
        counters, data, _ = self.dump("--set", "cluster.core.mpm_class=1")
        core = data["stats"]["cluster_0"]["core_1"]
        after = 80  # instructions at most behind the first counter that is read
        for number, name in ((0xB07, "alu"), (0xB08, "fpu"), (0xB09, "load_store"), (0xB0A, "sfu"), (0xB0B, "fetches"),
                             (0xB0C, "lane_loads"), (0xB0D, "lane_stores"), (0xB11, "csr")):
            end = value(core, name)
            self.assertLessEqual(counters[number], end, name)
            slack = 0 if name in ("fpu", "lane_loads") else 2 * after
            self.assertGreaterEqual(counters[number] + slack, end, name)
        self.assertEqual(counters[0xB08], 40)       # 20 conversions, 20 additions
        self.assertEqual(counters[0xB0C], 320)      # 40 loads of 8 lanes
        self.assertGreater(counters[0xB06], 100)    # scoreboard
        self.assertGreater(counters[0xB0E], 3 * counters[0xB0B])
        self.assertGreater(counters[0xB0F], 40 * 8)
        self.assertEqual(counters[0xB10], 2)        # tmc twice
        self.assertGreater(counters[0xB03], 0)

    @unittest.skipIf(FAST, "pipeline and memory system are not modelled")
    def test_class_2_shows_the_memory_system(self):
        counters, data, _ = self.dump("--set", "cluster.core.mpm_class=2")
        blocks = data["stats"]["cluster_0"]
        dcache = blocks["dcache_1"]
        reads = sum(value(dcache, name) for name in ("read_hits", "read_misses", "read_merged"))
        self.assertEqual(counters[0xB06], reads)
        self.assertGreaterEqual(counters[0xB06], 20)
        self.assertGreater(counters[0xB07], 20)
        self.assertGreater(counters[0xB03], 100)
        self.assertGreater(counters[0xB04], 5)
        self.assertGreater(counters[0xB0C], 5)
        self.assertGreater(counters[0xB18], 5)
        shared = blocks["shared_memory"]
        self.assertLessEqual(counters[0xB1B], value(shared, "core_words_read"))
        self.assertGreaterEqual(counters[0xB1B], 160)  # 20 loads of 8 lanes by this core

    def test_putchar_in_a_window_of_its_own_leaves_the_dump_beside_it(self):
        _, _, ran = self.dump("--set", "cluster.memory_map.putchar_base=0xFF080000", "--set",
                              "cluster.memory_map.window_bytes=512KiB", putchar=0xFF080000)
        self.assertEqual(sorted(ran.out.split()[:4]), ["0", "1", "2", "3"])


def value(counters, name):
    return counters[name]["value"]


class OtherConfigurations(Programs):
    """With a configuration that has 128 KiB of shared memory and eight cores beside the shipped ones."""

    def setUp(self):
        super().setUp()
        root = pathlib.Path(os.environ["SPICA_ROOT"])
        shutil.copytree(root / "configs", self.folder / "configs")
        (self.folder / "configs" / "test-large.yaml").write_text(
            "extends: virgo.yaml\ncluster:\n  cores: 8\n  shared_memory: {size: 128 KiB}\n"
            "  memory_map: {window_bytes: 512 KiB}\n")
        (self.folder / "configs" / "test-bare.yaml").write_text(
            "extends: virgo.yaml\ncluster:\n  tensor_core: {present: false}\n")
        (self.folder / "configs" / "test-broken.yaml").write_text("cluster: {cores: many}\n")
        self.enterContext(mock.patch.dict(os.environ, SPICA_ROOT=str(self.folder)))

    ROCC = 0x1020B07B  # a command as software writes it to the instruction register

    def foreign(self, *defines, config="virgo", options=()):
        return run(self.program("foreign.S", *(f"-D{define}" for define in defines)), *options, config=config)

    def test_a_command_where_another_configuration_has_a_matrix_unit_is_no_silent_store(self):
        result = self.foreign("STORE=0xFF023000", f"VALUE={self.ROCC}")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("stored to 0xff023000, which is plain memory here", result.err)
        self.assertRegex(result.err, "matrix_unit_0 in .*test-large")

    def test_a_command_in_shared_memory_is_noticed_too(self):
        result = self.foreign("STORE=0xFF013000", f"VALUE={self.ROCC}", config="test-large")
        self.assertEqual(result.code, 0, result.text)
        self.assertRegex(result.err, "stored to 0xff013000, which is shared_memory here, but .*matrix_unit_0 in .*virgo")

    def test_text_where_another_configuration_prints_counts_when_none_came_out(self):
        text = "VALUE=0x0A6B6F6F"  # "ook", new line
        self.assertRegex(self.foreign("STORE=0xFF020004", text).err, "0xff020004.*print_buffer in .*test-large")
        result = self.foreign("STORE=0xFF020004", text, "PRINT=0xFF010000")
        self.assertEqual((result.code, result.err), (0, ""))

    def test_other_data_at_these_places_is_no_evidence(self):
        for define, value, config in (("STORE=0xFF023010", 0x1234, "virgo"), ("STORE=0xFF023020", self.ROCC, "virgo"),
                                      ("STORE=0xFF020004", 0x3F800000, "virgo"),
                                      ("STORE=0xFF013000", 0x3F800000, "test-large"),
                                      ("STORE=0xFF010000", 0x41424344, "test-large"),
                                      ("STORE=0xFF080000", 1, "virgo")):
            with self.subTest(define):
                result = self.foreign(define, f"VALUE={value}", config=config)
                self.assertEqual(result.code, 0, result.text)
                if define != "STORE=0xFF010000":
                    self.assertEqual(result.err, "")

    def test_a_fault_past_shared_memory_names_who_has_more(self):
        result = self.foreign("STORE=0xFF018000", "VALUE=1")
        self.assertEqual(result.code, 1)
        self.assertRegex(result.err, "0xff018000")
        self.assertRegex(result.err, "elsewhere    this address is .*shared_memory in [^;]*test-large")

    def test_an_address_that_nobody_has_says_so(self):
        result = self.foreign("STORE=0x10000000", "VALUE=1")
        self.assertIn("no configuration in configs/ has anything at this address", result.err)

    def test_a_tensor_instruction_names_who_has_tensor_cores(self):
        result = self.foreign("TENSOR=0x0000007B", config="test-bare")
        self.assertEqual(result.code, 1)
        self.assertRegex(result.err, "configurations with its tensor cores: .*virgo")
        result = self.foreign("TENSOR=0x0000007B", config="fp16-hopper")
        self.assertEqual(result.code, 1)
        self.assertIn("wmma only on synchronous tensor cores", result.err)
        self.assertRegex(result.err, "configurations with its tensor cores: .*fp16-volta")

    def test_the_other_tensor_instruction_runs_as_wmma_and_names_who_has_it(self):
        for word in ("0x00B5007B", "0x0000107B"):
            result = self.foreign(f"TENSOR={word}")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("warning: a tensor instruction that means something else", result.err)
            self.assertIn("wmma 0 #", result.err)
            self.assertRegex(result.err, "configurations with its tensor cores: .*fp16-hopper")

    def test_a_barrier_for_more_warps_names_configurations_that_have_them(self):
        result = self.foreign("WARPS=8", options=("--set", "cluster.core.warps=4"))
        self.assertEqual(result.code, 1)
        self.assertRegex(result.err, "This machine has 4 cores of 4 warps. .*4 cores of 8 warps in .*virgo")

    def test_a_barrier_for_fewer_cores_names_configurations_of_that_size(self):
        result = self.foreign("WARPS=1", "CORES=4", config="test-large")
        self.assertEqual(result.code, 1)
        self.assertRegex(result.err, "This machine has 8 cores of 8 warps. .*4 cores of 8 warps in .*virgo")
        self.assertNotRegex(result.err, "8 warps in .*test-large")

    def test_a_hang_that_no_other_shape_explains_names_none(self):
        for define in ("WARPS=9", "WARPS=2", "LOOP"):
            result = self.foreign(define)
            self.assertEqual(result.code, 1)
            self.assertNotIn("built for", result.err)

    def test_a_program_at_home_gets_no_note(self):
        for define in ("STORE=0xC0000000", "STORE=0xFF010000"):
            result = self.foreign(define, "VALUE=0x1234")
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(result.err, "")


if __name__ == "__main__":
    unittest.main()
