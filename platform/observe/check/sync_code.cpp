// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/sync_code.h"

#include <cstring>

#include "platform/machine/loader/section.h"

namespace spica::check {

namespace {

/// Instructions of the largest loop that counts as waiting.
constexpr std::size_t kLongestLoop = 40;
/// Instructions between a fence and its store: the compiler computes the address and the value there.
constexpr std::size_t kWithin = 4;

bool touches_memory(const isa::Instruction& i) {
  return i.unit == isa::Unit::kLoad || i.unit == isa::Unit::kStore || i.unit == isa::Unit::kAtomic;
}
bool leaves(const isa::Instruction& i) {
  return i.unit == isa::Unit::kBranch || i.unit == isa::Unit::kSystem || i.unit == isa::Unit::kWarpControl;
}

/// Where a branch or jump goes, as a place in the code; beyond the end when that is not known.
std::size_t target(const isa::Instruction& i, std::size_t at) {
  if (i.opcode == isa::Opcode::kJalr) return ~std::size_t{0};
  return at + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i.imm) / 4);
}

}  // namespace

void SyncCode::add(const loader::Program& program) {
  for (const loader::Segment& segment : program.segments) {
    if (!segment.executable) continue;
    Code code{static_cast<std::uint32_t>(segment.address), {}, {}};
    for (std::size_t i = 0; i + 4 <= segment.bytes.size(); i += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, segment.bytes.data() + i, 4);
      code.instructions.push_back(isa::decode(word));
    }
    code.uses.resize(code.instructions.size(), Use::kUnknown);
    codes_.push_back(std::move(code));
  }
  const std::vector<unsigned char> loads = loader::section_bytes(program, ".debug_spica_atomic_loads");
  for (std::size_t i = 0; i + 4 <= loads.size(); i += 4) {
    std::uint32_t pc = 0;
    std::memcpy(&pc, loads.data() + i, 4);
    atomic_loads_.insert(pc);  // 0: of a function that the linker dropped
  }
}

SyncCode::Use SyncCode::use(std::uint32_t pc) {
  if (atomic_loads_.count(pc) != 0) return Use::kWaitsInLoop;
  for (Code& code : codes_) {
    const std::size_t at = (pc - code.base) / 4;
    if (pc < code.base || at >= code.uses.size()) continue;
    if (code.uses[at] == Use::kUnknown) code.uses[at] = find(code, at);
    return code.uses[at];
  }
  return Use::kPlain;
}

SyncCode::Use SyncCode::find(const Code& code, std::size_t at) {
  const auto& all = code.instructions;
  if (all[at].unit == isa::Unit::kLoad) {
    if (in_waiting_loop(code, at) || before_waiting_loop(code, at) || waits_on_a_way_round(all, at))
      return Use::kWaitsInLoop;
    return fence_follows(all, at) ? Use::kBeforeFence : Use::kPlain;
  }
  std::uint64_t written = 0;
  std::size_t between = 0;
  for (std::size_t i = at; i-- > 0 && between < kWithin;) {
    if (all[i].unit == isa::Unit::kFence) return Use::kBehindFence;
    if (all[i].opcode == isa::Opcode::kJal && all[i].writes() == 0 && all[i].imm == 4) continue;
    if (leaves(all[i]) || all[i].unit == isa::Unit::kCsr) break;
    written |= all[i].writes();
    const bool own =
        is_same_word(all[i], all[at]) && (written >> all[at].rs1 & 1) == 0;  // serving = serving + 1
    if (touches_memory(all[i]) && !own && !is_on_stack(all, i)) break;
    if (!own) ++between;
  }
  return Use::kPlain;
}

/// The first iteration of a waiting loop that the compiler has peeled off: the same load is in the loop
/// after it, and whether the loop is entered depends on the value.
bool SyncCode::before_waiting_loop(const Code& code, std::size_t at) {
  const auto& all = code.instructions;
  const isa::Instruction& load = all[at];
  std::uint64_t value = load.writes();
  bool decides = false;
  for (std::size_t i = at + 1; i < all.size() && i < at + kLongestLoop; ++i) {
    const isa::Instruction& one = all[i];
    if (one.word == load.word) return decides && in_waiting_loop(code, i);
    const bool call = one.unit == isa::Unit::kBranch && one.writes() != 0;
    if (touches_memory(one) || call || one.opcode == isa::Opcode::kJalr || (one.writes() & load.reads) != 0)
      return false;
    if (one.unit == isa::Unit::kBranch) decides |= (one.reads & value) != 0;
    else if ((one.reads & value) != 0) value |= one.writes();
  }
  return false;
}

bool SyncCode::in_waiting_loop(const Code& code, std::size_t at) {
  const auto& all = code.instructions;
  const isa::Instruction& load = all[at];
  if (load.writes() == 0) return false;
  for (std::size_t back = at; back < all.size() && back < at + kLongestLoop; ++back) {
    const isa::Instruction& end = all[back];
    if (back != at && (end.unit == isa::Unit::kStore || end.unit == isa::Unit::kAtomic)) return false;
    if (end.unit != isa::Unit::kBranch) continue;
    const std::size_t first = target(end, back);
    if (first > at || first + kLongestLoop < at) {
      if (end.opcode == isa::Opcode::kJalr || (end.opcode == isa::Opcode::kJal && end.writes() != 0))
        return false;
      continue;
    }
    // A loop from `first` to `back`. The value must decide whether it ends, the address must stay.
    std::uint64_t written = 0;
    for (std::size_t i = first; i <= back; ++i) {
      if (all[i].unit == isa::Unit::kStore || all[i].unit == isa::Unit::kAtomic) return false;
      written |= all[i].writes();
    }
    std::uint64_t same = ~written;  // registers that have in each round the value of the round before
    for (std::size_t i = first; i < at; ++i) {
      const bool again = all[i].unit == isa::Unit::kAlu && (all[i].reads & ~same) == 0;
      same = again ? same | all[i].writes() : same & ~all[i].writes();
    }
    if ((load.reads & ~same) != 0) return false;
    std::uint64_t value = load.writes();
    bool decides = false;
    for (std::size_t i = at + 1; i <= back; ++i) {
      if (all[i].unit == isa::Unit::kBranch) decides |= (all[i].reads & value) != 0;
      else if ((all[i].reads & value) != 0) value |= all[i].writes();
    }
    return decides;
  }
  return false;
}

}  // namespace spica::check
