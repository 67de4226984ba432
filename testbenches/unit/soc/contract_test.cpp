// SPDX-License-Identifier: Apache-2.0
// What every block owes its machine (base::Block, base::Component), checked of each block of machines that have all
// kinds between them: it is quiet when it is built, names what it counts, is looked at without a trace, drops its work
// at a reset, and is what it was when its state is loaded.
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "platform/machine/soc/soc_config.h"
#include "testbenches/unit/soc/host_system.h"

using namespace spica;
using namespace spica::testbench;

namespace {

struct Case {
  const char* config;
  std::vector<std::string> settings;
};
const Case kVirgo{"virgo", {"cluster.cores=2"}};
const Case kQueues{"virgo",
                   {"cluster.cores=2", "dispatcher.present=true", "command_processor.present=true",
                    "command_processor.firmware=some.elf"}};
const Case kHost{"virgo", {"host.present=true"}};
const Case kHopper{"fp16-hopper", {"cluster.cores=2"}};
const Case kMulticast{"tcnext-sm", {"cluster.multicast.present=true", "cluster.core.load_reuse=darsie"}};
const Case kNetwork{"virgo",
                    {"cluster.cores=2", "clusters=3", "network.kind=crossbar", "network.clusters_per_port=2",
                     "network.hash=ipoly_mod", "network.input_queue=1", "network.slice_requests=2",
                     "l2.slices=6", "l2.size_bytes=48KiB", "main_memory.channels=3"}};
const Case kOffload{"ampere-sm", {"cluster.core.offload.enabled=true"}};

soc::SocParams params_of(const Case& machine) {
  soc::SocParams params;
  config::apply(
      config::load(machine.config, machine.settings, std::filesystem::path(SPICA_SOURCE_DIR) / "configs"),
      params);
  return params;
}

/// What a block has counted, by name.
std::map<std::string, std::uint64_t> counts_of(base::Component& block) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& entry : block.stats().counters()) counts[std::string(entry.name)] = entry.counter.value();
  return counts;
}

/// A machine whose cores load and store in global and shared memory.
struct Running {
  explicit Running(const Case& machine) : soc("machine", params_of(machine)) {
    soc.fault.bind(owner);
    soc.console.bind(owner);
    if (soc.params().host.present) {
      host = std::make_unique<Processor>("host", [](Processor&) {});  // which asks for nothing
      host->out.bind(soc.host().in);
    }
    const std::vector<std::uint32_t> program = counts(20);
    soc.write(kCode, reinterpret_cast<const unsigned char*>(program.data()), 4 * program.size());
  }
  void run_to(base::Cycle cycle) { soc.clock().run_until(cycle); }
  template <class Check>
  void each(Check&& check) {
    for (base::Component* block : soc.measured().components()) {
      INFO(block->name());
      check(*block);
    }
  }
  std::map<std::string, std::map<std::string, std::uint64_t>> counted() {
    std::map<std::string, std::map<std::string, std::uint64_t>> all;
    each([&](base::Component& block) { all[block.name()] = counts_of(block); });
    return all;
  }
  Owner owner{"owner"};
  soc::Soc soc;
  std::unique_ptr<Processor> host;
};

void check_same(const soc::MachineState& one, const soc::MachineState& other) {
  REQUIRE(one.blocks.size() == other.blocks.size());
  CHECK(one.cycle == other.cycle);
  CHECK(one.own == other.own);
  for (std::size_t i = 0; i < one.blocks.size(); ++i) {
    INFO(one.blocks[i].name);
    CHECK((one.blocks[i].architecture == other.blocks[i].architecture));
    CHECK((one.blocks[i].objects == other.blocks[i].objects));
    CHECK((one.blocks[i].timing == other.blocks[i].timing));
  }
}

void check_statistics(base::Component& block) {
  std::set<std::string_view> names;
  for (const auto& entry : block.stats().counters()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK_FALSE(entry.description.empty());
    CHECK(entry.counter.value() == 0);
  }
}

void keeps_contract(const Case& machine) {
  Running running(machine);
  soc::Soc& soc = running.soc;
  running.each([](base::Component& block) {
    CHECK(block.idle());
    check_statistics(block);
  });
  soc.launch(kCode);
  running.run_to(300);
  REQUIRE_FALSE(soc.finished());

  // A look moves nothing: dumps, debug access, a state that is saved.
  soc.measured().catch_up();
  const auto counted = running.counted();
  const soc::MachineState state = soc.save();
  running.each([](base::Component& block) {
    std::ostringstream dump;
    block.dump_state(dump);
  });
  const std::uint32_t value = 0x12345678;
  for (const std::uint32_t address : {kWord + 0x1000, 0xFF000100u}) {  // which the program does not use
    std::uint32_t before = 0, after = 0;
    REQUIRE(soc.read(address, reinterpret_cast<unsigned char*>(&before), 4));
    REQUIRE(soc.write(address, reinterpret_cast<const unsigned char*>(&value), 4));
    REQUIRE(soc.read(address, reinterpret_cast<unsigned char*>(&after), 4));
    CHECK(after == value);
    REQUIRE(soc.write(address, reinterpret_cast<const unsigned char*>(&before), 4));
  }
  CHECK((running.counted() == counted));
  check_same(soc.save(), state);

  // A reset drops the work, and counts stay.
  soc.reset();
  running.each([](base::Component& block) { CHECK(block.idle()); });
  CHECK((running.counted() == counted));

  // A state that is loaded after that is the one that was saved, and the run ends.
  soc.restore(state);
  check_same(soc.save(), state);
  for (base::Cycle cycle = 1000; !soc.finished() && cycle <= 200'000; cycle += 1000) running.run_to(cycle);
  CHECK(soc.finished());
  CHECK(running.owner.faults.empty());
  running.each([](base::Component& block) { CHECK(block.idle()); });
  soc.settle();
}

}  // namespace

namespace {

/// A machine of the fast mode, in rounds so short that a program can be stopped inside.
struct FastRunning {
  explicit FastRunning(Case machine) {
    machine.settings.insert(machine.settings.end(), {"run.mode=fast", "run.quantum=16"});
    soc = std::make_unique<soc::FastSoc>("machine", params_of(machine));
    soc->fault.bind(owner);
    soc->console.bind(owner);
    const std::vector<std::uint32_t> program = counts(20);
    soc->write(kCode, reinterpret_cast<const unsigned char*>(program.data()), 4 * program.size());
  }
  template <class Check>
  void each(Check&& check) {
    for (sc_core::sc_module* module : soc->blocks().all<sc_core::sc_module>()) {
      INFO(module->name());
      if (auto* const block = dynamic_cast<base::Block*>(module)) check(*block);
    }
  }
  std::uint32_t word(std::uint32_t address) {
    std::uint32_t value = 0;
    REQUIRE(soc->read(address, reinterpret_cast<unsigned char*>(&value), 4));
    return value;
  }
  void set_word(std::uint32_t address, std::uint32_t value) {
    REQUIRE(soc->write(address, reinterpret_cast<const unsigned char*>(&value), 4));
  }
  Owner owner{"owner"};
  std::unique_ptr<soc::FastSoc> soc;
};

void keeps_contract_when_fast(const Case& machine) {
  FastRunning running(machine);
  soc::FastSoc& soc = *running.soc;
  running.each([](base::Block& block) {
    CHECK_FALSE(block.works());
    CHECK(block.work_done() == 0);
    if (auto* const component = dynamic_cast<base::Component*>(&block)) check_statistics(*component);
  });
  soc.launch(kCode);
  soc.clock().run_until(60);
  REQUIRE_FALSE(soc.finished());
  const std::uint32_t counted = running.word(kWord);
  REQUIRE(counted > 0);

  // A look moves nothing.
  const soc::MachineState state = soc.save();
  running.each([](base::Block& block) {
    std::ostringstream dump;
    block.dump_state(dump);
  });
  for (const std::uint32_t address : {kWord + 0x1000, 0xFF000100u}) {  // which the program does not use
    const std::uint32_t before = running.word(address);
    running.set_word(address, 0x12345678);
    CHECK(running.word(address) == 0x12345678);
    running.set_word(address, before);
  }
  check_same(soc.save(), state);

  // A reset drops the work; what memory holds stays. A state that is loaded is the one that was saved, and the run
  // ends.
  soc.reset();
  CHECK(soc.finished());
  CHECK(soc.units_idle());
  CHECK(running.word(kWord) == counted);
  soc.restore(state);
  check_same(soc.save(), state);
  for (base::Cycle cycle = 1000; !soc.finished() && cycle <= 200'000; cycle += 1000)
    soc.clock().run_until(cycle);
  CHECK(soc.finished());
  CHECK(running.word(kWord) >= 20);
  CHECK(running.owner.faults.empty());
  running.each([](base::Block& block) { CHECK_FALSE(block.works()); });
}

}  // namespace

TEST_CASE("contract of blocks: virgo") { keeps_contract(kVirgo); }
TEST_CASE("contract of blocks: work groups, queues, firmware") { keeps_contract(kQueues); }
TEST_CASE("contract of blocks: decoupled tensor cores") { keeps_contract(kHopper); }
TEST_CASE("contract of blocks: multicast and reuse of loads") { keeps_contract(kMulticast); }
TEST_CASE("contract of blocks: crossbar and slices") { keeps_contract(kNetwork); }
TEST_CASE("contract of blocks: offload") { keeps_contract(kOffload); }

TEST_CASE("contract of blocks in the fast mode: virgo") { keeps_contract_when_fast(kVirgo); }
TEST_CASE("contract of blocks in the fast mode: work groups, queues, firmware") {
  keeps_contract_when_fast(kQueues);
}
TEST_CASE("contract of blocks in the fast mode: crossbar and slices") { keeps_contract_when_fast(kNetwork); }
TEST_CASE("contract of blocks in the fast mode: decoupled tensor cores") {
  keeps_contract_when_fast(kHopper);
}
TEST_CASE("contract of blocks in the fast mode: multicast and reuse of loads") {
  keeps_contract_when_fast(kMulticast);
}
TEST_CASE("contract of blocks in the fast mode: offload") { keeps_contract_when_fast(kOffload); }

TEST_CASE("contract of blocks: one that cannot be saved is named, and drops its work at a reset") {
  Running running(kHost);
  running.soc.launch(kCode);
  running.run_to(300);
  CHECK_THROWS_WITH(running.soc.save(), Catch::Contains("host_port"));
  running.soc.reset();
  running.each([](base::Component& block) { CHECK(block.idle()); });
}

TEST_CASE("the machines of the contract have a block of each kind of the cycle mode") {
  std::set<std::string> there;
  unsigned number = 0;
  for (const Case* machine : {&kVirgo, &kQueues, &kHost, &kNetwork, &kHopper, &kMulticast, &kOffload}) {
    const soc::Soc soc(("machine_" + std::to_string(number++)).c_str(), params_of(*machine));
    for (const assembly::Slot& slot : soc.plan().slots()) there.insert(slot.kind);
  }
  const std::set<std::string> adapters = {"tlm_monitor", "protocol_checker", "warp_to_base", "width_bridge"};
  for (const auto& kind : assembly::kinds().all()) {
    INFO(kind->name);
    if (kind->cycle && adapters.count(kind->name) == 0) CHECK(there.count(kind->name) == 1);
  }
}
