// SPDX-License-Identifier: Apache-2.0
#include "platform/experiment/program_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/loader/number_text.h"

namespace spica::experiment {

namespace {

ProgramCell cell_of(const std::vector<Axis>& axes, const std::vector<std::size_t>& places) {
  ProgramCell cell;
  std::vector<std::string> arguments, names;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string& value = axes[i].values[places[i]];
    cell.values.push_back(value);
    if (axes[i].config.empty()) names.push_back(value);
    else cell.config = boost::replace_all_copy(axes[i].config, "{}", value);
    if (axes[i].argument == ArgumentKind::kNumber) arguments.push_back("u32:" + value);
    if (axes[i].argument == ArgumentKind::kPlace) arguments.push_back(fmt::format("u32:{}", places[i]));
  }
  cell.arguments = fmt::format("{}", fmt::join(arguments, ","));
  cell.name = fmt::format("{}", fmt::join(names, "-"));
  return cell;
}

}  // namespace

void Axis::check(const Axis& axis, const config::Contradiction& contradiction) {
  if (axis.values.empty()) contradiction({"values"}, "an axis needs a value");
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const std::string& value = axis.values[i];
    if (std::count(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i), value) != 0)
      contradiction({fmt::format("values.{}", i)}, "given twice");
    if (axis.argument == ArgumentKind::kNumber && !loader::parse_number(value))
      contradiction({fmt::format("values.{}", i)}, "the program gets it as a number, and it is none");
  }
}

void add_samples(const std::filesystem::path& file, std::uint64_t count, json::Value& columns) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::uint32_t> samples(count);
  stream.read(reinterpret_cast<char*>(samples.data()),
              static_cast<std::streamsize>(count * sizeof(std::uint32_t)));
  samples.resize(static_cast<std::size_t>(stream.gcount()) / sizeof(std::uint32_t));
  if (samples.empty()) return;
  std::sort(samples.begin(), samples.end());
  // The smallest one that this share of all does not exceed.
  const auto quantile = [&](double share) {
    return samples[static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples.size()))) - 1];
  };
  columns["min"] = samples.front();
  columns["median"] = quantile(0.5);
  columns["p90"] = quantile(0.9);
  columns["max"] = samples.back();
  auto histogram = json::Value::array();
  for (std::size_t i = 0; i < samples.size();) {
    const std::uint32_t value = samples[i],
                        top = value < 8 ? 8 : std::uint32_t{1} << (31 - __builtin_clz(value));
    const std::uint32_t from = value / (top / 8) * (top / 8);
    const auto end =
        std::lower_bound(samples.begin() + static_cast<std::ptrdiff_t>(i), samples.end(), from + top / 8);
    const auto next = static_cast<std::size_t>(end - samples.begin());
    histogram.push_back({from, next - i});
    i = next;
  }
  columns["histogram"] = std::move(histogram);
}

std::vector<ProgramCell> program_cells(const std::vector<Axis>& axes) {
  std::vector<ProgramCell> cells;
  std::vector<std::size_t> places(axes.size(), 0);
  while (true) {
    cells.push_back(cell_of(axes, places));
    std::size_t axis = axes.size();
    while (axis != 0 && ++places[axis - 1] == axes[axis - 1].values.size()) places[--axis] = 0;
    if (axis == 0) return cells;
  }
}

}  // namespace spica::experiment
