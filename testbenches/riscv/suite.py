# SPDX-License-Identifier: Apache-2.0
"""Test programs for the user-level instructions of RV32IMAF, one per instruction.

Every case sets operands, executes one instruction and leaves what it did in a0 and a1. `test_program` compares
with the values in expected.txt, which record_expected.py took from qemu-riscv32; nothing here knows what an
instruction does."""
import itertools
import pathlib

FOLDER = pathlib.Path(__file__).parent

INTEGERS = [0x00000000, 0x00000001, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x00007FFF, 0xFFFF8000, 0x33333333,
            0xAAAA5555]
SHIFTS = [0, 1, 7, 14, 31, 33, 0xFFFFFFC7]
IMMEDIATES = [0, 1, -1, 2047, -2048, 0x555, -0x556]
FLOATS = [0x00000000, 0x80000000, 0x3F800000, 0xC0200000, 0x40490FDB, 0x00000001, 0x807FFFFF, 0x7F7FFFFF,
          0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001]
FEW_FLOATS = [0x00000000, 0x3F800000, 0xBF99999A, 0x7F7FFFFF, 0x00800001, 0x7F800000, 0x7FA00000]
CONVERTED = [0x00000000, 0x80000000, 0x3F800000, 0xBF8CCCCD, 0x3FC00000, 0x40200000, 0xC0600000, 0x4EFFFFFF,
             0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x7F800000, 0xFF800000, 0x7FC00000]

BINARY = "add sub and or xor slt sltu mul mulh mulhsu mulhu div divu rem remu".split()
SHIFT = "sll srl sra".split()
IMMEDIATE = "addi andi ori xori slti sltiu".split()
SHIFT_IMMEDIATE = "slli srli srai".split()
BRANCH = "beq bne blt bge bltu bgeu".split()
LOAD = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4}
STORE = {"sb": 1, "sh": 2, "sw": 4}
ATOMIC = [f"amo{name}.w" for name in "swap add xor and or min max minu maxu".split()]
FLOAT2 = "fadd.s fsub.s fmul.s fdiv.s fsgnj.s fsgnjn.s fsgnjx.s fmin.s fmax.s".split()
ROUNDED = "fadd.s fsub.s fmul.s fdiv.s fsqrt.s".split()
FLOAT3 = "fmadd.s fmsub.s fnmadd.s fnmsub.s".split()
COMPARE = "feq.s flt.s fle.s".split()
TO_INTEGER = "fcvt.w.s fcvt.wu.s".split()
FROM_INTEGER = "fcvt.s.w fcvt.s.wu".split()
MODES = "rne rtz rdn rup rmm".split()

DATA = [0xFF0000FF, 0x00FF00FF, 0x8F0FF00F, 0x12348678]
DATA_LINES = [".data", ".balign 64", "data:", ".word " + ", ".join(map(hex, DATA)), "data_end:", ".text"]


def integer(register, value):
    return f"li {register}, {value:#x}" if value >= 0 else f"li {register}, {value}"


def floats(*values):
    lines = []
    for i, value in enumerate(values):
        lines += [integer("t0", value), f"fmv.w.x fa{i}, t0"]
    return lines + ["fsflags zero"]


FLOAT_RESULT = ["fmv.x.w a0, fa4", "fsflags a1, zero"]


def binary(name, values=INTEGERS, second=None):
    return [[integer("a2", a), integer("a3", b), "li a1, 0", f"{name} a0, a2, a3"]
            for a, b in itertools.product(values, second or values)]


def immediate(name, constants):
    return [[integer("a2", a), "li a1, 0", f"{name} a0, a2, {b}"] for a in INTEGERS for b in constants]


def branch(name):
    cases = []
    for a, b in itertools.product(INTEGERS, INTEGERS):
        cases.append([integer("a2", a), integer("a3", b), "li a0, 0", "li a1, 0", f"{name} a2, a3, 5f",
                      "ori a0, a0, 1", "5:", "ori a0, a0, 2"])
    for a, b in ((1, 1), (1, 2), (2, 1), (0xFFFFFFFE, 1)):  # backwards
        cases.append([integer("a2", a), integer("a3", b), "li a0, 0", "li a1, 0", "j 6f", "5:", "ori a0, a0, 4",
                      "j 7f", "6:", f"{name} a2, a3, 5b", "ori a0, a0, 8", "7:"])
    return cases


def load(name, size):
    return [[f"la a2, data + {base}", "li a1, 0", f"{name} a0, {at - base}(a2)"]
            for base in (0, 16, 5) for at in range(0, 16, size)]


def store(name, size):
    cases = []
    for base, at, value in itertools.product((0, 16, 3), range(0, 8, size), (0x000000AA, 0xFFFFA00A, 0xBEEF0AA0)):
        cases.append(["la a4, data", "sw zero, 0(a4)", "sw zero, 4(a4)", f"la a2, data + {base}",
                      integer("a3", value), f"{name} a3, {at - base}(a2)", "lw a0, 0(a4)", "lw a1, 4(a4)"])
    return cases


def atomic(name, suffix=""):
    return [["la a2, data", integer("a0", a), "sw a0, 0(a2)", integer("a3", b), f"{name}{suffix} a0, a3, (a2)",
             "lw a1, 0(a2)"] for a, b in itertools.product(INTEGERS, INTEGERS[:7])]


def float2(name, modes):
    cases = []
    for a, b in itertools.product(FLOATS, FLOATS):
        cases.append(floats(a, b) + [f"{name} fa4, fa0, fa1"] + FLOAT_RESULT)
    for mode in modes:
        for a, b in ((0x3F800000, 0x33800001), (0xBF800001, 0x40490FDB), (0x7F7FFFFF, 0x7F7FFFFF), (0x1, 0xBF000000)):
            cases.append(floats(a, b) + [f"{name} fa4, fa0, fa1, {mode}"] + FLOAT_RESULT)
            cases.append(["fsrm zero"] + floats(a, b) + [f"fsrmi {MODES.index(mode)}", f"{name} fa4, fa0, fa1, dyn",
                                                        "fsrm zero"] + FLOAT_RESULT)
    return cases


def float1(name, modes):
    values = FLOATS + [0x40800000, 0x40000000, 0xBF800000, 0x7F7FFFFE]
    cases = [floats(a) + [f"{name} fa4, fa0"] + FLOAT_RESULT for a in values]
    return cases + [floats(0x40000000) + [f"{name} fa4, fa0, {mode}"] + FLOAT_RESULT for mode in modes]


def table():
    """All instructions: name -> cases."""
    result = {}
    for name in BINARY:
        result[name] = binary(name)
    for name in SHIFT:
        result[name] = binary(name, second=SHIFTS)
    for name in IMMEDIATE:
        result[name] = immediate(name, IMMEDIATES)
    for name in SHIFT_IMMEDIATE:
        result[name] = immediate(name, (0, 1, 7, 14, 31))
    for name in BRANCH:
        result[name] = branch(name)
    for name, size in LOAD.items():
        result[name] = load(name, size)
    for name, size in STORE.items():
        result[name] = store(name, size)
    result["lui"] = [[f"lui a0, {value}", "li a1, 0"] for value in (0, 1, 0x7FFFF, 0x80000, 0xFFFFF)]
    result["auipc"] = [["5:", f"auipc a0, {value}", "la a1, 5b", "sub a0, a0, a1", "li a1, 0"]
                       for value in (0, 1, 0x7FFFF, 0xFFFFF)]
    result["jal"] = [["li a0, 0", "la a1, 5f", "jal a2, 6f", "5:", "ori a0, a0, 1", "6:", "sub a1, a1, a2"],
                     ["li a0, 0", "j 6f", "5:", "la a1, 8f", "j 7f", "6:", "jal a2, 5b", "8:", "ori a0, a0, 1", "7:",
                      "sub a1, a1, a2"]]
    result["jalr"] = [["li a0, 0", f"la a2, 6f - {offset}", "la a1, 5f", f"jalr {link}, {offset}(a2)", "5:",
                       "ori a0, a0, 1", "6:", f"sub a1, a1, {link}"]
                      for offset, link in ((0, "a3"), (4, "a2"), (-8, "a2"), (1, "a3"), (2047, "a2"))]
    result["fence"] = [["la a2, data", "li a1, 5", "sw a1, 0(a2)", f"fence {sets}", "lw a0, 0(a2)"]
                       for sets in ("rw, rw", "iorw, iorw", "w, r", "r, rw")] + [
                           ["la a2, data", "li a1, 6", "sw a1, 0(a2)", "fence.tso", "lw a0, 0(a2)"]]
    # Code that is rewritten: the second time through it must be new. The program's code is writable.
    result["fence.i"] = [["la a2, 5f", "lw a3, 9f", "lw a4, 0(a2)", "li a0, 0", "li a1, 2", "j 5f", "9:",
                          "addi a0, a0, 256", "8:", "sw a3, 0(a2)", "fence.i", "5:", "addi a0, a0, 1", "addi a1, a1, -1",
                          "bnez a1, 8b", "sw a4, 0(a2)", "fence.i"]]
    for name in ATOMIC:
        result[name] = atomic(name)
    result["amo order bits"] = [case for suffix in (".aq", ".rl", ".aqrl") for case in atomic("amoadd.w", suffix)[:4]]
    result["lr.w sc.w"] = [
        ["la a2, data", "li a3, 7", "sw a3, 0(a2)", f"lr.w{order} a0, (a2)", "addi a3, a0, 1", f"sc.w{order} a1, a3, (a2)",
         "lw a0, 0(a2)"] for order in ("", ".aq", ".rl", ".aqrl")] + [
        # without a reservation, and a second time on the same one
        ["la a2, data", "sw zero, 0(a2)", "lr.w a0, (a2)", "sc.w a0, zero, (a2)", "li a3, 9", "sc.w a1, a3, (a2)",
         "lw a0, 0(a2)"],
        # a reservation of another word
        ["la a2, data", "sw zero, 0(a2)", "addi a3, a2, 8", "lr.w a0, (a3)", "li a3, 9", "sc.w a1, a3, (a2)",
         "lw a0, 0(a2)"],
        # rd is the address or the operand
        ["la a2, data", "li a3, 3", "sw a3, 0(a2)", "mv a4, a2", "lr.w a4, (a4)", "sc.w a3, a3, (a2)", "mv a0, a4",
         "mv a1, a3"],
        # a counter, as it is used
        ["la a2, data", "sw zero, 0(a2)", "li a4, 20", "5:", "lr.w a3, (a2)", "addi a3, a3, 3", "sc.w a3, a3, (a2)",
         "bnez a3, 5b", "addi a4, a4, -1", "bnez a4, 5b", "lw a0, 0(a2)", "li a1, 0"]]
    for name in FLOAT2:
        result[name] = float2(name, MODES if name in ROUNDED else ())
    result["fsqrt.s"] = float1("fsqrt.s", MODES)
    result["fclass.s"] = [floats(a) + ["fclass.s a0, fa0", "fsflags a1, zero"] for a in FLOATS]
    for name in FLOAT3:
        result[name] = [floats(a, b, c) + [f"{name} fa4, fa0, fa1, fa2"] + FLOAT_RESULT
                        for a, b, c in itertools.product(FEW_FLOATS, FEW_FLOATS, FEW_FLOATS)
                        # RISC-V leaves this to no one: infinity times zero plus a quiet NaN is invalid
                        if not ({a, b} == {0, 0x7F800000} and c == 0x7FA00000)]
    for name in COMPARE:
        result[name] = [floats(a, b) + [f"{name} a0, fa0, fa1", "fsflags a1, zero"]
                        for a, b in itertools.product(FLOATS, FLOATS)]
    for name in TO_INTEGER:
        result[name] = [floats(a) + [f"{name} a0, fa0, {mode}", "fsflags a1, zero"]
                        for a, mode in itertools.product(CONVERTED, MODES)]
    for name in FROM_INTEGER:
        result[name] = [["fsflags zero", integer("a2", a), f"{name} fa4, a2, {mode}"] + FLOAT_RESULT
                        for a, mode in itertools.product(INTEGERS + [0x01000001, 0xFEFFFFFF], MODES)]
    result["fmv.x.w fmv.w.x"] = [[integer("a2", a), "fmv.w.x fa4, a2", "fmv.x.w a0, fa4", "li a1, 0"] for a in FLOATS]
    result["flw fsw"] = [["la a2, data + 8", f"flw fa4, {at}(a2)", "la a3, data_end", "fsw fa4, -4(a3)",
                          "lw a0, -4(a3)", "fmv.x.w a1, fa4"] for at in (-8, -4, 0)]
    result["fcsr"] = [["fscsr zero", f"li a2, {value}", "fscsr a0, a2", "frcsr a0", "fsflags a2, zero", "slli a2, a2, 8",
                       "frrm a1", "or a1, a1, a2", "fscsr zero"] for value in (0, 0x1F, 0x7F, 0xE0, 0xFF, 0x1FF)]
    return result


def registers_differ(name):
    """Cases of a two-operand instruction with other registers and distances; results are those of (a2, a3)."""
    a, b = INTEGERS[7], INTEGERS[8]
    cases = []
    for rd, first, second in (("a2", "a2", "a3"), ("a3", "a2", "a3"), ("x31", "x1", "x30"), ("t0", "t1", "t2")):
        for nops in (0, 1, 2):
            cases.append([integer(first, a), integer(second, b)] + ["nop"] * nops +
                         [f"{name} {rd}, {first}, {second}"] + ["nop"] * nops + [f"mv a0, {rd}", "li a1, 0"])
    return cases, INTEGERS.index(a) * len(INTEGERS) + INTEGERS.index(b)


def read_expected():
    expected = {}
    for line in (FOLDER / "expected.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, _, values = line.partition(":")
        words = values.split()
        expected[name] = list(zip(words[0::2], words[1::2]))
    return expected


def test_program(name, cases, expected):
    """Assembly of the program that tests one instruction, and how many cases it has."""
    pairs = [(case, expected[name][i]) for i, case in enumerate(cases)]
    if name in BINARY:
        others, index = registers_differ(name)
        pairs += [(case, expected[name][index]) for case in others]
        pairs.append(([integer("a2", 5), f"{name} x0, a2, a2", "mv a0, x0", "li a1, 0"], ("0", "0")))
    lines = ['#include "testbenches/riscv/environment.h"', "ENVIRONMENT_BEGIN(USER)"]
    for number, (case, (first, second)) in enumerate(pairs, 2):
        # Labels of the cases are 5 to 9, those of CHECK 1.
        lines += case + [f"CHECK({number}, a0, 0x{first})", f"CHECK({number}, a1, 0x{second})"]
    lines += ["ENVIRONMENT_END"] + DATA_LINES
    return "\n".join(lines) + "\n", len(pairs)


def recording_program(cases):
    """Assembly of a Linux program that writes (a0, a1) of all cases to its output."""
    lines = [".globl _start", "_start:", "la s11, results"]
    for case in cases:
        lines += case + ["sw a0, 0(s11)", "sw a1, 4(s11)", "addi s11, s11, 8"]
    lines += ["li a0, 1", "la a1, results", f"li a2, {8 * len(cases)}", "li a7, 64", "ecall", "li a0, 0", "li a7, 93",
              "ecall"] + DATA_LINES + [".bss", ".balign 8", "results:", f".space {8 * len(cases)}"]
    return "\n".join(lines) + "\n"
