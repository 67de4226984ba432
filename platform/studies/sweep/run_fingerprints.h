// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/config.h"
#include "platform/studies/sweep/plan.h"

namespace spica::sweep {

/// A 128-bit identification of everything that a run depends on. It is the sum of the hashes of single facts
/// ("key=value" lines), so their order does not matter, and a changed fact is replaced without hashing the others
/// again. The hash of a fact is the first half of its SHA-256.
class Fingerprint {
 public:
  void add(std::string_view fact) { add(hash(fact), false); }
  void remove(std::string_view fact) { add(hash(fact), true); }
  /// Adds all facts of another fingerprint.
  void add(const Fingerprint& other) { add(other.sum_, false); }
  /// 32 hex digits.
  std::string text() const;

  using Hash = std::array<std::uint64_t, 2>;
  static Hash hash(std::string_view fact);
  void add(const Hash& hash, bool negative);

 private:
  Hash sum_{0, 0};
};

/// The keys of a sweep's points, from all values of the machine, all options (including defaults), and the contents of
/// the files that a run reads. Points with equal keys are the same run.
class RunFingerprints {
 public:
  RunFingerprints(const Sweep& sweep, workloads::Places places);
  ~RunFingerprints();

  /// Throws UserError and ConfigError for missing or invalid files, and for a value of an axis that is out of range
  /// regardless of the others.
  std::string key(const Point& point, unsigned repeat);
  /// The value of a key on the machine of the point.
  config::Operand parameter(const Point& point, const std::string& key);

 private:
  struct Machine;
  struct Change;
  std::string config_of(const Point& point);
  Machine& machine(const std::string& config);
  /// The parameter values of a machine and, as an additional value, the contents of its plugins.
  std::vector<config::EffectiveValue> load_machine(const std::string& config,
                                                   const std::vector<std::string>& overrides);
  const Change& change(const std::string& config, Machine& machine, std::size_t axis, const AxisValue& value);
  /// The values of the parameters that name files, in the order of machine_files().
  using FileNames = std::vector<std::string>;
  FileNames add_machine(const Point& point, Fingerprint& sum);
  FileNames add_whole_machine(const std::string& config, const Point& point, Fingerprint& sum);
  /// Adds the contents of the files that the machine names and the point reads.
  void add_files(const Point& point, const FileNames& names, Fingerprint& sum);
  void add_job(const Point& point, unsigned repeat, Fingerprint& sum);
  const std::string& file_fact(const std::string& path);

  const Sweep& sweep_;
  const workloads::Places places_;
  const std::unique_ptr<workloads::Workload> workload_;
  config::Field options_;  // options of the job, with the values of the last point
  const Fingerprint::Hash job_fact_;
  std::map<std::string, std::unique_ptr<Machine>> machines_;  // by configuration
  std::map<std::string, std::string> designs_;  // configuration, by design
  const Fingerprint& option_fact(std::size_t place, const std::string& value, unsigned repeat);
  /// The dependencies that the workload declares.
  Fingerprint dependencies(const Point& point);

  std::map<std::string, Fingerprint> dependencies_;  // by the values of options that name files
  std::map<std::pair<std::size_t, std::string>, Fingerprint>
      named_facts_;  // by index in machine_files(), and file name
  struct OptionFact {
    std::string value;  // as given
    unsigned repeat = 0;
    bool is_known = false;
    Fingerprint fact;
  };
  std::vector<OptionFact> option_facts_;  // last fact of each option
  std::map<std::string, std::string> file_facts_;
};

/// The program that runs the points: its commit or, if it was built from modified sources, the hash of its own file.
std::string model_text();

}  // namespace spica::sweep
