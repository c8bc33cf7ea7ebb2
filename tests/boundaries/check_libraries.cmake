# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0

cmake_minimum_required(VERSION 3.25)

# cmake -DPROGRAMS=a,b -P check_libraries.cmake: none of the programs loads a screen library, not even through another.
string(REPLACE "," ";" programs "${PROGRAMS}")
list(REMOVE_ITEM programs "")
foreach(program IN LISTS programs)
    execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE libraries RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "ldd ${program} failed")
    endif()
    if(NOT libraries MATCHES "libc\\.so")
        message(FATAL_ERROR "ldd ${program} gave no list of libraries: ${libraries}")
    endif()
    foreach(module Gui Widgets Svg OpenGL)
        if(libraries MATCHES "libQt6${module}")
            message(FATAL_ERROR "${program} loads Qt6${module}")
        endif()
    endforeach()
endforeach()
