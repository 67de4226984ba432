#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs with parting lanes on the simulator and compares every result word with the host's.

    run_divergence.py --spica BIN --config virgo --seeds 1:50 --sw DIR

Per seed: generate the program, compile it for the host and print the expected words, compile it for the
machine with sw/lib, run `BIN run CONFIG program.elf --save words@results`, compare. Exit code 1 when a seed
fails; its files stay in the work folder. With --lock-step the program runs in both modes, and each instruction of
each warp must do the same in both: pc, lanes, registers written, memory. For ctest:

    add_test(NAME "kernel: lanes part and meet again" COMMAND ${Python3_EXECUTABLE} .../run_divergence.py
      --spica $<TARGET_FILE:spica> --config virgo --seeds 1:20 --sw ${PROJECT_SOURCE_DIR}/sw
      --work ${CMAKE_CURRENT_BINARY_DIR}/divergence)
"""
import argparse
import pathlib
import struct
import subprocess
import sys

from generate import generate


class Failure(Exception):
    pass


def run(command, what):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure(f"{what} failed with exit code {result.returncode}\n  {' '.join(map(str, command))}\n"
                      f"{result.stdout[-2000:]}{result.stderr[-4000:]}")
    return result.stdout


class Toolchain:
    """Compiles for the machine; sw/lib only once."""

    def __init__(self, arguments):
        self.sw = arguments.sw.resolve()
        self.compiler = arguments.compiler or {"gcc": "riscv64-unknown-elf-gcc", "clang": "clang-19"}[arguments.flavour]
        flags = (self.sw / f"{arguments.flavour}.flags").read_text().split()
        self.compile_flags = flags + [f"-I{self.sw / 'lib/include'}", f"-I{self.sw.parent}", arguments.optimise]
        folder = arguments.work / "lib"
        folder.mkdir(parents=True, exist_ok=True)
        self.library = []
        for source in sorted(self.sw.glob("lib/*.cpp")) + sorted(self.sw.glob("lib/*.S")):
            self.library.append(folder / (source.name + ".o"))
            self.compile(source, self.library[-1])

    def compile(self, source, output):
        run([self.compiler, *self.compile_flags, "-c", source, "-o", output], f"compiling {source.name}")

    def link(self, objects, elf):
        run([self.compiler, *self.compile_flags, "-T", self.sw / "lib/kernel.ld", *objects, *self.library,
             "-o", elf], f"linking {elf.name}")


def log_of(arguments, elf, folder, mode):
    """The instructions of each warp in one mode, a line each. Warp 0 of a core, which waits for the others in a loop,
    longer or shorter, is left out."""
    log = folder / f"{mode}.log"
    run([arguments.spica, "run", arguments.config, elf, "--mode", mode, "--trace", log, "--trace-no-cycles"],
        f"the simulator in {mode} mode")
    warps = {}
    for line in log.read_text().splitlines()[1:]:
        warps.setdefault(line.split()[0], []).append(line)
    return {warp: lines for warp, lines in warps.items() if not warp.endswith("w0")}


def compare_logs(cycle, fast):
    if not cycle or cycle.keys() != fast.keys():
        raise Failure(f"warps {sorted(cycle)} run in the cycle mode, {sorted(fast)} in the fast mode")
    for warp, lines in cycle.items():
        for one, other in zip(lines, fast[warp]):
            if one != other:
                raise Failure(f"the modes part at\n  cycle {one}\n  fast  {other}")
        if len(lines) != len(fast[warp]):
            raise Failure(f"{warp}: {len(lines)} instructions in the cycle mode, {len(fast[warp])} in the fast mode")


def run_seed(seed, arguments, toolchain):
    folder = arguments.work / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    source, host, elf, words = (folder / name for name in ("program.cpp", "host", "program.elf", "results.bin"))
    words.unlink(missing_ok=True)
    source.write_text(generate(seed))

    run([arguments.host_compiler, "-std=c++17", "-O1", "-ffp-contract=off", f"-I{toolchain.sw.parent}", source,
         "-o", host], "compiling for the host")
    expected = [int(line, 16) for line in run([host], "the host program").split()]

    toolchain.compile(source, folder / "program.o")
    toolchain.link([folder / "program.o"], elf)
    if arguments.lock_step:
        compare_logs(*(log_of(arguments, elf, folder, mode) for mode in ("cycle", "fast")))
    run([arguments.spica, "run", arguments.config, elf, "--mode", arguments.mode, "--save", f"{words}@results"], "the simulator")
    if not words.exists():
        raise Failure("the simulator wrote no results")
    data = words.read_bytes()
    found = struct.unpack(f"<{len(data) // 4}I", data)
    if len(found) != len(expected):
        raise Failure(f"{len(found)} result words, must be {len(expected)}")
    wrong = [i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
    if wrong:
        lines = [f"  task {i // 4} out[{i % 4}]: {found[i]:#010x}, must be {expected[i]:#010x}" for i in wrong[:8]]
        raise Failure(f"{len(wrong)} of {len(expected)} result words are wrong\n" + "\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spica", required=True)
    parser.add_argument("--config", default="virgo")
    parser.add_argument("--mode", choices=["cycle", "fast"], default="cycle")
    parser.add_argument("--lock-step", action="store_true", help="compare the modes instruction by instruction")
    parser.add_argument("--seeds", default="1:10", help="first:last, both included")
    parser.add_argument("--sw", type=pathlib.Path, required=True, help="the repository's sw folder")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("divergence"))
    parser.add_argument("--flavour", choices=["clang", "gcc"], default="clang", help="whose flags file to use")
    parser.add_argument("--compiler", help="cross compiler, if not that of the flavour")
    parser.add_argument("--host-compiler", default="g++")
    parser.add_argument("--optimise", default="-O2")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    first, _, last = arguments.seeds.partition(":")
    seeds = range(int(first), int(last or first) + 1)
    if not seeds:
        parser.error(f"--seeds {arguments.seeds}: no seeds")

    failed = []
    try:
        toolchain = Toolchain(arguments)
    except Failure as failure:
        sys.exit(f"sw/lib: {failure}")
    for seed in seeds:
        try:
            run_seed(seed, arguments, toolchain)
        except Failure as failure:
            failed.append(seed)
            print(f"seed {seed}: {failure}\n  files: {arguments.work / str(seed)}", flush=True)
    print(f"{len(seeds) - len(failed)} of {len(seeds)} programs have the host's results"
          + (f", wrong: {failed}" if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
