#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No timing may change a result: programs on machines with random latencies, queue depths and arbitration.

    timing_fuzz.py --spica BINARY --kernels FOLDER --sets N --seed S [--only WORD] [-- run CONFIG ELF ...]

Each set of parameters is legal and random (parameter_sets.py). Every kernel that is shipped runs on it, in the cycle
mode and in the fast mode, and has to leave the same memory, exit code and console as on the configuration as it is.
With a command behind `--`, that command takes the place of the kernels; where its memory differs, the hazard checker
looks for the race that is the reason.

Exit code: 0 no difference, 1 differences, 2 a wrong command, 3 differences in a program without a known race."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

import shipped_kernels
from parameter_sets import Parameters

PAGE = 4096
# Where stacks are (sw/lib/start.S: 8 KiB and 16 bytes for each lane, downwards). What stays there when a program has
# ended is no result: kernels measure their time, and it is left in saved registers and printed text.
STACKS = range(0xFE000000, 0xFF000000)
SHARED = 1 << 32  # where a file of --save-memory has it, by cluster
MODES = ("cycle", "fast")
TIMEOUT = 600  # seconds for one run; nothing here takes a tenth of it
REFUSED = 2    # the exit code of a command or a machine that is wrong
ATTEMPTS = 20  # sets, until a program accepts one
GIVEN = ("--mode", "--save-memory", "--out")  # options of each run
SMALLER = 24   # runs to find out which parameters a difference needs


def races(text):
    """The findings of --check hazards that can be the reason of a difference. A barrier that is open when the run ends is
    what every hang leaves."""
    found = re.findall(r"^hazard \d+:.*?(?=^hazard \d+:|^hazards:|\Z)", text, re.M | re.S)
    return [one for one in found if not re.search("have arrived when the run ends|other cores of the cluster never do", one)]


class UserError(Exception):
    """Of the command."""


class Run:
    """What a program leaves."""

    def __init__(self, code, console, memory, text):
        self.code, self.console, self.memory, self.text = code, console, memory, text

    def differs(self, other):
        """In words, from which address on; None: it does not."""
        if self.code != other.code:
            return f"exit code {self.code} instead of {other.code}"
        if self.memory != other.memory:
            mine, its = self.memory, other.memory
            changed = sorted(at for at in mine.keys() | its.keys() if mine.get(at, bytes(PAGE)) != its.get(at, bytes(PAGE)))
            count, first = 0, None
            for at in changed:
                for offset, (a, b) in enumerate(zip(mine.get(at, bytes(PAGE)), its.get(at, bytes(PAGE)))):
                    if a != b:
                        count += 1
                        first = at + offset if first is None else first
            return f"{count} bytes of memory, the first at {first & 0xFFFFFFFF:#010x}"
        if self.console != other.console:
            return "the console"
        return None


def pages(memory, with_shared):
    """The pages of a file of --save-memory by address, without stacks, and without shared memory where that is no result."""
    step = 8 + PAGE
    found = {int.from_bytes(memory[i:i + 8], "little"): memory[i + 8:i + step] for i in range(0, len(memory), step)}
    return {address: page for address, page in found.items()
            if address not in STACKS and (with_shared or address < SHARED)}


class Fuzz:
    def __init__(self, options):
        self.options = options
        self.parameters = Parameters(options.spica)
        self.folder = tempfile.TemporaryDirectory(prefix="spica-fuzz-")
        self.runs = self.refused = 0
        self.sets, self.dispatchers, self.drawing = {}, {}, threading.Lock()

    def spica(self, words):
        return subprocess.run([self.options.spica, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT)

    def command(self, case, mode, chosen):
        return [*case.command, "--mode", mode, *(word for one in [*chosen, *case.fixed] for word in ("--set", one))]

    def run(self, case, mode, chosen, *more):
        self.runs += 1
        handle, name = tempfile.mkstemp(dir=self.folder.name)
        os.close(handle)
        try:
            result = self.spica([*self.command(case, mode, chosen), "--save-memory", name, *more])
            memory = pathlib.Path(name).read_bytes()
        except subprocess.TimeoutExpired:
            return Run("none", "", {}, f"does not end in {TIMEOUT} s")
        finally:
            os.unlink(name)
        return Run(result.returncode, console(result.stdout) if case.prints else "",
                   pages(memory, not self.has_dispatcher(case)), result.stdout + result.stderr)

    def has_dispatcher(self, case):
        key = (case.config, *case.settings())
        with self.drawing:
            if key not in self.dispatchers:
                self.dispatchers[key] = self.parameters.has_dispatcher(case.config, case.settings())
            return self.dispatchers[key]

    def smaller(self, case, mode, chosen, expected):
        """A part of the set with which the result still differs."""
        left, size = list(chosen), len(chosen) // 2
        runs = 0
        while size and runs < SMALLER:
            at = 0
            while at < len(left) and runs < SMALLER:
                rest = left[:at] + left[at + size:]
                runs += 1
                if self.parameters.is_legal(case.config, [*rest, *case.settings()]) and self.run(case, mode, rest).differs(expected):
                    left = rest
                else:
                    at += size
            size //= 2
        return left

    def draw(self, case, number, attempt):
        """The same for all programs of a machine."""
        machine = "own" if self.options.command else case.config
        seed = f"{self.options.seed}:{number}:{machine}" + (f":{attempt}" if attempt else "")
        key = (case.config, tuple(case.settings()), seed)
        with self.drawing:
            if key not in self.sets:
                self.sets[key] = self.parameters.draw(case.config, seed, case.settings())
            return self.sets[key]

    def check_set(self, case, number, mode, expected):
        """check() on a set that the program does not refuse, as of a kernel that needs what a machine does not have."""
        for attempt in range(ATTEMPTS):
            chosen = self.draw(case, number, attempt)
            found = self.run(case, mode, chosen)
            if expected.code == REFUSED or found.code != REFUSED:
                return self.check(case, number, mode, chosen, expected, found)
            self.refused += 1
        raise UserError(f"{case.name} refuses {ATTEMPTS} sets in a row, the last one:\n"
                        f"  spica {shlex.join(map(str, self.command(case, mode, chosen)))}")

    def check(self, case, number, mode, chosen, expected, found):
        """A message about how the run `found` differs, and whether a race explains it; None: it does not."""
        what = found.differs(expected)
        if what is None:
            return None
        chosen = self.smaller(case, mode, chosen, expected)
        found = self.run(case, mode, chosen)
        what = found.differs(expected) or what
        checked = self.run(case, mode, chosen, "--check", "hazards")
        hazards = races(checked.text)
        end = found.text.strip().splitlines()[-12:] if found.code not in (expected.code,) else []
        lines = [f"DIFFERENCE: {case.name}, set {number}, {mode} mode: {what}",
                 f"  spica {shlex.join(self.command(case, mode, chosen))}", *(f"  | {line}" for line in end)]
        if hazards:
            lines += ["  --check hazards names a race:", *(f"  | {line}" for line in hazards[0].rstrip().splitlines())]
        else:
            lines.append("  --check hazards finds no race: this is a defect of the model or of the checker; please report it")
        return "\n".join(lines), bool(hazards)

    def check_modes(self, case, expected):
        return self.check(case, "-", "fast", [], expected, self.run(case, "fast", []))

    def reference(self, case):
        """The default machine's results; the modes must agree as well."""
        first = self.run(case, MODES[0], [])
        if first.code != 0 and not self.options.command:
            raise RuntimeError(f"{case.name} fails on {case.config} as it is:\n{first.text}")
        return first

    def own_case(self):
        """The user's command, on the machine that it says it has: its configuration, design or file, with its own --set."""
        words = self.options.command
        for word in GIVEN:
            if any(one == word or one.startswith(word + "=") for one in words):
                raise UserError(f"{word}: the fuzz gives it to each run; leave it out of the command")
        fixed = [value for word, value in zip(words, words[1:]) if word == "--set"]
        fixed += [word[len("--set="):] for word in words if word.startswith("--set=")]
        out = pathlib.Path(self.folder.name, "machine")
        result = self.spica([*words, "--mode", "fast", "--out", out])
        config = out / "config.yaml"
        if result.returncode not in (0, 1) or not config.exists():
            raise UserError(f"the command does not run as it is (exit code {result.returncode}):\n{result.stderr.rstrip()}")
        return shipped_kernels.Case(" ".join(words), str(config), words, kept=fixed)

    def cases(self):
        if self.options.command:
            return [self.own_case()]
        configs = self.spica(["config", "--names"]).stdout.split()
        found = [c for c in shipped_kernels.cases(self.options.kernels, configs, pathlib.Path(self.folder.name))
                 if self.options.only in c.name]
        if not found:
            raise UserError(f"no kernel has '{self.options.only}' in its name")
        return found

    def go(self):
        begin, options = time.monotonic(), self.options
        cases = self.cases()
        messages, unexplained = [], 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            expected = list(pool.map(self.reference, cases))
            jobs = []
            if options.command or not options.sets:  # else the fast mode of each set is compared with the cycle mode
                jobs += [pool.submit(self.check_modes, case, wanted) for case, wanted in zip(cases, expected)]
            for number in range(options.first, options.first + options.sets):
                for case, wanted in zip(cases, expected):
                    jobs += [pool.submit(self.check_set, case, number, mode, wanted) for mode in MODES]
            for job in concurrent.futures.as_completed(jobs):
                if job.result() is None:
                    continue
                message, explained = job.result()
                unexplained += not explained
                messages.append(message)
                print(message, flush=True)
        print(f"timing fuzz: {options.sets} sets (seed {options.seed}) x {len(cases)} programs x {len(MODES)} modes: "
              f"{len(messages)} differences; {self.runs} runs in {time.monotonic() - begin:.0f} s; "
              f"{self.parameters.refused} contradictions and {self.refused} sets that a program refuses were drawn again")
        return 3 if unexplained else 1 if messages else 0


def console(text):
    """Lines of the program, in any order: several warps may print. Times are no results."""
    return sorted(re.sub(r"\d+ cycles|cycles: *\d+", "N cycles", line) for line in text.splitlines())


def main():
    parser = argparse.ArgumentParser(description="no timing may change a result")
    parser.add_argument("--spica", required=True, help="the program")
    parser.add_argument("--kernels", type=pathlib.Path, required=True, help="folder of the kernels' ELF files")
    parser.add_argument("--sets", "--timing-fuzz", type=int, default=3, help="how many sets of parameters")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first set: to go on, or to repeat one")
    parser.add_argument("--only", default="", help="kernels with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("command", nargs="*", help="behind --: a spica command that takes the place of the kernels")
    options = parser.parse_args()
    if options.sets < 0 or options.jobs < 1:
        parser.error("--sets and --jobs count something")
    try:
        sys.exit(Fuzz(options).go())
    except UserError as error:
        print(f"timing_fuzz: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
