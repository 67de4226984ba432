// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace spica::job {

/// Errors other than the guest program's that occur while there are still results to save: a file that cannot be
/// written, an internal error. Each is reported on stderr immediately; the run continues, and the exit code reflects it
/// at the end.
class HostErrors {
 public:
  /// Executes one of several actions. False: it threw, which has been reported.
  bool attempt(const std::function<void()>& action);
  /// An error of the user or the system, such as a full disk.
  void user(const std::string& what);
  /// An error in a user-supplied block: its place, and advice.
  void block(const std::string& what);
  /// An internal error.
  void internal(const std::string& what);

  /// 3 after an internal error, 2 after one in a user-supplied block; 2 after any other, unless the program itself has
  /// failed; else `otherwise`.
  int exit_code(int otherwise) const {
    if (internal_) return 3;
    if (block_) return 2;
    return user_ && otherwise == 0 ? 2 : otherwise;
  }

 private:
  bool user_ = false, block_ = false, internal_ = false;
};

}  // namespace spica::job
