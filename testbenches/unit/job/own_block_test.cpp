// SPDX-License-Identifier: Apache-2.0
// A block that Spica does not know: what it says of itself is in the limiter sentence, the energies, the timeline and
// the traces, without a word about it anywhere else.
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "platform/base/config/describe.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/block.h"
#include "platform/machine/soc/blocks.h"
#include "platform/observe/area/table_file.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/energy/table_file.h"
#include "platform/observe/energy/units.h"
#include "platform/run/limiter.h"
#include "platform/run/run_facts.h"
#include "platform/run/timeline.h"
#include "platform/run/trace_context.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using namespace spica::testbench::rv;

namespace {

const std::filesystem::path kConfigs = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";
constexpr std::uint32_t kEntry = 0x8000'0000;
constexpr std::uint64_t kSoaks = 40, kDropsOfASoak = 3;

base::BlockType sponge_type() {
  base::BlockType type;
  type.name = "sponge";
  type.events = {{"sponge.soak", {{"drops", 1, "holes"}}, "drop", "water", {}, "water drawn in"}};
  type.idle = base::IdleEnergy{"idle", "a sponge that lies there"};
  type.reasons = {{"dry", "water"}};
  type.limiter = {"The sponges soak for", 1, "life", "soaking", {"drops"}};
  type.arithmetic = {"drops", "holes", ""};
  type.charts = {{"sponge {}", false, "life"}};
  type.timeline_accounts = {"life"};
  type.timeline_counters = {"drops"};
  type.meters = {{"water", "drops", {"drops"}}};
  type.figures = {{"drops_of_water", {"drops"}}};
  type.channels = {{"pipe", {"drops"}, "holes"}};
  type.parameters = "sponges";
  return type;
}
const base::BlockType kSponge = sponge_type();

/// Has registers that do nothing.
class Thing : public base::Component {
 public:
  Thing(const sc_core::sc_module_name& name, const base::ClockDomain& clock) : Component(name, clock) {
    in.register_b_transport(this, &Thing::serve);
  }
  tlm_utils::simple_target_socket<Thing> in{"in"};

  void reset() override {}
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 protected:
  base::StatGroup stats_;

 private:
  void serve(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// Draws in water in each of its first kSoaks cycles.
class Sponge final : public Thing {
 public:
  using Thing::Thing;
  void end_of_elaboration() override { wake_next(); }
  void tick() override {
    ++ticks_;
    life_.charge_cycle(1, 0, now());
    drops_ += kDropsOfASoak;
    if (!idle()) wake_next();
  }
  bool idle() const override { return ticks_ == kSoaks; }
  const base::BlockType& type() const override { return kSponge; }
  base::Properties properties() const override { return {{"holes", 2}}; }

 private:
  base::CycleAccount& life_ = stats_.account("life", "what it does", {"dry", "soaking"});
  base::Counter drops_{stats_, "drops", base::Unit::kCount, "drops drawn in"};
  std::uint64_t ticks_ = 0;
};

/// Ticks for ever, whatever the program does.
class Clockwork final : public Thing {
 public:
  using Thing::Thing;
  void end_of_elaboration() override { wake_next(); }
  void tick() override { wake_at(now() + 100); }
  bool idle() const override { return true; }
};

/// Says nothing of itself.
class Stone final : public Thing {
 public:
  using Thing::Thing;
  void tick() override {}
  bool idle() const override { return true; }
};

/// Answers each load 5 us later, long after all blocks sleep.
struct Snail final : sc_core::sc_module {
  explicit Snail(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &Snail::serve);
  }
  void serve(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    std::memset(payload.get_data_ptr(), 0, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_core::sc_time(5, sc_core::SC_US);
  }
  tlm_utils::simple_target_socket<Snail> in{"in"};
};

SPICA_BLOCK(Sponge, "sponge", "soaks")
SPICA_BLOCK(Stone, "stone", "lies there")
SPICA_BLOCK(Clockwork, "clockwork", "ticks")
SPICA_BLOCK(Snail, "snail", "answers late")

/// A few instructions.
loader::Program program() {
  std::vector<std::uint32_t> words(30, addi(5, 5, 1));
  words.push_back(tmc(0));
  loader::Segment code;
  code.address = kEntry;
  code.bytes.resize(4 * words.size());
  std::memcpy(code.bytes.data(), words.data(), code.bytes.size());
  loader::Program program;
  program.entry = kEntry;
  program.segments.push_back(std::move(code));
  return program;
}

soc::SlotParams slot(const char* name, const char* kind, std::uint64_t base) {
  soc::SlotParams slot;
  slot.name = name;
  slot.kind = slot.params_of = kind;
  slot.params = soc::params_of_kind(kind);
  slot.registers.base = base;
  slot.registers.bytes = 0x100;
  return slot;
}

/// One core, a sponge and a stone.
soc::SocParams machine() {
  soc::SocParams params;
  params.cluster.cores = 1;
  params.slots = {slot("left_hand", "sponge", 0xFF04'0000), slot("core_7", "stone", 0xFF04'0100)};
  return params;
}

struct Run {
  void go() {
    session.load();
    outcome = session.run();
    session.machine().settle();
  }

  const loader::Program code = program();
  const loader::SourceMap sources{code};
  session::ConsoleCollector console;
  session::Session session{machine(), code, console};
  base::Component& sponge = *session.assembled().blocks().find<Sponge>("cluster_0.left_hand");
  base::Component& stone = *session.assembled().blocks().find<Stone>("cluster_0.core_7");
  session::Outcome outcome;
};

/// The shipped table, and what a sponge needs.
std::unique_ptr<power::EnergyTable> table_with(const std::string& more, std::vector<std::string>& notes) {
  const testbench::TemporaryFolder folder;
  std::ofstream(folder.path("wet.yaml"))
      << "extends: " << (kConfigs / "power" / "virgo-16nm.yaml").string() << "\n"
      << more;
  return energy::read_table(folder.path("wet.yaml"), kConfigs,
                            [&notes](const std::string& note) { notes.push_back(note); });
}

}  // namespace

TEST_CASE("a block that Spica does not know has the limiter sentence, in its own words") {
  Run run;
  run.go();
  REQUIRE(run.outcome.good());
  const double share = 100.0 * kSoaks / static_cast<double>(run.outcome.cycles);
  CHECK(job::limiter(run.session.measured()) ==
        "The sponges soak for " + std::to_string(std::lround(share)) + " % of the run; most of the rest (" +
            std::to_string(std::lround(100 - share)) + " %) is spent waiting for water.");
  const auto& meanings = job::reason_meanings();
  CHECK(std::any_of(meanings.begin(), meanings.end(),
                    [](const base::Reason& reason) { return reason.name == "dry"; }));
}

TEST_CASE("how full its channel was, and how much of the time it worked, are told") {
  Run run;
  run.go();
  const auto channels = job::channel_use(run.session.measured());
  const auto pipe = std::find_if(channels.begin(), channels.end(),
                                 [](const job::ChannelUse& one) { return one.name == "pipe"; });
  REQUIRE(pipe != channels.end());
  const double room = 2.0 * static_cast<double>(run.outcome.cycles);  // two holes
  CHECK(pipe->full == Approx(static_cast<double>(kSoaks * kDropsOfASoak) / room));
  const auto parts = job::time_by_part(run.session.measured());
  REQUIRE(parts.size() == 1);  // it waits for water, which is its own affair
  CHECK(parts.front().part == "sponges");
  CHECK(parts.front().share == Approx(1));
}

TEST_CASE("waits lead to parts of the machine that have parameters") {
  soc::SocParams params = machine();
  const config::Field root = config::describe(params, "", "", "");
  std::vector<std::string> groups;
  const std::function<void(const config::Field&)> collect = [&](const config::Field& field) {
    if (!field.is_value()) groups.push_back(field.name);
    for (const config::Field& child : field.children) collect(child);
  };
  collect(root);
  for (const base::BlockType* type : base::block_types())
    for (const base::Reason& reason : type->reasons)
      for (const std::string_view name : reason.blocks) {
        INFO(type->name << ": " << reason.name << " -> " << name);
        const auto known = std::find_if(base::block_types().begin(), base::block_types().end(),
                                        [&](const base::BlockType* one) { return one->name == name; });
        REQUIRE(known != base::block_types().end());
        const std::string_view group = (*known)->parameters.empty() ? name : (*known)->parameters;
        CHECK(std::find(groups.begin(), groups.end(), group) != groups.end());
      }
}

TEST_CASE("its energy is in the tree, among the units and over time") {
  Run run;
  std::vector<std::string> notes;
  auto table = table_with(
      "events: {sponge: {soak: {low: 1, nominal: 2, high: 4, unit: pJ}}}\n"
      "idle: {sponge: {clock: {low: 0, nominal: 1, high: 2}, leakage: {low: 0, nominal: 0, high: 0}}}\n",
      notes);
  CHECK(notes.empty());
  energy::Recorder recorder(run.session.measured(), run.session.sampler(), {});
  run.session.observe(recorder);
  run.go();
  const soc::SocParams& params = run.session.machine().params();
  const power::AreaTable areas = area::read_table("first-order-16nm", kConfigs);
  const energy::EnergyReport report(
      recorder,
      std::make_unique<energy::MachineEnergies>(std::move(table), nullptr, areas, params.power,
                                                params.clock_mhz, recorder.activity()),
      params.power, params.cluster.tensor_style());
  const double picojoules = 2.0 * 2 * kSoaks * kDropsOfASoak;
  const power::EnergyNode* const node = report.tree().find("soc/cluster_0/left_hand");
  REQUIRE(node != nullptr);
  CHECK(node->find("water")->active.nominal == Approx(picojoules));
  CHECK(node->find("idle")->idle.nominal > 0);
  CHECK(report.tree().find("soc/cluster_0/core_7") == nullptr);
  CHECK(energy::units_of(*report.tree().find("soc")).find("sponge")->active.nominal == Approx(picojoules));
  const auto& units = report.window().units_uj;
  const auto sponge =
      std::find_if(units.begin(), units.end(), [](const auto& unit) { return unit.first == "sponge"; });
  REQUIRE(sponge != units.end());
  CHECK(sponge->second == Approx(picojoules * 1e-6));
  const auto figures = recorder.figures();
  CHECK(std::count(figures.begin(), figures.end(),
                   std::pair<std::string, std::uint64_t>{"drops_of_water", kSoaks * kDropsOfASoak}) == 1);
}

TEST_CASE("what a table does not know of its energy counts as nothing, and the user is told") {
  Run run;  // the machine makes its blocks known
  std::vector<std::string> notes;
  const auto table = table_with("", notes);
  REQUIRE(notes.size() == 3);
  CHECK_THAT(notes[0], Catch::Contains("has no events.sponge.soak, energy of one drop") &&
                           Catch::Contains("counts as 0"));
  CHECK_THAT(notes[1], Catch::Contains("idle.sponge.clock"));
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind)
    if (power::event_kinds()[kind].name == "sponge.soak") CHECK(table->picojoule(kind).high == 0);
}

TEST_CASE("its account and counter are in the timeline, its meter is in traces") {
  Run run;
  const job::Timeline timeline(run.session.measured(), run.session.sampler());
  const trace::Context traces = job::trace_context(run.session.measured(), run.sources);
  run.go();
  const json::Value document = timeline.json();
  std::uint64_t soaking = 0, drops = 0;
  for (const auto& value : document.at("accounts").at("cluster_0.left_hand.life").at("soaking"))
    soaking += value.get<std::uint64_t>();
  for (const auto& value : document.at("counters").at("cluster_0.left_hand.drops"))
    drops += value.get<std::uint64_t>();
  CHECK(soaking == kSoaks);
  CHECK(drops == kSoaks * kDropsOfASoak);
  const auto meter = std::find_if(traces.meters.begin(), traces.meters.end(),
                                  [](const trace::Meter& one) { return one.name == "water"; });
  REQUIRE(meter != traces.meters.end());
  CHECK(meter->unit == "drops");
  CHECK(meter->value() == kSoaks * kDropsOfASoak);
}

TEST_CASE("what it multiplies is a limit of the machine") {
  Run run;
  run.go();
  const json::Value machine = job::machine_json(run.session.measured());
  const auto& units = machine.at("units");
  const auto sponge = std::find_if(units.begin(), units.end(),
                                   [](const auto& unit) { return unit.at("name") == "cluster_0.left_hand"; });
  REQUIRE(sponge != units.end());
  CHECK(sponge->at("macs_per_cycle") == 2);
  CHECK(sponge->at("macs") == kSoaks * kDropsOfASoak);
}

TEST_CASE("a type that names an account or a property which its block lacks is an error that says so") {
  Run run;
  CHECK_THROWS_WITH(soc::account(run.stone, "life"), Catch::Contains("core_7") && Catch::Contains("'life'"));
  CHECK_THROWS_WITH(soc::property(run.sponge, "weight"),
                    Catch::Contains("left_hand") && Catch::Contains("'weight'") && Catch::Contains("sponge"));
}

TEST_CASE("a run ends with its program while a block goes on ticking") {
  soc::SocParams params;
  params.cluster.cores = 1;
  params.slots = {slot("clockwork", "clockwork", 0xFF04'0000)};
  const loader::Program code = program();
  session::ConsoleCollector console;
  session::Session session(params, code, console);
  session.load();
  const session::Outcome outcome = session.run();
  CHECK(outcome.end == session::End::kFinished);
  CHECK(session.machine().now() <= 20'000);  // a look at the machine later
}

TEST_CASE("a block that answers long after all others sleep is waited for") {
  soc::SocParams params;
  params.cluster.cores = 1;
  params.slots = {slot("snail", "snail", 0xFF04'0000)};
  loader::Program code = program();
  std::vector<std::uint32_t> words{lui(4, 0xFF040), addi(6, 0, 20), lw(5, 4, 0), addi(6, 6, -1),
                                   bne(6, 0, -8),   addi(7, 5, 1),  tmc(0)};
  code.segments.front().bytes.resize(4 * words.size());
  std::memcpy(code.segments.front().bytes.data(), words.data(), 4 * words.size());
  session::ConsoleCollector console;
  session::Session session(params, code, console);
  session.load();
  CHECK(session.run().end == session::End::kFinished);
  CHECK(session.machine().now() > 20 * 2000);  // cycles of 2.5 ns
}
