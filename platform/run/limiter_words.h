// SPDX-License-Identifier: Apache-2.0
// How the limit of a run is worded, for the sentence on the run and for the short form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/block_type.h"
#include "platform/run/limiter.h"

namespace spica::job {

/// Types that can provide the sentence first, by rank.
bool comes_before(const base::BlockType* a, const base::BlockType* b);
/// The wording of a reason by its block type, or else by another.
std::string_view meaning(const base::BlockType& type, std::string_view reason);
/// The channels that are at least 75 % full, which may limit the run: "main memory 89 %"; "" if there are none.
std::string nearly_full(const std::vector<ChannelUse>& channels);

}  // namespace spica::job
