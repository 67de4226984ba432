// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/condition.h"

#include <algorithm>
#include <string>

#include "platform/observe/debug/agent_expression.h"
#include "platform/observe/debug/packet.h"
#include "platform/observe/debug/registers.h"

namespace spica::debug {

namespace {

/// One lane of a warp that is about to execute an instruction.
class LaneSource final : public AgentSource {
 public:
  LaneSource(soc::Machine& machine, const protocol::InstructionEvent& event, unsigned lane)
      : machine_(machine), event_(event), choice_{lane, false} {}

  std::optional<std::uint32_t> read_register(unsigned number) const override {
    if (number == reg::kPc) return event_.origin.pc;
    const auto bytes = Registers(machine_, event_.origin.core, event_.origin.warp, choice_).read(number);
    if (!bytes || bytes->size() != 4) return std::nullopt;
    return word_of(*bytes);
  }
  bool read_memory(std::uint32_t address, unsigned char* to, unsigned bytes) const override {
    if (machine_.read(address, to, bytes,
                      event_.origin.core / static_cast<unsigned>(machine_.params().cluster.cores)))
      return true;
    const std::string words =
        Registers(machine_, event_.origin.core, event_.origin.warp, choice_).read_group_words(address, bytes);
    std::copy(words.begin(), words.end(), to);
    return words.size() == bytes;
  }

 private:
  soc::Machine& machine_;
  const protocol::InstructionEvent& event_;
  mutable LaneChoice choice_;
};

}  // namespace

bool holds(const std::string& condition, soc::Machine& machine, const protocol::InstructionEvent& event,
           unsigned first, std::uint32_t& lanes) {
  const auto holds_in = [&](unsigned candidate) {
    const auto value = evaluate(condition, LaneSource(machine, event, candidate));
    if (value && *value == 0) return false;
    lanes = value ? 1u << candidate : 0;
    return true;
  };
  const std::uint32_t active = event.origin.lanes;
  if (first < 32 && (active >> first & 1) != 0 && holds_in(first)) return true;
  for (unsigned candidate = 32; candidate-- > 0;)
    if (candidate != first && (active >> candidate & 1) != 0 && holds_in(candidate)) return true;
  return false;
}

}  // namespace spica::debug
