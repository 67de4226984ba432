# SPDX-License-Identifier: Apache-2.0
"""Every user-level instruction of RV32IMAF, as a standard bare-metal program on one hart in user mode."""
import pathlib
import tempfile
import unittest

import suite
from riscv_build import build, run, run_on_qemu

TABLE = suite.table()
EXPECTED = suite.read_expected()


class Instructions(unittest.TestCase):
    def check(self, *names):
        with tempfile.TemporaryDirectory(prefix="spica-riscv-") as folder:
            for name in names:
                with self.subTest(instruction=name):
                    self.check_one(name, pathlib.Path(folder))

    def check_one(self, name, folder):
        text, _ = suite.test_program(name, TABLE[name], EXPECTED)
        source, program = folder / "test.S", folder / "test.elf"
        source.write_text(text)
        build(source, program)
        result = run(program, "-q")
        self.assertEqual(result.code, 0, f"{name}: {result.text}")

    def test_the_table_of_instructions_and_the_recorded_values_belong_together(self):
        self.assertEqual(list(TABLE), list(EXPECTED))
        for name, cases in TABLE.items():
            self.assertEqual(len(cases), len(EXPECTED[name]), name)

    def test_integer_arithmetic_and_logic(self):
        self.check("add", "sub", "and", "or", "xor", "slt", "sltu", "sll", "srl", "sra")

    def test_integer_with_constants(self):
        self.check(*suite.IMMEDIATE, *suite.SHIFT_IMMEDIATE, "lui", "auipc")

    def test_branches_and_jumps(self):
        self.check(*suite.BRANCH, "jal", "jalr")

    def test_loads_and_stores(self):
        self.check(*suite.LOAD, *suite.STORE)

    def test_fences(self):
        self.check("fence", "fence.i")

    def test_multiply_and_divide(self):
        self.check("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")

    def test_atomics(self):
        self.check(*suite.ATOMIC, "amo order bits", "lr.w sc.w")

    def test_float_arithmetic(self):
        self.check("fadd.s", "fsub.s", "fmul.s", "fdiv.s", "fsqrt.s", *suite.FLOAT3)

    def test_float_compare_and_move(self):
        self.check("fsgnj.s", "fsgnjn.s", "fsgnjx.s", "fmin.s", "fmax.s", *suite.COMPARE, "fclass.s", "fmv.x.w fmv.w.x",
                   "flw fsw", "fcsr")

    def test_float_conversions(self):
        self.check(*suite.TO_INTEGER, *suite.FROM_INTEGER)

    def test_a_wrong_value_fails_with_the_number_of_its_case(self):
        expected = dict(EXPECTED)
        expected["add"] = [("1", "0")] + expected["add"][1:]  # 0 + 0 is not 1
        with tempfile.TemporaryDirectory(prefix="spica-riscv-") as name:
            folder = pathlib.Path(name)
            (folder / "test.S").write_text(suite.test_program("add", TABLE["add"], expected)[0])
            build(folder / "test.S", folder / "test.elf")
            result = run(folder / "test.elf")
        self.assertEqual(result.code, 1, result.text)
        self.assertIn("test or exit code 2.", result.err)
        self.assertIn("FAILED", result.out)

    def test_the_programs_are_right_for_an_independent_machine(self):
        with tempfile.TemporaryDirectory(prefix="spica-riscv-") as name:
            folder = pathlib.Path(name)
            for instruction in ("add", "jalr", "sh", "amomaxu.w", "lr.w sc.w", "fmadd.s", "fcvt.wu.s"):
                (folder / "test.S").write_text(suite.test_program(instruction, TABLE[instruction], EXPECTED)[0])
                build(folder / "test.S", folder / "test.elf")
                code = run_on_qemu(folder / "test.elf")
                if code is None:
                    self.skipTest("qemu-system-riscv32 is not installed")
                self.assertEqual(code, 0, instruction)


if __name__ == "__main__":
    unittest.main()
