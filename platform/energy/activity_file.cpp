// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/activity_file.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/energy/accelergy_files.h"
#include "platform/json/value.h"
#include "platform/report/statistics.h"

namespace spica::energy {

using Json = json::Value;

Json events_json(const EnergyReport& report) {
  const std::vector<double> counts = report.activity().by_kind(report.counts());
  Json events = Json::array();
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const power::EventKind& event = power::event_kinds()[kind];
    const power::Interval& each = report.model().per_event(kind);
    const power::Interval sum = each * (counts[kind] * 1e-6);
    events.push_back({{"event", event.name},
                      {"unit", event.unit},
                      {"description", event.doc},
                      {"calibrated", report.table().event(kind).calibrated},
                      {"doubtful", report.table().event(kind).doubtful},
                      {"prior", report.table().event(kind).prior},
                      {"off_chip", power::off_chip(event)},
                      {"count", static_cast<std::uint64_t>(counts[kind])},
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
