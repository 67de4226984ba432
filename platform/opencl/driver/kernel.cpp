// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/kernel.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "platform/opencl/driver/work_groups.h"

using spica::opencl::ArgumentHead;
using spica::opencl::ClError;
using spica::opencl::KernelArgument;
using spica::opencl::KernelDescription;
using spica::opencl::KernelWork;
using spica::opencl::NdRange;
using spica::opencl::Ref;
using spica::opencl::report_error;
using spica::opencl::require;
using spica::opencl::Work;

namespace {

constexpr std::size_t kLocalAlignment = 16;  // of each __local argument; that of float4

std::size_t rounded(std::size_t bytes) {
  return (bytes + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
}

bool is_pointer(const KernelArgument& argument) {
  return argument.space == CL_KERNEL_ARG_ADDRESS_GLOBAL || argument.space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
}

void put(std::vector<std::uint8_t>& block, std::uint32_t offset, std::uint32_t value) {
  std::memcpy(block.data() + offset, &value, sizeof value);
}

/// Throws an error of the standard, and reports the reason with the limit of the machine.
void demand(bool is_met, cl_int error, const std::string& kernel, const std::string& reason) {
  if (is_met) return;
  report_error("kernel " + kernel + ": " + reason);
  throw ClError(error);
}

std::array<std::size_t, 3> local_size_of(const KernelDescription& kernel, const NdRange& range,
                                         std::size_t limit, std::size_t lanes) {
  const auto& needed = kernel.required_local;
  const std::array<std::size_t, 3> required{needed[0], needed[1], needed[2]};
  if (range.local) {
    require(needed[0] == 0 || *range.local == required, CL_INVALID_WORK_GROUP_SIZE);
    return *range.local;
  }
  if (needed[0] != 0) return required;
  return spica::opencl::chosen_local_size(range.global, limit, lanes);
}

/// The sizes of a launch, which fit into the machine.
void set_sizes(spica::opencl::Launch& launch, const NdRange& range, const std::array<std::size_t, 3>& local,
               std::size_t limit) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::size_t items = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    require(local[axis] != 0, CL_INVALID_WORK_GROUP_SIZE);
    demand(local[axis] <= limit, CL_INVALID_WORK_ITEM_SIZE, launch.kernel,
           std::to_string(local[axis]) +
               " work items in one dimension of a work group; the device has at most " +
               std::to_string(limit));
    require(range.global[axis] % local[axis] == 0, CL_INVALID_WORK_GROUP_SIZE);
    require(range.global[axis] <= kMost, CL_INVALID_GLOBAL_WORK_SIZE);
    require(range.offset[axis] <= kMost - range.global[axis], CL_INVALID_GLOBAL_OFFSET);
    launch.groups[axis] = static_cast<std::uint32_t>(range.global[axis] / local[axis]);
    launch.local[axis] = static_cast<std::uint32_t>(local[axis]);
    items *= local[axis];
  }
  demand(items <= limit, CL_INVALID_WORK_GROUP_SIZE, launch.kernel,
         "a work group of " + std::to_string(items) + " work items; the device has at most " +
             std::to_string(limit));
}

}  // namespace

_cl_kernel::_cl_kernel(_cl_program& owner, const std::string& name)
    : program(&owner), executable_(owner.any_executable()) {
  for (const KernelDescription& kernel : executable_->kernels())
    if (kernel.name == name) description_ = &kernel;
  require(description_ != nullptr, CL_INVALID_KERNEL_NAME);
  values_.resize(description_->arguments.size());
  ++program->kernels;
}

_cl_kernel::_cl_kernel(const _cl_kernel& other)
    : Object(),
      program(other.program),
      executable_(other.executable_),
      description_(other.description_),
      values_(other.values_) {
  ++program->kernels;
}

_cl_kernel::~_cl_kernel() { --program->kernels; }

void _cl_kernel::set(cl_uint index, std::size_t bytes, const void* value) {
  require(index < values_.size(), CL_INVALID_ARG_INDEX);
  const KernelArgument& argument = description().arguments[index];
  Value set{true, {}, nullptr, 0};
  if (argument.space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    require(bytes != 0, CL_INVALID_ARG_SIZE);
    require(value == nullptr, CL_INVALID_ARG_VALUE);
    set.local_bytes = bytes;
  } else if (is_pointer(argument)) {
    require(bytes == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
    cl_mem buffer = nullptr;
    if (value != nullptr) std::memcpy(static_cast<void*>(&buffer), value, sizeof(cl_mem));
    if (buffer != nullptr) {
      set.buffer = Ref<_cl_mem>(&_cl_mem::of(buffer));
      require(set.buffer->context == program->context, CL_INVALID_MEM_OBJECT);
    }
  } else {
    require(bytes == argument.bytes, CL_INVALID_ARG_SIZE);
    require(value != nullptr, CL_INVALID_ARG_VALUE);
    const auto* const from = static_cast<const std::uint8_t*>(value);
    set.bytes.assign(from, from + bytes);
  }
  values_[index] = std::move(set);
}

std::uint64_t _cl_kernel::local_argument_bytes() const {
  std::uint64_t sum = 0;
  for (const Value& value : values_) sum += rounded(value.local_bytes);
  return sum;
}

std::size_t _cl_kernel::max_group_items(cl_device_id device) const {
  require(program->context->has(device), CL_INVALID_DEVICE);
  return device->facts().max_group_items;
}

std::vector<std::uint8_t> _cl_kernel::block(cl_device_id device, const NdRange& range) const {
  ArgumentHead head{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    head.offset[axis] = static_cast<std::uint32_t>(range.offset[axis]);
  head.dimensions = range.dimensions;
  std::vector<std::uint8_t> block(sizeof head);
  std::memcpy(block.data(), &head, sizeof head);
  std::uint32_t local = 0;  // behind the kernel's own variables
  for (std::size_t index = 0; index < values_.size(); ++index) {
    const KernelArgument& argument = description().arguments[index];
    const Value& value = values_[index];
    const std::size_t end = argument.offset + std::max<std::size_t>(argument.bytes, sizeof(std::uint32_t));
    block.resize(std::max(block.size(), end));
    if (argument.space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
      put(block, argument.offset, local);
      local += static_cast<std::uint32_t>(rounded(value.local_bytes));
    } else if (is_pointer(argument)) {
      put(block, argument.offset,
          value.buffer == nullptr ? 0 : static_cast<std::uint32_t>(value.buffer->address(device)));
    } else {
      std::copy(value.bytes.begin(), value.bytes.end(), block.begin() + argument.offset);
    }
  }
  return block;
}

Work _cl_kernel::work(cl_device_id device, const NdRange& range) const {
  KernelWork work;
  work.executable = program->executable(device);
  require(work.executable != nullptr, CL_INVALID_PROGRAM_EXECUTABLE);
  for (const Value& value : values_) require(value.is_set, CL_INVALID_KERNEL_ARGS);
  spica::opencl::Launch& launch = work.launch;
  launch.kernel = description().name;
  const std::size_t limit = max_group_items(device);
  set_sizes(launch, range, local_size_of(description(), range, limit, device->facts().warp_lanes), limit);
  demand(local_bytes() <= device->facts().local_bytes, CL_OUT_OF_RESOURCES, launch.kernel,
         std::to_string(local_bytes()) + " bytes of local memory for a work group; the device has " +
             std::to_string(device->facts().local_bytes));
  demand(description().private_bytes <= device->facts().private_bytes, CL_OUT_OF_RESOURCES, launch.kernel,
         std::to_string(description().private_bytes) +
             " bytes of private memory for a work item; the device has " +
             std::to_string(device->facts().private_bytes) + ": use fewer or smaller private arrays");
  launch.local_bytes = static_cast<std::uint32_t>(local_argument_bytes());
  launch.arguments = block(device, range);
  Work result{work, {}};
  for (const Value& value : values_)
    if (value.buffer != nullptr) result.buffers.push_back(value.buffer);
  return result;
}
