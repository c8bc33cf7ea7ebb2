# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0

# ph_config: the one interface target for compiler settings. Every library, program and test links it.
add_library(ph_config INTERFACE)
target_compile_features(ph_config INTERFACE cxx_std_20)
target_compile_definitions(ph_config INTERFACE
    QT_NO_KEYWORDS
    QT_NO_FOREACH
    QT_NO_CAST_FROM_ASCII
    QT_NO_CAST_TO_ASCII
    QT_NO_CAST_FROM_BYTEARRAY
    QT_NO_URL_CAST_FROM_STRING
    QT_NO_NARROWING_CONVERSIONS_IN_CONNECT
    QT_NO_CONTEXTLESS_CONNECT
    QT_STRICT_ITERATORS
    QT_USE_QSTRINGBUILDER
    QT_DISABLE_DEPRECATED_BEFORE=0x060400
    # Named here for all so that targets with different Qt modules can share one precompiled header.
    QT_CORE_LIB QT_NETWORK_LIB QT_SQL_LIB QT_WEBSOCKETS_LIB
    PILOTHOUSE_VERSION="${PROJECT_VERSION}"
    $<$<NOT:$<CONFIG:Release>>:QT_FORCE_ASSERTS>
)
# Not -Wnull-dereference: GCC 12 reports every std::get_if and QString inlined from a variant.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(ph_config INTERFACE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
        -Wimplicit-fallthrough -Werror=return-type -Werror=switch
        -fstack-protector-strong
        $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
        $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>
        $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>
    )
    if(NOT APPLE)
        target_link_options(ph_config INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed)
    endif()
elseif(MSVC)
    target_compile_options(ph_config INTERFACE /W4 /permissive- /utf-8 /Zc:__cplusplus /guard:cf)
endif()

set(PH_SANITIZE "" CACHE STRING "Sanitizers for every target, for example address,undefined")
if(PH_SANITIZE)
    target_compile_options(ph_config INTERFACE -fsanitize=${PH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(ph_config INTERFACE -fsanitize=${PH_SANITIZE})
    target_compile_definitions(ph_config INTERFACE PILOTHOUSE_SANITIZED)
endif()

if(PH_TESTS)
    find_package(Qt6 ${PH_QT_MINIMUM} REQUIRED COMPONENTS Test)
    add_library(ph_test_config INTERFACE)
    # Qt's target names the folders of each test in macros that its headers ask for; no test uses them, and they
    # would make the header of every test another one.
    target_compile_options(ph_test_config INTERFACE -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)
    if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        # A test runs for a moment and takes seconds to compile; what it tests is optimized as everywhere.
        target_compile_options(ph_test_config INTERFACE -O0)
        # More than a hundred programs are linked: with the default linker that takes four times as long.
        include(CheckLinkerFlag)
        foreach(linker lld gold)
            check_linker_flag(CXX -fuse-ld=${linker} PH_LINKS_WITH_${linker})
            if(PH_LINKS_WITH_${linker})
                target_link_options(ph_test_config INTERFACE -fuse-ld=${linker})
                break()
            endif()
        endforeach()
    endif()
    target_link_libraries(ph_test_config INTERFACE ph_config Qt6::Core Qt6::Network Qt6::Test)
endif()

# Precompiled headers: one donor for libraries, one for those of ui/, one for programs (their -fPIC and -fPIE differ), one
# for tests and one for those of windows.
option(PH_PCH "Use precompiled headers" ON)
if(PH_PCH)
    file(WRITE ${CMAKE_BINARY_DIR}/pch/empty.cpp "// Carries the precompiled header.\n")
    add_library(ph_pch OBJECT ${CMAKE_BINARY_DIR}/pch/empty.cpp)
    target_link_libraries(ph_pch PRIVATE ph_config Qt6::Core)
    target_precompile_headers(ph_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
    set_target_properties(ph_pch PROPERTIES AUTOMOC OFF)
    if(TARGET Qt6::Widgets)
        add_library(ph_pch_ui OBJECT ${CMAKE_BINARY_DIR}/pch/empty.cpp)
        target_link_libraries(ph_pch_ui PRIVATE ph_config Qt6::Widgets)
        target_precompile_headers(ph_pch_ui PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pchui.h)
        set_target_properties(ph_pch_ui PROPERTIES AUTOMOC OFF)
    endif()
    file(WRITE ${CMAKE_BINARY_DIR}/pch/main.cpp "int main() { return 0; }\n")
    add_executable(ph_pch_program EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/pch/main.cpp)
    target_link_libraries(ph_pch_program PRIVATE ph_config Qt6::Core)
    target_precompile_headers(ph_pch_program PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
    set_target_properties(ph_pch_program PROPERTIES AUTOMOC OFF)
    if(PH_TESTS)
        add_executable(ph_pch_test EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/pch/main.cpp)
        target_link_libraries(ph_pch_test PRIVATE ph_test_config)
        target_precompile_headers(ph_pch_test PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pchtest.h)
        set_target_properties(ph_pch_test PROPERTIES AUTOMOC OFF)
        if(TARGET Qt6::Widgets)
            add_executable(ph_pch_test_ui EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/pch/main.cpp)
            target_link_libraries(ph_pch_test_ui PRIVATE ph_test_config Qt6::Widgets)
            target_precompile_headers(ph_pch_test_ui PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pchtestui.h)
            set_target_properties(ph_pch_test_ui PROPERTIES AUTOMOC OFF)
        endif()
    endif()
endif()
