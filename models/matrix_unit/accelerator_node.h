// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/component.h"
#include "models/matrix_unit/command_if.h"
#include "models/matrix_unit/word_slot.h"
#include "models/protocol/ports/accelerator_if.h"
#include "models/protocol/ports/fault_if.h"

namespace spica::matrix_unit {

/// The node between CSR 0xACC of the cores and the matrix units of a cluster (virgo
/// tile/AccNode.scala).
///
/// Bits 7:5 of a word select the unit and are cleared before the unit receives it. One word per unit and cycle: the
/// lowest-numbered core wins, the other words are lost (reported as kCommandLost). The winning word reaches the unit
/// one cycle later.
class AcceleratorNode final : public base::Component, public protocol::AcceleratorIf {
 public:
  struct Stats final : base::StatGroup {
    base::Counter commands{*this, "commands", base::Unit::kCount, "command words passed on to a unit"};
    base::Counter lost{*this, "lost", base::Unit::kCount, "words lost to another one in the same cycle"};
  };

  /// `units`: matrix units of the cluster.
  AcceleratorNode(const sc_core::sc_module_name& name, std::size_t units, const base::ClockDomain& clock)
      : Component(name, clock), out("out", units), units_(units) {}

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_vector<sc_core::sc_port<CommandIf>> out;  // by unit

  void command(unsigned core, std::uint32_t word, const protocol::Origin& origin) override;
  std::uint32_t busy() const override;

  void tick() override;
  void reset() override;
  bool idle() const override;
  Stats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& os) const override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Unit {
    CommandIf* unit = nullptr;
    WordSlot slot{};
    bool pending = false;
    std::uint32_t word = 0;  // of the core that wins in this cycle
    protocol::Origin origin{};

    template <class Archive>
    void serialize(Archive& archive) {
      archive(slot, pending, word, origin);
    }
  };
  void end_of_elaboration() override {
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i].unit = out[i].operator->();
  }
  void lost(unsigned unit, std::uint32_t word, bool same_instruction, const protocol::Origin& origin);

  std::vector<Unit> units_;
  Stats stats_;
};

}  // namespace spica::matrix_unit
