// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/monitor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <sstream>
#include <vector>

#include "platform/base/input/number_text.h"
#include "platform/observe/debug/formats.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/report/text_table.h"
#include "platform/observe/report/warp_table.h"

namespace spica::debug {

namespace {

constexpr const char* kHelp =
    "warps                      all running warps: pc, lanes, state, source line\n"
    "lane [N|auto]              look at lane N of this warp from now on; auto: the lane the warp follows (the highest active)\n"
    "peek [N]                   look at lane N until the next peek without a number, or until the program continues\n"
    "stack                      the open splits of this warp\n"
    "barriers                   who waits at which barrier\n"
    "NAME                       state and queues of the blocks of the machine with NAME in their names\n"
    "tile FORMAT ADDRESS RxC [STRIDE]  a matrix of R rows and C columns in memory, in bf16, fp8_e4m3, int4, ...\n"
    "values FORMAT REGISTER     the elements of a register (fa0, or a fragment: w2) in all lanes\n"
    "cycle                      cycles so far\n"
    "sources                    the folder with the sources of the kernel library, for gdb's `directory`\n"
    "break barrier|transfer|command  stop when a barrier is released, a unit's load or store ends, or a unit gets a command\n"
    "break list                 events that stop the program\n"
    "break delete [NAME]        no longer stop at this event, or at any\n";

constexpr const char* kEventNames[kEvents] = {"barrier", "transfer", "command"};

std::string no_lane(const std::string& word, unsigned lanes) {
  return fmt::format("'{}' is not a lane: give a number from 0 to {}, or auto.\n", word, lanes - 1);
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::string Monitor::run(const std::string& command, unsigned warp) {
  const std::vector<std::string> words = words_of(command);
  if (words.empty() || words[0] == "help") return kHelp;
  if (words[0] == "warps") return warps();
  if (words[0] == "lane") return lane(words, warp);
  if (words[0] == "peek") return peek(words, warp);
  if (words[0] == "stack") return stack(warp);
  if (words[0] == "barriers") return barriers();
  if (words[0] == "tile") return tile_text(target_, warp, words);
  if (words[0] == "values") return values_text(target_, warp, words);
  if (words[0] == "cycle") return fmt::format("cycle {}\n", target_.machine().now());
  if (words[0] == "sources") return root_.lexically_normal().string() + '\n';
  if (words[0] == "break") return events(words);
  if (const std::string blocks = target_.machine().describe_blocks(words[0]); !blocks.empty()) return blocks;
  return fmt::format("Neither a command nor part of a block's name: '{}'. The commands are:\n{}", words[0],
                     kHelp);
}

std::string Monitor::warps() {
  std::vector<report::WarpSnapshot> snapshots;
  for (unsigned warp = 0; warp < target_.warps(); ++warp) {
    const soc::WarpView view = target_.view(warp);
    if (!view.running) continue;
    const unsigned core = target_.core_of(warp), in_core = target_.warp_in_core(warp);
    snapshots.push_back({core, in_core, target_.machine().describe_warp(core, in_core), view.pc,
                         view.flow->mask(), fmt::format("thread {}", warp + 1)});
  }
  return snapshots.empty() ? "No warp is running.\n" : report::warp_table(snapshots, sources_);
}

/// Another lane for a moment: what $any_lane of spica.gdb does.
std::string Monitor::peek(const std::vector<std::string>& words, unsigned warp) {
  if (words.size() < 2) {
    target_.end_peek();
    return {};
  }
  const auto lane = input::parse_number(words[1]);
  const unsigned lanes = target_.view(warp).registers->lanes();
  if (!lane || *lane >= lanes) return no_lane(words[1], lanes);
  target_.peek(warp, static_cast<unsigned>(*lane));
  return {};
}

std::string Monitor::lane(const std::vector<std::string>& words, unsigned warp) {
  Registers registers = target_.registers(warp);
  const unsigned lanes = target_.view(warp).registers->lanes();
  if (words.size() > 1) {
    const bool automatic = words[1] == "auto";
    const auto number = automatic ? std::nullopt : input::parse_number(words[1]);
    if (!automatic && (!number || *number >= lanes)) return no_lane(words[1], lanes);
    target_.end_peek();
    registers.choose_lane(automatic ? LaneChoice::kScalarLane : static_cast<unsigned>(*number));
  }
  const std::uint32_t mask = target_.view(warp).flow->mask();
  const LaneChoice& choice = target_.lane_choice(warp);
  std::string chosen;
  if (choice.followed() != LaneChoice::kScalarLane) chosen = " Selected until lane auto.";
  else if (choice.suspended)
    chosen = fmt::format(" It replaces lane {}, which is not active here.", choice.chosen);
  return fmt::format(
      "{}: lane {} of 0 to {}, {}; active lanes: {}.{}\n{}", target_.name(warp), registers.lane(), lanes - 1,
      (mask >> registers.lane() & 1) != 0 ? "active" : "not active", report::lanes_text(mask), chosen,
      words.size() > 1 ? "gdb keeps registers: maintenance flush register-cache shows the new lane's.\n"
                       : "");
}

std::string Monitor::stack(unsigned warp) {
  const auto open = target_.view(warp).flow->open();
  const std::string head =
      fmt::format("{}: {} open split{}, active lanes {}\n", target_.name(warp), open.size(),
                  open.size() == 1 ? "" : "s", report::lanes_text(target_.view(warp).flow->mask()));
  report::TextTable table({{"level", report::TextTable::Align::kRight},
                           {"lanes"},
                           {"side"},
                           {"else lanes"},
                           {"else pc"},
                           {"in"}});
  for (std::size_t i = open.size(); i-- > 0;) {
    const auto& entry = open[i];
    table.add({std::to_string(i), report::lanes_text(entry.original), entry.in_else ? "else" : "then",
               report::lanes_text(entry.else_lanes), fmt::format("{:#010x}", entry.pc),
               report::frame_text(sources_.lookup(entry.pc).frame)});
  }
  return head + table.text();
}

std::string Monitor::barriers() {
  // by cluster and barrier: cores, each with its warps there
  std::map<std::pair<unsigned, unsigned>, std::map<unsigned, std::vector<unsigned>>> open;
  std::map<std::pair<unsigned, unsigned>, unsigned> expected;
  for (unsigned warp = 0; warp < target_.warps(); ++warp) {
    const soc::WarpView view = target_.view(warp);
    if (!view.running || !view.at_barrier) continue;
    const std::pair<unsigned, unsigned> barrier{target_.cluster_of(warp), view.barrier_id};
    open[barrier][target_.core_of(warp)].push_back(target_.warp_in_core(warp));
    expected[barrier] = view.barrier_count;
  }
  std::string text;
  for (const auto& [barrier, cores] : open) {
    text += fmt::format("cluster {} barrier {}, {} warps of each core:\n", barrier.first, barrier.second,
                        expected[barrier]);
    for (const auto& [core, there] : cores) {
      std::string list;
      for (const unsigned warp : there) list += fmt::format("{}{}", list.empty() ? "" : ",", warp);
      text +=
          fmt::format("  core {}: {} of {} there (warp {})\n", core, there.size(), expected[barrier], list);
    }
  }
  if (text.empty()) text = "No warp waits at a barrier.\n";
  return text + target_.machine().describe_blocks("barrier");
}

std::string Monitor::events(const std::vector<std::string>& words) {
  const auto listing = [this] {
    std::string names;
    for (unsigned e = 0; e < kEvents; ++e)
      if (supervisor_.breaks_on(static_cast<Event>(e))) names += fmt::format(" {}", kEventNames[e]);
    return names.empty() ? std::string("No event stops the program.\n")
                         : fmt::format("These events stop:{}\n", names);
  };
  if (words.size() == 1 || words[1] == "list") return listing();
  const bool remove = words[1] == "delete";
  const std::string name = !remove ? words[1] : words.size() > 2 ? words[2] : "";
  bool known = remove && name.empty();
  for (unsigned e = 0; e < kEvents; ++e) {
    if (!name.empty() && name != kEventNames[e]) continue;
    known = true;
    supervisor_.break_on(static_cast<Event>(e), !remove);
  }
  if (!known)
    return fmt::format("Unknown event '{}'; the events are {}.\n", name, fmt::join(kEventNames, ", "));
  return listing();
}

}  // namespace spica::debug
