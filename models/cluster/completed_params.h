// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cluster/cluster_plan.h"

namespace spica::cluster {

/// The parameters of the blocks of a cluster: a copy with all values that follow from others and from the place of the
/// cluster.
ClusterParams completed(const ClusterParams& params, const ClusterPlace& place);

}  // namespace spica::cluster
