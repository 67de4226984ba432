// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace spica::json {

/// A JSON document that keeps the order of its keys. Who only passes it on needs this header, who looks into one or makes
/// one <nlohmann/json.hpp>.
using Value = nlohmann::ordered_json;

}  // namespace spica::json
