// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/required_bandwidth.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/cli/paths.h"
#include "platform/input/printable.h"
#include "platform/job/files.h"
#include "platform/job/troubles.h"
#include "platform/loader/file.h"
#include "platform/report/html_report.h"
#include "platform/report/provenance.h"
#include "platform/report/statistics.h"
#include "platform/report/terminal.h"

namespace spica::cli {

namespace {

using experiment::BandwidthRow;

/// "131 (0.87)": what is asked for, and as a part of what there is.
std::string asked(const experiment::LayerTraffic::Level& level) {
  return fmt::format("{:.0f} ({:.2f})", level.required, level.required / level.limit);
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
    const experiment::LayerTraffic& traffic = row.traffic;
    table.add({row.layer.name, input::printable(row.machine), name_of(row.unit), traffic.tile.text(),
               asked(traffic.levels[0]), asked(traffic.levels[1]), asked(traffic.levels[2]),
               report::percent(traffic.tail_utilisation),
               report::percent(traffic.ideal_seconds / traffic.least_seconds), traffic.limited_by});
  }
  return table.text();
}

}  // namespace

int show_required_bandwidth(const experiment::BandwidthChoice& choice, const std::string& out,
                            const std::string& report) {
  if (!report.empty()) report::check_html_report(report);
  const std::vector<BandwidthRow> rows = experiment::required_bandwidth(choice, configs_dir());
  const json::Value document = report::printable_json(experiment::bandwidth_json(rows));
  job::Troubles troubles;
  job::make_folder(out);
  troubles.attempt([&] { loader::write_text(out + "/results.json", document.dump(2) + "\n"); });
  troubles.attempt([&] { loader::write_text(out + "/results.csv", experiment::bandwidth_csv(rows)); });
  fmt::print("{}\n\n{}", kRequiredBandwidthTitle, table_of(rows));
  fmt::print(
      "\nRequired: traffic over the time of the products alone at the peak of the unit; in brackets as a part of "
      "what the level has.\nLevel 1 and shared memory: of one multiprocessor. DRAM: each matrix once, of a "
      "convolution the matrix of implicit GEMM. Nothing is simulated.\n");
  if (!report.empty()) {
    troubles.attempt([&] {
      report::write_html_page(report, "Spica: required bandwidth",
                              {{"version", report::version_text()}, {"rows", document}},
                              {"theme.js", "bandwidth.js"});
    });
    fmt::print("\nwritten: {}\n", input::printable(report));
  }
  fmt::print("\nresults.json and results.csv are in {}\n", input::printable(out));
  return troubles.exit_code(0);
}

}  // namespace spica::cli
