// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/client/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "platform/bindings/client/spica.h"

namespace spica::client {

Child start_child(const std::string& program, const std::vector<std::string>& arguments,
                  const std::string& what) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot start " + what + ": " + std::strerror(errno));
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  char name[] = "spica";
  std::vector<char*> words{name};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  Child child;
  const int error = posix_spawn(&child.process, program.c_str(), &files, &how, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw Error("cannot start '" + program + "': " + std::strerror(error));
  }
  child.socket = ends[0];
  return child;
}

}  // namespace spica::client
