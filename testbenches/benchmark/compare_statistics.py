#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are cycles and statistics of two builds the same?

    compare_statistics.py BEFORE AFTER [--only WORD] [--jobs N] [--large]

BEFORE and AFTER are checkouts with a build folder. Every shipped kernel runs on both, in the cycle mode with energy
and profile and in the fast mode; so do the microbenchmarks and, with --large, the experiments at their published
sizes. Everything in stats.json, energy.json and profile.json is compared, names and values, but what depends on the
host or on the moment. Exit code: 0 equal, 1 differences, 2 a wrong command."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernels" / "fuzz"))
import shipped_kernels  # noqa: E402

# Of the host, or of the command line and the files behind it.
LEFT_OUT = {"host_seconds", "simulated_cycles_per_second", "warp_instructions_per_second", "host", "provenance"}
SHOWN = 5  # differences of a run


class Checkout:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.program = self.folder / "build/platform/cli/spica"
        if not self.program.is_file():
            raise SystemExit(f"compare_statistics.py: {self.program} is not there; build the checkout first")
        self.kernels = self.folder / "build/sw"

    def run(self, command, out):
        command = [word.replace("KERNELS", str(self.kernels)) for word in command]
        environment = dict(os.environ, SPICA_ROOT=str(self.folder), SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
        done = subprocess.run([str(self.program), *command, "--out", str(out)], env=environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        results = {"exit code": done.returncode}
        for file in sorted(out.rglob("*.json")):
            if file.name != "config.json":
                results[str(file.relative_to(out))] = json.loads(file.read_text())
        if len(results) == 1:
            results["output"] = done.stdout + done.stderr
        return results


def differences(before, after, place=""):
    """Yields "place: one, other" in words."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            if key in LEFT_OUT:
                continue
            there = f"{place}.{key}" if place else key
            if key not in before or key not in after:
                yield f"{there}: only {'after' if key in after else 'before'}"
            else:
                yield from differences(before[key], after[key], there)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after)):
            yield from differences(one, other, f"{place}[{index}]")
    elif before != after:
        yield f"{place}: {str(before)[:60]}, then {str(after)[:60]}"


def runs_of(checkout, large):
    configs = sorted(file.stem for file in (checkout.folder / "configs").glob("*.yaml"))
    found = []
    for case in shipped_kernels.cases(pathlib.Path("KERNELS"), configs):
        found.append((f"{case.name}, cycle mode", [*case.command, "--energy"]))
        found.append((f"{case.name}, fast mode", [*case.command, "--mode", "fast"]))
    found.append(("microbench", ["microbench"]))
    if large:  # asked for one that does not exist, the program names those that do
        refusal = subprocess.run([str(checkout.program), "experiment", "?"], capture_output=True, text=True,
                                 env=dict(os.environ, SPICA_ROOT=str(checkout.folder)), check=False).stderr
        found += [(f"experiment {name}", ["experiment", name])
                  for name in re.search(r"allowed: (.*?), or the path", refusal).group(1).split(", ")]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--only", default="", help="runs whose name has this word")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--large", action="store_true", help="the experiments, too: minutes")
    options = parser.parse_args()
    before, after = Checkout(options.before), Checkout(options.after)
    runs = [run for run in runs_of(before, options.large) if options.only in run[0]]

    def compare(run):
        name, command = run
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            return name, list(differences(before.run(command, pathlib.Path(one)),
                                          after.run(command, pathlib.Path(other))))

    different = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, found in pool.map(compare, runs):
            different += bool(found)
            for text in found[:SHOWN]:
                print(f"{name}: {text}")
            if len(found) > SHOWN:
                print(f"{name}: {len(found) - SHOWN} more")
    print(f"{len(runs)} runs, {different} of them different")
    return 1 if different or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
