// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/foreign_format.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace spica::network {

namespace {

bool starts_with(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

/// A length of eight bytes, and a JSON object (huggingface/safetensors, Format).
bool is_safetensors(std::string_view text) {
  return text.size() > 9 && text[8] == '{' && text[7] == 0 && text[6] == 0;
}

bool is_mlir_text(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const bool printable = std::all_of(head.begin(), head.end(), [](unsigned char letter) {
    return std::isprint(letter) != 0 || std::isspace(letter) != 0 || letter >= 0x80;
  });
  return printable && (head.find("stablehlo") != std::string_view::npos || starts_with(head, "module ") ||
                       head.find("func.func") != std::string_view::npos);
}

}  // namespace

std::string foreign_format(const Span& file) {
  const std::string_view text = file.text();
  if (text.size() > 8 && text.substr(4, 4) == "TFL3") return "TFLite";
  if (starts_with(text, "PK\x03\x04")) return "TorchScript or PyTorch (a zip archive)";
  if (starts_with(text, std::string_view("\x80\x02", 2)) ||
      starts_with(text, std::string_view("\x80\x04", 2)))
    return "pickle";
  if (starts_with(text, std::string_view("ML\xEFR", 4)) || is_mlir_text(text)) return "StableHLO (MLIR)";
  if (starts_with(text, "GGUF")) return "GGUF";
  if (starts_with(text, "\x89HDF")) return "Keras (HDF5)";
  if (is_safetensors(text)) return "safetensors (weights only)";
  return {};
}

}  // namespace spica::network
