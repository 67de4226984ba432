// SPDX-License-Identifier: Apache-2.0
#include <CL/cl_icd.h>

#include <tuple>
#include <type_traits>

#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/object.h"

namespace spica::opencl {

namespace {

/// An unsupported entry point of the type of a slot. One that returns an object has `cl_int* errcode_ret`
/// last, apart from clSVMAlloc.
template <class Slot, cl_int error>
struct Unsupported;

template <class... Parameters, cl_int error>
struct Unsupported<cl_int(CL_API_CALL*)(Parameters...), error> {
  static cl_int CL_API_CALL call(Parameters...) { return error; }
};

template <class Result, class... Parameters, cl_int error>
struct Unsupported<Result*(CL_API_CALL*)(Parameters...), error> {
  static Result* CL_API_CALL call(Parameters... parameters) {
    if constexpr (std::is_same_v<std::tuple_element_t<sizeof...(Parameters) - 1, std::tuple<Parameters...>>,
                                 cl_int*>) {
      cl_int* const to = std::get<sizeof...(Parameters) - 1>(std::make_tuple(parameters...));
      if (to != nullptr) *to = error;
    }
    return nullptr;
  }
};

/// Slots of other systems have no type.
template <cl_int error>
struct Unsupported<void*, error> {
  static cl_int CL_API_CALL call() { return error; }
};

cl_icd_dispatch table() {
  cl_icd_dispatch table{};
#define WORKS(name) table.name = entry::name;
#define FAILS(name, error, reason) \
  table.name = reinterpret_cast<decltype(table.name)>(&Unsupported<decltype(table.name), error>::call);
#include "platform/opencl/driver/entry_points.inc"
#undef WORKS
#undef FAILS
  return table;
}

}  // namespace

const cl_icd_dispatch kDispatch = table();

}  // namespace spica::opencl
