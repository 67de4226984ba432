// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/opencl/driver/event.h"
#include "platform/opencl/driver/memory.h"
#include "platform/opencl/driver/program.h"

namespace spica::opencl {

/// The index space of a launch.
struct NdRange {
  cl_uint dimensions = 1;
  std::array<std::size_t, 3> offset{}, global{1, 1, 1};
  std::optional<std::array<std::size_t, 3>> local;  // std::nullopt: the driver chooses
};

/// The first part of each argument block; kernels read it (global offset, dimensions).
struct ArgumentHead {
  std::uint32_t offset[3], dimensions, flags, print, reserved[2];
};
static_assert(sizeof(ArgumentHead) == 32);

}  // namespace spica::opencl

/// A kernel with its arguments.
struct _cl_kernel final : spica::opencl::Object<_cl_kernel, CL_INVALID_KERNEL> {
  /// Throws CL_INVALID_KERNEL_NAME, CL_INVALID_PROGRAM_EXECUTABLE.
  _cl_kernel(_cl_program& owner, const std::string& name);
  /// With the present arguments of another one.
  explicit _cl_kernel(const _cl_kernel& other);
  ~_cl_kernel();

  /// clSetKernelArg. Throws ClError.
  void set(cl_uint index, std::size_t bytes, const void* value);
  /// The launch of the kernel with its present arguments. Throws ClError for what the machine or the standard
  /// does not allow.
  spica::opencl::Work work(cl_device_id device, const spica::opencl::NdRange& range) const;

  /// Work items of a group: the limit of the device. Throws CL_INVALID_DEVICE.
  std::size_t max_group_items(cl_device_id device) const;
  /// Shared memory of a group with the present arguments.
  std::uint64_t local_bytes() const { return description().local_bytes + local_argument_bytes(); }

  const spica::opencl::KernelDescription& description() const { return *description_; }

  const spica::opencl::Ref<_cl_program> program;

 private:
  struct Value {
    bool is_set = false;
    std::vector<std::uint8_t> bytes;  // of a value
    spica::opencl::Ref<_cl_mem> buffer;  // of a pointer; null: a null pointer
    std::size_t local_bytes = 0;
  };

  std::uint64_t local_argument_bytes() const;
  std::vector<std::uint8_t> block(cl_device_id device, const spica::opencl::NdRange& range) const;

  std::shared_ptr<const spica::opencl::Executable> executable_;  // it has description_
  const spica::opencl::KernelDescription* description_ = nullptr;
  std::vector<Value> values_;
};
