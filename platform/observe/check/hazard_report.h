// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/protocol/unit_rules.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/suppressions.h"

namespace spica::check {

/// What reports need to name places.
struct ReportContext {
  const loader::SourceMap* sources;
  const Buffers* buffers;
  const soc::SocParams* params;
  const protocol::UnitRules* unit_rules = &protocol::unit_rules();
};

/// The findings with one for each pair of source lines: copies that the compiler made of a line are one place.
std::vector<Finding> by_line(const Findings& findings, const loader::SourceMap& sources);

/// Names of all kinds of findings, as in hazards.json and suppression files.
std::vector<std::string> hazard_kinds();
/// The same for MemoryChecker, as in memory.json.
std::vector<std::string> memory_kinds();
/// What suppression files match against.
Signature signature_of(const Finding& finding, const ReportContext& context);

/// What was found, for the author of the program: at most `limit` findings, then how many there are. Says
/// so when there are none. `what`: what one finding is, "memory error".
std::string finding_text(const char* what, const std::vector<Finding>& findings, const ReportContext& context,
                         std::size_t limit);
/// All of it as JSON: an object with the list of findings, in the order in which they were first seen, as `key`.
std::string finding_json(const std::string& key, const std::vector<Finding>& findings,
                         const ReportContext& context);

}  // namespace spica::check
