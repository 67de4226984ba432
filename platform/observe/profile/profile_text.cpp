// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/profile_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/text/number_format.h"
#include "platform/machine/loader/source_lines.h"
#include "platform/observe/profile/profile.h"
#include "platform/observe/report/text_table.h"

namespace spica::profile {

namespace {

std::string share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? "" : text::percent(static_cast<double>(part) / static_cast<double>(all));
}

/// "3.0"; "" when nothing was counted.
std::string average(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? "" : fmt::format("{:.1f}", static_cast<double>(sum) / static_cast<double>(count));
}

/// "global_load 60 %, fetch 12 %": the most important waits in percent of the row's cycles.
std::string waits(const Row& row) {
  std::vector<std::size_t> order;
  for (std::size_t reason = 0; reason < kReasons; ++reason)
    if (reason != kIssued && row.counts.cycles[reason] != 0) order.push_back(reason);
  const auto of = [&](std::size_t reason) { return row.counts.cycles[reason]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return of(a) > of(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i) {
    const double ratio = static_cast<double>(of(order[i])) / static_cast<double>(row.cycles());
    if (ratio < 0.01) break;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", reason_name(order[i]), 100 * ratio);
  }
  return text;
}

/// How much of the program is stack traffic; "" when there is none.
std::string stack_text(const Profile& profile) {
  std::uint64_t stack = 0, all = 0;
  for (const Row& row : profile.functions) {
    stack += row.counts.stack_accesses;
    all += row.counts.instructions;
  }
  if (stack == 0) return "";
  return fmt::format(
      "  stack: loads and stores through the stack pointer, {} of {} instructions ({}): spilled and saved registers, locals in "
      "memory\n",
      text::grouped(stack), text::grouped(all), share(stack, all));
}

std::string trimmed(const std::string& line, std::size_t most) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : report::first_characters(line.substr(begin), most);
}

}  // namespace

std::string profile_text(const Profile& profile, const TextOptions& options) {
  const bool by_function = options.by == "function", by_line = options.by == "line";
  const std::vector<Row>& rows = by_function ? profile.functions
                                 : by_line   ? profile.lines
                                             : profile.instructions;
  using Align = report::TextTable::Align;
  std::vector<report::TextTable::Column> columns{{"self", Align::kRight}, {"cycles", Align::kRight}};
  if (by_function) columns.push_back({"with calls", Align::kRight});
  if (!by_function && !by_line) columns.push_back({"pc"});
  columns.push_back({"function"});
  if (!by_function) columns.push_back({"line"});
  for (const char* title : {"issued", "instructions", "lanes", "stack", "bank", "aside", "requests"})
    columns.push_back({title, Align::kRight});
  columns.push_back({"waits for"});
  if (!by_function) columns.push_back({by_line ? "source" : "instruction"});
  report::TextTable table(columns);
  loader::SourceLines sources(options.root);
  std::size_t shown = 0, seen = 0;
  for (const Row& row : rows) {
    if (options.top != 0 && shown == options.top) break;
    ++seen;
    if (row.cycles() == 0 && row.total_cycles == 0 && row.counts.instructions == 0) continue;
    ++shown;
    const Counts& counts = row.counts;
    std::vector<std::string> cells{share(row.cycles(), profile.total), text::grouped(row.cycles())};
    if (by_function) cells.push_back(share(row.total_cycles, profile.total));
    if (!by_function && !by_line) cells.push_back(row.pc ? fmt::format("{:#010x}", *row.pc) : "");
    cells.push_back(row.function);
    if (!by_function) cells.push_back(row.compiler_made ? "compiler-made" : row.place());
    cells.push_back(share(counts.cycles[kIssued], row.cycles()));
    cells.push_back(text::grouped(counts.instructions));
    cells.push_back(average(counts.lanes, counts.instructions));
    cells.push_back(counts.stack_accesses == 0 ? "" : text::grouped(counts.stack_accesses));
    cells.push_back(average(counts.bank_degree, counts.shared_accesses));
    cells.push_back(average(counts.unaligned_lanes, counts.shared_accesses));
    cells.push_back(average(counts.global_requests, counts.global_accesses));
    cells.push_back(waits(row));
    if (by_line) cells.push_back(trimmed(sources.line(row.file, row.line), 60));
    if (!by_function && !by_line) cells.push_back(row.text);
    table.add(std::move(cells));
  }
  std::string text = fmt::format("where {} issue slots spent {} cycles each, by {}\n", profile.cores,
                                 text::grouped(profile.cycles), options.by);
  text += table.text(2);
  if (seen < rows.size()) text += fmt::format("  ... {} more (--top)\n", rows.size() - seen);
  text += "  issued: share of its cycles in which something issued; lanes: active lanes of an instruction\n";
  text += stack_text(profile);
  const auto any = [&](auto counted) {
    return std::any_of(rows.begin(), rows.begin() + static_cast<long>(std::min(seen, rows.size())), counted);
  };
  if (any([](const Row& row) { return row.counts.shared_accesses != 0; }))
    text +=
        "  bank, aside: per shared-memory access, most lanes on one bank (best 1) and lanes served one by one (best 0)\n";
  if (any([](const Row& row) { return row.counts.global_accesses != 0; }))
    text += "  requests: cache requests per global access (best 1)\n";
  if (!profile.note.empty()) text += fmt::format("  note: {}\n", profile.note);
  return text;
}

}  // namespace spica::profile
