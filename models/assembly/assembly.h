// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/assembly/kinds.h"
#include "models/assembly/plan.h"
#include "models/base/component.h"

namespace spica::assembly {

enum class Mode : std::uint8_t { kCycle, kFast };

/// Builds and binds the blocks of a plan, as children of the module whose constructor creates the assembly. A box of
/// the plan ("cluster_0") is a module around its blocks.
///
/// In the fast mode, blocks that only move data become wires: a link to such a block is connected to the block behind
/// it. Blocks that nothing needs are omitted (Kind::wire).
class Assembly {
 public:
  /// `root`: that module. Its ports and sockets are ends of links, and must be members before the assembly. Throws
  /// PlanError.
  Assembly(const Plan& plan, Mode mode, const BuildContext& machine, sc_core::sc_module& root);
  ~Assembly();

  /// Adds the blocks with timing to their domains, in the order of the plan; `clock`: that of the machine.
  void add_to(base::ClockDomain& clock) const;

  /// The block with this name in the plan; nullptr if no block has this name and type.
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
  /// The blocks with timing.
  std::vector<base::Component*> components() const { return all<base::Component>(); }

  /// The user-supplied block that SystemC is calling before the simulation starts (end_of_elaboration and the like), or
  /// that threw in such a call; nullptr: none.
  const std::string* called() const { return called_; }

 private:
  class Box;
  class Turn;
  struct Built {
    std::string name;
    std::unique_ptr<sc_core::sc_module> module;  // nullptr: omitted in the fast mode
  };

  /// What is directly in a box.
  struct Contents {
    std::vector<std::string> boxes;  // each in the order of its first block
    std::vector<std::size_t> blocks;
    bool listed = false;  // in the box around it
  };

  void sort_into_boxes();
  void build(const std::string& box);
  void build_block(std::size_t index);
  void link(const Link& link);
  std::string behind_wires(std::string name) const;
  sc_core::sc_object& object(const std::string& name) const;
  /// Clock domain of a slot with its own clock; nullptr: it uses that of the machine.
  base::ClockDomain* own_clock(const Slot& slot) const;
  bool is_wire(const std::string& slot) const;
  bool left_out(const std::string& name) const;
  std::string adapter_hint(const Link& link) const;
  const Kind& kind_of(const std::string& slot) const;

  const Plan& plan_;
  const Mode mode_;
  const BuildContext& machine_;
  const std::string root_;
  std::vector<std::unique_ptr<Box>> boxes_;  // outlive the blocks inside them
  std::vector<Built> blocks_;  // in the order of the plan
  std::map<std::string, Contents> contents_;  // by box; "": outside all boxes
  std::vector<std::unique_ptr<sc_core::sc_module>> turns_;
  const std::string* called_ = nullptr;
  std::vector<std::unique_ptr<sc_core::sc_module>> fronts_;  // fast mode: sockets for memories that have none
};

}  // namespace spica::assembly
