#include "ui/canvas/pixels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void pixels_init(struct pixels *p, struct rect at, int cell_w, int cell_h)
{
	*p = (struct pixels){ .w = at.w > 0 ? at.w * cell_w : 1,
			      .h = at.h > 0 ? at.h * cell_h : 1,
			      .at = at };
	p->roles = xmalloc((size_t)p->w * (size_t)p->h);
	memset(p->roles, PIXEL_CLEAR, (size_t)p->w * (size_t)p->h);
}

void pixels_fini(struct pixels *p)
{
	free(p->roles);
	*p = (struct pixels){ 0 };
}

void pixels_fill(struct pixels *p, struct rect r, enum role role)
{
	const int x0 = r.x > 0 ? r.x : 0, x1 = r.x + r.w < p->w ? r.x + r.w : p->w;
	const int y0 = r.y > 0 ? r.y : 0, y1 = r.y + r.h < p->h ? r.y + r.h : p->h;

	for (int y = y0; y < y1 && x0 < x1; y++)
		memset(p->roles + (size_t)y * (size_t)p->w + x0, (int)role, (size_t)(x1 - x0));
}

/* Of a shallow line each row has a run of pixels, half of the way to the next row. */
void pixels_line(struct pixels *p, int64_t x0, int y0, int64_t x1, int y1, enum role role)
{
	const int64_t rows = y1 > y0 ? y1 - y0 : 1;

	for (int y = y0 > 0 ? y0 : 0; y <= y1 && y < p->h; y++) {
		const int64_t at = 2 * (int64_t)(y - y0);
		int64_t a = x0 + (x1 - x0) * (at > 0 ? at - 1 : 0) / (2 * rows);
		int64_t b = x0 + (x1 - x0) * (at < 2 * rows ? at + 1 : at) / (2 * rows);

		if (a > b) {
			const int64_t c = a;
			a = b;
			b = c;
		}
		a = a < 0 ? 0 : a;
		b = b < p->w ? b : p->w - 1;
		if (a <= b)
			pixels_fill(p, (struct rect){ (int)a, y, (int)(b - a) + 1, 1 }, role);
	}
}
