// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/build_options.h"

#include "testbenches/support/catch.h"

using spica::opencl::BuildOptions;
using spica::opencl::parse_options;
using spica::opencl::words_of_options;
using Words = std::vector<std::string>;

TEST_CASE("blanks separate options, quotes and backslashes keep them") {
  CHECK(words_of_options("  -DA=1\t-D B ") == Words{"-DA=1", "-D", "B"});
  CHECK(words_of_options(R"(-DTEXT="a b" -DC='x "y' -I my\ folder)") ==
        Words{"-DTEXT=a b", "-DC=x \"y", "-I", "my folder"});
  CHECK(words_of_options(R"("")") == Words{""});
  CHECK(words_of_options("").empty());
}

TEST_CASE("options of the standard go to the compiler, folders below that of the host") {
  const BuildOptions options = parse_options(
      words_of_options("-D N=4 -DM -I inc -I/abs -cl-std=CL3.0 -cl-fast-relaxed-math -Werror -w"), "/here");
  CHECK(options.compiler == Words{"-DN=4", "-DM", "-I/here/inc", "-I/abs", "-cl-std=CL3.0",
                                  "-cl-fast-relaxed-math", "-Werror", "-w"});
  CHECK(options.folders == std::vector<std::filesystem::path>{"/here/inc", "/abs"});
  CHECK(options.unknown.empty());
  CHECK_FALSE(options.makes_library);
}

TEST_CASE("options without a meaning are left out") {
  const BuildOptions options =
      parse_options(words_of_options("-g -cl-opt-disable -O3 -cl-kernel-arg-info"), "/");
  CHECK(options.compiler.empty());
  CHECK(options.unknown.empty());
}

TEST_CASE("options that reach other programs, files or machines are unknown") {
  const Words bad{"-fplugin=x.so", "-Xclang", "-load", "-include",    "-Wl,-T,x", "-Wa,x", "-o",
                  "-cl-std=CLC++", "-mllvm",  "@file", "/etc/passwd", "-target",  "-D"};
  CHECK(parse_options(bad, "/").unknown == bad);
}

TEST_CASE("-create-library makes a library") {
  CHECK(parse_options({"-create-library", "-enable-link-options"}, "/").makes_library);
}
