// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/machine/soc/key_of.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::microbench {

/// Parameters have 64 bits; programs receive the low 32, and formulas use double.
inline std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
inline double number(std::uint64_t value) { return static_cast<double>(value); }

/// A number with its derivation: "request_latency 1 + read_latency 2".
struct Formula {
  double value = 0;
  std::string text;

  Formula& add(std::string_view name, double amount) {
    if (!text.empty()) text += " + ";
    text += name.empty() ? fmt::format("{:g}", amount) : fmt::format("{} {:g}", name, amount);
    value += amount;
    return *this;
  }
  Formula& add(const Formula& other) {
    if (!text.empty()) text += " + ";
    text += other.text;
    value += other.value;
    return *this;
  }
};

/// The name of a parameter or a block in formulas: its key, for a cluster's without the cluster's key.
template <class Parameter>
std::string label(const soc::SocParams& p, const Parameter& parameter) {
  const std::string key = key_of(p, parameter), cluster = key_of(p, p.cluster) + ".";
  return key.rfind(cluster, 0) == 0 ? key.substr(cluster.size()) : key;
}

inline Formula term(std::string_view name, double amount) { return Formula{}.add(name, amount); }
inline Formula largest(const Formula& a, const Formula& b) {
  return {std::max(a.value, b.value), fmt::format("max({}; {})", a.text, b.text)};
}
inline Formula smallest(const Formula& a, const Formula& b) {
  return {std::min(a.value, b.value), fmt::format("min({}; {})", a.text, b.text)};
}
inline Formula quotient(double numerator, const Formula& denominator) {
  return {numerator / denominator.value, fmt::format("{:g} / ({})", numerator, denominator.text)};
}
inline Formula product(double factor, std::string_view name, const Formula& other) {
  return {factor * other.value, fmt::format("{} {:g} * ({})", name, factor, other.text)};
}

/// The bus or crossbar to the level 2 cache: its latencies, its bytes per cycle for one cluster, and their keys.
struct L2Link {
  std::uint64_t request_latency, response_latency, bytes;
  std::string request_key, response_key, bytes_key;
};
L2Link l2_link(const soc::SocParams& p);

// The paths through the machine, in cycles, for a single request. Blocks see a request one cycle after it was sent,
// which gives the constants 1.

/// For a single warp: from the fetch of an instruction to the fetch of the next.
Formula fetch_period(const soc::SocParams& p);
/// From an instruction's issue to the issue of one that needs its result; `latency`: the unit's.
Formula unit_latency(const soc::SocParams& p, std::string_view name, std::uint64_t latency);
/// From a load's issue to the issue of an instruction that needs its data.
Formula shared_load(const soc::SocParams& p);
Formula l1_load(const soc::SocParams& p);
Formula l2_load(const soc::SocParams& p);
/// True if the formulas with DRAM times apply to the memory: devices without bank groups whose burst is one line.
bool knows_memory(const soc::SocParams& p);
/// `dram`: time of the device in cycles of the machine.
Formula dram_load(const soc::SocParams& p, const Formula& dram);
/// The additional latency of a level 1 miss that hits in the L2.
enum class Level1 { kInstructions, kData };
Formula l1_miss(const soc::SocParams& p, Level1 which);
/// From the miss of a fetch in the instruction cache of a core to its replay, on a hit in that of the cluster.
Formula shared_instruction_hit(const soc::SocParams& p);
/// The additional latency of an L2 miss.
Formula l2_miss(const soc::SocParams& p, const Formula& dram);

/// Cycles of the L2's bank for `bytes` from DRAM in requests of `request` bytes. A line costs the look-up of its first
/// request, the fill (in parallel with sub-banks) and a replay. Each further request is a hit, or costs a look-up and a
/// replay if it precedes the fill: half of them each are assumed.
Formula l2_bank_cycles(const soc::SocParams& p, double bytes, double request);

/// DRAM clocks as whole cycles of the machine.
Formula dram_cycles(const soc::SocParams& p, const Formula& clocks);

/// Cycles for `bytes` on a path of `width` bytes per cycle.
inline double beats(std::uint64_t bytes, std::uint64_t width) {
  const std::uint64_t whole = (bytes + width - 1) / width;
  return static_cast<double>(whole);
}

}  // namespace spica::microbench
