// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/workloads/network/wire_reader.h"

namespace spica::network {

/// Name of the format of a file that is not ONNX, by its first bytes: "TFLite"; empty if it is unknown.
std::string foreign_format(const Span& file);

/// How to make an ONNX file.
inline constexpr const char* kExportHint = "export to ONNX: torch.onnx.export(model, inputs, 'model.onnx')";

}  // namespace spica::network
