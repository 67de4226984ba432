# SPDX-License-Identifier: Apache-2.0
"""Buffers are released while kernels that use them run, or after them if the host is slow: `python3 releases.py SECONDS`."""
import sys
import time

import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
numbers = np.arange(512, dtype=np.int32)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
program = cl.Program(context, """
kernel void step(global int* x, global int* y, int n) {
  int i = get_global_id(0);
  x[i] += y[(i * n) & 63];
}
""").build()
kernel = program.step
x = cl.Buffer(context, flags, hostbuf=numbers[:64])
for n in range(60):
    y = cl.Buffer(context, flags, hostbuf=numbers[:64 * (1 + n % 7)])
    kernel(queue, (64,), (16,), x, y, np.int32(n))
    time.sleep(float(sys.argv[1]))
cl.enqueue_copy(queue, numbers[:64], x)
