// SPDX-License-Identifier: Apache-2.0
// A lock between warps and cores. Taken by one lane at a time (simt_each_lane): lanes of a warp that wait for each
// other would wait forever.
#pragma once

#include "simt.h"

struct Lock {
  unsigned taken = 0;

  void take() {
    while (__atomic_exchange_n(&taken, 1u, __ATOMIC_ACQUIRE) != 0) {
    }
  }
  void give() {
    simt_fence();
    __atomic_store_n(&taken, 0u, __ATOMIC_RELEASE);
  }
};
