#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles programs in plain C++ with `spica cc`, runs them, and compares every result word with the host's.

    run_plain.py --seeds 1:20                         random programs; level, lanes and mode change from one to the next
    run_plain.py --seeds 1:100 --levels=-O2,-Oz --lanes 4,32 --modes cycle,fast    all combinations of these
    run_plain.py --source cases.cpp                   a given program

SPICA_BINARY names the program (default: build/platform/cli/spica of this checkout). Exit code 1 when one is wrong; its
files stay in the work folder."""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

from generate import generate

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ.get("SPICA_BINARY", str(HERE.parents[2] / "build/platform/cli/spica"))
LEVELS = ["-Og", "-O1", "-O2", "-O3", "-Os", "-Oz"]
LANES = ["4", "8", "16", "32"]
MODES = ["cycle", "fast"]


class Failure(Exception):
    pass


def call(command, what, timeout=300):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"{what} takes more than {timeout} s\n  {' '.join(map(str, command))}")
    if done.returncode != 0:
        raise Failure(f"{what} ends with exit code {done.returncode}\n  {' '.join(map(str, command))}\n"
                      f"{done.stdout.decode(errors='replace')[-1500:]}{done.stderr.decode(errors='replace')[-3000:]}")
    return done


def host_results(source, folder):
    """What a compiler for one thread makes of it."""
    program = folder / "host"
    compiler = os.environ.get("SPICA_HOST_CLANG", "clang++-19")  # the vectors of operations.cpp are clang's
    call([compiler, "-std=c++17", "-O1", "-w", "-ffp-contract=off", f"-I{HERE}", source, "-o", program], "the host compiler")
    return call([program], "the host program").stdout


def compile_kernel(source, elf, level, more=()):
    return call([BINARY, "cc", source, level, "-w", f"-I{HERE}", *more, "-o", elf], f"spica cc {level}")


def check(expected, elf, lanes, mode, folder, settings=()):
    """Runs it, and raises Failure unless it leaves these results."""
    saved = folder / "results.bin"
    saved.unlink(missing_ok=True)
    call([BINARY, "run", "virgo", elf, "--mode", mode, "--set", f"cluster.core.lanes={lanes}",
          "--set", "cluster.tensor_core.present=false", *(word for one in settings for word in ("--set", one)),
          "--save", f"{saved}@results"], f"the run with {lanes} lanes in {mode} mode")
    found = saved.read_bytes()
    if found == expected:
        return
    words = [i for i in range(0, len(expected), 4) if found[i:i + 4] != expected[i:i + 4]]
    shown = ", ".join(f"word {i // 4} is {found[i:i + 4][::-1].hex()}, must be {expected[i:i + 4][::-1].hex()}" for i in words[:6])
    raise Failure(f"{lanes} lanes, {mode} mode: {len(words)} of {len(expected) // 4} words are wrong: {shown}")


def run_source(source, folder, levels, lanes, modes, more=(), settings=(), expected=None):
    """All combinations. Returns how many. `expected`: the host's results, if they are known."""
    expected = expected or host_results(source, folder)
    for level in levels:
        elf = folder / "program.elf"
        compile_kernel(source, elf, level, more)
        for one, mode in itertools.product(lanes, modes):
            try:
                check(expected, elf, one, mode, folder, settings)
            except Failure as failure:
                raise Failure(f"{level}: {failure}")
    return len(levels) * len(lanes) * len(modes)


def run_random(seed, work, levels, lanes, modes, more=(), settings=()):
    """A random program, in a folder of its own in `work`."""
    folder = pathlib.Path(work) / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "program.cpp"
    source.write_text(generate(seed))
    return run_source(source, folder, levels, lanes, modes, more, settings)


def run_seed(seed, arguments):
    levels = arguments.levels or [LEVELS[seed % len(LEVELS)]]
    lanes = arguments.lanes or [LANES[seed // len(LEVELS) % len(LANES)]]
    modes = arguments.modes or [MODES[seed % len(MODES)]]
    return run_random(seed, arguments.work, levels, lanes, modes, arguments.option, arguments.set)


def main():
    def words(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", help="first:last, both included")
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("--levels", type=words)
    parser.add_argument("--lanes", type=words)
    parser.add_argument("--modes", type=words)
    parser.add_argument("--option", action="append", default=[], help="one more for the compiler")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of the machine")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "spica-plain-cpp")
    arguments = parser.parse_args()
    if arguments.source:
        arguments.work.mkdir(parents=True, exist_ok=True)
        try:
            runs = run_source(arguments.source, arguments.work, arguments.levels or LEVELS, arguments.lanes or ["8"],
                              arguments.modes or MODES, arguments.option, arguments.set)
        except Failure as failure:
            sys.exit(f"{arguments.source}: {failure}")
        print(f"{runs} runs have the host's results")
        return
    first, _, last = (arguments.seeds or "1:20").partition(":")
    seeds, failed, runs = range(int(first), int(last or first) + 1), [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for seed, future in [(seed, pool.submit(run_seed, seed, arguments)) for seed in seeds]:
            try:
                runs += future.result()
            except Failure as failure:
                failed.append(seed)
                print(f"seed {seed}: {failure}\n  files: {arguments.work / str(seed)}", flush=True)
    print(f"{len(seeds) - len(failed)} of {len(seeds)} random programs have the host's results, {runs} runs"
          + (f"; wrong: {failed}" if failed else ""))
    sys.exit(1 if failed or not seeds else 0)


if __name__ == "__main__":
    main()
