// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/run_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "platform/opencl/driver/object.h"

namespace spica::opencl {

namespace {

constexpr const char* kVariable = "SPICA_OPENCL_RESULTS";

const char* results_folder() { return std::getenv(kVariable); }  // NOLINT(concurrency-mt-unsafe)

/// The next number for which no process has made a file of that kind.
unsigned claim(const std::string& folder, const std::string& kind, std::string& path) {
  for (unsigned number = 1;; ++number) {
    path = folder + "/" + kind + "-" + std::to_string(number);
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
    if (file >= 0 || errno != EEXIST) return number;
  }
}

}  // namespace

bool has_results_folder() { return results_folder() != nullptr; }

unsigned machine_number() {
  static std::atomic<unsigned> machines{0};
  std::string ignored;
  return has_results_folder() ? claim(results_folder(), "machine", ignored) : ++machines;
}

std::string numbered(const std::string& name, unsigned number) {
  if (number == 1) return name;
  const std::filesystem::path path(name);
  return (path.parent_path() /
          (path.stem().string() + "-" + std::to_string(number) + path.extension().string()))
      .string();
}

void record_launches(const std::string& account) {
  if (!has_results_folder()) return;
  std::string path;
  claim(results_folder(), "launches", path);
  std::ofstream file(path);
  if (!(file << account << std::flush))
    report_error(std::string("cannot write to the folder in ") + kVariable);
}

std::vector<std::string> host_command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace spica::opencl
