// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "syscallfilter.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace Pilothouse::Init {

namespace {

#if defined(__x86_64__) && !defined(__ILP32__)
constexpr std::uint32_t Architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__) && defined(__AARCH64EL__)
constexpr std::uint32_t Architecture = AUDIT_ARCH_AARCH64;
#else
#error "The system call filter of sandboxes knows x86-64 and little-endian AArch64 only."
#endif

// Calls of x86-64's x32 variant have this bit. No other number is as high.
constexpr std::uint32_t ForeignNumbers = 0x40000000;

constexpr sock_filter load(std::size_t offset)
{
    return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
}

constexpr sock_filter answer(std::uint32_t action) { return {BPF_RET | BPF_K, 0, 0, action}; }

constexpr sock_filter refuse(std::uint32_t error) { return answer(SECCOMP_RET_ERRNO | error); }

/// Goes over `ifEqual` or `ifNot` instructions.
constexpr sock_filter compare(std::uint32_t value, std::uint8_t ifEqual, std::uint8_t ifNot)
{
    return {BPF_JMP | BPF_JEQ | BPF_K, ifEqual, ifNot, value};
}

/// The next instruction counts for this call only.
constexpr sock_filter onCall(std::uint32_t number) { return compare(number, 0, 1); }

// clang-format off
constexpr sock_filter Program[] = {
    // The numbers below mean other calls on another architecture (32-bit programs on a 64-bit kernel).
    load(offsetof(seccomp_data, arch)),
    compare(Architecture, 1, 0),
    answer(SECCOMP_RET_KILL_PROCESS),
    load(offsetof(seccomp_data, nr)),
    {BPF_JMP | BPF_JGE | BPF_K, 0, 1, ForeignNumbers},
    refuse(ENOSYS),
    // As on a kernel that was built without them; programs are prepared for that.
    onCall(SYS_keyctl), refuse(ENOSYS),
    onCall(SYS_add_key), refuse(ENOSYS),
    onCall(SYS_request_key), refuse(ENOSYS),
    onCall(SYS_io_uring_setup), refuse(ENOSYS),
    onCall(SYS_io_uring_enter), refuse(ENOSYS),
    onCall(SYS_io_uring_register), refuse(ENOSYS),
    // As for everybody who is no administrator.
    onCall(SYS_bpf), refuse(EPERM),
    onCall(SYS_perf_event_open), refuse(EPERM),
    onCall(SYS_userfaultfd), refuse(EPERM),
    onCall(SYS_open_by_handle_at), refuse(EPERM),
    onCall(SYS_kexec_load), refuse(EPERM),
    onCall(SYS_kexec_file_load), refuse(EPERM),
    onCall(SYS_init_module), refuse(EPERM),
    onCall(SYS_finit_module), refuse(EPERM),
    onCall(SYS_delete_module), refuse(EPERM),
    // Sockets: only families that the network namespace confines and programs commonly use.
    compare(SYS_socket, 2, 0),
    compare(SYS_socketpair, 1, 0),
    answer(SECCOMP_RET_ALLOW),
    load(offsetof(seccomp_data, args)), // The family is the lower half of the first argument.
    compare(AF_UNIX, 4, 0),
    compare(AF_INET, 3, 0),
    compare(AF_INET6, 2, 0),
    compare(AF_NETLINK, 1, 0),
    refuse(EAFNOSUPPORT),
    answer(SECCOMP_RET_ALLOW),
};
// clang-format on

} // namespace

bool installSyscallFilter()
{
    const sock_fprog program = {sizeof Program / sizeof Program[0], const_cast<sock_filter *>(Program)};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

} // namespace Pilothouse::Init
