// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "platform/studies/sweep/plan.h"
#include "platform/studies/sweep/results.h"

namespace spica::sweep {

/// Writes one HTML file with charts of all results, which needs no network: over one axis and over two, one value
/// against another with the Pareto front, parallel coordinates, what matters most, failures by reason. Throws
/// UserError.
void write_page(const Plan& plan, const Rows& rows, const std::filesystem::path& folder,
                const std::string& file);

}  // namespace spica::sweep
