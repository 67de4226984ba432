// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace spica::run {

/// What goes wrong beside the guest program, while there are still results to keep: a file that
/// cannot be written, a mistake of ours. Each is told on stderr at once; the rest goes on, and the
/// exit code says it at the end.
class Troubles {
 public:
  /// Does one thing of many. False: it threw, which is told.
  bool attempt(const std::function<void()>& action);
  /// The user's or the system's: a full disk.
  void user(const std::string& what);
  /// A mistake of ours.
  void internal(const std::string& what);

  /// 3 after a mistake of ours; 2 after another one, unless the program itself has failed; else
  /// `otherwise`.
  int exit_code(int otherwise) const {
    if (internal_) return 3;
    return user_ && otherwise == 0 ? 2 : otherwise;
  }

 private:
  bool user_ = false, internal_ = false;
};

}  // namespace spica::run
