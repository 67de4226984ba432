#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives the program damaged inputs and looks at how it ends: an exit code of 0 to 2 or the guest program's own within
the time is right, an internal error (3), a signal or an endless run is not. Same seed, same inputs.

    SPICA_BINARY=build/platform/cli/spica SPICA_KERNELS=build/sw \\
      testbenches/kernels/fuzz_inputs.py --seed 1 --runs 1000 --keep out/fuzz

--kinds chooses among elf, dwarf, config, table, report and command (default: all), --runs is for each of them.
What failed is kept in --keep, with the command to see it again. Exit code: 0 none failed, 1 some did.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

BINARY = os.environ.get("SPICA_BINARY", "build/platform/cli/spica")
KERNELS = pathlib.Path(os.environ.get("SPICA_KERNELS", "build/sw"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 120  # longer is endless: the inputs are small, and max_cycles is set
SHORT = ["--set", "run.max_cycles=3000"]
INTERESTING = [0, 1, 2, 4, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def random_bytes(rng, most):
    return bytes(rng.choice(b"\x00\x01\x1b\x7f\x80\xc3\xff aA0.:=@+-/\\'\"{}[]\n") if rng.random() < 0.8
                 else rng.randrange(256) for _ in range(rng.randrange(1, most)))


def mutated(rng, data, ranges=None):
    """The bytes with up to eight places changed, within (begin, end) pairs if given."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 9)):
        begin, end = rng.choice(ranges) if ranges and rng.random() < 0.8 else (0, len(data))
        end = min(end, len(data))
        if begin >= end:
            continue
        at = rng.randrange(begin, end)
        way = rng.randrange(6)
        if way == 0:
            data[at] = rng.randrange(256)
        elif way == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif way == 2:
            width = rng.choice([1, 2, 4])
            data[at:at + width] = (rng.choice(INTERESTING) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        elif way == 3:
            data[at:at + 4] = random_bytes(rng, 5)
        elif way == 4:
            del data[at:at + rng.randrange(1, 5)]
        else:
            data[at:at] = data[at:at + rng.randrange(1, 40)]
    return bytes(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.05 else data)


def sections(elf):
    """{name: (begin, end)} of an ELF file of 32 bits."""
    offset, = struct.unpack_from("<I", elf, 32)
    size, count, names = struct.unpack_from("<HHH", elf, 46)
    headers = [struct.unpack_from("<IIIIII", elf, offset + size * i) for i in range(count)]
    start = headers[names][4]
    found = {"headers": (offset, offset + size * count)}
    for header in headers:
        name = elf[start + header[0]:elf.index(b"\0", start + header[0])].decode()
        found[name] = (header[4], header[4] + header[5])
    return found


class Fuzzer:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.elf_bytes = (KERNELS / "hello.elf").read_bytes()
        self.report = None

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def program(self, rng, names):
        places = [place for name, place in sections(self.elf_bytes).items() if name.startswith(names)]
        data = bytearray(mutated(rng, self.elf_bytes, [(0, 52 + 32 * 4)] * (names == "headers") + places))
        path = self.write("k.elf", bytes(data))
        way = rng.randrange(6)
        out = self.folder / "out"
        return [["run", "virgo", path, "--mode", "fast", *SHORT],
                ["run", "virgo", path, *SHORT, "--out", out, "--lines", "--report", self.folder / "r.html"],
                ["profile", "virgo", path, *SHORT, "--profile", out],
                ["annotate", "virgo", path, *SHORT],
                ["run", "virgo", path, *SHORT, "--check", "hazards", "--out", out],
                ["run", "virgo", path, *SHORT, "--trace", self.folder / "t.json", "--trace", self.folder / "t.kanata",
                 "--trace", self.folder / "t.log", "--trace", self.folder / "t.vcd"]][way]

    def elf(self, rng):
        return self.program(rng, rng.choice(["headers", (".symtab", ".strtab", ".shstrtab"), ".text", ""]))

    def dwarf(self, rng):
        return self.program(rng, (".debug_",))

    def config(self, rng):
        path = rng.choice(sorted((ROOT / "configs").rglob("*.yaml")))
        data = mutated(rng, path.read_bytes())
        if rng.random() < 0.3:
            data += b"\nextends: [" + b", ".join([b"m.yaml", b"n.yaml"] * rng.randrange(1, 4)) + b"]\n"
        self.write("n.yaml", mutated(rng, path.read_bytes()))
        return ["config", self.write("m.yaml", data), "--dump"]

    def table(self, rng):
        path = rng.choice(sorted((ROOT / "configs" / "power").rglob("*.yaml")))
        return ["power", self.write("t.yaml", mutated(rng, path.read_bytes()))]

    def run_folder(self):
        if self.report is None:
            out = self.folder / "whole"
            subprocess.run([BINARY, "run", "virgo", str(KERNELS / "hello.elf"), "--out", str(out), "--energy", *SHORT],
                           capture_output=True, check=False)
            self.report = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
        return self.report

    def report_(self, rng):
        for name, data in self.run_folder().items():
            self.write(f"dir/{name}", data)
            self.write(f"whole_dir/{name}", data)
        name = rng.choice(["stats.json", "stats.json", "energy.json", "config.yaml"])
        data = self.run_folder().get(name, b"{}")
        if rng.random() < 0.5 and name.endswith("json"):  # right in form, wrong in kind
            document = json.loads(data)
            key = rng.choice(sorted(document))
            document[key] = rng.choice([None, -1, 1.5, "text", [], {}, True, [[]], 1e300, "\x1b[31m", {"a": {"b": 1}}])
            data = json.dumps(document).encode()
        else:
            data = mutated(rng, data)
        self.write(f"dir/{name}", data)
        folders = [self.folder / "dir", self.folder / "whole_dir"]  # energies of two are compared
        return ["report", *folders[:rng.randrange(1, 3)], "-o", self.folder / "r.html"]

    def command(self, rng):
        words = [b"run", b"virgo", os.fsencode(KERNELS / "hello.elf"), b"--mode", b"fast", b"--set", b"run.max_cycles=3000",
                 b"--out", b"--save", b"o.bin@0x80000000+16", b"--load", b"--args", b"u32:1", b"--trace", b"t.log", b"gemm",
                 b"--size", b"64x64x64", b"config", b"power", b"report", b"--energy", b"--power", b"--list", b"--find",
                 b"--trace-filter", b"pc=0-", b"--trace-limit", b"1MiB", b"annotate", b"profile", b"--top", b"3",
                 b"cluster.cores=2", b"-q", b"--help"]
        line = [rng.choice([b"run", b"run", b"config", b"power", b"annotate", b"report", b"gemm"])]
        if line == [b"run"] or line == [b"annotate"]:
            line += [b"virgo", os.fsencode(KERNELS / "hello.elf"), *(word.encode() for word in SHORT)]
        for _ in range(rng.randrange(0, 7)):
            word = rng.choice(words)
            if rng.random() < 0.4:
                word = mutated(rng, word)
            if rng.random() < 0.2:
                word = random_bytes(rng, 12)
            line.append(word.replace(b"\0", b"\xff"))
        return line

    def run(self, kind, seed):
        """[] when the program ended as it should, else what was wrong."""
        rng = random.Random(f"{kind} {seed}")
        arguments = getattr(self, "report_" if kind == "report" else kind)(rng)
        line = [os.fsencode(BINARY), *(os.fsencode(a) if not isinstance(a, bytes) else a for a in arguments)]
        try:
            done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False,
                                  cwd=self.folder)
        except subprocess.TimeoutExpired:
            return line, f"did not end in {SECONDS} s"
        told = done.stderr + (done.stdout if kind in ("config", "table") else b"")
        # A program that runs may return any code of its own.
        ours = done.returncode not in (0, 1, 2) if kind in ("config", "table", "report") else done.returncode < 0
        if ours or b"internal error" in done.stderr:
            return line, f"ended with {done.returncode}: {done.stderr[-600:]!r}"
        if kind != "command" and (b"\x1b" in told or not valid(told)):
            return line, f"printed bytes that a terminal obeys or cannot show: {told[-600:]!r}"
        return line, None


def valid(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


KINDS = ["elf", "dwarf", "config", "table", "report", "command"]


def fuzz(kinds, seeds, keep=None):
    """[(kind, seed, command, what was wrong)]"""
    failed = []
    for kind in kinds:
        for seed in seeds:
            with tempfile.TemporaryDirectory(prefix="spica-fuzz-") as folder:
                line, wrong = Fuzzer(folder).run(kind, seed)
                if wrong is None:
                    continue
                failed.append((kind, seed, line, wrong))
                if keep:
                    shutil.copytree(folder, pathlib.Path(keep) / f"{kind}-{seed}", dirs_exist_ok=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--keep")
    options = parser.parse_args()
    failed = fuzz(options.kinds.split(","), range(options.seed, options.seed + options.runs), options.keep)
    for kind, seed, line, wrong in failed:
        print(f"{kind} {seed}: {wrong}\n  {b' '.join(line)!r}")
    print(f"{options.runs} runs of each of {options.kinds} from seed {options.seed}: {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    BINARY = str(pathlib.Path(BINARY).resolve())
    KERNELS = KERNELS.resolve()
    sys.exit(main())
