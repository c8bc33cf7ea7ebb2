#!/usr/bin/env bash
# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the pictures of the README from the real window and the scripted model: pictures.sh BUILD_DIR. Needs what take.sh needs.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
target=$(realpath "$here/../..")/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

take() { # VARIANT STATE NAME
    PH_SCREENS_VARIANT=$1 "$here/take.sh" "$build" "$work" "$2" >/dev/null
    # Flat colours: a palette shows the same at a quarter of the size. Without dates in it, so that only what is seen differs.
    convert "$work/$2-${1// /-}.png" -strip -define png:exclude-chunks=date,time +dither -colors 128 "png8:$target/$3.png"
    local size
    size=$(stat -c %s "$target/$3.png")
    echo "$target/$3.png $size"
    [ "$size" -lt 200000 ]
}

build=$(realpath "$1")
mkdir -p "$target"
take "light 1 1440x900" running running
take "dark 1 1440x900" approval approval
take "light 1 1440x900" files files
