// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/log_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "models/isa/instruction.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::trace {

namespace {

constexpr std::size_t kLongestWait = 16;  // instructions of a loop that waits

/// Words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::string_view next() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
    const std::string_view word = text_.substr(0, text_.find_first_of(" \t"));
    text_.remove_prefix(word.size());
    return word;
  }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

std::optional<std::uint64_t> number_of(std::string_view text, int base = 10) {
  if (base == 16 && text.substr(0, 2) == "0x") text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// "c0.w12".
std::optional<WarpName> warp_of(std::string_view text) {
  const std::size_t dot = text.find(".w");
  if (text.substr(0, 1) != "c" || dot == std::string_view::npos) return std::nullopt;
  const auto core = number_of(text.substr(1, dot - 1)), warp = number_of(text.substr(dot + 2));
  if (!core || !warp) return std::nullopt;
  return WarpName(*core, *warp);
}

using Parsed = std::optional<std::pair<WarpName, LoggedInstruction>>;

/// "98 c0.w0 #0 0x80000000 01 csrrs t0,0xfc1,zero | t0=0x8", the cycle may be missing.
Parsed spica_line(std::string_view line) {
  LoggedInstruction one;
  one.text = line;
  one.cycle = LoggedInstruction::kNoCycle;
  Words words(line);
  std::string_view word = words.next();
  if (const auto cycle = number_of(word)) {
    one.cycle = *cycle;
    word = words.next();
  }
  const auto warp = warp_of(word);
  const std::string_view number = words.next();
  const auto pc = number_of(words.next(), 16);
  one.lanes = words.next();
  if (!warp || number.substr(0, 1) != "#" || !pc || one.lanes.empty()) return std::nullopt;
  one.pc = static_cast<std::uint32_t>(*pc);
  const std::string_view rest = words.rest();
  const std::size_t bar = rest.find(" | ");
  one.instruction = trimmed(rest.substr(0, bar));
  if (bar != std::string_view::npos) one.effect = trimmed(rest.substr(bar + 3));
  return std::pair(*warp, one);
}

/// "core   0: 3 0x80000000 (0x00000297) x5  0x80000000 mem 0x80001000".
Parsed spike_line(std::string_view line) {
  LoggedInstruction one;
  one.text = line;
  one.cycle = LoggedInstruction::kNoCycle;
  Words words(line);
  if (words.next() != "core") return std::nullopt;
  std::string_view core = words.next();
  if (core.empty() || core.back() != ':') return std::nullopt;
  core.remove_suffix(1);
  const auto number = number_of(core);
  std::string_view word = words.next();
  if (word.size() == 1) word = words.next();  // the privilege level
  const auto pc = number_of(word, 16);
  if (!number || !pc || words.next().substr(0, 1) != "(") return std::nullopt;
  one.pc = static_cast<std::uint32_t>(*pc);
  one.effect = trimmed(words.rest());
  return std::pair(WarpName(*number, 0), one);
}

bool same(const LoggedInstruction& a, const LoggedInstruction& b) {
  return a.pc == b.pc && a.lanes == b.lanes && a.instruction == b.instruction && a.effect == b.effect;
}

/// Takes the last round of a loop away that is like the one before.
void drop_repetition(std::vector<LoggedInstruction>& log) {
  for (std::size_t length = 1; length <= kLongestWait && 2 * length <= log.size(); ++length) {
    const auto end = log.end(), middle = end - static_cast<std::ptrdiff_t>(length);
    if (!same(*(end - 1), *(middle - 1)) ||
        !std::equal(middle, end, middle - static_cast<std::ptrdiff_t>(length), same))
      continue;
    log.erase(middle, end);
    return;
  }
}

/// What an instruction of Spica writes to a register, as in "fa5=0x42000000 load @0xc0000400"; empty: nothing.
std::string_view written(std::string_view effect) {
  const std::string_view word = effect.substr(0, effect.find(' '));
  return word.find('=') == std::string_view::npos ? std::string_view() : word;
}

/// The same of a line of Spike, "x5  0x80000000 ...", as Spica would write it.
std::string written_by_spike(std::string_view effect) {
  Words words(effect);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const bool is_float = word.front() == 'f';
    const auto row = number_of(word.substr(1));
    if ((word.front() != 'x' && !is_float) || !row || *row > 31) continue;
    const auto value = number_of(words.next(), 16);
    if (!value) return {};
    return fmt::format("{}=0x{:x}", isa::register_name(static_cast<unsigned>(*row) + (is_float ? 32 : 0)),
                       static_cast<std::uint32_t>(*value));
  }
  return {};
}

/// What it reads is the time, which is another in every run.
bool reads_clock(std::string_view instruction) {
  for (const char* counter : {",mcycle", ",minstret", ",cycle", ",time", ",instret"})
    if (instruction.find(counter) != std::string_view::npos) return true;
  return false;
}

/// With a log of Spike only what it has is compared.
bool same_effect(const LoggedInstruction& a, bool a_of_spike, const LoggedInstruction& b, bool b_of_spike) {
  if (!a_of_spike && !b_of_spike) return a.effect == b.effect;
  const auto of = [](const LoggedInstruction& one, bool of_spike) {
    return of_spike ? written_by_spike(one.effect) : std::string(written(one.effect));
  };
  return of(a, a_of_spike) == of(b, b_of_spike);
}

using Log = std::vector<LoggedInstruction>;

/// An instruction of a loop that only waits: it stores nothing, and makes no register from itself, as counters are.
bool may_wait(const LoggedInstruction& one) {
  if (one.instruction.empty() || one.instruction.substr(0, 3) == "amo" ||
      one.instruction.substr(0, 3) == "sc." || one.effect.find("store") != std::string_view::npos)
    return false;
  const std::size_t blank = one.instruction.find(' '), comma = one.instruction.find(',');
  if (blank == std::string_view::npos || comma == std::string_view::npos) return true;
  const std::string_view target = one.instruction.substr(blank + 1, comma - blank - 1);
  return one.effect.substr(0, target.size() + 1) != std::string(target) + '=' ||
         one.instruction.find(target, comma) == std::string_view::npos;
}

/// Where a log that waits at `index` continues at `pc`, behind rounds of a loop that the other log did not need.
template <class Equal>
std::optional<std::size_t> behind_wait(const Log& log, std::size_t index, const Equal& continues) {
  constexpr std::size_t kMostRounds = 8;
  const std::size_t before = index - std::min(index, kLongestWait);
  const bool goes_back = std::any_of(log.begin() + static_cast<std::ptrdiff_t>(before),
                                     log.begin() + static_cast<std::ptrdiff_t>(index),
                                     [&](const auto& one) { return one.pc == log[index].pc; });
  const std::size_t end = std::min(log.size(), index + kMostRounds * kLongestWait);
  for (std::size_t i = index; i < end && may_wait(log[i]); ++i)
    if (i + 1 < log.size() && (goes_back || log[i + 1].pc == log[index].pc) && continues(log[i + 1]))
      return i + 1;
  return std::nullopt;
}

/// Where the program begins in a log of Spike: at the first instruction of the other log.
std::size_t begin_of(const Log& log, bool of_spike, const Log& other) {
  if (!of_spike || other.empty()) return 0;
  const auto found =
      std::find_if(log.begin(), log.end(), [&](const auto& one) { return one.pc == other.front().pc; });
  return found == log.end() ? 0 : static_cast<std::size_t>(found - log.begin());
}

}  // namespace

ComparedLog::ComparedLog(const std::string& path) : path_(path) {
  const std::vector<unsigned char> bytes = input::read_file(path);
  text_.assign(bytes.begin(), bytes.end());
  std::uint64_t number = 0;
  const std::string_view text = text_;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    read_line(text.substr(begin, end - begin), ++number);
    begin = end + 1;
  }
  if (warps_.empty())
    throw input::UserError(
        fmt::format("{}: contains no instructions; --trace FILE.log writes an instruction "
                    "log",
                    input::printable(path)));
}

void ComparedLog::read_line(std::string_view line, std::uint64_t number) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return;
  Parsed parsed = of_spike_ ? spike_line(line) : spica_line(line);
  if (!parsed && warps_.empty()) {
    parsed = spike_line(line);
    of_spike_ = parsed.has_value();
  }
  if (!parsed)
    throw input::UserError(fmt::format(
        "{}:{}: not a line of an instruction log: '{}'; supported are logs of --trace FILE.log and of "
        "spike --log-commits",
        input::printable(path_), number, input::printable(std::string(line.substr(0, 80)))));
  parsed->second.line = number;
  std::vector<LoggedInstruction>& log = warps_[parsed->first];
  log.push_back(parsed->second);
  drop_repetition(log);
}

std::vector<Divergence> compare_logs(const ComparedLog& first, const ComparedLog& second,
                                     const CompareRules& rules) {
  using Kind = Divergence::Kind;
  std::vector<Divergence> found;
  const Log none;
  const auto log_of = [&](const ComparedLog& log, const WarpName& warp) -> const Log& {
    const auto place = log.warps().find(warp);
    return place == log.warps().end() ? none : place->second;
  };
  const auto compare_warp = [&](const WarpName& warp) {
    const Log &a = log_of(first, warp), &b = log_of(second, warp);
    std::size_t i = begin_of(a, first.of_spike(), b), j = begin_of(b, second.of_spike(), a);
    const auto difference = [&](const LoggedInstruction& one,
                                const LoggedInstruction& other) -> std::optional<Kind> {
      const bool with_text = !first.of_spike() && !second.of_spike();
      if (one.pc != other.pc) return Kind::kPc;
      if (with_text && one.lanes != other.lanes) return Kind::kLanes;
      if (with_text && one.instruction != other.instruction) return Kind::kInstruction;
      if (!rules.path_only && !reads_clock(one.instruction) &&
          !same_effect(one, first.of_spike(), other, second.of_spike()))
        return Kind::kEffect;
      return std::nullopt;
    };
    std::optional<Kind> kind;
    for (; i < a.size() && j < b.size(); ++i, ++j) {
      kind = difference(a[i], b[j]);
      if (!kind) continue;
      const auto like = [&](const LoggedInstruction& one) {
        return [&](const LoggedInstruction& other) { return !difference(one, other); };
      };
      if (const auto later = behind_wait(b, j, like(a[i]))) j = *later;
      else if (const auto other = behind_wait(a, i, like(b[j]))) i = *other;
      else break;
      kind.reset();
    }
    if (!kind && i < a.size()) kind = Kind::kSecondEnds;
    else if (!kind && j < b.size()) kind = Kind::kFirstEnds;
    if (kind) found.push_back({warp, i, j, *kind});
  };
  for (const auto& [warp, log] : first.warps()) compare_warp(warp);
  for (const auto& [warp, log] : second.warps())
    if (first.warps().count(warp) == 0) compare_warp(warp);
  const auto cycle = [&](const Divergence& one) {
    const Log& log = log_of(first, one.warp);
    return one.first < log.size() ? log[one.first].cycle : LoggedInstruction::kNoCycle;
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Divergence& a, const Divergence& b) { return cycle(a) < cycle(b); });
  return found;
}

}  // namespace spica::trace
