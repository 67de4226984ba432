// SPDX-License-Identifier: Apache-2.0

#include "testbenches/unit/profile/profile_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::profile;
using namespace spica::testbench;

namespace {

struct WarpCalls {
  CallTree tree;
  CallStack stack{tree};
  isa::RegisterFile registers{4};

  void issue(std::uint32_t pc, std::uint32_t word) {
    const isa::Instruction instruction = isa::decode(word);
    const protocol::Origin origin = origin_of(pc);
    stack.issue({0, origin, instruction, registers});
  }
  void return_to(std::uint32_t target, std::uint32_t from) {
    for (unsigned lane = 0; lane < 4; ++lane) registers.row(1)[lane] = target;
    issue(from, kReturn);
  }
  /// Call sites from the outside to the inside.
  std::vector<std::uint32_t> sites(std::uint32_t pc) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t node = stack.at(pc); node != 0; node = tree.node(node).parent)
      result.insert(result.begin(), tree.node(node).site);
    return result;
  }
};
using Sites = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a call counts from its target on, and ends behind the return") {
  WarpCalls s;
  s.issue(0x100, kCall);
  CHECK(s.sites(0x100) == Sites{});  // the call itself belongs to the caller
  CHECK(s.sites(0x10C) == Sites{0x100});
  s.issue(0x10C, kNop);
  s.return_to(0x104, 0x110);
  CHECK(s.sites(0x110) == Sites{0x100});
  CHECK(s.sites(0x104) == Sites{});
}

TEST_CASE("a function that ends with a jump to another one returns for both") {
  WarpCalls s;
  s.issue(0x100, kCall);
  s.issue(0x10C, kTail);
  CHECK(s.sites(0x114) == Sites{0x100});
  s.return_to(0x104, 0x114);
  CHECK(s.sites(0x104) == Sites{});
}

TEST_CASE("a return over several calls leaves them all, one that fits no call changes nothing") {
  WarpCalls s;
  s.issue(0x100, kCall);
  s.issue(0x200, kCall);
  s.issue(0x300, kCall);
  CHECK(s.sites(0x30C) == Sites{0x100, 0x200, 0x300});
  s.return_to(0x9999'0000, 0x30C);
  CHECK(s.sites(0x310) == Sites{0x100, 0x200, 0x300});
  s.return_to(0x104, 0x310);
  CHECK(s.sites(0x104) == Sites{});
}

TEST_CASE("the same calls are the same node, and depth has an end") {
  WarpCalls s;
  s.issue(0x100, kCall);
  const std::uint32_t first = s.stack.at(0x10C);
  s.return_to(0x104, 0x10C);
  s.issue(0x100, kCall);
  CHECK(s.stack.at(0x10C) == first);
  for (unsigned i = 0; i < 1000; ++i) s.issue(0x100, kCall);
  CHECK(s.sites(0x10C).size() == CallStack::kDeepest);
  s.stack.clear();
  CHECK(s.stack.at(0x10C) == 0);
}
