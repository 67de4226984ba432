// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/bandwidth_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/statistics.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/files.h"
#include "platform/run/host_errors.h"
#include "platform/studies/experiment/measured_traffic.h"

namespace spica::experiment {

namespace {

/// "131 (0.87)": what is asked for, and as a part of what there is.
std::string asked(const LayerTraffic::Level& level) {
  return fmt::format("{:.0f} ({:.2f})", level.required, level.required / level.limit);
}

/// "114 (0.98)": what the traffic of the simulated part amounts to, and as a part of the formula's.
std::string measured_text(const BandwidthRow& row, unsigned level) {
  const auto& one = row.measured->levels[level];
  const double share = one.part / one.formula;
  return fmt::format("{:.0f} ({:.2f})", share * row.traffic.levels[level].required, share);
}

/// The rows of which something was measured, next to the results of the formulas.
std::string measured_table_of(const std::vector<BandwidthRow>& rows) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"layer"},
                           {"machine"},
                           {"tile"},
                           {"part"},
                           {"L1 GB/s", Align::kRight},
                           {"measured", Align::kRight},
                           {"L2 GB/s", Align::kRight},
                           {"measured", Align::kRight},
                           {"DRAM GB/s", Align::kRight},
                           {"measured", Align::kRight}});
  for (const BandwidthRow& row : rows) {
    if (!row.measured) continue;
    std::vector<std::string> cells{row.layer.name, input::printable(row.machine), row.traffic.tile.text(),
                                   row.measured->part};
    for (const MemoryLevel level : kMemoryLevels) {
      const auto i = static_cast<unsigned>(level);
      cells.push_back(fmt::format("{:.0f}", row.traffic.levels[i].required));
      cells.push_back(row.measured->error.empty() ? measured_text(row, i) : row.measured->error);
    }
    table.add(cells);
  }
  return table.text();
}

/// Simulates, and prints what it simulates. True: everything ended well.
bool measure_rows(std::vector<BandwidthRow>& rows, const workloads::Places& places, const std::string& out,
                  unsigned jobs) {
  MeasureChoice choice;
  choice.jobs = jobs;
  choice.folder = std::filesystem::path(out) / "measured";
  measure(rows, choice, places);
  return std::all_of(rows.begin(), rows.end(),
                     [](const BandwidthRow& row) { return !row.measured || row.measured->error.empty(); });
}

void print_measured(const std::vector<BandwidthRow>& rows) {
  const MeasureChoice choice;
  fmt::print("\nMeasured\n\n{}", measured_table_of(rows));
  fmt::print(
      "\nMeasured: a part of each layer, at most {} rows and {} columns of C and {} of k, on one multiprocessor "
      "({} of {} rows; not lanes, nor GPUs without a machine here); in brackets what it moved over what the formulas say of "
      "that part, with C in FP32 as it is there. Results that level 2 keeps to the end are not in DRAM.\n",
      choice.most_m, choice.most_n, choice.most_k,
      std::count_if(rows.begin(), rows.end(),
                    [](const BandwidthRow& row) { return row.measured.has_value(); }),
      rows.size());
}

std::string table_of(const std::vector<BandwidthRow>& rows) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"layer"},
                           {"machine"},
                           {"unit"},
                           {"tile"},
                           {"L1 GB/s", Align::kRight},
                           {"L2 GB/s", Align::kRight},
                           {"DRAM GB/s", Align::kRight},
                           {"last round", Align::kRight},
                           {"peak at most", Align::kRight},
                           {"limited by"}});
  for (const BandwidthRow& row : rows) {
    const LayerTraffic& traffic = row.traffic;
    table.add({row.layer.name, input::printable(row.machine), name_of(row.unit), traffic.tile.text(),
               asked(traffic.levels[0]), asked(traffic.levels[1]), asked(traffic.levels[2]),
               text::percent(traffic.tail_utilisation),
               text::percent(traffic.ideal_seconds / traffic.least_seconds), traffic.limited_by});
  }
  return table.text();
}

}  // namespace

int show_required_bandwidth(const BandwidthChoice& choice, const workloads::Places& places,
                            const std::string& out, const std::string& report, unsigned jobs) {
  if (!report.empty()) report::check_html_report(report);
  std::vector<BandwidthRow> rows = required_bandwidth(choice, places.configs);
  job::HostErrors host_errors;
  job::make_folder(out);
  const bool good = jobs == 0 || measure_rows(rows, places, out, jobs);
  const json::Value document = report::printable_json(bandwidth_json(rows));
  host_errors.attempt([&] { input::write_text(out + "/results.json", document.dump(2) + "\n"); });
  host_errors.attempt([&] { input::write_text(out + "/results.csv", bandwidth_csv(rows)); });
  fmt::print("{}\n\n{}", kRequiredBandwidthTitle, table_of(rows));
  fmt::print(
      "\nRequired: traffic over the time of the products alone at the peak of the unit; in brackets as a part of "
      "what the level has.\nLevel 1 and shared memory: of one multiprocessor. DRAM: each matrix once, of a "
      "convolution the matrix of implicit GEMM.{}\n",
      jobs == 0 ? " Nothing is simulated." : "");
  if (jobs != 0) print_measured(rows);
  if (!report.empty()) {
    host_errors.attempt([&] {
      report::write_html_page(report, "Spica: required bandwidth",
                              {{"version", report::version_text()}, {"rows", document}},
                              {"theme.js", "bandwidth.js"});
    });
    fmt::print("\nwritten: {}\n", input::printable(report));
  }
  fmt::print("\nresults.json and results.csv are in {}\n", input::printable(out));
  return host_errors.exit_code(good ? 0 : 1);
}

}  // namespace spica::experiment
