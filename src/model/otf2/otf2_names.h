/* otf2_names: meanings of libotf2's numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "model/meaning/meaning.h"
#include "model/trace/detail.h"

/* Mode of a send in a region: 0 standard, 1 buffered, 2 synchronous, 3 ready. */
uint8_t otf2_send_mode(const char *name);

enum { OTF2_COLLECTIVE_NAMES = 32 };

/* The name of an OTF2_CollectiveOp's MPI function, NULL where there is none. */
const char *otf2_collective_name(unsigned operation);

/* OTF2's modes, indexed by enum metric_mode. */
extern const OTF2_MetricMode otf2_metric_modes[METRIC_MODES];
