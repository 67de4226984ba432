// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/instruction_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/protocol/payload/fragment_access.h"
#include "platform/observe/trace/format.h"

namespace spica::trace {

namespace {

/// " load @0xa0000000 16 x 32 bytes, 128 apart" of a fragment.
std::string fragment_text(const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  const protocol::FragmentAccess& access = *event.fragment;
  const std::uint32_t stride = event.registers.row(instruction.rs2)[0];
  return fmt::format(" {} @{:#x} {} x {} bytes, {} apart",
                     instruction.format == isa::Format::kFragmentStore ? "store" : "load",
                     event.registers.row(instruction.rs1)[0], access.majors,
                     access.minors * access.element_bits / 8,
                     std::uint64_t{stride} * access.element_bits / 8);
}

/// " load @0x80001000+4*i", and what a store writes there; "" for instructions without memory.
std::string memory_text(const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  if (event.fragment != nullptr) return fragment_text(event);
  if (instruction.format == isa::Format::kAsyncCopy)
    return fmt::format(" copy @{} to @{}",
                       lane_values(event.registers.row(instruction.rs1), event.origin.lanes),
                       lane_values(event.registers.row(instruction.rs2), event.origin.lanes));
  const char* what = nullptr;
  switch (instruction.unit) {
    case isa::Unit::kLoad: what = "load"; break;
    case isa::Unit::kStore: what = "store"; break;
    case isa::Unit::kAtomic: what = "atomic"; break;
    default: return "";
  }
  const auto offset =
      static_cast<std::uint32_t>(instruction.unit == isa::Unit::kAtomic ? 0 : instruction.imm);
  const std::uint32_t lanes = event.origin.lanes;
  std::string text =
      fmt::format(" {} @{}", what, lane_values(event.registers.row(instruction.rs1), lanes, offset));
  if (instruction.unit != isa::Unit::kLoad && instruction.rs2 != isa::kNoRegister)
    text += ":" + lane_values(event.registers.row(instruction.rs2), lanes);
  return text;
}

}  // namespace

InstructionLog::InstructionLog(const Context& context, const std::string& path, std::uint64_t limit,
                               bool cycles)
    : Writer(context, path, limit), cycles_(cycles), warps_(std::size_t{context.cores} * context.warps) {
  file_.add(
      "# {}core.warp #number pc lanes instruction | registers written, memory (i: number of the lane)\n",
      cycles ? "cycle " : "");
}

void InstructionLog::on_issue(const protocol::InstructionEvent& event) {
  const protocol::Origin& origin = event.origin;
  Warp& warp = warps_[warp_index(origin.core, origin.warp)];
  const std::uint64_t number = warp.issued++;
  if (!accepts(origin)) return;
  std::string text = cycles_ ? fmt::format("{} ", event.cycle) : "";
  text +=
      fmt::format("c{}.w{} #{} {:#010x} {:0{}x} {}", origin.core, unsigned{origin.warp}, number, origin.pc,
                  origin.lanes, (context_.lanes + 3) / 4, texts_.instruction(event.instruction, origin.pc));
  warp.waiting.push_back(
      {origin.pc, origin.lanes, event.instruction.writes(), false, std::move(text), "", memory_text(event)});
}

void InstructionLog::on_commit(base::Cycle, const protocol::Origin& origin,
                               const isa::RegisterFile& registers) {
  Warp& warp = warps_[warp_index(origin.core, origin.warp)];
  for (Line& line : warp.waiting) {
    if (line.committed || line.pc != origin.pc) continue;
    line.committed = true;
    for (std::uint64_t rest = line.writes; rest != 0; rest &= rest - 1) {
      const auto row = static_cast<std::uint8_t>(__builtin_ctzll(rest));
      line.registers +=
          fmt::format(" {}={}", isa::register_name(row), lane_values(registers.row(row), line.lanes));
    }
    break;
  }
  write_ready(warp);
}

void InstructionLog::write_ready(Warp& warp) {
  while (!warp.waiting.empty() && warp.waiting.front().committed) {
    write(warp.waiting.front(), "");
    warp.waiting.pop_front();
  }
}

void InstructionLog::write(const Line& line, const char* note) {
  const bool more = !line.registers.empty() || !line.memory.empty() || *note != '\0';
  file_.add("{}{}{}{}{}\n", line.text, more ? " |" : "", line.registers, line.memory, note);
}

/// What is still under way shows up without its results.
void InstructionLog::stop(base::Cycle) {
  for (Warp& warp : warps_) {
    for (const Line& line : warp.waiting) write(line, line.committed ? "" : " not committed");
    warp.waiting.clear();
  }
}

void InstructionLog::finish(base::Cycle, const std::string& why) {
  if (!why.empty()) file_.add("# end of trace: {}\n", why);
}

}  // namespace spica::trace
