// SPDX-License-Identifier: Apache-2.0
#include "platform/run/profile_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/base/component.h"
#include "platform/base/input/file.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/observe/profile/flame_graph.h"
#include "platform/observe/profile/profile.h"
#include "platform/observe/profile/profile_json.h"
#include "platform/observe/report/statistics.h"

namespace spica::job {

namespace {

/// By its reasons.
bool is_issue_slot(const base::CycleAccount& account) {
  if (account.size() != profile::kReasons) return false;
  for (std::size_t reason = 0; reason < profile::kReasons; ++reason)
    if (account.reason(reason) != profile::reason_name(reason)) return false;
  return true;
}

}  // namespace

void check_profile(const profile::Profile& profile, soc::MeasuredMachine& soc) {
  for (std::size_t reason = 0; reason < profile::kReasons; ++reason) {
    std::uint64_t cycles = 0;
    for (base::Component* block : soc.components())
      for (const base::CycleAccount& account : block->stats().accounts())
        if (is_issue_slot(account)) cycles += account.cycles(reason);
    if (cycles != profile.reasons[reason])
      throw std::logic_error(fmt::format("profile: {} of {} cycles for {}", profile.reasons[reason], cycles,
                                         profile::reason_name(reason)));
  }
}

void write_profile(const std::string& folder, const profile::Profile& profile,
                   const profile::TextOptions& options, const std::string& title) {
  const auto write = [&](const char* name, const std::string& text) {
    input::write_text((std::filesystem::path(folder) / name).string(), text);
  };
  std::string tables;
  profile::TextOptions table = options;
  for (const char* by : {"function", "line", "instruction"}) {
    table.by = by;
    tables += (tables.empty() ? "" : "\n") + profile::profile_text(profile, table);
  }
  write("profile.txt", tables);
  write("profile.json", report::json_text(profile::profile_json(profile)));
  write("stacks.folded", profile::folded_stacks(profile));
  write("flame.svg", profile::flame_graph(profile, title));
}

}  // namespace spica::job
