#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the intrinsics and sw/lib and looks at the machine code: the words of the SIMT instructions must be
the published ones, and functions that lanes may call together must have no conditional branch. The tensor-core
kernels must keep their accumulators inside one function and load what the hardware's shape asks for. The
example in the how-to must be the kernel that is built."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "sw"))
import kernel_code  # noqa: E402

A0, A1 = 10, 11


def custom0(funct3, rs1=0, rs2=0, rd=0):
    return 0x0B | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20


def csr_read(number, rd=A0):
    return 0x73 | rd << 7 | 2 << 12 | number << 20


# function -> words that must be in it; "rd?" positions (registers of the compiler's choice) are masked out
ANY_RD, ANY_RS1 = 31 << 7, 31 << 15
EXPECTED = {
    "use_tmc": [(custom0(0, A0), 0)],
    "use_wspawn": [(custom0(1, A0, A1), 0)],
    "use_split": [(custom0(2), ANY_RD | ANY_RS1)],
    "use_join": [(custom0(3, A0), 0)],
    "use_bar": [(custom0(4, A0, A1), 0)],
    "use_pred": [(custom0(5, A0, A1), 0)],
    "use_any": [(custom0(2), ANY_RD | ANY_RS1), (custom0(3), ANY_RS1)],
    "use_fence": [(0x0FF0000F, 0)],
    "use_mark_beg": [(0xBE90A013, 0)],
    "use_mark_end": [(0xE0D0A013, 0)],
    "use_lane": [(csr_read(0xCC0), 0)],
    "use_warp": [(csr_read(0xCC1), 0)],
    "use_core": [(csr_read(0xCC2), 0)],
    "use_active_warps": [(csr_read(0xCC3), 0)],
    "use_mask": [(csr_read(0xCC4), 0)],
    "use_hart": [(csr_read(0xF14), 0)],
    "use_lanes": [(csr_read(0xFC0), 0)],
    "use_warps": [(csr_read(0xFC1), 0)],
    "use_cores": [(csr_read(0xFC2), 0)],
    "use_cycle": [(csr_read(0xB00), 0)],
    "use_instructions": [(csr_read(0xB02), 0)],
    "use_tensor_core": [(0x0000007B, 0), (0x000000FB, 0)],
    "use_cisc": [(0x73 | 1 << 12 | A0 << 15 | 0xACC << 20, 0)],
}
BRANCH_FREE = ["expf", "logf", "floorf", "ceilf", "truncf", "roundf", "rintf", "exp2f", "expm1f", "log2f", "log10f", "log1pf",
               "powf", "cbrtf", "hypotf", "sinhf", "coshf", "tanhf", "erff", "asinf", "acosf", "atanf", "atan2f",
               "__extendsfdf2", "printf", "vprintf", "puts", "putchar"]
# All functions of these files but those that ask all lanes first (simt_any).
BRANCH_FREE_FILES = ["double.cpp", "integers.cpp", "complex.cpp", "half.cpp"]
ASKS_ALL_LANES = ["__powisf2", "__powidf2", "__mulsc3", "__muldc3", "__divsc3", "__divdc3"]


def functions(path):
    """name -> instruction words."""
    return {name: [word for _, word in code] for name, code in kernel_code.functions(path).items()}


FLW, FSW, FMV_W_X = 0x07, 0x27, 0x53


def tensor_kernel_problems(name, code):
    """Accumulators are f16..f31, operands f0..f15; see sw/lib/include/tensor_core.h."""
    def count(words, opcode, registers, field):
        return sum(w & 0x7F == opcode and (w >> field & 31) in registers and (w >> 15 & 31) != 2 for w in words)

    problems = []
    users = [f for f, words in code.items() if 0x7B in words or 0xFB in words]
    if len(users) != 1:
        return [f"{name}: multiplications in {users}, not in one function; C would be lost between them"]
    words = code[users[0]]
    first, second = words.count(0x7B), words.count(0xFB)
    loads = {"A": count(words, FLW, range(8), 7), "B": count(words, FLW, range(8, 16), 7)}
    copies = loads["A"] - 8 * (first + second)  # global to shared memory goes through f0..f7
    if first != second or loads["B"] != 8 * first or copies % 8 != 0:
        problems.append(f"{name}: {first} + {second} multiplications with {loads} loads")
    clears = sum(w & 0x7F == FMV_W_X and w >> 25 == 0x78 and (w >> 7 & 31) >= 16 for w in words)
    stores = count(words, FSW, range(16, 32), 20)
    if clears != 16 or stores != 16:
        problems.append(f"{name}: {clears} clears and {stores} stores of the 16 accumulators in {users[0]}")
    return problems


def not_indented(text):
    return "\n".join(line.lstrip() for line in text.split("\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--compiler", "--flags", "--root"):
        parser.add_argument(option, required=True)
    arguments = parser.parse_args()
    root = pathlib.Path(arguments.root)
    code = {}
    with tempfile.TemporaryDirectory() as folder:
        sources = [pathlib.Path(__file__).with_name("intrinsics.cpp"), root / "sw/lib/math.cpp",
                   root / "sw/lib/powers.cpp", root / "sw/lib/trigonometry.cpp",
                   root / "sw/lib/stdio.cpp", root / "sw/lib/float_to_double.S"]
        sources += [root / "sw/lib" / name for name in BRANCH_FREE_FILES]
        branch_free = set(BRANCH_FREE)
        for source in sources:
            compiled = pathlib.Path(folder) / (source.name + ".o")
            subprocess.run([arguments.compiler, f"@{arguments.flags}", f"-I{root / 'sw/lib/include'}", f"-I{root}",
                            "-c", source, "-o", compiled], check=True)
            found = functions(compiled)
            code.update(found)
            if source.name in BRANCH_FREE_FILES:
                branch_free.update(found.keys() - set(ASKS_ALL_LANES))

        tensor_kernels = {}
        for kernel in ("gemm_tc", "gemm_tc_dma"):
            compiled = pathlib.Path(folder) / f"{kernel}.o"
            subprocess.run([arguments.compiler, f"@{arguments.flags}", f"-I{root / 'sw/lib/include'}", f"-I{root}",
                            "-c", root / "sw/kernels" / kernel / "main.cpp", "-o", compiled], check=True)
            tensor_kernels[kernel] = functions(compiled)

    problems = []
    for kernel, kernel_code in tensor_kernels.items():
        problems += tensor_kernel_problems(kernel, kernel_code)
    guide = (root / "docs/howto/write-a-kernel.md").read_text()
    example = re.search(r"```cpp\n(.*?)```", guide, re.DOTALL).group(1)
    kernel = (root / "sw/kernels/collatz/main.cpp").read_text()
    if not_indented(example) not in not_indented(kernel):  # the formatter cannot place SIMT_ELSE
        problems.append("the example in docs/howto/write-a-kernel.md is not what sw/kernels/collatz/main.cpp has")
    for name, words in EXPECTED.items():
        for word, free in words:
            if not any(found & ~free == word & ~free for found in code.get(name, [])):
                found = " ".join(f"{w:08x}" for w in code.get(name, []))
                problems.append(f"{name}: no word {word:08x} (free bits {free:08x}) in: {found}")
    for name in sorted(branch_free):
        if name not in code:
            problems.append(f"{name}: not found")
        elif any(word & 0x7F == 0x63 for word in code[name]):
            problems.append(f"{name}: has a conditional branch, lanes with different arguments would part")
    print("\n".join(problems) or f"{len(EXPECTED)} encodings, {len(branch_free)} functions without branches: good")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
