// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace spica::job {

/// What goes wrong apart from the guest program, while there are still results to keep: a file that
/// cannot be written, an internal error. Each is reported on stderr at once; the rest continues, and the
/// exit code says it at the end.
class HostErrors {
 public:
  /// Does one thing of many. False: it threw, which is reported.
  bool attempt(const std::function<void()>& action);
  /// The user's or the system's: a full disk.
  void user(const std::string& what);
  /// An error in a user-supplied block: its place, and what to do.
  void block(const std::string& what);
  /// An internal error.
  void internal(const std::string& what);

  /// 3 after an internal error, 2 after one of a block; 2 after another one, unless the program itself has failed; else
  /// `otherwise`.
  int exit_code(int otherwise) const {
    if (internal_) return 3;
    if (block_) return 2;
    return user_ && otherwise == 0 ? 2 : otherwise;
  }

 private:
  bool user_ = false, block_ = false, internal_ = false;
};

}  // namespace spica::job
