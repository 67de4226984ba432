// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/findings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "platform/opencl/driver/object.h"

namespace spica::opencl {

namespace {

struct Pending {
  std::mutex mutex;
  std::vector<std::function<void()>*> functions;
};

/// Never destroyed: contexts may be released until the end of the process.
Pending& pending() {
  static auto* const all = [] {
    std::atexit([] {
      std::vector<std::function<void()>*> left;
      {
        const std::lock_guard<std::mutex> lock(pending().mutex);
        left = std::exchange(pending().functions, {});
      }
      for (const std::function<void()>* function : left) (*function)();
    });
    return new Pending;
  }();
  return *all;
}

}  // namespace

void record_findings(const std::string& findings) {
  const char* path = std::getenv("SPICA_OPENCL_FINDINGS");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr) {
    if (!findings.empty()) report_error(findings);
    return;
  }
  std::ofstream file(path, std::ios::app);
  if (!(file << findings << std::flush)) report_error("cannot write the file in SPICA_OPENCL_FINDINGS");
}

AtExit::AtExit(std::function<void()> function) : function_(std::move(function)) {
  const std::lock_guard<std::mutex> lock(pending().mutex);
  pending().functions.push_back(&function_);
}

AtExit::~AtExit() {
  const std::lock_guard<std::mutex> lock(pending().mutex);
  auto& all = pending().functions;
  all.erase(std::remove(all.begin(), all.end(), &function_), all.end());
}

}  // namespace spica::opencl
