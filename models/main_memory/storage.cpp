// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "models/base/checkpoint.h"

namespace spica::main_memory {

namespace {
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr std::uint64_t kPage = 4096;

/// Which pages of [bytes, bytes + size) have memory of the host behind them; all of them where the host does not say.
std::vector<bool> backed_pages(const unsigned char* bytes, std::uint64_t size) {
  std::vector<bool> backed((size + kPage - 1) / kPage, true);
  const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (map < 0 || sysconf(_SC_PAGESIZE) != kPage) return backed;
  constexpr std::uint64_t kPresent = 1ull << 63, kSwapped = 1ull << 62;
  std::vector<std::uint64_t> entries(4096);
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(bytes) / kPage;
  for (std::uint64_t page = 0; page < backed.size();) {
    const std::uint64_t wanted = std::min<std::uint64_t>(entries.size(), backed.size() - page);
    const ssize_t got = pread(map, entries.data(), wanted * sizeof(entries[0]),
                              static_cast<off_t>((first + page) * sizeof(entries[0])));
    if (got < static_cast<ssize_t>(sizeof(entries[0]))) break;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(got) / sizeof(entries[0]); ++i)
      backed[page++] = (entries[i] & (kPresent | kSwapped)) != 0;
  }
  close(map);
  return backed;
}
}  // namespace

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

std::vector<std::uint64_t> Storage::used_pages() const {
  const std::vector<bool> backed = backed_pages(bytes_, size_);
  std::vector<std::uint64_t> used;
  for (std::uint64_t page = 0; page < backed.size(); ++page) {
    if (!backed[page]) continue;
    const unsigned char* const begin = bytes_ + page * kPage;
    const unsigned char* const end = bytes_ + std::min(size_, (page + 1) * kPage);
    if (std::any_of(begin, end, [](unsigned char byte) { return byte != 0; })) used.push_back(page);
  }
  return used;
}

void Storage::checkpoint(base::Checkpoint& checkpoint) {
  std::vector<std::uint64_t> pages;
  if (checkpoint.loads()) clear();
  else pages = used_pages();
  checkpoint(pages);
  for (const std::uint64_t page : pages)
    checkpoint.bytes(bytes_ + page * kPage, std::min(kPage, size_ - page * kPage));
}

}  // namespace spica::main_memory
