// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/warp_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "platform/machine/loader/user_frame.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/report/text_table.h"

namespace spica::report {

namespace {

using Align = TextTable::Align;

constexpr std::size_t kMostWarps = 64;  // that have a line each: those of a multiprocessor
constexpr std::size_t kMostPlaces = 40;

/// "f < caller", innermost function first.
std::string functions_text(const loader::Location& location) {
  std::string text = location.frame.function;
  for (const loader::Frame& caller : location.inlined_into) text += " < " + caller.function;
  return text;
}

/// Texts of the pc, the functions and the source line of a warp; empty for one that does not run.
struct PlaceText {
  PlaceText(const WarpSnapshot& warp, const loader::SourceMap& source) {
    if (warp.mask == 0) return;
    const loader::Location& location = source.lookup(warp.pc);
    pc = fmt::format("{:#010x}", warp.pc);
    functions = functions_text(location);
    line = loader::user_frame(location).place();
  }
  std::string pc, functions, line;
};

/// Warps in the same state at the same instruction.
struct Place {
  const WarpSnapshot* first = nullptr;
  std::size_t warps = 0;
};

std::string table_of_places(const std::vector<WarpSnapshot>& warps, const loader::SourceMap& source) {
  std::map<std::pair<std::string_view, std::uint32_t>, Place> by_state;
  for (const WarpSnapshot& warp : warps) {
    Place& place = by_state[{warp.state, warp.mask != 0 ? warp.pc : 0}];
    if (place.warps++ == 0) place.first = &warp;
  }
  std::vector<Place> places;
  for (const auto& [key, place] : by_state) places.push_back(place);
  std::sort(places.begin(), places.end(), [](const Place& one, const Place& other) {
    return std::make_tuple(other.warps, one.first) < std::make_tuple(one.warps, other.first);
  });
  TextTable table({{"warps", Align::kRight},
                   {"first: core", Align::kRight},
                   {"warp", Align::kRight},
                   {"state"},
                   {"pc"},
                   {"function"},
                   {"source"}});
  std::size_t left = warps.size();
  for (std::size_t i = 0; i < places.size() && i < kMostPlaces; ++i) {
    const WarpSnapshot& first = *places[i].first;
    const PlaceText at(first, source);
    table.add({std::to_string(places[i].warps), std::to_string(first.core), std::to_string(first.warp),
               first.state, at.pc, at.functions, at.line});
    left -= places[i].warps;
  }
  return table.text() +
         (left == 0 ? "" : fmt::format("and {} at {} other places\n", left, places.size() - kMostPlaces));
}

}  // namespace

std::string warp_table(const std::vector<WarpSnapshot>& warps, const loader::SourceMap& source) {
  if (warps.size() > kMostWarps) return table_of_places(warps, source);
  TextTable table({{"core", Align::kRight},
                   {"warp", Align::kRight},
                   {"state"},
                   {"pc"},
                   {"lanes"},
                   {"function"},
                   {"source"},
                   {"detail"}});
  for (const WarpSnapshot& warp : warps) {
    const PlaceText at(warp, source);
    table.add({std::to_string(warp.core), std::to_string(warp.warp), warp.state, at.pc,
               warp.mask == 0 ? "" : lanes_text(warp.mask), at.functions, at.line, warp.detail});
  }
  return table.text();
}

}  // namespace spica::report
