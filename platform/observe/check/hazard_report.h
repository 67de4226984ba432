// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/protocol/ports/unit_rules.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/suppressions.h"

namespace spica::check {

/// The information needed to name places in reports.
struct ReportContext {
  const loader::SourceMap* sources;
  const Buffers* buffers;
  const soc::SocParams* params;
  const protocol::UnitRules* unit_rules = &protocol::unit_rules();
};

/// Merges findings of the same pair of source lines, because a compiler may copy a line.
std::vector<Finding> by_line(const Findings& findings, const loader::SourceMap& sources);

/// Names of all kinds of findings, as in hazards.json and suppression files.
std::vector<std::string> hazard_kinds();
/// The same for MemoryChecker, as in memory.json.
std::vector<std::string> memory_kinds();
/// The properties that suppression files match.
Signature signature_of(const Finding& finding, const ReportContext& context);

/// The findings as text for the author of the program: at most `limit`, then their number, or a sentence if there are
/// none. `what` names one finding: "memory error".
std::string finding_text(const char* what, const std::vector<Finding>& findings, const ReportContext& context,
                         std::size_t limit);
/// All findings as JSON: an object with the list, in order of first occurrence, as `key`.
std::string finding_json(const std::string& key, const std::vector<Finding>& findings,
                         const ReportContext& context);

}  // namespace spica::check
