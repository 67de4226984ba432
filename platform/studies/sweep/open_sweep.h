// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/studies/sweep/plan.h"
#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/run_fingerprints.h"
#include "platform/studies/sweep/sweep_file.h"
#include "platform/studies/sweep/tasks.h"
#include "platform/workloads/places.h"

namespace spica::sweep {

/// A sweep and its results folder, opened by file, name or folder.
class OpenSweep {
 public:
  /// Axes, and the labels of the selected values. Throws UserError for unknown labels.
  using Chosen = std::map<std::string, std::vector<std::string>>;
  /// `chosen`: for tables; axes that it does not name have their usual values. `overrides`: KEY=VALUE for the machines
  /// of all points; throws UserError for a key that an axis sets.
  OpenSweep(const std::string& given, const std::string& dir, const workloads::Places& places,
            const Chosen* chosen = nullptr, const std::vector<std::string>& overrides = {});
  ~OpenSweep();

  const Sweep& sweep() const { return sweep_; }
  const Plan& plan() const { return *plan_; }
  /// Throws UserError if there is no point with that number.
  Point point(std::uint64_t number) const;
  RunFingerprints& keys() const { return *keys_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// Values of axes that are neither usual nor selected: "size 2048x2048x2048".
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  Sweep read(const std::string& given, const std::filesystem::path& configs, const Chosen* chosen,
             const std::vector<std::string>& overrides);

  std::vector<std::string> left_out_;
  const Sweep sweep_;
  std::filesystem::path folder_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<RunFingerprints> keys_;
};

/// Sets KEY=VALUE for all points, see OpenSweep.
void add_override(Sweep& sweep, const std::string& text);

/// The rows of results.sqlite in the folder, see read_rows(). A damaged file is rebuilt from the records, with a note.
Rows rows_of(const OpenSweep& open, const std::vector<std::string>& only = {},
             const std::vector<std::string>& also = {});

}  // namespace spica::sweep
