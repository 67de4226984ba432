// SPDX-License-Identifier: Apache-2.0
// What the commands below `spica sweep` have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/cli/command_line.h"
#include "platform/studies/sweep/plan.h"
#include "platform/studies/sweep/point_key.h"
#include "platform/studies/sweep/record.h"
#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"
#include "platform/studies/sweep/tasks.h"

namespace spica::cli {

/// A sweep and the folder of its results, from its file, its name or that folder.
class OpenSweep {
 public:
  /// Axes, and the labels of the values to keep. Throws UserError for unknown labels.
  using Chosen = std::map<std::string, std::vector<std::string>>;
  /// `chosen`: for a table, which has the usual values of axes that it does not name.
  OpenSweep(const std::string& given, const std::string& dir, const Chosen* chosen = nullptr);
  ~OpenSweep();

  const sweep::Sweep& sweep() const { return sweep_; }
  const sweep::Plan& plan() const { return *plan_; }
  /// Throws UserError when there is no point of that number.
  sweep::Point point(std::uint64_t number) const;
  sweep::PointKeys& keys() const { return *keys_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// Values of axes that are neither usual nor chosen: "size 2048x2048x2048".
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  sweep::Sweep read(const std::string& given, const Chosen* chosen);

  std::vector<std::string> left_out_;
  const sweep::Sweep sweep_;
  std::filesystem::path folder_;
  std::unique_ptr<sweep::Plan> plan_;
  std::unique_ptr<sweep::PointKeys> keys_;
};

/// The rows of results.sqlite in the folder, see sweep::read_rows(). One that is damaged is made again of the records,
/// with a note.
sweep::Rows rows_of(const OpenSweep& open, const std::vector<std::string>& only = {},
                    const std::vector<std::string>& also = {});
/// Which sweep, and where its results are.
void add_results(Command& command, std::string& given, std::string& dir);

/// What a few runs cost.
struct ProbeCosts {
  double cpu_seconds = 0, record_bytes = 0;
  std::vector<std::string> refused;  // reasons
  std::vector<std::string> unknown;  // names of results that the first good run has not
};
/// Throws UserError for a name of a result that is a mistyped one.
ProbeCosts probe(const OpenSweep& open, const std::vector<const sweep::Task*>& tasks, unsigned jobs);

unsigned default_jobs();
/// "12 s", "3.4 min", "2.1 h".
std::string duration_text(double seconds);
/// "timeout,crash". Throws UserError.
std::vector<sweep::State> parse_states(const std::string& text);
/// "12 ok, 3 refused".
std::string counts_text(const std::map<sweep::State, std::uint64_t>& states);
/// --accept-model.
void add_accepted(Command& command, std::vector<std::string>& models);
/// 0: all have a result or were refused, else 1.
int exit_code_of(const std::map<sweep::State, std::uint64_t>& states);

/// status, collect, clean, table, plot.
void add_sweep_results_commands(Command& command);
void add_sweep_pareto_command(Command& command);
/// eval, show, diff.
void add_sweep_points_commands(Command& command);
void add_sweep_values_command(Command& command);

}  // namespace spica::cli
