// SPDX-License-Identifier: Apache-2.0
// `spica explain RUN`: which steps to better hardware, or to another program, would help a run most.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/cli/sweep_command.h"
#include "platform/studies/sweep/neighbours_report.h"
#include "platform/studies/sweep/open_sweep.h"

namespace spica::cli {

namespace {

struct ExplainOptions {
  std::string run;
  std::filesystem::path folder;  // that it names
  std::string point;
  sweep::NeighbourhoodOptions search;
  bool json = false;
  unsigned jobs = default_jobs();
  double percent = 0.5;
};

std::vector<std::string> words_of(const ExplainOptions& options) {
  if (options.point.empty()) return sweep::run_again_of(options.folder);
  const std::optional<std::uint64_t> number = input::parse_number(options.point);
  if (!number)
    throw input::UserError(fmt::format("'{}' is not a point number", input::printable(options.point)));
  const sweep::OpenSweep open(options.run, "", places());
  return sweep::run_again(sweep::command_of(open.sweep(), open.point(*number), 0));
}

int run_explain(const ExplainOptions& options) {
  sweep::NeighbourhoodOptions search = options.search;
  search.jobs = options.jobs;
  search.threshold = options.percent / 100;
  const std::vector<std::string> words = words_of(options);
  const sweep::Neighbourhood found = sweep::neighbourhood(words, configs_dir(), search);
  if (options.json) {
    fmt::print("{}\n", sweep::neighbourhood_json(found).dump(2));
    return 0;
  }
  const sweep::Itself& itself = found.itself;
  fmt::print("{}{} takes {} cycles ({:.1f} us). ",
             options.point.empty() ? "" : fmt::format("point {} of ", options.point),
             input::printable(options.run), text::grouped(itself.cost.cycles), itself.cost.microseconds);
  fmt::print("{}",
             sweep::neighbourhood_text(found, options.percent, words[0] != "run" && words[0] != "stream"));
  return 0;
}

void options_of_explain(Command& command) {
  auto options = std::make_shared<ExplainOptions>();
  command.option("RUN", options->run, "folder from --out of a run; with --point a sweep").required();
  command.option("--point", options->point, "number of a point of the sweep RUN (file, name or folder)");
  command.option("--budget", options->search.budget, "maximum number of runs").shows_default();
  command.option("--jobs", options->jobs, "number of runs in parallel").between(1, 1024).shows_default();
  command.option("--threshold", options->percent, "smallest time change to show, in percent").shows_default();
  command.flag("--json", options->json, "print JSON");
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>&) {
    options->folder = std::filesystem::absolute(options->run);
    if (options->point.empty()) work_in(sweep::folder_of_run(options->folder));
    serve_children();
    return run_explain(*options);
  });
}

}  // namespace

void add_explain_command(CommandLine& line) {
  line.add("explain", "find the hardware parameters that improve a run most, by varying them",
           options_of_explain);
}

}  // namespace spica::cli
