// SPDX-License-Identifier: Apache-2.0
// The parts of a hazard checker without the checker, for tests of one of them.
#pragma once

#include "models/command_processor/queue_rules.h"
#include "models/matrix_unit/matrix_unit_rules.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/conflicts.h"
#include "platform/observe/check/memory_hazards.h"
#include "platform/observe/check/queue_hazards.h"
#include "platform/observe/check/unit_hazards.h"
#include "platform/observe/check/unit_sites.h"

namespace spica::test {

constexpr std::uint32_t kSharedWord = 0xFF00'0000, kGlobalWord = 0xA000'0000;

inline soc::SocParams with_queues() {
  soc::SocParams params;
  params.command_processor.present = true;
  return params;
}

struct CheckParts {
  explicit CheckParts(const soc::SocParams& machine = {}) : params(machine) {}

  check::Actor warp(unsigned core, unsigned number, std::uint32_t pc, std::uint8_t flags = 0) {
    const std::uint16_t agent = order.agents().warp(core, number);
    moment.next(1);
    return {agent, order.now(agent), pc, 0, flags, check::Waits::kNo, &order.clock(agent)};
  }
  /// What a warp that does nothing else gives the unit.
  static protocol::Origin command(std::uint32_t number, unsigned warp = 0) {
    protocol::Origin origin{protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp), 0, 0x8000'1000,
                            1};
    origin.command = number;
    return origin;
  }
  const std::vector<check::Finding>& found() const { return findings.all(); }

  soc::SocParams params;
  protocol::AddressMap map = soc::address_map(params);
  loader::Program program{};
  check::Shape shape{params};
  check::Findings findings;
  check::Moment moment;
  check::Buffers buffers{program};
  check::Order order{{shape.clusters * shape.cores_of_cluster,
                      static_cast<unsigned>(params.cluster.core.warps), shape.units(), false, false},
                     shape.cores_of_cluster,
                     true};
  check::KernelOrder kernels{4, order.agents().count()};
  check::Precedence precedence{order, kernels};
  check::UnitSites sites{shape.units(), matrix_unit::matrix_unit_rules()};
  check::Conflicts conflicts{precedence, sites, moment, findings};
  check::MemoryHazards memory{params, map, program, order, precedence, sites, conflicts};
  check::UnitHazards units{params, order, sites, memory, conflicts, buffers, moment, findings};
  check::QueueHazards queues{params, map, order, kernels, memory, command_processor::queue_rules()};
};

}  // namespace spica::test
