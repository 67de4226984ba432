// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fork_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "platform/run/child_process.h"
#include "testbenches/support/catch.h"

using namespace spica;

namespace {

/// What the children do: say who they are, and end with the number they are given.
int report(int argc, char* argv[]) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  std::string text = fmt::format("parent {} limit {}", getppid(),
                                 limit.rlim_cur == RLIM_INFINITY ? 0 : std::uint64_t{limit.rlim_cur});
  for (int i = 0; i < argc; ++i) text += fmt::format(" [{}]", argv[i]);
  char given[64];
  const ssize_t size = read(0, given, sizeof given);
  if (size > 0) text += fmt::format(" input {}", std::string_view(given, static_cast<std::size_t>(size)));
  if (write(3, text.data(), text.size()) < 0) return 1;
  if (write(2, "said", 4) < 0) return 1;
  if (argc > 2 && std::string(argv[2]) == "crash") std::raise(SIGKILL);
  return std::atoi(argv[1]);
}

job::ChildJob child(std::vector<std::string> arguments) {
  job::ChildJob job;
  job.arguments = std::move(arguments);
  job.captures = true;
  return job;
}

}  // namespace

TEST_CASE("a child of the server is a child of who asked, with its arguments, output, limit and exit code") {
  job::ForkServer::set_main(report);
  job::ForkServer::launch();
  job::ChildJob limited = child({"7", "two words", ""});
  limited.input = "some data";
  limited.most_bytes = std::uint64_t{1} << 46;
  const auto results = job::run_all(2, {limited, child({"0"}), child({"3", "crash"})});
  REQUIRE(results.size() == 3);
  CHECK(results[0].exit_code == 7);
  CHECK(results[0].record == fmt::format("parent {} limit {} [spica] [7] [two words] [] input some data",
                                         getpid(), std::uint64_t{1} << 46));
  CHECK(results[0].errors == "said");
  CHECK(results[1].exit_code == 0);
  CHECK(results[1].record == fmt::format("parent {} limit 0 [spica] [0]", getpid()));
  CHECK(results[2].exit_code == 128 + SIGKILL);
  CHECK(results[2].peak_megabytes > 0);
}

TEST_CASE("without a server nothing is started, nor with arguments that are too long") {
  CHECK(job::ForkServer::start({{"0"}, 2, 2, 0}) == -1);
  job::ForkServer::set_main(report);
  job::ForkServer::launch();
  CHECK(job::ForkServer::start({{std::string(1 << 20, 'x')}, 2, 2, 0}) == -1);
  const int file = memfd_create("record", 0);
  const pid_t started = job::ForkServer::start({{"5"}, file, file, 0});
  REQUIRE(started > 0);
  int status = 0;
  CHECK(waitpid(started, &status, 0) == started);
  CHECK(WEXITSTATUS(status) == 5);
}

TEST_CASE("a server that was killed is missed by nobody") {
  job::ForkServer::set_main(report);
  job::ForkServer::launch();
  pid_t server = 0;
  std::ifstream(fmt::format("/proc/self/task/{0}/children", getpid())) >> server;
  REQUIRE(server > 0);
  kill(server, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(server, &status, 0) == server);
  CHECK(job::ForkServer::start({{"0"}, 2, 2, 0}) == -1);
}
