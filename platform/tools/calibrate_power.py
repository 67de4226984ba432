#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calibrates the one scalar of an energy table: the SIMT core's overhead per instruction.

The point: 256x256x256, matrix unit with DMA against tensor core with DMA, active power -66.3 % (docs/power.md).
The active energy of both runs is linear in the scalar s, E = a + b s, with b the nominal energy of the
entries that say `calibrated`. So s follows from one equation: P_virgo(s) = (1 - 0.663) P_tensor_core(s).

    calibrate_power.py SPICA_BINARY           prints the scalar and what follows from it
    calibrate_power.py SPICA_BINARY --check   exit code 1 when the table's scalar misses the point by more
                                              than a percentage point
"""
import json
import pathlib
import subprocess
import sys
import tempfile

TARGET = -0.663
SIZE = "256x256x256"
DESIGNS = ("virgo-dma", "tc-dma")
TABLE = pathlib.Path(__file__).resolve().parents[2] / "configs" / "power" / "virgo-16nm.yaml"


def measure(binary, design):
    """(seconds, energy of the calibrated events, energy of all others), the scalar in effect."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "gemm", "--design", design, "--size", SIZE, "--energy", "--out", folder],
                       check=True, stdout=subprocess.DEVNULL)
        report = json.loads((pathlib.Path(folder) / "energy.json").read_text())
    calibrated = sum(event["active_uj"]["nominal"] for event in report["events"] if event["calibrated"])
    window = report["window"]
    return window["seconds"], calibrated, window["active_uj"]["nominal"] - calibrated, \
        report["table"]["instruction_overhead"]


def main():
    binary = sys.argv[1]
    (tv, bv, av, now), (tt, bt, at, _) = (measure(binary, design) for design in DESIGNS)
    bv, bt = bv / now, bt / now  # energies of the calibrated events at s = 1
    change = lambda s: ((av + bv * s) / tv) / ((at + bt * s) / tt) - 1
    keep = 1 + TARGET
    scalar = (keep * at / tt - av / tv) / (bv / tv - keep * bt / tt)
    print(f"uncalibrated (1):   active power {100 * change(1):+.1f} %")
    print(f"in {TABLE.name} ({now:g}): active power {100 * change(now):+.1f} %")
    print(f"calibrated ({scalar:.4g}): active power {100 * change(scalar):+.1f} %, "
          f"active energy {100 * ((av + bv * scalar) / (at + bt * scalar) - 1):+.1f} %")
    if "--check" in sys.argv and abs(change(now) - TARGET) > 0.01:
        print(f"the table's scalar misses {100 * TARGET:.1f} %: write instruction_overhead: {scalar:.4g}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
