#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole GPUs with random networks, level 2 caches, memories and numbers of multiprocessors: a product ends on each of
them, is right, and leaves the same memory in both modes.

    SPICA_BINARY=build/platform/cli/spica SPICA_KERNELS=build/sw \\
      testbenches/kernels/fuzz/random_gpus.py --seed 1 --runs 200

Exit code: 0 no difference, 1 differences, each with its settings."""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import timing_fuzz  # noqa: E402

BINARY = os.environ.get("SPICA_BINARY", "build/platform/cli/spica")
SECONDS = 600  # for one run; nothing here takes a tenth of it
# Machine, its multiprocessors, bytes of one set of all ways of a slice, where its matrices are
GPUS = (("titanv", 80, 24 * 128, range(0xA0000000, 0xAE000000)), ("rtx2060", 30, 16 * 128, range(0xA0000000, 0xC0000000)),
        ("v100", 80, 24 * 128, range(0xA0000000, 0xAE000000)), ("a100", 108, 16 * 128, range(0xA0000000, 0xC8000000)))
DESIGNS = ("cutlass13-nt", "cutlass13-nn")


def machine(chosen):
    """Configuration, design, settings and the range of addresses to compare."""
    config, most, set_bytes, matrices = chosen.choice(GPUS)
    pick = chosen.choice
    slices = pick((1, 2, 3, 8, 24, 40, 48, 64, 80, 160, 256))
    hashes = ["none", "xor", "ipoly_folded", "ipoly_mod"] + ["ipoly"] * (slices & (slices - 1) == 0)
    few = pick((1, 2, 3, 8, 16, most))
    settings = {
        "clusters": few, "network.clusters_per_port": pick((1, 2)), "network.hash": pick(hashes),
        "network.queues": pick(("in_order", "per_output")), "network.input_queue": pick((1, 3, 64)),
        "network.slice_requests": pick((1, 5, 64, 1024)), "network.packet_bytes": pick((16, 32, 64, 128)),
        "network.interleave_bytes": pick((128, 256, 2048)), "network.request_latency": pick((1, 9, 43, 200)),
        "network.response_latency": pick((1, 9, 44, 200)), "network.arbitration": pick(("islip", "round_robin")),
        "network.clock_mhz": pick((0, 0, 700, 1900)), "main_memory.clock_mhz": pick((0, 0, 850)),
        "l2.slices": slices, "l2.size_bytes": slices * set_bytes * pick((1, 2, 32)), "l2.bank_bytes_per_cycle": pick((16, 32, 128)),
        "l2.request_queue": pick((1, 8, 64)), "l2.warm": pick(("off", "host_writes")),
        "main_memory.channels": pick([n for n in range(1, 65) if slices % n == 0]),
        "main_memory.back_end": pick(("fixed", "fixed", "dram")), "main_memory.fixed.per_channel": pick(("true", "false")),
        "dispatcher.placement": pick(("round_robin", "most_free")), "dispatcher.groups_per_cycle": pick((1, 7, 80)),
    }
    return config, pick(DESIGNS), [word for key, value in settings.items() for word in ("--set", f"{key}={value}")], matrices


def differs(chosen, folder):
    """What is wrong with the next machine, or nothing, and the command."""
    config, design, settings, matrices = machine(chosen)
    command = [BINARY, "gemm", "--design", design, "--config", config, "--size", "128x192x64", *settings]
    memory = []
    for mode in timing_fuzz.MODES:
        path = pathlib.Path(folder) / f"{mode}.bin"
        words = [*command, "--mode", mode, "--out", str(pathlib.Path(folder) / mode), "--save-memory", str(path)]
        try:
            result = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"no end in {mode} mode", words
        if result.returncode != 0 or ": verified" not in result.stdout:
            return f"exit code {result.returncode} in {mode} mode: {result.stderr[-500:]}", words
        pages = timing_fuzz.pages(path.read_bytes(), False)
        memory.append({at: page for at, page in pages.items() if at in matrices})
        path.unlink()
    if not memory[0]:
        return "no memory to compare", command
    return ("memory differs" if memory[0] != memory[1] else ""), command


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=200, help="machines")
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.runs):
            reason, command = differs(chosen, folder)
            if reason:
                wrong += 1
                print(f"machine {number}: {reason}\n  {' '.join(command)}", flush=True)
    print(f"{options.runs} machines, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
