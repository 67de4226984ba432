// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace spica::job {

/// The settings of a child of the server.
struct ForkedChild {
  std::vector<std::string> arguments;
  int errors = -1, record = -1;  // become its descriptors 2 and 3
  int input = -1;  // becomes its descriptor 0; negative: none
  std::uint64_t most_bytes = 0;  // limit of the address space; 0: none
  std::string allowed_plugins{};  // soc::PluginConsent::given(), which may be newer than the server
};

/// Starts children of this program at the beginning of main(). Loading the program and its libraries takes as long as a
/// short run; children forked from a process that has only loaded them save this time.
///
/// The server is a process forked by launch(). Its children belong to the process that called launch(): it waits for
/// them, and they end with it.
class ForkServer {
 public:
  using Main = int (*)(int argc, char* argv[]);

  /// Sets the main function of children; its result is the exit code.
  static void set_main(Main main);
  /// Call early: all children get the memory contents of this process at this time, but no threads. Does nothing if
  /// there is already a server, or no main function.
  static void launch();
  /// The process id of a new child; -1: not started, because there is no server, the arguments are too long, or the
  /// system refuses. Then start the program normally.
  static pid_t start(const ForkedChild& child);
};

}  // namespace spica::job
