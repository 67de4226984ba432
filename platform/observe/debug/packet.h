// SPDX-License-Identifier: Apache-2.0
// The wire format of gdb's remote serial protocol: frames, escapes, hexadecimal numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace spica::debug {

/// Maximum number of bytes between '$' and '#'; longer packets count as damaged.
inline constexpr std::size_t kMaxPacket = 0x8000;
/// Answers to a request.
inline constexpr const char *kGood = "OK", *kError = "E01";

/// An item in the byte stream.
struct Item {
  enum class Kind : std::uint8_t {
    kPacket,     // a whole packet with the right check sum
    kDamaged,    // a packet with a wrong check sum, or too long
    kInterrupt,  // the byte 3: the user wants the program to stop
    kAck,        // '+'
    kNack,       // '-': send the last packet again
  };
  Kind kind;
  std::string payload;  // of kPacket, escapes resolved
};

/// Splits a byte stream into items. Unknown bytes outside packets are skipped.
class PacketReader {
 public:
  void feed(std::string_view bytes);
  /// The oldest item; empty if more bytes are needed.
  std::optional<Item> next();
  /// True if there is an item of that kind; no item is removed.
  bool has(Item::Kind kind) const;
  /// Drops all data.
  void reset();

 private:
  enum class State : std::uint8_t { kOutside, kInside, kSum1, kSum2 };
  void finish(char digit);

  State state_ = State::kOutside;
  std::string raw_;
  bool too_long_ = false;
  char sum_digit_ = 0;
  std::deque<Item> items_;
};

/// "$payload#xx" with special characters escaped.
std::string frame(std::string_view payload);

/// Two digits per byte.
std::string to_hex(std::string_view bytes);
/// Empty if the text is not whole bytes in hexadecimal.
std::optional<std::string> from_hex(std::string_view text);

/// The word of which these 4 bytes are the little-endian form.
std::uint32_t word_of(std::string_view bytes);

/// Parses a packet from left to right. Each function consumes what it describes, and returns whether it was present.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool take(std::string_view what);
  /// At least one digit; false if the number is too large.
  bool number(std::uint64_t& value);
  /// A thread: hexadecimal number, 0 for any, -1 for all.
  bool thread(std::int64_t& id);
  /// Everything up to `end`, which is skipped; without `end`, the rest.
  std::string_view until(char end);

 private:
  std::string_view rest_;
};

}  // namespace spica::debug
