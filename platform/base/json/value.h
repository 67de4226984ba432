// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace spica::json {

/// A JSON document that keeps the order of its keys. Code that only passes it on needs this header; code that reads or
/// creates one needs <nlohmann/json.hpp>.
using Value = nlohmann::ordered_json;

}  // namespace spica::json
