// SPDX-License-Identifier: Apache-2.0
// SystemC's library wants sc_main to exist. Catch2's packaged main runs the tests, which call sc_start
// themselves; ctest gives each TEST_CASE a process of its own, because SystemC elaborates once.
#include <systemc>

int sc_main(int, char*[]) { return 0; }
