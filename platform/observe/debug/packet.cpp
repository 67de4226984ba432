// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/packet.h"

#include <algorithm>

namespace spica::debug {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

unsigned sum_of(std::string_view bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  return sum & 0xFF;
}

std::string unescaped(std::string_view raw) {
  std::string payload;
  payload.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '}' && i + 1 < raw.size()) payload += static_cast<char>(raw[++i] ^ 0x20);
    else payload += raw[i];
  }
  return payload;
}

}  // namespace

void PacketReader::feed(std::string_view bytes) {
  for (const char c : bytes) {
    switch (state_) {
      case State::kOutside:
        if (c == '$') {
          raw_.clear();
          too_long_ = false;
          state_ = State::kInside;
        } else if (c == '+') {
          items_.push_back({Item::Kind::kAck, {}});
        } else if (c == '-') {
          items_.push_back({Item::Kind::kNack, {}});
        } else if (c == 3) {
          items_.push_back({Item::Kind::kInterrupt, {}});
        }
        break;
      case State::kInside:
        if (c == '#') {
          state_ = State::kSum1;
        } else if (c == '$') {  // the end of the last one was lost
          items_.push_back({Item::Kind::kDamaged, {}});
          raw_.clear();
          too_long_ = false;
        } else if (raw_.size() < kMaxPacket) {
          raw_ += c;
        } else {
          too_long_ = true;
        }
        break;
      case State::kSum1:
        sum_digit_ = c;
        state_ = State::kSum2;
        break;
      case State::kSum2: finish(c); break;
    }
  }
}

void PacketReader::finish(char digit) {
  state_ = State::kOutside;
  const int high = digit_value(sum_digit_), low = digit_value(digit);
  if (too_long_ || high < 0 || low < 0 || static_cast<unsigned>(high * 16 + low) != sum_of(raw_))
    items_.push_back({Item::Kind::kDamaged, {}});
  else items_.push_back({Item::Kind::kPacket, unescaped(raw_)});
}

std::optional<Item> PacketReader::next() {
  if (items_.empty()) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  return item;
}

bool PacketReader::has(Item::Kind kind) const {
  return std::any_of(items_.begin(), items_.end(), [kind](const Item& item) { return item.kind == kind; });
}

void PacketReader::reset() {
  state_ = State::kOutside;
  items_.clear();
}

std::string frame(std::string_view payload) {
  std::string text = "$";
  text.reserve(payload.size() + 8);
  for (const char c : payload) {
    if (c == '$' || c == '#' || c == '}' || c == '*') {
      text += '}';
      text += static_cast<char>(c ^ 0x20);
    } else {
      text += c;
    }
  }
  const unsigned sum = sum_of(std::string_view(text).substr(1));
  text += '#';
  text += kDigits[sum >> 4];
  text += kDigits[sum & 15];
  return text;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_value(text[i]), low = digit_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::uint32_t word_of(std::string_view bytes) {
  std::uint32_t word = 0;
  for (unsigned i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

bool Cursor::take(std::string_view what) {
  if (rest_.substr(0, what.size()) != what) return false;
  rest_.remove_prefix(what.size());
  return true;
}

bool Cursor::number(std::uint64_t& value) {
  if (rest_.empty() || digit_value(rest_[0]) < 0) return false;
  value = 0;
  while (!rest_.empty() && digit_value(rest_[0]) >= 0) {
    if (value >> 60 != 0) return false;
    value = value << 4 | static_cast<unsigned>(digit_value(rest_[0]));
    rest_.remove_prefix(1);
  }
  return true;
}

bool Cursor::thread(std::int64_t& id) {
  if (take("-1")) {
    id = -1;
    return true;
  }
  std::uint64_t value = 0;
  if (!number(value) || value > 0x7FFF'FFFF) return false;
  id = static_cast<std::int64_t>(value);
  return true;
}

std::string_view Cursor::until(char end) {
  const std::size_t at = std::min(rest_.find(end), rest_.size());
  const std::string_view part = rest_.substr(0, at);
  rest_.remove_prefix(std::min(at + 1, rest_.size()));
  return part;
}

}  // namespace spica::debug
