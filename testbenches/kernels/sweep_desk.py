# SPDX-License-Identifier: Apache-2.0
"""A folder with a sweep file in it, for tests."""
import csv
import os
import pathlib
import time

from spica_runner import spica

SMALL = """
name: small
title: two designs and their latencies
axes:
  design: [tc-dma, virgo-dma]
  size: [64x64x64, 60000x60000x1]
  fma: {key: cluster.core.fma_latency, values: [4, 5, 6]}
keep: [cycles, utilisation, active_energy_uj, stats.l2.read_misses]
fixed: {energy: true}
baseline: {design: tc-dma}
objectives: {cycles: min, active_energy_uj: min}
"""

SEEDS = """
name: seeds
axes:
  seed: {range: 1..60}
fixed: {design: virgo-dma, size: 64x64x64}
keep: [cycles]
"""


def in_folder(at, *arguments, **more):
    """spica in the folder `at`, as a user has it."""
    here = os.getcwd()
    os.chdir(at)
    try:
        return spica(*arguments, **more)
    finally:
        os.chdir(here)


class Desk:
    """A folder with a sweep file in it."""

    def __init__(self, at, text=SMALL, name="s.yaml"):
        self.at = pathlib.Path(at)
        self.write(text, name)

    def write(self, text, name="s.yaml"):
        (self.at / name).write_text(text)

    def run(self, *arguments, **more):
        return in_folder(self.at, "sweep", *arguments, **more)

    def csv(self, dir="out/small"):
        return (self.at / dir / "results.csv").read_bytes()

    def rows(self, dir="out/small"):
        return list(csv.DictReader(self.csv(dir).decode().splitlines()))

    def records(self, dir="out/small"):
        """How many runs have written theirs."""
        return sum(file.read_bytes().count(b"\n") for file in (self.at / dir / "records").glob("*.jsonl"))

    def wait_for_records(self, dir, number, seconds=60):
        """Returns when that many are there, however slow the host is."""
        end = time.monotonic() + seconds
        while self.records(dir) < number:
            if time.monotonic() > end:
                raise TimeoutError(f"{self.records(dir)} records in {dir}, not {number}")
            time.sleep(0.005)
