#include "model/picl/read/picl_dealt.h"

#include "base/varint.h"
#include "model/trace/record_type.h"

/* The first byte: the type of the record, what it has beside its values, their number. */
enum {
	TYPE_MASK = 3, /* REC_MARK - type; all three: it follows */
	TYPE_OTHER = 3,
	HAS_PAYLOAD = 1 << 2, /* it is not plain */
	HAS_TIME = 1 << 3,
	HAS_TEXT = 1 << 4,
	COUNT_SHIFT = 5,
	COUNT_OTHER = 7 /* it follows */
};

static inline char *put_signed(char *p, int64_t value)
{
	return varint_put(p, varint_fold(value));
}

static inline int64_t get_signed(const char **p)
{
	return varint_unfold(varint_get(p));
}

static void add_text(struct str *out, const char *text, size_t n)
{
	str_end(out, varint_put(str_room(out, VARINT_MOST), n));
	str_add_n(out, text, n);
}

void picl_deal_put(struct picl_deal *deal, const struct picl_record *record)
{
	const int64_t type = (int64_t)REC_MARK - record->rectype;
	const bool own_type = type < 0 || type >= TYPE_OTHER;
	const bool own_count = record->count >= COUNT_OTHER;
	char *p = str_room(&deal->bytes, 1 + (8 + PICL_VALUES) * VARINT_MOST);

	*p++ = (char)((own_type ? TYPE_OTHER : type) | (record->plain ? 0 : HAS_PAYLOAD) |
		      (record->time_text ? HAS_TIME : 0) | (record->text ? HAS_TEXT : 0) |
		      (own_count ? COUNT_OTHER : record->count) << COUNT_SHIFT);
	if (own_type)
		p = put_signed(p, record->rectype);
	if (own_count)
		p = varint_put(p, (uint64_t)record->count);
	p = put_signed(p, record->evtype);
	p = put_signed(p, (int64_t)((uint64_t)record->time - (uint64_t)deal->time));
	p = varint_put(p, record->line - deal->line);
	p = put_signed(p, record->processor);
	p = put_signed(p, record->process);
	if (!record->plain)
		p = varint_put(p, (uint64_t)record->values);
	for (int32_t i = 0; i < record->values && i < PICL_VALUES; i++)
		p = put_signed(p, record->v[i]);
	str_end(&deal->bytes, p);
	deal->time = record->time;
	deal->line = record->line;
	if (!record->plain)
		add_text(&deal->bytes, record->payload, record->payload_n);
	if (record->time_text)
		add_text(&deal->bytes, record->time_text, record->time_n);
	if (record->text)
		add_text(&deal->bytes, record->text, record->text_n);
}

static const char *get_text(struct picl_dealt *dealt, size_t *n)
{
	const char *text;

	*n = (size_t)varint_get(&dealt->p);
	text = dealt->p;
	dealt->p += *n;
	return text;
}

bool picl_dealt_next(struct picl_dealt *dealt, struct picl_record *record)
{
	const char *p = dealt->p;
	unsigned first;

	if (p == dealt->end)
		return false;
	first = (unsigned char)*p++;
	record->rectype = REC_MARK - (int32_t)(first & TYPE_MASK);
	if ((first & TYPE_MASK) == TYPE_OTHER)
		record->rectype = (int32_t)get_signed(&p);
	record->count = (int32_t)(first >> COUNT_SHIFT);
	if (record->count == COUNT_OTHER)
		record->count = (int32_t)varint_get(&p);
	record->evtype = (int32_t)get_signed(&p);
	dealt->time = (int64_t)((uint64_t)dealt->time + (uint64_t)get_signed(&p));
	dealt->line += varint_get(&p);
	record->time = dealt->time;
	record->line = dealt->line;
	record->processor = (int32_t)get_signed(&p);
	record->process = (int32_t)get_signed(&p);
	record->plain = !(first & HAS_PAYLOAD);
	record->values = record->plain ? record->count : (int32_t)varint_get(&p);
	for (int32_t i = 0; i < record->values && i < PICL_VALUES; i++)
		record->v[i] = get_signed(&p);
	dealt->p = p;
	record->payload = record->time_text = record->text = NULL;
	record->payload_n = record->time_n = record->text_n = 0;
	if (!record->plain)
		record->payload = get_text(dealt, &record->payload_n);
	if (first & HAS_TIME)
		record->time_text = get_text(dealt, &record->time_n);
	if (first & HAS_TEXT)
		record->text = get_text(dealt, &record->text_n);
	return true;
}
