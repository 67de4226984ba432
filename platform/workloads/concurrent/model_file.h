// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/protocol/host_queues/concurrency_model.h"
#include "platform/base/json/value.h"

namespace spica::concurrent {

/// The name of the model that comes with Spica.
constexpr const char* kShippedModel = "gemm_tile-weights";

/// {features: [NAME...], least: [...], span: [...], weights: {"1": [...], "2": ...}}, with the constant last. to_json()
/// and read_model() preserve all bits.
json::Value to_json(const protocol::ConcurrencyModel& model);
/// Throws UserError.
protocol::ConcurrencyModel read_model(const std::string& path);

}  // namespace spica::concurrent
