# bash completion for tview, made from its tables
_tview() {
	local verb=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
	case $prev:$cur in
	--format:*) words='text csv json md cube' ;;
	--format:*) words='text csv json md' ;;
	--format:*) words='text md json junit github' ;;
	--format:*) words='text csv json md' ;;
	--format:*) words='text md json' ;;
	--by:*) words='region metric callpath rank destination level all' ;;
	--to:*) words='picl otf2 json sqlite' ;;
	--group:*) words='none node process range likeness' ;;
	--group:*) words='none node process range likeness' ;;
	--colour:*) words='class function' ;;
	--base:*) words='measured linear fitted clc compensated lower upper virtual' ;;
	--against:*) words='measured linear fitted clc compensated lower upper virtual' ;;
	--as:*) words='picl otf2 json' ;;
	--join:*) words='auto yes no' ;;
	--presync:*) words='offsets messages auto' ;;
	--overhead-model:*) words='insitu paper paper-12' ;;
	--theme:*) words='dark light mono' ;;
	--graphics:*) words='none auto kitty sixel' ;;
	--view:*) words='overview timeline events profile calls sequences graph patterns topology messages corrections difference utilisation iterations source' ;;
	-c:*|--command:*) words='at-event base bind callpath columns counter export filter go-mark goto group hide hide-colour iteration line map mark metric open open-group pane pin play print rank row rows search select sequence set sort state theme view zoom left down up right page-down page-up first last next-plane previous-plane zoom-in zoom-out pan-left pan-right whole-run zoom-item undo redo previous-event next-event previous-region next-region message-back message-forth previous-wait next-wait next-marker jump-back jump-forth less-depth more-depth next-match previous-match search-this clear show-all next-topology planes reverse cell-size critical-path colour count-iterations align toggle hottest open-all values break-down next-pane previous-pane enter back next-base difference explain source edit copy copy-text copy-details legend next-trace previous-trace tutor tutor-back tutor-next tutor-end live-hold live-slower live-faster cancel help command redraw suspend up-or-quit quit overview timeline events profile calls sequences graph patterns topology messages corrections compared utilisation iterations' ;;
	export:|export:[!-]*) words='overview timeline events profile calls sequences callpaths samples sample-lines graph filter patterns statistics waits explain causes critical-path rollcall topology messages collectives copies matrix histograms corrections corrections-classes corrections-pairs corrections-clocks corrections-moves corrections-overhead corrections-regions difference utilisation utilisation-ranks concurrency queues queues-over-time iterations lines findings definitions' ;;
	*) case $verb in
		help) words='--help ' ;;
		mcp) words='--join --help ' ;;
		cache) words='--list --clear --help ' ;;
		baseline) words='--base --as --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --help ' ;;
		live) words='--format --summary --rollcall --fail-if-stuck --stack --save --ascii --view --theme --no-mouse --no-sync --graphics --help ' ;;
		graph) words='--output --format --help ' ;;
		convert) words='--to --ranks --time --base --as --join --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --help ' ;;
		check) words='--base --as --join --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --help ' ;;
		report) words='--output --format --width --topology --iteration --ranks --time --base --baseline --fail-on --as --join --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --help ' ;;
		query) words='--output --format --width --by --level --page --sequence --csv-safe --iteration --ranks --time --filter --base --callpath --metric --as --join --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --help ' ;;
		export) words='--output --format --width --height --by --level --worst --event --sort --where --limit --page --columns --hide --group --open --pin --counter --depth --sequence --critical-path --colour --hide-colour --ascii --csv-safe --topology --iteration --ranks --time --filter --base --diff --against --baseline --callpath --metric --source-path --as --join --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --help ' ;;
		*) words='--group --sequence --ascii --topology --iteration --ranks --time --filter --base --diff --baseline --source-path --as --join --strict --no-cache --max-mem --jobs --presync --offsets --gamma --passes --lmin-inter --lmin-intra --overhead-model --overhead --copy-cost --view --at --rank --command --theme --no-mouse --no-sync --graphics --help --version ' ;;
	esac ;;
	esac
	[ $COMP_CWORD = 1 ] && words="$words export query report check convert graph live baseline cache mcp help"
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _tview tview
