// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

// The first process of a sandbox: starts commands, reaps orphans, stops and continues everything, opens files
// in the sandbox's own view. Statically linked and free of libstdc++ where the system allows it, so that it
// runs whatever the sandbox shows of the host. It has no capability and shares its user with hostile
// processes: it is not dumpable (no ptrace, no /proc/1/mem), and process 1 of a namespace cannot be killed or
// stopped from inside.

#include "initprotocol.h"
#include "syscallfilter.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace Pilothouse::Init;

constexpr int MaxFds = 4;
// Processes that were stopped before a freeze; more are continued.
constexpr std::size_t MaxRemembered = 4096;
constexpr int FreezeLimitMs = 5000;
constexpr int CommandNice = 5;

struct Child {
    pid_t pid = 0; // 0: free
    std::uint32_t id = 0;
};

Child children[MaxChildren];
pid_t stoppedBefore[MaxRemembered];
std::size_t stoppedBeforeCount = 0;

/// fork() copies the table, so nothing here needs a lock; the program has one thread.
Child *findChild(std::uint32_t id)
{
    for (Child &child : children) {
        if (child.pid != 0 && child.id == id)
            return &child;
    }
    return nullptr;
}

void send(const Packet &packet, int fd = -1)
{
    iovec part = {const_cast<Packet *>(&packet), sizeof packet};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    while (sendmsg(ControlFd, &message, MSG_NOSIGNAL) < 0) {
        if (errno != EINTR)
            _exit(0); // The service is gone, and with this process everything here ends.
    }
}

// ---- commands

struct StageReport {
    std::int32_t stage;
    std::int32_t error;
};

[[noreturn]] void failChild(int reportFd, SpawnStage stage, int error)
{
    const StageReport report = {stage, error};
    [[maybe_unused]] const ssize_t written = write(reportFd, &report, sizeof report);
    _exit(127);
}

void limit(int resource, std::uint64_t value)
{
    if (value == 0)
        return;
    rlimit current = {};
    if (getrlimit(static_cast<__rlimit_resource>(resource), &current) == 0 && current.rlim_max < value)
        value = current.rlim_max;
    const rlimit wanted = {value, value};
    setrlimit(static_cast<__rlimit_resource>(resource), &wanted);
}

const char *pathOf(char **environment)
{
    for (char **entry = environment; *entry; ++entry) {
        if (std::strncmp(*entry, "PATH=", 5) == 0)
            return *entry + 5;
    }
    return "";
}

/// execve with a look-up in the child's own PATH and, unlike execvp, no shell for a file of unknown format.
[[noreturn]] void execute(int reportFd, char **arguments, char **environment)
{
    if (std::strchr(arguments[0], '/')) {
        execve(arguments[0], arguments, environment);
        failChild(reportFd, Execute, errno);
    }
    int error = ENOENT;
    SpawnStage stage = Find;
    char candidate[MaxPath + 1];
    const char *path = pathOf(environment);
    while (true) {
        const char *end = std::strchr(path, ':');
        const std::size_t length = end ? static_cast<std::size_t>(end - path) : std::strlen(path);
        const int size = length == 0 ? std::snprintf(candidate, sizeof candidate, "./%s", arguments[0])
                                     : std::snprintf(candidate, sizeof candidate, "%.*s/%s",
                                                     static_cast<int>(length), path, arguments[0]);
        if (size > 0 && static_cast<std::size_t>(size) < sizeof candidate) {
            execve(candidate, arguments, environment);
            if (errno != ENOENT && errno != ENOTDIR) {
                error = errno;
                stage = Execute;
                if (errno != EACCES)
                    break;
            }
        }
        if (!end)
            break;
        path = end + 1;
    }
    failChild(reportFd, stage, error);
}

[[noreturn]] void runChild(const SpawnHeader &header, char *strings, char **vector, const int *fds,
                           int reportFd)
{
    setsid();
    for (int i = 0; i < 3; ++i) {
        if (dup2(fds[i], i) < 0)
            failChild(reportFd, Prepare, errno);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // A runaway program must leave the computer to its owner, and the supervisor ahead of what it is to stop.
    setpriority(PRIO_PROCESS, 0, CommandNice);
    limit(RLIMIT_NPROC, header.maxProcesses);
    limit(RLIMIT_FSIZE, header.maxFileBytes);
    limit(RLIMIT_AS, header.maxAddressSpace);
    limit(RLIMIT_NOFILE, header.maxOpenFiles);
    const rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    if (chdir(strings) != 0)
        failChild(reportFd, ChangeDirectory, errno);
    execute(reportFd, vector, vector + header.arguments + 1);
}

/// Splits `size` bytes of NUL-terminated strings into argument and environment vectors, each ended by a null
/// pointer. Returns null if the description is malformed.
char **splitStrings(const SpawnHeader &header, char *strings, std::size_t size)
{
    const std::size_t count = std::size_t(header.arguments) + header.environment;
    if (header.arguments == 0 || count > size || size == 0 || strings[size - 1] != '\0')
        return nullptr;
    char **vector = static_cast<char **>(std::calloc(count + 2, sizeof(char *)));
    if (!vector)
        return nullptr;
    char *const end = strings + size;
    char *next = strings + std::strlen(strings) + 1; // Past the working folder.
    for (std::size_t i = 0; i < count; ++i) {
        if (next >= end) {
            std::free(vector);
            return nullptr;
        }
        vector[i < header.arguments ? i : i + 1] = next;
        next += std::strlen(next) + 1;
    }
    return vector;
}

/// Starts the command; returns 0 or an errno and says how far it came.
int startChild(std::uint32_t id, const int *fds, StageReport &report, pid_t &pid)
{
    report.stage = Prepare;
    Child *slot = nullptr;
    for (Child &child : children) {
        if (child.pid == 0) {
            slot = &child;
            break;
        }
    }
    struct stat info = {};
    if (!slot)
        return EAGAIN;
    if (fstat(fds[0], &info) != 0 || info.st_size <= off_t(sizeof(SpawnHeader)))
        return EINVAL;
    const auto size = static_cast<std::size_t>(info.st_size);
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
    if (memory == MAP_FAILED)
        return errno;
    SpawnHeader header;
    std::memcpy(&header, memory, sizeof header);
    char *strings = static_cast<char *>(memory) + sizeof header;
    char **vector = splitStrings(header, strings, size - sizeof header);
    int pipeFds[2] = {-1, -1};
    int result = vector ? 0 : EINVAL;
    if (result == 0 && pipe2(pipeFds, O_CLOEXEC) != 0)
        result = errno;
    if (result == 0) {
        pid = fork();
        if (pid == 0)
            runChild(header, strings, vector, fds + 1, pipeFds[1]);
        if (pid < 0)
            result = errno;
    }
    if (pipeFds[1] >= 0)
        close(pipeFds[1]);
    if (result == 0) {
        ssize_t got = 0;
        do
            got = read(pipeFds[0], &report, sizeof report);
        while (got < 0 && errno == EINTR);
        if (got == ssize_t(sizeof report)) {
            result = report.error != 0 ? report.error : EIO;
            waitpid(pid, nullptr, 0);
        } else {
            *slot = {pid, id};
        }
    }
    if (pipeFds[0] >= 0)
        close(pipeFds[0]);
    std::free(vector);
    munmap(memory, size);
    return result;
}

void spawn(const Packet &packet, const int *fds, int count)
{
    StageReport report = {Prepare, 0};
    pid_t pid = 0;
    const int error = count == MaxFds ? startChild(packet.id, fds, report, pid) : EINVAL;
    send({Spawned, packet.id, error, error != 0 ? report.stage : static_cast<std::int32_t>(pid)});
}

void reap()
{
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (Child &child : children) {
            if (child.pid != pid)
                continue;
            const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            // From here on the group's number may be used again: signals for this command end here.
            child.pid = 0;
            send({Exited, child.id, code, 0});
            break;
        }
    }
}

// ---- freeze and thaw

/// Calls `visit(pid, state)` for every process but this one; state is the letter of /proc/PID/stat.
template <typename Visitor>
bool eachProcess(Visitor visit)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return false;
    while (const dirent *entry = readdir(folder)) {
        char *end = nullptr;
        const long pid = std::strtol(entry->d_name, &end, 10);
        if (*end != '\0' || pid <= 1)
            continue;
        char name[64];
        std::snprintf(name, sizeof name, "/proc/%ld/stat", pid);
        const int fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue; // Ended meanwhile.
        char text[512];
        const ssize_t size = read(fd, text, sizeof text - 1);
        close(fd);
        if (size <= 0)
            continue;
        text[size] = '\0';
        const char *close = std::strrchr(text, ')'); // The program's name may hold anything.
        if (close && close[1] == ' ' && close[2] != '\0')
            visit(static_cast<pid_t>(pid), close[2]);
    }
    closedir(folder);
    return true;
}

/// SIGSTOP for all at once cannot be outrun by fork: the kernel delivers a signal for many processes either
/// to the parent before the fork or to both after it. A process in uninterruptible sleep stops before it runs
/// again.
bool isStill(char state)
{
    return state == 'T' || state == 't' || state == 'Z' || state == 'X' || state == 'D';
}

std::int64_t monotonicMs()
{
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

void freeze(const Packet &packet)
{
    stoppedBeforeCount = 0;
    const bool readable = eachProcess([](pid_t pid, char state) {
        if (state == 'T' && stoppedBeforeCount < MaxRemembered)
            stoppedBefore[stoppedBeforeCount++] = pid;
    });
    int error = readable ? ETIMEDOUT : EIO;
    int processes = 0;
    int stableRounds = 0;
    const std::int64_t deadline = monotonicMs() + FreezeLimitMs;
    while (readable && monotonicMs() < deadline) {
        kill(-1, SIGSTOP);
        int running = 0;
        processes = 0;
        eachProcess([&](pid_t, char state) {
            ++processes;
            running += isStill(state) ? 0 : 1;
        });
        stableRounds = running == 0 ? stableRounds + 1 : 0;
        if (stableRounds == 2) {
            error = 0;
            break;
        }
        const timespec pause = {0, 1000000};
        nanosleep(&pause, nullptr);
    }
    send({Done, packet.id, error, processes});
}

void thaw(const Packet &packet)
{
    int processes = 0;
    const bool readable = eachProcess([&](pid_t pid, char) {
        ++processes;
        for (std::size_t i = 0; i < stoppedBeforeCount; ++i) {
            if (stoppedBefore[i] == pid)
                return; // Stopped by its own user, not by the freeze.
        }
        kill(pid, SIGCONT);
    });
    stoppedBeforeCount = 0;
    send({Done, packet.id, readable ? 0 : EIO, processes});
}

// ---- files

int openPath(const char *path, std::uint64_t flags, std::uint64_t mode)
{
    open_how how = {};
    how.flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK; // Never wait for the other end of a FIFO.
    how.mode = mode;
    how.resolve = RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

void makeParents(char *path)
{
    for (char *slash = std::strchr(path + 1, '/'); slash; slash = std::strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

void openFile(const Packet &packet, char *path)
{
    int fd = -1;
    switch (packet.value) {
    case ReadFile:
        fd = openPath(path, O_RDONLY, 0);
        break;
    case WriteFile:
        fd = openPath(path, O_WRONLY | O_CREAT, 0644);
        if (fd < 0 && errno == ENOENT) {
            makeParents(path);
            fd = openPath(path, O_WRONLY | O_CREAT, 0644);
        }
        break;
    case ReadDirectory:
        fd = openPath(path, O_RDONLY | O_DIRECTORY, 0);
        break;
    default:
        errno = EINVAL;
        break;
    }
    send({Opened, packet.id, fd < 0 ? errno : 0, 0}, fd);
    if (fd >= 0)
        close(fd);
}

void removeFile(const Packet &packet, char *path)
{
    // Through a link the file it names goes, because that is what was written.
    char *real = realpath(path, nullptr);
    const int error = unlink(real ? real : path) == 0 ? 0 : errno;
    std::free(real);
    send({Done, packet.id, error, 0});
}

// ---- main loop

void signalGroup(const Packet &packet)
{
    const Child *child = findChild(packet.id);
    if (child && packet.value > 0 && packet.value < NSIG)
        kill(-child->pid, packet.value);
}

void receive()
{
    struct {
        Packet packet;
        char path[MaxPath + 1];
    } data = {};
    iovec part = {&data, sizeof(Packet) + MaxPath};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * MaxFds)] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(ControlFd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (size < ssize_t(sizeof(Packet)))
        _exit(0); // The service closed its end; the kernel ends the rest of this namespace.
    int fds[MaxFds] = {-1, -1, -1, -1};
    int count = 0;
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        count = static_cast<int>((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        std::memcpy(fds, CMSG_DATA(header), sizeof(int) * static_cast<std::size_t>(count));
    }
    switch (data.packet.op) {
    case Spawn:
        spawn(data.packet, fds, count);
        break;
    case Signal:
        signalGroup(data.packet);
        break;
    case Freeze:
        freeze(data.packet);
        break;
    case Thaw:
        thaw(data.packet);
        break;
    case Open:
        openFile(data.packet, data.path);
        break;
    case Remove:
        removeFile(data.packet, data.path);
        break;
    default:
        break;
    }
    for (int i = 0; i < count; ++i)
        close(fds[i]);
}

/// The kernel's out-of-memory killer takes what runs here before what runs outside.
void preferAsVictim()
{
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    [[maybe_unused]] const ssize_t written = write(fd, "500", 3);
    close(fd);
}

} // namespace

int main()
{
    if (getpid() != 1 || fcntl(ControlFd, F_GETFD) < 0) {
        static const char text[] = "This program is started by pilothouse-sandboxd inside a sandbox.\n";
        [[maybe_unused]] const ssize_t written = write(2, text, sizeof text - 1);
        return 2;
    }
    if (!installSyscallFilter()) {
        static const char text[] = "the kernel takes no system call filter (seccomp), which sandboxes need\n";
        [[maybe_unused]] const ssize_t written = write(2, text, sizeof text - 1);
        return 1;
    }
    preferAsVictim();
    prctl(PR_SET_DUMPABLE, 0);
    syscall(SYS_close_range, unsigned(ControlFd + 1), ~0U, 0U);
    fcntl(ControlFd, F_SETFD, FD_CLOEXEC);
    const int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; ++i)
        dup2(null, i);
    if (null > 2)
        close(null);
    umask(0022);
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watched, nullptr);
    const int signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        return 1;
    send({Hello, 0, 0, 0});
    pollfd sources[2] = {{ControlFd, POLLIN, 0}, {signals, POLLIN, 0}};
    while (true) {
        if (poll(sources, 2, -1) < 0)
            continue;
        if (sources[1].revents != 0) {
            signalfd_siginfo info;
            while (read(signals, &info, sizeof info) == ssize_t(sizeof info)) { }
            reap();
        }
        if (sources[0].revents != 0)
            receive();
    }
}
