// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/command_names.h"

#include "models/matrix_unit/cisc_expander.h"
#include "testbenches/support/catch.h"

using namespace spica::matrix_unit;

TEST_CASE("a CISC command has a name in exactly the command sets that know it") {
  for (const CommandSet set : {CommandSet::kQuartileV1, CommandSet::kQuartile, CommandSet::kHexadecile}) {
    MatrixUnitParams params;
    params.command_set = set;
    const CiscExpander expander(params);
    for (std::uint32_t opcode = 0; opcode < 32; ++opcode) {
      INFO("set " << static_cast<int>(set) << ", opcode " << opcode);
      CHECK((cisc_name(set, opcode).find("unknown") == std::string::npos) == expander.expand(opcode).known);
    }
  }
}

TEST_CASE("names of hexadecile commands say which sixteenths") {
  CHECK(cisc_name(CommandSet::kHexadecile, 10 | 3 << 8 | 7 << 16) == "load A to H3, B to H7");
  CHECK(cisc_name(CommandSet::kHexadecile, 0 | 1 << 8 | 2 << 16 | 1 << 24) == "compute H1 x H2, accumulate");
  CHECK(cisc_name(CommandSet::kQuartile, 10) == "load A to Q0, B to Q2");
}

TEST_CASE("RoCC functions are called as Gemmini's software calls them") {
  CHECK(rocc_name(2) == "mvin");
  CHECK(rocc_name(8) == "loop_ws");
  CHECK(rocc_name(63) == "unknown function 63");
}
