// SPDX-License-Identifier: Apache-2.0
// Matrix products in queues: how many run at once, with which kernel, and what the decision takes.

#include "models/command_processor/command_processor_regs.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/command_processor/queues_bench.h"

using namespace spica::command_processor;
using spica::protocol::ConcurrencyModel;
using spica::protocol::degree_of;
using spica::protocol::kDegrees;
using spica::protocol::KernelChoice;
using spica::protocol::KernelLoad;

namespace {

constexpr std::uint32_t kChoices = 0x400, kModel = 0x800;

CommandProcessorParams with(Policy policy) {
  CommandProcessorParams params;
  params.policy = policy;
  params.clusters = 8;
  return params;
}

/// Products in queues, kind by kind; the kernel of a degree has so many work groups as the degree.
struct ProductBench : Bench {
  explicit ProductBench(const CommandProcessorParams& params) : Bench(params) {}

  /// Kind `kind` with the cycles that were measured for each degree.
  void kind(unsigned kind, const std::array<std::uint32_t, kDegrees>& cycles) {
    KernelChoice choice{64 + kind, 64, 128, {}};
    for (unsigned i = 0; i < kDegrees; ++i)
      choice.variants[i] = {kObject, {8, 1, 1}, {8 * degree_of(i), 1, 1}, 0, cycles[i]};
    const auto bytes = choice.encode();
    std::memcpy(&memory[kChoices + 0x100 * kind], bytes.data(), bytes.size());
  }
  Packet product(unsigned kind) const {
    Packet packet = kernel(1);
    packet.choice = kChoices + 0x100 * kind;
    return packet;
  }
  /// A model that says one degree for all.
  void model(unsigned index) {
    ConcurrencyModel model;
    model.weights[index][ConcurrencyModel::kFeatures] = 1;
    const auto bytes = model.encode();
    std::memcpy(&memory[kModel], bytes.data(), bytes.size());
    REQUIRE(queues.write(COMMAND_PROCESSOR_MODEL, kModel));
  }
  unsigned degree(std::uint32_t kernel) const { return queues.run(kernel).degree; }
};

}  // namespace

TEST_CASE("as many products run at once as the model says, each with the kernel for that",
          "[command_processor]") {
  const unsigned index = GENERATE(0u, 1u, 2u, 3u, 4u);
  ProductBench bench(with(Policy::kPredicted));
  bench.kind(0, {1, 1, 1, 1, 1});
  bench.model(index);
  for (unsigned queue = 0; queue < 16; ++queue) bench.queue(queue, {bench.product(0)});
  auto launched = bench.work();
  CHECK(launched.size() == degree_of(index));
  std::size_t all = launched.size(), most = launched.size();
  while (!bench.running.empty()) {
    const std::uint32_t first = *bench.running.begin();
    CHECK(bench.degree(first) <= degree_of(index));
    bench.end(first);
    all += bench.work().size();
    most = std::max(most, bench.running.size());
  }
  CHECK(all == 16);
  CHECK(most == degree_of(index));
  CHECK(bench.queues.empty());
}

TEST_CASE("a degree is at most the number of products there are", "[command_processor]") {
  ProductBench bench(with(Policy::kPredicted));
  bench.kind(0, {1, 1, 1, 1, 1});
  bench.model(4);
  for (unsigned queue = 0; queue < 5; ++queue) bench.queue(queue, {bench.product(0)});
  const auto launched = bench.work();
  REQUIRE(launched.size() == 4);
  for (const std::uint32_t kernel : launched) CHECK(bench.degree(kernel) == 4);
}

TEST_CASE("the oracle takes the degree that was fastest, and one at a time for less than 5 %",
          "[command_processor]") {
  ProductBench bench(with(Policy::kOracle));
  std::size_t wanted = 1;
  SECTION("four: 4 * 100 / 200 = 2") {
    bench.kind(0, {100, 150, 200, 500, 900});
    wanted = 4;
  }
  SECTION("1.04 is too little") { bench.kind(0, {104, 200, 500, 1000, 2000}); }
  SECTION("1.06 is not") {
    bench.kind(0, {106, 200, 500, 1000, 2000});
    wanted = 2;
  }
  SECTION("what was not measured is not taken") { bench.kind(0, {100, 0, 0, 0, 0}); }
  for (unsigned queue = 0; queue < 8; ++queue) bench.queue(queue, {bench.product(0)});
  CHECK(bench.work().size() == wanted);
}

TEST_CASE("two kinds of products share the machine only if both may", "[command_processor]") {
  ProductBench bench(with(Policy::kOracle));
  bench.kind(0, {100, 150, 200, 300, 400});  // 16 at once
  bench.kind(1, {100, 150, 200, 300, 700});  // 8
  for (unsigned queue = 0; queue < 16; ++queue) bench.queue(queue, {bench.product(queue % 2)});
  const auto launched = bench.work();
  CHECK(launched.size() == 8);
  for (const std::uint32_t kernel : launched)
    CHECK(bench.queue_of(kernel) % 2 == bench.queue_of(launched.front()) % 2);
}

TEST_CASE("other kernels run beside products, and a single product without a decision",
          "[command_processor]") {
  ProductBench bench(with(Policy::kOracle));
  bench.kind(0, {100, 900, 900, 900, 900});
  bench.queue(0, {bench.product(0)});
  bench.queue(1, {bench.kernel(1)});
  bench.queues.perform(Step::kHeads);
  CHECK(bench.queues.next() == Step::kNone);
  CHECK(bench.work().size() == 2);
  ProductBench greedy(with(Policy::kGreedy));  // does not look at choices
  for (unsigned queue = 0; queue < 8; ++queue) greedy.queue(queue, {greedy.product(0)});
  CHECK(greedy.work().size() == 8);
}

TEST_CASE("a decision takes its time, and the reading of the heads is a part of it", "[command_processor]") {
  CommandProcessorParams params = with(Policy::kOracle);
  ProductBench bench(params);
  bench.kind(0, {100, 900, 900, 900, 900});
  for (unsigned queue = 0; queue < 32; ++queue) bench.queue(queue, {bench.product(0)});
  REQUIRE(bench.queues.next() == Step::kHeads);
  const std::uint64_t heads = bench.queues.own_cycles(Step::kHeads);
  CHECK(heads == 16 * 31);
  bench.queues.perform(Step::kHeads);
  REQUIRE(bench.queues.next() == Step::kDecide);
  CHECK(!bench.queues.choose(0));  // not before
  CHECK(heads + bench.queues.own_cycles(Step::kDecide) == 12'000);  // 8 us at 1.5 GHz
  bench.queues.perform(Step::kDecide);
  const auto first = bench.queues.choose(0);
  REQUIRE(first);
  bench.queues.dispatched(first->id);  // the next decision reads the heads itself
  REQUIRE(bench.queues.next() == Step::kDecide);
  CHECK(bench.queues.own_cycles(Step::kDecide) == 12'000);

  params.decision_us = 0;  // reads and writes of all heads are left
  ProductBench quick(params);
  quick.kind(0, {100, 900, 900, 900, 900});
  for (unsigned queue = 0; queue < 32; ++queue) quick.queue(queue, {quick.product(0)});
  quick.queues.perform(Step::kHeads);
  CHECK(quick.queues.own_cycles(Step::kDecide) == 16 * 31);
}

TEST_CASE("products that mean nothing stop their queue", "[command_processor]") {
  ProductBench bench(with(Policy::kPredicted));
  bench.kind(0, {1, 1, 1, 1, 1});
  SECTION("no model") { bench.queue(0, {bench.product(0)}); }
  SECTION("a choice outside of memory") {
    bench.model(0);
    Packet packet = bench.product(0);
    packet.choice = 0xFFFF0000;
    bench.queue(0, {packet});
  }
  CHECK(bench.work().empty());
  CHECK(bench.queues.problem());
}

TEST_CASE("probabilities add up to one, and constant features count nothing", "[command_processor]") {
  ConcurrencyModel model;
  for (unsigned degree = 0; degree < kDegrees; ++degree)
    for (unsigned i = 0; i <= ConcurrencyModel::kFeatures; ++i)
      model.weights[degree][i] = static_cast<float>(degree * 7 + i * 3 % 5) - 4;
  model.span.fill(100);
  model.span[2] = 0;
  const std::array<KernelLoad, kDegrees> loads{
      spica::protocol::load_of(16, 2, 8), {8, 2, 0.5}, {4, 1, 0.5}, {2, 1, 0.25}, {1, 1, 0.125}};
  CHECK(loads[0].waves == 1);
  auto features = ConcurrencyModel::features(64, 128, 256, loads);
  double sum = 0;
  for (const double one : model.probabilities(features)) sum += one;
  CHECK(sum == Approx(1));
  const auto before = model.scores(features);
  features[2] = 1e9f;
  CHECK(model.scores(features) == before);
  const auto again = ConcurrencyModel::decode(model.encode().data());
  CHECK(again.weights == model.weights);
  CHECK(again.span == model.span);
}
