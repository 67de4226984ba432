// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/activity_file.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/observe/energy/accelergy_files.h"
#include "platform/observe/energy/units.h"
#include "platform/observe/report/statistics.h"

namespace spica::energy {

using Json = json::Value;

namespace {

/// What an event costs that did not happen: in the first block that has it, else at the sizes of the table.
power::Interval of_first_block(const EnergyReport& report, std::size_t kind) {
  const std::vector<power::Activity::Channel>& channels = report.activity().channels();
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (channels[i].kind == kind) return report.model().of_channel(i);
  return report.model().per_event(kind);
}

}  // namespace

Json events_json(const EnergyReport& report) {
  Json events = Json::array();
  for (std::size_t kind = 0; kind < report.by_kind().size(); ++kind) {
    const power::EventKind& event = power::event_kinds()[kind];
    const auto& [count, energy] = report.by_kind()[kind];
    const power::Interval sum = energy * kMicrojoule;
    const power::Interval each = count > 0 ? energy * (1 / count) : of_first_block(report, kind);
    events.push_back({{"event", event.name},
                      {"unit", event.unit},
                      {"description", event.doc},
                      {"calibrated", report.table().event(kind).calibrated},
                      {"doubtful", power::off_chip(event) && report.device() != nullptr
                                       ? report.device()->doubtful
                                       : report.table().event(kind).doubtful},
                      {"prior", report.table().event(kind).prior},
                      {"off_chip", power::off_chip(event)},
                      {"count", static_cast<std::uint64_t>(count)},
                      {"per_event_pj", {{"low", each.low}, {"nominal", each.nominal}, {"high", each.high}}},
                      {"active_uj", {{"low", sum.low}, {"nominal", sum.nominal}, {"high", sum.high}}}});
  }
  return events;
}

std::string activity_json(const power::Activity& activity, const Span& span) {
  Json blocks = Json::object();
  for (std::size_t i = 0; i < activity.channels().size(); ++i) {
    const power::Activity::Channel& channel = activity.channels()[i];
    const power::EventKind& kind = power::event_kinds()[channel.kind];
    blocks[activity.blocks()[channel.block].name][action_name(kind)] = {
        {"count", static_cast<std::uint64_t>(span.counts[i])},
        {"unit", kind.unit},
        {"event", kind.name},
        {"description", kind.doc}};
  }
  return report::json_text({{"schema", "spica-activity-1"},
                            {"begin", span.begin},
                            {"end", span.end},
                            {"blocks", std::move(blocks)}});
}

}  // namespace spica::energy
