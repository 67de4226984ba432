// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/protocol/transport/access_history.h"

namespace spica::soc {

class AssembledMachine;

/// The accesses to main memory in the fast mode, by the ports through which they go. A machine of the cycle mode repeats
/// them without time before it continues: its caches and open rows are then those of a long run.
///
/// Keeps    twice as many blocks of memory as the data caches hold
/// Omits    instruction fetches, accesses of a command processor, and the interleaved places of stacks in caches
class PastAccesses {
 public:
  explicit PastAccesses(AssembledMachine& machine) : machine_(machine) {}

  /// Records from now on, in the fast mode.
  void record();
  /// What was recorded; "": nothing.
  std::string save();
  /// Takes the recorded accesses of another machine: in the cycle mode, repeats them.
  void load(const std::string& state);

 private:
  void repeat(const std::vector<std::string>& ports, protocol::AccessHistory& history) const;

  AssembledMachine& machine_;
  std::vector<std::string> ports_;  // within the machine, by number of the requester
  std::optional<protocol::AccessHistory> history_;  // empty: not recorded
};

}  // namespace spica::soc
