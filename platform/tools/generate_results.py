#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/results.md: every key of the files that runs write, with unit, window and meaning.

    generate_results.py SPICA_BINARY           writes the file
    generate_results.py SPICA_BINARY --check   exit code 1 when the file is stale

Runs small jobs of each kind. Counters and cycle accounts have their units and descriptions in the results. Other keys are in
result_keys.tsv next to this script. A key of a result without a line there is an error, and so is a line whose key no result has
(unless it is marked with !, for keys of failures and rare options). SPICA_KERNELS names the folder of built kernels.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import generated

TARGET = generated.ROOT / "docs" / "reference" / "results.md"
KEYS = pathlib.Path(__file__).with_name("result_keys.tsv")
SIZE = ("--size", "64x64x64")
JOBS = (
    ("gemm", "--design", "virgo-dma", *SIZE, "--energy", "--lines", "--area"),
    ("gemm", "--design", "virgo-dma", *SIZE, "--format", "int8", "--scaled"),
    ("gemm", "--design", "virgo-dma", *SIZE, "--format", "mxfp8_e4m3", "--block-scale", "floor"),
    ("gemm", "--design", "virgo-dma", *SIZE, "--activation", "relu", "--output-format", "int8", "--a-format", "fp16",
     "--set", "cluster.dma.scale_units=4"),
    ("gemm", "--design", "virgo-dma", *SIZE, "--batch", "2", "--lda", "68"),
    ("gemm", "--design", "virgo-dma", "--convolution", "8x8x8,8x3x3,padding=1"),
    ("gemm", "--design", "fp16-hopper", "--size", "128x128x64"),
    ("gemm", "--design", "tc", *SIZE, "--mode", "fast"),
    ("gemm", "--design", "volta-fp16", "--size", "128x128x32"),
    ("gemm", "--design", "mlds-64x64x32", *SIZE, "--set", "cluster.multicast.present=true", "--set", "cluster.core.load_reuse=darsie"),
    ("gemm", "--design", "cutlass13-nn", "--size", "128x128x32", "--set", "cluster.core.offload.enabled=true"),
    ("attention", "--design", "virgo-overlapped", "--sequence", "128", "--causal"),
    ("attention", "--design", "virgo-overlapped", "--sequence", "128", "--exponential", "polynomial"),
    ("attention", "--design", "fp16-tc", "--sequence", "128"),
    ("concurrent", "--gemm", "32_32_64_00", "--available", "2"),
    ("network", "sw/examples/perceptron.onnx", "--symbol", "rows=3", "--mode", "fast"),
)
SWEEP = "job: gemm\nconfig: virgo\naxes: {design: [virgo-dma], size: [64x64x64]}\nkeep: [cycles]\n"


def run(spica, job, folder):
    done = subprocess.run([spica, *job, "--out", str(folder)], capture_output=True, text=True, cwd=generated.ROOT)
    if done.returncode not in (0, 1) or not (folder / "stats.json").exists():
        sys.exit(f"spica {' '.join(job)} failed:\n{done.stderr}")
    return json.loads((folder / "stats.json").read_text())


def sweep_files(spica, folder):
    """sweep.lock.json and the only record of a sweep of one point."""
    (folder / "one.yaml").write_text(SWEEP)
    subprocess.run([spica, "sweep", "run", "one.yaml"], cwd=folder, check=True, capture_output=True)
    record, = (folder / "out/one/records").glob("*.jsonl")
    return json.loads((folder / "out/one/sweep.lock.json").read_text()), json.loads(record.read_text())


def entries():
    """File: key: (unit, window, meaning), and whether a run must have it."""
    files = {}
    for line in KEYS.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        file, key, unit, window, meaning = line.split("\t")
        required, key = not key.endswith("!"), key.rstrip("!")
        files.setdefault(file, {})[key] = (unit, window, meaning, required)
    return files


def leaves(value, path=""):
    """Keys of an object by their path; of lists the entry [N]; objects of an interval are one key."""
    if isinstance(value, dict) and value and not {"low", "nominal", "high"} >= set(value):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            yield from leaves(inner, path + "[N]")
    else:
        yield path


def matches(key, known):
    return any(re.fullmatch(re.escape(name).replace(r"\*", ".*"), key) for name in known)


def check(file, seen, known):
    wrong = [f"{file}: {key} has no line in {KEYS.name}" for key in sorted(seen) if not matches(key, known)]
    wrong += [f"{file}: no result has {key} of {KEYS.name}" for key, entry in known.items()
              if entry[3] and not any(matches(one, [key]) for one in seen)]
    return wrong


def blocks_of(tree):
    for name, node in tree.items():
        if any("unit" in inner for inner in node.values() if isinstance(inner, dict)):
            yield re.sub(r"_\d+$", "", name), node
        else:
            yield from blocks_of(node)


def table(head, rows):
    clean = lambda text: text.replace("|", "\\|")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(clean(cell) for cell in row) + " |" for row in rows]) + "\n"


def key_table(known):
    return table(("key", "unit", "window", "meaning"),
                 [(f"`{key}`", unit, window, meaning) for key, (unit, window, meaning, _) in known.items()])


def main():
    spica = sys.argv[1]
    known = entries()
    seen = {"stats.json": set(), "energy.json": set(), "area": set(), "sweep.lock.json": set(), "record": set()}
    blocks, reasons = {}, {}
    with tempfile.TemporaryDirectory() as root:
        lock, record = sweep_files(spica, pathlib.Path(root))
        seen["sweep.lock.json"] = {re.sub(r"^axes\.\w+\.", "axes.AXIS.", key) for key in leaves(lock)}
        seen["record"] = set(leaves(record))
        for number, job in enumerate(JOBS):
            folder = pathlib.Path(root) / str(number)
            stats = run(spica, job, folder)
            for name, node in blocks_of(stats.pop("stats", {})):
                for key, entry in node.items():  # bank_3_words: one line for all banks
                    numbered = re.sub(r"_\d+(?=_|$)", "_N", key)
                    text = re.sub(r"\b\d+\b", "N", entry["description"]) if numbered != key else entry["description"]
                    blocks.setdefault(name, {}).setdefault(numbered, {**entry, "description": text})
            reasons.update(stats.pop("reasons", {}))
            for group in ("channels", "time_by_part", "timeline", "traffic", "kinds", "launch_account"):  # their keys are names of parts of the machine
                if group in stats:
                    seen["stats.json"].add(group)
                    del stats[group]
            seen["stats.json"] |= set(leaves(stats))
            if (folder / "energy.json").exists():
                energy = json.loads((folder / "energy.json").read_text())
                spans = r"^(window|whole_run|regions\[N\]|over_time\[N\])\."
                seen["energy.json"] |= {re.sub(r"(\.children\[N\])+", ".children[N]", re.sub(spans, "SPAN.", key))
                                        for key in leaves(energy)}
    seen["stats.json"] = {key for key in seen["stats.json"]  # ends of intervals
                          if not (match := re.fullmatch(r"(.*)_(low|high)", key)) or match[1] not in seen["stats.json"]}
    area = subprocess.run([spica, "area", "virgo", "--json"], check=True, capture_output=True, text=True).stdout
    seen["area"] = {re.sub(r"(\.(units|children|parts)\[N\])+", r".\2[N]", key) for key in leaves(json.loads(area))}
    wrong = [line for file, keys in seen.items() for line in check(file, keys, known.get(file, {}))]
    if wrong:
        sys.exit("\n".join(wrong))
    text = (generated.ROOT / "platform/tools/results_head.md").read_text()
    text += "\n## `stats.json`\n\n" + key_table(known["stats.json"])
    text += "\n## `energy.json`\n\nIntervals have `low`, `nominal` and `high`.\n\n" + key_table(known["energy.json"])
    text += "\n## `spica area --json`\n\n" + key_table(known["area"])
    text += "\n## `sweep.lock.json`\n\n" + key_table(known["sweep.lock.json"])
    text += "\n## Records of a sweep\n\nOne line of JSON for each run, in `records/*.jsonl`.\n\n" + key_table(known["record"])
    text += "\n## Counters and cycle accounts, by block\n\nThe keys of `stats` in `stats.json`. A counter has `value`, `unit`, "
    text += "`description` and `in_region`. A cycle account has `total`, `reasons` and `in_region`: each cycle is charged to one reason. "
    text += "Equal channels, such as the ports of a network, share an entry: it has no `total`, and an array for each reason, with a "
    text += "value for each channel.\n"
    same = {}  # tables by their text: caches are alike
    for name in sorted(blocks):
        rows = [(f"`{key}`", entry["unit"], entry["description"] +
                 ("" if "reasons" not in entry else "; reasons: " + ", ".join(f"`{reason}`" for reason in entry["reasons"])))
                for key, entry in blocks[name].items()]
        if rows:
            same.setdefault(table(("key", "unit", "meaning"), rows), []).append(f"`{name}`")
    for rows, names in same.items():
        text += f"\n### {', '.join(names)}\n\n{rows}"
    text += "\n## Reasons\n\nWhat the reasons of cycle accounts wait for.\n\n"
    text += table(("reason", "waits for"), [(f"`{name}`", meaning) for name, meaning in sorted(reasons.items())])
    return generated.keep(TARGET, text)


if __name__ == "__main__":
    sys.exit(main())
