#!/bin/sh
# An external bot for any POSIX shell: "cmd:sh program.sh" (docs/bots.md). It captures if it can, else plays anything.
# Lines come without blanks, and no name holds a comma, a quote or a bracket, so that they can be cut apart like this.

set -f # Jcx* is the name of an action, not a pattern of files

while IFS= read -r line; do
    case $line in
    *'"type":"hello"'*)
        printf '%s\n' '{"ready":true,"protocol":2}'
        ;;
    *'"type":"move"'*)
        random=${line#*'"random":'}
        random=${random%%[!0-9]*}
        legal=${line#*'"legal":['}
        legal=${legal%%']'*}
        IFS=,
        captures=
        for action in $legal; do
            case $action in *x*) captures=$captures,$action ;; esac
        done
        [ -z "$captures" ] || legal=${captures#,}
        set -- $legal
        shift $((random % $#))
        printf '{"action":%s}\n' "$1" # still in its quotes
        ;;
    esac
done
