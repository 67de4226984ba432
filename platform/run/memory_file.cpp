// SPDX-License-Identifier: Apache-2.0
#include "platform/run/memory_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "platform/base/input/file.h"
#include "platform/machine/soc/machine.h"

namespace spica::job {

namespace {

constexpr std::size_t kPage = 4096;

void add_page(std::vector<unsigned char>& file, std::uint64_t address, const unsigned char* page,
              std::size_t bytes) {
  if (std::all_of(page, page + bytes, [](unsigned char byte) { return byte == 0; })) return;
  for (unsigned i = 0; i < 8; ++i) file.push_back(static_cast<unsigned char>(address >> 8 * i));
  file.insert(file.end(), page, page + bytes);
  file.insert(file.end(), kPage - bytes, 0);
}

/// Which pages of [begin, begin + pages * kPage) the host has ever given memory to; all of them when it does not
/// say. Main memory is large and mostly untouched, and reading it all takes longer than many runs.
class Touched {
 public:
  explicit Touched(const unsigned char* begin)
      : first_(reinterpret_cast<std::uintptr_t>(begin) / kPage),
        map_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {
    if (sysconf(_SC_PAGESIZE) != static_cast<long>(kPage) ||
        reinterpret_cast<std::uintptr_t>(begin) % kPage != 0)
      stop();
  }
  ~Touched() { stop(); }
  Touched(const Touched&) = delete;
  Touched& operator=(const Touched&) = delete;

  bool operator()(std::size_t page) {
    if (map_ < 0) return true;
    if (page >= begin_ + count_ || page < begin_) {
      const ssize_t got =
          pread(map_, entries_.data(), sizeof entries_, static_cast<off_t>((first_ + page) * 8));
      if (got < 8) {
        stop();
        return true;
      }
      begin_ = page;
      count_ = static_cast<std::size_t>(got) / 8;
    }
    constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
    return (entries_[page - begin_] & kPresentOrSwapped) != 0;
  }

 private:
  void stop() {
    if (map_ >= 0) close(map_);
    map_ = -1;
  }
  std::uintptr_t first_;
  int map_;
  std::size_t begin_ = 0, count_ = 0;  // pages that entries_ covers
  std::array<std::uint64_t, 8192> entries_;
};

}  // namespace

void write_memory_file(const std::string& path, soc::Machine& machine) {
  std::vector<unsigned char> file;
  const soc::SocParams& params = machine.params();
  const unsigned char* memory = machine.main_memory_bytes();
  Touched touched(memory);
  for (std::size_t at = 0; at < params.main_memory.size; at += kPage)
    if (touched(at / kPage))
      add_page(file, params.main_memory.base + at, memory + at,
               std::min<std::size_t>(kPage, params.main_memory.size - at));
  std::vector<unsigned char> shared(params.cluster.shared_memory.size);
  const std::uint64_t base = params.cluster.memory_map.shared_base;
  for (unsigned cluster = 0; cluster < params.clusters; ++cluster) {
    machine.read(base, shared.data(), shared.size(), cluster);
    for (std::size_t at = 0; at < shared.size(); at += kPage)
      add_page(file, std::uint64_t{cluster + 1} << 40 | (base + at), shared.data() + at,
               std::min(kPage, shared.size() - at));
  }
  input::write_file(path, file);
}

}  // namespace spica::job
