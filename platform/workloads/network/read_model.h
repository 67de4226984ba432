// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/workloads/network/graph.h"

namespace spica::network {

inline constexpr std::int64_t kFirstOpset = 11, kLastOpset = 21;

/// Reads an ONNX file (onnx.proto) by its wire format. Initializers are views of the mapped file, or of files with external
/// data next to it. Nodes are in order, and each value is computed once. Throws UserError, with the node or tensor and the
/// byte in the file, for a damaged file, and with the way to export for other formats.
Graph read_model(const std::string& path);

}  // namespace spica::network
