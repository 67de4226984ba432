// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/block_type.h"
#include "platform/machine/soc/type_sums.h"

namespace spica::soc {
class MeasuredMachine;
}

namespace spica::job {

/// One sentence that names the limit of a finished run, from the cycle accounts of its timed region: the share of time
/// in which the working blocks worked, their most frequent wait, shared channels with at least 75 % utilisation, and
/// limits of shared blocks that held for more than 5 % of it. "" if no block type of the machine has a Limiter.
std::string limiter(soc::MeasuredMachine& soc);

/// The utilisation of a shared channel in the timed region.
struct ChannelUse {
  std::string name;  // "main memory"
  double full = 0;  // share of its capacity, 0 to 1; for several channels, of the busiest one
};
/// Main memory, caches, buses and all other blocks whose types have a channel, in the order of block types.
std::vector<ChannelUse> channel_use(soc::MeasuredMachine& soc);

/// The same in a part of a run, from its sums by type; of several blocks with a channel the mean.
std::vector<ChannelUse> channel_use(const soc::TypeSums& sums, const soc::TypeSums::Row& row);
/// limiter() in a few words, in a part of a run: "cores issue 31 %, wait for loads from global memory 42 %". "" if
/// nothing was counted.
std::string short_limiter(const soc::TypeSums& sums, const soc::TypeSums::Row& row);

/// The multiply-adds of a unit in a part of a run.
struct UnitUse {
  std::string name;  // "tensor cores", "matrix_unit"
  std::uint64_t macs = 0;
  double utilisation = 0;  // of the peak of all units of this name
};
std::vector<UnitUse> unit_use(const soc::TypeSums& sums, const soc::TypeSums::Row& row);

/// A part of a machine, and the share of a run's time spent in it or waiting for it.
struct PartTime {
  std::string part;  // group of its parameters: "main_memory"
  double share = 0;  // share of the timed region; one wait can be for several parts
};
/// The breakdown of a finished run's time by part: from the accounts of the working blocks, the blocks they waited for,
/// and in turn the blocks those waited for. Largest share first.
std::vector<PartTime> time_by_part(soc::MeasuredMachine& soc);

/// The meaning of the reasons in all accounts. If block types differ, those that usually limit a run come first.
const std::vector<base::Reason>& reason_meanings();

}  // namespace spica::job
