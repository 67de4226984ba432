// SPDX-License-Identifier: Apache-2.0
#include "platform/run/printed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/machine.h"
#include "platform/run/results.h"
#include "platform/run/run_facts.h"

namespace spica::job {

json::Value printed_numbers(const std::string& console) {
  static const text::Pattern form(R"(([a-z][a-z0-9_]*): (-?\d{1,18}(\.\d+)?))");
  auto numbers = json::Value::object();
  std::istringstream stream(console);
  for (std::string line; std::getline(stream, line);) {
    constexpr std::size_t kLongest = 200;  // a matcher calls itself for each character
    if (line.size() > kLongest) continue;
    const auto parts = form.match(line);
    if (!parts) continue;
    if (!parts->at(3).empty()) numbers[parts->at(1)] = std::stod(parts->at(2));
    else numbers[parts->at(1)] = std::stoll(parts->at(2));
  }
  return numbers;
}

json::Value sample_statistics(std::vector<std::uint32_t> samples) {
  json::Value result{{"count", samples.size()}};
  if (samples.empty()) return result;
  std::sort(samples.begin(), samples.end());
  // The smallest one that this share of all does not exceed.
  const auto quantile = [&](double share) {
    return samples[static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples.size()))) - 1];
  };
  result["min"] = samples.front();
  result["median"] = quantile(0.5);
  result["p90"] = quantile(0.9);
  result["max"] = samples.back();
  auto histogram = json::Value::array();
  for (std::size_t i = 0; i < samples.size();) {
    const std::uint32_t value = samples[i],
                        top = value < 8 ? 8 : std::uint32_t{1} << (31 - __builtin_clz(value));
    const std::uint32_t from = value / (top / 8) * (top / 8);
    const auto end = std::lower_bound(samples.begin() + static_cast<std::ptrdiff_t>(i), samples.end(),
                                      std::uint64_t{from} + top / 8);
    const auto next = static_cast<std::size_t>(end - samples.begin());
    histogram.push_back({from, next - i});
    i = next;
  }
  result["histogram"] = std::move(histogram);
  return result;
}

SampleRange parse_samples(const std::string& text) {
  const std::size_t plus = std::min(text.find('+'), text.size());
  const auto address = input::parse_number(text.substr(0, plus));
  const auto most = input::parse_number(text.substr(std::min(plus + 1, text.size())));
  constexpr std::uint64_t kMost = 1 << 24;
  if (!address || most.value_or(0) == 0 || most.value_or(0) > kMost)
    throw input::UserError(fmt::format(
        "--samples \"{}\": expected ADDRESS+COUNT with at most {} samples, for example 0xC1000000+4096", text,
        kMost));
  return {address.value_or(0), most.value_or(0)};
}

RunFigures own_figures(const RunFacts& run) {
  RunFigures figures;
  session::Session& session = run.session;
  if (!session.fast() && !run.outcome.broken())
    figures.utilisation = busiest_units(session.measured(), run.outcome.kernel_cycles);
  json::Value printed = printed_numbers(run.console);
  if (!run.options.samples.empty()) {
    const SampleRange range = parse_samples(run.options.samples);
    const auto said = printed.find("samples");
    const auto count = said != printed.end() && said->is_number_integer()
                           ? std::max<std::int64_t>(0, said->get<std::int64_t>())
                           : 0;
    std::vector<std::uint32_t> samples(std::min(static_cast<std::uint64_t>(count), range.most));
    const std::uint64_t bytes = samples.size() * sizeof(std::uint32_t);
    soc::read_memory(session.machine(), range.address, samples.data(), bytes);
    figures.details["samples"] = sample_statistics(std::move(samples));
  }
  if (!printed.empty()) figures.details["printed"] = std::move(printed);
  return figures;
}

}  // namespace spica::job
