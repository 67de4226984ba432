// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/shared_memory_stats.h"

#include <algorithm>
#include <string>

namespace spica::shared_memory {

namespace {

std::string kind_name(WideClient client) {
  switch (client) {
    case WideClient::kMatrixA: return "matrix_a";
    case WideClient::kMatrixB: return "matrix_b";
    case WideClient::kMatrixWrite: return "matrix_write";
    case WideClient::kDma: return "dma";
    case WideClient::kTensorCore: return "tensor_core";
    case WideClient::kHost: return "host";
  }
  return "?";
}

/// The kind; the second, third ... port of a kind gets a number.
std::string port_name(const SharedMemoryParams& params, std::size_t port) {
  const auto first = params.wide_ports.begin();
  const auto before = std::count(first, first + static_cast<std::ptrdiff_t>(port), params.wide_ports[port]);
  const std::string name = kind_name(params.wide_ports[port]);
  return before == 0 ? name : name + "_" + std::to_string(before);
}

SharedMemoryStats::Client client(base::StatGroup& group, const std::string& name, const std::string& who) {
  return {{&group.counter(name + "_words_read", base::Unit::kWords, "words read " + who),
           &group.counter(name + "_words_written", base::Unit::kWords, "words written " + who)}};
}

}  // namespace

SharedMemoryStats::SharedMemoryStats(const SharedMemoryParams& params)
    : core_accesses(counter("core_accesses", base::Unit::kCount, "warp accesses served")),
      wide_requests(counter("wide_requests", base::Unit::kCount,
                            "requests of wide ports served, each beat of a burst")),
      atomics(counter("atomics", base::Unit::kCount, "atomic operations of lanes")),
      unaligned_requests(
          counter("unaligned_requests", base::Unit::kCount, "lane requests that took the unaligned path")),
      bank_conflict_cycles(counter("bank_conflict_cycles", base::Unit::kCycles,
                                   "cycles warp accesses spent at the banks beyond their first")),
      wide_wait_cycles(counter("wide_wait_cycles", base::Unit::kCycles,
                               "cycles requests of wide ports spent at the banks beyond their first")),
      refused_requests(counter("refused_requests", base::Unit::kCount, "requests answered with an error")),
      activity(account("activity", "cycles of the word banks by reason",
                       {"idle", "serving", "serialising", "bank_conflict"})) {
  core = client(*this, "core", "by lanes of the cores");
  for (std::size_t port = 0; port < params.wide_ports.size(); ++port)
    wide.push_back(client(*this, port_name(params, port), "through wide port " + std::to_string(port)));
  for (std::size_t i = 0; i < params.banks; ++i)
    bank.push_back(client(*this, "bank_" + std::to_string(i), "in bank " + std::to_string(i)));
  for (std::size_t i = 0; i < params.cores; ++i)
    waits.push_back(&counter(
        "core_" + std::to_string(i) + "_wait_cycles", base::Unit::kCycles,
        "cycles warp accesses of core " + std::to_string(i) + " spent at the banks beyond their first"));
  for (std::size_t n = 1; n <= params.lanes; ++n)
    degree.push_back(
        &counter("conflict_degree_" + std::to_string(n), base::Unit::kCount,
                 "warp accesses, by lanes on the most requested word bank: " + std::to_string(n)));
}

}  // namespace spica::shared_memory
