// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "platform/base/config/value_text.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"

namespace spica::config {

std::string number_text(double value) {
  constexpr double kWhole = 9.0e15;
  if (std::fabs(value) < kWhole && std::floor(value) == value) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

Operand operand_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(number)) return number;
  std::string joined = text;  // "64 KiB"
  joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
  if (const auto bytes = input::parse_byte_count(joined)) return static_cast<double>(*bytes);
  return text;
}

Operand operand_of(const Field& field) {
  const Value value = field.get();
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return value_text(field, value);
}

namespace {

using Term = Expression::Node;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

constexpr std::size_t kMostLevels = 64;

/// A parser by levels of precedence: or, and, not, comparison, sum, product, sign, value.
class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& names) : text_(text), names_(names) { advance(); }

  Term parse() {
    Term node = disjunction();
    if (take("if")) {
      std::vector<Term> both;
      both.push_back(std::move(node));
      both.push_back(disjunction());
      node = operation("if", std::move(both), 0);
    }
    if (!token_.empty()) fail(fmt::format("\"{}\" is not expected", token_));
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw input::UserError(fmt::format("condition \"{}\": {} (character {})", text_, what, start_ + 1));
  }

  static bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' || c == ']';
  }

  void advance() {
    end_ = start_ + token_.size();
    while (next_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[next_])) != 0) ++next_;
    start_ = next_;
    if (next_ == text_.size()) {
      token_ = {};
      return;
    }
    const char c = text_[next_];
    if (c == '"' || c == '\'') {
      const std::size_t close = text_.find(c, next_ + 1);
      if (close == std::string_view::npos) fail("a quote is not closed");
      next_ = close + 1;
    } else if (is_digit(c)) {
      take_number();
    } else if (is_name(c)) {
      while (next_ < text_.size() && is_name(text_[next_])) ++next_;
      take_function();
    } else {
      const std::string_view two = text_.substr(next_, 2);
      next_ += two == "==" || two == "!=" || two == "<=" || two == ">=" ? 2 : 1;
    }
    token_ = text_.substr(start_, next_ - start_);
  }

  /// "0x40", "1e6", "64 KiB"
  void take_number() {
    const std::string_view rest = text_.substr(next_);
    if (rest.substr(0, 2) == "0x") {
      while (next_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[next_])) != 0) ++next_;
      return;
    }
    double ignored = 0;
    next_ += static_cast<std::size_t>(std::from_chars(rest.data(), rest.data() + rest.size(), ignored).ptr -
                                      rest.data());
    const std::size_t unit = std::min(text_.find_first_not_of(' ', next_), text_.size());
    for (const std::string_view name : {"KiB", "MiB", "GiB", "B"}) {
      const std::size_t behind = unit + name.size();
      if (text_.substr(unit, name.size()) != name || (behind < text_.size() && is_name(text_[behind])))
        continue;
      next_ = behind;
      return;
    }
  }

  /// "sum" continues to the end of "sum(stats.*.loads)".
  void take_function() {
    constexpr std::string_view kPaths = "(stats.";
    const std::string_view name = text_.substr(start_, next_ - start_);
    const bool is_function = name == "sum" || name == "min" || name == "max" || name == "mean";
    if (!is_function || text_.substr(next_, kPaths.size()) != kPaths) return;
    const std::size_t close = text_.find(')', next_);
    if (close == std::string_view::npos) fail("a parenthesis is not closed");
    next_ = close + 1;
  }

  bool take(std::string_view word) {
    if (token_ != word) return false;
    advance();
    return true;
  }

  /// What was written from `begin` to the last word that was taken.
  std::string since(std::size_t begin) const { return std::string(text_.substr(begin, end_ - begin)); }

  Term operation(std::string_view name, std::vector<Term> inner, std::size_t begin) const {
    return {Term::Kind::kOperation, {}, std::string(name), std::move(inner), since(begin)};
  }

  /// `inner` with any of `words` between.
  template <class Inner>
  Term chain(std::initializer_list<std::string_view> words, const Inner& inner) {
    const std::size_t begin = start_;
    Term left = inner();
    for (bool found = true; found;) {
      found = false;
      for (const std::string_view word : words) {
        if (!take(word)) continue;
        std::vector<Term> both;
        both.push_back(std::move(left));
        both.push_back(inner());
        const bool is_equal = word == "=" || word == "==";
        while (is_equal && take("|")) both.push_back(inner());
        left = operation(word == "=" ? "==" : word, std::move(both), begin);
        found = true;
        break;
      }
    }
    return left;
  }

  Term disjunction() {
    return chain({"or"}, [this] { return conjunction(); });
  }
  Term conjunction() {
    return chain({"and"}, [this] { return negation(); });
  }
  Term negation() {
    const std::size_t begin = start_;
    if (!take("not")) return comparison();
    if (++levels_ > kMostLevels) fail("too many levels");
    Term node = one("not", negation(), begin);
    --levels_;
    return node;
  }
  Term comparison() {
    return chain({"==", "=", "!=", "<=", ">=", "<", ">"}, [this] { return sum(); });
  }
  Term sum() {
    return chain({"+", "-"}, [this] { return product(); });
  }
  Term product() {
    return chain({"*", "/", "%"}, [this] { return value(); });
  }

  Term one(std::string_view name, Term node, std::size_t begin) const {
    std::vector<Term> nodes;
    nodes.push_back(std::move(node));
    return operation(name, std::move(nodes), begin);
  }

  Term value() {
    if (++levels_ > kMostLevels) fail("too many levels");
    Term node = unguarded_value();
    --levels_;
    return node;
  }

  Term unguarded_value() {
    if (token_.empty()) fail("it ends too early");
    const std::size_t begin = start_;
    if (take("-")) return one("negative", value(), begin);
    if (take("(")) {
      Term node = disjunction();
      if (!take(")")) fail("a parenthesis is not closed");
      return node;
    }
    const std::string token(token_);
    if (token.front() == '"' || token.front() == '\'') {
      advance();
      return {Term::Kind::kConstant,
              operand_of(token.substr(1, token.size() - 2)),
              {},
              {},
              token};  // as labels are
    }
    if (is_digit(token.front())) {
      const Operand number = operand_of(token);
      advance();
      return {Term::Kind::kConstant, number, {}, {}, token};
    }
    if (!is_name(token.front())) fail(fmt::format("\"{}\" is not expected", token));
    advance();
    if (config::parse_truth(token)) return {Term::Kind::kConstant, token, {}, {}, token};
    if (std::find(names_.begin(), names_.end(), token) == names_.end()) names_.push_back(token);
    return {Term::Kind::kName, {}, token, {}, token};
  }

  std::string_view text_;
  std::vector<std::string>& names_;
  std::size_t next_ = 0, start_ = 0, levels_ = 0;
  std::size_t end_ = 0;  // of the last word that was taken
  std::string_view token_;
};

class Evaluator {
 public:
  Evaluator(const std::string& text, const Expression::Lookup& lookup) : text_(text), lookup_(lookup) {}

  bool truth(const Term& node) const {
    const Operand result = value(node);
    if (const double* number = std::get_if<double>(&result)) return *number != 0;
    if (const std::string* word = std::get_if<std::string>(&result)) {
      if (const auto truth = config::parse_truth(*word)) return *truth;
      throw input::UserError(fmt::format("condition \"{}\": \"{}\" is not a boolean; allowed: {}", text_,
                                         *word, config::kTruthText));
    }
    return false;
  }

  Operand value(const Term& node) const {
    if (node.kind == Term::Kind::kConstant) return node.constant;
    if (node.kind == Term::Kind::kName) return lookup_(node.name);
    const auto boolean = [](bool is_true) { return Operand(is_true ? 1.0 : 0.0); };
    if (node.name == "and") return boolean(truth(node.inner[0]) && truth(node.inner[1]));
    if (node.name == "or") return boolean(truth(node.inner[0]) || truth(node.inner[1]));
    if (node.name == "not") return boolean(!truth(node.inner[0]));
    if (node.name == "if") return boolean(!truth(node.inner[1]) || truth(node.inner[0]));
    const Operand left = value(node.inner[0]);
    if (node.name == "negative")
      return std::holds_alternative<std::monostate>(left) ? left : Operand(-number(left));
    if (node.name == "==")
      return boolean(!std::holds_alternative<std::monostate>(left) &&
                     std::any_of(node.inner.begin() + 1, node.inner.end(),
                                 [&](const Term& one) { return value(one) == left; }));
    const Operand right = value(node.inner[1]);
    const bool missing =
        std::holds_alternative<std::monostate>(left) || std::holds_alternative<std::monostate>(right);
    if (node.name == "!=") return boolean(!missing && left != right);
    if (missing) return node.name.find_first_of("<>") == 0 ? boolean(false) : Operand();
    return calculated(node.name, number(left), number(right));
  }

 private:
  static Operand calculated(const std::string& operation, double left, double right) {
    if (operation == "<") return left < right ? 1.0 : 0.0;
    if (operation == "<=") return left <= right ? 1.0 : 0.0;
    if (operation == ">") return left > right ? 1.0 : 0.0;
    if (operation == ">=") return left >= right ? 1.0 : 0.0;
    if (operation == "+") return left + right;
    if (operation == "-") return left - right;
    if (operation == "*") return left * right;
    if (right == 0) return {};
    return operation == "/" ? left / right : std::fmod(left, right);
  }

  double number(const Operand& operand) const {
    if (const double* number = std::get_if<double>(&operand)) return *number;
    throw input::UserError(
        fmt::format("condition \"{}\": \"{}\" is not a number", text_, std::get<std::string>(operand)));
  }

  const std::string& text_;
  const Expression::Lookup& lookup_;
};

}  // namespace

Expression::Expression(std::string_view text) : text_(text), root_(Parser(text_, names_).parse()) {}

bool Expression::holds(const Lookup& lookup) const { return Evaluator(text_, lookup).truth(root_); }
Operand Expression::value(const Lookup& lookup) const { return value(root_, lookup); }
Operand Expression::value(const Node& part, const Lookup& lookup) const {
  return Evaluator(text_, lookup).value(part);
}

}  // namespace spica::config
