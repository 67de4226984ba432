# SPDX-License-Identifier: Apache-2.0
"""The program of these tests, on a small machine."""
import os

import spica

ELF = os.path.join(os.environ["SPICA_KERNELS"], "python_kernel.elf")
SMALL = {"cluster.cores": 2}


def run(**given):
    return spica.run(ELF, settings={**SMALL, **given.pop("settings", {})}, **given)
