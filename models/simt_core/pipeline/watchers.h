// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/protocol/probe_if.h"
#include "models/simt_core/pc_profile.h"

namespace spica::simt_core {

/// The observers of a core; nullptr: none. They come and go between two cycles.
struct Watchers {
  protocol::ProbeIf* const& probe;
  const std::unique_ptr<PcProfile>& profile;
};

}  // namespace spica::simt_core
