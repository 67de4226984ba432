// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/base/block_type.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::job {

/// One sentence that names a finished run's limit, from the cycle accounts of its timed region: how much of the time
/// the blocks that did the work worked, and what they waited for most; and which shared channels
/// were at least three quarters full. "" when no block of the machine has a type with a Limiter.
std::string limiter(soc::MeasuredMachine& soc);

/// How full something that blocks share was in the timed region.
struct ChannelUse {
  std::string name;  // "main memory"
  double full = 0;  // of what it can take: 0 to 1; where there are several, of the fullest one
};
/// Main memory, caches, buses and all other blocks whose types have a channel, in the order of the types of block.
std::vector<ChannelUse> channel_use(soc::MeasuredMachine& soc);

/// A part of a machine, and how much of the time a run spent on it or waited for it.
struct PartTime {
  std::string part;  // the group of its parameters: "main_memory"
  double share = 0;  // of the timed region; one wait can be for several parts
};
/// Where the time of a finished run went, by the accounts: that of the blocks that did the work has what they
/// waited for, and the accounts of these what they waited for in turn. The largest share first.
std::vector<PartTime> time_by_part(soc::MeasuredMachine& soc);

/// What the reasons of all accounts wait for, in words. Where types of block differ, those that a run is rather limited
/// by come first.
const std::vector<base::Reason>& reason_meanings();

}  // namespace spica::job
