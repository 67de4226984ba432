// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/file_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "models/base/suggest.h"
#include "platform/base/config/expression.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::sweep {

using config::Node;

void FileReader::report(const config::Place& place, const std::string& path, const std::string& what,
                        const std::string& allowed) {
  problems_.push_back({place, path, what, allowed});
}

bool FileReader::is_map(const Node& node, const std::string& path) {
  if (node.kind == Node::Kind::kMap) return true;
  report(node, path, "it is a group of keys");
  return false;
}

void FileReader::check_keys(const Node& map, const std::string& path, const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (std::find(known.begin(), known.end(), map.keys[i]) == known.end())
      report(map.children[i], config::join(path, map.keys[i]),
             fmt::format("unknown key{}", base::did_you_mean(map.keys[i], known)),
             fmt::format("{}", fmt::join(known, ", ")));
}

std::string FileReader::text(const Node& node, const std::string& path) {
  if (node.kind == Node::Kind::kScalar) return node.scalar;
  report(node, path, "it is a single value");
  return {};
}

std::string FileReader::line(const Node& node, const std::string& path) {
  std::string value = text(node, path);
  if (input::printable(value) == value) return value;
  report(node, path,
         fmt::format("\"{}\" has a line end or another character that cannot be printed",
                     input::printable(value)),
         "text on one line");
  return {};
}

std::vector<std::string> FileReader::each(const Node& node, const std::string& path, ReadOne read) {
  if (node.kind != Node::Kind::kList) return {(this->*read)(node, path)};
  std::vector<std::string> result;
  for (std::size_t i = 0; i < node.children.size(); ++i)
    result.push_back((this->*read)(node.children[i], fmt::format("{}.{}", path, i)));
  return result;
}

std::vector<std::string> FileReader::texts(const Node& node, const std::string& path) {
  return each(node, path, &FileReader::text);
}

std::vector<std::string> FileReader::lines(const Node& node, const std::string& path) {
  return each(node, path, &FileReader::line);
}

std::uint64_t FileReader::number(const Node& node, const std::string& path, double lowest, double highest) {
  const config::Operand operand = config::operand_of(text(node, path));
  if (const double* value = std::get_if<double>(&operand))
    if (*value >= lowest && *value <= highest && std::floor(*value) == *value)
      return static_cast<std::uint64_t>(*value);
  report(node, path, fmt::format("\"{}\" is not a whole number in the allowed range", node.scalar),
         fmt::format("{}..{}", lowest, highest));
  return static_cast<std::uint64_t>(lowest);
}

std::vector<config::Expression> FileReader::conditions(const Node& map, const char* key) {
  std::vector<config::Expression> result;
  const Node* node = map.find(key);
  if (node == nullptr) return result;
  const std::vector<std::string> all = texts(*node, key);
  for (std::size_t i = 0; i < all.size(); ++i) try {
      result.emplace_back(all[i]);
    } catch (const input::UserError& error) {
      report(node->kind == Node::Kind::kList ? node->children[i] : *node, fmt::format("{}.{}", key, i),
             error.what());
    }
  return result;
}

}  // namespace spica::sweep
