// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "models/protocol/ports/probe_if.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/heap_blocks.h"

namespace spica::check {

/// Classifies instructions by the source lines of the program (user or library), and locates its stacks.
class UserCode {
 public:
  UserCode(const soc::SocParams& params, const loader::Program& program, const loader::SourceMap& sources,
           HeapBlocks::ReadMemory read);

  /// The allocator accesses memory outside blocks, and copies may move unwritten data.
  enum class Code : std::uint8_t { kUser, kHeap, kCopy };
  Code at(std::uint32_t pc);
  /// For an access in the library: pc of the call in the user's program; 0: unknown.
  std::uint32_t called_from(const protocol::InstructionEvent& event, unsigned lane) const;
  bool in_stacks(std::uint32_t address) const { return address >= stacks_begin_ && address < stacks_end_; }

 private:
  const std::uint64_t warps_, lanes_;  // warps of a core, lanes of a warp
  const loader::Program& program_;
  const loader::SourceMap& sources_;
  const HeapBlocks::ReadMemory read_;
  const std::optional<loader::StackLayout> stacks_;
  std::uint64_t stacks_begin_ = 0, stacks_end_ = 0;
  std::unordered_map<std::uint32_t, Code> code_;  // by pc; never iterated
};

}  // namespace spica::check
