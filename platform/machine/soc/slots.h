// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/assembly/plan.h"
#include "models/base/params.h"
#include "models/protocol/payload/address_map.h"
#include "platform/base/config/field.h"
#include "platform/base/config/problem.h"
#include "platform/base/config/source.h"

namespace spica::soc {

class BlockParams;

/// A link that a configuration adds.
struct SlotLink {
  std::string from, to;

  static constexpr std::string_view kRequired[] = {"from", "to"};
  static constexpr std::string_view kProgrammingModel[] = {"from", "to"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("from", p.from, "socket or port of a block: core_0.gmem");
    field("to", p.to, "socket or port that it is bound to: coalescer_0.in");
  }
};

/// The addresses at which the cores of a cluster access a block, over the peripheral bus.
struct SlotRegisters {
  std::uint64_t base = 0, bytes = 0;
  std::string socket = "in";

  static constexpr std::string_view kProgrammingModel[] = {"base", "bytes", "socket"};
  static constexpr std::string_view kPolicies[] = {"bytes"};

  template <class Report>
  static void check(const SlotRegisters& p, Report&& contradiction) {
    if ((p.base == 0) != (p.bytes == 0))
      contradiction({"base", "bytes"}, "registers need both a first address and a number of bytes");
  }
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("base", p.base, "address", base::Range{0, 0xFFFF'FFFF},
          "first address; requests carry full addresses");
    field("bytes", p.bytes, "B", base::Range{0, 1 << 20}, "size of the range; 0: none");
    field("socket", p.socket, "target socket of the block for these accesses");
  }
};

/// A block that a configuration adds to the machine, or that replaces another one.
struct SlotParams {
  std::string name, kind;
  double clock_mhz = 0;
  std::vector<std::string> between;
  std::vector<SlotLink> links;
  SlotRegisters registers;
  std::shared_ptr<BlockParams> params;  // parameters of the kind; nullptr while the kind is unknown
  std::string params_of;  // the kind that `params` belong to
  config::Place place;  // its place in the file

  static constexpr std::string_view kRequired[] = {"name", "kind"};
  static constexpr std::string_view kProgrammingModel[] = {"name", "kind"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name,
          "name of the block. Without a prefix (cluster_0.watch) each cluster that has its "
          "neighbours gets one");
    field("kind", p.kind, "kind of block: one of Spica (docs/howto/own-block.md), or one of a plugin");
    field.list("between", p.between,
               "both ends of the link into which the block is inserted: [core_0.gmem, coalescer_0.in]");
    field.list("links", p.links, "further links");
    field.group("registers", p.registers, "address range at which cores access the block");
    field("clock_mhz", p.clock_mhz, "MHz", base::Range{0, 10000},
          "clock of the block; 0: clock of the next block or of the replaced one, otherwise of the "
          "clusters");
    if constexpr (!std::is_const_v<Self>)
      field.late("params", "parameters of the kind", [&p] { return p.fields_of_kind(); });
  }
  template <class Report>
  static void check(const SlotParams& p, Report&& contradiction) {
    if (p.params == nullptr && !may_be_unknown()) contradiction({"kind"}, unknown_kind(p.kind));
    if (!p.between.empty() && p.between.size() != 2)
      contradiction({"between"},
                    "must name the two ends of a link: the socket it starts from, and the one it ends at");
  }
  /// The parameters of the named kind, recreated when the kind changes; empty if the kind may be unknown.
  std::optional<std::vector<config::Field>> fields_of_kind();
  static std::string unknown_kind(const std::string& kind);
  /// True if an unknown kind may be in a library that was not loaded (plugin_consent.h).
  static bool may_be_unknown();
};

void locate_slots(const config::Source& source, std::vector<SlotParams>& slots);

/// An error in one of the slots of a configuration.
struct SlotError final : assembly::PlanError {
  SlotError(std::size_t number, const char* what) : PlanError(what), slot(number) {}
  std::size_t slot;  // its number in the list
};

struct SocParams;

/// What overlaps the registers of a slot placed at `base`: registers, windows, shared memory, registers of other slots.
/// Size 0: nothing.
protocol::Region beneath(const SocParams& params, const SlotParams& slot, std::uint64_t base);
/// The first address above shared memory at which its registers overlap nothing; 0: none.
std::uint64_t free_address(const SocParams& params, const SlotParams& slot);
/// "; 0xff013100 is free", or nothing for 0.
std::string is_free(std::uint64_t address);

/// Applies the slots of the configuration to the plan of a machine. Throws SlotError.
void add_slots(assembly::Plan& plan, const SocParams& params);

/// The number of the slot that added a block of the plan; empty if none did.
std::optional<std::size_t> slot_of(const SocParams& params, const std::string& block);
/// Throws ConfigError: the error `what` of that slot, with its place.
[[noreturn]] void refuse_slot(const SocParams& params, std::size_t number, const std::string& what);

}  // namespace spica::soc
