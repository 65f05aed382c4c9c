#!/bin/sh
# What tview writes when system calls fail: exports, all formats, the cache.
. tests/faults/faults_aid.sh

where="-a in.trc" judge=holds
every "export" out.csv "$tview" export messages "$input" -j 2 --no-cache -f csv -o "$dir/out.csv" <"$tmp/writing"
every "PICL" out.trc "$tview" convert "$input" "$dir/out.trc" -j 2 --no-cache <"$tmp/writing"
every "PICL, compressed" out.trc.zst "$tview" convert "$input" "$dir/out.trc.zst" -j 2 --no-cache <"$tmp/writing"
passing=".out.??????"
every "OTF2" out.otf2 "$tview" convert "$input" "$dir/out.otf2" -j 2 --no-cache <"$tmp/writing"
passing=
every "JSON" out.json "$tview" convert "$input" "$dir/out.json" -j 2 --no-cache <"$tmp/writing"

# An archive that was there is still there where the new one cannot be put in place.
old_stays() {
	fresh
	"$tview" convert traces/ring.trc "$dir/out.otf2"
	"$tview" export profile "$dir/out.otf2" -f csv >"$tmp/before"
	"$fail_call" $2 -p out rename "$1" EIO "$tview" convert "$input" "$dir/out.otf2" >"$tmp/out" 2>"$tmp/said"
	[ $? = 3 ] || { cat "$tmp/said"; return 1; }
	kept=$(sed -n 's/.* parts of the old archive are in \(.*old\) (move them back).*/\1/p' "$tmp/said")
	[ -z "$kept" ] || mv "$kept"/* "$dir"
	"$tview" export profile "$dir/out.otf2" -f csv | cmp - "$tmp/before"
}
for n in 1 2 3 4 5 6 7; do
	check "rename $n of an archive fails: the old one is there" old_stays $n ""
	check "rename $n and all after it fail: the old one is there" old_stays $n -f
done

# ---- the cache ----

# The next one sees the trace, whatever became of the file.
cache_holds() {
	case $status:$how in
	0:* | 3:* | 143:TERM) ;;
	*) echo "status $status"; return 1 ;;
	esac
	"$tview" export messages "$dir/in.trc" -f csv >"$tmp/got" 2>&1 && cmp "$tmp/got" "$tmp/want"
}
"$tview" export messages "$input" -f csv >"$tmp/want"
printf '#!/bin/sh\ncp "%s" "%s/in.trc" && TVIEW_CACHE_MIN=1 exec "%s" export messages "%s/in.trc" -j 2 -f csv -o "%s/out.csv"\n' \
	"$input" "$dir" "$tview" "$dir" "$dir" >"$tmp/cached"
chmod +x "$tmp/cached"
where="-p tvcache" judge=cache_holds
every "cache" out.csv "$tmp/cached" <<'END'
write ENOSPC EIO EINTR TERM
open ENOSPC EACCES TERM
rename ENOSPC EACCES TERM
truncate ENOSPC EINTR
allocate ENOSPC EDQUOT EINTR
map ENOMEM
END

done_testing
