// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/mapped_file.h"

#include <sys/stat.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstring>

#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"

namespace spica::network {

namespace ipc = boost::interprocess;

class MappedFile::Mapping {
 public:
  explicit Mapping(const std::string& path)
      : file_(path.c_str(), ipc::read_only), region_(file_, ipc::read_only) {}
  const ipc::mapped_region& region() const { return region_; }

 private:
  ipc::file_mapping file_;
  ipc::mapped_region region_;
};

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const auto refuse = [&path](const std::string& reason) {
    throw input::UserError("cannot read " + path + ": " + reason);
  };
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse(input::kind_of_file(status.st_mode));
  if (status.st_size == 0) refuse("the file is empty");
  try {
    mapping_ = std::make_unique<const Mapping>(path);
  } catch (const ipc::interprocess_exception& error) {
    refuse(error.what());
  }
}

MappedFile::~MappedFile() = default;

const unsigned char* MappedFile::data() const {
  return static_cast<const unsigned char*>(mapping_->region().get_address());
}

std::uint64_t MappedFile::size() const { return mapping_->region().get_size(); }

}  // namespace spica::network
