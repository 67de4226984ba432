// SPDX-License-Identifier: Apache-2.0
// The machine that a kernel is compiled for, where it shares out work before it runs:
//   -DMACHINE_CORES=4 -DMACHINE_WARPS=8 (of a core) -DMACHINE_LANES=8 (of a warp)
// The defaults are the first machine's.
#pragma once

#ifndef MACHINE_CORES
#define MACHINE_CORES 4
#endif
#ifndef MACHINE_WARPS
#define MACHINE_WARPS 8
#endif
#ifndef MACHINE_LANES
#define MACHINE_LANES 8
#endif

constexpr unsigned power_of_two_up_to(unsigned most) {
  return most < 2 ? 1 : 2 * power_of_two_up_to(most / 2);
}
