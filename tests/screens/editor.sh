#!/bin/sh
# An editor for tests/screens/source*.test: says what it was called with and what its terminal is like, with --stop stops itself, waits for a line,
# and ends as that line says.
printf '\033[2J\033[Hediting:'
for word; do printf ' <%s>' "$word"; done
stty -a | grep -q ' echo ' && printf '\ncooked terminal\n'
[ "$1" = --stop ] && kill -TSTP $$ && printf 'going on\n'
printf 'type a status: '
read -r status
exit "$status"
