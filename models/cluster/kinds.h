// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/warp/csr_file.h"

namespace spica::cluster {

/// What a core is made from.
struct CoreParams {
  simt_core::Params params;
  simt_core::CoreIdentity identity;
};

/// Adds the kinds of blocks that a machine of clusters is made of to assembly::kinds(). Any number of calls.
void add_kinds();

}  // namespace spica::cluster
