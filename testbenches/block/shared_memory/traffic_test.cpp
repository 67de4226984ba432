// SPDX-License-Identifier: Apache-2.0
// Random traffic of all ports at once, checked against a reference array: line i belongs to client
// i mod 7, so every client knows what its loads must bring, while all of them meet in every bank.
#include <algorithm>
#include <random>

#include "models/shared_memory/shared_memory.h"
#include "testbenches/block/shared_memory/cluster.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::protocol::Atomic;

namespace {

class Traffic {
 public:
  Traffic(Cluster& cluster, unsigned seed) : c_(cluster), random_(seed), reference_(cluster.params.size) {
    fill();
    for (unsigned client = 0; client < 7; ++client) {
      Cycle t = 1;
      for (int i = 0; i < 400; ++i) {
        t += pick(3) == 0 ? pick(6) : 1;
        if (client < 3) plan_row(client, t);
        else plan_warp(client, t);
      }
    }
  }

  void check() {
    for (const Expected& e : expected_) {
      REQUIRE(e.payload->is_response_ok());
      REQUIRE(std::equal(e.data.begin(), e.data.end(), e.payload->data.begin()));
    }
    for (const ExpectedWarp& e : expected_warps_) {
      REQUIRE(e.payload->is_response_ok());
      for (unsigned lane = 0; lane < c_.params.lanes; ++lane)
        if ((e.payload->access.mask >> lane & 1) != 0) REQUIRE(e.payload->access.data[lane] == e.data[lane]);
    }
    CHECK(std::equal(reference_.begin(), reference_.end(), c_.dut.data()));
  }

  std::uint64_t wide_words[3][2] = {};
  std::uint64_t core_words[2] = {};
  std::vector<std::pair<unsigned, const Payload*>> all;  // client, payload

 private:
  struct Expected {
    LinePayload* payload;
    std::vector<unsigned char> data;
  };
  struct ExpectedWarp {
    WarpPayload* payload;
    std::array<std::uint32_t, 32> data{};
  };

  std::uint32_t pick(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  std::uint32_t own_line(unsigned client) {
    const auto lines = static_cast<std::uint32_t>(c_.params.size / 32);
    return (pick(lines / 7 - 1) * 7 + client) * 32;
  }
  void fill() {
    for (std::size_t i = 0; i < reference_.size(); ++i)
      c_.dut.data()[i] = reference_[i] = static_cast<unsigned char>(random_());
  }

  void plan_row(unsigned port, Cycle t) {
    const unsigned bytes = pick(2) == 0 ? 32 : 16;
    const std::uint32_t offset = own_line(port) + (bytes == 16 ? 16 * pick(2) : 0);
    const bool write = pick(2) == 0;
    LinePayload& row = c_.row(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, port, t, offset, bytes);
    all.emplace_back(port, &row);
    wide_words[port][write] += bytes / 4;
    if (write) {
      for (unsigned i = 0; i < bytes; ++i)
        reference_[offset + i] = row.data[i] = static_cast<unsigned char>(random_());
    } else {
      expected_.push_back({&row, {&reference_[offset], &reference_[offset] + bytes}});
    }
  }

  void plan_warp(unsigned client, Cycle t) {
    const unsigned kind = pick(5);  // 0, 1 load; 2, 3 store; 4 atomic
    const unsigned bytes = kind == 4 ? 4 : 1u << pick(3);
    const auto lanes = static_cast<unsigned>(c_.params.lanes);
    std::vector<std::uint32_t> offsets;
    if (pick(2) == 0) {  // one line or two, in order
      const std::uint32_t start = own_line(client);
      for (unsigned lane = 0; lane < lanes; ++lane)
        offsets.push_back(start + lane % 8 * 4 + lane / 8 * 7 * 32);
      if (offsets.back() >= c_.params.size) return;
    } else {
      while (offsets.size() < lanes) {
        const std::uint32_t offset = own_line(client) + 4 * pick(8);
        // Lanes that write do not meet: their order would be the arbiter's choice.
        if (kind >= 2 && std::find(offsets.begin(), offsets.end(), offset) != offsets.end()) continue;
        offsets.push_back(offset);
      }
    }
    for (std::uint32_t& offset : offsets) offset += pick(4) / bytes * bytes;
    std::vector<std::uint32_t> addresses = offsets;
    for (std::uint32_t& address : addresses) address += static_cast<std::uint32_t>(c_.params.base);
    const std::uint32_t all_lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    const std::uint32_t mask =
        pick(2) == 0 ? all_lanes : std::max(1u, static_cast<std::uint32_t>(random_()) & all_lanes);

    auto& agent = *c_.core[client - 3];
    const bool store = kind == 2 || kind == 3;
    WarpPayload& warp =
        agent.warp(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, mask, addresses, bytes);
    if (kind == 4) warp.info.atomic = Atomic::kAdd;
    all.emplace_back(client, &warp);
    ExpectedWarp expected{&warp, {}};
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      std::uint32_t old = 0;
      std::memcpy(&old, &reference_[offsets[lane]], bytes);
      warp.access.data[lane] = static_cast<std::uint32_t>(random_());
      if (kind == 4) {
        const std::uint32_t sum = old + warp.access.data[lane];
        std::memcpy(&reference_[offsets[lane]], &sum, 4);
      } else if (store) {
        std::memcpy(&reference_[offsets[lane]], &warp.access.data[lane], bytes);
      }
      expected.data[lane] = old;
      if (!store) ++core_words[0];
      if (store || kind == 4) ++core_words[1];
    }
    if (!store) expected_warps_.push_back(expected);
    agent.at(t, warp);
  }

  Cluster& c_;
  std::mt19937 random_;
  std::vector<unsigned char> reference_;
  std::vector<Expected> expected_;
  std::vector<ExpectedWarp> expected_warps_;
};

SharedMemoryParams variant(Unaligned unaligned, Arbitration arbitration, bool joined) {
  SharedMemoryParams params;
  params.unaligned = unaligned;
  params.arbitration = arbitration;
  params.unaligned_joins_directions = joined;
  return params;
}

void check_statistics(Cluster& c, const Traffic& traffic) {
  const char* const names[] = {"matrix_a", "matrix_b", "dma"};
  std::uint64_t read = traffic.core_words[0], written = traffic.core_words[1];
  for (unsigned port = 0; port < 3; ++port) {
    CHECK(c.stat(std::string(names[port]) + "_words_read") == traffic.wide_words[port][0]);
    CHECK(c.stat(std::string(names[port]) + "_words_written") == traffic.wide_words[port][1]);
    read += traffic.wide_words[port][0];
    written += traffic.wide_words[port][1];
  }
  CHECK(c.stat("core_words_read") == traffic.core_words[0]);
  CHECK(c.stat("core_words_written") == traffic.core_words[1]);
  std::uint64_t bank_read = 0, bank_written = 0, degrees = 0;
  for (std::uint64_t bank = 0; bank < c.params.banks; ++bank) {
    bank_read += c.stat("bank_" + std::to_string(bank) + "_words_read");
    bank_written += c.stat("bank_" + std::to_string(bank) + "_words_written");
  }
  for (std::uint64_t n = 1; n <= c.params.lanes; ++n)
    degrees += c.stat("conflict_degree_" + std::to_string(n));
  CHECK(bank_read == read);
  CHECK(bank_written == written);
  CHECK(degrees == c.stat("core_accesses"));
  CHECK(c.stat("core_accesses") + c.stat("wide_requests") == traffic.all.size());
  c.dut.settle_stats();
  CHECK(c.dut.stats().activity.total() == c.bench.clock.now());
}

}  // namespace

TEST_CASE(
    "random traffic of four cores and three wide ports moves the right data and counts every "
    "word") {
  Bench bench;
  std::deque<Cluster> variants;
  for (const Unaligned unaligned :
       {Unaligned::kFullySerialised, Unaligned::kCoreSerialised, Unaligned::kCrossbar})
    for (const Arbitration arbitration : {Arbitration::kLowestIndexFirst, Arbitration::kRoundRobinUniform})
      for (const bool joined : {true, false})
        for (const int shape : {0, 1, 2, 3, 4, 5}) {
          SharedMemoryParams params = variant(unaligned, arbitration, joined);
          if (shape == 1) params.words = 16;
          if (shape == 2) {
            params.banks = 8;
            params.lanes = 32;
            params.core_queue_depth = 4;
            params.core_request_latency = 3;
          }
          // More than 64 word banks, and as many as there can be.
          if (shape == 3) params.banks = 16;
          if (shape == 4) params.banks = params.words = 16;
          if (shape == 5) {
            params.banks = 64;
            params.words = 32;
            params.lanes = 32;
          }
          variants.emplace_back(bench, params);
        }
  std::deque<Traffic> traffic;
  for (Cluster& c : variants) traffic.emplace_back(c, 17 + static_cast<unsigned>(traffic.size()));
  bench.run();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    CAPTURE(i);
    REQUIRE(variants[i].dut.idle());
    for (auto& agent : variants[i].core) REQUIRE(agent->idle());
    for (auto& agent : variants[i].wide) REQUIRE(agent->idle());
    traffic[i].check();
    check_statistics(variants[i], traffic[i]);
  }
}

namespace {

/// Both have had the same traffic, and have answered it in the same cycles.
void check_same(const Cluster& first, const Traffic& one, const Cluster& second, const Traffic& two) {
  const auto done = [](const Cluster& c, const std::pair<unsigned, const Payload*>& sent) {
    return sent.first < 3 ? c.wide[sent.first]->done(*sent.second)
                          : c.core[sent.first - 3]->done(*sent.second);
  };
  REQUIRE(one.all.size() == two.all.size());
  for (std::size_t i = 0; i < one.all.size(); ++i)
    REQUIRE(done(first, one.all[i]) == done(second, two.all[i]));
  const auto& left = first.dut.stats().counters();
  const auto& right = second.dut.stats().counters();
  for (std::size_t i = 0; i < left.size(); ++i) {
    CAPTURE(left[i].name);
    CHECK(left[i].counter.value() == right[i].counter.value());
  }
}

template <class WordBanks>
std::unique_ptr<SharedMemoryBlock> make_with(const sc_core::sc_module_name& name,
                                             const SharedMemoryParams& params,
                                             const spica::base::ClockDomain& clock) {
  return std::make_unique<spica::shared_memory::BasicSharedMemory<WordBanks>>(name, params, clock);
}

}  // namespace

TEST_CASE("the same traffic takes the same cycles") {
  Bench bench;
  const SharedMemoryParams params =
      variant(Unaligned::kFullySerialised, Arbitration::kRoundRobinUniform, true);
  Cluster first(bench, params), second(bench, params);
  Traffic one(first, 3), two(second, 3);
  bench.run();
  check_same(first, one, second, two);
}

TEST_CASE("how long the sets of word banks are on the host changes no cycle") {
  using spica::shared_memory::BankSet;
  Bench bench;
  std::deque<Cluster> clusters;
  std::deque<Traffic> traffic;
  for (const Unaligned unaligned : {Unaligned::kFullySerialised, Unaligned::kCrossbar})
    for (const Arbitration arbitration : {Arbitration::kLowestIndexFirst, Arbitration::kRoundRobinUniform})
      for (Cluster::Make* make :
           {&make_with<std::uint64_t>, &make_with<BankSet<4>>, &make_with<BankSet<32>>}) {
        clusters.emplace_back(bench, variant(unaligned, arbitration, true),
                              sc_core::sc_gen_unique_name("cluster"), make);
        traffic.emplace_back(clusters.back(), 5);
      }
  bench.run();
  for (std::size_t i = 0; i < clusters.size(); i += 3)
    for (const std::size_t j : {i + 1, i + 2}) check_same(clusters[i], traffic[i], clusters[j], traffic[j]);
}
