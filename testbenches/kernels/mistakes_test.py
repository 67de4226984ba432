# SPDX-License-Identifier: Apache-2.0
"""What a program does wrong is reported once, in the same words in both modes: what the hardware would stop at as a
fault, what it would execute silently as a warning."""
import pathlib
import re
import unittest

from spica_runner import elf, line_of, spica

SOURCE = pathlib.Path(__file__).parent / "mistakes" / "mistakes.cpp"
CASES = re.findall(r"\w+", re.search(r"cases\[\]\)\(\) = \{([^}]*)\}", SOURCE.read_text())[1])

# Case: headline, and pieces of the detail.
WARNINGS = {
    "spawn_too_many": ("wspawn of more warps than the core has", "100 warps requested, the core has 8"),
    "spawn_running": ("wspawn of a warp that is still running", "warp 1 of the core is still running", "CSR 0xcc3"),
    "mask_too_wide": ("a mask with lanes that the warp does not have", "the mask is 0x101, a warp has lanes 0 to 7"),
    "mask_of_nobody": ("a mask with lanes that the warp does not have", "the mask is 0x100", "the warp ends"),
    "mask_of_pred": ("a mask with lanes that the warp does not have", "the mask is 0x201"),
    "even_condition": ("a condition that is neither 0 nor 1", "split tests bit 0 only: 0x2 in lane 1 counts as false"),
    "even_pred": ("a condition that is neither 0 nor 1", "pred tests bit 0 only: 0x2 in lane 0 counts as false"),
    "join_of_something": ("a condition that is neither 0 nor 1", "join takes bit 0", "here it is 0x80001230"),
    "lanes_of_frm": ("lanes that disagree on a value that the whole warp shares", "in lane", "first lane of each 4"),
    "unknown_csr": ("a CSR that does not exist", "CSR 0x7c0 does not exist: it reads as 0"),
    "unknown_csr_write": ("a CSR that does not exist", "CSR 0x7c1 does not exist: it reads as 0, and the write is ignored"),
    "read_only_csr": ("a write to a read-only CSR", "CSR 0xcc1 (warp_id) cannot be written"),
    "read_only_counter": ("a write to a read-only CSR", "CSR 0xc00 (cycle) cannot be written"),
    "read_only_hart": ("a write to a read-only CSR", "CSR 0xf14 (mhartid) cannot be written"),
    "command_of_all_lanes": ("a lost command to a matrix unit", "an instruction that writes CSR 0xACC with many lanes",
                             "let one lane write it"),
    "command_of_a_silent_lane": ("a CSR write with the value of an inactive lane", "CSR 0xacc (accelerator)",
                                 "the first lane of each 4"),
    "wmma_of_some_lanes": ("a tensor instruction with inactive lanes", "lanes 0xf of 0xff are active"),
}
# These then wait forever, and the report of that comes first.
WAITING = {
    "barrier_id": ("a barrier id out of range", "barrier 9; the ids are 0 to 7: barrier 1 is used"),
    "lanes_of_a_barrier": ("lanes that disagree on a value that the whole warp shares", "is 0x0 in lane 0 and 0x7 in lane 7",
                           "the highest active lane"),
}
# The report of the hang says it all.
HANGS = {
    "barrier_of_nobody": "barrier 1 was called with a count of 0",
    "barrier_of_too_many": "barrier 1 waits for 20 warps of each core, but a core of this machine has 8",
}
FAULTS = {
    "byte_load_of_register": ("an access to part of a register", "matrix_unit_0: registers are 4 bytes wide, this load is 1"),
    "byte_store_to_register": ("an access to part of a register", "registers are 4 bytes wide, this store is 1"),
    "store_to_busy": ("an access to a register that does not exist", "matrix_unit_0 has no register at +0x20 that can be written"),
    "load_of_operand": ("an access to a register that does not exist", "has no register at +0x10 that can be read"),
    "register_hole": ("an access to a register that does not exist", "has no register at +0x4 that can be read"),
    "atomic_on_register": ("an atomic operation on a register of a device", "matrix_unit_0 has registers, not memory"),
    "dma_from_nowhere": ("a DMA transfer to or from an unmapped address", "a load of 8 rows", "address      0x10000000"),
    "unknown_opcode": ("an invalid command to a matrix unit", "opcode 7 is not in the quartile_v1 command set"),
    "unknown_unit": ("an invalid command to a matrix unit", "name matrix unit 3; the cluster has only unit 0"),
    "unknown_function": ("an invalid command to a matrix unit", "function code 63"),
    "jump_to_nowhere": ("an instruction fetch from an address without code", "target       0x10000000"),
    "jump_to_shared_memory": ("an instruction fetch from an address without code", "global memory only"),
    "jump_to_the_middle": ("a jump to a misaligned address", "target       0x80000002"),
    "call_of_nobody": ("an ecall without a trap handler", "returning from main"),
    "breakpoint": ("an ebreak without a trap handler",),
    "reserved_rounding": ("an illegal instruction", "the rounding mode is reserved"),
    "too_many_splits": ("more nested splits than the SIMT stack holds",),
    "atomic_nowhere": ("an access to an unmapped address", "address      0x10000000"),
}
UNMARKED = ("jump_to_nowhere", "jump_to_shared_memory")  # there is no line at the pc


def report_of(result, severity):
    """The report of that severity, without what depends on time and place in the machine."""
    found = re.findall(rf"^{severity}: .*\n(?:  .*\n)*", result.err, re.M)
    return [re.sub(r"  time .*\n", "", text) for text in found]


class Mistakes(unittest.TestCase):
    def run_case(self, case, mode):
        return spica("run", "virgo", elf("mistakes"), "--args", f"u32:{CASES.index(case)}", "--mode", mode, "-q")

    def check(self, case, severity, code, headline, *details):
        reports = []
        for mode in ("cycle", "fast"):
            with self.subTest(case=case, mode=mode):
                result = self.run_case(case, mode)
                self.assertEqual(result.code, code, result.text)
                found = report_of(result, severity)
                self.assertEqual(len(found), 1, result.text)
                self.assertEqual(found[0].splitlines()[0], f"{severity}: {headline}")
                for detail in details:
                    self.assertIn(detail, found[0])
                if case not in UNMARKED:
                    self.assertIn(line_of(SOURCE, case), found[0])
                reports.append(found[0])
        self.assertEqual(len(set(reports)), 1, f"{case}: the modes differ: {reports}")

    def test_every_case_has_an_expectation(self):
        self.assertEqual(sorted(CASES), sorted([*WARNINGS, *WAITING, *HANGS, *FAULTS, "product_of_other_style"]))

    def test_what_the_hardware_does_without_a_word_is_a_warning(self):
        for case, expected in WARNINGS.items():
            self.check(case, "warning", 0, *expected)

    def test_a_warning_before_a_hang_follows_its_report(self):
        for case, expected in WAITING.items():
            self.check(case, "warning", 1, *expected)
            self.assertTrue(self.run_case(case, "cycle").err.startswith("Deadlock:"))

    def test_a_barrier_with_an_impossible_count_is_reported_once(self):
        for case, cause in HANGS.items():
            for mode in ("cycle", "fast"):
                with self.subTest(case=case, mode=mode):
                    result = self.run_case(case, mode)
                    self.assertEqual(result.code, 1)
                    self.assertIn(cause, result.err.splitlines()[0])
                    self.assertIn(line_of(SOURCE, case), result.err.splitlines()[0])
                    self.assertNotIn("warning:", result.err)

    def test_every_kind_of_fault_says_what_happened(self):
        for case, expected in FAULTS.items():
            self.check(case, "fault", 1, *expected)

    def test_an_access_to_a_part_of_a_register_is_not_blamed_on_another_configuration(self):
        self.assertNotIn("elsewhere", self.run_case("byte_load_of_register", "cycle").err)

    def test_tiles_outside_shared_memory_are_not_called_unmapped(self):
        number = CASES.index("product_of_other_style")
        for mode in ("cycle", "fast"):
            result = spica("run", "fp16-hopper", elf("mistakes_hopper"), "--args", f"u32:{number}", "--mode", mode, "-q")
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("fault: an operand tile outside shared memory", result.err)
            self.assertIn("bytes of tile A must lie in shared memory", result.err)

    def test_many_cores_and_turns_give_one_warning(self):
        for mode in ("cycle", "fast"):
            result = spica("run", "virgo", elf("mistakes_everywhere"), "--mode", mode, "-q")
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(len(re.findall("^warning:", result.err, re.M)), 1, result.err)

    def test_programs_that_work_get_no_warning(self):
        for mode in ("cycle", "fast"):
            for kernel in ("hello", "vecadd", "saxpy", "reduce", "softmax", "elementwise", "collatz", "library_check", "wmma_fragments", "particles"):
                with self.subTest(kernel=kernel, mode=mode):
                    result = spica("run", "virgo", elf(kernel), "--mode", mode, "-q")
                    self.assertNotIn("warning:", result.err)
            for design in ("tc", "tc-dma", "virgo", "virgo-dma", "simt"):
                with self.subTest(design=design, mode=mode):
                    result = spica("gemm", "--design", design, "--size", "128x64x128", "--mode", mode)
                    self.assertEqual(result.code, 0, result.text)
                    self.assertNotIn("warning:", result.err)


if __name__ == "__main__":
    unittest.main()
