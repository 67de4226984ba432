// SPDX-License-Identifier: Apache-2.0
// Runs one instruction on given operands, with every set of lane kernels this host has.
#pragma once

#include <cstdint>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "models/base/host_dispatch.h"
#include "models/isa/execute.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

namespace spica::isa::test {

using u32 = std::uint32_t;

/// The lane kernels of the host, baseline first.
inline std::vector<const LaneKernels*> all_kernels() {
  std::vector<const LaneKernels*> sets{&baseline::kLaneKernels};
  if (base::host_runs(base::HostCode::kAvx2)) sets.push_back(&avx2::kLaneKernels);
  return sets;
}

/// Chooses a set of lane kernels for the life of the object.
class UseKernels {
 public:
  explicit UseKernels(const LaneKernels* set) : before_(lane_kernels) { lane_kernels = set; }
  ~UseKernels() { lane_kernels = before_; }
  UseKernels(const UseKernels&) = delete;
  UseKernels& operator=(const UseKernels&) = delete;

 private:
  const LaneKernels* before_;
};

inline u32 bits(float value) {
  u32 result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

struct Outcome {
  u32 value;
  unsigned flags;
};
inline bool operator==(const Outcome& a, const Outcome& b) {
  return a.value == b.value && a.flags == b.flags;
}
inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  const auto before = out.flags();
  out << std::hex << "0x" << outcome.value << " flags 0x" << outcome.flags;
  out.flags(before);
  return out;
}

/// The destination after `word` ran with the operands in all lanes, and the flags it raised. All
/// kernels, the full and the single-lane path, and clean and dirty accrued flags must agree.
inline Outcome run(u32 word, u32 a, u32 b = 0, u32 c = 0, unsigned frm = 0, u32 pc = 0) {
  const Instruction in = decode(word);
  REQUIRE(in.opcode != Opcode::kIllegal);
  std::vector<Outcome> outcomes;
  for (const LaneKernels* set : all_kernels()) {
    const UseKernels use(set);
    for (const u32 mask : {0xFFu, 0x01u, 0x80u, 0x5Au}) {
      for (const unsigned accrued : {0u, 1u, 31u}) {
        RegisterFile registers(8);
        for (unsigned lane = 0; lane < 8; ++lane) {
          if (in.rs1 != kNoRegister) registers.row(in.rs1)[lane] = a;
          if (in.rs2 != kNoRegister) registers.row(in.rs2)[lane] = b;
          if (in.rs3 != kNoRegister) registers.row(in.rs3)[lane] = c;
        }
        FloatState state;
        state.frm = static_cast<std::uint8_t>(frm);
        state.fflags = static_cast<std::uint8_t>(accrued);
        execute(in, pc, registers, mask, state);
        REQUIRE(in.rd != kNoRegister);
        const Outcome outcome{registers.row(in.rd)[31 - __builtin_clz(mask)], state.fflags};
        if (accrued == 0) outcomes.push_back(outcome);
        const Outcome expected{outcomes.front().value, outcomes.front().flags | accrued};
        INFO(disassemble(in, pc) << " mask " << mask << " accrued " << accrued);
        REQUIRE(outcome == expected);
      }
    }
  }
  return outcomes.front();
}

/// Opcodes of some units that the cases do not contain.
template <class Cases>
std::set<std::string> missing(const Cases& cases, std::initializer_list<Unit> units) {
  std::set<std::string> names;
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) \
  for (Unit wanted : units)                                                  \
    if (wanted == Unit::k##unit) names.insert(mnemonic);
#include "models/isa/instructions.def"
#include "testbenches/support/catch.h"
#undef SPICA_INSTRUCTION
  for (const auto& c : cases) names.erase(mnemonic(decode(c.word).opcode));
  return names;
}

}  // namespace spica::isa::test
