// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/einsum.h"

#include <algorithm>
#include <cctype>

#include "platform/workloads/network/node_scope.h"

namespace spica::network {

namespace {

void require_letters(const std::string& letters) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(letters[i])) == 0)
      throw NodeError("its equation has '" + letters.substr(i, 1) + "'; supported: a letter for each axis");
    if (letters.find(letters[i], i + 1) != std::string::npos)
      throw NodeError("its equation repeats '" + letters.substr(i, 1) + "' in one operand (a diagonal)");
  }
}

}  // namespace

Einsum parse_einsum(std::string_view equation, std::size_t operands) {
  std::string text(equation);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  Einsum einsum;
  const std::size_t comma = left.find(',');
  einsum.two = comma != std::string::npos;
  einsum.a = left.substr(0, comma);
  if (einsum.two) einsum.b = left.substr(comma + 1);
  if (operands != (einsum.two ? 2U : 1U))
    throw NodeError("its equation has another number of operands; supported: 1 or 2");
  require_letters(einsum.a);
  require_letters(einsum.b);
  if (arrow != std::string::npos) {
    einsum.result = text.substr(arrow + 2);
  } else {  // letters that occur once, in alphabetical order
    left = einsum.a + einsum.b;
    for (const char letter : left)
      if (std::count(left.begin(), left.end(), letter) == 1) einsum.result += letter;
    std::sort(einsum.result.begin(), einsum.result.end());
  }
  require_letters(einsum.result);
  for (const char letter : einsum.result)
    if (!einsum.in_a(letter) && !einsum.in_b(letter))
      throw NodeError(std::string("no operand of its equation has '") + letter + "'");
  return einsum;
}

}  // namespace spica::network
