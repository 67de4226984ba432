// SPDX-License-Identifier: Apache-2.0
// What gdb asks about the server itself and about threads; its `monitor` commands.
#include <fmt/format.h>

#include <algorithm>

#include "platform/observe/debug/server.h"

namespace spica::debug {

std::string Server::answer_query(std::string_view packet) {
  Cursor cursor(packet);
  if (cursor.take("qSupported"))
    return fmt::format(
        "PacketSize={:x};QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;qXfer:features:read+;"
        "qXfer:threads:read+;qXfer:memory-map:read+;ConditionalBreakpoints+{}",
        kMaxPacket, history_.possible() ? ";ReverseStep+;ReverseContinue+" : "");
  if (packet == "QStartNoAckMode" || cursor.take("qSymbol:")) return "OK";
  if (packet == "vCont?") return "vCont;c;C;s;S;r";
  if (packet == "qC") return fmt::format("QC{:x}", current_ + 1);
  if (cursor.take("qAttached")) return "1";  // leaving gdb leaves the program running
  if (packet == "qfThreadInfo") {
    std::string list;
    for (const unsigned warp : target_.threads(current_))
      list += fmt::format("{}{:x}", list.empty() ? 'm' : ',', warp + 1);
    return list;
  }
  if (packet == "qsThreadInfo") return "l";
  if (cursor.take("qThreadExtraInfo,")) {
    std::int64_t thread = 0;
    if (!cursor.thread(thread)) return kError;
    const auto warp = warp_of(thread);
    return warp ? to_hex(target_.name(*warp) + "; " + target_.extra_info(*warp)) : kError;
  }
  if (cursor.take("qXfer:")) return transfer(cursor);
  if (cursor.take("qRcmd,")) return monitor(cursor.rest());
  return {};
}

/// qXfer:object:read:annex:offset,length: a piece of a longer text, 'm' in front when more follows.
std::string Server::transfer(Cursor cursor) {
  const std::string_view object = cursor.until(':');
  if (cursor.until(':') != "read") return {};
  const std::string_view annex = cursor.until(':');
  std::uint64_t offset = 0, length = 0;
  if (!cursor.number(offset) || !cursor.take(",") || !cursor.number(length)) return kError;
  std::string text;
  if (object == "features") {
    if (annex != "target.xml") return "E00";
    text = target_description(control_.machine().params());
  } else if (object == "threads") {
    text = target_.thread_list(current_);
  } else if (object == "memory-map") {
    text = target_.memory_map();
  } else {
    return {};
  }
  if (offset >= text.size()) return "l";
  length = std::min<std::uint64_t>(length, kMaxPacket / 2);
  const bool more = offset + length < text.size();
  return (more ? "m" : "l") + text.substr(offset, length);
}

std::string Server::monitor(std::string_view hex) {
  const auto command = from_hex(hex);
  if (!command) return kError;
  const std::string text = monitor_.run(*command, current_);
  constexpr std::size_t kMost = 2000;
  for (std::size_t i = 0; i < text.size(); i += kMost) connection_.send("O" + to_hex(text.substr(i, kMost)));
  return "OK";
}

}  // namespace spica::debug
