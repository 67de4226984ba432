# SPDX-License-Identifier: Apache-2.0
"""Work items that return before the barrier of their group: undefined in OpenCL, and common."""
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, """__kernel void early(__global int* x, int n, __local int* part) {
  int i = get_global_id(0), l = get_local_id(0);
  if (i >= n) return;
  part[l] = x[i]; barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = part[l ^ 1] + 1;
}
""").build()
N, USED = 64, 20
x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(N, dtype=np.int32))
for _ in range(2):
    program.early(queue, (N,), (N,), x, np.int32(USED), cl.LocalMemory(4 * N))
result = np.empty(N, np.int32)
cl.enqueue_copy(queue, result, x)
expected = np.arange(N)
expected[:USED] += 2
assert (result == expected).all(), result
print("all right")
