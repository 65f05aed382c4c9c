# Makes a PMPI library that counts what a program does, of the text of mpi.h after the preprocessor:
#
#	mpicc -E mpi.h | awk -f count_calls.awk >wrappers.h; mpicc -DWRAPPERS='"wrappers.h"' -shared count_calls.c
#
# A wrapper for each function that returns an int; it counts the outermost call of its thread. With -DONLY_MPI calls of
# PMPI_ are not counted: those of another tool in the same run.
{ text = text " " $0 }
END {
	gsub(/__attribute__ *\(\([^;]*\)\)/, "", text)
	n = split(text, statements, ";")
	for (i = 1; i <= n; i++)
		if (match(" " statements[i], /[^A-Za-z_]int +MPI_[A-Z][A-Za-z_0-9]* *\(/))
			wrap(substr(statements[i], RSTART + 3))
}
function wrap(prototype,   name, parameters, types, names, i, count, at) {
	sub(/^ +/, "", prototype)
	name = prototype
	sub(/ *\(.*/, "", name)
	if (name in seen || name ~ /^MPI_T_|_(f2c|c2f|f082c|c2f08|f2f08|f082f|fromint|toint)$/ || prototype ~ /\.\.\./)
		return
	seen[name] = 1
	at = index(prototype, "(")
	parameters = substr(prototype, at + 1)
	sub(/\)[^)]*$/, "", parameters)
	count = parameters ~ /^ *(void)? *$/ ? 0 : split(parameters, types, ",")
	names = ""
	for (i = 1; i <= count; i++) {
		sub(/^ +/, "", types[i])
		args[i] = types[i]
		sub(/ *(\[[^]]*\] *)+$/, "", args[i])
		sub(/^.*[^A-Za-z_0-9]/, "", args[i])
		names = names (i > 1 ? ", " : "") args[i]
	}
	sub(/^MPI_/, "", name)
	printf "int MPI_%s(%s)\n{\n\tstatic int (*next)(%s);\n", name, parameters, parameters
	printf "\tif (!next)\n\t\t*(void **)&next = dlsym(RTLD_NEXT, \"PMPI_%s\");\n", name
	printf "\tstatic struct counter counter = { \"MPI_%s\" };\n\tif (depth)\n\t\treturn next(%s);\n", name, names
	printf "\tbegin(&counter);\n\tint outcome = next(%s);\n", names
	message(name, types[count], args[count])
	printf "\tdepth = 0;\n\treturn outcome;\n}\n"
	printf "#ifndef ONLY_MPI\nint PMPI_%s(%s) __attribute__((alias(\"MPI_%s\")));\n#endif\n", name, parameters, name
}
# What leaves: count, type and partner by the order of the parameters in the standard.
function message(name, last_type, last) {
	if (name ~ /^([BSR]?[sS]end|I[bsr]?send|I?[sS]endrecv(_replace)?)(_c)?$/)
		printf "\tsent(outcome, %s, %s, %s);\n", args[2], args[3], args[4]
	else if (name ~ /^[BSR]?[sS]end_init(_c)?$/)
		printf "\tprepared(outcome, *%s, %s, %s, %s);\n", last, args[2], args[3], args[4]
	else if (name == "Psend_init")
		printf "\tprepared(outcome, *%s, %s * %s, %s, %s);\n", last, args[2], args[3], args[4], args[5]
	else if (name ~ /_init(_c)?$/ && last_type ~ /MPI_Request/)
		printf "\tprepared(outcome, *%s, 0, MPI_BYTE, MPI_PROC_NULL);\n", last
	else if (name == "Start")
		printf "\tstarted(outcome, *%s);\n", args[1]
	else if (name == "Startall")
		printf "\tfor (int i = 0; i < %s; i++)\n\t\tstarted(outcome, %s[i]);\n", args[1], args[2]
}
