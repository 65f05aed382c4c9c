/* Samples (tvrun --sample): addresses at which threads were found, as the line and function that
 * they belong to. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "capture/run/merge_job.h"

/* As OTF2 numbers it: the period is a time. */
enum { MODE_TIME = 0, DECIMAL = 10 };

/* A property of the first rank that has it; "" if none does. */
static const char *property(const struct job *job, const char *key)
{
	const size_t n = strlen(key);
	const char *const *text;
	const struct rank *rank;

	vec_each (rank, &job->ranks)
		vec_each (text, &rank->properties)
			if (!strncmp(*text, key, n) && (*text)[n] == '=')
				return *text + n + 1;
	return "";
}

uint32_t job_sampler(struct job *job)
{
	const bool perf = !strcmp(property(job, "sample-clock"), "perf");
	const char *name = perf ? "user time" : "CPU time";
	const uint64_t values[] = { builder_string(job->builder, "", 0), MODE_TIME, DECIMAL,
				    (uint64_t)INT64_C(-9),
				    strtoull(property(job, "sample-ns"), NULL, 10) };

	if (!job->sampler)
		job->sampler = 1 + builder_object(job->builder, OBJECT_GENERATOR,
						  builder_string(job->builder, name, strlen(name)),
						  values, sizeof values / sizeof *values);
	return job->sampler - 1;
}

/* What the code at an address is called: its function's name; without symbols its module's, as each
 * instruction would else be a region of its own. */
static void name_code(struct job *job, const struct rank *rank, uint64_t address,
		      const struct symbol *symbol, struct str *out)
{
	const struct rank_module *module = rank_module_at(rank, address);

	if (symbol->function || job->options->anonymous) {
		job_name_function(job, rank, module ? symbol->begin + module->where.bias : address,
				  symbol, out);
		return;
	}
	str_add_fmt(out, "code of %s", module ? path_name(module->path) : "no module");
	/* The kernel's has none for anybody. */
	if (module && !strstr(path_name(module->path), "vdso"))
		job_name_missing(job, module, out->text);
}

uint32_t job_sample_site(struct job *job, struct rank *rank, uint64_t address)
{
	uint32_t *site = keymap_add(&rank->sites,
				    (struct key){ { (uint32_t)address, (uint32_t)(address >> 32),
						    SAMPLE_CALL } });
	const bool named = !job->options->anonymous;
	const struct rank_module *module = rank_module_at(rank, address);
	struct symbol line = { 0 }, function = { 0 };
	struct named_region region;
	OWNED_STR name = STR_INIT;
	uint32_t file = 0;

	if (*site != UINT32_MAX)
		return *site;
	if (module) {
		line = rank_symbol_at(job, rank, address);
		function = symbols_scope(job->symbols, module->path, address - module->where.bias);
	}
	name_code(job, rank, address, &function, &name);
	region = job_function_region(job, name.text, &function, PARADIGM_UNKNOWN);
	if (named && line.file)
		file = builder_string(job->builder, line.file, strlen(line.file));
	return *site = builder_site(job->builder, region.region, file, file ? line.line : 0,
				    region.picl);
}
