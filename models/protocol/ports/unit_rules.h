// SPDX-License-Identifier: Apache-2.0
// Rules that the folder of a commanded unit, and that of the kernel queues, declare for tools that check programs
// (platform/observe/check). Like base::BlockType for energy: no tool knows a unit by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spica::protocol {

/// The units of a cluster that accept commands from warps, through a CSR or registers, and work asynchronously. Their
/// reads and writes are in their events (UnitWork). The class itself describes units that a machine does not have.
class UnitRules {
 public:
  virtual ~UnitRules() = default;

  // -- words used in findings
  virtual std::string_view title() const { return "unit"; }  // "matrix unit", followed by its number
  /// The function of sw/lib that waits until a unit is idle.
  virtual std::string_view wait() const { return {}; }
  /// The function that configures its loads, and the name of that configuration.
  virtual std::string_view configure() const { return {}; }
  virtual std::string_view configured() const { return {}; }
  /// The CSR of its commands.
  virtual std::string_view command_register() const { return {}; }

  // -- its registers, by offset from the unit's first register
  enum class Register : std::uint8_t {
    kOther,
    kBusy,  // reads 0 if nothing is queued or running
    kLoops,  // number of loops that have begun and not ended
    kCommand,  // a store issues a command
    kOperand,  // the operand that selects the configuration target of a later command
  };
  virtual Register register_at(std::uint32_t /*offset*/) const { return Register::kOther; }

  /// Whether these are the contents of registers in which a program has left a command.
  virtual bool holds_commands(const std::vector<unsigned char>& /*bytes*/) const { return false; }

  // -- its commands
  /// The unit of the cluster that a word written to the CSR addresses.
  virtual unsigned unit_of(std::uint32_t /*word*/) const { return 0; }
  /// Maximum number of commands through the CSR that a unit without a queue can hold. Further ones may be lost.
  virtual unsigned kept_commands() const { return 0; }
  /// Whether a command that the unit accepted (ProbeIf::on_command()) configures all of its loads.
  virtual bool configures_loads(std::uint32_t /*word*/) const { return false; }
  /// The same for a command issued by a store of `value`, with that operand.
  virtual bool configures_loads(std::uint32_t /*value*/, std::uint32_t /*operand*/) const { return false; }

  // -- ordering that the unit guarantees
  /// An item of work, and the command it belongs to.
  struct Part {
    std::uint32_t loop = 0;  // UnitWork::loop
    bool loads = false;
    /// All work of loops up to this number was issued when the command was given, as far as its requester knew.
    std::uint32_t issued_loops = 0;
  };
  /// True if the unit never works on both at once.
  virtual bool in_order(const Part& /*one*/, const Part& /*other*/) const { return false; }
};

/// Queues of kernels: their doorbells, and what their firmware learns from the words it reads. The class itself
/// describes a machine without queues.
class QueueRules {
 public:
  virtual ~QueueRules() = default;

  /// The queue whose doorbell is at this offset from the first register.
  virtual std::optional<unsigned> doorbell(std::uint64_t /*offset*/) const { return std::nullopt; }

  /// The meaning of a word that the firmware reads.
  struct Sight {
    enum class What : std::uint8_t {
      kNothing,
      kMemory,  // the word is in memory
      kAllEnded,  // all kernels so far have ended
      kEnded,  // the kernels of `queues` have ended
    };
    What what = What::kNothing;
    std::uint32_t queues = 0;  // one bit each
  };
  virtual Sight firmware_reads(std::uint64_t /*address*/, std::uint32_t /*value*/) const { return {}; }
};

/// The rules of the unit type of this program; the defaults above if it has none. Only one may be registered: a second
/// registration throws std::logic_error.
const UnitRules& unit_rules();
const QueueRules& queue_rules();

/// Registers rules for the whole program, before main(). Put it next to the block's KnownBlockType.
struct KnownUnitRules {
  explicit KnownUnitRules(const UnitRules& rules);
};
struct KnownQueueRules {
  explicit KnownQueueRules(const QueueRules& rules);
};

}  // namespace spica::protocol
