// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace spica::opencl {

/// Appends what the checks of a machine have found, "" for nothing, to the file that the environment variable
/// SPICA_OPENCL_FINDINGS names. Without it, findings go to standard error.
void record_findings(const std::string& findings);

/// Calls a function when the host program exits while this exists: many programs release nothing.
class AtExit {
 public:
  explicit AtExit(std::function<void()> function);
  ~AtExit();
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;

 private:
  std::function<void()> function_;
};

}  // namespace spica::opencl
