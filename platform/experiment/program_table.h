// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/config/field.h"
#include "platform/json/value.h"

namespace spica::experiment {

/// What a value of an axis is to the program.
enum class ArgumentKind : std::uint8_t {
  kNone,    // nothing
  kNumber,  // the value itself
  kPlace,   // its place in the list, from 0
};
inline constexpr base::Choices kArgumentKinds{base::Choice<ArgumentKind>{"none", ArgumentKind::kNone},
                                              base::Choice<ArgumentKind>{"number", ArgumentKind::kNumber},
                                              base::Choice<ArgumentKind>{"place", ArgumentKind::kPlace}};

/// A column of an experiment with a program of its own: the program runs once for each combination of their values.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  std::string config;
  ArgumentKind argument = ArgumentKind::kNone;

  static constexpr std::string_view kRequired[] = {"name", "values"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name, "of the column");
    field.list("values", p.values, "one after the other; the first axis changes slowest");
    field(
        "config", p.config,
        "the configuration that goes with a value, {} being the value; empty: the machine is another axis's matter");
    field(
        "argument", p.argument, kArgumentKinds,
        "what the program gets in its argument block, 32 bits per axis: none, number: the value, place: its place "
        "in the list from 0",
        "");
  }
  static void check(const Axis& axis, const config::Contradiction& contradiction);
};

/// Numbers of 32 bits that the program leaves in memory, as many as it prints in "samples: N": the row gets their
/// minimum, median, 90 % quantile, maximum and histogram.
struct Samples {
  std::uint64_t address = 0;
  std::uint64_t most = 0;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("address", p.address, "", base::Range{0, 0xFFFF'FFFF}, "of the first one", "");
    field("most", p.most, "numbers", base::Range{0, 1 << 24}, "so many are kept; 0: there are none", "");
  }
};

/// Adds the columns "min", "median", "p90", "max" and "histogram": pairs of a value from which on and how many, in steps of
/// an eighth of the power of two. `file`: the numbers, little-endian; `count`: how many.
void add_samples(const std::filesystem::path& file, std::uint64_t count, json::Value& columns);

/// A run of the program.
struct ProgramCell {
  std::vector<std::string> values;  // of each axis
  std::string config;
  std::string arguments;  // as --args takes them
  std::string name;  // the values but that of the configuration, joined by "-"
};

/// All combinations.
std::vector<ProgramCell> program_cells(const std::vector<Axis>& axes);

}  // namespace spica::experiment
