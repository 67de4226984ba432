// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <optional>
#include <string>

namespace spica::opencl {

/// A program as clGetProgramInfo hands it out: code that has no addresses yet.
struct ProgramBinary {
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string built_for;  // _cl_device_id::built_for()
  std::string code;
};

std::string bytes_of(const ProgramBinary& binary);
/// std::nullopt: not a binary of this version of Spica, or damaged.
std::optional<ProgramBinary> binary_of(const std::string& bytes);

}  // namespace spica::opencl
