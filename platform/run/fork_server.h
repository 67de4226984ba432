// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace spica::job {

/// What a child of a server gets.
struct ForkedChild {
  std::vector<std::string> arguments;
  int errors = -1, record = -1;  // descriptors that become its 2 and 3
  int input = -1;  // that becomes its 0; negative: nothing
  std::uint64_t most_bytes = 0;  // of address space; 0: no limit
  std::string allowed_plugins{};  // soc::PluginConsent::given(), which may be younger than the server
};

/// Starts children of this program that begin where main() does. To load the program and its libraries takes as long as
/// a short run; a child that is forked from a process that has done so, and nothing else, does not do it again.
///
/// The server is a process that launch() forks. Its children are those of the process that called launch(): they are
/// waited for there, and end with it.
class ForkServer {
 public:
  using Main = int (*)(int argc, char* argv[]);

  /// What a child does; its result is the exit code.
  static void set_main(Main main);
  /// Call it early: what this process has in memory by then is in all children, and threads are not. Does nothing when
  /// there is a server, or nothing that a child could do.
  static void launch();
  /// The process of a new child; nothing is started (-1) without a server, when the arguments are too long, or when the
  /// system refuses: start the program anew then.
  static pid_t start(const ForkedChild& child);
};

}  // namespace spica::job
