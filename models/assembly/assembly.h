// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/assembly/kinds.h"
#include "models/assembly/plan.h"
#include "models/base/component.h"

namespace spica::assembly {

enum class Mode : std::uint8_t { kCycle, kFast };

/// The blocks of a plan, built and bound, as children of the module whose constructor makes the assembly. A box of the
/// plan ("cluster_0") is a module around its blocks.
///
/// In the fast mode, blocks that only move data are wires: what is linked to them is linked to what is behind them, and
/// what no block needs is not there (Kind::wire).
class Assembly {
 public:
  /// `root`: that module. Its own ports and sockets are ends of links, and must be members before the assembly. Throws
  /// PlanError.
  Assembly(const Plan& plan, Mode mode, const BuildContext& machine, sc_core::sc_module& root);
  ~Assembly();

  /// Adds the blocks that have time to their domains, in the order of the plan; `clock`: the machine's.
  void add_to(base::ClockDomain& clock) const;

  /// One block, by the name in the plan; null when there is none of this name and type.
  template <class Block>
  Block* find(const std::string& name) const {
    for (const Built& built : blocks_)
      if (built.name == name) return dynamic_cast<Block*>(built.module.get());
    return nullptr;
  }
  /// All blocks of a type, in the order of the plan.
  template <class Block>
  std::vector<Block*> all() const {
    std::vector<Block*> found;
    for (const Built& built : blocks_)
      if (auto* block = dynamic_cast<Block*>(built.module.get())) found.push_back(block);
    return found;
  }
  /// Those that have time.
  std::vector<base::Component*> components() const { return all<base::Component>(); }

  /// The user-supplied block that SystemC calls before the simulation starts (end_of_elaboration and the like), or that
  /// threw out of such a call; null: none.
  const std::string* called() const { return called_; }

 private:
  class Box;
  class Turn;
  struct Built {
    std::string name;
    std::unique_ptr<sc_core::sc_module> module;  // null: the fast mode leaves it out
  };

  void build(const std::string& box);
  void build_block(std::size_t index);
  void link(const Link& link);
  std::string behind_wires(std::string name) const;
  sc_core::sc_object& object(const std::string& name) const;
  /// Clock domain of a slot that has its own; null: it uses that of the machine.
  base::ClockDomain* own_clock(const Slot& slot) const;
  bool is_wire(const std::string& slot) const;
  bool left_out(const std::string& name) const;
  std::string adapter_hint(const Link& link) const;
  const Kind& kind_of(const std::string& slot) const;

  const Plan& plan_;
  const Mode mode_;
  const BuildContext& machine_;
  const std::string root_;
  std::vector<std::unique_ptr<Box>> boxes_;  // outlive the blocks in them
  std::vector<Built> blocks_;  // in the order of the plan
  std::vector<std::unique_ptr<sc_core::sc_module>> turns_;
  const std::string* called_ = nullptr;
  std::vector<std::unique_ptr<sc_core::sc_module>> fronts_;  // fast mode: sockets of memories that have none
};

}  // namespace spica::assembly
