// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/concurrency_model.h"
#include "platform/base/json/value.h"

namespace spica::concurrent {

/// The name of the one that comes with Spica.
constexpr const char* kShippedModel = "gemm_tile-weights";

/// {features: [NAME...], least: [...], span: [...], weights: {"1": [...], "2": ...}}, the constant last; the same
/// numbers to the bit after to_json() and read_model().
json::Value to_json(const protocol::ConcurrencyModel& model);
/// Throws UserError.
protocol::ConcurrencyModel read_model(const std::string& path);

}  // namespace spica::concurrent
