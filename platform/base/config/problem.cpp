// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "platform/base/config/node.h"
#include "platform/base/input/printable.h"

namespace spica::config {
namespace {

std::vector<Problem> sorted(std::vector<Problem> problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    if (a.place < b.place) return true;
    if (b.place < a.place) return false;
    return a.key < b.key;
  });
  const auto same = [](const Problem& a, const Problem& b) { return a.text() == b.text(); };
  problems.erase(std::unique(problems.begin(), problems.end(), same), problems.end());
  return problems;
}

std::string lines(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.text();
  }
  return text;
}

}  // namespace

std::string Place::text() const {
  if (override_number != 0) return fmt::format("--set #{}", override_number);
  if (file.empty()) return "default";
  std::string shown = input::printable(file);
  if (line == 0) return shown;
  if (column == 0) return fmt::format("{}:{}", shown, line);
  return fmt::format("{}:{}:{}", shown, line, column);
}

bool operator<(const Place& a, const Place& b) {
  return std::tie(a.override_number, a.file, a.line, a.column) <
         std::tie(b.override_number, b.file, b.line, b.column);
}

std::string Problem::text() const {
  std::string text = place.text() + ": ";
  if (!key.empty()) text += shown_path(key) + ": ";
  text += what;
  if (!allowed.empty()) text += "; allowed: " + allowed;
  return input::printable(text);
}

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(lines(sorted(problems))), problems_(sorted(std::move(problems))) {}

}  // namespace spica::config
