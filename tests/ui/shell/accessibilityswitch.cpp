// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "accessibilityswitch.h"

// Only the platform plugin switches accessibility on, and Qt's own tests ask it through headers that are not
// part of the development packages. These are those three names and nothing else of their classes; the linker
// tells if one of them goes.
class QPlatformAccessibility {
public:
    void setActive(bool active);
};
class QPlatformIntegration {
public:
    QPlatformAccessibility *accessibility() const;
};
class QGuiApplicationPrivate {
public:
    static QPlatformIntegration *platform_integration;
};

namespace Pilothouse::Tests {

void switchAccessibilityOn()
{
    QGuiApplicationPrivate::platform_integration->accessibility()->setActive(true);
}

} // namespace Pilothouse::Tests
