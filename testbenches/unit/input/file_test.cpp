// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/file.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica::input;
using Catch::Contains;

TEST_CASE_METHOD(spica::testbench::TemporaryFolder, "files are written whole and errors name the file") {
  const std::vector<unsigned char> content = {0, 255, 10, 13, 0};
  write_file(path("out"), content);
  CHECK(read_file(path("out")) == content);
  write_file(path("out"), {1, 2});
  CHECK(read_file(path("out")).size() == 2);
  CHECK_THROWS_WITH(write_file(path("no/such/out"), content), Contains("No such file"));
  CHECK_THROWS_WITH(write_file("/dev/full", content), Contains("No space left"));
}

TEST_CASE_METHOD(spica::testbench::TemporaryFolder,
                 "a file that does not fit leaves the old one as it was and no other behind") {
  const std::vector<unsigned char> content(100, 1);
  write_file(path("out"), content);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{50, old.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_WITH(write_file(path("out"), std::vector<unsigned char>(100, 2)), Contains("File too large"));
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK(read_file(path("out")) == content);
  CHECK(std::distance(std::filesystem::directory_iterator(root()), {}) == 1);
}

TEST_CASE_METHOD(spica::testbench::TemporaryFolder,
                 "a link to a file stays a link, and a file keeps its permissions") {
  namespace fs = std::filesystem;
  write_file(path("file"), {1});
  fs::permissions(path("file"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  fs::create_symlink("file", path("link"));
  write_file(path("link"), {2, 3});
  CHECK(fs::is_symlink(path("link")));
  CHECK(read_file(path("file")).size() == 2);
  CHECK(fs::status(path("file")).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read));
}
