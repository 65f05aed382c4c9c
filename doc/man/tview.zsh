#compdef tview
# zsh completion for tview, made from its tables
_tview() {
	local verb=$words[2]
	case $verb in
	help) _arguments \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(help)' \
			'*:trace:_files' ;;
	mcp) _arguments \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(mcp)' \
			'*:trace:_files' ;;
	cache) _arguments \
			'--list[list cache files with their sizes (the default)]' \
			'--clear[remove cache files]' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(cache)' \
			'*:trace:_files' ;;
	baseline) _arguments \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(baseline)' \
			'*:trace:_files' ;;
	live) _arguments \
			'(-f --format)'{-f,--format}'[list, --summary: text, md, json]:FORMAT:(text md json)' \
			'--summary[print one page and exit]' \
			'--rollcall[say where every rank is and exit]' \
			'--fail-if-stuck[the same; status 1: stuck for TIME]:TIME: ' \
			'--stack[stop each rank briefly: its calls]' \
			'--save[write a trace of all up to now and exit]:FILE:_files' \
			'--ascii[draw with ASCII characters only]' \
			'--view[begin with this view]:VIEW:(overview timeline events profile calls sequences graph patterns topology messages corrections difference utilisation iterations source)' \
			'--theme[colours: dark, light, mono or a FILE]:NAME:(dark light mono)' \
			'--no-mouse[leave the mouse to the terminal]' \
			'--no-sync[no synchronized output, if pictures tear]' \
			'--graphics[timeline as pixels, where the terminal can: auto]:HOW:(none auto kitty sixel)' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(live)' \
			'*:trace:_files' ;;
	graph) _arguments \
			'(-o --output)'{-o,--output}'[to FILE; .csv, .json, .md set the format]:FILE:_files' \
			'(-f --format)'{-f,--format}'[text, csv, json or md]:FORMAT:(text csv json md)' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(graph)' \
			'*:trace:_files' ;;
	convert) _arguments \
			'--to[picl, otf2, json or sqlite]:FORMAT:(picl otf2 json sqlite)' \
			'(-r --ranks)'{-r,--ranks}'[only these ranks: 0-3,8,host]:LIST: ' \
			'(-t --time)'{-t,--time}'[only this window: 0.1s:250ms, 3ms:, :0.5]:FROM:TO: ' \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(convert)' \
			'*:trace:_files' ;;
	check) _arguments \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(check)' \
			'*:trace:_files' ;;
	report) _arguments \
			'(-o --output)'{-o,--output}'[to FILE; .csv, .json, .md set the format]:FILE:_files' \
			'(-f --format)'{-f,--format}'[text, md, json; --fail-on: junit, github]:FORMAT:(text md json junit github)' \
			'(-w --width)'{-w,--width}'[columns of text]:N: ' \
			'--topology[grid of ranks: 4x4,order=col,flip=y]:GRID: ' \
			'--iteration[region or mark where iterations begin]:NAME: ' \
			'(-r --ranks)'{-r,--ranks}'[only these ranks: 0-3,8,host]:LIST: ' \
			'(-t --time)'{-t,--time}'[only this window: 0.1s:250ms, 3ms:, :0.5]:FROM:TO: ' \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--baseline[repeated runs of OLD: a.trc,b.trc; or a NAME]:RUNS: ' \
			'--fail-on[status 1 if: time > 1.1x || comp < 5s]:EXPR: ' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(report)' \
			'*:trace:_files' ;;
	query) _arguments \
			'(-o --output)'{-o,--output}'[to FILE; .csv, .json, .md set the format]:FILE:_files' \
			'(-f --format)'{-f,--format}'[text, csv, json or md]:FORMAT:(text csv json md)' \
			'(-w --width)'{-w,--width}'[columns of text]:N: ' \
			'--by[by region, rank, metric, callpath]:KEY:(region metric callpath rank destination level all)' \
			'--level[iterations: of this level (--by level)]:N: ' \
			'--page[the rows from where an export left off]:TOKEN: ' \
			'--sequence[sequences of calls: '\''MPI_Isend+ MPI_Waitall'\'']:PATTERN: ' \
			'--csv-safe[CSV: mark text that begins like a formula]' \
			'--iteration[region or mark where iterations begin]:NAME: ' \
			'(-r --ranks)'{-r,--ranks}'[only these ranks: 0-3,8,host]:LIST: ' \
			'(-t --time)'{-t,--time}'[only this window: 0.1s:250ms, 3ms:, :0.5]:FROM:TO: ' \
			'(-F --filter)'{-F,--filter}'[only matches: region =~ /^MPI_/ && dur > 10us]:EXPR: ' \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--callpath[waits, topology: main/MPI_Recv]:PATH: ' \
			'--metric[patterns, waits, topology: mpi_latesender]:NAME: ' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(query)' \
			'*:trace:_files' ;;
	export) _arguments \
			'(-o --output)'{-o,--output}'[to FILE; .csv, .json, .md set the format]:FILE:_files' \
			'(-f --format)'{-f,--format}'[text, csv, json, md; patterns: cube]:FORMAT:(text csv json md cube)' \
			'(-w --width)'{-w,--width}'[columns of text]:N: ' \
			'--height[lines of the timeline]:N: ' \
			'--by[by region, rank, metric, callpath]:KEY:(region metric callpath rank destination level all)' \
			'--level[iterations: of this level (--by level)]:N: ' \
			'--worst[explain: the N longest waits]:N: ' \
			'--event[explain: what is at this event]:ID: ' \
			'--sort[the most first; COLUMN:asc; timeline: mpi]:COLUMN: ' \
			'--where[rows of which this holds: share > 0.1]:EXPR: ' \
			'--limit[so many rows; says how to get the others]:N: ' \
			'--page[the rows from where an export left off]:TOKEN: ' \
			'--columns[these columns; +NAME, -NAME: more, less]:NAMES: ' \
			'--hide[not these ranks: 0-3,8.1,host]:LIST: ' \
			'--group[timeline by node, N ranks, N groups]:KEY:(none node process range likeness)' \
			'--open[timeline: open groups, by first ranks]:LIST: ' \
			'--pin[timeline: ranks on top; 8+: its group]:LIST: ' \
			'--counter[timeline: charts of these counters]:NAMES: ' \
			'--depth[timeline: this many nesting levels]:N: ' \
			'--sequence[sequences of calls: '\''MPI_Isend+ MPI_Waitall'\'']:PATTERN: ' \
			'--critical-path[timeline: what others waited for]' \
			'--colour[timeline: by class, or by function]:BY:(class function)' \
			'--hide-colour[timeline without these: '\''user code'\'']:NAMES: ' \
			'--ascii[draw with ASCII characters only]' \
			'--csv-safe[CSV: mark text that begins like a formula]' \
			'--topology[grid of ranks: 4x4,order=col,flip=y]:GRID: ' \
			'--iteration[region or mark where iterations begin]:NAME: ' \
			'(-r --ranks)'{-r,--ranks}'[only these ranks: 0-3,8,host]:LIST: ' \
			'(-t --time)'{-t,--time}'[only this window: 0.1s:250ms, 3ms:, :0.5]:FROM:TO: ' \
			'(-F --filter)'{-F,--filter}'[only matches: region =~ /^MPI_/ && dur > 10us]:EXPR: ' \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--diff[show the changes made by corrections]' \
			'--against[base --diff compares with]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--baseline[repeated runs of OLD: a.trc,b.trc; or a NAME]:RUNS: ' \
			'--callpath[waits, topology: main/MPI_Recv]:PATH: ' \
			'--metric[patterns, waits, topology: mpi_latesender]:NAME: ' \
			'--source-path[folders with the sources: DIR or DIR:DIR]:DIRS:_files' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'1: :(export)' '2:view:(overview timeline events profile calls sequences callpaths samples sample-lines graph filter patterns statistics waits explain causes critical-path rollcall topology messages collectives copies matrix histograms corrections corrections-classes corrections-pairs corrections-clocks corrections-moves corrections-overhead corrections-regions difference utilisation utilisation-ranks concurrency queues queues-over-time iterations lines findings definitions)' \
			'*:trace:_files' ;;
	*) _arguments \
			'--group[rows of the timeline: by node, ...]:KEY:(none node process range likeness)' \
			'--sequence[sequences of calls: '\''MPI_Isend+ MPI_Waitall'\'']:PATTERN: ' \
			'--ascii[draw with ASCII characters only]' \
			'--topology[grid of ranks: 4x4,order=col,flip=y]:GRID: ' \
			'--iteration[region or mark where iterations begin]:NAME: ' \
			'(-r --ranks)'{-r,--ranks}'[only these ranks: 0-3,8,host]:LIST: ' \
			'(-t --time)'{-t,--time}'[only this window: 0.1s:250ms, 3ms:, :0.5]:FROM:TO: ' \
			'(-F --filter)'{-F,--filter}'[only matches: region =~ /^MPI_/ && dur > 10us]:EXPR: ' \
			'(-b --base)'{-b,--base}'[time base: measured, linear, ...]:BASE:(measured linear fitted clc compensated lower upper virtual)' \
			'--diff[show the changes made by corrections]' \
			'--baseline[repeated runs of OLD: a.trc,b.trc; or a NAME]:RUNS: ' \
			'--source-path[folders with the sources: DIR or DIR:DIR]:DIRS:_files' \
			'--as[format of the trace: picl, otf2, json]:FORMAT:(picl otf2 json)' \
			'--join[JSON files are one run, a process each]:HOW:(auto yes no)' \
			'--strict[any deviation from the format is an error]' \
			'--no-cache[neither use nor write a cache file]' \
			'--max-mem[memory limit, then a file is used]:SIZE: ' \
			'(-j --jobs)'{-j,--jobs}'[threads to use]:N: ' \
			'--presync[clocks by offsets, messages or auto]:HOW:(offsets messages auto)' \
			'--offsets[clock offsets from FILE, not the trace'\''s]:FILE:_files' \
			'--gamma[clc: rate after a jump]:G: ' \
			'--passes[passes of the logical clock at most]:N: ' \
			'--lmin-inter[minimum latency between nodes: 1us]:TIME: ' \
			'--lmin-intra[minimum latency in a node: 0.1us]:TIME: ' \
			'--overhead-model[overhead by insitu, paper, paper-12]:MODEL:(insitu paper paper-12)' \
			'--overhead[cost of a record: 9.8ns]:TIME: ' \
			'--copy-cost[cost of copying a byte: 50ps]:TIME: ' \
			'--view[begin with this view]:VIEW:(overview timeline events profile calls sequences graph patterns topology messages corrections difference utilisation iterations source)' \
			'--at[begin with the cursor at this time: 12.5ms]:TIME: ' \
			'--rank[begin with the cursor at a rank: 3, 3.1, host]:N: ' \
			'*'{-c,--command}'[run a command of '\'':'\'' (repeatable): '\''print waits'\'']:COMMAND:(at-event base bind callpath columns counter export filter go-mark goto group hide hide-colour iteration line map mark metric open open-group pane pin play print rank row rows search select sequence set sort state theme view zoom left down up right page-down page-up first last next-plane previous-plane zoom-in zoom-out pan-left pan-right whole-run zoom-item undo redo previous-event next-event previous-region next-region message-back message-forth previous-wait next-wait next-marker jump-back jump-forth less-depth more-depth next-match previous-match search-this clear show-all next-topology planes reverse cell-size critical-path colour count-iterations align toggle hottest open-all values break-down next-pane previous-pane enter back next-base difference explain source edit copy copy-text copy-details legend next-trace previous-trace tutor tutor-back tutor-next tutor-end live-hold live-slower live-faster cancel help command redraw suspend up-or-quit quit overview timeline events profile calls sequences graph patterns topology messages corrections compared utilisation iterations)' \
			'--theme[colours: dark, light, mono or a FILE]:NAME:(dark light mono)' \
			'--no-mouse[leave the mouse to the terminal]' \
			'--no-sync[no synchronized output, if pictures tear]' \
			'--graphics[timeline as pixels, where the terminal can: auto]:HOW:(none auto kitty sixel)' \
			'(-h --help)'{-h,--help}'[help; after a verb, help on that verb]' \
			'(-V --version)'{-V,--version}'[the program'\''s version]' \
			'1: :_tview_first' \
			'*:trace:_files' ;;
	esac
}
_tview_first() {
	local -a verbs=(
		'export:print a view as text, CSV, JSON, Markdown'
		'query:ask\: calls where dur > 1ms limit 10'
		'report:report where the time went, and why'
		'check:report damage, guesses and violations'
		'convert:write a trace as PICL, OTF2, JSON or SQLite'
		'graph:print a program'\''s static graph, as tvcc left it'
		'live:look at a job while it runs'
		'baseline:keep figures of runs to compare with'
		'cache:list or remove cache files'
		'mcp:serve a language model (Model Context Protocol)'
		'help:help on a verb')
	_describe -t verbs verb verbs
	_files
}
_tview "$@"
