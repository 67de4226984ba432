# SPDX-License-Identifier: Apache-2.0
"""Runs random kernels on the first OpenCL device, and prints a line for each: its seed and a hash of all it has left.

  python3 random_kernels_host.py FIRST:END[,FIRST:END...] [KERNELS OF A PROGRAM [BUILD OPTIONS]]

expected.txt is the output for 0:200 on the CPU device of PoCL 3.1 with -cl-opt-disable: with LLVM 15's optimisations it runs
some of the switches wrongly.
"""
import sys
import zlib

import numpy as np
import pyopencl as cl

import random_kernels

S = 0x5A17  # the argument s
ITEMS = random_kernels.GROUPS * 64  # at most


def run(queue, program, kernel, data):
    """A hash of the buffers after one launch."""
    access = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    results = [np.zeros(ITEMS, np.uint32), np.arange(ITEMS, dtype=np.uint32) * 99991, np.arange(8, dtype=np.uint32) * 12345]
    buffers = [cl.Buffer(queue.context, access, hostbuf=one) for one in results]
    size = kernel.local_size
    function = getattr(program, kernel.name)
    function(queue, (size[0] * random_kernels.GROUPS, *size[1:]), size, data, *buffers, np.uint32(S),
             cl.LocalMemory(8 * kernel.items), global_offset=(7,) + (0,) * (len(size) - 1))
    hash = 0
    for buffer, result in zip(buffers, results):
        cl.enqueue_copy(queue, result, buffer)
        hash = zlib.crc32(result.tobytes(), hash)
    return hash


def main():
    ranges = [tuple(map(int, one.split(":"))) for one in sys.argv[1].split(",")]
    step = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    options = ["-w", *sys.argv[3:]]
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    words = np.random.default_rng(1).integers(0, 1 << 32, random_kernels.WORDS, np.uint32)
    words[::7] &= 15
    words[::11] |= 0xFFFFFF00
    data = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=words)
    for seeds in (range(at, min(at + step, end)) for first, end in ranges for at in range(first, end, step)):
        source, kernels = random_kernels.program(seeds)
        program = cl.Program(context, source).build(options)
        for seed, kernel in zip(seeds, kernels):
            print(seed, f"{run(queue, program, kernel, data):08x}", flush=True)


if __name__ == "__main__":
    main()
