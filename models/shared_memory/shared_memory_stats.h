// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/base/stats.h"
#include "models/shared_memory/shared_memory_params.h"

namespace spica::shared_memory {

/// Counters of a shared memory. Words are counted where the energy is spent: once per word bank and
/// service.
struct SharedMemoryStats final : base::StatGroup {
  /// The charge of a cycle in the account `activity`.
  enum Activity : unsigned {
    kIdle,          // no word bank was used
    kServing,       // word banks were used, no request waited
    kSerialising,   // unaligned lanes waited for their path
    kBankConflict,  // a request found a word bank taken
  };

  explicit SharedMemoryStats(const SharedMemoryParams& params);

  struct Client {
    base::Counter* words[2];  // by Direction: read, written
  };
  std::vector<Client> wide;            // by wide port
  Client core;                         // all lanes of all cores
  std::vector<Client> bank;            // by bank
  std::vector<base::Counter*> degree;  // [n - 1]: warp accesses with n lanes on one word bank
  std::vector<base::Counter*> waits;   // by core: cycles; their sum is bank_conflict_cycles

  base::Counter& core_accesses;
  base::Counter& wide_requests;
  base::Counter& atomics;
  base::Counter& unaligned_requests;
  base::Counter& bank_conflict_cycles;
  base::Counter& wide_wait_cycles;
  base::Counter& refused_requests;
  base::CycleAccount& activity;
};

}  // namespace spica::shared_memory
