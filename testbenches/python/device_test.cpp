// SPDX-License-Identifier: Apache-2.0
// Devices: kernels of several programs on one machine.
#include <spica/device.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "testbenches/support/catch.h"

using Catch::Contains;
using spica::Device;
using spica::Launch;
using spica::LaunchTimes;
using spica::Machine;
using spica::Program;
using spica::Ticket;

namespace {

const std::string kFirst = SPICA_TEST_FIRST, kSecond = SPICA_TEST_SECOND;
constexpr std::uint64_t kData = 0xA000'0000, kBlocks = 0xA100'0000;

struct Arguments {
  std::uint32_t n;
  float value;
  std::uint32_t x;
};

/// A machine as a device in a process of its own.
struct Stand {
  explicit Stand(const std::string& mode, std::vector<std::string> settings = {"cluster.cores=2"},
                 const spica::DeviceOptions& options = {})
      : machine(Machine::separate("virgo", with(mode, std::move(settings)))), device(machine, options) {}

  explicit Stand(Machine own) : machine(std::move(own)), device(machine) {}

  static std::vector<std::string> with(const std::string& mode, std::vector<std::string> settings) {
    settings.push_back("run.mode=" + mode);
    return settings;
  }
  /// A launch over `n` elements at `x`; its argument block is a new one.
  Launch launch(const Program& program, const std::string& kernel, unsigned n, float value,
                std::uint64_t x = kData) {
    Launch launch;
    launch.kernel = program.kernel(kernel).id;
    launch.grid = {(n + 63) / 64};
    launch.block = {64};
    launch.arguments = kBlocks + 16 * blocks++;
    const Arguments arguments{n, value, static_cast<std::uint32_t>(x)};
    machine.write(launch.arguments, &arguments, sizeof arguments);
    return launch;
  }
  Ticket run(const Program& program, const std::string& kernel, unsigned n, float value) {
    const Ticket ticket = device.enqueue(0, launch(program, kernel, n, value));
    REQUIRE(device.run_until(ticket));
    CHECK(device.is_complete(ticket));
    return ticket;
  }

  Machine machine;
  Device device;
  unsigned blocks = 0;
};

void check_order(const LaunchTimes& times) {
  CHECK(times.submitted <= times.launched);
  CHECK(times.launched <= times.begun);
  CHECK(times.begun <= times.ended);
  CHECK(times.ended <= times.completed);
  CHECK(times.completed != LaunchTimes::kNever);
}

/// What two programs launched alternately leave, and all times.
std::vector<std::uint64_t> alternate(const std::string& mode) {
  Stand stand(mode);
  Machine& machine = stand.machine;
  const Program first = stand.device.add(kFirst), second = stand.device.add(kSecond);
  CHECK(first.ranges.front().begin == 0x8000'0000);
  CHECK(second.ranges.front().begin == 0x9000'0000);
  std::vector<std::uint64_t> times;
  std::vector<float> x(128, 1);
  machine.write(kData, x);
  for (unsigned round = 0; round < 2; ++round) {
    for (const auto& [program, kernel, value] :
         {std::tuple(&first, "add", 2.0F), std::tuple(&second, "scale", 3.0F)}) {
      const Ticket ticket = stand.run(*program, kernel, 128, value);
      const LaunchTimes found = stand.device.times(ticket);
      check_order(found);
      if (!times.empty()) CHECK(found.submitted >= times.back());
      times.insert(times.end(), {found.submitted, found.launched, found.begun, found.ended, found.completed});
    }
    for (float& value : x) value = (value + 2) * 3;
    CHECK(machine.read<float>(kData, x.size()) == x);
    x.assign(x.size(), static_cast<float>(round));
    machine.write(kData, x);
  }
  std::uint32_t launches = 0;
  machine.read(stand.device.symbol(first.id, "launches"), &launches, sizeof launches);
  CHECK(launches == 2);
  CHECK(machine.run().good());
  CHECK_THROWS_WITH(stand.device.enqueue_barrier(0), Contains("has ended"));
  times.push_back(machine.cycles());
  return times;
}

double cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

const std::string kModes[] = {"cycle", "fast"};

}  // namespace

TEST_CASE("two programs at different addresses run alternately, and the host reads and writes in between") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    CHECK(alternate(mode) == alternate(mode));
  }
}

TEST_CASE("queues depend on each other") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program first = stand.device.add(kFirst), second = stand.device.add(kSecond);
    stand.machine.write(kData, std::vector<float>(1024, 1));
    // ((1 + 2) * 3 + 4) * 5, in turns of two queues
    Launch launch = stand.launch(first, "add", 1024, 2);
    const Ticket a = stand.device.enqueue(0, launch);
    launch = stand.launch(second, "scale", 1024, 3);
    launch.after = {a};
    const Ticket b = stand.device.enqueue(1, launch);
    launch = stand.launch(first, "add", 1024, 4);
    launch.after = {b, a};
    const Ticket c = stand.device.enqueue(0, launch);
    launch = stand.launch(second, "scale", 1024, 5);
    launch.after = {c};
    const Ticket d = stand.device.enqueue(1, launch);
    const Ticket barrier = stand.device.enqueue_barrier(2, {a, b, c, d});
    CHECK(!stand.device.is_complete(a));
    CHECK(stand.device.times(a).launched == LaunchTimes::kNever);
    REQUIRE(stand.device.run_until(barrier));
    for (const Ticket ticket : {a, b, c, d}) check_order(stand.device.times(ticket));
    CHECK(stand.device.times(b).launched >= stand.device.times(a).ended);
    CHECK(stand.device.times(d).launched >= stand.device.times(c).ended);
    CHECK(stand.device.times(barrier).launched == LaunchTimes::kNever);
    CHECK(stand.machine.read<float>(kData, 1024) == std::vector<float>(1024, 65));
  }
}

TEST_CASE("launches of a queue that are not in order overlap; those in order do not") {
  Stand stand("cycle");
  const Program first = stand.device.add(kFirst);
  for (const bool in_order : {true, false}) {
    Launch launch = stand.launch(first, "add", 64, 1);
    const Ticket one = stand.device.enqueue(0, launch);
    launch.in_order = in_order;
    const Ticket other = stand.device.enqueue(0, launch);
    REQUIRE(stand.device.run_idle());
    CHECK((stand.device.times(other).begun >= stand.device.times(one).ended) == in_order);
  }
}

TEST_CASE("launches and programs may come while a kernel runs") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program first = stand.device.add(kFirst);
    stand.machine.write(kData, std::vector<float>(65536, 1));
    const Ticket one = stand.device.enqueue(0, stand.launch(first, "add", 65536, 1));
    REQUIRE(stand.machine.run_cycles(500));
    CHECK(!stand.device.is_complete(one));
    const Program second = stand.device.add(kSecond);
    const Ticket other = stand.device.enqueue(1, stand.launch(second, "scale", 64, 3, kData + 0x80'0000));
    REQUIRE(stand.device.run_until(one));
    REQUIRE(stand.device.run_until(other));
    CHECK(stand.device.times(other).submitted < stand.device.times(one).ended);
    CHECK(stand.machine.read<float>(kData, 65536) == std::vector<float>(65536, 2));
    const std::uint64_t cycles = stand.machine.cycles();
    REQUIRE(stand.machine.run_cycles(1'000'000));  // nothing is left to do
    CHECK(stand.machine.cycles() <= cycles + 1000);
  }
}

TEST_CASE("the shared memory of a work group is set by the launch") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program second = stand.device.add(kSecond);
    stand.machine.write(kData, std::vector<float>(256, 2));
    Launch launch = stand.launch(second, "add_up", 256, 0);
    launch.grid = {2};
    launch.block = {128};
    launch.shared_bytes = 512;
    REQUIRE(stand.device.run_until(stand.device.enqueue(3, launch)));
    const auto sums = stand.machine.read<float>(kData, 256);
    CHECK(sums[0] == 256);
    CHECK(sums[255] == 256);
    launch.shared_bytes = 1 << 20;
    CHECK_THAT(stand.device.problems(launch),
               Contains("kernel 'add_up': a work group needs 1048576 bytes of shared memory"));
    CHECK_THROWS_WITH(stand.device.enqueue(0, launch), Contains("bytes of shared memory"));
  }
}

TEST_CASE("a shipped kernel is a program like others") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program stream = stand.device.add("gpu_stream"), second = stand.device.add(kSecond);
    const std::uint64_t y = kData + 0x1000, z = kData + 0x2000;
    stand.machine.write(y, std::vector<float>(256, 4));
    stand.machine.write(z, std::vector<float>(256, 1));
    const struct {
      std::uint32_t words, repeat;
      std::uint64_t x, y, z, stride;
    } arguments{256, 1, kData, y, z, 128};
    stand.machine.write(kBlocks, &arguments, sizeof arguments);
    Launch launch;
    launch.kernel = stream.kernel("triad").id;
    launch.grid = {2};
    launch.block = {64};
    launch.arguments = kBlocks;
    REQUIRE(stand.device.run_until(stand.device.enqueue(0, launch)));
    stand.blocks = 16;
    stand.run(second, "scale", 256, 2);
    CHECK(stand.machine.read<float>(kData, 256) == std::vector<float>(256, 12));
  }
}

TEST_CASE("a firmware of the command processor passes launches on") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode, {"cluster.cores=2", "command_processor.firmware=command_processor"});
    const Program first = stand.device.add(kFirst);
    stand.machine.write(kData, std::vector<float>(64, 1));
    for (unsigned i = 0; i < 3; ++i) check_order(stand.device.times(stand.run(first, "add", 64, 1)));
    CHECK(stand.machine.read<float>(kData, 64) == std::vector<float>(64, 4));
  }
}

TEST_CASE("a fault of the second program names its source line and ends the device") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program first = stand.device.add(kFirst), second = stand.device.add(kSecond);
    stand.run(first, "add", 64, 1);
    Launch launch = stand.launch(second, "fails", 64, 0);
    const Ticket ticket = stand.device.enqueue(0, launch);
    CHECK(!stand.device.run_until(ticket));
    const spica::Outcome outcome = stand.machine.run();
    CHECK(outcome.end == spica::Outcome::End::kFault);
    REQUIRE(!outcome.faults.empty());
    const spica::Fault& fault = outcome.faults.back();
    CHECK(fault.function == "fails");
    CHECK_THAT(fault.file, Catch::EndsWith("device_second.cpp"));
    CHECK(fault.line == 27);
    CHECK(stand.device.faults().size() == outcome.faults.size());
    CHECK_THROWS_WITH(stand.device.enqueue(0, launch), Contains("has ended"));
  }
}

TEST_CASE("a kernel that waits in vain ends the device with a report") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode, {"cluster.cores=1", "run.hang_cycles=20000"});
    const Program second = stand.device.add(kSecond);
    stand.machine.write(kData, std::vector<float>(1, 0));
    CHECK(!stand.device.run_until(stand.device.enqueue(0, stand.launch(second, "waits", 64, 0))));
    const spica::Outcome outcome = stand.machine.run();
    CHECK(outcome.end == spica::Outcome::End::kLivelock);
    CHECK_THAT(outcome.report, Contains("device_second.cpp:31"));
  }
}

TEST_CASE(
    "warps that have ended arrive at barriers where the dispatcher says so, with one warning per kernel") {
  for (const std::string& mode : kModes)
    for (const char* cores : {"cluster.cores=1", "cluster.cores=2", "cluster.cores=4"}) {
      INFO(mode << ", " << cores);
      Stand stand(mode, {cores, "dispatcher.ended_warps_arrive=true"});
      const Program second = stand.device.add(kSecond);
      stand.machine.write(kData, std::vector<float>(256, 1));
      stand.run(second, "returns_early", 256, 1);
      stand.run(second, "returns_early", 256, 1);
      const auto x = stand.machine.read<float>(kData, 256);
      for (unsigned i = 0; i < 256; ++i) CHECK(x[i] == (i / 8 % 2 == 0 ? 3 : 1));
      const std::vector<spica::Fault> faults = stand.device.faults();
      REQUIRE(faults.size() == 1);
      CHECK(faults[0].severity == spica::Fault::Severity::kWarning);
      CHECK_THAT(faults[0].text, Contains("a barrier that warps of the work group do not reach"));
      CHECK_THAT(faults[0].text, Contains("device_second.cpp:43"));
      CHECK(stand.machine.run().good());
    }
}

TEST_CASE("by default a barrier that warps do not reach is a hang") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program second = stand.device.add(kSecond);
    CHECK(!stand.device.run_until(stand.device.enqueue(0, stand.launch(second, "returns_early", 64, 1))));
    const spica::Outcome outcome = stand.machine.run();
    CHECK(outcome.end == spica::Outcome::End::kDeadlock);
    CHECK_THAT(outcome.report, Contains("device_second.cpp:43"));
  }
}

TEST_CASE("checks follow all programs of a device") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Machine machine = Machine::separate("virgo", {"cluster.cores=2", "run.mode=" + mode});
    spica::Observation observation;
    observation.checks = {"hazards", "memory"};
    machine.observe(observation);
    Stand stand(std::move(machine));
    stand.machine.write(kData, std::vector<float>(128, 1));  // also before there is a program
    const Program first = stand.device.add(kFirst), second = stand.device.add(kSecond);
    stand.run(first, "add", 128, 1);  // each after the one before: no race
    stand.run(second, "scale", 128, 2);
    Launch launch = stand.launch(first, "add", 128, 1);
    launch.arguments = stand.launch(first, "add", 128, 1).arguments;
    stand.device.enqueue(1, launch);
    stand.device.enqueue(2, stand.launch(second, "scale", 128, 3));  // a race
    REQUIRE(stand.device.run_idle());
    const spica::Outcome outcome = stand.machine.run();
    std::string findings;
    for (const auto& [name, text] : outcome.documents)
      if (name == "findings.txt") findings = text;
    CHECK_THAT(findings, Contains("two unordered accesses") && Contains("device_first.cpp:") &&
                             Contains("device_second.cpp:13"));
    CHECK_THAT(findings, Contains("memory errors: none found"));
  }
}

TEST_CASE("programs come and go") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode);
    const Program first = stand.device.add(kFirst);
    CHECK_THROWS_WITH(stand.device.add(kFirst), Contains("overlaps") && Contains("__program_base"));
    stand.machine.write(kData, std::vector<float>(64, 1));
    stand.run(first, "add", 64, 1);
    const Ticket last = stand.device.enqueue(0, stand.launch(first, "add", 64, 1));
    CHECK_THROWS_WITH(stand.device.remove(first.id), Contains("has not completed"));
    REQUIRE(stand.device.run_until(last));
    stand.device.remove(first.id);
    CHECK_THROWS_WITH(stand.device.enqueue(0, stand.launch(first, "add", 64, 1)), Contains("has no kernel"));
    // Another program at the same addresses: what was decoded before must not run.
    const Program other = stand.device.add(SPICA_TEST_OTHER);
    CHECK(other.ranges.front().begin == first.ranges.front().begin);
    stand.run(other, "scale", 64, 5);
    CHECK(stand.machine.read<float>(kData, 64) == std::vector<float>(64, 15));
  }
}

TEST_CASE("a queue that is full makes room") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    Stand stand(mode, {"cluster.cores=1"}, {16});
    const Program first = stand.device.add(kFirst);
    stand.machine.write(kData, std::vector<float>(64, 0));
    Ticket last = 0;
    for (unsigned i = 0; i < 100; ++i) last = stand.device.enqueue(i % 2, stand.launch(first, "add", 64, 1));
    REQUIRE(stand.device.run_idle());
    CHECK(stand.device.is_complete(last));
    CHECK(stand.machine.read<float>(kData, 1) == std::vector<float>{100});
  }
}

TEST_CASE("10,000 empty launches take at most 5 seconds of CPU in the fast mode") {
  const bool accounts = GENERATE(false, true);
  INFO("with the account by launch: " << accounts);
  const double before = cpu_seconds_of_children();
  {
    Machine machine = Machine::separate("virgo", {"run.mode=fast"});
    spica::Observation observation;
    observation.launches = accounts;
    machine.observe(observation);
    Stand stand(std::move(machine));
    const Program first = stand.device.add(kFirst);
    for (unsigned i = 0; i < 10'000; ++i) {
      const Ticket ticket = stand.device.enqueue(0, stand.launch(first, "nothing", 64, 0));
      if (!stand.device.run_until(ticket)) FAIL("it has ended");
    }
    const auto documents = stand.machine.run().documents;
    const auto has_account = [](const auto& document) { return document.first == "launches.json"; };
    CHECK(std::any_of(documents.begin(), documents.end(), has_account) == accounts);
  }
  CHECK(cpu_seconds_of_children() - before < 5);
}

TEST_CASE("the account by launch of a device has names, and adds up to its time") {
  for (const std::string& mode : kModes) {
    Machine machine = Machine::separate("virgo", {"run.mode=" + mode, "cluster.cores=2"});
    spica::Observation observation;
    observation.launches = true;
    machine.observe(observation);
    Stand stand(std::move(machine));
    const Program first = stand.device.add(kFirst);
    Launch named = stand.launch(first, "add", 64, 1);
    named.name = "first layer";
    stand.device.enqueue(0, named);
    stand.device.enqueue(1, stand.launch(first, "add", 64, 1));
    REQUIRE(stand.device.run_idle());
    std::string account;
    for (const auto& [name, text] : stand.machine.run().documents)
      if (name == "launches.json") account = text;
    CHECK_THAT(account, Contains("\"name\": \"first layer\"") && Contains("\"name\": \"add\"") &&
                            Contains("\"by_name\"") && Contains("\"total\""));
  }
}

TEST_CASE("a device that waits for its host uses no CPU") {
  for (const std::string& mode : kModes) {
    INFO(mode);
    const double before = cpu_seconds_of_children();
    {
      Stand stand(mode);
      stand.run(stand.device.add(kFirst), "nothing", 64, 0);
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    CHECK(cpu_seconds_of_children() - before < 1);
  }
}

TEST_CASE("what one program has is refused by name") {
  Stand stand("fast");
  CHECK_THROWS_WITH(stand.machine.arguments("u32:1"), Contains("device"));
  CHECK_THROWS_WITH(stand.machine.load(kFirst), Contains("before"));
  CHECK_THROWS_WITH(stand.device.enqueue_barrier(99), Contains("there is no queue 99"));
  CHECK_THROWS_WITH(stand.device.run_until(7), Contains("there is no ticket 7"));
  Machine machine = Machine::separate("virgo");
  CHECK_THROWS_WITH(Device(machine, {17}), Contains("queue_packets=17"));
}
