// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/user_frame.h"

#include "testbenches/support/catch.h"

using spica::loader::Location;
using spica::loader::of_library;
using spica::loader::user_frame;

TEST_CASE("files of the kernel library are known wherever its folder lies") {
  for (const char* file :
       {"sw/lib/include/simt.h", "sw/lib/include/spica/matrix.h", "/opt/spica/sw/lib/include/simt.h",
        "../../spica/sw/lib/spawn.cpp", "sw/lib/with_mask.S", "/x/sw/lib/include/spica/cuda/atomics.h",
        "sw/lib/include/cuda/cooperative_groups.h"})
    CHECK(of_library(file));
}

TEST_CASE("files of the user are not of the library, whatever they are called") {
  for (const char* file : {"simt.h", "main.cpp", "/home/me/simt.h", "sw/lib/mine.cpp", "sw/kernels/simt.h",
                           "mysw/lib/simt.h", "sw/lib/include/deeper/simt.h", ""})
    CHECK_FALSE(of_library(file));
}

TEST_CASE("the user's line is the innermost outside of the library") {
  Location location;
  location.frame = {"simt_bar", "/x/sw/lib/include/simt.h", 50};
  location.inlined_into = {
      {"simt_barrier", "/x/sw/lib/include/simt.h", 60}, {"step", "a.cpp", 7}, {"main", "a.cpp", 20}};
  CHECK(user_frame(location).function == "step");
  location.inlined_into.resize(1);
  CHECK(user_frame(location).function == "simt_bar");
  location.frame.file = "a.cpp";
  CHECK(user_frame(location).function == "simt_bar");
}
