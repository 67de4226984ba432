// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/function_errors.h"

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/functions.h"

namespace spica::network {

double magnitude(const Elementwise& operation, double y, double a, double b) {
  switch (operation.function) {
    case Function::kGeluErf:
    case Function::kGeluTanh:
    case Function::kGeluSigmoid:
    case Function::kSilu:
    case Function::kMish:
    case Function::kElu:
    case Function::kSin:
    case Function::kCos: return std::max(std::abs(y), std::abs(a));
    case Function::kSoftplus:
    case Function::kLog: return std::max(std::abs(y), 1.0);
    case Function::kHardSigmoid:
    case Function::kHardSwish: return std::max({std::abs(y), std::abs(a), 1.0});
    case Function::kSiluGate: return std::max(std::abs(y), std::abs(a * b));
    case Function::kExp: return std::abs(y) * std::max(1.0, std::abs(a));
    case Function::kPow: return std::abs(y) * std::max(1.0, a > 0 ? std::abs(b * std::log(a)) : std::abs(b));
    case Function::kMod: return std::max(std::abs(y), std::abs(a));
    default: return std::abs(y);
  }
}

bool is_exact(Function function) {
  switch (function) {
    case Function::kIdentity:
    case Function::kAbs:
    case Function::kNeg:
    case Function::kSign:
    case Function::kFloor:
    case Function::kCeil:
    case Function::kRound:
    case Function::kRelu:
    case Function::kClip:
    case Function::kCast:
    case Function::kMin:
    case Function::kMax:
    case Function::kWhere: return true;
    default: return is_predicate(function);
  }
}

}  // namespace spica::network
