// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/base/component.h"
#include "models/load_reuse/fragment_map.h"
#include "models/load_reuse/load_reuse_params.h"
#include "models/protocol/ports/load_reuse_if.h"
#include "models/protocol/ports/memory_hints_if.h"

namespace spica::load_reuse {

/// Each load presented to the unit is either reused or performed.
struct LoadReuseStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter loads{*this, "loads", Unit::kInstructions,
                      "loads of fragments of A and B from shared memory"};
  base::Counter reused{*this, "reused", Unit::kInstructions,
                       "loads skipped because another warp had done them"};
  base::Counter renames{*this, "renames", Unit::kCount, "fragments renamed to other registers"};
  base::Counter compared_entries{*this, "compared_entries", Unit::kCount,
                                 "entries of the table that loads were compared with"};
  base::Counter max_fill{*this, "max_fill", Unit::kCount, "largest number of entries of the table in use"};
  base::Counter max_shared{*this, "max_shared", Unit::kCount,
                           "largest number of fragments in registers of another one"};
};

/// Inside a core: of equal loads of several warps one is performed, and the fragments of the others are renamed to the
/// registers it was loaded into. The core uses protocol::LoadReuseIf and MemoryHintsIf and does not know this block.
///
/// Table    loads that were performed, with the registers they have filled. An entry leaves when no fragment uses those
///          registers any more, when its warp has passed a barrier or a fence or has performed an atomic, or for a
///          newer entry when the table is full; loads never wait for it
/// Match    equal address, distance, form, address register and fragment, from another warp, performed after the last
///          fence, barrier, atomic or store of the requesting warp
/// Values   are copied by the core between the fragments of its warps; the hardware holds them once
/// Source   lee section 5.2.2, of yeh
class LoadReuse final : public base::Component, public protocol::LoadReuseIf, public protocol::MemoryHintsIf {
 public:
  LoadReuse(const sc_core::sc_module_name& name, const LoadReuseParams& params,
            const base::ClockDomain& clock);

  sc_core::sc_export<protocol::LoadReuseIf> in{"in"};  // from the core
  sc_core::sc_export<protocol::MemoryHintsIf> hints{"hints"};

  // protocol::LoadReuseIf
  using Load = LoadReuseIf::Load;
  unsigned find(const Load& load) override;
  unsigned latency() const override { return static_cast<unsigned>(params_.latency); }
  void overwrite(unsigned warp, unsigned fragment) override;
  // protocol::MemoryHintsIf
  void store(unsigned, unsigned warp) override { since_[warp] = ++serial_; }
  void order(unsigned, std::uint32_t warps) override;

  void tick() override {}
  void reset() override;
  bool idle() const override { return true; }
  LoadReuseStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Entry {
    Load load;
    std::uint32_t place = 0;
    std::uint64_t serial = 0;
  };
  void forget(std::uint32_t place);

  const LoadReuseParams params_;
  FragmentMap map_;
  std::vector<Entry> entries_;  // in order of arrival
  std::uint64_t serial_ = 0;
  std::vector<std::uint64_t> since_;  // by warp: older entries are unusable for it
  LoadReuseStats stats_;
};

}  // namespace spica::load_reuse
