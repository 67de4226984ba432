// SPDX-License-Identifier: Apache-2.0 What the folder of a unit that takes commands, and that of the queues of
// kernels, say of themselves to tools that judge programs (platform/observe/check). As base::BlockType does for
// energy: no tool knows a unit by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spica::protocol {

/// The units of a cluster that warps give commands to, through a CSR or through registers, and that work on their
/// own. What they read and write is in their events (UnitWork). The class itself describes units that a machine does
/// not have.
class UnitRules {
 public:
  virtual ~UnitRules() = default;

  // -- words, for findings
  virtual std::string_view title() const { return "unit"; }  // "matrix unit", in front of its number
  /// The function of sw/lib that waits until a unit is idle.
  virtual std::string_view wait() const { return {}; }
  /// The function that configures its loads, and what these have.
  virtual std::string_view configure() const { return {}; }
  virtual std::string_view configured() const { return {}; }
  /// The CSR of its commands.
  virtual std::string_view command_register() const { return {}; }

  // -- its registers, by their offset from the unit's first one
  enum class Register : std::uint8_t {
    kOther,
    kBusy,  // 0 is read when nothing is queued or under way
    kLoops,  // the loops that have begun and not ended
    kCommand,  // a store gives a command
    kOperand,  // the operand that selects what a later command configures
  };
  virtual Register register_at(std::uint32_t /*offset*/) const { return Register::kOther; }

  /// Whether these are the bytes of registers in which a program has left a command.
  virtual bool holds_commands(const std::vector<unsigned char>& /*bytes*/) const { return false; }

  // -- its commands
  /// The unit of the cluster that a word in the CSR goes to.
  virtual unsigned unit_of(std::uint32_t /*word*/) const { return 0; }
  /// The number of commands through the CSR that a unit without a queue keeps. With one more it may lose some.
  virtual unsigned kept_commands() const { return 0; }
  /// Whether a command that the unit took (ProbeIf::on_command()) configures all of its loads.
  virtual bool configures_loads(std::uint32_t /*word*/) const { return false; }
  /// The same of a command given by a store of `value`, with that operand.
  virtual bool configures_loads(std::uint32_t /*value*/, std::uint32_t /*operand*/) const { return false; }

  // -- what the unit itself keeps in order
  /// A piece of work, and the command it belongs to.
  struct Part {
    std::uint32_t loop = 0;  // UnitWork::loop
    bool loads = false;
    /// Loops up to which all work was issued when the command was given, as far as its giver knew.
    std::uint32_t issued_loops = 0;
  };
  /// Whether it never works on the two at once.
  virtual bool in_order(const Part& /*one*/, const Part& /*other*/) const { return false; }
};

/// Queues of kernels: their doorbells, and what their firmware learns where it looks. The class itself describes a
/// machine without them.
class QueueRules {
 public:
  virtual ~QueueRules() = default;

  /// The queue whose doorbell is at this offset from the first register.
  virtual std::optional<unsigned> doorbell(std::uint64_t /*offset*/) const { return std::nullopt; }

  /// What a word says that the firmware reads.
  struct Sight {
    enum class What : std::uint8_t {
      kNothing,
      kMemory,  // the word is in memory
      kAllEnded,  // every kernel so far has ended
      kEnded,  // kernels of `queues` have
    };
    What what = What::kNothing;
    std::uint32_t queues = 0;  // a bit each
  };
  virtual Sight firmware_reads(std::uint64_t /*address*/, std::uint32_t /*value*/) const { return {}; }
};

/// Those of the block that this program has; the plain ones of above where it has none. Machines number one kind of
/// units, so a second registration throws std::logic_error.
const UnitRules& unit_rules();
const QueueRules& queue_rules();

/// Registers rules for the whole program, before main(). Belongs next to the block's KnownBlockType.
struct KnownUnitRules {
  explicit KnownUnitRules(const UnitRules& rules);
};
struct KnownQueueRules {
  explicit KnownQueueRules(const QueueRules& rules);
};

}  // namespace spica::protocol
