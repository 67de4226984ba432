// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/provenance.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/digest/digest.h"
#include "platform/base/input/printable.h"
#include "platform/machine/loader/compilers.h"
#include "platform/observe/report/build_info.h"

namespace spica::report {

json::Value provenance_json(const std::vector<std::string>& command_line, const loader::Program& program,
                            const std::string& machine, std::uint64_t seed) {
  return {{"version", kBuildInfo.version},
          {"commit", kBuildInfo.commit},
          {"dirty", kBuildInfo.dirty},
          {"compiler", kBuildInfo.compiler},
          {"build_type", kBuildInfo.build_type},
          {"command_line", shell_text(command_line)},
          {"program_sha1", program.sha1()},
          {"program_compilers", loader::compilers_of(program)},
          {"config_sha1", digest::sha1_text(machine)},
          {"seed", seed}};
}

std::string version_text() {
  return fmt::format("{} ({:.12}{})", kBuildInfo.version, kBuildInfo.commit,
                     kBuildInfo.dirty ? ", modified" : "");
}

std::string shell_text(const std::vector<std::string>& words) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    if (input::printable(word) != word) {  // bash and others know this form
      std::string escaped;
      for (const char c : word) escaped += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
      text += "$'" + input::printable(escaped) + "'";
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

namespace {

/// Splits a text as shell_words() does.
class ShellSplitter {
 public:
  explicit ShellSplitter(const std::string& text) : text_(text) {}

  std::vector<std::string> run() {
    while (at_ < text_.size()) take();
    end_word();
    return std::move(words_);
  }

 private:
  enum class Quote : std::uint8_t { kNone, kSingle, kDouble, kEscaped };  // kEscaped: $'...'

  void take() {
    const char c = text_[at_++];
    if (is_quote(c)) {
      const Quote begun = c == '"' ? Quote::kDouble : is_dollar_ ? Quote::kEscaped : Quote::kSingle;
      if (quote_ == Quote::kNone && is_dollar_ && begun == Quote::kEscaped) word_.pop_back();
      quote_ = quote_ == Quote::kNone ? begun : Quote::kNone;
      is_begun_ = true;
      is_dollar_ = false;
      return;
    }
    is_dollar_ = quote_ == Quote::kNone && c == '$';
    if (c == '\\' && quote_ != Quote::kSingle && at_ < text_.size()) return take_escaped(text_[at_++]);
    if (quote_ == Quote::kNone && std::isspace(static_cast<unsigned char>(c)) != 0) end_word();
    else word_ += c;
  }

  bool is_quote(char c) const {
    switch (quote_) {
      case Quote::kNone: return c == '\'' || c == '"';
      case Quote::kDouble: return c == '"';
      default: return c == '\'';
    }
  }

  /// The character behind a backslash, or the byte of \xHH.
  void take_escaped(char c) {
    const auto is_digit = [this](std::size_t at) {
      return at < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at])) != 0;
    };
    const bool is_byte = quote_ == Quote::kEscaped && c == 'x' && is_digit(at_) && is_digit(at_ + 1);
    word_ += is_byte ? static_cast<char>(std::stoi(text_.substr(at_, 2), nullptr, 16)) : c;
    if (is_byte) at_ += 2;
  }

  void end_word() {
    if (is_begun_ || !word_.empty()) words_.push_back(std::exchange(word_, {}));
    is_begun_ = false;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Quote quote_ = Quote::kNone;
  bool is_begun_ = false;   // also of an empty word
  bool is_dollar_ = false;  // the last character, outside of quotes
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> shell_words(const std::string& text) { return ShellSplitter(text).run(); }

}  // namespace spica::report
