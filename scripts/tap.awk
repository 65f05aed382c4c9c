# Reads the output of one test (TAP) and prints one line about it, then what failed and why:
#	ok   NAME: N passed, N failed, N skipped
# A test that ended without a result for each test it had planned counts one failure more.
{ line[NR] = $0 }
/^1\.\.[0-9]+/ { planned = substr($1, 4) + 0; plans = 1 }
/^ok .*# SKIP/ || /^not ok .*# SKIP/ { skipped++; skip[skipped] = $0; next }
/^ok / { passed++; next }
/^not ok / { failed++; next }
/^status / { status = $2 }
END {
	died = status == 0 ? 0 : !failed
	if (!plans || passed + failed + skipped < planned)
		died = 1
	printf "%s %s: %d passed, %d failed, %d skipped\n", failed || died ? "FAIL" : "ok  ", name,
		passed, failed + died, skipped
	for (i = 1; i <= skipped; i++) {
		sub(/^.*# SKIP */, "", skip[i])
		print "     skipped: " skip[i]
	}
	if (!failed && !died)
		exit
	if (died)
		print "     " (status == 124 ? "stopped: it took too long" : \
			"ended with status " status " before all its tests had run")
	first = NR > 200 ? NR - 200 : 1
	for (i = first; i < NR; i++)
		if (line[i] !~ /^ok /)
			print "     | " line[i]
}
