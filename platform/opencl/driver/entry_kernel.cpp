// SPDX-License-Identifier: Apache-2.0
// Entry points of kernels.
#include <algorithm>
#include <array>
#include <vector>

#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/info.h"
#include "platform/opencl/driver/kernel.h"
#include "platform/opencl/driver/queue.h"
#include "platform/opencl/driver/work_groups.h"

namespace spica::opencl::entry {

namespace {

/// The device of a question about a kernel: the one given, or the only one.
cl_device_id device_of(const _cl_kernel& kernel, cl_device_id device) {
  const std::vector<cl_device_id>& possible = kernel.program->devices;
  if (device == nullptr) {
    require(possible.size() == 1, CL_INVALID_DEVICE);
    return possible[0];
  }
  require(std::find(possible.begin(), possible.end(), device) != possible.end(), CL_INVALID_DEVICE);
  return device;
}

NdRange range_of(cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local) {
  require(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION);
  NdRange range;
  range.dimensions = dimensions;
  if (local != nullptr) range.local = {1, 1, 1};
  for (cl_uint axis = 0; axis < dimensions; ++axis) {
    if (offset != nullptr) range.offset[axis] = offset[axis];
    range.global[axis] = global == nullptr ? 0 : global[axis];
    if (local != nullptr) (*range.local)[axis] = local[axis];
  }
  return range;
}

bool is_empty(const NdRange& range) {
  return std::any_of(range.global.begin(), range.global.end(), [](std::size_t size) { return size == 0; });
}

/// Lanes of a warp are a sub-group.
void sub_groups(const _cl_kernel& kernel, cl_device_id device, cl_kernel_sub_group_info name,
                const Answer& input, const Answer& answer) {
  const std::size_t lanes = device->facts().warp_lanes, limit = kernel.max_group_items(device);
  const auto* const sizes = static_cast<const std::size_t*>(input.memory());
  switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
      const std::size_t dimensions = input.room() / sizeof(std::size_t);
      require(
          sizes != nullptr && dimensions >= 1 && dimensions <= 3 && input.room() % sizeof(std::size_t) == 0,
          CL_INVALID_VALUE);
      std::size_t items = 1;
      for (std::size_t axis = 0; axis < dimensions; ++axis) items *= sizes[axis];
      if (name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE) return answer(std::min(lanes, items));
      return answer((items + lanes - 1) / lanes);
    }
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
      require(sizes != nullptr && input.room() == sizeof(std::size_t), CL_INVALID_VALUE);
      const std::size_t items = *sizes * lanes;
      std::vector<std::size_t> local(std::max<std::size_t>(1, answer.room() / sizeof(std::size_t)), 1);
      local[0] = items;
      if (items > limit) std::fill(local.begin(), local.end(), 0);
      return answer(local);
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: return answer((limit + lanes - 1) / lanes);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return answer(std::size_t{0});
    default: throw ClError(CL_INVALID_VALUE);
  }
}

}  // namespace

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* name, cl_int* error) {
  return object_of(error, [&] {
    _cl_program& of = _cl_program::of(program);
    require(name != nullptr, CL_INVALID_VALUE);
    return create<_cl_kernel>(of, name);
  });
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint entries, cl_kernel* kernels,
                                            cl_uint* count) {
  return status_of([&] {
    _cl_program& of = _cl_program::of(program);
    const auto executable = of.any_executable();
    const auto& all = executable->kernels();
    require(kernels == nullptr || entries >= all.size(), CL_INVALID_VALUE);
    for (std::size_t at = 0; kernels != nullptr && at < all.size(); ++at)
      kernels[at] = create<_cl_kernel>(of, all[at].name);
    if (count != nullptr) *count = static_cast<cl_uint>(all.size());
  });
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int* error) {
  return object_of(error, [&] { return create<_cl_kernel>(_cl_kernel::of(kernel)); });
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel) {
  return status_of([&] { _cl_kernel::of(kernel).retain(); });
}
cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) {
  return status_of([&] { _cl_kernel::of(kernel).release(); });
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void* value) {
  return status_of([&] { _cl_kernel::of(kernel).set(index, bytes, value); });
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t bytes, void* value,
                                   size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_kernel& of = _cl_kernel::of(kernel);
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_KERNEL_FUNCTION_NAME: return answer(of.description().name);
      case CL_KERNEL_NUM_ARGS: return answer(static_cast<cl_uint>(of.description().arguments.size()));
      case CL_KERNEL_REFERENCE_COUNT: return answer(of.references());
      case CL_KERNEL_CONTEXT: return answer(of.program->context.get());
      case CL_KERNEL_PROGRAM: return answer(of.program.get());
      case CL_KERNEL_ATTRIBUTES: return answer(of.description().attributes);
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t bytes,
                                      void* value, size_t* bytes_of_value) {
  return status_of([&] {
    const auto& arguments = _cl_kernel::of(kernel).description().arguments;
    require(index < arguments.size(), CL_INVALID_ARG_INDEX);
    const KernelArgument& argument = arguments[index];
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return answer(argument.space);
      case CL_KERNEL_ARG_ACCESS_QUALIFIER: return answer(argument.access);
      case CL_KERNEL_ARG_TYPE_NAME: return answer(argument.type);
      case CL_KERNEL_ARG_TYPE_QUALIFIER: return answer(argument.qualifiers);
      case CL_KERNEL_ARG_NAME: return answer(argument.name);
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                            cl_kernel_work_group_info name, size_t bytes, void* value,
                                            size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_kernel& of = _cl_kernel::of(kernel);
    cl_device_id const on = device_of(of, device);
    const Answer answer(bytes, value, bytes_of_value);
    const auto& required = of.description().required_local;
    switch (name) {
      case CL_KERNEL_WORK_GROUP_SIZE: return answer(of.max_group_items(on));
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer(std::array<std::size_t, 3>{required[0], required[1], required[2]});
      case CL_KERNEL_LOCAL_MEM_SIZE: return answer(cl_ulong{of.local_bytes()});
      case CL_KERNEL_PRIVATE_MEM_SIZE: return answer(cl_ulong{of.description().private_bytes});
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return answer(std::size_t{on->facts().warp_lanes});
      default: throw ClError(CL_INVALID_VALUE);  // CL_KERNEL_GLOBAL_WORK_SIZE: of built-in kernels
    }
  });
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                           cl_kernel_sub_group_info name, size_t input_bytes,
                                           const void* input, size_t bytes, void* value,
                                           size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_kernel& of = _cl_kernel::of(kernel);
    sub_groups(of, device_of(of, device), name, Answer(input_bytes, const_cast<void*>(input), nullptr),
               Answer(bytes, value, bytes_of_value));
  });
}

cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                              cl_kernel_sub_group_info name, size_t input_bytes,
                                              const void* input, size_t bytes, void* value,
                                              size_t* bytes_of_value) {
  return entry::clGetKernelSubGroupInfo(kernel, device, name, input_bytes, input, bytes, value,
                                        bytes_of_value);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint waits, const cl_event* list, cl_event* event) {
  return status_of([&] {
    _cl_command_queue& on = _cl_command_queue::of(queue);
    const _cl_kernel& of = _cl_kernel::of(kernel);
    require(of.program->context == on.context, CL_INVALID_CONTEXT);
    const NdRange range = range_of(dimensions, offset, global, local);
    Work work;  // of an empty range: nothing
    if (!is_empty(range)) work = of.work(on.device, range);
    on.enqueue(CL_COMMAND_NDRANGE_KERNEL, std::move(work), waits, list, false, event);
  });
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                                 const cl_event* list, cl_event* event) {
  return status_of([&] {
    _cl_command_queue& on = _cl_command_queue::of(queue);
    const _cl_kernel& of = _cl_kernel::of(kernel);
    require(of.program->context == on.context, CL_INVALID_CONTEXT);
    NdRange one;
    one.local = {1, 1, 1};
    on.enqueue(CL_COMMAND_TASK, of.work(on.device, one), waits, list, false, event);
  });
}

}  // namespace spica::opencl::entry
