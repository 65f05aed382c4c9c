# fish completion for tview, made from its tables
complete -c tview -n __fish_use_subcommand -a export -d 'print a view as text, CSV, JSON, Markdown'
complete -c tview -n __fish_use_subcommand -a query -d 'ask: calls where dur > 1ms limit 10'
complete -c tview -n __fish_use_subcommand -a report -d 'report where the time went, and why'
complete -c tview -n __fish_use_subcommand -a check -d 'report damage, guesses and violations'
complete -c tview -n __fish_use_subcommand -a convert -d 'write a trace as PICL, OTF2, JSON or SQLite'
complete -c tview -n __fish_use_subcommand -a graph -d 'print a program'\''s static graph, as tvcc left it'
complete -c tview -n __fish_use_subcommand -a live -d 'look at a job while it runs'
complete -c tview -n __fish_use_subcommand -a baseline -d 'keep figures of runs to compare with'
complete -c tview -n __fish_use_subcommand -a cache -d 'list or remove cache files'
complete -c tview -n __fish_use_subcommand -a mcp -d 'serve a language model (Model Context Protocol)'
complete -c tview -n __fish_use_subcommand -a help -d 'help on a verb'
complete -c tview -n '__fish_seen_subcommand_from export' -a 'overview timeline events profile calls sequences callpaths samples sample-lines graph filter patterns statistics waits explain causes critical-path rollcall topology messages collectives copies matrix histograms corrections corrections-classes corrections-pairs corrections-clocks corrections-moves corrections-overhead corrections-regions difference utilisation utilisation-ranks concurrency queues queues-over-time iterations lines findings definitions'
complete -c tview -n '__fish_seen_subcommand_from export query report graph' -l output -s o -d 'to FILE; .csv, .json, .md set the format' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l format -s f -d 'text, csv, json, md; patterns: cube' -x -a 'text csv json md cube'
complete -c tview -n '__fish_seen_subcommand_from query' -l format -s f -d 'text, csv, json or md' -x -a 'text csv json md'
complete -c tview -n '__fish_seen_subcommand_from report' -l format -s f -d 'text, md, json; --fail-on: junit, github' -x -a 'text md json junit github'
complete -c tview -n '__fish_seen_subcommand_from graph' -l format -s f -d 'text, csv, json or md' -x -a 'text csv json md'
complete -c tview -n '__fish_seen_subcommand_from live' -l format -s f -d 'list, --summary: text, md, json' -x -a 'text md json'
complete -c tview -n '__fish_seen_subcommand_from live' -l summary -d 'print one page and exit'
complete -c tview -n '__fish_seen_subcommand_from live' -l rollcall -d 'say where every rank is and exit'
complete -c tview -n '__fish_seen_subcommand_from live' -l fail-if-stuck -d 'the same; status 1: stuck for TIME' -r
complete -c tview -n '__fish_seen_subcommand_from live' -l stack -d 'stop each rank briefly: its calls'
complete -c tview -n '__fish_seen_subcommand_from live' -l save -d 'write a trace of all up to now and exit' -r
complete -c tview -n '__fish_seen_subcommand_from export query report' -l width -s w -d 'columns of text' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l height -d 'lines of the timeline' -r
complete -c tview -n '__fish_seen_subcommand_from export query' -l by -d 'by region, rank, metric, callpath' -x -a 'region metric callpath rank destination level all'
complete -c tview -n '__fish_seen_subcommand_from export query' -l level -d 'iterations: of this level (--by level)' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l worst -d 'explain: the N longest waits' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l event -d 'explain: what is at this event' -r
complete -c tview -n '__fish_seen_subcommand_from convert' -l to -d 'picl, otf2, json or sqlite' -x -a 'picl otf2 json sqlite'
complete -c tview -n '__fish_seen_subcommand_from export' -l sort -d 'the most first; COLUMN:asc; timeline: mpi' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l where -d 'rows of which this holds: share > 0.1' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l limit -d 'so many rows; says how to get the others' -r
complete -c tview -n '__fish_seen_subcommand_from export query' -l page -d 'the rows from where an export left off' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l columns -d 'these columns; +NAME, -NAME: more, less' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l hide -d 'not these ranks: 0-3,8.1,host' -r
complete -c tview -l group -d 'rows of the timeline: by node, ...' -x -a 'none node process range likeness'
complete -c tview -n '__fish_seen_subcommand_from export' -l group -d 'timeline by node, N ranks, N groups' -x -a 'none node process range likeness'
complete -c tview -n '__fish_seen_subcommand_from export' -l open -d 'timeline: open groups, by first ranks' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l pin -d 'timeline: ranks on top; 8+: its group' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l counter -d 'timeline: charts of these counters' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l depth -d 'timeline: this many nesting levels' -r
complete -c tview -l sequence -d 'sequences of calls: '\''MPI_Isend+ MPI_Waitall'\''' -r
complete -c tview -n '__fish_seen_subcommand_from export' -l critical-path -d 'timeline: what others waited for'
complete -c tview -n '__fish_seen_subcommand_from export' -l colour -d 'timeline: by class, or by function' -x -a 'class function'
complete -c tview -n '__fish_seen_subcommand_from export' -l hide-colour -d 'timeline without these: '\''user code'\''' -r
complete -c tview -l ascii -d 'draw with ASCII characters only'
complete -c tview -n '__fish_seen_subcommand_from export query' -l csv-safe -d 'CSV: mark text that begins like a formula'
complete -c tview -l topology -d 'grid of ranks: 4x4,order=col,flip=y' -r
complete -c tview -l iteration -d 'region or mark where iterations begin' -r
complete -c tview -l ranks -s r -d 'only these ranks: 0-3,8,host' -r
complete -c tview -l time -s t -d 'only this window: 0.1s:250ms, 3ms:, :0.5' -r
complete -c tview -l filter -s F -d 'only matches: region =~ /^MPI_/ && dur > 10us' -r
complete -c tview -l base -s b -d 'time base: measured, linear, ...' -x -a 'measured linear fitted clc compensated lower upper virtual'
complete -c tview -l diff -d 'show the changes made by corrections'
complete -c tview -n '__fish_seen_subcommand_from export' -l against -d 'base --diff compares with' -x -a 'measured linear fitted clc compensated lower upper virtual'
complete -c tview -l baseline -d 'repeated runs of OLD: a.trc,b.trc; or a NAME' -r
complete -c tview -n '__fish_seen_subcommand_from report' -l fail-on -d 'status 1 if: time > 1.1x || comp < 5s' -r
complete -c tview -n '__fish_seen_subcommand_from export query' -l callpath -d 'waits, topology: main/MPI_Recv' -r
complete -c tview -n '__fish_seen_subcommand_from export query' -l metric -d 'patterns, waits, topology: mpi_latesender' -r
complete -c tview -l source-path -d 'folders with the sources: DIR or DIR:DIR' -r
complete -c tview -l as -d 'format of the trace: picl, otf2, json' -x -a 'picl otf2 json'
complete -c tview -l join -d 'JSON files are one run, a process each' -x -a 'auto yes no'
complete -c tview -l strict -d 'any deviation from the format is an error'
complete -c tview -l no-cache -d 'neither use nor write a cache file'
complete -c tview -l max-mem -d 'memory limit, then a file is used' -r
complete -c tview -l jobs -s j -d 'threads to use' -r
complete -c tview -l presync -d 'clocks by offsets, messages or auto' -x -a 'offsets messages auto'
complete -c tview -l offsets -d 'clock offsets from FILE, not the trace'\''s' -r
complete -c tview -l gamma -d 'clc: rate after a jump' -r
complete -c tview -l passes -d 'passes of the logical clock at most' -r
complete -c tview -l lmin-inter -d 'minimum latency between nodes: 1us' -r
complete -c tview -l lmin-intra -d 'minimum latency in a node: 0.1us' -r
complete -c tview -l overhead-model -d 'overhead by insitu, paper, paper-12' -x -a 'insitu paper paper-12'
complete -c tview -l overhead -d 'cost of a record: 9.8ns' -r
complete -c tview -l copy-cost -d 'cost of copying a byte: 50ps' -r
complete -c tview -l view -d 'begin with this view' -x -a 'overview timeline events profile calls sequences graph patterns topology messages corrections difference utilisation iterations source'
complete -c tview -l at -d 'begin with the cursor at this time: 12.5ms' -r
complete -c tview -l rank -d 'begin with the cursor at a rank: 3, 3.1, host' -r
complete -c tview -l command -s c -d 'run a command of '\'':'\'' (repeatable): '\''print waits'\''' -x -a 'at-event base bind callpath columns counter export filter go-mark goto group hide hide-colour iteration line map mark metric open open-group pane pin play print rank row rows search select sequence set sort state theme view zoom left down up right page-down page-up first last next-plane previous-plane zoom-in zoom-out pan-left pan-right whole-run zoom-item undo redo previous-event next-event previous-region next-region message-back message-forth previous-wait next-wait next-marker jump-back jump-forth less-depth more-depth next-match previous-match search-this clear show-all next-topology planes reverse cell-size critical-path colour count-iterations align toggle hottest open-all values break-down next-pane previous-pane enter back next-base difference explain source edit copy copy-text copy-details legend next-trace previous-trace tutor tutor-back tutor-next tutor-end live-hold live-slower live-faster cancel help command redraw suspend up-or-quit quit overview timeline events profile calls sequences graph patterns topology messages corrections compared utilisation iterations'
complete -c tview -l theme -d 'colours: dark, light, mono or a FILE' -x -a 'dark light mono'
complete -c tview -l no-mouse -d 'leave the mouse to the terminal'
complete -c tview -l no-sync -d 'no synchronized output, if pictures tear'
complete -c tview -l graphics -d 'timeline as pixels, where the terminal can: auto' -x -a 'none auto kitty sixel'
complete -c tview -n '__fish_seen_subcommand_from cache' -l list -d 'list cache files with their sizes (the default)'
complete -c tview -n '__fish_seen_subcommand_from cache' -l clear -d 'remove cache files'
complete -c tview -l help -s h -d 'help; after a verb, help on that verb'
complete -c tview -l version -s V -d 'the program'\''s version'
