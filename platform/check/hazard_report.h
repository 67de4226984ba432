// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/check/buffers.h"
#include "platform/check/finding.h"
#include "platform/loader/source_map.h"
#include "platform/soc/soc_params.h"

namespace spica::check {

/// What reports need to name places.
struct ReportContext {
  const loader::SourceMap* sources;
  const Buffers* buffers;
  const soc::SocParams* params;
};

/// What was found, for the person who wrote the program: at most `limit` findings, then how many there are. Says
/// so when there are none.
std::string hazard_text(const Findings& findings, const ReportContext& context, std::size_t limit);
/// All of it: a list of findings in the order in which they were first seen.
nlohmann::ordered_json hazard_json(const Findings& findings, const ReportContext& context);

}  // namespace spica::check
