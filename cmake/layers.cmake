# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0

# The only table of allowed edges between areas. It drives linking (ph_add_library, ph_add_program) and the
# layer test (tests/boundaries/check_layers.cmake). Form: "AREA=ALLOWED AREA,ALLOWED AREA,…", lowest first.
# An area may include headers of the areas named here and of itself, and of no other.
set(PH_LAYERS
    "core/util="
    "core/text=core/util"
    "core/secrets=core/text,core/util"
    "core/net=core/util"
    "core/sandbox=core/net,core/text,core/util"
    "core/model=core/net,core/text,core/util"
    "core/agent=core/sandbox,core/model,core/net,core/text,core/util"
    "core/store=core/text,core/util"
    "core/engine=core/agent,core/store,core/sandbox,core/model,core/net,core/secrets,core/text,core/util"
    "ui/platform=core/util"
    "ui/theme=ui/platform,core/text,core/util"
    "ui/settings=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/sidebar=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/transcript=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/inspector=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/approval=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/composer=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/files=ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "ui/shell=ui/sidebar,ui/transcript,ui/inspector,ui/approval,ui/settings,ui/composer,ui/files,ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
    "app/sandboxd=core/text,core/util"
    "app/cli=core/engine,core/store,core/text,core/util"
    "app/desktop=ui/shell,ui/theme,ui/platform,core/engine,core/store,core/text,core/util"
)

# Qt modules that no core area and no command-line program may include or link.
set(PH_SCREEN_MODULES QtGui QtWidgets QtSvg QtOpenGL QtPrintSupport)

# ph_layer_of(AREA OUT): the allowed areas of AREA, as a list; an unknown area stops the build.
function(ph_layer_of AREA OUT)
    foreach(entry IN LISTS PH_LAYERS)
        string(REGEX MATCH "^([^=]+)=(.*)$" ignored "${entry}")
        if(CMAKE_MATCH_1 STREQUAL AREA)
            string(REPLACE "," ";" allowed "${CMAKE_MATCH_2}")
            set(${OUT} "${allowed}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "Area ${AREA} is not in cmake/layers.cmake")
endfunction()
