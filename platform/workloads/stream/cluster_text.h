// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/protocol/host_queues/cluster_set.h"

namespace spica::stream {

/// A set of clusters as written in a stream file: "0-3,8" are clusters 0 to 3 and 8, "0x10f" is a bit mask of the same.
/// Empty: all clusters. A single decimal number is refused, because it was a bit mask in earlier versions. `place`: of
/// the text, for errors. Throws UserError, also if the machine has none of the clusters. `clusters`: of the machine.
protocol::ClusterSet parse_clusters(const std::string& text, std::uint64_t clusters,
                                    const std::string& place);

}  // namespace spica::stream
