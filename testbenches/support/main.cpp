// SPDX-License-Identifier: Apache-2.0
// The start of a test program. SystemC's library has a `main`, too, and wants sc_main to exist: ours is here, so that
// it is this one whatever the order of libraries. Tests call sc_start themselves; ctest gives each TEST_CASE a process
// of its own, because SystemC elaborates once.
#define CATCH_CONFIG_RUNNER  // of version 2
#include <systemc>

#include "testbenches/support/catch.h"

int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
