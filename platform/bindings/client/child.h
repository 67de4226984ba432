// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace spica::client {

/// A process, and this side's end of the socket that is its standard input.
struct Child {
  pid_t process = -1;
  int socket = -1;
};

/// Starts a program with arguments. It is a process group of its own, so that it does not hear the Ctrl-C of the
/// terminal, which is its parent's. It writes nothing to standard output. `what`: for errors, "a machine". Throws
/// Error.
Child start_child(const std::string& program, const std::vector<std::string>& arguments,
                  const std::string& what);

}  // namespace spica::client
