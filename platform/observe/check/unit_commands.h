// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "platform/observe/check/agents.h"
#include "platform/observe/check/clock.h"

namespace spica::check {

/// The commands that a unit has taken, and how far its engines have come with them.
class UnitCommands {
 public:
  struct Command {
    unsigned by;  // a warp
    Knowledge published;  // by it, when it gave the command
    std::array<Epoch, kEngines> last{};  // of the work for the command
    /// Whether the accesses of a warp that knows `seen` now come after the command.
    bool is_before(unsigned warp, const Knowledge& seen) const;
  };

  void add(std::uint32_t number, unsigned warp, const Knowledge& published);
  /// nullptr: no such command, or one that is too old.
  Command* find(std::uint32_t number);
  const Command* find(std::uint32_t number) const;
  /// By engine: the last work for commands that come before what the warp does now.
  std::array<Epoch, kEngines> last_before(unsigned warp, const Knowledge& seen) const;

 private:
  std::map<std::uint32_t, Command> commands_;  // by number
  std::map<unsigned, Command>
      older_;  // by warp: the last of its older commands, with the work for all of them
};

}  // namespace spica::check
