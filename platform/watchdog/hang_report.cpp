// SPDX-License-Identifier: Apache-2.0
#include "platform/watchdog/hang_report.h"

#include <fmt/format.h>

#include "platform/report/fault_report.h"
#include "platform/report/text_table.h"

namespace spica::watchdog {

namespace {

std::string symbol_at(const loader::Program& program, std::uint32_t address) {
  for (const loader::Symbol& symbol : program.symbols) {
    if (symbol.kind != loader::Symbol::Kind::kObject || address - symbol.address >= symbol.bytes) continue;
    const auto offset = static_cast<std::uint32_t>(address - symbol.address);
    const std::string name = loader::demangle(symbol.name);
    return offset == 0 ? name : fmt::format("{}+{:#x}", name, offset);
  }
  return {};
}

std::string state_of(const WarpFact& warp, const WaitGraph& graph) {
  if (warp.at_barrier) return fmt::format("waits at barrier {}", warp.barrier_id);
  if (graph.facts().spins(warp)) return "spins";
  return warp.activity.state == WarpActivity::State::kWorking ? "works" : warp.doing;
}

/// What a barrier still misses: "core 0: 1 more warp; core 2: all".
std::string missing_of(const Barrier& barrier) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  for (const BarrierAtCore& at : barrier.cores) {
    if (at.complete()) continue;
    if (at.waiting.empty()) {
      add(fmt::format("core {}: nobody is there{}", at.core,
                      at.elsewhere.empty() ? ", and no warp of it runs" : ""));
      continue;
    }
    std::string part = fmt::format("core {}: {} of {} there", at.core, at.waiting.size(), at.count());
    if (!at.elsewhere.empty()) part += ", not there: " + warp_names(at.elsewhere);
    if (!at.ended.empty()) part += ", ended: " + warp_names(at.ended);
    add(part);
  }
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
    text += fmt::format("{}{}", text.empty() ? "" : " and ", poll_text(poll, warp, graph.facts(), names));
  return text.empty() ? "nothing: the loop has no way out" : text;
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

Names names_of(const protocol::AddressMap& map, const loader::Program& program, const loader::SourceMap& sources) {
  Names names;
  names.place = [&sources](std::uint32_t pc) { return report::frame_text(sources.lookup(pc).frame); };
  names.address = [&map, &program](std::uint32_t address, unsigned) {
    if (const std::string symbol = symbol_at(program, address); !symbol.empty())
      return fmt::format("{} ({:#010x})", symbol, address);
    const protocol::Region* region = map.find(address);
    if (region == nullptr || region->route == protocol::Route::kGlobal) return fmt::format("{:#010x}", address);
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

std::string hang_text(const HangCause& cause, const WaitGraph& graph, const Names& names) {
  std::string text = fmt::format("{}: {}.\n", heading(cause.kind), cause.sentence);
  if (!cause.advice.empty()) text += cause.advice + "\n";
  report::TextTable table({{"who"}, {"does"}, {"at"}, {"lanes"}, {"waits for"}});
  for (const WarpFact* warp : graph.running())
    table.add({warp_name(*warp), state_of(*warp, graph),
               names.place(graph.facts().spins(*warp) ? warp->activity.branch_pc : warp->pc),
               report::lanes_text(warp->mask), waits_for(*warp, graph, names)});
  if (!graph.running().empty()) text += "\nWho waits for whom\n" + table.text(2);
  return text;
}

nlohmann::ordered_json hang_json(const HangCause& cause, const WaitGraph& graph, const Names& names) {
  using Json = nlohmann::ordered_json;
  Json document = {{"kind", kind_name(cause.kind)}, {"cause", cause.sentence}, {"advice", cause.advice}};
  document["warps"] = Json::array();
  for (const WarpFact* warp : graph.running())
    document["warps"].push_back({{"core", warp->core},
                                 {"warp", warp->warp},
                                 {"state", state_of(*warp, graph)},
                                 {"pc", warp->pc},
                                 {"place", names.place(warp->pc)},
                                 {"lanes", warp->mask},
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
