// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "platform/observe/check/agents.h"
#include "platform/observe/check/clock.h"

namespace spica::check {

/// The commands that a unit has accepted, and the progress of its engines.
class UnitCommands {
 public:
  struct Command {
    unsigned by;  // a warp
    Knowledge published;  // its knowledge when it issued the command
    std::array<Epoch, kEngines> last{};  // of the work for the command
    /// True if further accesses of a warp with knowledge `seen` come after the command.
    bool is_before(unsigned warp, const Knowledge& seen) const;
  };

  void add(std::uint32_t number, unsigned warp, const Knowledge& published);
  /// nullptr: no such command, or too old.
  Command* find(std::uint32_t number);
  const Command* find(std::uint32_t number) const;
  /// By engine: the last work for commands that come before the warp's further accesses.
  std::array<Epoch, kEngines> last_before(unsigned warp, const Knowledge& seen) const;

 private:
  std::map<std::uint32_t, Command> commands_;  // by number
  std::map<unsigned, Command>
      older_;  // by warp: the last of its older commands, with the work of all of them
};

}  // namespace spica::check
