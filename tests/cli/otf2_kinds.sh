# For tests of OTF2 archives: their events by kind, as tview and as otf2-print name them. Sourced behind tap.sh.

# "kind count" of a trace's events, as tview's export names them.
kinds_of_tview() {
	"$tview" export events "$1" -f csv --no-cache --base measured | tail -n +2 | cut -d, -f4 | sort | uniq -c |
		awk '{ print $2, $1 }'
}
# The same of what otf2-print shows of an archive. A buffer flush is an enter and a leave.
kinds_of_otf2_print() {
	awk '
		BEGIN {
			split("ENTER enter LEAVE leave MPI_SEND send MPI_ISEND send MPI_ISEND_COMPLETE send_complete " \
			      "MPI_IRECV_REQUEST recv_request MPI_RECV recv MPI_IRECV recv " \
			      "MPI_REQUEST_TEST request_test MPI_REQUEST_CANCELLED request_cancelled " \
			      "MPI_COLLECTIVE_BEGIN collective_begin MPI_COLLECTIVE_END collective_end " \
			      "METRIC metric PROGRAM_BEGIN other PROGRAM_END other " \
			      "THREAD_BEGIN thread_begin THREAD_END thread_end THREAD_CREATE thread THREAD_WAIT thread " \
			      "THREAD_FORK thread THREAD_JOIN thread THREAD_TEAM_BEGIN thread THREAD_TEAM_END thread " \
			      "RMA_PUT rma RMA_GET rma RMA_WIN_CREATE rma RMA_WIN_DESTROY rma RMA_SYNC rma " \
			      "RMA_OP_COMPLETE_BLOCKING rma PARAMETER_INT64 parameter PARAMETER_UINT64 parameter " \
			      "PARAMETER_STRING parameter", w, " ")
			for (i = 1; i in w; i += 2) name[w[i]] = w[i + 1]
		}
		$1 ~ /^[A-Z][A-Z_0-9]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ {
			if ($1 == "BUFFER_FLUSH") { count["enter"]++; count["leave"]++ }
			else if (match($0, /Parameter: "tview:[^"]*/)) {
				kind = substr($0, RSTART + 18, RLENGTH - 18)
				count[kind == "message" ? "message_text" : kind]++
			}
			else if ($1 == "MEASUREMENT_ON_OFF") count[$NF == "ON" ? "tracing_on" : "tracing_off"]++
			else count[$1 in name ? name[$1] : "unmapped " $1]++
		}
		END { for (k in count) print k, count[k] }' "$1" | sort
}
# same_kinds TRACE SHOWN-BY-OTF2-PRINT
same_kinds() {
	kinds_of_tview "$1" >"$tmp/mine" && [ -s "$tmp/mine" ] && kinds_of_otf2_print "$2" >"$tmp/its" &&
		diff "$tmp/mine" "$tmp/its"
}
