// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/regular_file.h"

#include <sys/stat.h>

#include <fstream>

#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using namespace spica::input;

namespace {

void write(const std::string& path, std::size_t bytes) { std::ofstream(path) << std::string(bytes, 'x'); }

}  // namespace

TEST_CASE("a file of as many bytes as the limit is read, one more is refused with both sizes") {
  testbench::TemporaryFolder folder;
  const std::string path = folder.path("f");
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, 3 * kMiB, 3 * kMiB + 1}) {
    write(path, bytes);
    const FileContent content = read_regular_file(path, 3 * kMiB);
    const bool fits = bytes <= 3 * kMiB;
    CHECK(content.bytes.size() == (fits ? bytes : 0));
    CHECK(content.problem == (fits ? "" : "it has 3145729 bytes; it is larger than the limit of 3 MiB"));
  }
  write(path, 5);
  CHECK(read_regular_file(path, 100).text() == "xxxxx");
}

TEST_CASE("a sparse file of 3 GiB is refused without reading it") {
  testbench::TemporaryFolder folder;
  write(folder.path("f"), 1);
  std::filesystem::resize_file(folder.path("f"), 3 * kGiB);
  CHECK(read_regular_file(folder.path("f"), kGiB).problem ==
        "it has 3 GiB; it is larger than the limit of 1 GiB");
}

TEST_CASE("a file that says it has no bytes is read up to the limit") {
  CHECK(read_regular_file("/proc/self/status", kMiB).text().find("Name:") != std::string::npos);
  CHECK(read_regular_file("/proc/self/status", 10).problem == "it is larger than the limit of 10 bytes");
}

TEST_CASE("what is no regular file is refused at once") {
  testbench::TemporaryFolder folder;
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);  // nobody will ever write into it
  CHECK(read_regular_file(folder.path("pipe"), kMiB).problem == "it is a pipe, not a regular file");
  CHECK(read_regular_file("/dev/zero", kMiB).problem == "it is a device, not a regular file");
  CHECK(read_regular_file("/dev/random", kMiB).problem == "it is a device, not a regular file");
  CHECK(read_regular_file(folder.path(""), kMiB).problem == "it is a folder");
  CHECK(read_regular_file(folder.path("none"), kMiB).problem == "No such file or directory");
}
