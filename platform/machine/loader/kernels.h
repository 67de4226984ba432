// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// A function of a program that runs as a grid of work groups (SPICA_KERNEL of spica/group.h), and what a work group
/// needs.
struct Kernel {
  std::string name;
  std::uint32_t entry = 0;  // address of the function
  std::uint32_t threads = 1;  // 0: set by the launch
  std::uint32_t shared_bytes = 0;
  bool open_shared = false;  // and what the launch adds to it (extern __shared__)
  std::uint32_t registers = 64;  // of a thread
  std::uint32_t barriers = 1;
  std::optional<Structure> arguments;  // of a function of its own arguments (spica/cuda.h)
  std::uint32_t matrix_unit = 0;  // 1: those of the cluster are a work group's own
};

/// What the kernels of a program are and where their warps start.
struct Kernels {
  std::vector<Kernel> all;  // by name
  std::uint32_t startup = 0;  // where warps of work groups start
  bool has_main = true;  // it can also be run without one

  /// Throws UserError that names those there are.
  const Kernel& find(const std::string& name, const std::string& program) const;
};

/// Finds kernels by notes and symbols. Throws UserError when it has notes of kernels and its symbols were removed.
Kernels kernels_of(const Program& program);

/// A work group as a launch says it: "256", "16x16", and with bytes of shared memory for arrays whose length is open,
/// "256,4096".
struct BlockExtent {
  std::array<std::uint32_t, 3> threads{1, 1, 1};
  std::optional<std::uint32_t> shared_bytes;
};
BlockExtent parse_block(const std::string& what, const std::string& text);

/// "4", "4x2" or "4x2x1" as x, y, z; `what`: the option, for messages. Throws UserError.
std::array<std::uint32_t, 3> parse_extent(const std::string& what, const std::string& text);

}  // namespace spica::loader
