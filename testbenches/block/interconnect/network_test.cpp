// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "models/interconnect/network.h"
#include "testbenches/support/accounts.h"
#include "testbenches/support/apart.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;

namespace {

constexpr Cycle kSliceLatency = 20;

/// Requesters 0, 1 ... of port_of, slices of kSliceLatency.
struct NetworkBench {
  explicit NetworkBench(const interconnect::NetworkParams& p, std::size_t capacity = 64,
                        protocol::Links links = protocol::Links::kChecked)
      : bench(links), params(p), dut("dut", p, bench.clock) {
    for (unsigned i = 0; i < p.slices; ++i) {
      slices.push_back(std::make_unique<testbench::MemoryStub>(("slice_" + std::to_string(i)).c_str(),
                                                               bench.clock, kSliceLatency, capacity));
      dut.out[i].bind(slices[i]->socket);
      bench.add(*slices[i]);
    }
    bench.add(dut);
    for (unsigned i = 0; i < p.port_of.size(); ++i) {
      requesters.push_back(
          std::make_unique<testbench::TrafficAgent>(("requester_" + std::to_string(i)).c_str(), bench.clock));
      requesters[i]->socket.bind(dut.in[i]);
      bench.add(*requesters[i]);
    }
  }
  static interconnect::NetworkParams shape(std::vector<std::uint16_t> port_of, unsigned slices) {
    interconnect::NetworkParams p;
    p.kind = interconnect::Kind::kCrossbar;
    p.port_of = std::move(port_of);
    p.cluster_of = p.port_of;
    p.slices = slices;
    return p;
  }
  protocol::LinePayload& read(unsigned requester, std::uint64_t address, unsigned bytes, Cycle at) {
    auto& payload = requesters[requester]->line(tlm::TLM_READ_COMMAND, address, bytes);
    requesters[requester]->at(at, payload);
    return payload;
  }
  protocol::LinePayload& write(unsigned requester, std::uint64_t address, unsigned bytes, Cycle at) {
    auto& payload = requesters[requester]->line(tlm::TLM_WRITE_COMMAND, address, bytes);
    requesters[requester]->at(at, payload);
    return payload;
  }
  Cycle done(unsigned requester, const protocol::Payload& payload) const {
    return requesters[requester]->done(payload);
  }
  /// A request and a response of one packet.
  Cycle round_trip() const { return params.request_latency + kSliceLatency + params.response_latency; }

  testbench::Bench bench;
  interconnect::NetworkParams params;
  std::vector<std::unique_ptr<testbench::MemoryStub>> slices;
  interconnect::Network dut;
  std::vector<std::unique_ptr<testbench::TrafficAgent>> requesters;
};

constexpr std::uint64_t kChunk = 256;  // interleave_bytes

}  // namespace

TEST_CASE("requests reach the slice of their address, and data takes a cycle for each packet") {
  NetworkBench f(NetworkBench::shape({0, 1}, 4));
  const auto& params = f.params;
  auto& one = f.read(0, 2 * kChunk, 32, 10);
  auto& line = f.read(0, 3 * kChunk + 128, 128, 700);
  auto& write = f.write(1, kChunk, 96, 1400);
  f.slices[3]->set_word(3 * kChunk + 128, 77);
  f.bench.run();
  CHECK(f.done(0, one) == 10 + f.round_trip());
  CHECK(f.done(0, line) == 700 + f.round_trip() + 3);
  CHECK(line.data[0] == 77);
  CHECK(f.done(1, write) == 1400 + f.round_trip() + 2);
  REQUIRE(f.slices[1]->seen().size() == 1);
  CHECK(f.slices[1]->seen()[0].cycle == 1400 + params.request_latency + 2);
  CHECK(f.slices[2]->seen().size() == 1);
  CHECK(f.slices[0]->seen().empty());
  CHECK(f.dut.stats().request_packets.value() == 1 + 1 + 3);
  CHECK(f.dut.stats().response_packets.value() == 1 + 4 + 1);
  CHECK(f.dut.stats().bytes_read.value() == 160);
  CHECK(f.dut.stats().bytes_written.value() == 96);
  CHECK(f.dut.idle());
  CHECK(f.bench.clock.asleep());
}

TEST_CASE("latencies of one and of hundreds of cycles are exact") {
  for (const unsigned request : {1u, 2u, 63u, 64u, 200u, 1024u})
    for (const unsigned response : {1u, 62u, 63u, 300u}) {
      auto params = NetworkBench::shape({0}, 2);
      params.request_latency = request;
      params.response_latency = response;
      const std::string trip = testbench::apart([&] {
        NetworkBench f(params);
        auto& read = f.read(0, kChunk, 64, 10);
        f.bench.run();
        return std::to_string(f.done(0, read) - 10);
      });
      CHECK(trip == std::to_string(request + kSliceLatency + response + 1));
    }
}

TEST_CASE("requesters of one port share its packet per cycle, those of two ports do not") {
  for (const bool shared : {true, false}) {
    const std::string last = testbench::apart([shared] {
      NetworkBench f(NetworkBench::shape({0, static_cast<std::uint16_t>(shared ? 0 : 1)}, 2));
      std::vector<protocol::LinePayload*> reads[2];
      for (unsigned i = 0; i < 20; ++i)
        for (unsigned requester : {0, 1})
          reads[requester].push_back(&f.read(requester, (2 * i + requester) * kChunk, 32, 0));
      f.bench.run();
      return std::to_string(std::max(f.done(0, *reads[0].back()), f.done(1, *reads[1].back())) -
                            f.round_trip());
    });
    CHECK(last == (shared ? "39" : "19"));
  }
}

TEST_CASE("a slice answers with one packet per cycle, whichever ports ask") {
  NetworkBench f(NetworkBench::shape({0, 1, 2}, 2));
  Cycle last = 0;
  std::vector<std::pair<unsigned, protocol::LinePayload*>> reads;
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned requester : {0, 1, 2})
      reads.emplace_back(requester, &f.read(requester, 2 * kChunk * (3 * i + requester), 128, 0));
  f.bench.run();
  for (const auto& [requester, read] : reads) last = std::max(last, f.done(requester, *read));
  CHECK(last == f.round_trip() + 4 * 24 - 1);
}

TEST_CASE("requests of a port to one slice stay in order, and a full queue holds the requesters in order") {
  auto params = NetworkBench::shape({0, 0, 0}, 1);
  params.input_queue = 1;
  NetworkBench f(params, 1);
  for (unsigned i = 0; i < 5; ++i)
    for (unsigned requester : {0, 1, 2}) f.read(requester, 0x1000 * requester + 32 * i, 32, 0);
  f.bench.run();
  const auto& seen = f.slices[0]->seen();
  REQUIRE(seen.size() == 15);
  for (unsigned requester : {0, 1, 2}) {
    std::vector<std::uint64_t> own;
    for (const auto& one : seen)
      if (one.address / 0x1000 == requester) own.push_back(one.address % 0x1000);
    CHECK(own == std::vector<std::uint64_t>{0, 32, 64, 96, 128});
  }
  // The first one is accepted at once, and its next request comes before those of the others; then they take turns.
  for (unsigned i = 1; i + 4 < seen.size(); ++i)
    CHECK(seen[i].address / 0x1000 + seen[i + 1].address / 0x1000 + seen[i + 2].address / 0x1000 ==
          0 + 1 + 2);
}

TEST_CASE("slice_requests limits what a slice has, and the wait is counted") {
  auto params = NetworkBench::shape({0}, 2);
  params.slice_requests = 2;
  NetworkBench f(params);
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 6; ++i) reads.push_back(&f.read(0, 2 * kChunk * i, 32, 0));
  f.bench.run();
  // A pair each time: the next one leaves when the first answer has left, as the network sees it a cycle later.
  const Cycle trip = params.request_latency - 1 + kSliceLatency;
  CHECK(f.done(0, *reads[0]) == f.round_trip());
  CHECK(f.done(0, *reads[2]) == f.round_trip() + trip);
  CHECK(f.done(0, *reads[4]) == f.round_trip() + 2 * trip);
  // The third request waits for the first answer, and so on; all of that time the port waits for its slice.
  const auto charged = [&](const char* name, const char* reason) {
    return testbench::charged(f.dut.stats(), name, reason);
  };
  f.dut.settle_stats();
  CHECK(charged("slice_requests", "slice_full") == 2 * (trip - 2));
  CHECK(charged("port_requests", "slice_wait") == 2 * (trip - 2));
  CHECK(charged("slice_requests", "moving") + charged("slice_requests", "slice_busy") == 6);
}

TEST_CASE("without a limit in the way no wait for one is counted") {
  NetworkBench f(NetworkBench::shape({0}, 2));
  for (unsigned i = 0; i < 6; ++i) f.read(0, 2 * kChunk * i, 32, 0);
  f.bench.run();
  f.dut.settle_stats();
  for (unsigned slice : {0, 1})
    CHECK(testbench::charged(f.dut.stats(), "slice_requests", "slice_full", slice) == 0);
}

TEST_CASE("a port that takes all answers is named, and so is a slice that gives all of them") {
  constexpr unsigned kReads = 40;
  for (const bool one_port : {true, false}) {
    const std::string shares = testbench::apart([one_port] {
      NetworkBench f(one_port ? NetworkBench::shape({0}, 4) : NetworkBench::shape({0, 1, 2, 3}, 4));
      for (unsigned i = 0; i < kReads; ++i)
        f.read(one_port ? 0 : i % 4, (one_port ? i : 4 * i) * kChunk, 128, i);
      f.bench.run();
      f.dut.settle_stats();
      const auto charged = [&](const char* name, const char* reason) {
        return testbench::charged(f.dut.stats(), name, reason);
      };
      REQUIRE(testbench::accounts_add_up(f.dut.stats(), f.dut.now()));
      // Four packets for each answer: the narrow end carries them in one piece.
      CHECK(charged(one_port ? "port_responses" : "slice_responses", "moving") +
                charged(one_port ? "port_responses" : "slice_responses",
                        one_port ? "port_busy" : "slice_busy") ==
            4 * kReads);
      return std::string(2 * charged("port_responses", "port_busy") > f.dut.now() ? "port" : "") +
             (2 * charged("slice_responses", "slice_busy") > f.dut.now() ? "slice" : "");
    });
    CHECK(shares == (one_port ? "port" : "slice"));
  }
}

namespace {

/// Random traffic of random requesters through a network of these parameters: the cycles of all answers, and what is
/// wrong.
std::string random_run(const interconnect::NetworkParams& params, std::size_t capacity, unsigned seed) {
  std::mt19937 random(seed);
  NetworkBench f(params, capacity);
  std::vector<std::pair<unsigned, protocol::LinePayload*>> sent;
  std::uint64_t read = 0, written = 0;
  for (unsigned i = 0; i < 200; ++i) {
    const auto requester = static_cast<unsigned>(random() % params.port_of.size());
    const unsigned bytes = 32u << random() % 3;
    const std::uint64_t address = random() % 4096 * 128;
    const bool write = random() % 3 == 0;
    (write ? written : read) += bytes;
    sent.emplace_back(requester, write ? &f.write(requester, address, bytes, i / 2)
                                       : &f.read(requester, address, bytes, i / 2));
  }
  f.bench.run();
  std::string text;
  for (const auto& [requester, payload] : sent)
    text += f.done(requester, *payload) == base::kNever ? "LOST"
                                                        : std::to_string(f.done(requester, *payload)) + " ";
  const protocol::SliceMap map(params.slices, params.interleave_bytes, params.hash);
  std::size_t arrived = 0;
  for (unsigned slice = 0; slice < params.slices; ++slice)
    for (const auto& one : f.slices[slice]->seen()) {
      ++arrived;
      if (map.slice(one.address) != slice) text += "WRONG SLICE";
    }
  const auto& stats = f.dut.stats();
  f.dut.settle_stats();
  if (arrived != sent.size() || stats.reads.value() + stats.writes.value() != sent.size() ||
      stats.bytes_read.value() != read || stats.bytes_written.value() != written)
    text += "WRONG COUNT";
  if (!f.dut.idle() || !testbench::accounts_add_up(stats, f.dut.now())) text += "WRONG END";
  const auto& bytes = f.dut.traffic().bytes();
  if (std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) != read + written) text += "WRONG BYTES";
  // Each packet passes one end on each side.
  for (const auto& [name, ends, packets, busy] :
       {std::tuple{"port_requests", params.ports(), stats.request_packets.value(), "port_busy"},
        std::tuple{"slice_requests", params.slices, stats.request_packets.value(), "slice_busy"},
        std::tuple{"slice_responses", params.slices, stats.response_packets.value(), "slice_busy"},
        std::tuple{"port_responses", params.ports(), stats.response_packets.value(), "port_busy"}}) {
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < ends; ++i)
      passed += testbench::charged(stats, name, "moving", i) + testbench::charged(stats, name, busy, i);
    if (passed != packets) text += "WRONG PACKETS";
  }
  return text;
}

}  // namespace

TEST_CASE("what is injected arrives: random traffic over all shapes, twice the same") {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 24; ++round) {
    std::vector<std::uint16_t> port_of;
    for (unsigned port = 0; port < 1 + round % 5; ++port)
      port_of.resize(port_of.size() + 1 + random() % 3, static_cast<std::uint16_t>(port));
    auto params = NetworkBench::shape(port_of, static_cast<unsigned>(1 + random() % 9));
    params.hash = round % 2 == 0 ? protocol::SliceHash::kIpolyMod : protocol::SliceHash::kIpolyFolded;
    params.input_queue = 1 + random() % 4;
    params.slice_requests = 1 + random() % 8;
    params.request_latency = 1 + random() % 80;
    params.response_latency = 1 + random() % 80;
    params.queues = round / 2 % 2 == 0 ? interconnect::Queues::kInOrder : interconnect::Queues::kPerOutput;
    params.arbitration =
        random() % 2 == 0 ? interconnect::Arbitration::kIslip : interconnect::Arbitration::kRoundRobin;
    const std::size_t capacity = 1 + random() % 4;
    const auto run = [&] { return testbench::apart([&] { return random_run(params, capacity, round); }); };
    const std::string once = run();
    INFO("round " << round << ": " << once);
    for (const char* wrong : {"LOST", "WRONG"}) CHECK(once.find(wrong) == std::string::npos);
    CHECK(run() == once);
  }
}

TEST_CASE("a reset drops all requests, and the network works as before") {
  NetworkBench f(NetworkBench::shape({0, 1}, 2));
  for (unsigned i = 0; i < 10; ++i) f.read(i % 2, kChunk * i, 128, 0);
  f.bench.run_for(12);
  CHECK_FALSE(f.dut.idle());
  std::ostringstream dump;
  f.dut.dump_state(dump);
  CHECK(dump.str().find("slice 0: ") != std::string::npos);
  f.dut.reset();
  for (auto& slice : f.slices) slice->reset();
  for (auto& requester : f.requesters) requester->reset();
  CHECK(f.dut.idle());
  f.bench.run_for(88);
  auto& after = f.read(0, 0, 32, 150);
  f.bench.run();
  CHECK(f.done(0, after) == 150 + f.round_trip());
}
