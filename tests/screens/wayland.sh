#!/usr/bin/env bash
# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0
#
# Starts the real window under a headless weston at scale 1 and 2, plays the tour, and takes a picture of each.
# wayland.sh BUILD_DIR OUT_DIR; needs weston (10 or newer) and qt6-wayland. Nothing is compared: the pictures are for
# people. Fails when the program writes a warning or does not end when it is told to.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
chmod 700 "$work"
compositor=
app=
cleanup() {
    [ -z "$app" ] || kill "$app" 2>/dev/null || true
    [ -z "$compositor" ] || kill "$compositor" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
unset DISPLAY DBUS_SESSION_BUS_ADDRESS ANTHROPIC_API_KEY SUPERSERVE_API_KEY
export XDG_RUNTIME_DIR=$work WAYLAND_DISPLAY=pilothouse-test NO_AT_BRIDGE=1

for scale in 1 2; do
    weston --backend=headless-backend.so --use-pixman --width=1600 --height=1000 --scale="$scale" --no-config \
        --shell=desktop-shell.so --socket="$WAYLAND_DISPLAY" --idle-time=0 --debug >"$work/weston.log" 2>&1 &
    compositor=$!
    for _ in $(seq 50); do [ -S "$work/$WAYLAND_DISPLAY" ] && break; sleep 0.1; done
    data=$work/data-$scale
    QT_QPA_PLATFORM=wayland "$build/bin/pilothouse" --data-dir "$data" --tour >"$work/app.log" 2>&1 &
    app=$!
    for _ in $(seq 60); do # Until the tour asks for its one command.
        sqlite3 "file:$data/log.db?mode=ro" "select 1 from events where kind='tool-approval' and cast(payload as text) like '%asked%' limit 1" 2>/dev/null | grep -q 1 && break
        sleep 1
    done
    sleep 1
    (cd "$work" && weston-screenshooter && mv wayland-screenshot-*.png "$out/wayland-$scale.png")
    echo "$out/wayland-$scale.png"
    kill "$app"
    wait "$app"
    app=
    kill "$compositor"
    wait "$compositor" || true
    compositor=
    if [ -s "$work/app.log" ]; then
        cat "$work/app.log"
        exit 1
    fi
done
