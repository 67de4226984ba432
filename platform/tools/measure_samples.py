#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures sampled runs against full ones: how often the intervals hold, the errors, and the host instructions saved.

    platform/tools/measure_samples.py build/platform/cli/spica --seeds 20 [--only NAME] [--sample max=100%]

Host instructions are those in user mode, by perf; where it cannot count them, user seconds. The intervals are for the whole run: cycles and energy.
"""
import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import tempfile

# Name: arguments of spica.
RUNS = {
    "cutlass": "gemm --design cutlass13-nn --config titanv-sm --size 2048x2048x64",
    "cutlass-long": "gemm --design cutlass13-nn --config titanv-sm --size 2048x2048x512",
    "mlds": "gemm --design mlds-64x64x32 --config tcv1-sm --size 2048x2048x64",
    "tile": "gemm --design gemm-tile --config mgpu-8 --size 2048x1024x32",
    "triad": "run titanv-sm gpu_stream --kernel triad --grid 4096",
    "collatz": "run virgo {uneven} --kernel collatz --grid 8000 --set dispatcher.present=true",
    "change": "run virgo {uneven} --kernel change --grid 8000 --set dispatcher.present=true",
}


def run(binary, arguments, work):
    """The results, and the host instructions or user seconds."""
    out = pathlib.Path(work, "out")
    counts = pathlib.Path(work, "perf")
    perf = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(counts)]
    command = [binary, *arguments.split(), "--energy", "--quiet", "--out", str(out)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([*perf, *command] if shutil.which("perf") else command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    text = counts.read_text() if counts.exists() else ""
    count = [line.split(",")[0] for line in text.splitlines() if "instructions" in line]
    return json.loads((out / "stats.json").read_text()), float(count[0]) if count and count[0].isdigit() else spent


def compiled(binary, arguments, work):
    """The kernels of the tests of sampled runs, if the run needs them."""
    if "{uneven}" not in arguments:
        return arguments
    program = pathlib.Path(work, "uneven.elf")
    source = pathlib.Path(__file__).resolve().parents[2] / "testbenches/kernels/sample/uneven.cpp"
    subprocess.run([binary, "cc", str(source), "-o", str(program)], check=True, capture_output=True)
    return arguments.format(uneven=program)


def truth(data):
    """Cycles and energy of the whole run."""
    return data["sample"]["cycles"]["nominal"], data["sample"]["energy_uj"]["nominal"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spica")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", help="one of " + ", ".join(RUNS))
    parser.add_argument("--sample", default="error=1%", help="options of --sample but the seed")
    options = parser.parse_args()
    print("run            held: cycles energy   within 1 %: cycles energy   reached   groups   instructions or user seconds of host")
    for name, arguments in RUNS.items():
        if options.only and name != options.only:
            continue
        with tempfile.TemporaryDirectory() as work:
            arguments = compiled(options.spica, arguments, work)
            full, whole = run(options.spica, f"{arguments} --sample error=0%", work)
            wanted = truth(full)
            held, near, reached, share, spent = [0, 0], [0, 0], 0, 0, 0
            for seed in range(1, options.seeds + 1):
                data, instructions = run(options.spica, f"{arguments} --sample {options.sample},seed={seed}", work)
                sample = data["sample"]
                for i, key in enumerate(("cycles", "energy_uj")):
                    held[i] += sample[key]["low"] <= wanted[i] <= sample[key]["high"]
                    near[i] += abs(sample[key]["nominal"] / wanted[i] - 1) <= 0.01
                reached += sample["reached"]
                share += sample["work_groups_simulated"] / sample["work_groups"] / options.seeds
                spent += instructions / options.seeds
            less = f"{whole / spent:.1f} times fewer"
            print(f"{name:14} {held[0]:12} {held[1]:6} {near[0]:19} {near[1]:6} {reached:9} {100 * share:6.1f} %   {less}"
                  f" ({full['simulated_cycles']:,} cycles)", flush=True)


if __name__ == "__main__":
    main()
