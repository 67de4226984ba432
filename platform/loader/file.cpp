// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/file.h"

#include <fmt/format.h>

#include <boost/uuid/detail/sha1.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "platform/loader/user_error.h"

namespace spica::loader {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const char* verb, const std::string& path, int error) {
  throw UserError(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(error)));
}

}  // namespace

std::vector<unsigned char> read_file(const std::string& path, std::uint64_t limit) {
  input::FileContent content = input::read_regular_file(path, limit);
  if (!content.problem.empty())
    throw UserError(fmt::format("cannot read '{}': {}", path, content.problem));
  return std::move(content.bytes);
}

void write_file(const std::string& path, const std::vector<unsigned char>& bytes) {
  File file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (file == nullptr) fail("write", path, errno);
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    fail("write", path, errno);
  if (std::fclose(file.release()) != 0)
    fail("write", path, errno);  // the disk may be full only now
}

std::string sha1_text(const std::vector<unsigned char>& bytes) {
  boost::uuids::detail::sha1 hash;
  if (!bytes.empty()) hash.process_bytes(bytes.data(), bytes.size());
  boost::uuids::detail::sha1::digest_type digest;
  hash.get_digest(digest);
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", digest[0], digest[1], digest[2], digest[3],
                     digest[4]);
}

}  // namespace spica::loader
