// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/warp/csr_file.h"

namespace spica::cluster {

/// The parameters needed to create a core.
struct CoreParams {
  simt_core::Params params;
  simt_core::CoreIdentity identity;
};

/// Adds the kinds of blocks of a machine of clusters to assembly::kinds(). May be called more than once.
void add_kinds();

}  // namespace spica::cluster
