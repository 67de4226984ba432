// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/activity_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/json/value.h"
#include "platform/report/statistics.h"

namespace spica::energy {

using Json = json::Value;

namespace {

std::string action_of(const power::EventKind& kind) {
  return std::string(kind.name.substr(kind.name.find('.') + 1));
}

/// Blocks with their channels, by the folder of the machine they are in ("" or "cluster_0").
struct Component {
  std::string name;
  std::vector<std::size_t> channels;
};
struct Part {
  std::string name;
  std::vector<Component> components;
};

std::vector<Part> parts_of(const power::Activity& activity) {
  std::vector<Part> parts{{"", {}}};
  std::size_t last_block = ~std::size_t{0};
  for (std::size_t i = 0; i < activity.channels().size(); ++i) {
    const std::size_t index = activity.channels()[i].block;
    const std::string& name = activity.blocks()[index].name;
    const std::size_t dot = name.rfind('.');
    const std::string folder = dot == std::string::npos ? "" : name.substr(0, dot);
    auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == folder; });
    if (part == parts.end()) part = parts.insert(parts.end(), {folder, {}});
    if (index != last_block)
      part->components.push_back({dot == std::string::npos ? name : name.substr(dot + 1), {}});
    last_block = index;
    part->components.back().channels.push_back(i);
  }
  return parts;
}

void append_local(std::string& text, const power::Activity& activity, const Span& span, const Part& part,
                  const std::string& indent) {
  text += indent + "local:\n";
  for (const Component& component : part.components) {
    text += fmt::format("{0}  - name: {1}\n{0}    action_counts:\n", indent, component.name);
    for (const std::size_t channel : component.channels)
      text += fmt::format("{0}      - name: {1}\n{0}        counts: {2:.0f}\n", indent,
                          action_of(power::event_kinds()[activity.channels()[channel].kind]),
                          span.counts[channel]);
  }
}

}  // namespace

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

std::string action_counts_yaml(const power::Activity& activity, const Span& span, const std::string& title) {
  std::string text = fmt::format(
      "# {}: events of cycles {} to {}.\naction_counts:\n  version: 0.3\n  subtree:\n"
      "    - name: spica\n",
      title, span.begin, span.end);
  const std::vector<Part> parts = parts_of(activity);
  append_local(text, activity, span, parts.front(), "      ");
  text += "      subtree:\n";
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text += fmt::format("        - name: {}\n", parts[i].name);
    append_local(text, activity, span, parts[i], "          ");
  }
  return text;
}

std::string activity_json(const power::Activity& activity, const Span& span) {
  Json blocks = Json::object();
  for (std::size_t i = 0; i < activity.channels().size(); ++i) {
    const power::Activity::Channel& channel = activity.channels()[i];
    const power::EventKind& kind = power::event_kinds()[channel.kind];
    blocks[activity.blocks()[channel.block].name][action_of(kind)] = {
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
