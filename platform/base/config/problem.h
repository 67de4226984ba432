// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace spica::config {

/// Where a value was written: a line of a file, the n-th `--set` of the command line, or nowhere
/// (the default in the parameter struct).
struct Place {
  std::string file;                 // as shown to users; empty for --set and defaults
  std::size_t line = 0;             // counted from 1; 0: the file as a whole
  std::size_t column = 0;           // counted from 1; 0: the whole line
  std::size_t override_number = 0;  // counted from 1; 0: not set by --set

  bool is_default() const { return file.empty() && override_number == 0; }
  /// "configs/virgo.yaml:7", "--set #1" or "default".
  std::string text() const;
};

/// Order in which problems are shown: files by name and line, then --set by number.
bool operator<(const Place& a, const Place& b);

/// One problem of a configuration.
struct Problem {
  Place place;
  std::string key;  // dotted path, or several separated by ", "; may be empty
  std::string what;
  std::string allowed;  // may be empty

  /// "file:line: key.path: what; allowed: ...", one printable line
  std::string text() const;
};

/// A wrong user configuration. Contains every problem, sorted by place, without duplicates; what() has one line for
/// each. The command line returns exit code 2.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace spica::config
