// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"

namespace spica::tensor_core {

/// Parameters of the decoupled tensor core alone. Format, latency and dispatch buffers are in TensorCoreParams.
struct DecoupledParams {
  std::uint64_t in_flight = 15;
  std::uint64_t instruction_queue = 2;
  std::uint64_t front_end_turnaround = 3;
  std::uint64_t source_ids = 16;
  std::uint64_t response_queue = 4;
  std::uint64_t accumulator_rows = 7;
  std::uint64_t accumulator_latency = 4;
  std::uint64_t accumulator_turnaround = 3;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("in_flight", p.in_flight, "instructions", Range{1, 255},
          "outstanding hgmma of a warp; a further one waits in the scoreboard",
          "vortex-hopper core/VX_scoreboard.sv (4-bit counter)");
    field("instruction_queue", p.instruction_queue, "instructions", Range{1, 16},
          "hgmma of all warps between the dispatch buffers and the front end",
          "vortex-hopper core/VX_tensor_hopper_core.sv (metadata queue)");
    field("front_end_turnaround", p.front_end_turnaround, "cycles", Range{1, 16},
          "from an instruction's last operand request to the start of the next instruction",
          "virgo core/TensorCoreDecoupled.scala (run, done, finish, idle)");
    field("source_ids", p.source_ids, "requests", Range{1, 64},
          "operand reads of a port that have not reached its response queue",
          "virgo core/TensorCoreDecoupled.scala");
    field("response_queue", p.response_queue, "blocks", Range{1, 64},
          "blocks of an operand that wait for its fill buffer", "virgo core/TensorCoreDecoupled.scala");
    field("accumulator_rows", p.accumulator_rows, "rows", Range{4, 15},
          "accumulator rows read ahead: queue of 3, fill buffer and operand buffer of 2 each",
          "virgo core/TensorCoreDecoupled.scala");
    field("accumulator_latency", p.accumulator_latency, "cycles", Range{1, 8},
          "from the read of a step's second accumulator row to its first use: register file, queue, "
          "fill buffer, operand buffer",
          "virgo core/TensorCoreDecoupled.scala");
    field("accumulator_turnaround", p.accumulator_turnaround, "cycles", Range{1, 16},
          "cycles without accumulator reads between two instructions; while the unit is fully "
          "used, other instructions issue only in these cycles",
          "virgo core/TensorCoreDecoupled.scala (done, finish, idle)");
  }
};

}  // namespace spica::tensor_core
