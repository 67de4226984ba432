// SPDX-License-Identifier: Apache-2.0
// The loop of a warp that computes new values in the same code all the time.
#include <algorithm>
#include <set>

#include "platform/observe/watchdog/spin_recorder.h"

namespace spica::watchdog {

namespace {

constexpr unsigned kDeepest = 6;  // instructions between a decision and the values it depends on
// The window may cut one execution off of one of two instructions of a loop.
constexpr std::uint64_t kCut = 1;

bool tests_for_zero(const isa::Instruction& i) {  // snez, seqz
  return (i.opcode == isa::Opcode::kSltu && (i.rs1 == isa::kNoRegister || i.rs1 == 0)) ||
         (i.opcode == isa::Opcode::kSltiu && i.imm == 1);
}

bool compares_for_equality(const isa::Instruction& i) {
  return i.opcode == isa::Opcode::kXor || i.opcode == isa::Opcode::kSub || tests_for_zero(i);
}

}  // namespace

std::optional<std::uint32_t> Loop::left() const {
  if (!ends_when_equal) return std::nullopt;
  std::uint32_t value = 0, step = 0, end = 0;
  for (const LoopValue& one : values) {
    if (one.kind == LoopValue::Kind::kCounter) value = one.value, step = one.step;
    else end = one.value;
  }
  // step * n = end - value, modulo 2^32
  const auto zeros = static_cast<unsigned>(__builtin_ctz(step));
  const std::uint32_t distance = end - value;
  if (zeros != 0 && (distance & ((1u << zeros) - 1)) != 0) return std::nullopt;
  const std::uint32_t odd = step >> zeros;
  std::uint32_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return ((distance >> zeros) * inverse) & (~0u >> zeros);
}

/// Finds what a decision depends on, through the instructions that compute it.
struct SpinRecorder::LoopSearch {
  const Warp& warp;
  Loop loop;
  bool equality = true;

  const Node* node(std::uint32_t pc) const {
    const auto place = warp.nodes.find(pc);
    return place == warp.nodes.end() ? nullptr : &place->second;
  }
  static bool reads_memory(const Node& node) {
    return node.instruction.unit == isa::Unit::kLoad || node.instruction.unit == isa::Unit::kAtomic;
  }
  /// Whether something is true of an instruction from which this one's operands come, through any others.
  template <class Condition>
  bool any_behind(std::uint32_t pc, Condition condition) const {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> next{pc};
    while (!next.empty()) {
      const Node* const from = node(next.back());
      next.pop_back();
      if (from == nullptr || reads_memory(*from)) continue;
      for (const auto& [row, producer] : from->producers) {
        if (condition(producer)) return true;
        if (seen.insert(producer).second) next.push_back(producer);
      }
    }
    return false;
  }
  /// What it computes depends on what it computed the last time.
  bool carries(std::uint32_t pc) const {
    return any_behind(pc, [pc](std::uint32_t producer) { return producer == pc; });
  }
  /// It computes the same each time, from what is the same each time.
  bool is_constant(std::uint32_t pc) const {
    return !node(pc)->fresh && !any_behind(pc, [this](std::uint32_t producer) {
      return node(producer) != nullptr && node(producer)->repeated && node(producer)->fresh;
    });
  }
  void add(const LoopValue& value) {
    const auto same = [&](const LoopValue& other) {
      return other.row == value.row && other.kind == value.kind && other.value == value.value;
    };
    if (std::none_of(loop.values.begin(), loop.values.end(), same)) loop.values.push_back(value);
  }
  void add_result(const Node& from, std::uint8_t row) {
    LoopValue value;
    value.kind = !from.fresh                     ? LoopValue::Kind::kConstant
                 : from.steady && from.step != 0 ? LoopValue::Kind::kCounter
                                                 : LoopValue::Kind::kOther;
    value.row = row;
    value.value = from.value;
    value.step = from.step;
    if (reads_memory(from)) value.address = from.address;
    add(value);
  }
  void collect(const Node& reader, unsigned depth) {
    const isa::Instruction& instruction = reader.instruction;
    for (const auto& [row, value] : reader.operands) {
      if (row == isa::kNoRegister) continue;
      if (instruction.opcode == isa::Opcode::kPred && row != instruction.rs1) continue;  // lanes to come back
      const Node* from = nullptr;
      std::uint32_t pc = 0;
      for (const auto& [written, producer] : reader.producers)
        if (written == row && node(producer) != nullptr && node(producer)->repeated)
          from = node(pc = producer);
      if (from == nullptr) {
        add({LoopValue::Kind::kConstant, row, value, 0, std::nullopt});
      } else if (from->instruction.reads == 0 || reads_memory(*from) ||
                 from->instruction.unit == isa::Unit::kCsr || depth == kDeepest || is_constant(pc) ||
                 carries(pc)) {
        add_result(*from, row);
      } else {
        equality = equality && compares_for_equality(from->instruction);
        collect(*from, depth + 1);
      }
    }
  }
  /// Lanes that have left the loop by `pred` wait for the others.
  void find_waiting() {
    for (const auto& [pc, one] : warp.nodes) {
      if (one.instruction.opcode != isa::Opcode::kPred || !one.repeated) continue;
      if (one.executions > loop.iterations + kCut || loop.iterations > one.executions + kCut) continue;
      for (const auto& [row, all] : one.operands)
        if (row == one.instruction.rs2 && (all & ~loop.lanes) != 0)
          loop.waiting = all & ~loop.lanes, loop.split_pc = pc;
    }
  }
  unsigned count(LoopValue::Kind kind) const {
    return static_cast<unsigned>(std::count_if(loop.values.begin(), loop.values.end(),
                                               [&](const LoopValue& value) { return value.kind == kind; }));
  }
};

/// The decision that has always gone the same way and compares a counter; of several the one that is executed least,
/// which is that of the outermost loop, and then the last in the code.
std::optional<Loop> SpinRecorder::loop_of(const Warp& warp) {
  std::optional<Loop> best;
  unsigned best_rank = 0;
  for (const auto& [pc, node] : warp.nodes) {
    const isa::Opcode opcode = node.instruction.opcode;
    const bool branch = node.instruction.unit == isa::Unit::kBranch && opcode != isa::Opcode::kJalr;
    const bool control = opcode == isa::Opcode::kSplit || opcode == isa::Opcode::kPred;
    if (!node.repeated || node.executions < 4 || (!branch && !control) || node.outcomes == 3) continue;
    LoopSearch search{warp, {}, control || opcode == isa::Opcode::kBeq || opcode == isa::Opcode::kBne};
    search.collect(node, 0);
    const unsigned counters = search.count(LoopValue::Kind::kCounter);
    const unsigned constants = search.count(LoopValue::Kind::kConstant);
    const unsigned others = search.count(LoopValue::Kind::kOther);
    if (counters + others == 0) continue;
    Loop& loop = search.loop;
    loop.branch_pc = pc;
    loop.iterations = node.executions;
    loop.lanes = node.lanes;
    loop.waiting = node.waiting;
    loop.split_pc = node.split_pc;
    if (loop.waiting == 0) search.find_waiting();
    loop.ends_when_equal = search.equality && counters == 1 && others == 0 && constants <= 1;
    const unsigned rank = counters != 0 ? 2 : 1;
    if (best && (rank < best_rank || (rank == best_rank && loop.iterations > best->iterations + kCut)))
      continue;
    best = std::move(loop);
    best_rank = rank;
  }
  return best;
}

}  // namespace spica::watchdog
