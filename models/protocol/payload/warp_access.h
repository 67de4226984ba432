// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "models/protocol/payload/lane_wires.h"
#include "models/protocol/payload/request_info.h"

namespace spica::protocol {

inline constexpr unsigned kMaxLanes = 32;

/// Identifies loads of several warps that one read can serve.
struct Sharing {
  std::uint8_t destination = 0;  // destination register plus 1; 0: an ordinary load
  std::uint8_t source = 0;  // register of the address
  std::uint8_t part = 0;  // number of the access within its instruction
  bool last = true;  // last access of the instruction
  std::uint16_t read = 0;  // number of the read, for the unit that merges two loads into one
};

/// The matrix of a product to which a fragment belongs.
enum class Operand : std::uint8_t { kNone, kA, kB };

/// One load, store or atomic of one warp instruction: up to 32 lanes, each with its own address. The sticky extension
/// of a WarpPayload. The payload itself is READ or WRITE; its address is that of the lowest active lane. For up to 8
/// lanes the mask and the addresses are in one cache line of the host, the data in another.
struct alignas(64) WarpAccess final : tlm::tlm_extension<WarpAccess> {
  std::uint32_t mask = 0;  // lanes that take part
  std::uint8_t bytes = 4;  // bytes per lane: 1, 2 or 4; addresses are multiples of it
  /// Minimum number of cycles for which it occupies the data path of the memory; set by the memory when it accepts the
  /// request.
  std::uint8_t passes = 1;
  std::uint8_t port = 0;  // port of the block that forwards it and its response (mio)
  /// Lanes whose addresses are in stacks that the caches interleave; set by the coalescer when it accepts the access.
  enum class Local : std::uint8_t { kNone, kSome, kAll };
  Local local = Local::kNone;
  /// Wires of a core with independent lanes; nullptr: the lanes of an access stay together.
  LaneWires* wires = nullptr;
  std::uint32_t unanswered = 0;  // for the memory, with `wires`: lanes without an answer
  Operand operand = Operand::kNone;
  Sharing sharing;
  bool row = false;  // the requester knows that all lanes access consecutive words
  bool copy = false;  // asynchronous: the data goes to shared memory instead of registers
  std::uint16_t fetched =
      0;  // bytes that its cache had to fetch (RequestInfo::fetched), summed by the coalescer
  std::array<std::uint32_t, kMaxLanes> address{};  // one per lane
  /// Store: the value to write (low `bytes` bytes). Load: the value read, zero-extended. Atomic: operand in, old value
  /// out.
  alignas(64) std::array<std::uint32_t, kMaxLanes> data{};

  /// True if the first `lanes` lanes access consecutive words.
  bool consecutive(unsigned lanes) const {
    return row || (lanes == 8 ? consecutive_words(8) : consecutive_words(lanes));
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(mask, bytes, passes, port, local, wires, unanswered, operand, sharing, row, copy, fetched,
            address, data);
  }

  tlm::tlm_extension_base* clone() const override { return new WarpAccess(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const WarpAccess&>(other);
  }

 private:
  /// Branch-free, so that the compiler can vectorize it for constant `lanes`.
  bool consecutive_words(unsigned lanes) const {
    std::uint32_t difference = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) difference |= address[lane] - (address[0] + 4 * lane);
    return difference == 0;
  }
};

}  // namespace spica::protocol
