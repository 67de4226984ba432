// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/included_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
namespace fs = std::filesystem;

TEST_CASE("the rule that a compiler writes names the files that it has read") {
  const std::vector<fs::path> files =
      compiler::files_of_rule("main.o: /a/main.cpp a\\ b.h \\\n  c$$d.h\\\n e\\#f.h\n");
  CHECK(files == std::vector<fs::path>{"/a/main.cpp", "a b.h", "c$d.h", "e#f.h"});
  CHECK(compiler::files_of_rule("").empty());
}

TEST_CASE("include_next finds the header of the same name in a later folder") {
  const testbench::TemporaryFolder folder;
  for (const char* one : {"first", "second"}) {
    fs::create_directories(folder.root() / one);
    std::ofstream(folder.root() / one / "a.h") << "#include_next <a.h>\n";
  }
  std::ofstream(folder.path("main.cpp")) << "#include <a.h>\n";
  const auto files =
      compiler::included_files(folder.path("main.cpp"), {folder.root() / "first", folder.root() / "second"});
  CHECK(files.size() == 3);
}
