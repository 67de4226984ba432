// SPDX-License-Identifier: Apache-2.0
// `spica report DIR...`: charts of runs that were written with --out, side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "platform/base/input/printable.h"
#include "platform/cli/commands.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/terminal.h"

namespace spica::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string file = "report.html";
};

template <class T>
T value(const report::ReportedRun& run, const char* key, const T& otherwise) {
  const auto found = run.document.find(key);
  return found == run.document.end() || found->is_null() ? otherwise : found->get<T>();
}

/// The page's key figures for those who have no browser at hand.
void print_table(const std::vector<report::ReportedRun>& runs) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"run", Align::kLeft},
                           {"cycles", Align::kRight},
                           {"utilisation", Align::kRight},
                           {"warp instructions", Align::kRight},
                           {"end", Align::kLeft},
                           {"limiter", Align::kLeft}});
  for (const report::ReportedRun& run : runs) {
    const double utilisation = value(run, "utilisation", -1.0);
    table.add({run.name, text::grouped(value<std::uint64_t>(run, "cycles", 0)),
               utilisation < 0 ? "" : text::percent(utilisation),
               text::grouped(value<std::uint64_t>(run, "instructions", 0)),
               input::printable(value<std::string>(run, "end", "")) +
                   (value(run, "verified", true) ? "" : ", WRONG RESULT"),
               input::printable(value<std::string>(run, "limiter", ""))});
  }
  fmt::print("{}", table.text());
}

/// Runs of folders with the same name get as much of the path as tells them apart, else a number.
void name_apart(std::vector<report::ReportedRun>& runs, const std::vector<std::string>& folders) {
  const auto end_of = [](const std::filesystem::path& path, std::size_t levels) {
    std::vector<std::string> parts;
    for (const std::filesystem::path& part : path)
      if (!part.empty() && part != "/") parts.push_back(part.string());
    if (levels > parts.size()) return std::string();
    return fmt::format("{}", fmt::join(parts.end() - static_cast<std::ptrdiff_t>(levels), parts.end(), "/"));
  };
  std::vector<std::filesystem::path> paths;
  for (const std::string& folder : folders)
    paths.push_back(std::filesystem::absolute(folder).lexically_normal());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string name;
    for (std::size_t levels = 1; levels == 1 || !name.empty(); ++levels) {
      name = end_of(paths[i], levels);
      const auto same = std::count_if(paths.begin(), paths.end(),
                                      [&](const auto& other) { return end_of(other, levels) == name; });
      if (same == 1) break;
    }
    runs[i].name = name.empty() ? fmt::format("{} ({})", runs[i].name, i + 1) : input::printable(name);
  }
}

int write_report(const ReportOptions& options) {
  report::check_html_report(options.file);
  std::vector<report::ReportedRun> runs;
  for (const std::string& folder : options.folders) runs.push_back(report::read_run(folder));
  name_apart(runs, options.folders);
  for (std::size_t i = 1; i < runs.size(); ++i) runs[i].compared_with = 0;
  report::write_html_report(options.file, runs);
  print_table(runs);
  fmt::print("\nwritten: {}\n", input::printable(options.file));
  return 0;
}

void options_of_report(Command& command) {
  auto options = std::make_shared<ReportOptions>();
  command.option("DIR", options->folders, "folders from --out of other commands").required();
  command.option("-o,--out,--output", options->file, "HTML file to write").shows_default();
  command.action([options](const std::vector<std::string>&) { return write_report(*options); });
}

}  // namespace

void add_report_command(CommandLine& line) {
  line.add("report", "write one HTML file with charts of runs, side by side", options_of_report);
}

}  // namespace spica::cli
