// SPDX-License-Identifier: Apache-2.0
// The start of a test program. SystemC's library has a `main`, too, and wants sc_main to exist: ours is here, so that
// it is this one whatever the order of libraries.
//
//   base_test [WHAT CATCH2 TAKES]   in this process, in which SystemC elaborates once
//   base_test --apart SECONDS       each case in a process of its own, for at most so long; prints their names, and
//                                   what failed cases print. Exit code 1: a case failed, or there is none
#define CATCH_CONFIG_RUNNER  // of version 2
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <systemc>
#include <vector>

#include "testbenches/support/catch.h"

int sc_main(int, char*[]) { return 0; }

namespace {

#if CATCH_VERSION_MAJOR >= 3
const Catch::TestCaseInfo& info_of(const Catch::TestCaseHandle& found) { return found.getTestCaseInfo(); }
void refuse_no_tests(Catch::Session&) {}  // it does by itself
#else
const Catch::TestCaseInfo& info_of(const Catch::TestCase& found) { return found; }
void refuse_no_tests(Catch::Session& session) { session.configData().warnings = Catch::WarnAbout::NoTests; }
#endif

/// The test specification that means this case alone.
std::string specification(const std::string& name) {
  std::string escaped;
  for (const char letter : name) {
    if (std::string("\\,[]\"").find(letter) != std::string::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

/// Runs one case in this process, with all output in `output`.
[[noreturn]] void run_here(Catch::Session& session, const std::string& name, std::FILE* output,
                           unsigned seconds) {
  dup2(fileno(output), STDOUT_FILENO);
  dup2(fileno(output), STDERR_FILENO);
  alarm(seconds);
  session.configData().testsOrTags = {specification(name)};
  refuse_no_tests(session);
  std::exit(session.run());
}

void print(std::FILE* output) {
  if (std::fseek(output, 0, SEEK_SET) != 0) std::perror("fseek");
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, output)) > 0;)
    std::fwrite(buffer, 1, n, stdout);
}

/// True if the case passes in a process of its own.
bool passes(Catch::Session& session, const std::string& name, unsigned seconds) {
  std::FILE* output = std::tmpfile();
  if (output == nullptr) {
    std::perror("tmpfile");
    return false;
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) run_here(session, name, output, seconds);
  int status = -1;
  if (child > 0) waitpid(child, &status, 0);
  if (status != 0) {
    print(output);
    if (WIFSIGNALED(status))
      std::printf("ended by signal %d%s\n", WTERMSIG(status),
                  WTERMSIG(status) == SIGALRM ? ": too long" : "");
  }
  std::fclose(output);
  std::printf("%s  %s\n", status == 0 ? "passed" : "FAILED", name.c_str());
  return status == 0;
}

int run_apart(Catch::Session& session, unsigned seconds) {
  std::vector<std::string> failed;
  unsigned count = 0;
  for (const auto& found : Catch::getRegistryHub().getTestCaseRegistry().getAllTests()) {
    const std::string& name = info_of(found).name;
    ++count;
    if (!passes(session, name, seconds)) failed.push_back(name);
  }
  std::printf("%u cases, %zu failed\n", count, failed.size());
  for (const std::string& name : failed) std::printf("FAILED  %s\n", name.c_str());
  return count == 0 || !failed.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  // Not on the stack, where the search for leaks at the end of a process of a case would not see it.
  static Catch::Session session;
  if (argc == 3 && std::string(argv[1]) == "--apart")
    return run_apart(session, static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  return session.run(argc, argv);
}
