// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/stats.h"

namespace spica::mio {

struct Stats final : base::StatGroup {
  using Unit = base::Unit;
  /// The charge of a cycle in the account `path` of a unit (`path_1` for the second one).
  enum Path : unsigned { kIdle, kShared, kGlobal, kConflict, kBlocked, kWriteback };

  base::Counter shared_accesses{*this, "shared_accesses", Unit::kCount, "accesses to shared memory"};
  base::Counter global_accesses{*this, "global_accesses", Unit::kCount, "accesses to the level 1 data cache"};
  base::Counter shared_bytes_read{*this, "shared_bytes_read", Unit::kBytes,
                                  "from shared memory to registers, of all lanes"};
  base::Counter shared_bytes_read_a{*this, "shared_bytes_read_a", Unit::kBytes,
                                    "from shared memory to registers, fragments of A only"};
  base::Counter shared_bytes_read_b{*this, "shared_bytes_read_b", Unit::kBytes,
                                    "from shared memory to registers, fragments of B only"};
  base::Counter shared_bytes_written{*this, "shared_bytes_written", Unit::kBytes,
                                     "from registers or asynchronous copies to shared memory, of all lanes"};
  base::Counter global_bytes_read{*this, "global_bytes_read", Unit::kBytes,
                                  "from global memory to registers or asynchronous copies, of all lanes"};
  base::Counter global_bytes_written{*this, "global_bytes_written", Unit::kBytes,
                                     "from registers to global memory, of all lanes"};
  base::Counter shared_passes{*this, "shared_passes", Unit::kCycles,
                              "cycles of the path that accesses to shared memory took"};
  base::Counter global_passes{*this, "global_passes", Unit::kCycles,
                              "cycles of the path that accesses to the level 1 data cache took"};
  /// By unit.
  std::vector<base::CycleAccount*> paths;

  /// Only with write-back ports. What an account charges a cycle to: WritebackPort::Work.
  struct Writeback {
    explicit Writeback(StatGroup& group)
        : cycles(group.counter("writeback_cycles", Unit::kCycles,
                               "cycles in which a write-back port wrote registers of loads")),
          waits{
              &group.counter("writeback_shared_waits", Unit::kCycles,
                             "cycles in which a load of shared memory waited for a write-back port"),
              &group.counter("writeback_global_waits", Unit::kCycles,
                             "cycles in which a missed load of global memory waited for a write-back port")} {
    }
    base::Counter& cycles;
    std::array<base::Counter*, 2> waits;  // by WritebackPort::Client
    std::vector<base::CycleAccount*> ports;  // by unit
  };
  std::optional<Writeback> writeback;

  Stats(unsigned units, bool has_writeback) {
    static constexpr std::string_view kNames[] = {"path", "path_1"}, kPorts[] = {"writeback", "writeback_1"};
    std::vector<std::string_view> reasons{"idle", "shared", "global", "conflict", "memory_blocked"};
    if (has_writeback) {
      writeback.emplace(*this);
      reasons.emplace_back("writeback_full");
    }
    for (unsigned unit = 0; unit < units; ++unit)
      paths.push_back(
          &account(kNames[unit], "cycles of the path between cores and memory by reason", reasons));
    for (unsigned unit = 0; has_writeback && unit < units; ++unit)
      writeback->ports.push_back(&account(kPorts[unit],
                                          "cycles of the write-back port of a load/store unit by reason",
                                          {"idle", "shared", "global", "register_banks"}));
  }
};

}  // namespace spica::mio
