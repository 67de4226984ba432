// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include "platform/base/json/value.h"
#include "platform/observe/profile/flame_graph.h"
#include "platform/observe/profile/profile_json.h"
#include "platform/observe/profile/profile_text.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/profile/profile_bench.h"

using namespace spica;
using namespace spica::profile;
using namespace spica::testbench;
using Reason = protocol::IssueReason;

namespace {

/// Core 0: 5 cycles nobody, 10 in main, call, 25 waiting in leaf and 2 issuing, 8 in main; core 1: nothing.
Profile sample(const loader::Program& program) {
  const loader::SourceMap sources(program);
  Profiler profiler(2, 1);
  isa::RegisterFile registers(4);
  const auto issue = [&](base::Cycle cycle, std::uint32_t pc, std::uint32_t word, std::uint32_t lanes = 0xF) {
    const isa::Instruction instruction = isa::decode(word);
    const protocol::Origin origin = origin_of(pc, 0, 0, lanes);
    profiler.on_issue({cycle, origin, instruction, registers});
  };
  const auto slot = [&](base::Cycle cycle, std::uint32_t pc, Reason reason) {
    profiler.on_issue_slot(cycle, 0, origin_of(pc), static_cast<unsigned>(reason));
  };
  slot(5, kMain, Reason::kFetch);
  issue(14, kMain + 4, kCall);
  slot(14, kMain + 4, Reason::kIssued);
  slot(15, kLeaf, Reason::kGlobalLoad);
  issue(40, kLeaf, kNop, 0x3);
  slot(40, kLeaf, Reason::kIssued);
  profiler.on_global_request(41, 0, origin_of(kLeaf, 0, 0, 0x1), true);
  profiler.on_global_request(42, 0, origin_of(kLeaf, 0, 0, 0x2), false);
  profiler.on_shared_access(43, 0, origin_of(kLeaf), 4, 3);
  for (unsigned lane = 0; lane < 4; ++lane) registers.row(1)[lane] = kMain + 8;
  issue(41, kLeaf + 8, kReturn);
  slot(41, kLeaf + 8, Reason::kIssued);
  slot(42, kMain + 8, Reason::kAluResult);
  profiler.end(50);
  return make_profile(profiler, sources, program, 400);
}

const Row& row(const std::vector<Row>& rows, const std::string& function) {
  for (const Row& candidate : rows)
    if (candidate.function == function) return candidate;
  throw std::runtime_error("no row " + function);
}

}  // namespace

TEST_CASE("every cycle belongs to one function, and to those that called it") {
  const Profile profile = sample(two_functions());
  CHECK(profile.total == 100);
  CHECK(row(profile.functions, "(no warp runs)").cycles() == 5 + 50);
  CHECK(row(profile.functions, "main").cycles() == 10 + 8);
  CHECK(row(profile.functions, "leaf").cycles() == 27);
  CHECK(row(profile.functions, "main").total_cycles == 10 + 8 + 27);
  CHECK(row(profile.functions, "leaf").total_cycles == 27);
  CHECK(profile.functions[0].function == "(no warp runs)");
  CHECK(profile.functions[1].function == "leaf");
}

TEST_CASE("memory accesses and lanes are those of the instruction") {
  const Profile profile = sample(two_functions());
  const Counts& leaf = row(profile.instructions, "leaf").counts;
  CHECK(leaf.lanes == 2);
  CHECK(leaf.global_accesses == 1);
  CHECK(leaf.global_requests == 2);
  CHECK(leaf.global_lanes == 2);
  CHECK(leaf.bank_degree == 4);
  CHECK(leaf.unaligned_lanes == 3);
}

TEST_CASE("loads and stores through the stack pointer are stack traffic") {
  constexpr std::uint32_t kFromStack = 0x00012503, kToStack = 0x00112623,
                          kOther = 0x0005a503;  // lw 0(sp), sw 12(sp), lw 0(a1)
  const loader::Program program = two_functions();
  const loader::SourceMap sources(program);
  Profiler profiler(1, 1);
  const isa::RegisterFile registers(4);
  for (const auto& [pc, word] :
       {Event{kMain, kFromStack}, {kLeaf, kToStack}, {kLeaf + 4, kOther}, {kLeaf, kToStack}}) {
    const isa::Instruction instruction = isa::decode(word);
    const protocol::Origin origin = origin_of(pc);
    profiler.on_issue({0, origin, instruction, registers});
  }
  profiler.end(10);
  const Profile profile = make_profile(profiler, sources, program, 400);
  CHECK(row(profile.functions, "main").counts.stack_accesses == 1);
  CHECK(row(profile.functions, "leaf").counts.stack_accesses == 2);
  const std::string text = profile_text(profile, {});
  CHECK(text.find("3 of 4 instructions (75.0 %)") != std::string::npos);
}

TEST_CASE("folded stacks name the callers, the function and what the cycles went to") {
  CHECK(folded_stacks(sample(two_functions())) ==
        "(no warp runs);[no_warp] 55\n"
        "main;[issued] 1\nmain;[alu_result] 8\nmain;[fetch] 9\n"
        "main;leaf;[issued] 2\nmain;leaf;[global_load] 25\n");
}

TEST_CASE("a flame graph is one drawing that needs nothing else") {
  const std::string svg = flame_graph(sample(two_functions()), "a<b");
  CHECK(svg.find("a&lt;b: 2 issue slots, 50 cycles each") != std::string::npos);
  CHECK(svg.find("<title>leaf: 27 cycles, 27.0 %</title>") != std::string::npos);
  CHECK(svg.find("data-w=\"324.0000\"") != std::string::npos);  // 27 of 100 cycles of 1200 pixels
  CHECK(svg.find("http") == svg.find("http://www.w3.org/2000/svg"));
  CHECK(svg.rfind("http") == svg.find("http://www.w3.org/2000/svg"));
}

TEST_CASE("without symbols addresses stand for functions, and a note says so") {
  const Profile profile = sample(two_functions(false));
  CHECK(row(profile.functions, "0x80000010").cycles() == 26);
  CHECK(profile.note.find("neither debug information nor function symbols") != std::string::npos);
  CHECK(sample(two_functions()).note.find("no debug information") != std::string::npos);
  CHECK(profile_text(profile, {}).find("note: the program has neither") != std::string::npos);
}

TEST_CASE("tables and JSON have the same numbers") {
  const Profile profile = sample(two_functions());
  const json::Value json = profile_json(profile);
  CHECK(json["total_cycles"] == 100);
  CHECK(json["functions"][1]["function"] == "leaf");
  CHECK(json["functions"][1]["reasons"]["global_load"] == 25);
  TextOptions options;
  options.top = 2;
  const std::string text = profile_text(profile, options);
  CHECK(text.find("27.0 %      27      27.0 %  leaf") != std::string::npos);
  CHECK(text.find("global_load 93 %") != std::string::npos);
  CHECK(text.find("... 1 more") != std::string::npos);
  options.by = "instruction";
  CHECK(profile_text(profile, options).find("0x80000010") != std::string::npos);
}

TEST_CASE("cycles that got lost are found") {
  const loader::Program program = two_functions();
  const loader::SourceMap sources(program);
  Profiler profiler(1, 1);
  profiler.on_issue_slot(10, 0, origin_of(kMain), 0);
  profiler.end(20);
  profiler.end(15);  // never happens in a run
  CHECK_THROWS_AS(make_profile(profiler, sources, program, 400), std::logic_error);
}
