// SPDX-License-Identifier: Apache-2.0
// The implemented entry points, with the types of the table in CL/cl_icd.h, whose names differ between versions.
#pragma once

#include <CL/cl_icd.h>

#include <type_traits>

namespace spica::opencl::entry {

#define WORKS(name) std::remove_pointer_t<decltype(cl_icd_dispatch::name)> name;
#define FAILS(name, error, reason)
#include "platform/opencl/driver/entry_points.inc"
#undef WORKS
#undef FAILS

/// The extension functions of an ICD and of this driver by name; null: unknown.
void* extension_function(const char* name);

}  // namespace spica::opencl::entry
