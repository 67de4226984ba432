// SPDX-License-Identifier: Apache-2.0
// The area of a cache, by structure.
#include <algorithm>
#include <cmath>

#include "models/cache/cache.h"

namespace spica::cache {

namespace {

constexpr double kAddressBits = 32, kWordBits = 32;
constexpr double kStateBits = 2;  // of a sector of a line: valid, dirty
constexpr double kRequestBits = 40;  // address, kind, where the answer goes

}  // namespace

base::AreaTerms Cache::area() const {
  using base::Structure;
  const Params& p = params_;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double banks = number(p.banks), ways = number(p.ways), lines = number(p.size_bytes / p.line_bytes);
  const double bank_bits = 8 * number(p.bank_bytes_per_cycle), line_bits = 8 * number(p.line_bytes);
  const double tag_bits =
      kAddressBits - std::log2(std::max(1.0, number(p.size_bytes) / ways)) + number(p.sectors) * kStateBits;
  // Ports of lanes are a word wide, those of lines as wide as a bank.
  const double port_bits = p.role == Role::kL1Data ? kWordBits : bank_bits;

  base::AreaTerms area;
  area.add_memory("data", Structure::kSramBit, 8 * number(p.size_bytes), banks * number(p.sub_banks),
                  bank_bits)
      .add_memory("tags", Structure::kSramBit, lines * tag_bits, banks * ways, tag_bits)
      .add("tags", Structure::kCompareBit, banks * ways * tag_bits)
      .add("misses", Structure::kFlopBit, banks * number(p.mshrs) * (kRequestBits + ways))
      .add("misses", Structure::kCompareBit, banks * number(p.mshrs) * kAddressBits)
      .add("misses", Structure::kRegisterBit, banks * number(p.mshr_requests) * (kRequestBits + port_bits))
      .add("queues", Structure::kRegisterBit, banks * number(p.request_queue) * (kRequestBits + port_bits))
      .add("queues", Structure::kRegisterBit, banks * number(p.response_queue) * (kRequestBits + port_bits))
      .add("queues", Structure::kRegisterBit, banks * number(p.memory_queue) * (kRequestBits + line_bits))
      .add_crossbar("ports", number(p.ports), banks, kRequestBits + port_bits)
      .add_crossbar("ports", banks, number(p.ports), port_bits)
      .add("control", Structure::kController, banks);
  if (!p.read_only()) area.add("queues", Structure::kRegisterBit, banks * number(p.ack_queue) * kRequestBits);
  return area;
}

}  // namespace spica::cache
