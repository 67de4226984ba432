// SPDX-License-Identifier: Apache-2.0
// Entry points of buffers.
#include <algorithm>
#include <vector>

#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/info.h"
#include "platform/opencl/driver/memory.h"

namespace spica::opencl::entry {

namespace {

constexpr cl_mem_flags kKernelAccess = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags kHostAccess = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostPointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool has_several(cl_mem_flags flags) { return (flags & (flags - 1)) != 0; }

void check_flags(cl_mem_flags flags) {
  require((flags & ~(kKernelAccess | kHostAccess | kHostPointer)) == 0, CL_INVALID_VALUE);
  require(!has_several(flags & kKernelAccess) && !has_several(flags & kHostAccess), CL_INVALID_VALUE);
  require((flags & CL_MEM_USE_HOST_PTR) == 0 || (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) == 0,
          CL_INVALID_VALUE);
}

cl_mem new_buffer(cl_context context, std::vector<cl_mem_properties> given, cl_mem_flags flags,
                  std::size_t bytes, void* host) {
  _cl_context& owner = _cl_context::of(context);
  check_flags(flags);
  if ((flags & kKernelAccess) == 0) flags |= CL_MEM_READ_WRITE;
  require(bytes != 0, CL_INVALID_BUFFER_SIZE);
  const bool needs_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  require(needs_host == (host != nullptr), CL_INVALID_HOST_PTR);
  for (cl_device_id device : owner.devices)
    require(bytes <= device->facts().memory_bytes, CL_INVALID_BUFFER_SIZE);
  return create<_cl_mem>(owner, flags, bytes, host, std::move(given));
}

/// The flags of a part: those given, and those of the whole that are not given.
cl_mem_flags part_flags(cl_mem_flags flags, cl_mem_flags whole) {
  check_flags(flags);
  require((flags & kHostPointer) == 0, CL_INVALID_VALUE);
  const cl_mem_flags kernel = flags & kKernelAccess, host = flags & kHostAccess;
  const auto widens = [&](cl_mem_flags limit, cl_mem_flags other) {
    return (whole & limit) != 0 && (flags & (other | CL_MEM_READ_WRITE)) != 0;
  };
  require(!widens(CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY) && !widens(CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY),
          CL_INVALID_VALUE);
  const bool widens_host =
      ((whole & CL_MEM_HOST_WRITE_ONLY) != 0 && host == CL_MEM_HOST_READ_ONLY) ||
      ((whole & CL_MEM_HOST_READ_ONLY) != 0 && host == CL_MEM_HOST_WRITE_ONLY) ||
      ((whole & CL_MEM_HOST_NO_ACCESS) != 0 && host != 0 && host != CL_MEM_HOST_NO_ACCESS);
  require(!widens_host, CL_INVALID_VALUE);
  return (kernel != 0 ? kernel : whole & kKernelAccess) | (host != 0 ? host : whole & kHostAccess) |
         (whole & kHostPointer);
}

}  // namespace

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                                  cl_int* error) {
  return object_of(error, [&] { return new_buffer(context, {}, flags, bytes, host); });
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t bytes, void* host, cl_int* error) {
  return object_of(error, [&] {
    require(properties == nullptr || *properties == 0, CL_INVALID_PROPERTY);  // the standard defines none
    std::vector<cl_mem_properties> given(properties == nullptr ? 0 : 1, 0);
    return new_buffer(context, std::move(given), flags, bytes, host);
  });
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* info, cl_int* error) {
  return object_of(error, [&] {
    _cl_mem& whole = _cl_mem::of(buffer);
    require(whole.parent == nullptr, CL_INVALID_MEM_OBJECT);
    const cl_mem_flags with = part_flags(flags, whole.flags);
    require(type == CL_BUFFER_CREATE_TYPE_REGION && info != nullptr, CL_INVALID_VALUE);
    const cl_buffer_region region = *static_cast<const cl_buffer_region*>(info);
    require(region.size != 0, CL_INVALID_BUFFER_SIZE);
    require(region.origin <= whole.size && region.size <= whole.size - region.origin, CL_INVALID_VALUE);
    require(region.origin % Allocator::kAlignment == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    return create<_cl_mem>(whole, with, region.origin, region.size);
  });
}

cl_int CL_API_CALL clRetainMemObject(cl_mem buffer) {
  return status_of([&] { _cl_mem::of(buffer).retain(); });
}
cl_int CL_API_CALL clReleaseMemObject(cl_mem buffer) {
  return status_of([&] { _cl_mem::of(buffer).release(); });
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem buffer, cl_mem_info name, size_t bytes, void* value,
                                      size_t* bytes_of_value) {
  return status_of([&] {
    _cl_mem& of = _cl_mem::of(buffer);
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_MEM_TYPE: return answer(cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
      case CL_MEM_FLAGS: return answer(of.flags);
      case CL_MEM_SIZE: return answer(of.size);
      case CL_MEM_HOST_PTR: return answer(of.host_pointer);
      case CL_MEM_MAP_COUNT: return answer(of.mappings());
      case CL_MEM_REFERENCE_COUNT: return answer(of.references());
      case CL_MEM_CONTEXT: return answer(of.context.get());
      case CL_MEM_ASSOCIATED_MEMOBJECT: return answer(of.parent.get());
      case CL_MEM_OFFSET: return answer(of.origin);
      case CL_MEM_USES_SVM_POINTER: return answer(cl_bool{CL_FALSE});
      case CL_MEM_PROPERTIES: return answer(of.properties);
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem buffer, _cl_mem::Destroyed callback,
                                                    void* user_data) {
  return status_of([&] {
    _cl_mem& of = _cl_mem::of(buffer);
    require(callback != nullptr, CL_INVALID_VALUE);
    of.on_destruction(callback, user_data);
  });
}

// There are no images, so no formats.
cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags, cl_mem_object_type, cl_uint,
                                              cl_image_format*, cl_uint* count) {
  return status_of([&] {
    _cl_context::of(context);
    if (count != nullptr) *count = 0;
  });
}

// No pointer is from clSVMAlloc.
void CL_API_CALL clSVMFree(cl_context, void*) {}

}  // namespace spica::opencl::entry
