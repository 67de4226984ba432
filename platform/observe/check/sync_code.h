// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "models/isa/instruction.h"
#include "platform/machine/loader/program.h"
#include "platform/observe/check/sync_paths.h"

namespace spica::check {

/// Finds in the code which loads and stores are meant to synchronise. Judges the instruction, not the
/// run: a flag that is already set when it is first read counts as one that is waited for.
class SyncCode {
 public:
  explicit SyncCode(const loader::Program& program);

  enum class Use : std::uint8_t {
    kUnknown,
    kPlain,
    kWaitsInLoop,  // a load that is repeated until its value is right, with nothing stored in between; or a
    // simt_atomic_load(), wherever its value is tested
    kBeforeFence,  // a load with a fence after it, before the next access, that is not part of a barrier
    kBehindFence,  // a store with a fence right before it
  };
  Use use(std::uint32_t pc);

 private:
  struct Code {
    std::uint32_t base;
    Instructions instructions;
    std::vector<Use> uses;
  };

  static Use find(const Code& code, std::size_t at);
  static bool in_waiting_loop(const Code& code, std::size_t at);
  static bool before_waiting_loop(const Code& code, std::size_t at);

  std::vector<Code> codes_;
  std::set<std::uint32_t> atomic_loads_;  // pcs
};

}  // namespace spica::check
