// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/spin_recorder.h"

#include <algorithm>
#include <deque>
#include <set>

#include "models/isa/control_flow.h"
#include "models/isa/csr.h"
#include "models/isa/execute.h"
#include "models/isa/registers.h"

namespace spica::watchdog {

namespace {

// An instruction with more different values than this in half a window counts as one that works.
constexpr std::size_t kMaxValues = 4096;

/// FNV-1a over the lanes of `mask`.
std::uint64_t hash_row(const std::uint32_t* row, std::uint32_t mask,
                       std::uint64_t hash = 0xCBF29CE484222325u) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    hash = (hash ^ row[__builtin_ctz(rest)]) * 0x100000001B3u;
  return hash;
}

bool decides(const isa::Instruction& instruction) {
  return instruction.unit == isa::Unit::kBranch || instruction.unit == isa::Unit::kWarpControl;
}

/// Its result is in the register only when it commits.
bool answers_late(const isa::Instruction& instruction) {
  return instruction.unit == isa::Unit::kLoad || instruction.unit == isa::Unit::kAtomic ||
         instruction.unit == isa::Unit::kCsr || instruction.unit == isa::Unit::kWarpControl ||
         instruction.unit == isa::Unit::kTensor;
}

bool reads_outside(const isa::Instruction& instruction) {
  return instruction.unit == isa::Unit::kLoad || instruction.unit == isa::Unit::kAtomic ||
         (instruction.unit == isa::Unit::kCsr && instruction.rd != isa::kNoRegister);
}

void record_operands(std::array<std::pair<std::uint8_t, std::uint32_t>, 2>& operands,
                     const isa::Instruction& instruction, const isa::RegisterFile& registers, unsigned lane) {
  std::size_t next = 0;
  for (const std::uint8_t row : {instruction.rs1, instruction.rs2})
    if (row != isa::kNoRegister && row != 0) operands[next++] = {row, registers.row(row)[lane]};
  while (next < operands.size()) operands[next++] = {isa::kNoRegister, 0};
}

}  // namespace

bool WarpActivity::waits_for_warps() const {
  return std::any_of(polls.begin(), polls.end(), [](const Poll& poll) {
    return poll.what == Poll::What::kCsr && poll.address == isa::csr::kActiveWarps;
  });
}

SpinRecorder::SpinRecorder(unsigned cores, unsigned warps, bool splits_part)
    : warps_per_core_(warps), splits_part_(splits_part), warps_(cores * warps) {}

void SpinRecorder::add_value(Node& node, std::uint64_t value) {
  if (!second_half_) {
    if (node.values.size() < kMaxValues) node.values.insert(value);
    return;
  }
  node.fresh |= node.values.size() >= kMaxValues || node.values.count(value) == 0;
}

void SpinRecorder::on_issue(const protocol::InstructionEvent& event) {
  Warp& warp = warp_of(event.origin);
  const isa::Instruction& instruction = event.instruction;
  const auto [place, added] = warp.nodes.try_emplace(event.origin.pc);
  Node& node = place->second;
  if (added || node.instruction.word != instruction.word) node.instruction = instruction;
  if (second_half_) {
    warp.new_code |= added;
    node.repeated = true;
  }
  for (std::uint64_t rest = instruction.reads; rest != 0; rest &= rest - 1) {
    const auto row = static_cast<std::uint8_t>(__builtin_ctzll(rest));
    if (!warp.writer[row]) continue;
    const std::pair<std::uint8_t, std::uint32_t> producer{row, *warp.writer[row]};
    if (std::find(node.producers.begin(), node.producers.end(), producer) == node.producers.end())
      node.producers.push_back(producer);
  }
  for (std::uint64_t rest = instruction.writes(); rest != 0; rest &= rest - 1)
    warp.writer[static_cast<unsigned>(__builtin_ctzll(rest))] = event.origin.pc;

  const std::uint32_t mask = event.origin.lanes;
  const unsigned lane = mask != 0 ? isa::scalar_lane(mask) : 0;
  if (reads_outside(instruction) || decides(instruction)) record_execution(warp, node, event);
  ++node.executions;
  if (splits_part_ && instruction.unit == isa::Unit::kWarpControl) follow_splits(warp, event);
  if (instruction.unit == isa::Unit::kLoad || instruction.unit == isa::Unit::kAtomic) {
    const std::uint32_t* const bases = event.registers.row(instruction.rs1);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<unsigned>(__builtin_ctz(rest));
      node.addresses[l] =
          bases[l] +
          (instruction.unit == isa::Unit::kLoad ? static_cast<std::uint32_t>(instruction.imm) : 0u);
    }
    node.address = node.addresses[lane];
  } else if (instruction.unit == isa::Unit::kCsr) {
    node.address = static_cast<std::uint32_t>(instruction.imm);
  }
  // The operands of what has no result; of a jump that writes its link register, the target shows in the code
  // it leads to.
  if (instruction.rd == isa::kNoRegister) {
    std::uint64_t value = mask;
    for (std::uint64_t rest = instruction.reads; rest != 0; rest &= rest - 1)
      value = hash_row(event.registers.row(static_cast<unsigned>(__builtin_ctzll(rest))), mask, value);
    add_value(node, value);
  } else if (!answers_late(instruction)) {
    add_value(node, hash_row(event.registers.row(instruction.rd), mask));
    record_result(node, event.registers.row(instruction.rd)[lane]);
  }
  record_operands(node.operands, instruction, event.registers, lane);
}

/// Who executes it and who waits meanwhile, and how it decides.
void SpinRecorder::record_execution(Warp& warp, Node& node, const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  const std::uint32_t mask = event.origin.lanes;
  node.lanes = splits_part_ || !second_half_ ? mask : node.lanes | mask;  // without splits, groups take turns
  node.waiting = node.split_pc = 0;
  for (const Split& split : warp.splits) {  // the innermost at which lanes wait
    const std::uint32_t waiting = split.lanes & ~mask;
    if (waiting != 0) node.waiting = waiting, node.split_pc = split.pc;
  }
  if (!decides(instruction) || instruction.reads == 0 || mask == 0) return;
  const unsigned lane = isa::scalar_lane(mask);
  const bool outcome =
      instruction.unit == isa::Unit::kBranch
          ? instruction.opcode != isa::Opcode::kJalr &&
                (isa::branch_taken(instruction, event.registers, mask) >> lane & 1) != 0
          : instruction.rs1 != isa::kNoRegister && (event.registers.row(instruction.rs1)[lane] & 1) != 0;
  node.outcomes |= outcome ? 2 : 1;
}

void SpinRecorder::record_result(Node& node, std::uint32_t value) {
  const std::uint32_t step = value - node.value;
  if (node.results != 0) {
    node.steady = node.results == 1 || (node.steady && step == node.step);
    node.step = step;
  }
  node.value = value;
  ++node.results;
}

/// Splits that were open before the warp was watched are not known here.
void SpinRecorder::follow_splits(Warp& warp, const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  const std::uint32_t mask = event.origin.lanes;
  if (mask == 0 || instruction.rs1 == isa::kNoRegister) return;
  const std::uint32_t* row = event.registers.row(instruction.rs1);
  if (instruction.opcode == isa::Opcode::kSplit) {
    std::uint32_t chosen = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      chosen |= (row[__builtin_ctz(rest)] & 1) << __builtin_ctz(rest);
    if (chosen != 0 && chosen != mask) warp.splits.push_back({event.origin.pc, mask, mask & ~chosen, false});
  } else if (instruction.opcode == isa::Opcode::kJoin && !warp.splits.empty() &&
             (row[isa::scalar_lane(mask)] & 1) != 0) {
    if (warp.splits.back().second_side) warp.splits.pop_back();
    else warp.splits.back().second_side = true;
  }
}

void SpinRecorder::on_commit(base::Cycle, const protocol::Origin& origin,
                             const isa::RegisterFile& registers) {
  Warp& warp = warp_of(origin);
  const auto place = warp.nodes.find(origin.pc);
  if (place == warp.nodes.end() || !answers_late(place->second.instruction)) return;
  Node& node = place->second;
  if (node.instruction.rd == isa::kNoRegister) return;
  const std::uint32_t mask = origin.lanes;
  add_value(node, hash_row(registers.row(node.instruction.rd), mask));
  if (mask != 0) record_result(node, registers.row(node.instruction.rd)[isa::scalar_lane(mask)]);
}

void SpinRecorder::on_trap(base::Cycle, const protocol::Origin& origin) {
  Warp& warp = warp_of(origin);
  const bool added = warp.traps.insert(origin.pc).second;
  if (!second_half_) return;
  warp.new_code |= added;
  warp.trap_pc = origin.pc;
}

/// Walks from a decision to all it depends on.
bool SpinRecorder::depends_on_fresh(const Warp& warp, std::uint32_t pc) {
  std::set<std::uint32_t> seen{pc};
  std::deque<std::uint32_t> next{pc};
  while (!next.empty()) {
    const auto place = warp.nodes.find(next.front());
    next.pop_front();
    if (place == warp.nodes.end()) continue;
    if (place->second.fresh) return true;
    for (const auto& [row, producer] : place->second.producers)
      if (seen.insert(producer).second) next.push_back(producer);
  }
  return false;
}

/// The reads nearest to a decision.
std::vector<Poll> SpinRecorder::polls_of(const Warp& warp, std::uint32_t pc) {
  std::vector<Poll> polls;
  std::set<std::uint32_t> seen{pc};
  std::vector<std::uint32_t> level{pc};
  while (!level.empty() && polls.empty()) {
    std::vector<std::uint32_t> deeper;
    for (const std::uint32_t at : level) {
      const auto place = warp.nodes.find(at);
      if (place == warp.nodes.end()) continue;
      for (const auto& [row, producer] : place->second.producers) {
        if (!seen.insert(producer).second) continue;
        deeper.push_back(producer);
        const auto source = warp.nodes.find(producer);
        if (source == warp.nodes.end() || !reads_outside(source->second.instruction)) continue;
        const isa::Instruction& instruction = source->second.instruction;
        Poll poll;
        poll.what = instruction.unit == isa::Unit::kCsr      ? Poll::What::kCsr
                    : instruction.unit == isa::Unit::kAtomic ? Poll::What::kAtomic
                                                             : Poll::What::kLoad;
        poll.pc = producer;
        poll.row = row;
        poll.address = source->second.address;
        poll.value = source->second.value;
        poll.lanes = source->second.lanes;
        poll.waiting = source->second.waiting;
        poll.split_pc = source->second.split_pc;
        poll.addresses = source->second.addresses;
        polls.push_back(poll);
      }
    }
    level = std::move(deeper);
  }
  return polls;
}

WarpActivity SpinRecorder::judge(const Warp& warp) {
  WarpActivity activity;
  bool any = false;
  for (const auto& [pc, node] : warp.nodes) {
    if (!node.repeated) continue;
    if (!any) activity.first_pc = pc;
    activity.last_pc = pc;
    any = true;
  }
  if (!any && warp.trap_pc) activity.first_pc = activity.last_pc = *warp.trap_pc;
  if (!any && !warp.trap_pc) return activity;
  activity.state = WarpActivity::State::kWorking;
  if (warp.new_code) return activity;
  for (const auto& [pc, node] : warp.nodes) {
    if (!node.repeated || !decides(node.instruction)) continue;
    if (node.instruction.opcode == isa::Opcode::kSplit) activity.splits.push_back(pc);
    if (depends_on_fresh(warp, pc)) {
      activity.loop = loop_of(warp);
      return activity;
    }
    if (node.instruction.reads == 0) continue;
    std::vector<Poll> polls = polls_of(warp, pc);
    // The decision that waits is one that reads; with several, the last in the code closes the loop.
    if (activity.branch_pc == 0 || !polls.empty()) activity.branch_pc = pc;
    for (Poll& poll : polls)
      if (std::none_of(activity.polls.begin(), activity.polls.end(),
                       [&](const Poll& known) { return known.pc == poll.pc; }))
        activity.polls.push_back(poll);
  }
  activity.trap_pc = warp.trap_pc;
  if (activity.branch_pc == 0) activity.branch_pc = activity.last_pc;
  activity.state = WarpActivity::State::kSpinning;
  return activity;
}

std::vector<WarpActivity> SpinRecorder::result() const {
  std::vector<WarpActivity> activities;
  for (const Warp& warp : warps_) activities.push_back(judge(warp));
  return activities;
}

}  // namespace spica::watchdog
