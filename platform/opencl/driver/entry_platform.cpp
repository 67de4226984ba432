// SPDX-License-Identifier: Apache-2.0
// Entry points of the platform and its devices.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "platform/opencl/driver/device.h"
#include "platform/opencl/driver/device_info.h"
#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/info.h"
#include "platform/opencl/driver/object.h"

namespace spica::opencl::entry {

namespace {

/// Some programs ask for the only platform by null.
_cl_platform_id& platform_of(cl_platform_id platform) {
  return platform == nullptr ? _cl_platform_id::instance() : _cl_platform_id::of(platform);
}

cl_ulong host_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<cl_ulong>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

cl_int CL_API_CALL clGetPlatformIDs(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  return status_of([&] {
    require(platforms == nullptr ? count != nullptr : entries != 0, CL_INVALID_VALUE);
    if (platforms != nullptr) platforms[0] = &_cl_platform_id::instance();
    if (count != nullptr) *count = 1;
  });
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t bytes,
                                     void* value, size_t* bytes_of_value) {
  return status_of([&] {
    platform_of(platform);
    platform_info(name, Answer(bytes, value, bytes_of_value));
  });
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint entries,
                                  cl_device_id* devices, cl_uint* count) {
  return status_of([&] {
    _cl_platform_id& of = platform_of(platform);
    require(devices == nullptr ? count != nullptr : entries != 0, CL_INVALID_VALUE);
    const std::vector<cl_device_id> found = of.devices(type);
    require(!found.empty(), CL_DEVICE_NOT_FOUND);
    if (devices != nullptr) std::copy_n(found.begin(), std::min<std::size_t>(entries, found.size()), devices);
    if (count != nullptr) *count = static_cast<cl_uint>(found.size());
  });
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t bytes, void* value,
                                   size_t* bytes_of_value) {
  return status_of(
      [&] { device_info(_cl_device_id::of(device), name, Answer(bytes, value, bytes_of_value)); });
}

// Root devices have no reference count.
cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  return status_of([&] { _cl_device_id::of(device); });
}
cl_int CL_API_CALL clReleaseDevice(cl_device_id device) { return entry::clRetainDevice(device); }
cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device) { return entry::clRetainDevice(device); }
cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device) { return entry::clRetainDevice(device); }

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_ns, cl_ulong* host) {
  return status_of([&] {
    const _cl_device_id& of = _cl_device_id::of(device);
    require(device_ns != nullptr && host != nullptr, CL_INVALID_VALUE);
    *device_ns = of.now_ns();
    *host = host_ns();
  });
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host) {
  return status_of([&] {
    _cl_device_id::of(device);
    require(host != nullptr, CL_INVALID_VALUE);
    *host = host_ns();
  });
}

// The compiler holds nothing between builds.
cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform) {
  return status_of([&] { _cl_platform_id::of(platform); });
}
cl_int CL_API_CALL clUnloadCompiler() { return CL_SUCCESS; }

void* extension_function(const char* name) {
  if (name == nullptr) return nullptr;
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(&clGetPlatformIDs);
  return nullptr;
}

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) { return extension_function(name); }

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  return platform == &_cl_platform_id::instance() ? extension_function(name) : nullptr;
}

}  // namespace spica::opencl::entry
