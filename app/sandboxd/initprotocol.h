// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

/// What the service and the supervisor inside a sandbox say to each other over one SOCK_SEQPACKET pair. Both
/// ends are always built together, so there is no version. No Qt here: the supervisor is a static program
/// without it.
namespace Pilothouse::Init {

/// The supervisor's end of the pair. Everything else it inherits is closed.
constexpr int ControlFd = 3;

/// A path on the wire, without a terminating NUL. The kernel takes no longer ones.
constexpr std::size_t MaxPath = 4095;

/// Attached commands at one time. The service admits fewer connections to one sandbox.
constexpr std::size_t MaxChildren = 512;

enum Op : std::uint32_t {
    // To the supervisor.
    Spawn =
        1, ///< fds: description (a memory file: SpawnHeader, then strings), stdin, stdout, stderr. → Spawned
    Signal, ///< value: signal, sent to the process group of command `id`. No answer.
    Freeze, ///< Stops every process but the supervisor. → Done {value: 0 or errno, detail: processes}
    Thaw, ///< Continues what Freeze stopped. → Done
    Open, ///< value: OpenKind; path inline. → Opened {value: 0 or errno} and the descriptor
    Remove, ///< path inline: unlinks a file. → Done {value: 0 or errno}
    // From the supervisor.
    Hello = 100, ///< Once, when it serves. Carries its credentials.
    Spawned, ///< value: 0 or errno, detail: SpawnStage if value is not 0, else the process id inside.
    Exited, ///< value: exit code, or 128 + signal.
    Done,
    Opened,
};

enum OpenKind : std::int32_t {
    ReadFile = 1, ///< Follows links, as everything here, inside the sandbox's own view.
    WriteFile, ///< Makes missing parents (0755) and the file (0644). Does not truncate.
    ReadDirectory,
};

enum SpawnStage : std::int32_t {
    Prepare = 1, ///< Pipes, fork, descriptors, limits.
    ChangeDirectory,
    Find, ///< A bare program name is not in the child's PATH.
    Execute,
};

struct Packet {
    std::uint32_t op;
    std::uint32_t id; ///< Chosen by the service; answers repeat it.
    std::int32_t value;
    std::int32_t detail;
};

/// Begins the description of a command; NUL-terminated strings follow: working folder, arguments,
/// environment.
struct SpawnHeader {
    std::uint32_t arguments;
    std::uint32_t environment;
    std::uint64_t maxProcesses; ///< 0 in each limit: leave it as it is.
    std::uint64_t maxFileBytes;
    std::uint64_t maxAddressSpace;
    std::uint64_t maxOpenFiles;
};

} // namespace Pilothouse::Init
