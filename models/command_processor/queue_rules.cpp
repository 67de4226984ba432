// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/queue_rules.h"

#include "models/command_processor/command_processor_regs.h"

namespace spica::command_processor {

namespace {

class Rules final : public protocol::QueueRules {
 public:
  std::optional<unsigned> doorbell(std::uint64_t offset) const override {
    if (offset >= COMMAND_PROCESSOR_MODEL ||
        offset % COMMAND_PROCESSOR_QUEUE_BYTES != COMMAND_PROCESSOR_DOORBELL)
      return std::nullopt;
    return static_cast<unsigned>(offset / COMMAND_PROCESSOR_QUEUE_BYTES);
  }

  Sight firmware_reads(std::uint64_t address, std::uint32_t value) const override {
    using What = Sight::What;
    const std::uint64_t offset = address - FIRMWARE_REGISTERS, head = offset - FIRMWARE_HEADS;
    if (offset >= FIRMWARE_REGISTERS_BYTES) return {What::kMemory};
    if (offset == FIRMWARE_RUNNING) return {value == 0 ? What::kAllEnded : What::kNothing};
    if (offset == FIRMWARE_ENDED) return {What::kEnded, value};
    if (offset >= FIRMWARE_HEADS && head % FIRMWARE_HEAD_BYTES == FIRMWARE_IN_QUEUE && value == 0)
      return {What::kEnded, std::uint32_t{1} << head / FIRMWARE_HEAD_BYTES};
    return {};
  }
};

}  // namespace

const protocol::QueueRules& queue_rules() {
  static const Rules rules;
  return rules;
}

}  // namespace spica::command_processor
