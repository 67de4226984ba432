// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/compiler_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <utility>

#include "platform/bindings/client/channel.h"
#include "platform/bindings/client/child.h"
#include "platform/opencl/driver/compiler_wire.h"

namespace spica::opencl {

namespace {

/// The compiler's process with those that it starts. They end with this object.
class Compiling {
 public:
  explicit Compiling(const std::string& program)
      : child_(client::start_child(program, {"opencl-compiler"}, "the compiler")) {}
  ~Compiling() {
    close(child_.socket);
    kill(-child_.process, SIGKILL);
    while (waitpid(child_.process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;

  int socket() const { return child_.socket; }

 private:
  const client::Child child_;
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
  const Compiling child(program_);
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
