#!/bin/sh
# Completion for shells, as installed: that it is read, and what it offers.
. tests/cli/tap.sh

# offers SHELL LINE WORD: completing the line (its last word) offers the word
bash_offers() {
	bash -c '. doc/man/tview.bash; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tview
		printf "%s\n" "${COMPREPLY[@]}"' bash "$1" | grep -qx -- "$2"
}
fish_offers() {
	fish -c 'source doc/man/tview.fish; complete -C $argv[1]' "$1" | cut -f 1 | grep -qx -- "$2"
}
for shell in bash fish; do
	command -v $shell >/dev/null || { skip "$shell" "it is not installed"; continue; }
	check "$shell: verbs" ${shell}_offers 'tview rep' report
	check "$shell: views of export" ${shell}_offers 'tview export prof' profile
	check "$shell: options" ${shell}_offers 'tview --the' --theme
	check "$shell: words of an option" ${shell}_offers 'tview --theme li' light
	check "$shell: views of the screen" ${shell}_offers 'tview --view time' timeline
	check "$shell: commands" ${shell}_offers 'tview -c zoom-' zoom-in
	check "$shell: options of a verb" ${shell}_offers 'tview check --str' --strict
done
if command -v zsh >/dev/null; then
	check "zsh reads its script" zsh -n doc/man/tview.zsh
else
	skip zsh "it is not installed"
fi
done_testing
