// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "models/isa/instruction.h"
#include "platform/machine/loader/program.h"
#include "platform/observe/check/sync_paths.h"

namespace spica::check {

/// Finds loads and stores that are meant to synchronise. Judges the instruction, not the run: a flag that is already
/// set at the first read counts as a waiting load.
class SyncCode {
 public:
  explicit SyncCode(const loader::Program& program) { add(program); }
  /// Adds another program at other addresses.
  void add(const loader::Program& program);

  enum class Use : std::uint8_t {
    kUnknown,
    kPlain,
    kWaitsInLoop,  // a load repeated until its value is right, without stores in between; or simt_atomic_load()
    kBeforeFence,  // a load followed by a fence that is not part of a barrier, before the next access
    kBehindFence,  // a store directly after a fence
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
