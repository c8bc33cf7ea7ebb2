#!/usr/bin/env bash
# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: Apache-2.0
#
# Starts the real window under Xvfb with the demo model and takes a picture of each state, so that they can be looked at.
# take.sh BUILD_DIR OUT_DIR [STATE…]; needs xvfb, xdotool and imagemagick. Nothing is compared: the pictures are for people.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
shift 2
states=("$@")
display=:${PH_SCREENS_DISPLAY:-87}
work=$(mktemp -d)
server=
app=
cleanup() {
    [ -z "$app" ] || kill "$app" 2>/dev/null 2>&1 || true
    [ -z "$server" ] || kill "$server" 2>/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT

Xvfb "$display" -screen 0 3200x2000x24 >/dev/null 2>&1 &
server=$!
export DISPLAY=$display NO_AT_BRIDGE=1 QT_QPA_PLATFORM=xcb XDG_RUNTIME_DIR=$work
unset DBUS_SESSION_BUS_ADDRESS ANTHROPIC_API_KEY SUPERSERVE_API_KEY
for _ in $(seq 50); do xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.1; done

# start DATA SCHEME SCALE SIZE [ARGUMENTS…]
start() {
    local data=$1 scheme=$2 scale=$3 size=$4
    shift 4
    mkdir -p "$data"
    printf '[appearance]\nscheme=%s\n' "$scheme" >"$data/settings.ini"
    rm -f "$data/window.ini"
    QT_SCALE_FACTOR=$scale "$build/bin/pilothouse" --data-dir "$data" "$@" >"$work/log" 2>&1 &
    app=$!
    window=$(xdotool search --sync --onlyvisible --pid "$app" --name Pilothouse | tail -1)
    xdotool windowsize --sync "$window" $(awk -v s="$scale" -v g="$size" 'BEGIN { split(g, a, "x"); printf "%d %d", a[1] * s, a[2] * s }') || true
    xdotool windowmove "$window" 0 0 windowfocus "$window"
    sleep 1.5
}
shoot() { import -window "$window" "$out/$1.png" && echo "$out/$1.png"; }
click() { # X Y, at scale 1
    xdotool mousemove --window "$window" $(awk -v s="$scale" -v x="$1" -v y="$2" 'BEGIN { printf "%d %d", x * s, y * s }') click 1
}
key() { xdotool key --window "$window" "$@"; sleep 0.4; }
end() {
    kill "$app" 2>/dev/null 2>&1 || true
    wait "$app" 2>/dev/null 2>&1 || true
    app=
}
wanted() { [ ${#states[@]} -eq 0 ] || [[ " ${states[*]} " == *" $1 "* ]]; }

variants=()
[ -z "${PH_SCREENS_VARIANT:-}" ] || variants=("$PH_SCREENS_VARIANT")
if [ ${#variants[@]} -eq 0 ]; then variants=("light 1 1440x900" "dark 1 1440x900" "light 1 1024x700" "dark 1.25 1024x700" "light 2 1024x700" "high-contrast 1 1024x700"); fi
for variant in "${variants[@]}"; do
    read -r scheme scale size <<<"$variant"
    tag=$scheme-$scale-$size
    if wanted welcome; then
        start "$work/empty-$tag" "$scheme" "$scale" "$size"
        shoot "welcome-$tag"
        end
    fi
    if wanted approval || wanted finished || wanted settings || wanted menus; then
        data=$work/tour-$tag
        start "$data" "$scheme" "$scale" "$size" --tour
        for _ in $(seq 60); do # Until the tour asks for its one command.
            sqlite3 "file:$data/log.db?mode=ro" "select 1 from events where kind='tool-approval' and cast(payload as text) like '%asked%' limit 1" 2>/dev/null | grep -q 1 && break
            sleep 1
        done
        sleep 1
        if wanted approval; then
            shoot "approval-$tag"
            key shift+F6 e
            key End
            xdotool type --window "$window" " && roman 7"
            sleep 0.5
            shoot "editing-$tag"
            key Escape # The card keeps the keyboard.
            key a
        else
            key shift+F6 a
        fi
        for _ in $(seq 40); do
            sqlite3 "file:$data/log.db?mode=ro" "select 1 from events where kind='turn-finish' limit 1" 2>/dev/null | grep -q 1 && break
            sleep 1
        done
        sleep 1
        if wanted finished; then shoot "finished-$tag"; fi
        if wanted menus; then
            key alt+c
            import -window root -crop 900x500+0+0 "$out/menu-$tag.png"
            key Escape
            key Escape
        fi
        if wanted settings; then
            key ctrl+comma
            sleep 0.5
            shoot "settings-keys-$tag"
            for section in endpoints local new appearance data; do
                key Down
                sleep 0.3
                shoot "settings-$section-$tag"
            done
        fi
        end
    fi
    if wanted narrow; then # Columns that come over the transcript.
        data=$work/narrow-$tag
        "$build/bin/pilothouse-cli" run --data-dir "$data" --model demo/tour "Write Roman numerals." >/dev/null 2>&1
        start "$data" "$scheme" "$scale" "$size"
        key ctrl+Next # Chooses the conversation.
        for pane in call files conversations; do
            case $pane in
            call) key ctrl+alt+b ;;
            files) click 996 120 ;;
            conversations) key ctrl+b ;;
            esac
            sleep 1
            shoot "narrow-$pane-$tag"
            key Escape
        done
        end
    fi
    if wanted stress; then # Long titles, other scripts, long words, failed calls.
        data=$work/stress-$tag
        script=$(dirname "$0")/stress.json
        for title in "決済画面のスナップショット差分を調べて直してください、できれば今日中に" "ניסוח מדיניות ניסיונות חוזרים" \
            "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft and more" "Short"; do
            "$build/bin/pilothouse-cli" run --data-dir "$data" --model demo/stress --demo-script "$script" "$title" >/dev/null 2>&1 || true
        done
        start "$data" "$scheme" "$scale" "$size"
        key ctrl+Prior # The oldest, which has the longest title.
        sleep 1
        shoot "stress-$tag"
        key shift+F6
        key ctrl+Home
        sleep 1
        shoot "stress-top-$tag"
        end
    fi
    if wanted running || wanted files; then # Several conversations, one at work; its files beside it.
        data=$work/running-$tag
        "$build/bin/pilothouse-cli" run --data-dir "$data" --model demo/tour "Trim the image below 200 MB" >/dev/null 2>&1
        "$build/bin/pilothouse-cli" run --data-dir "$data" --model demo/stress --max-steps 1 \
            --demo-script "$(dirname "$0")/stress.json" "Backfill the events of March" >/dev/null 2>&1 || true
        start "$data" "$scheme" "$scale" "$size" --demo-script "$(dirname "$0")/running.json"
        key ctrl+n
        xdotool type --window "$window" "The webhook tests fail now and then. Find out why, and mend it."
        key Return
        sleep 7
        if wanted running; then shoot "running-$tag"; fi
        if wanted files; then
            click 990 57 # The tab of the files, where the window is 1440 wide.
            sleep 1.5
            click 1000 162 # The first folder.
            key Right
            sleep 1
            key Down Right # Its first folder is passed, its file shown.
            sleep 1
            key End Return
            sleep 1.5
            shoot "files-$tag"
        fi
        end
    fi
done
