// SPDX-License-Identifier: Apache-2.0
// The description of the command processor for reports: type, properties, area.
#include "models/command_processor/command_processor.h"
#include "models/command_processor/queue_rules.h"

namespace spica::command_processor {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "command_processor";
  type.order = 6;
  type.free = "a small processor that works a few hundred cycles per kernel";
  type.timeline_counters = {"kernels"};
  type.meters = {{"kernels", "kernels", {"kernels"}}};
  return type;
}

}  // namespace

const base::BlockType& CommandProcessor::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

/// The registers and the packet at the head of each queue.
base::AreaTerms CommandProcessor::area() const {
  constexpr double kRegisterBits = 5 * 32, kPacketBits = 64 * 8;
  base::AreaTerms area;
  area.add("queues", base::Structure::kFlopBit,
           static_cast<double>(params_.queues) * (kRegisterBits + kPacketBits));
  if (params_.has_firmware()) area.add("firmware", base::Structure::kSramBit, 8.0 * FIRMWARE_MEMORY_BYTES);
  return area;
}

namespace {
const base::KnownBlockType known(CommandProcessor::block_type());
const protocol::KnownQueueRules known_rules(queue_rules());
}  // namespace

}  // namespace spica::command_processor
