// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include "platform/opencl/driver/device.h"
#include "platform/opencl/driver/info.h"

namespace spica::opencl {

/// clGetPlatformInfo, clGetDeviceInfo. Throw CL_INVALID_VALUE for an unknown name.
void platform_info(cl_platform_info name, const Answer& answer);
void device_info(const _cl_device_id& device, cl_device_info name, const Answer& answer);

}  // namespace spica::opencl
