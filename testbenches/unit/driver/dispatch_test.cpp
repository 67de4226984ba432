// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl::test;

namespace {

/// Calls a slot with zeros, apart from a last parameter that takes an error code.
template <class Result, class... Parameters>
cl_int error_of(Result (*slot)(Parameters...)) {
  std::tuple<std::decay_t<Parameters>...> zeros{};
  cl_int error = 12345;
  using Last = std::tuple_element_t<sizeof...(Parameters) - 1, decltype(zeros)>;
  constexpr bool kHasError = std::is_same_v<Last, cl_int*>;
  if constexpr (kHasError) std::get<sizeof...(Parameters) - 1>(zeros) = &error;
  if constexpr (std::is_same_v<Result, cl_int>) {
    return std::apply(slot, zeros);
  } else {
    CHECK(std::apply(slot, zeros) == nullptr);
    return kHasError ? error : 0;  // 0: it has no way to say so
  }
}
/// A slot of another system.
cl_int error_of(void* slot) { return reinterpret_cast<cl_int (*)()>(slot)(); }

}  // namespace

TEST_CASE("no slot of the dispatch table is null, and no function is in two slots for different types") {
  std::vector<void*> slots(sizeof(cl_icd_dispatch) / sizeof(void*));
  std::memcpy(static_cast<void*>(slots.data()), &cl, sizeof cl);
  CHECK(slots.size() >= 147);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    INFO("slot " << slot);
    CHECK(slots[slot] != nullptr);
  }
}

TEST_CASE("each unsupported entry point returns its error, and null for an object") {
#define WORKS(name)
#define FAILS(name, error, reason)                                                  \
  {                                                                                 \
    INFO(#name);                                                                    \
    CHECK(error_of(cl.name) == (std::string(#name) == "clSVMAlloc" ? 0 : (error))); \
    CHECK(std::strlen(reason) > 0);                                                 \
  }
#include "platform/opencl/driver/entry_points.inc"
#undef WORKS
#undef FAILS
}

TEST_CASE("the description names each slot of the table once") {
  std::set<std::string> names;
  std::size_t count = 0;
#define WORKS(name) names.insert(#name), ++count;
#define FAILS(name, error, reason) names.insert(#name), ++count;
#include "platform/opencl/driver/entry_points.inc"
#undef WORKS
#undef FAILS
  CHECK(names.size() == count);
  CHECK(count == sizeof(cl_icd_dispatch) / sizeof(void*));
}

TEST_CASE("handles begin with the table, where the loader looks for it") {
  const Fixture fixture;
  for (void* handle : {static_cast<void*>(fixture.context), static_cast<void*>(fixture.queue),
                       static_cast<void*>(fixture.device)})
    CHECK(*static_cast<const cl_icd_dispatch**>(handle) == &cl);
}

TEST_CASE("null handles get the error of their type") {
  cl_int error = 0;
  CHECK(cl.clRetainContext(nullptr) == CL_INVALID_CONTEXT);
  CHECK(cl.clReleaseCommandQueue(nullptr) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clReleaseMemObject(nullptr) == CL_INVALID_MEM_OBJECT);
  CHECK(cl.clReleaseProgram(nullptr) == CL_INVALID_PROGRAM);
  CHECK(cl.clReleaseKernel(nullptr) == CL_INVALID_KERNEL);
  CHECK(cl.clReleaseEvent(nullptr) == CL_INVALID_EVENT);
  CHECK(cl.clFinish(nullptr) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clCreateBuffer(nullptr, 0, 1, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_CONTEXT);
  CHECK(cl.clCreateKernel(nullptr, "k", &error) == nullptr);
  CHECK(error == CL_INVALID_PROGRAM);
}

TEST_CASE("a handle of another type is refused") {
  const Fixture fixture;
  CHECK(cl.clRetainEvent(reinterpret_cast<cl_event>(fixture.context)) == CL_INVALID_EVENT);
  CHECK(cl.clFinish(reinterpret_cast<cl_command_queue>(fixture.context)) == CL_INVALID_COMMAND_QUEUE);
}
