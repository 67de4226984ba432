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

/// 128 bits that name what a run depends on. A sum of the hashes of single facts ("key=value" lines), so that the order
/// of facts does not matter and one that changes is exchanged without hashing the rest again. Each fact's hash is the
/// first half of its SHA-256.
class Fingerprint {
 public:
  void add(std::string_view fact) { add(hash(fact), false); }
  void remove(std::string_view fact) { add(hash(fact), true); }
  /// Adds all facts of another sum.
  void add(const Fingerprint& other) { add(other.sum_, false); }
  /// 32 hex digits.
  std::string text() const;

  using Hash = std::array<std::uint64_t, 2>;
  static Hash hash(std::string_view fact);
  void add(const Hash& hash, bool negative);

 private:
  Hash sum_{0, 0};
};

/// The keys of a sweep's points: every value of the machine and every option (also those that are the default), and
/// what is in the files that a run depends on. Two points with one key are the same run.
class PointKeys {
 public:
  PointKeys(const Sweep& sweep, workloads::Places places);
  ~PointKeys();

  /// Throws UserError and ConfigError for files that are missing or wrong, and for a value of an axis that is out of
  /// its range, whatever the others are.
  std::string key(const Point& point, unsigned repeat);
  /// The value of a key on the machine of the point.
  config::Operand parameter(const Point& point, const std::string& key);

 private:
  struct Machine;
  struct Change;
  std::string config_of(const Point& point);
  Machine& machine(const std::string& config);
  /// The values of a machine and, as one more, what its plugins contain.
  std::vector<config::EffectiveValue> load_machine(const std::string& config,
                                                   const std::vector<std::string>& overrides);
  const Change& change(const std::string& config, Machine& machine, std::size_t axis, const AxisValue& value);
  /// What parameters of a machine have that name files, in the order of machine_files().
  using FileNames = std::vector<std::string>;
  FileNames add_machine(const Point& point, Fingerprint& sum);
  FileNames add_whole_machine(const std::string& config, const Point& point, Fingerprint& sum);
  /// What is in the files that the machine names and the point reads.
  void add_files(const Point& point, const FileNames& names, Fingerprint& sum);
  void add_job(const Point& point, unsigned repeat, Fingerprint& sum);
  const std::string& file_fact(const std::string& path);

  const Sweep& sweep_;
  const workloads::Places places_;
  const std::unique_ptr<workloads::Workload> workload_;
  config::Field options_;  // its own, whose values are those of the last point that was looked at
  const Fingerprint::Hash job_fact_;
  std::map<std::string, std::unique_ptr<Machine>> machines_;  // by configuration
  std::map<std::string, std::string> designs_;  // configuration of a design
  const Fingerprint& option_fact(std::size_t place, const std::string& value, unsigned repeat);
  /// What the workload says that it depends on.
  Fingerprint dependencies(const Point& point);

  std::map<std::string, Fingerprint> dependencies_;  // by the options that name files
  std::map<std::pair<std::size_t, std::string>, Fingerprint>
      named_facts_;  // by place in machine_files() and name
  struct OptionFact {
    std::string value;  // as given
    unsigned repeat = 0;
    bool is_known = false;
    Fingerprint fact;
  };
  std::vector<OptionFact> option_facts_;  // the last one of each option
  std::map<std::string, std::string> file_facts_;
};

/// The program that runs the points: its commit, or, built from sources that differ from it, the hash of its own file.
std::string model_text();

}  // namespace spica::sweep
