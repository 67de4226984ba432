// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/profile_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace spica::profile {

namespace {

using Json = json::Value;

Json cycles_json(const Cycles& cycles) {
  Json result = Json::object();
  for (std::size_t reason = 0; reason < kReasons; ++reason)
    if (cycles[reason] != 0) result[reason_name(reason)] = cycles[reason];
  return result;
}

Json row_json(const Row& row, bool is_function) {
  const Counts& counts = row.counts;
  Json result;
  if (row.pc) result["pc"] = fmt::format("{:#010x}", *row.pc);
  result["function"] = row.function;
  if (!is_function) {
    result["file"] = row.file;
    result["line"] = row.line;
    if (row.compiler_made) result["compiler_made"] = true;
  }
  if (row.pc) result["text"] = row.text;
  result["cycles"] = row.cycles();
  if (is_function) result["total_cycles"] = row.total_cycles;
  result["reasons"] = cycles_json(counts.cycles);
  result["instructions"] = counts.instructions;
  result["lanes"] = counts.lanes;
  if (counts.stack_accesses != 0) result["stack_accesses"] = counts.stack_accesses;
  if (counts.shared_accesses != 0)
    result["shared"] = {{"accesses", counts.shared_accesses},
                        {"bank_degree", counts.bank_degree},
                        {"unaligned_lanes", counts.unaligned_lanes}};
  if (counts.global_requests != 0)
    result["global"] = {{"accesses", counts.global_accesses},
                        {"requests", counts.global_requests},
                        {"lanes", counts.global_lanes}};
  return result;
}

}  // namespace

Json profile_json(const Profile& profile) {
  Json result;
  result["cycles"] = profile.cycles;
  result["cores"] = profile.cores;
  result["clock_mhz"] = profile.clock_mhz;
  result["total_cycles"] = profile.total;
  result["reasons"] = cycles_json(profile.reasons);
  result["note"] = profile.note;
  const auto add = [&](const char* name, const std::vector<Row>& rows, bool are_functions) {
    result[name] = Json::array();
    for (const Row& row : rows) result[name].push_back(row_json(row, are_functions));
  };
  add("functions", profile.functions, true);
  add("lines", profile.lines, false);
  add("instructions", profile.instructions, false);
  return result;
}

}  // namespace spica::profile
