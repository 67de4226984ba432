# SPDX-License-Identifier: Apache-2.0
"""A kernel that writes to an address without memory."""
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, """
__kernel void wild(__global int* x, uint far) {
  x[far] = 1;
}
""").build()
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
try:
    program.wild(queue, (1,), None, buffer, np.uint32(0x1FFFFFFF & ~0xFFF))
    queue.finish()
except cl.Error as error:
    print(error)
