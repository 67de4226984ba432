// SPDX-License-Identifier: Apache-2.0
#include "simt.h"

#include <new>

#include <stdio.h>
#include <stdlib.h>

namespace {

// Without exceptions the failure cannot be reported to a caller.
void* checked(void* data, size_t bytes) {
  SIMT_IF(data == nullptr)
    printf("operator new: no %u bytes left on the heap\n", static_cast<unsigned>(bytes));
    abort();
  SIMT_END_IF
  return data;
}

size_t number(std::align_val_t alignment) { return static_cast<size_t>(alignment); }

}  // namespace

namespace std {
const nothrow_t nothrow{};
}

void* operator new(size_t bytes) { return checked(malloc(bytes), bytes); }
void* operator new[](size_t bytes) { return checked(malloc(bytes), bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return checked(aligned_alloc(number(alignment), bytes), bytes);
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return checked(aligned_alloc(number(alignment), bytes), bytes);
}

void operator delete(void* data) noexcept { free(data); }
void operator delete[](void* data) noexcept { free(data); }
void operator delete(void* data, size_t) noexcept { free(data); }
void operator delete[](void* data, size_t) noexcept { free(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { free(data); }
void operator delete[](void* data, const std::nothrow_t&) noexcept { free(data); }
void operator delete(void* data, std::align_val_t) noexcept { free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { free(data); }
void operator delete(void* data, size_t, std::align_val_t) noexcept { free(data); }
void operator delete[](void* data, size_t, std::align_val_t) noexcept { free(data); }

// A call of a pure virtual function.
extern "C" void __cxa_pure_virtual() {
  printf("a pure virtual function was called\n");
  abort();
}
