// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "terminal.h"

#ifdef Q_OS_UNIX
#include <cstdio>
#include <termios.h>
#include <unistd.h>
#endif

namespace Pilothouse::Cli {

#ifdef Q_OS_UNIX

struct HiddenInput::Private {
    termios before = {};
    bool isHidden = false;
};

HiddenInput::HiddenInput()
    : d(std::make_unique<Private>())
{
    if (!isTerminal() || ::tcgetattr(STDIN_FILENO, &d->before) != 0)
        return;
    termios hidden = d->before;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    d->isHidden = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
}

HiddenInput::~HiddenInput()
{
    if (d->isHidden)
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &d->before);
}

bool HiddenInput::isTerminal() { return ::isatty(STDIN_FILENO) == 1; }

#else

struct HiddenInput::Private { };
HiddenInput::HiddenInput() = default;
HiddenInput::~HiddenInput() = default;
bool HiddenInput::isTerminal() { return false; }

#endif

} // namespace Pilothouse::Cli
