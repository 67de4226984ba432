// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/isa/registers.h"
#include "models/protocol/address_map.h"
#include "models/protocol/probe_if.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/group_parts.h"
#include "platform/observe/check/heap_blocks.h"
#include "platform/observe/check/landings.h"
#include "platform/observe/check/objects.h"
#include "platform/observe/check/pointers.h"
#include "platform/observe/check/warp_values.h"
#include "platform/observe/check/written.h"

namespace spica::check {

/// Looks for accesses to memory that are hardly intended: stores to code and constants, accesses outside objects and
/// heap blocks and a work group's part of shared memory, reads of what was never written, transfers from misaligned
/// addresses, and loads by a matrix unit that was not configured. Says nothing where it does not know:
/// docs/checks.md.
class MemoryChecker final : public protocol::ProbeIf {
 public:
  using UnitOfSource = std::function<unsigned(unsigned)>;
  /// `unit_of_source`: as that of a machine.
  MemoryChecker(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
                const loader::SourceMap& sources, HeapBlocks::ReadMemory read, UnitOfSource unit_of_source);

  /// Memory that is filled before the run.
  void initialised(std::uint64_t address, std::uint64_t bytes) { written_.set(address, bytes); }
  Buffers& buffers() { return buffers_; }
  const Findings& findings() const { return findings_; }

  // protocol::ProbeIf
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                     std::uint32_t pc) override;
  void on_warp_end(base::Cycle, const protocol::Origin& origin) override {
    groups_.end(origin.core, origin.warp);
  }
  void on_group_start(base::Cycle, unsigned, const protocol::WorkGroupStart& group) override {
    has_groups_ = true;
    groups_.start(group);
  }
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override;
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override;

 private:
  void access(const protocol::InstructionEvent& event);
  void move_fragment(const protocol::InstructionEvent& event);
  void copy(const protocol::InstructionEvent& event);
  /// `offset`: of the access, in `address`.
  void check_place(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                   std::uint32_t offset, unsigned bytes);
  void check_object(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                    std::uint32_t offset, unsigned bytes);
  std::uint32_t called_from(const protocol::InstructionEvent& event, unsigned lane) const;
  Finding finding(Kind kind, const protocol::InstructionEvent& event, unsigned lane,
                  std::uint32_t address) const;
  using Addresses = std::array<std::uint32_t, isa::kMaxLanes>;  // by lane
  void check_group(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                   unsigned bytes);
  void check_exchange(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address);
  void tensor(const protocol::InstructionEvent& event);
  void check_group_of_unit(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                           const protocol::Piece& piece);
  Party unit_party(unsigned source, const protocol::UnitWork& work, bool stores) const;
  bool in_shared(std::uint32_t address) const {
    return address - params_.cluster.memory_map.shared_base < params_.cluster.shared_memory.size;
  }
  void check_written(const protocol::InstructionEvent& event, const Addresses& addresses);
  void leave_frame(const protocol::InstructionEvent& event);
  void write_register(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                      const protocol::Region& region);
  void check_configured(base::Cycle cycle, unsigned source, const protocol::UnitWork& work);
  void check_transfer(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                      const protocol::Piece& piece);
  enum class Code : std::uint8_t { kUser, kHeap, kCopy };
  Code code_at(std::uint32_t pc);
  bool in_stacks(std::uint32_t address) const { return address >= stacks_begin_ && address < stacks_end_; }
  void add_unwritten(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                     unsigned bytes, const char* advice);
  void add(Kind kind, const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
           std::string detail, const char* advice);

  const soc::SocParams params_;
  const protocol::AddressMap& map_;
  const loader::Program& program_;
  const loader::SourceMap& sources_;
  const HeapBlocks::ReadMemory read_;
  const UnitOfSource unit_of_source_;
  const Objects objects_;
  Pointers pointers_{objects_};
  Landings landings_;
  HeapBlocks heap_;
  Buffers buffers_;
  Findings findings_;
  Written written_;
  GroupParts groups_;
  bool has_groups_ = false;
  LoadedFragments fragments_;
  LaneExchange exchange_;
  /// For whom commands of a unit work, by source, then number: those whose work may still begin.
  std::map<unsigned, std::map<std::uint32_t, GroupParts::Owner>> commands_;
  const std::optional<loader::StackLayout> stacks_;
  std::uint64_t stacks_begin_ = 0, stacks_end_ = 0;
  std::unordered_map<std::uint32_t, Code> code_;  // by pc; never iterated
  std::map<std::pair<unsigned, std::string>, std::uint32_t> operands_;  // rs1 of units, by cluster and name
  std::set<std::pair<unsigned, std::uint32_t>> configuring_;  // by core and pc: commands that configure loads
  std::set<unsigned> configured_;  // sources: units whose loads are
  std::uint64_t event_ = 0;
};

}  // namespace spica::check
