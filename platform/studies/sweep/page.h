// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "platform/studies/sweep/plan.h"
#include "platform/studies/sweep/results.h"

namespace spica::sweep {

/// Writes a self-contained HTML file with charts of all results: over one and two axes, one value against another with
/// the Pareto front, parallel coordinates, most important axes, failures by reason. Throws UserError.
void write_page(const Plan& plan, const Rows& rows, const std::filesystem::path& folder,
                const std::string& file);

}  // namespace spica::sweep
