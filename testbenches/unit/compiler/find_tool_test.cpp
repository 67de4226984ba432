// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/find_tool.h"

#include <cstdlib>
#include <fstream>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using spica::compiler::find_tool;
namespace fs = std::filesystem;

namespace {

constexpr const char* kVariable = "SPICA_TOOL_OF_A_TEST";

/// A system of nothing but the programs that a test installs; its bin is the PATH.
class System {
 public:
  System() {
    fs::create_directories(folder_.root() / "bin");
    setenv("PATH", (folder_.root() / "bin").c_str(), 1);
    unsetenv(kVariable);
  }
  void install(const std::string& file, const std::string& says) {
    const fs::path path = folder_.root() / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\necho '" << says << "'\n";
    fs::permissions(path, fs::perms::owner_all);
  }
  std::string found(const std::string& name = "clang-19") const {
    return folder_.without_folder(find_tool(kVariable, name, "clang-19", folder_.root()));
  }
  std::string refusal() const {
    try {
      return "found " + found();
    } catch (const spica::input::UserError& error) {
      return folder_.without_folder(error.what());
    }
  }
  std::string path(const std::string& file) const { return folder_.path(file); }

 private:
  const spica::testbench::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the name with the version comes before the plain one") {
  System system;
  system.install("bin/clang", "Debian clang version 14.0.6");
  system.install("bin/clang-19", "not asked");
  CHECK(system.found() == "bin/clang-19");
}

TEST_CASE("a plain name will do where it is the version") {
  System fedora;
  fedora.install("bin/clang", "clang version 19.1.7 (Fedora 19.1.7-3.fc41)");
  fedora.install("bin/ld.lld", "Some LLD 19.1.7 (compatible with GNU linkers)");
  CHECK(fedora.found() == "bin/clang");
  CHECK(fedora.found("ld.lld-19") == "bin/ld.lld");
}

TEST_CASE("an older version is found in its folder") {
  for (const char* folder : {"usr/lib64/llvm19/bin", "usr/lib/llvm19/bin", "usr/lib/llvm-19/bin"}) {
    System system;
    system.install("bin/clang", "clang version 21.1.0");
    system.install(std::string(folder) + "/clang", "clang version 19.1.7");
    CHECK(system.found() == std::string(folder) + "/clang");
  }
}

TEST_CASE("another version is named in the refusal") {
  System system;
  CHECK(
      system.refusal() ==
      "the kernel must be compiled for this machine, and clang-19 is missing: apt install clang-19, or name another one "
      "in the environment variable SPICA_TOOL_OF_A_TEST");
  system.install("bin/clang", "Debian clang version 14.0.6");
  CHECK(
      system.refusal() ==
      "the kernel must be compiled for this machine, and clang-19 is missing (bin/clang is version 14): apt install "
      "clang-19, or name another one in the environment variable SPICA_TOOL_OF_A_TEST");
  system.install("bin/clang", "no compiler");
  CHECK(system.refusal().find("(bin/clang is version unknown)") != std::string::npos);
}

TEST_CASE("the environment variable decides alone") {
  System system;
  system.install("bin/clang", "clang version 19.1.7");
  system.install("elsewhere/other", "clang version 14.0.6");
  setenv(kVariable, system.path("elsewhere/other").c_str(), 1);
  CHECK(system.found() == "elsewhere/other");
  setenv(kVariable, "clang-18", 1);
  CHECK(system.refusal().find("clang-18 is missing: apt install") != std::string::npos);
}
