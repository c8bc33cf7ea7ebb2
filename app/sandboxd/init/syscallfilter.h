// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace Pilothouse::Init {

/// Takes from this process, and from all that it starts, the system calls that reach past namespaces:
/// keyrings (a session's keys are inherited and belong to no namespace), sockets of families that end at the
/// host or in rarely tested kernel code, io_uring (its operations pass no filter) and what only
/// administrators need. Cannot be undone. False if the kernel refuses.
[[nodiscard]] bool installSyscallFilter();

} // namespace Pilothouse::Init
