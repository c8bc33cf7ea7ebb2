// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "bubblewrap.h"

#include "initprotocol.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Neither Debian nor systemd hands out 65520 to 65533, and containers that map only 16 bits of users have it.
constexpr uid_t SandboxHostUser = 65528;
constexpr int FirstFileFd = 10; // Numbers of the generated files in the new process; ControlFd is 3.
constexpr int HighFd = 200;
// 64 MiB each for /run and /dev/shm: they live in the host's memory.
constexpr const char *TmpfsSize = "67108864";

struct GeneratedFile {
    const char *path;
    const char *text;
};

// The host's own files here would tell the sandbox about the host, so it gets neutral ones.
constexpr GeneratedFile GeneratedFiles[] = {
    {"/etc/passwd",
     "root:x:0:0:root:/root:/bin/bash\nuser:x:0:0:user:/home/user:/bin/bash\n"
     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"/etc/group", "root:x:0:\nnogroup:x:65534:\n"},
    {"/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
    {"/etc/hostname", "sandbox\n"},
    {"/etc/resolv.conf", "# No name server: this sandbox has a loopback network only.\n"},
    {"/etc/nsswitch.conf",
     "passwd: files\ngroup: files\nhosts: files dns\nprotocols: files\nservices: files\n"},
    {"/etc/shells", "/bin/sh\n/bin/bash\n"},
};

bool isSymlink(const char *path)
{
    struct stat info = {};
    return ::lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

bool exists(const char *path) { return ::access(path, F_OK) == 0; }

QByteArray linkTarget(const char *path)
{
    char target[4096];
    const ssize_t size = ::readlink(path, target, sizeof target);
    return size > 0 ? QByteArray(target, qsizetype(size)) : QByteArray();
}

void addSystemFolders(QList<QByteArray> &arguments)
{
    arguments += {"--ro-bind", "/usr", "/usr"};
    for (const char *folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        if (isSymlink(folder))
            arguments += {"--symlink", linkTarget(folder), folder};
        else if (exists(folder))
            arguments += {"--ro-bind", folder, folder};
    }
}

void addEtc(QList<QByteArray> &arguments)
{
    int fd = FirstFileFd;
    for (const GeneratedFile &file : GeneratedFiles)
        arguments += {"--perms", "0644", "--file", QByteArray::number(fd++), file.path};
    for (const char *path : {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
                             "/etc/ssl/certs"}) {
        if (exists(path))
            arguments += {"--ro-bind", path, path};
    }
    if (isSymlink("/etc/localtime"))
        arguments += {"--symlink", linkTarget("/etc/localtime"), "/etc/localtime"};
    else if (exists("/etc/localtime"))
        arguments += {"--ro-bind", "/etc/localtime", "/etc/localtime"};
    if (exists("/usr/lib/os-release"))
        arguments += {"--symlink", "../usr/lib/os-release", "/etc/os-release"};
}

/// `place` of a folder or of the supervisor on the host, as bubblewrap will see it.
struct Sources {
    QByteArray init;
    QList<QByteArray> folders; // As sandboxFolders().
};

QList<QByteArray> bubblewrapArguments(const Confinement &confinement, const Sources &sources)
{
    QList<QByteArray> arguments = {confinement.bwrap,
                                   "--unshare-user",
                                   "--unshare-pid",
                                   "--unshare-ipc",
                                   "--unshare-uts",
                                   "--unshare-net",
                                   "--unshare-cgroup-try",
                                   "--uid",
                                   "0",
                                   "--gid",
                                   "0",
                                   "--hostname",
                                   "sandbox",
                                   "--cap-drop",
                                   "ALL",
                                   "--die-with-parent",
                                   "--new-session",
                                   "--as-pid-1",
                                   "--clearenv"};
    // Parents that bubblewrap makes by itself are open to their owner only.
    for (const char *folder : {"/etc", "/etc/ssl", "/home", "/var"})
        arguments += {"--perms", "0755", "--dir", folder};
    addSystemFolders(arguments);
    addEtc(arguments);
    arguments += {"--proc",  "/proc",    "--dev",        "/dev",   "--size",  TmpfsSize,
                  "--tmpfs", "/dev/shm", "--remount-ro", "/dev",   "--size",  TmpfsSize,
                  "--tmpfs", "/run",     "--symlink",    "../run", "/var/run"};
    // They list keys of everything that runs as the same user.
    for (const char *path : {"/proc/keys", "/proc/key-users"}) {
        if (exists(path))
            arguments += {"--ro-bind", "/dev/null", path};
    }
    for (qsizetype i = 0; i < sources.folders.size(); ++i)
        arguments += {"--bind", sources.folders[i], sandboxFolders()[i].inside};
    // The root is a memory file system: what were written there would be lost, so it is refused instead.
    arguments += {"--ro-bind", sources.init, "/.pilothouse-init", "--remount-ro", "/", "--chdir",
                  "/",         "--",         "/.pilothouse-init"};
    return arguments;
}

// ---- in the new process, before exec. The service has one thread, so anything may be called here.

[[noreturn]] void failLaunch(const char *what)
{
    const QByteArray text = "pilothouse-sandboxd: " + QByteArray(what) + ": " + std::strerror(errno) + '\n';
    [[maybe_unused]] const ssize_t written = ::write(2, text.constData(), size_t(text.size()));
    ::_exit(1);
}

bool bindMount(int sourceFd, const QByteArray &target)
{
    // By descriptor: the staging folder may cover the place where the source lies.
    const QByteArray source = "/proc/self/fd/" + QByteArray::number(sourceFd);
    return ::mount(source.constData(), target.constData(), nullptr, MS_BIND, nullptr) == 0;
}

/// In a mount namespace of its own, shows the sandbox's folders and the supervisor at a place that the host
/// user of the sandbox can reach (its data folder is private to root), then becomes that user.
Sources stageAndDropUser(uid_t user, const QByteArray &folder, const QByteArray &init)
{
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        failLaunch("cannot make a mount namespace");
    // Opened in the new namespace, since nothing can be bound across, and before the stage covers anything.
    std::vector<int> folderFds;
    for (const SandboxFolder &part : sandboxFolders()) {
        const QByteArray path = folder + '/' + part.name;
        folderFds.push_back(::open(path.constData(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    const int initFd = ::open(init.constData(), O_PATH | O_CLOEXEC);
    const char *stage = nullptr;
    for (const char *candidate : {"/mnt", "/media", "/srv", "/run"}) {
        if (!stage && exists(candidate) && !isSymlink(candidate))
            stage = candidate;
    }
    if (!stage)
        failLaunch("no /mnt to prepare the sandbox in");
    if (::mount("tmpfs", stage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") != 0)
        failLaunch("cannot prepare the sandbox's folders");
    Sources sources;
    for (std::size_t i = 0; i < folderFds.size(); ++i) {
        const QByteArray target = QByteArray(stage) + '/' + sandboxFolders()[qsizetype(i)].name;
        if (::mkdir(target.constData(), 0755) != 0 || !bindMount(folderFds[i], target))
            failLaunch("cannot bind a folder of the sandbox");
        sources.folders.append(target);
    }
    sources.init = QByteArray(stage) + "/init";
    const int placeholder = ::open(sources.init.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    if (placeholder < 0 || !bindMount(initFd, sources.init))
        failLaunch("cannot bind the supervisor");
    if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0
        || ::setresuid(user, user, user) != 0)
        failLaunch("cannot become the sandbox's user");
    return sources;
}

[[noreturn]] void launch(const Confinement &confinement, const QByteArray &folder, int control, int errors,
                         const std::vector<int> &files)
{
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::umask(0022);
    leaveSessionKeyring(); // One for each sandbox, so that none reads what another has put there.
    // Out of the way first, so that no target number is still a source.
    std::vector<int> high;
    for (const int fd : files)
        high.push_back(::fcntl(fd, F_DUPFD_CLOEXEC, HighFd));
    const int highControl = ::fcntl(control, F_DUPFD_CLOEXEC, HighFd);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(errors, 2);
    ::dup2(null, 0);
    ::dup2(null, 1);
    if (highControl < 0 || ::dup2(highControl, Init::ControlFd) < 0)
        failLaunch("cannot hand over the control socket");
    for (std::size_t i = 0; i < high.size(); ++i) {
        if (high[i] < 0 || ::dup2(high[i], FirstFileFd + int(i)) < 0)
            failLaunch("cannot hand over a file");
    }
    Sources sources;
    if (confinement.hostUser) {
        sources = stageAndDropUser(*confinement.hostUser, folder, confinement.init);
    } else {
        sources.init = confinement.init;
        for (const SandboxFolder &part : sandboxFolders())
            sources.folders.append(folder + '/' + part.name);
    }
    const QList<QByteArray> arguments = bubblewrapArguments(confinement, sources);
    std::vector<char *> vector;
    for (const QByteArray &argument : arguments)
        vector.push_back(const_cast<char *>(argument.constData()));
    vector.push_back(nullptr);
    char *environment[] = {nullptr};
    ::execve(confinement.bwrap.constData(), vector.data(), environment);
    failLaunch("cannot start bubblewrap");
}

} // namespace

const QList<SandboxFolder> &sandboxFolders()
{
    static const QList<SandboxFolder> folders = {
        {"home", "/home/user"}, {"root", "/root"}, {"tmp", "/tmp"}, {"vartmp", "/var/tmp"}};
    return folders;
}

std::optional<QByteArray> findBubblewrap()
{
    const QByteArray path =
        qEnvironmentVariableIsSet("PATH") ? qgetenv("PATH") : "/usr/local/bin:/usr/bin:/bin";
    for (const QByteArray &folder : path.split(':')) {
        const QByteArray candidate = folder + "/bwrap";
        if (folder.startsWith('/') && ::access(candidate.constData(), X_OK) == 0)
            return candidate;
    }
    return std::nullopt;
}

std::optional<QByteArray> findSandboxInit()
{
    const QByteArray self = linkTarget("/proc/self/exe");
    const QByteArray folder = self.first(qMax(qsizetype(0), self.lastIndexOf('/')));
    for (const char *relative :
         {"/pilothouse-sandbox-init", "/../libexec/pilothouse/pilothouse-sandbox-init"}) {
        const QByteArray candidate = folder + relative;
        if (::access(candidate.constData(), X_OK) == 0)
            return candidate;
    }
    return std::nullopt;
}

QList<Confinement> confinementCandidates(const QByteArray &bwrap, const QByteArray &init)
{
    if (::geteuid() == 0)
        return {{bwrap, init, SandboxHostUser}, {bwrap, init, std::nullopt}};
    return {{bwrap, init, std::nullopt}};
}

Result<Done, int> makeSandboxFolders(const Confinement &confinement, const QByteArray &folder)
{
    if (const auto made = makeFolders(folder); !made)
        return made;
    for (const SandboxFolder &part : sandboxFolders()) {
        const QByteArray path = folder + '/' + part.name;
        const bool isTemporary = QByteArrayView(part.name).endsWith("tmp");
        // What the sandbox's user made of an existing one stays.
        const bool isNew = ::mkdir(path.constData(), 0700) == 0;
        if (!isNew && errno != EEXIST)
            return fail(int(errno));
        if (isNew && ::chmod(path.constData(), isTemporary ? 01777 : 0755) != 0)
            return fail(int(errno));
        if (confinement.hostUser
            && ::lchown(path.constData(), *confinement.hostUser, *confinement.hostUser) != 0)
            return fail(int(errno));
    }
    return Done{};
}

Result<BubblewrapProcess, QString> startBubblewrap(const Confinement &confinement, const QByteArray &folder)
{
    int pair[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return fail(u"The system gives no socket pair: %1."_s.arg(errnoText(errno)));
    BubblewrapProcess process;
    process.control.reset(pair[0]);
    const UniqueFd theirs(pair[1]);
    PipePair errors = makePipe();
    const int on = 1;
    if (!errors.readEnd.isValid() || !setNonBlocking(errors.readEnd.get()) || !setNonBlocking(pair[0])
        || ::setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
        return fail(u"The system gives no pipe: %1."_s.arg(errnoText(errno)));
    std::vector<UniqueFd> files;
    std::vector<int> fileFds;
    for (const GeneratedFile &file : GeneratedFiles) {
        files.push_back(memoryFile("etc", file.text));
        fileFds.push_back(files.back().get());
        if (!files.back().isValid())
            return fail(u"The system gives no memory file: %1."_s.arg(errnoText(errno)));
    }
    process.pid = ::fork();
    if (process.pid == 0)
        launch(confinement, folder, theirs.get(), errors.writeEnd.get(), fileFds);
    if (process.pid < 0)
        return fail(u"The system starts no process: %1."_s.arg(errnoText(errno)));
    process.errors = std::move(errors.readEnd);
    return process;
}

} // namespace Pilothouse
