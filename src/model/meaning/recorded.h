/* recorded: roles and paradigms of regions as traces record them: OTF2's numbers (OTF2_RegionRole,
 * OTF2_Paradigm; otf2_names.c checks them against libotf2). Only those that influence the meaning
 * of a region. */
#pragma once

#define ROLE(role, number, ...) REGION_ROLE_##role = number,
#define PARADIGM(...)
enum region_role {
#include "model/meaning/recorded.def"
};

#define ROLE(...)
#define PARADIGM(paradigm, number, ...) PARADIGM_##paradigm = number,
enum region_paradigm {
#include "model/meaning/recorded.def"
};
