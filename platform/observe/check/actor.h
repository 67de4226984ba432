// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/clock.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/shadow.h"

namespace spica::check {

/// Loads whose code waits for others.
enum class Waits : std::uint8_t { kNo, kFenced, kInLoop };

/// Who accesses memory, and how.
struct Actor {
  std::uint16_t agent = 0;
  Epoch epoch = 0;
  std::uint32_t site = 0;
  std::uint8_t lane = 0;
  std::uint8_t flags = 0;  // of the mark that a write leaves
  Waits waits = Waits::kNo;
  const Clock* clock = nullptr;  // what is ordered before it

  Mark mark() const { return {epoch, site, agent, lane, flags}; }
};

/// Where it does so.
struct Place {
  Memory memory = Memory::kNone;
  std::uint32_t address = 0;  // as in a Finding
};

/// What happens now: its cycle, and a number that tells it apart from others of the cycle.
struct Moment {
  base::Cycle cycle = 0;
  std::uint64_t event = 0;
  void next(base::Cycle now) {
    cycle = now;
    ++event;
  }
};

/// A machine as far as the checks number its parts.
struct Shape {
  explicit Shape(const soc::SocParams& p)
      : clusters(static_cast<unsigned>(p.clusters)),
        cores_of_cluster(static_cast<unsigned>(p.cluster.cores)),
        units_of_cluster(static_cast<unsigned>(p.cluster.matrix_units.size())),
        shared_base(static_cast<std::uint32_t>(p.cluster.memory_map.shared_base)),
        shared_bytes(static_cast<std::uint32_t>(p.cluster.shared_memory.size)) {}
  unsigned units() const { return clusters * units_of_cluster; }
  bool in_shared(std::uint32_t address) const { return address - shared_base < shared_bytes; }

  unsigned clusters, cores_of_cluster, units_of_cluster;
  std::uint32_t shared_base, shared_bytes;
};

}  // namespace spica::check
