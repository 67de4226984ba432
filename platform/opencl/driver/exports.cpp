// SPDX-License-Identifier: Apache-2.0
// The symbols of the library: those that the loader looks up (extension cl_khr_icd).
#include <CL/cl_icd.h>

#include "platform/opencl/driver/entry_points.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  return spica::opencl::entry::clGetPlatformIDs(entries, platforms, count);
}

EXPORT void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return spica::opencl::entry::extension_function(name);
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t bytes,
                                            void* value, size_t* bytes_of_value) {
  return spica::opencl::entry::clGetPlatformInfo(platform, name, bytes, value, bytes_of_value);
}
