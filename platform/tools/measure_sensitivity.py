#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes FOLDER/DESIGN.json: by how much uncertain parameters move the cycles of a shipped design.

    measure_sensitivity.py SPICA_BINARY --out FOLDER [--size 256x256x256] [--jobs N] DESIGN...

The stored ones are in configs/fidelity/sensitivity.

Runs the matrix product of each design with each uncertain parameter ("fidelity" of stats.json) at half and at twice its value, as far
as its range goes, or at each other choice. Only changes of 0.1 % and more are kept, and values that are refused.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SMALLEST = 0.001


def run(spica, design, size, folder, *sets):
    """(cycles, None), or (None, why not)."""
    words = [spica, "gemm", "--design", design, "--size", size, "--quiet", "--record", str(folder / "record"), *sets]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    return json.loads((folder / "record").read_text().splitlines()[-1])["cycles"], None


def other_values(parameter, value):
    if parameter["kind"] == "bool":
        return [{"true": "false", "false": "true"}[value]]
    if parameter["kind"] == "choice":
        return [choice for choice in parameter["choices"] if choice != value]
    least, most = parameter["min"], parameter["max"]
    whole = parameter["kind"] == "integer"
    number = float(value)
    steps = {max(least, number // 2 if whole else number / 2), min(most, 2 * number if number else 1)} - {number}
    return [f"{step:.0f}" if whole else f"{step:g}" for step in sorted(steps)]


def measure(arguments, design, listed):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([arguments.spica, "gemm", "--design", design, "--size", arguments.size, "--quiet", "--out", folder], check=True)
        stats = json.loads((folder / "stats.json").read_text())
        tasks = []
        for one in stats["fidelity"]["uncertain"]:
            pattern = re.sub(r"\.\d+", "[N]", one["key"])
            for value in other_values(listed[pattern], one["value"]):
                tasks.append((one["key"], one["value"], value))

        def change(i):
            key, value, other = tasks[i]
            inner = folder / str(i)
            inner.mkdir()
            return {"key": key, "from": value, "to": other}, run(arguments.spica, design, arguments.size, inner, "--set", f"{key}={other}")

        changes, refused = [], []
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for entry, (cycles, why) in pool.map(change, range(len(tasks))):
                if cycles is None:
                    refused.append({**entry, "why": why})
                elif abs(cycles / stats["cycles"] - 1) >= SMALLEST:
                    changes.append({**entry, "change": round(cycles / stats["cycles"] - 1, 4)})
    changes.sort(key=lambda entry: -abs(entry["change"]))
    return {"design": design, "size": arguments.size, "cycles": stats["cycles"], "tried": len(tasks), "changes": changes, "refused": refused}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spica", type=lambda path: str(pathlib.Path(path).absolute()))
    parser.add_argument("designs", nargs="+")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--size", default="256x256x256")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    text = subprocess.run([arguments.spica, "config", "--list", "--as", "json"], check=True, capture_output=True, text=True).stdout
    listed = {one["key"]: one for one in json.loads(text)}
    arguments.out.mkdir(parents=True, exist_ok=True)
    for design in arguments.designs:
        found = measure(arguments, design, listed)
        (arguments.out / f"{design}.json").write_text(json.dumps(found, indent=1) + "\n")
        top = found["changes"][0] if found["changes"] else {"change": 0, "key": ""}
        print(f"{design}: {found['cycles']} cycles, {found['tried']} runs, most {100 * top['change']:+.1f} % by {top['key']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
