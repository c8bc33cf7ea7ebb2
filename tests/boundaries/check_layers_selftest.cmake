# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0

cmake_minimum_required(VERSION 3.25)

# Proves that check_layers.cmake can fail: a copy of a small tree with one breach each must be refused.
file(REMOVE_RECURSE ${WORK_DIR}/layers)
function(expect_refusal NAME FILE CONTENT)
    set(tree ${WORK_DIR}/layers/${NAME})
    file(MAKE_DIRECTORY ${tree}/core/util ${tree}/core/net ${tree}/core/engine ${tree}/ui/shell ${tree}/app/cli)
    file(COPY ${SOURCE_DIR}/cmake/layers.cmake DESTINATION ${tree}/cmake)
    set(licence "// SPDX-FileCopyrightText: Pilothouse contributors\n// SPDX-License-Identifier: Apache-2.0\n")
    if(NAME STREQUAL "licence")
        set(licence "")
    endif()
    file(WRITE ${tree}/${FILE} "${licence}${CONTENT}")
    execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${tree} -P ${SOURCE_DIR}/tests/boundaries/check_layers.cmake
                    RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(NAME STREQUAL "clean")
        if(NOT code EQUAL 0)
            message(FATAL_ERROR "a clean tree was refused")
        endif()
    elseif(code EQUAL 0)
        message(FATAL_ERROR "the breach \"${NAME}\" was not seen")
    endif()
endfunction()
expect_refusal(clean core/net/a.cpp "#include \"util/json.h\"\n")
expect_refusal(upward core/util/a.cpp "#include \"net/httpjob.h\"\n")
expect_refusal(sideways ui/shell/a.cpp "#include \"net/httpjob.h\"\n")
expect_refusal(core-sees-ui core/engine/a.cpp "#include \"shell/mainwindow.h\"\n")
expect_refusal(screen-module core/net/a.cpp "#include <QtWidgets/QWidget>\n")
expect_refusal(screen-class app/cli/a.cpp "#include <QApplication>\n")
expect_refusal(boost core/net/a.cpp "#include <boost/beast.hpp>\n")
expect_refusal(licence core/net/a.cpp "\n")
