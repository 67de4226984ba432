// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/protocol/address_map.h"
#include "models/protocol/guest_fault.h"
#include "models/protocol/probe_if.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/advice.h"
#include "platform/observe/check/barrier_rules.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/kernel_order.h"
#include "platform/observe/check/order.h"
#include "platform/observe/check/shadow.h"
#include "platform/observe/check/sync_code.h"

namespace spica::check {

/// Looks for conflicting accesses to memory that nothing orders, and for other errors in the use of
/// asynchronous units, while a program runs. Judged by what the program synchronises and not by what
/// happened to come first: docs/checks.md has the rules. Sees the machine through its events only.
class HazardChecker final : public protocol::ProbeIf {
 public:
  using UnitOfSource = std::function<unsigned(unsigned)>;
  /// `unit_of_source`: as that of a machine.
  HazardChecker(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
                UnitOfSource unit_of_source);

  /// Memory that is filled before the run.
  void initialised(std::uint64_t address, std::uint64_t bytes);
  Buffers& buffers() { return buffers_; }
  /// Names of the queues, in their order: streams.
  void name_queues(std::vector<std::string> names) { queue_names_ = std::move(names); }
  /// What a unit itself complained about; before end().
  void add_fault(const protocol::GuestFault& fault);
  /// The run has ended.
  void end(base::Cycle cycle);

  const Findings& findings() const { return findings_; }
  /// What the order was taken from that the program does not say; "": nothing.
  std::string note() const;

  // protocol::ProbeIf
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_csr(const protocol::InstructionEvent& event) override;
  void on_commit(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::RegisterFile& registers) override;
  void on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                          unsigned count) override;
  void on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) override;
  void on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                     std::uint32_t pc) override;
  void on_warp_end(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_group_start(base::Cycle cycle, unsigned source, const protocol::WorkGroupStart& group) override;
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override;
  void on_doorbell(base::Cycle cycle, unsigned source, const protocol::Origin& by, unsigned queue,
                   std::uint32_t written) override;
  void on_packet(base::Cycle cycle, unsigned source, unsigned queue, std::uint32_t number,
                 const protocol::Packet& packet) override;
  void on_firmware(base::Cycle cycle, unsigned source, std::uint64_t address, std::uint32_t value,
                   bool store) override;
  void on_kernel_launch(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                        const protocol::KernelRun& run) override;
  void on_kernel_end(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                     const protocol::KernelRun& run) override;
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override;
  void on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) override;

 private:
  enum class Waits : std::uint8_t { kNo, kFenced, kInLoop };  // loads whose code waits for others
  /// Who accesses memory now, and how.
  struct Actor {
    std::uint16_t agent;
    Epoch epoch;
    std::uint32_t site;
    std::uint8_t lane;
    std::uint8_t flags;  // of the mark that a write leaves
    Waits waits;
    const Clock* clock;  // what is ordered before it
  };
  /// A word or byte that synchronises: a flag, a lock, a counter.
  struct SyncWord {
    Knowledge published;
    /// By warp: the epoch in which it saw the last store; 0: it has not.
    std::vector<Epoch> seen;
  };
  /// A load under way whose value synchronises.
  struct Waiting {
    std::uint32_t pc;
    std::vector<std::uint64_t> words;  // keys of sync_
    unsigned unit;  // whose busy bit or loop counter it reads; kNoUnit: none
    bool counter;
    std::uint8_t rd;
    std::uint32_t lanes;
  };
  struct WarpState {
    std::vector<Waiting> waiting;
    struct Given {
      std::uint32_t pc;
      bool csr;
      unsigned unit;
      std::uint32_t issued_loops;
      Knowledge published;
    };
    std::deque<Given> commands;  // issued, not yet taken by the unit
    std::vector<std::uint32_t> issued_loops;  // by unit: up to which loop it knows all parts to be issued
    bool products = false;  // tensor products under way
    std::uint32_t product_pc = 0;  // of the last one
    bool ended = true;
  };
  struct Unit {
    Mark last_command;  // the giver of the last one
    std::set<std::pair<unsigned, unsigned>> rivals;  // warps that commanded it without order
    std::vector<Mark> open;  // through CSR 0xACC, since a warp last saw the unit idle
    struct Site {
      std::uint32_t command = 0, index = 0;
    };
    struct Tile {  // in global memory, of one command and one matrix
      std::uint32_t command = 0;
      const Buffers::Buffer* home = nullptr;  // where it begins; nullptr: in no known buffer
    };
    std::uint32_t last_loop = 0;  // that has begun
    Site sites[4];  // of the last command, by what is done for it
    std::map<std::uint32_t, Party> commands;  // by number: those whose work may still begin
    Tile tiles[4];  // by Move::Stream
    /// Whose sums a row of the accumulator has. A product begins with a command that does not add, and goes on with
    /// those that do.
    struct Sums {
      std::uint32_t command = 0;  // that added or set last; 0: none
      std::uint32_t begin = 0;  // site of the command that began the product
      bool stored = false;
      bool overwrote = false;  // the product, sums of another one that were not stored
    };
    std::vector<Sums> sums;  // by row
  };
  static constexpr unsigned kNoUnit = protocol::Region::kNoUnit;

  // hazard_checker.cpp: warps
  void access(const protocol::InstructionEvent& event, unsigned warp);
  void access_peripheral(const protocol::InstructionEvent& event, unsigned warp, std::uint32_t address,
                         std::uint32_t lanes);
  void begin_actor(const protocol::InstructionEvent& event, unsigned warp);
  bool access_word(std::uint32_t address, unsigned bytes, bool writes);
  void move_fragment(const protocol::InstructionEvent& event, unsigned warp);
  void tensor(const protocol::InstructionEvent& event, unsigned warp);
  void copy(const protocol::InstructionEvent& event, unsigned warp);
  void check_lanes(const protocol::InstructionEvent& event, const std::uint32_t* base, std::uint32_t offset);
  // hazard_checker_units.cpp
  unsigned unit_at(unsigned core, std::uint32_t address) const;
  void give_command(const protocol::InstructionEvent& event, unsigned warp, unsigned unit, bool csr);
  void check_queue(const protocol::InstructionEvent& event, unsigned warp, unsigned unit);
  void see_idle(unsigned warp, unsigned unit);
  void touch_port(const protocol::InstructionEvent& event, unsigned warp, unsigned unit);
  void piece(const protocol::Piece& piece, unsigned unit);
  void check_sums(const protocol::UnitWork& work, unsigned unit);
  void foreign_sums(std::uint32_t other, std::uint32_t row, const char* detail);
  void check_tile(const protocol::Piece& piece, unsigned unit, const protocol::UnitWork& work);
  std::uint32_t unit_site(unsigned unit, const protocol::UnitWork& work, Party::What what);
  bool held_back(const Mark& before);
  // hazard_checker_kernels.cpp
  void give_to_kernel(unsigned agent, std::uint32_t kernel);
  void ring(unsigned warp, std::uint32_t address);
  SyncWord& signal(std::uint32_t address);
  void release(std::uint32_t signal, const Knowledge& what);
  std::string kernels_text(const Mark& before) const;
  // hazard_checker_memory.cpp
  void access_bytes(Shadow& shadow, std::uint32_t offset, unsigned bytes, std::uint32_t address,
                    bool is_write);
  void read(Shadow& shadow, Cell& cell, std::uint32_t address);
  void write(Shadow& shadow, Cell& cell, std::uint32_t address);
  bool known(const Clock& clock, const Mark& mark, Access access) const;
  bool before_actor(const Mark& mark, Access access, std::uint32_t address);
  bool is_stack(std::uint32_t address) const;
  bool from_other_lane(const Mark& store) const;
  void lane_order(const Mark& store, std::uint32_t address);
  Relation relate(Finding& f, const Mark& before, Access access, bool write) const;
  void conflict(const Mark& before, Access access, bool write, std::uint32_t address);
  void uninitialised(std::uint32_t address);
  std::uint64_t sync_key(std::uint32_t address) const;
  SyncWord& sync_word(Cell& cell, std::uint32_t address);
  void synchronise(SyncWord& word, bool atomic, std::uint32_t address);
  Mark actor_mark() const;
  Party party(const Mark& mark, bool write) const;

  const soc::SocParams params_;
  const protocol::AddressMap& map_;
  const UnitOfSource unit_of_source_;
  const unsigned cores_of_cluster_, units_of_cluster_;
  const std::uint32_t shared_base_, shared_bytes_;
  const bool lanes_are_independent_;
  Order order_;
  KernelOrder kernels_;
  SyncCode code_;
  Buffers buffers_;
  const std::optional<loader::StackLayout> stacks_;
  BarrierRules barriers_;
  Findings findings_;

  Shadow global_;
  std::deque<Shadow> shared_;  // by cluster
  std::deque<Shadow> accumulators_;  // by unit
  std::vector<WarpState> warps_;
  std::vector<Unit> units_;
  std::vector<Party> unit_sites_;  // by site
  std::vector<std::uint32_t> site_loops_;  // by site
  std::unordered_map<std::uint64_t, SyncWord> sync_;  // by memory and address; never iterated

  std::vector<std::string> queue_names_;
  std::map<unsigned, std::deque<Knowledge>> rung_;  // by queue: doorbells of warps under way
  unsigned host_doorbells_ = 0;  // behind the end of some kernel

  // of the access under way
  Actor actor_{};
  Clock before_copy_;  // of an asynchronous copy: what its warp knows and did
  Memory memory_ = Memory::kNone;
  unsigned cluster_ = 0;
  std::vector<std::uint64_t> waiting_;  // keys of sync_ whose values it brings
  base::Cycle cycle_ = 0;
  std::uint64_t event_ = 0;
};

}  // namespace spica::check
