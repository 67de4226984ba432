// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/compiler_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "platform/bindings/client/channel.h"
#include "platform/opencl/driver/compiler_wire.h"

namespace spica::opencl {

namespace {

/// A process group with its socket. It ends with this object.
class Child {
 public:
  explicit Child(const std::string& program) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::runtime_error(std::string("cannot start the compiler: ") + std::strerror(errno));
    socket_ = ends[0];
    const int error = spawn(program, ends[1]);
    close(ends[1]);
    if (error == 0) return;
    close(socket_);
    throw std::runtime_error("cannot start '" + program + "': " + std::strerror(error));
  }
  ~Child() {
    close(socket_);
    kill(-process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int socket() const { return socket_; }

 private:
  /// A group of its own, so that the compilers that it starts end with it.
  int spawn(const std::string& program, int end) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    char name[] = "spica", command[] = "opencl-compiler";
    char* const arguments[] = {name, command, nullptr};
    const int error = posix_spawn(&process_, program.c_str(), &files, &how, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return error;
  }

  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace

CompilerProcess::CompilerProcess(std::string program, std::uint64_t local_bytes)
    : program_(std::move(program)), local_bytes_(local_bytes) {}

BuildResult CompilerProcess::compile(const std::string& source, const std::string& options,
                                     const Headers& headers) {
  return run({CompilerRequest::Step::kCompile, source, options, headers, {}, 0, 0});
}

BuildResult CompilerProcess::combine(const std::vector<std::string>& codes, const std::string& options) {
  return run({CompilerRequest::Step::kCombine, "", options, {}, codes, 0, 0});
}

BuildResult CompilerProcess::link(const std::vector<std::string>& codes, const std::string& options,
                                  std::uint32_t base) {
  return run({CompilerRequest::Step::kLink, "", options, {}, codes, base, 0});
}

BuildResult CompilerProcess::run(CompilerRequest request) const {
  request.local_bytes = local_bytes_;
  const Child child(program_);
  client::Writer to;
  to << request;
  client::send_message(child.socket(), to.bytes());
  std::optional<std::string> message = client::receive_message(child.socket());
  if (!message)
    throw std::runtime_error("the compiler's process has ended; its messages are on standard error\n");
  client::Reader from(std::move(*message));
  CompilerAnswer answer;
  from >> answer;
  if (!answer.error.empty()) throw std::runtime_error(answer.error + "\n");
  return std::move(answer.result);
}

}  // namespace spica::opencl
