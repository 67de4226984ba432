// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/microbench/formula.h"

#include <cmath>

namespace spica::microbench {

namespace {

/// Issue to the request leaving the core.
Formula load_request(const soc::SocParams& p) {
  return term("operand_latency", number(p.cluster.core.operand_latency))
      .add("load_store.request_latency", number(p.cluster.core.load_store.request_latency));
}

}  // namespace

Formula fetch_period(const soc::SocParams& p) {
  return term("", 1)
      .add("icache.hit_latency", number(p.cluster.icache.hit_latency))
      .add("decode_latency", number(p.cluster.core.decode_latency));
}

Formula unit_latency(const soc::SocParams& p, std::string_view name, std::uint64_t latency) {
  return term("operand_latency", number(p.cluster.core.operand_latency))
      .add(name, number(latency))
      .add("commit_latency", number(p.cluster.core.commit_latency));
}

Formula shared_load(const soc::SocParams& p) {
  const auto& s = p.cluster.shared_memory;
  Formula path = load_request(p);
  if (p.cluster.mio.present) path.add(label(p, p.cluster.mio), 1);
  return path.add("core_request_latency", number(s.core_request_latency))
      .add("read_latency", number(s.read_latency))
      .add("core_response_latency", number(s.core_response_latency))
      .add("load_store.response_latency", number(p.cluster.core.load_store.response_latency));
}

Formula l1_load(const soc::SocParams& p) {
  Formula path = load_request(p);
  if (p.cluster.mio.shared_data_path) path.add(label(p, p.cluster.mio), 1);
  return path.add(label(p, p.cluster.coalescer), 1)
      .add("L1 queue", 1)
      .add("dcache.hit_latency", number(p.cluster.dcache.hit_latency))
      .add(label(p, p.cluster.coalescer.response_latency), number(p.cluster.coalescer.response_latency))
      .add("load_store.response_latency", number(p.cluster.core.load_store.response_latency));
}

namespace {

/// What a miss of a load of one lane, or of a fetch, fetches.
std::uint64_t fetched(const soc::SocParams& p, Level1 which) {
  const auto& l1 = which == Level1::kData ? p.cluster.dcache : p.cluster.icache;
  const std::uint64_t sector = l1.line_bytes / l1.sectors;
  return which == Level1::kData ? sector : std::max(sector, 4 * p.cluster.core.fetch_instructions);
}

}  // namespace

L2Link l2_link(const soc::SocParams& p) {
  const auto link = [&](const auto& latencies, const std::uint64_t& bytes) {
    return L2Link{latencies.request_latency,           latencies.response_latency,           bytes,
                  label(p, latencies.request_latency), label(p, latencies.response_latency), label(p, bytes)};
  };
  return p.network.is_crossbar() ? link(p.network, p.network.packet_bytes) : link(p.bus, p.bus.beat_bytes);
}

Formula l1_miss(const soc::SocParams& p, Level1 which) {
  const auto& l1 = which == Level1::kData ? p.cluster.dcache : p.cluster.icache;
  const std::uint64_t bytes = fetched(p, which);
  const L2Link link = l2_link(p);
  return term("L1 miss_latency", number(l1.miss_latency))
      .add(link.request_key, number(link.request_latency))
      .add("L2 queue", 1)
      .add("l2.hit_latency", number(p.l2.hit_latency))
      .add(link.response_key, number(link.response_latency))
      .add("more beats", beats(bytes, link.bytes) - 1)
      .add("L1 fill", beats(bytes, l1.bank_bytes_per_cycle))
      .add("replay behind fill", 1);
}

Formula shared_instruction_hit(const soc::SocParams& p) {
  const auto& shared = p.cluster.shared_icache;
  return term("L1 miss_latency", number(p.cluster.icache.miss_latency))
      .add("shared_icache queue", 1)
      .add("shared_icache.hit_latency", number(shared.hit_latency))
      .add("L1 fill", beats(fetched(p, Level1::kInstructions), p.cluster.icache.bank_bytes_per_cycle))
      .add("replay behind fill", 1);
}

Formula l2_load(const soc::SocParams& p) { return l1_load(p).add(l1_miss(p, Level1::kData)); }

Formula l2_miss(const soc::SocParams& p, const Formula& dram) {
  const bool beside = p.l2.sub_banks > 1;  // the fill runs in parallel with requests
  const std::uint64_t bytes = std::max(p.l2.line_bytes / p.l2.sectors, fetched(p, Level1::kData));
  const double more_beats = beats(bytes, p.main_memory.port_bytes_per_cycle) - 1;
  Formula path = term("l2.miss_latency", number(p.l2.miss_latency));
  if (p.main_memory.back_end == main_memory::BackEndKind::kFixed)  // its latency is that of the whole request
    path.add(dram).add("more beats", more_beats);
  else
    path.add(label(p, p.main_memory.request_latency), number(p.main_memory.request_latency))
        .add(dram)
        .add("more beats", more_beats)
        .add(label(p, p.main_memory.response_latency), number(p.main_memory.response_latency));
  return path.add("L2 fill", beside ? 1 : beats(bytes, p.l2.bank_bytes_per_cycle))
      .add("replay behind fill", beside ? 0 : 1);
}

Formula dram_load(const soc::SocParams& p, const Formula& dram) { return l2_load(p).add(l2_miss(p, dram)); }

Formula l2_bank_cycles(const soc::SocParams& p, double bytes, double request) {
  const double lines = bytes / number(p.l2.line_bytes) / number(p.l2.banks);
  const double requests = std::max(1.0, number(p.l2.line_bytes) / request);
  const double pass = std::max(
      1.0, std::ceil(std::min(request, number(p.l2.line_bytes)) / number(p.l2.bank_bytes_per_cycle)));
  const double fill = beats(p.l2.line_bytes, p.l2.bank_bytes_per_cycle);
  if (p.l2.sub_banks > 1) {
    const double turns = 1 + pass + (requests - 1) * (pass + 0.5);
    return {lines * std::max(turns, fill),
            fmt::format("lines / l2.banks * (miss 1 + requests {:g} of {:g} each + {:g})", requests, pass,
                        turns - 1 - requests * pass)};
  }
  const double gap = 0.5;  // no replay may follow a fill directly; another request may
  const double line = 1 + fill + pass + (requests - 1) * (pass + 0.5) + (requests > 1 ? 0 : gap);
  return {lines * line,
          fmt::format("lines / l2.banks * (miss 1 + fill {:g} + requests {:g} of {:g} each + {:g})", fill,
                      requests, pass, line - 1 - fill - requests * pass)};
}

bool knows_memory(const soc::SocParams& p) {
  const auto& memory = p.main_memory;
  return memory.is_dram() && memory.dram.bank_groups == 1 && memory.dram.access_bytes >= p.l2.line_bytes;
}

Formula dram_cycles(const soc::SocParams& p, const Formula& clocks) {
  const double picoseconds = clocks.value * number(p.main_memory.dram.clock_ps);
  return {std::ceil(picoseconds * p.core_mhz() * 1e-6),
          fmt::format("ceil(({}) * clock_ps {} * clock_mhz {:g} / 10^6)", clocks.text,
                      p.main_memory.dram.clock_ps, p.core_mhz())};
}

}  // namespace spica::microbench
