// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/clock.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/shadow.h"

namespace spica::check {

/// Loads that wait for other agents, by how the code shows it.
enum class Waits : std::uint8_t { kNo, kFenced, kInLoop };

/// The agent of an access, and the order it has at that time.
struct Actor {
  std::uint16_t agent = 0;
  Epoch epoch = 0;
  std::uint32_t site = 0;
  std::uint8_t lane = 0;
  std::uint8_t flags = 0;  // flags of the mark left by a write
  Waits waits = Waits::kNo;
  const Clock* clock = nullptr;  // the accesses ordered before it

  Mark mark() const { return {epoch, site, agent, lane, flags}; }
};

/// The place of an access, for findings.
struct Place {
  Memory memory = Memory::kNone;
  std::uint32_t address = 0;  // as in a Finding
};

/// The time of an event: its cycle, and a number that distinguishes events of a cycle.
struct Moment {
  base::Cycle cycle = 0;
  std::uint64_t event = 0;
  void next(base::Cycle now) {
    cycle = now;
    ++event;
  }
};

/// The dimensions of a machine by which the checks number its parts.
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
