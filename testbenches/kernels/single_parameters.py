# SPDX-License-Identifier: Apache-2.0
"""Every design with one parameter of its machine at an extreme, or next to what it was: verified, or refused with exit code 2
before anything runs. A sample runs as a test; at length, with any part of all cases:

  SPICA_BINARY=build/platform/cli/spica SPICA_KERNELS=build/sw python3 -B testbenches/kernels/single_parameters.py
      [--designs REGEX] [--keys REGEX] [--mode fast|cycle] [--timing] [--sample N] [--seed N]
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import yaml
from spica_runner import BINARY, spica

ROOT = pathlib.Path(os.environ.get("SPICA_ROOT", pathlib.Path(__file__).resolve().parents[2]))
FOLDER = ROOT / "configs/designs"
DESIGNS = sorted(FOLDER.glob("**/*.yaml"))  # of matrix products, and in attention/ of that
# What bounds the run itself, or asks for something outside the machine.
LEFT_OUT = re.compile(r"plugins|slots|run\.|power\.|main_memory\.(external|dramsys)|host\.|cluster\.core\.units")
MOST_SECONDS = 60
MOST_LINES = 12  # of a refusal


def loaded(design):
    """A design with what it extends."""
    values = yaml.safe_load(design.read_text())
    base = values.pop("extends", None)
    return {**loaded(design.with_name(base if base.endswith(".yaml") else base + ".yaml")), **values} if base else values


def flattened(value, prefix=""):
    """A machine as {key: value}."""
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        pairs = enumerate(value)
    else:
        return {prefix: value}
    return {key: leaf for name, inner in pairs for key, leaf in flattened(inner, f"{prefix}.{name}" if prefix else str(name)).items()}


def machine_of(config):
    dumped = spica("config", config, "--dump")
    return flattened(yaml.safe_load(dumped.out))


def parameters():
    return {field["key"]: field for field in json.loads(spica("config", "virgo", "--list", "--as", "json").out)}


def values_of(field, here):
    """The extremes of a parameter and what is next to its value here."""
    if field["kind"] == "choice":
        every = field["choices"]
    elif field["allowed"] == "true, false":
        every = ["true", "false"]
    elif "min" in field and field["kind"] in ("integer", "number"):
        least, most = int(field["min"]), int(field["max"])
        at = int(here, 0) if isinstance(here, str) else int(here)
        near = [at // 2, at * 2] if field.get("power_of_two") or at >= 8 else [at - 1, at + 1]
        if not field.get("power_of_two") and at >= 8:
            near += [at + at // 2, at - 1]
        every = [least, *(value for value in near if least <= value <= most), most]
    else:
        return []
    here = str(here).lower()
    return [value for value in dict.fromkeys(map(str, every)) if value != here]


def name_of(design):
    return str(design.relative_to(FOLDER).with_suffix(""))


def size_of(values):
    """Several tiles along k, and sizes that are no multiple of one."""
    return "64x64x200+70x64x200" if len(values.get("matrix_units", [0])) > 1 else "64x72x200"


def cases(designs=".", keys=".", timing=False):
    """(design, size, KEY=VALUE) of all."""
    known, machines = parameters(), {}
    for design in DESIGNS:
        if not re.search(designs, name_of(design)):
            continue
        values = loaded(design)
        config = values["config"]
        machine = machines.setdefault(config, machine_of(config))
        for key, here in machine.items():
            field = known.get(re.sub(r"\.(\d+)(?=\.|$)", "[N]", key))
            if field is None or LEFT_OUT.match(key) or not re.search(keys, key) or (field["timing"] and not timing):
                continue
            for value in values_of(field, here):
                yield name_of(design), size_of(values), f"{key}={value}"


def fault_of(case, mode="fast"):
    """What is wrong with what a case does; empty: it is verified, or refused."""
    design, size, *settings = case
    command = ("attention", "--sequence", "128") if design.startswith("attention/") else ("gemm", "--size", size)
    try:
        run = spica(*command, "--design", design.rpartition("/")[2], "--mode", mode, *(f"--set={setting}" for setting in settings),
                    timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return "no end"
    if run.code == 0 and "verified" in run.out:
        return ""
    if run.code != 2:
        first = next((line for line in run.text.splitlines() if re.search(r"WRONG|fault|invariant|FINISHED|error|returned", line)), "")
        return f"exit {run.code}: {first}"
    if run.out.strip():
        return f"refused behind the start: {run.text[:200]}"
    if len(run.err.splitlines()) > MOST_LINES or re.search(r"error:|note:", run.err):
        return f"{len(run.err.splitlines())} lines: {run.err[:300]}"
    return ""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--designs", default=".")
    options.add_argument("--keys", default=".")
    options.add_argument("--mode", default="fast")
    options.add_argument("--timing", action="store_true", help="parameters that change times only, too")
    options.add_argument("--sample", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    every = list(cases(given.designs, given.keys, given.timing))
    if given.sample:
        every = random.Random(given.seed).sample(every, min(given.sample, len(every)))
    wrong = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        for case, fault in zip(every, pool.map(lambda case: fault_of(case, given.mode), every)):
            if fault:
                wrong += 1
                print(*case, fault, flush=True)
    print(f"{len(every)} cases, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
