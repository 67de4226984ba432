// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/hang_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "platform/machine/loader/user_frame.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/report/text_table.h"
#include "platform/observe/watchdog/warp_names.h"

namespace spica::watchdog {

namespace {

std::string symbol_at(const loader::Program& program, std::uint32_t address) {
  for (const loader::Symbol& symbol : program.symbols) {
    if (symbol.kind != loader::Symbol::Kind::kObject || address - symbol.address >= symbol.bytes) continue;
    const auto offset = static_cast<std::uint32_t>(address - symbol.address);
    std::string name = loader::demangle(symbol.name);
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (std::size_t at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
      name.erase(at, kUnnamed.size());
    return offset == 0 ? name : fmt::format("{}+{:#x}", name, offset);
  }
  return {};
}

std::string state_of(const WarpFact& warp, const WaitGraph& graph) {
  if (warp.at_barrier) return fmt::format("waits at barrier {}", warp.barrier_id);
  if (graph.facts().spins(warp)) return "spins";
  return warp.activity.state == WarpActivity::State::kWorking ? "works" : warp.doing;
}

/// What a barrier still misses: "core 0: 3 of 4 there, missing warp 1; core 2: no warp there".
std::string missing_of(const Barrier& barrier) {
  const auto warps = [](const char* what, const std::vector<const WarpFact*>& list) {
    std::vector<unsigned> names;
    for (const WarpFact* warp : list) names.push_back(warp->warp);
    return list.empty() ? std::string() : fmt::format(", {}: {}", what, counted("warp", names));
  };
  std::vector<std::pair<std::string, std::vector<unsigned>>> parts;  // what, cores
  for (const BarrierAtCore& at : barrier.cores) {
    if (at.complete()) continue;
    std::string part = at.waiting.empty() ? std::string("no warp there")
                                          : fmt::format("{} of {} there", at.waiting.size(), at.count());
    part += warps("elsewhere", at.elsewhere) + warps("ended", at.ended);
    const auto known =
        std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == part; });
    if (known == parts.end()) parts.push_back({part, {at.core}});
    else known->second.push_back(at.core);
  }
  std::string text;
  for (const auto& [part, cores] : parts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", counted("core", cores), part);
  return text.empty() ? "nothing" : text;
}

std::string waits_for(const WarpFact& warp, const WaitGraph& graph, const Names& names) {
  if (warp.at_barrier) {
    for (const Barrier& barrier : graph.barriers())
      if (barrier.cluster == warp.cluster && barrier.id == warp.barrier_id) return missing_of(barrier);
  }
  if (!graph.facts().spins(warp)) return {};
  std::string text;
  for (const Poll& poll : warp.activity.polls)
    text += fmt::format("{}{}", text.empty() ? "" : " and ", poll_text(poll, graph.facts(), names));
  return text.empty() ? "nothing: the loop has no exit" : text;
}

const char* heading(HangKind kind) {
  switch (kind) {
    case HangKind::kDeadlock: return "Deadlock";
    case HangKind::kLiveLock: return "Live-lock";
    case HangKind::kConfiguration: return "Deadlock: impossible on this machine";
    case HangKind::kMachine: return "Deadlock";
  }
  return "?";
}

}  // namespace

Names names_of(const protocol::AddressMap& map, const loader::Program& program,
               const loader::SourceMap& sources) {
  Names names;
  names.place = [&sources](std::uint32_t pc) -> std::string {
    const loader::Frame& frame = loader::user_frame(sources.lookup(pc));
    if (!loader::of_library(frame.file)) return report::frame_text(frame);
    return frame.function.empty() ? "the kernel library" : frame.function + " of the kernel library";
  };
  names.in_library = [&sources](std::uint32_t pc) {
    return loader::of_library(loader::user_frame(sources.lookup(pc)).file);
  };
  names.peripheral = [&map](std::uint32_t address) {
    return map.route(address) == protocol::Route::kPeripheral;
  };
  names.address = [&map, &program](std::uint32_t address) {
    if (const std::string symbol = symbol_at(program, address); !symbol.empty())
      return fmt::format("{} ({:#010x})", symbol, address);
    const protocol::Region* region = map.find(address);
    if (region == nullptr || region->route == protocol::Route::kGlobal)
      return fmt::format("{:#010x}", address);
    return fmt::format("{}+{:#x} ({:#010x})", region->name, address - region->base, address);
  };
  return names;
}

const char* kind_name(HangKind kind) {
  switch (kind) {
    case HangKind::kDeadlock: return "deadlock";
    case HangKind::kLiveLock: return "livelock";
    case HangKind::kConfiguration: return "impossible_configuration";
    case HangKind::kMachine: return "machine";
  }
  return "?";
}

std::string cause_text(const HangCause& cause) {
  return fmt::format("{}: {}.\n{}{}", heading(cause.kind), cause.sentence, cause.advice,
                     cause.advice.empty() ? "" : "\n");
}

std::string graph_text(const WaitGraph& graph, const Names& names) {
  // Warps that do the same for the same reason share a line.
  using Line = std::array<std::string, 4>;
  std::vector<std::pair<Line, std::vector<const WarpFact*>>> lines;
  for (const WarpFact* warp : graph.running()) {
    const Line line{state_of(*warp, graph),
                    names.place(graph.facts().spins(*warp) ? warp->activity.branch_pc : warp->pc),
                    report::lanes_text(warp->mask), waits_for(*warp, graph, names)};
    const auto known =
        std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == line; });
    if (known == lines.end()) lines.push_back({line, {warp}});
    else known->second.push_back(warp);
  }
  report::TextTable table({{"who"}, {"does"}, {"at"}, {"lanes"}, {"waits for"}});
  for (const auto& [line, warps] : lines) table.add({warp_names(warps), line[0], line[1], line[2], line[3]});
  return graph.running().empty() ? "" : "\nWhat waits for what\n" + table.text(2);
}

namespace {
json::Value splits_json(const WarpFact& warp, const Names& names) {
  auto list = json::Value::array();
  for (const WarpFact::Split& split : warp.splits)
    list.push_back({{"pc", split.pc}, {"place", names.place(split.pc)}, {"waiting_lanes", split.waiting}});
  return list;
}
}  // namespace

json::Value hang_json(const HangCause& cause, const WaitGraph& graph, const Names& names) {
  using Json = json::Value;
  Json document = {{"kind", kind_name(cause.kind)}, {"cause", cause.sentence}, {"advice", cause.advice}};
  document["warps"] = Json::array();
  for (const WarpFact* warp : graph.running())
    document["warps"].push_back({{"core", warp->core},
                                 {"warp", warp->warp},
                                 {"state", state_of(*warp, graph)},
                                 {"pc", warp->pc},
                                 {"place", names.place(warp->pc)},
                                 {"lanes", warp->mask},
                                 {"splits", splits_json(*warp, names)},
                                 {"waits_for", waits_for(*warp, graph, names)}});
  document["barriers"] = Json::array();
  for (const Barrier& barrier : graph.barriers()) {
    Json entry = {{"cluster", barrier.cluster}, {"id", barrier.id}, {"cores", Json::array()}};
    for (const BarrierAtCore& at : barrier.cores)
      entry["cores"].push_back({{"core", at.core}, {"waiting", at.waiting.size()}, {"count", at.count()}});
    document["barriers"].push_back(std::move(entry));
  }
  return document;
}

}  // namespace spica::watchdog
