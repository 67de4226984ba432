// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/fixed_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"

namespace spica::network {

namespace {

std::optional<std::int64_t> extent_of_text(const std::string& text) {
  const auto number = input::parse_number(text);
  if (!number || *number > static_cast<std::uint64_t>(kMaxElements)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// "1x128", "1x2x0x64"; "" and "scalar": no axes.
std::optional<Extents> parse_extents(const std::string& text) {
  Extents extents;
  if (text.empty() || text == "scalar") return extents;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    const auto extent = extent_of_text(text.substr(at, end - at));
    if (!extent) return std::nullopt;
    extents.push_back(*extent);
    at = end + 1;
  }
  return extents;
}

/// A declaration as the user would write it: "batchx128", "?" for an extent without a name.
std::string declared_text(const Value& value) {
  if (!value.declared) return "unknown";
  std::vector<std::string> parts;
  for (const Dimension& dimension : *value.declared)
    parts.push_back(dimension.extent           ? std::to_string(*dimension.extent)
                    : dimension.symbol.empty() ? "?"
                                               : dimension.symbol);
  return parts.empty() ? "scalar" : fmt::format("{}", fmt::join(parts, "x"));
}

class Fixer {
 public:
  Fixer(Graph& graph, const ShapeOptions& options) : graph_(graph) {
    for (const std::size_t input : graph_.inputs)
      if (graph_.values[input].declared)
        for (const Dimension& dimension : *graph_.values[input].declared)
          if (!dimension.extent && !dimension.symbol.empty())
            symbols_.emplace(dimension.symbol, std::nullopt);
    for (const std::string& option : options.symbols) take_symbol(option);
    for (const std::string& option : options.shapes) take_shape(option);
    for (const std::size_t input : graph_.inputs) fix(graph_.values[input]);
    if (!unset_.empty()) {
      const std::string first = *unset_.begin();
      errors_.push_back(
          fmt::format("extents are not set: {}; set them with --symbol {}=N or --shape INPUT=EXTENTS",
                      fmt::join(unset_, ", "), first.find(' ') == std::string::npos ? first : "NAME"));
    }
    if (!errors_.empty())
      throw input::UserError(graph_.file + ": " +
                             fmt::format("{}", fmt::join(errors_, "\n" + graph_.file + ": ")));
  }

 private:
  /// Name and value of NAME=VALUE; the name is all up to the last '='.
  static std::pair<std::string, std::string> parts_of(const std::string& option) {
    const std::size_t at = option.rfind('=');
    if (at == std::string::npos) return {option, ""};
    return {option.substr(0, at), option.substr(at + 1)};
  }

  void set_symbol(const std::string& name, std::int64_t extent) {
    std::optional<std::int64_t>& known = symbols_[name];
    if (known && *known != extent)
      errors_.push_back(fmt::format("symbol '{}' is {} and {}", name, *known, extent));
    known = extent;
  }

  void take_symbol(const std::string& option) {
    const auto [name, text] = parts_of(option);
    const auto extent = extent_of_text(text);
    if (!extent) return errors_.push_back(fmt::format("--symbol {}: expected NAME=NUMBER", option));
    if (symbols_.count(name) == 0) {
      std::vector<std::string> names;
      for (const auto& [known, value] : symbols_) names.push_back(known);
      return errors_.push_back(
          fmt::format("--symbol {}: unknown symbol; symbols of the model: {}", option,
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    set_symbol(name, *extent);
  }

  void take_shape(const std::string& option) {
    const auto [name, text] = parts_of(option);
    const auto extents = parse_extents(text);
    if (!extents || option.rfind('=') == std::string::npos)
      return errors_.push_back(fmt::format("--shape {}: expected INPUT=EXTENTS, such as ids=1x128", option));
    const auto input =
        std::find_if(graph_.inputs.begin(), graph_.inputs.end(),
                     [&, &known = name](std::size_t value) { return graph_.values[value].name == known; });
    if (input == graph_.inputs.end()) {
      std::vector<std::string> names;
      for (const std::size_t value : graph_.inputs) names.push_back(graph_.values[value].name);
      return errors_.push_back(
          fmt::format("--shape {}: unknown input; inputs of the model: {}", option, fmt::join(names, ", ")));
    }
    Value& value = graph_.values[*input];
    if (value.extents && *value.extents != *extents)
      errors_.push_back(fmt::format("--shape {}: it is also {}", option, extents_text(*value.extents)));
    value.extents = *extents;
    if (!value.declared) return;
    bool fits = value.declared->size() == extents->size();
    for (std::size_t i = 0; fits && i < extents->size(); ++i) {
      const Dimension& dimension = (*value.declared)[i];
      fits = !dimension.extent || *dimension.extent == (*extents)[i];
      if (!dimension.extent && !dimension.symbol.empty()) set_symbol(dimension.symbol, (*extents)[i]);
    }
    if (!fits)
      errors_.push_back(fmt::format("--shape {}: the model declares {}", option, declared_text(value)));
  }

  void fix(Value& value) {
    if (!value.extents) {
      if (!value.declared) {
        unset_.insert(fmt::format("all of input '{}'", value.name));
        return;
      }
      Extents extents;
      for (std::size_t i = 0; i < value.declared->size(); ++i) {
        const Dimension& dimension = (*value.declared)[i];
        const auto symbol = symbols_.find(dimension.symbol);
        if (dimension.extent) extents.push_back(*dimension.extent);
        else if (symbol != symbols_.end() && symbol->second) extents.push_back(*symbol->second);
        else
          unset_.insert(dimension.symbol.empty() ? fmt::format("axis {} of input '{}'", i, value.name)
                                                 : dimension.symbol);
      }
      if (extents.size() == value.declared->size()) value.extents = std::move(extents);
    }
    if (!value.extents) return;
    try {
      element_count(*value.extents);
    } catch (const input::UserError& error) {
      errors_.push_back(fmt::format("input '{}': {}", value.name, error.what()));
    }
  }

  Graph& graph_;
  std::map<std::string, std::optional<std::int64_t>> symbols_;
  std::set<std::string> unset_;
  std::vector<std::string> errors_;
};

}  // namespace

void fix_shapes(Graph& graph, const ShapeOptions& options) { Fixer(graph, options); }

}  // namespace spica::network
