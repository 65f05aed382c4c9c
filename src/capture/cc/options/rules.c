#include "capture/cc/options/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

struct rule {
	enum rule_kind kind;
	bool of_file;
	pcre2_code *code; /* NULL: everything */
};

struct rules {
	VEC(struct rule) list;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	uint64_t hash; /* of kinds and patterns, in their order */
};

struct rules *rules_new(void)
{
	enum { STEPS = 1000000 };
	struct rules *rules = xcalloc(1, sizeof *rules);

	rules->hash = UINT64_C(0xcbf29ce484222325);
	rules->match = pcre2_match_data_create(1, NULL);
	rules->limits = pcre2_match_context_create(NULL);
	if (!rules->match || !rules->limits)
		mem_exhausted(sizeof *rules);
	pcre2_set_match_limit(rules->limits, STEPS);
	return rules;
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->list.n; i++)
		pcre2_code_free(rules->list.data[i].code);
	vec_fini(&rules->list);
	pcre2_match_data_free(rules->match);
	pcre2_match_context_free(rules->limits);
	free(rules);
}

static void hash_byte(struct rules *rules, unsigned char byte)
{
	rules->hash = (rules->hash ^ byte) * UINT64_C(0x100000001b3);
}

bool rules_add(struct rules *rules, enum rule_kind kind, const char *pattern, const char *place,
	       struct err *err)
{
	static const char by_file[] = "file:";
	struct rule rule = { .kind = kind };
	const char *text = pattern;
	PCRE2_SIZE where;
	int number;

	if (text) {
		rule.of_file = strncmp(text, by_file, sizeof by_file - 1) == 0;
		text += rule.of_file ? sizeof by_file - 1 : 0;
		if (!*text)
			return err_set(err, STATUS_USAGE, "%s: the pattern is empty", place);
		rule.code =
			pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
				      PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &number, &where, NULL);
		if (!rule.code) {
			PCRE2_UCHAR why[160];
			char what[512];
			const size_t offset = (size_t)(text - pattern) + where;
			pcre2_get_error_message(number, why, sizeof why);
			snprintf(what, sizeof what, "%s: invalid pattern", place);
			return err_set_at(err, what, pattern, offset, "%s", (const char *)why);
		}
	}
	vec_push(&rules->list, rule);
	hash_byte(rules, (unsigned char)(kind + 1));
	for (const char *p = pattern ? pattern : ""; *p; p++)
		hash_byte(rules, (unsigned char)*p);
	hash_byte(rules, '\0');
	return true;
}

uint64_t rules_hash(const struct rules *rules)
{
	return rules->hash;
}

static bool take(void *rules, enum rule_kind kind, const char *pattern, const char *place,
		 struct err *err)
{
	return rules_add(rules, kind, pattern, place, err);
}

bool rules_add_file(struct rules *rules, const char *path, struct err *err)
{
	return rule_lines_read(path, take, rules, err);
}

/* ---- asking ---- */

static bool speaks(const struct rules *rules, const struct rule *rule, const char *file,
		   const char *procedure)
{
	const char *text = rule->of_file ? file : procedure;

	return !rule->code || pcre2_match(rule->code, (PCRE2_SPTR)text, strlen(text), 0, 0,
					  rules->match, rules->limits) >= 0;
}

/* `procedure` NULL: rules of procedures are skipped. */
static bool is_in(const struct rules *rules, const char *file, const char *procedure)
{
	bool in = true, first = true;

	for (size_t i = 0; i < rules->list.n; i++) {
		const struct rule *rule = &rules->list.data[i];
		if ((rule->kind != RULE_ONLY && rule->kind != RULE_EXCLUDE) ||
		    (!procedure && !rule->of_file))
			continue;
		if (first)
			in = rule->kind != RULE_ONLY;
		first = false;
		if (speaks(rules, rule, file, procedure))
			in = rule->kind == RULE_ONLY;
	}
	return in;
}

bool rules_procedure(const struct rules *rules, const char *file, const char *procedure)
{
	return is_in(rules, file, procedure);
}

bool rules_file(const struct rules *rules, const char *file)
{
	return is_in(rules, file, NULL);
}

enum rule_loops rules_loops(const struct rules *rules, const char *file, const char *procedure)
{
	enum rule_loops loops = LOOPS_WHOLE;

	for (size_t i = 0; i < rules->list.n; i++) {
		const struct rule *rule = &rules->list.data[i];
		if ((rule->kind == RULE_NO_LOOPS || rule->kind == RULE_ITERATIONS) &&
		    speaks(rules, rule, file, procedure))
			loops = rule->kind == RULE_NO_LOOPS ? LOOPS_NONE : LOOPS_ITERATIONS;
	}
	return loops;
}
