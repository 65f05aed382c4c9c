# Shared by the tests of faults, which source it:
# one system call of a kind fails, alone or with all after it, or a signal comes then: what export, convert, the
# cache, merge and the recorder write is whole or not there, a failure has a sentence and a status, and nothing
# crashes. A sample of the calls; FAULTS=places tries the first and last call of each place in the code that makes some
# (make faults), FAULTS=all each one.
. tests/cli/tap.sh
fail_call=$out/tests/faults/fail_call
"$fail_call" read 0 EIO true || { skip "faults" "system calls cannot be stopped here"; done_testing; }
dir=$tmp/faults
input=$tmp/in.trc
cp traces/stencil.trc "$input"
export XDG_CACHE_HOME="$tmp/cache"

# What must hold, whatever failed: of $status, $dir, $tmp/said. Anchors of archives have a number drawn at random.
same() { diff -rq -x '*.otf2' -x '.out.??????' "$tmp/whole" "$dir" && [ -e "$dir/$product" ]; }
holds() {
	case $status:$how in
	0:*) same ;;
	143:TERM | 130:INT) [ ! -e "$dir/$product" ] || same ;; # a folder without a name may be left
	124:* | 12[89]:* | 1[3-9]?:*) echo "status $status"; return 1 ;;
	*) [ -s "$tmp/said" ] || { echo "status $status without a word"; return 1; }
		empty ;;
	esac
}
# A folder without an archive in it, which cannot be opened to empty it, goes with the next that is written.
empty() {
	left=$(find "$dir" -mindepth 1 -maxdepth 1 ! -name "${passing:-/}")
	[ -z "$left" ] || { echo "left behind:" $left; return 1; }
}
fresh() { rm -rf "$dir"; mkdir "$dir"; }

# one KIND N HOW FLAG COMMAND...
one() {
	kind=$1 n=$2 how=$3 flag=$4
	shift 4
	fresh
	timeout 60 "$fail_call" $flag $where "$kind" "$n" "$how" "$@" >"$tmp/out" 2>"$tmp/said" </dev/null
	status=$?
	tried=$((tried + 1))
	why=$($judge) && return
	failed=$((failed + 1))
	echo "# $kind $n $how $flag: $why ($(head -c 300 "$tmp/said" | tr '\n' ' '))"
}

# Of the calls in $1 (number and place), those that are tried; of the failures of each, one error and what interrupts.
sample() {
	case ${FAULTS:-} in
	all) cut -d' ' -f1 "$1" ;;
	places) awk '{ if (!($2 in first)) first[$2] = $1; last[$2] = $1 }
		END { for (p in first) { print first[p]; print last[p] } }' "$1" | sort -nu ;;
	*) awk 'END { if (NR) { print int((NR + 1) / 2); print NR } }' "$1" | uniq ;;
	esac
}
of_sample() {
	if [ -n "${FAULTS:-}" ]; then echo "$@"
	else printf '%s\n' "$@" | awk 'NR == 1 || /EINTR|TERM|INT/'
	fi
}

# every NAME PRODUCT COMMAND...: kinds of calls and failures are read from stdin
every() {
	name=$1 product=$2 tried=0 failed=0
	shift 2
	fresh
	"$@" >/dev/null 2>&1 </dev/null
	rm -rf "$tmp/whole"
	mv "$dir" "$tmp/whole"
	while read -r kind hows; do
		fresh
		"$fail_call" $where -c "$tmp/count" "$kind" 0 EIO "$@" >/dev/null 2>&1 </dev/null
		for n in $(sample "$tmp/count"); do
			for how in $(of_sample $hows); do
				one "$kind" "$n" "$how" "" "$@"
				case $how in EINTR | TERM | INT) ;; *) one "$kind" "$n" "$how" -f "$@" ;; esac
			done
		done
	done
	echo "# $name: $tried tried, $failed failed"
	check "$name: whole or not there, with a sentence" [ "$tried" -gt 0 -a "$failed" = 0 ]
}

cat >"$tmp/writing" <<'END'
write ENOSPC EDQUOT EIO EINTR TERM INT
open ENOSPC EMFILE TERM
rename ENOSPC EIO INT
fork EAGAIN
map ENOMEM
read EIO EINTR
END
