// SPDX-License-Identifier: Apache-2.0

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/trace/trace_bench.h"

using namespace spica;
using testbench::TraceBench;
using Reason = protocol::IssueReason;

TEST_CASE("the instruction log has a warp's instructions in program order, with values as of their commit") {
  TraceBench bench;
  bench.trace("t.log");
  for (unsigned lane = 0; lane < 4; ++lane) bench.registers.row(11)[lane] = 0x1000 + 4 * lane;  // a1
  bench.issue(10, TraceBench::at(0, 1, 4), testbench::kLoad);
  for (unsigned lane = 0; lane < 4; ++lane)
    bench.registers.row(11)[lane] = 0;  // the address is that of the issue
  bench.issue(12, TraceBench::at(0, 1, 8), testbench::kStore);
  bench.tracer->on_commit(14, TraceBench::at(0, 1, 8), bench.registers);  // out of order
  for (unsigned lane = 0; lane < 4; ++lane) bench.registers.row(10)[lane] = 0x2A;  // a0
  bench.tracer->on_commit(20, TraceBench::at(0, 1, 4), bench.registers);
  bench.issue(21, TraceBench::at(0, 1, 12, 0x3), testbench::kAddi);
  bench.tracer->end(25);
  const std::string text = bench.text("t.log");
  CHECK(text.substr(text.find('\n') + 1) ==
        "10 c0.w1 #0 0x80000004 f lw a0,4(a1) | a0=0x2a load @0x1004+4*i\n"
        "12 c0.w1 #1 0x80000008 f sw a0,8(a1) | store @0x8:0x0\n"
        "21 c0.w1 #2 0x8000000c 3 addi a0,a0,1 | not committed\n");
}

TEST_CASE("without cycles the same instructions at other times give the same log") {
  std::string logs[2];
  for (const unsigned delay : {0u, 5u}) {
    TraceBench bench;
    bench.trace("t.log", {}, true);
    bench.issue(10 + delay, TraceBench::at(1, 0, 0), testbench::kAddi);
    bench.tracer->on_commit(13 + 3 * delay, TraceBench::at(1, 0, 0), bench.registers);
    bench.tracer->end(100);
    logs[delay != 0] = bench.text("t.log");
  }
  CHECK(logs[0] == logs[1]);
  CHECK(logs[0].find("c1.w0 #0 0x80000000 f addi a0,a0,1 | a0=0x0\n") != std::string::npos);
}

TEST_CASE("the pipeline log takes an instruction from fetch to commit and flushes a dropped one") {
  TraceBench bench;
  bench.trace("t.kanata");
  const isa::Instruction addi = isa::decode(testbench::kAddi);
  bench.tracer->on_fetch(5, TraceBench::at(0, 1, 0));
  bench.tracer->on_decode(8, TraceBench::at(0, 1, 0), addi);
  bench.state(9, TraceBench::at(0, 1, 0), Reason::kAluResult);
  bench.tracer->on_fetch(10, TraceBench::at(1, 0, 4));
  bench.issue(11, TraceBench::at(0, 1, 0), testbench::kAddi);
  bench.tracer->on_drop(12, TraceBench::at(1, 0, 4));
  bench.tracer->on_commit(15, TraceBench::at(0, 1, 0), bench.registers);
  bench.tracer->end(20);
  CHECK(bench.text("t.kanata") ==
        "Kanata\t0004\nC=\t5\n"
        "I\t0\t0\t1\nL\t0\t0\tc0.w1 80000000: \nS\t0\t0\tF\n"
        "C\t3\nL\t0\t0\taddi a0,a0,1\nL\t0\t1\tfirst; \nE\t0\t0\tF\nS\t0\t0\tD\n"
        "C\t1\nS\t0\t1\talu_result\nE\t0\t0\tD\nS\t0\t0\tB\n"
        "C\t1\nI\t1\t1\t2\nL\t1\t0\tc1.w0 80000004: \nS\t1\t0\tF\n"
        "C\t1\nL\t0\t1\tlanes 0xf\nE\t0\t1\talu_result\nE\t0\t0\tB\nS\t0\t0\tI\n"
        "C\t1\nE\t1\t0\tF\nR\t1\t0\t1\n"
        "C\t1\nE\t0\t0\tI\nS\t0\t0\tX\n"
        "C\t2\nE\t0\t0\tX\nS\t0\t0\tC\n"
        "C\t1\nE\t0\t0\tC\nR\t0\t0\t0\nC\t4\n");
}

TEST_CASE("waves change once per cycle, and what changes back is no change") {
  TraceBench bench;
  bench.trace("t.vcd", {"core=1"});
  const protocol::Origin warp = TraceBench::at(1, 0, 0);
  bench.tracer->on_issue_slot(4, 1, warp, static_cast<unsigned>(Reason::kIssued));
  bench.tracer->on_issue_slot(4, 1, warp, static_cast<unsigned>(Reason::kFetch));
  bench.tracer->on_issue_slot(6, 1, warp, static_cast<unsigned>(Reason::kIssued));
  bench.tracer->on_issue_slot(6, 1, warp, static_cast<unsigned>(Reason::kFetch));
  bench.tracer->on_command(8, 7, warp, 3);
  bench.tracer->end(10);
  const std::string text = bench.text("t.vcd");
  const std::string body = text.substr(text.find("$end\n#", text.find("$dumpvars")) + 5);
  CHECK(text.find("$scope module core_1 $end") != std::string::npos);
  CHECK(text.find("$scope module core_0 $end") == std::string::npos);
  // fetch is reason 11, no_warp 15, behind them three signals of the core; then the unit's commands
  CHECK(body.substr(0, body.find("#25000")) == "#10000\n1,\n00\n#20000\nb1 4\n");
}

TEST_CASE("the timeline has a slice for each thing a warp does, and closes the last one") {
  TraceBench bench;
  bench.trace("t.json", {"core=0"});
  bench.state(2, TraceBench::at(0, 0, 0), Reason::kIssued);
  bench.state(3, TraceBench::at(0, 0, 4), Reason::kIssued);
  bench.state(4, TraceBench::at(0, 0, 8), Reason::kGlobalLoad);
  bench.state(4, TraceBench::at(1, 0, 8), Reason::kGlobalLoad);
  bench.tracer->end(8);
  const std::string text = bench.text("t.json");
  CHECK(text.find("\"pid\":1,\"tid\":0,\"ts\":0.005,\"dur\":0.005,\"name\":\"running\"") !=
        std::string::npos);
  CHECK(
      text.find(
          "\"ts\":0.01,\"dur\":0.01,\"name\":\"global_load\",\"args\":{\"pc\":\"0x80000008\",\"at\":\"second\"}") !=
      std::string::npos);
  CHECK(text.find("\"pid\":2") == std::string::npos);
  CHECK(text.substr(text.size() - 4) == "\n]}\n");
}

TEST_CASE(
    "kernels of a queue have a thread, those that run at the same time several, open ones end with the trace") {
  TraceBench bench;
  bench.context.queues = 4;
  bench.trace("t.json");
  bench.tracer->describe_kernels([](const protocol::KernelRun& run) {
    return run.queue == 2 ? trace::KernelText{"left", "product", "gemm", "8x2", "n=3"} : trace::KernelText{};
  });
  const auto launch = [&](base::Cycle cycle, unsigned kernel, unsigned queue, unsigned packet) {
    bench.tracer->on_kernel_launch(cycle, 9, kernel, {queue, packet, cycle});
  };
  const auto end = [&](base::Cycle cycle, unsigned kernel, protocol::KernelRun run) {
    run.ended = cycle;
    bench.tracer->on_kernel_end(cycle, 9, kernel, run);
  };
  launch(4, 1, 2, 0);
  launch(8, 2, 3, 5);
  launch(12, 3, 3, 6);
  end(16, 1, {2, 0, 4, 6});
  end(20, 2, {3, 5, 8, 10});
  launch(24, 4, 3, 7);  // the first thread is free again
  bench.tracer->end(40);
  const std::string text = bench.text("t.json");
  const auto has = [&](const std::string& piece) { return text.find(piece) != std::string::npos; };
  CHECK(has("\"tid\":128,\"name\":\"thread_name\",\"args\":{\"name\":\"left\"}"));
  CHECK(has("\"tid\":192,\"name\":\"thread_name\",\"args\":{\"name\":\"queue 3\"}"));
  CHECK(has("\"tid\":193,\"name\":\"thread_name\",\"args\":{\"name\":\"queue 3 (2)\"}"));
  CHECK(has(
      "\"tid\":128,\"ts\":0.01,\"dur\":0.03,\"name\":\"product\",\"args\":{\"kernel\":\"gemm\",\"grid\":\"8x2\","
      "\"args\":\"n=3\",\"launched\":4,\"begun\":6,\"ended\":16,\"queue\":2,\"packet\":0}"));
  CHECK(has(
      "\"tid\":193,\"ts\":0.03,\"dur\":0.07,\"name\":\"packet 6\",\"args\":{\"launched\":12,\"queue\":3"));
  CHECK(has("\"tid\":192,\"ts\":0.06,\"dur\":0.04,\"name\":\"packet 7\""));
}

TEST_CASE("a window of time cuts kernels off at its ends, in the timeline and in waves") {
  for (const char* file : {"t.json", "t.vcd"}) {
    TraceBench bench;
    bench.context.queues = 4;
    bench.context.queues_block = "queues_of_kernels";
    bench.trace(file, {"cycles=10-19"});
    bench.tracer->on_kernel_launch(4, 9, 1, {0, 0, 4});
    bench.tracer->on_kernel_launch(12, 9, 2, {3, 0, 12});
    bench.tracer->on_kernel_end(14, 9, 1, {0, 0, 4, 5, 14});
    bench.tracer->on_kernel_end(30, 9, 2, {3, 0, 12, 13, 30});
    bench.tracer->end(40);
    const std::string text = bench.text(file);
    const auto has = [&](const std::string& piece) { return text.find(piece) != std::string::npos; };
    if (file == std::string("t.vcd")) {
      CHECK(has("$scope module queues_of_kernels $end\n$var wire 4 "));
      CHECK(has("#30000\nb1001 "));
      CHECK(has("#35000\nb1000 "));
    } else {
      CHECK(has("\"tid\":0,\"ts\":0.025,\"dur\":0.01,"));
      CHECK(has("\"tid\":192,\"ts\":0.03,\"dur\":0.02,"));
    }
  }
}

TEST_CASE("a trace that reaches its limit ends and says so, others go on") {
  TraceBench bench;
  trace::TraceOptions options;
  options.traces = {(bench.folder / "t.log").string(), (bench.folder / "t.vcd").string()};
  options.limit = 65536;
  bench.tracer = std::make_unique<trace::Tracer>(options, bench.context, bench.program);
  for (unsigned i = 0; i < 5000; ++i) {
    bench.issue(i, TraceBench::at(0, 0, 0), testbench::kAddi);
    bench.tracer->on_commit(i, TraceBench::at(0, 0, 0), bench.registers);
  }
  bench.tracer->on_issue_slot(6000, 0, TraceBench::at(0, 0, 0), 0);
  bench.tracer->end(7000);
  const std::string text = bench.text("t.log");
  CHECK(text.size() <= 65536);
  CHECK(text.size() > 50000);
  CHECK(text.find("# end of trace: the file has reached its limit of 65536 bytes in cycle ") !=
        std::string::npos);
  REQUIRE(bench.tracer->notes().size() == 1);
  CHECK(bench.tracer->notes()[0].find("t.log is not complete") != std::string::npos);
  CHECK(bench.text("t.vcd").find("#15000000\n") != std::string::npos);
}

TEST_CASE("a trace for which there is no room ends, others go on, and nothing is thrown") {
  TraceBench bench;
  trace::TraceOptions options;
  options.traces = {"log=/dev/full", (bench.folder / "t.log").string()};
  bench.tracer = std::make_unique<trace::Tracer>(options, bench.context, bench.program);
  for (unsigned i = 0; i < 20000; ++i) {
    bench.issue(i, TraceBench::at(0, 0, 0), testbench::kAddi);
    bench.tracer->on_commit(i, TraceBench::at(0, 0, 0), bench.registers);
  }
  bench.tracer->end(30000);
  REQUIRE(bench.tracer->failures().size() == 1);
  CHECK(bench.tracer->failures()[0].find("trace /dev/full ends before cycle ") == 0);
  CHECK(bench.tracer->failures()[0].find("No space left on device") != std::string::npos);
  CHECK(bench.text("t.log").find("19999 c0.w0") != std::string::npos);
}

TEST_CASE("a program's markers switch traces on and off") {
  TraceBench bench;
  bench.trace("t.log", {"cycles=region"});
  const auto run = [&](base::Cycle cycle) {
    bench.issue(cycle, TraceBench::at(0, 0, 0), testbench::kAddi);
    bench.tracer->on_commit(cycle, TraceBench::at(0, 0, 0), bench.registers);
  };
  run(1);
  bench.tracer->at_markers(3, 2, 0);
  run(4);
  bench.tracer->at_markers(5, 0, 1);
  run(6);
  bench.tracer->at_markers(7, 0, 1);
  run(8);
  bench.tracer->end(9);
  const std::string text = bench.text("t.log");
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find("\n4 c0") != std::string::npos);
  CHECK(text.find("\n6 c0") != std::string::npos);
}

TEST_CASE("a trace that cannot be written is a user error") {
  TraceBench bench;
  CHECK_THROWS_AS(bench.trace("no/folder/t.log"), input::UserError);
  CHECK_THROWS_AS(bench.trace("t.unknown"), input::UserError);
  CHECK_THROWS_AS(bench.trace("t.log", {"core=2"}), input::UserError);
}
