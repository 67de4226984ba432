// SPDX-License-Identifier: Apache-2.0
// Firmware of the command processor: a program that decides which kernels at the heads of the queues run, in place of
// the policies that the block has. It runs on a hart of its own, in C or C++:
//
//   #include <spica/firmware.h>
//   using namespace spica::firmware;
//
//   int main() {
//     for (;; sleep()) {
//       take_new(), take_given(), take_ended();  // what has changed does not wake it again
//       for (unsigned queue = 0; queue < queues(); ++queue)
//         if (head(queue).may_begin()) launch(queue);
//     }
//   }
//
//   spica cc --firmware policy.cpp -o policy.elf
//   spica stream FILE.yaml --set command_processor.firmware=policy.elf
//
// Its memory has 64 KB, 8 KB of them for the stack. Main memory is at its usual addresses; an access takes
// command_processor.memory_latency cycles of the hart, one to a register only that of the instruction. There is no
// printf() and no malloc(). Registers: models/command_processor/command_processor_regs.h.
#pragma once

#include "models/command_processor/command_processor_regs.h"

namespace spica::firmware {

inline unsigned read(unsigned offset) {
  return *reinterpret_cast<volatile unsigned*>(FIRMWARE_REGISTERS + offset);
}
inline void write(unsigned offset, unsigned value) {
  *reinterpret_cast<volatile unsigned*>(FIRMWARE_REGISTERS + offset) = value;
}

enum class Policy : unsigned { kSequential, kGreedy, kPredicted, kOracle };
/// command_processor.policy.
inline Policy policy() { return static_cast<Policy>(read(FIRMWARE_POLICY)); }
inline unsigned queues() { return read(FIRMWARE_QUEUES); }
inline unsigned clusters() { return read(FIRMWARE_CLUSTERS); }
/// Address of the concurrency model (models/protocol/host_queues/concurrency_model.h); 0: there is none.
inline unsigned model() { return read(FIRMWARE_MODEL); }

/// Queues, a bit each: at whose head a kernel has come; whose head has left, because all its work groups are with
/// clusters; of which a kernel has ended. Each is reported once.
inline unsigned take_new() { return read(FIRMWARE_NEW); }
inline unsigned take_given() { return read(FIRMWARE_GIVEN); }
inline unsigned take_ended() { return read(FIRMWARE_ENDED); }
/// Rests until one of them is not 0.
inline void sleep() { write(FIRMWARE_SLEEP, 0); }

/// Queues whose next packet is about to be read: take_new() reports it later if it is a kernel.
inline unsigned unread() { return read(FIRMWARE_UNREAD); }
/// Kernels that have been launched and have not ended.
inline unsigned running() { return read(FIRMWARE_RUNNING); }
/// Matrix products among them that were launched as variant `variant`, 1 to 5.
inline unsigned running_products(unsigned variant) { return read(FIRMWARE_PRODUCTS + 4 * (variant - 1)); }

/// The packet at the head of a queue. Variants: 0 is the kernel of the packet, 1 to 5 those of its table for 1, 2, 4, 8
/// and 16 matrix products at once.
class Head {
 public:
  explicit Head(unsigned queue) : at_(FIRMWARE_HEADS + FIRMWARE_HEAD_BYTES * queue), state_(read(at_)) {}

  /// A kernel is there that has not been launched; and nothing before it in its queue holds it back.
  bool is_kernel() const { return (state_ & FIRMWARE_KERNEL) != 0; }
  bool may_begin() const { return (~state_ & (FIRMWARE_KERNEL | FIRMWARE_FREE)) == 0; }
  /// It is a matrix product with a table; and has the same one as the product that was launched last.
  bool is_product() const { return (state_ & FIRMWARE_PRODUCT) != 0; }
  bool is_like_last() const { return (state_ & FIRMWARE_LIKE_LAST) != 0; }

  unsigned running_in_queue() const { return read(at_ + FIRMWARE_IN_QUEUE); }
  unsigned m() const { return read(at_ + FIRMWARE_M); }
  unsigned n() const { return read(at_ + FIRMWARE_N); }
  unsigned k() const { return read(at_ + FIRMWARE_K); }
  /// Work groups; how many of them an empty cluster holds; cycles that were measured of the table's, 0: not known.
  unsigned groups(unsigned variant = 0) const { return read(at_ + FIRMWARE_GROUPS + 4 * variant); }
  unsigned occupancy(unsigned variant = 0) const { return read(at_ + FIRMWARE_OCCUPANCY + 4 * variant); }
  unsigned cycles(unsigned variant) const { return read(at_ + FIRMWARE_CYCLES + 4 * variant); }
  /// A word of the packet, 0 to 15 (models/protocol/host_queues/packets.h).
  unsigned packet(unsigned word) const { return read(at_ + FIRMWARE_PACKET + 4 * word); }

 private:
  unsigned at_, state_;
};
inline Head head(unsigned queue) { return Head(queue); }

/// Launches the kernel at the head of a queue, which may begin. The write of a variant into the packet takes an access
/// to memory.
inline void launch(unsigned queue, unsigned variant = 0) { write(FIRMWARE_LAUNCH, queue + 256 * variant); }

}  // namespace spica::firmware
