// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fork_server.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "platform/machine/soc/plugin_consent.h"
#include "platform/run/child_process.h"

namespace spica::job {

namespace {

constexpr std::size_t kMostText = 64 * 1024;
constexpr int kDescriptors = 3;

int to_server = -1;  // of the process that launched it
ForkServer::Main main_of_children = nullptr;

/// A request: the limit of memory, the allowed plugins and the arguments, each with its end, and three descriptors.
class Message {
 public:
  Message() {
    header_.msg_iov = &part_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_;
    header_.msg_controllen = sizeof control_;
  }

  bool send(int socket, const ForkedChild& child) {
    std::memcpy(text_, &child.most_bytes, sizeof child.most_bytes);
    std::size_t size = sizeof child.most_bytes;
    const auto add = [&](const std::string& text) {
      if (size + text.size() + 1 > kMostText) return false;
      std::memcpy(text_ + size, text.c_str(), text.size() + 1);
      size += text.size() + 1;
      return true;
    };
    if (!add(child.allowed_plugins) || !std::all_of(child.arguments.begin(), child.arguments.end(), add))
      return false;
    part_.iov_len = size;
    const int descriptors[kDescriptors] = {child.errors, child.record, child.input};
    const std::size_t used = (child.input < 0 ? kDescriptors - 1 : kDescriptors) * sizeof(int);
    header_.msg_controllen = CMSG_SPACE(used);
    cmsghdr* const rights = CMSG_FIRSTHDR(&header_);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(used);
    std::memcpy(CMSG_DATA(rights), descriptors, used);
    return sendmsg(socket, &header_, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }

  /// False: the other end is closed.
  bool receive(int socket, ForkedChild& child) {
    const ssize_t size = recvmsg(socket, &header_, MSG_CMSG_CLOEXEC);
    const cmsghdr* const rights = size > 0 ? CMSG_FIRSTHDR(&header_) : nullptr;
    int descriptors[kDescriptors] = {-1, -1, -1};
    if (rights == nullptr || rights->cmsg_len > CMSG_LEN(sizeof descriptors)) return false;
    std::memcpy(descriptors, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
    child.errors = descriptors[0];
    child.record = descriptors[1];
    child.input = descriptors[2];
    std::memcpy(&child.most_bytes, text_, sizeof child.most_bytes);
    child.allowed_plugins = text_ + sizeof child.most_bytes;
    for (std::size_t at = sizeof child.most_bytes + child.allowed_plugins.size() + 1;
         at < static_cast<std::size_t>(size); at += child.arguments.back().size() + 1)
      child.arguments.emplace_back(text_ + at);
    return true;
  }

 private:
  char text_[kMostText];
  iovec part_{text_, sizeof text_};
  alignas(cmsghdr) char control_[CMSG_SPACE(kDescriptors * sizeof(int))]{};
  msghdr header_{};
};

/// In the child: does what was asked for.
[[noreturn]] void become(const ForkedChild& child, pid_t parent, int socket) {
  close(socket);
  enter_child({true, child.most_bytes}, parent);
  redirect_child(child.input, child.errors, child.record);
  if (!child.allowed_plugins.empty()) setenv(soc::kAllowPlugins, child.allowed_plugins.c_str(), 1);
  std::vector<char*> argv{const_cast<char*>("spica")};
  for (const std::string& argument : child.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int code = main_of_children(static_cast<int>(argv.size() - 1), argv.data());
  std::cout.flush();
  std::fflush(nullptr);
  _exit(code);  // nothing of its parent's, which it shares, is taken apart
}

/// The server: a child, whose parent is that of the server, for each request.
[[noreturn]] void serve(int socket, pid_t parent) {
  setpgid(0, 0);  // a Ctrl-C of the terminal is its parent's
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() == parent) {
    ForkedChild request;
    if (!Message().receive(socket, request)) break;
    const auto child =
        static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) become(request, parent, socket);
    close(request.errors);
    close(request.record);
    if (request.input >= 0) close(request.input);
    if (send(socket, &child, sizeof child, MSG_NOSIGNAL) != sizeof child) break;
  }
  _exit(0);
}

}  // namespace

void ForkServer::set_main(Main main) { main_of_children = main; }

void ForkServer::launch() {
  int ends[2];
  if (to_server >= 0 || main_of_children == nullptr ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  const pid_t parent = getpid();
  std::fflush(nullptr);  // else every child would write it once more
  const pid_t server = fork();
  if (server == 0) {
    close(ends[1]);
    serve(ends[0], parent);
  }
  close(ends[0]);
  if (server > 0) to_server = ends[1];
  else close(ends[1]);
}

pid_t ForkServer::start(const ForkedChild& child) {
  pid_t pid = -1;
  if (to_server < 0 || !Message().send(to_server, child)) return -1;
  return recv(to_server, &pid, sizeof pid, 0) == sizeof pid ? pid : -1;
}

}  // namespace spica::job
