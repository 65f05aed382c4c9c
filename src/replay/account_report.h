/* account_report: where the time of each process went, what it sent and how much memory it took
 * (tview-replay --account). */
#pragma once

#include <stdio.h>

#include "base/exchange_account.h"

/* A row for each process: all must call it, the first one writes it. */
void account_report(struct exchange_account *account, FILE *stream);
