// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "models/protocol/lane_wires.h"
#include "models/protocol/request_info.h"

namespace spica::protocol {

inline constexpr unsigned kMaxLanes = 32;

/// Key of a load that one read may serve together with the same load of another warp.
struct Sharing {
  std::uint8_t destination = 0;  // its register, and 1; 0: the load is one like others
  std::uint8_t source = 0;  // register of the address
  std::uint8_t part = 0;  // number of the access among those of the instruction
  bool last = true;  // it is the last one
  std::uint16_t read = 0;  // number of the read, for the unit that makes one read of two
};

/// Which matrix of a product a fragment is of.
enum class Operand : std::uint8_t { kNone, kA, kB };

/// One load, store or atomic of one warp instruction: up to 32 lanes, each with its own address.
/// The sticky extension of a WarpPayload. The payload itself says READ or WRITE; its address is that of
/// the lowest active lane. For up to 8 lanes the mask and the addresses are in one cache line of the host,
/// the data in another.
struct alignas(64) WarpAccess final : tlm::tlm_extension<WarpAccess> {
  std::uint32_t mask = 0;  // lanes that take part
  std::uint8_t bytes = 4;  // per lane: 1, 2 or 4; addresses are multiples of it
  /// Least number of cycles in which it has the data path of the memory to itself; the memory sets it when it takes the
  /// request.
  std::uint8_t passes = 1;
  std::uint8_t port = 0;  // of the block on its way that hands it on, and back (mio)
  /// Lanes whose addresses are in stacks that the caches interleave; the coalescer sets it when it takes the access.
  enum class Local : std::uint8_t { kNone, kSome, kAll };
  Local local = Local::kNone;
  /// Wires of a core whose lanes proceed one by one; nullptr: the lanes of an access stay together.
  LaneWires* wires = nullptr;
  std::uint32_t unanswered = 0;  // the memory's own, with `wires`: lanes that have had no answer
  Operand operand = Operand::kNone;
  Sharing sharing;
  bool row = false;  // the requester knows that the addresses of all lanes are consecutive words
  std::array<std::uint32_t, kMaxLanes> address{};  // by lane
  /// Store: what to write (low `bytes` bytes). Load: the raw value read, zero-extended. Atomic: operand
  /// in, old value out.
  alignas(64) std::array<std::uint32_t, kMaxLanes> data{};

  /// Are the first `lanes` lanes on consecutive words?
  bool consecutive(unsigned lanes) const {
    return row || (lanes == 8 ? consecutive_words(8) : consecutive_words(lanes));
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(mask, bytes, passes, port, local, wires, unanswered, operand, sharing, row, address, data);
  }

  tlm::tlm_extension_base* clone() const override { return new WarpAccess(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const WarpAccess&>(other);
  }

 private:
  /// Without a branch, so that the host's vector unit does it where `lanes` is a constant.
  bool consecutive_words(unsigned lanes) const {
    std::uint32_t difference = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) difference |= address[lane] - (address[0] + 4 * lane);
    return difference == 0;
  }
};

}  // namespace spica::protocol
