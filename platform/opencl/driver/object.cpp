// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/object.h"

#include <cstdio>
#include <string>

namespace spica::opencl {

void report_error(const std::string& text) { std::fprintf(stderr, "spica: %s\n", text.c_str()); }

cl_int current_error() noexcept {
  try {
    throw;
  } catch (const ClError& error) {
    return error.code;
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::exception& error) {
    report_error(error.what());
    return CL_OUT_OF_RESOURCES;
  }
}

}  // namespace spica::opencl
