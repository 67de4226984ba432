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

/// A parameter of an OpenCL kernel, as clGetKernelArgInfo() has it, and its place in the argument block. A __local
/// pointer is a byte offset in the memory behind the static variables of the work group.
struct KernelParameter {
  std::string name, type;  // type: "float*", "uint4"
  std::uint32_t offset = 0, bytes = 0;  // head included
  std::string address_space;  // private, global, constant, local
  std::string access;  // none, read_only, write_only, read_write
  std::string qualifiers;  // of const, restrict, volatile, with blanks between them

  bool is_local() const { return address_space == "local"; }
};

/// A function of a program that runs as a grid of work groups (SPICA_KERNEL of spica/group.h), and the resources of a
/// work group.
struct Kernel {
  std::string name;
  std::uint32_t entry = 0;  // address of the function
  std::uint32_t threads = 1;  // threads of a work group; 0: set by the launch
  std::uint32_t shared_bytes = 0;
  bool open_shared = false;  // the launch may add shared memory (extern __shared__)
  std::uint32_t registers = 64;  // registers of a thread
  std::uint32_t barriers = 1;
  std::optional<Structure> arguments;  // for a kernel function with parameters (spica/cuda.h)
  std::uint32_t head_bytes =
      0;  // of the argument block before the arguments; zeros where the launch sets none
  std::vector<KernelParameter> parameters;  // of an OpenCL kernel
  std::array<std::uint32_t, 3> required_block{};  // the only extents of a work group; zeros: any
  std::uint32_t private_bytes = 0;  // of its own stack frame; 0 also where the compiler has not noted it
  std::string attributes;  // of an OpenCL kernel: "reqd_work_group_size(64,1,1)"
  std::uint32_t matrix_unit = 0;  // 1: a work group owns those of its cluster
};

/// The kernels of a program.
struct Kernels {
  std::vector<Kernel> all;  // by name
  std::uint32_t startup = 0;  // start address of the warps of work groups
  bool has_main = true;  // the program also runs without a grid

  /// Throws UserError that lists the kernels, if there is none of that name.
  const Kernel& find(const std::string& name, const std::string& program) const;
};

/// Finds kernels by notes and symbols. Throws UserError if the program has notes of kernels but was stripped of
/// symbols.
Kernels kernels_of(const Program& program);

/// The extents of a work group as given for a launch: "256", "16x16", or "256,4096" with bytes of shared memory for
/// arrays of open length.
struct BlockExtent {
  std::array<std::uint32_t, 3> threads{1, 1, 1};
  std::optional<std::uint32_t> shared_bytes;
};
BlockExtent parse_block(const std::string& what, const std::string& text);

/// Parses "4", "4x2" or "4x2x1" into x, y, z; `what` names the option in messages. Throws UserError.
std::array<std::uint32_t, 3> parse_extent(const std::string& what, const std::string& text);

}  // namespace spica::loader
