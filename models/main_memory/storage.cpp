// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/storage.h"

#include <sys/mman.h>

#include <new>

namespace spica::main_memory {

namespace {
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
}

Storage::Storage(std::uint64_t base, std::uint64_t size) : base_(base), size_(size) {
  void* area = mmap(nullptr, size, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  bytes_ = static_cast<unsigned char*>(area);
}

Storage::~Storage() { munmap(bytes_, size_); }

void Storage::clear() {
  // Private anonymous pages that are given back read as zero.
  madvise(bytes_, size_, MADV_DONTNEED);
}

}  // namespace spica::main_memory
