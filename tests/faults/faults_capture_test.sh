#!/bin/sh
# What the recorder and the merge of its buffers write when system calls fail.
. tests/faults/faults_aid.sh
command -v mpiexec.mpich >/dev/null || { skip "faults of the recorder" "there is no mpiexec.mpich"; done_testing; }

run="$out/tvrun --yield"
fresh
$run --keep -q -o "$dir/t.trc" mpiexec.mpich -n 2 "$out/programs/ring" >"$tmp/out" 2>&1
mkdir "$tmp/ranks"
mv "$dir"/t.trc.ranks-*/* "$tmp/ranks"
# All messages, or a word on what is missing.
whole() { [ "$("$tview" export messages "$1" -f csv | wc -l)" = 17 ] || [ -s "$tmp/said" ] || { echo "messages are missing, and not a word"; return 1; }; }
merged() {
	if [ "$status" = 0 ]; then whole "$dir/out.trc"; else holds; fi
}
where="-a tvrank" judge=merged
every "merge" out.trc "$out/tvrun" -q --keep --merge "$tmp/ranks" -o "$dir/out.trc" <"$tmp/writing"

# The program ends as it would; what is missing is said, by status and word, or nothing is.
recorded() {
	[ "$status" != 124 ] || { echo "the program hangs"; return 1; }
	[ "$status" -lt 128 ] || { echo "status $status"; return 1; }
	grep -q '^ring: 16 messages sent' "$tmp/out" ||
		[ "$status" != 0 ] || { echo "the program's own output is gone"; return 1; }
	if [ -e "$dir/t.trc" ] && "$tview" check "$dir/t.trc" >"$tmp/check" 2>&1; then
		whole "$dir/t.trc"
	else
		[ -s "$tmp/said" ] || { echo "no trace, and not a word"; return 1; }
	fi
}
where="-p .ranks-" judge=recorded
every "recorder" t.trc $run -q -o "$dir/t.trc" mpiexec.mpich -n 2 "$out/programs/ring" <<'END'
write ENOSPC EIO EINTR
open ENOSPC EMFILE
truncate ENOSPC EINTR
allocate ENOSPC EDQUOT EINTR
map ENOMEM
END
done_testing
