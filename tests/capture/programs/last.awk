# Events of programs/last.c, as CSV: the n-th send and the n-th receive of each channel have the same bytes, and each one
# the bytes after the one before. `channels`: how many there are; 0: any number, and messages under way may have one
# side alone, at the end.
BEGIN { FS = "," }
$4 == "send" { k = $2 " " $6 " " $7 " " $9; s[k, ++ns[k]] = $8 }
$4 == "recv" { k = $6 " " $2 " " $7 " " $9; r[k, ++nr[k]] = $8 }
END {
	for (k in ns) {
		if (channels && k ~ / 77 /) continue
		n++
		if (channels && ns[k] != nr[k]) { print k ": " ns[k] " sends, " nr[k] " receives"; bad = 1 }
		for (i = 1; i <= ns[k]; i++)
			if (((channels || i <= nr[k]) && s[k, i] != r[k, i]) || (i > 1 && s[k, i] != s[k, i - 1] % 1000 + 1)) {
				print k " " i ": " s[k, i] " sent, " r[k, i] " received"; exit 1
			}
	}
	exit bad || (channels && n != channels)
}
