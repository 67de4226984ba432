// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/plugin_consent.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace spica::soc {

namespace fs = std::filesystem;

PluginConsent& PluginConsent::of_this_process() {
  static PluginConsent consent;
  return consent;
}

std::string PluginConsent::given() {
  const char* const value = std::getenv(kAllowPlugins);
  return value != nullptr ? value : "";
}

void PluginConsent::allow_all() { setenv(kAllowPlugins, "1", 1); }

PluginConsent::Answer PluginConsent::answer(const PluginFile& file) {
  const Answer answer = judge_ ? judge_(file) : given() == "1" ? Answer::kAllowed : Answer::kRefused;
  if (answer != Answer::kAllowed) has_not_loaded_ = true;
  return answer;
}

void PluginConsent::add_unchecked(std::string sentence) {
  if (std::find(unchecked_.begin(), unchecked_.end(), sentence) == unchecked_.end())
    unchecked_.push_back(std::move(sentence));
}

std::string plugin_path(const std::string& folder, const std::string& given) {
  std::error_code ignored;
  const fs::path beside = fs::path(folder) / given;
  if (fs::exists(beside, ignored)) return beside.string();
  if (given.find('/') != std::string::npos) return {};
  void* const self = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (self == nullptr || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const places = reinterpret_cast<Dl_serinfo*>(room.data());
  *places = size;
  if (dlinfo(self, RTLD_DI_SERINFO, places) != 0) return {};
  for (unsigned i = 0; i < places->dls_cnt; ++i) {
    const fs::path there = fs::path(places->dls_serpath[i].dls_name) / given;
    if (fs::exists(there, ignored)) return there.string();
  }
  return {};
}

}  // namespace spica::soc
