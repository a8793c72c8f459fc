#include "dynmods.h"

#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sys.h"

enum { PATH_BYTES = 512, OPTIONS_BYTES = 256 };
#define OPTION "favordynmods"
/* Says that it was one of us who told it: for the next, if this one is killed. Gone with a restart, as the option is. */
#define MARK "/run/glovebox-" OPTION

static char place[PATH_BYTES];
/* What the host has chosen besides: to mount is to choose all of it anew. */
static char others[OPTIONS_BYTES];
static bool changed;

static const char *const KEPT[] = {
    "nsdelegate", "memory_localevents", "memory_recursiveprot", "memory_hugetlb_accounting", "pids_localevents",
};

static void keep(const struct mntent *mounted) {
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
        if (hasmntopt(mounted, KEPT[i]) != NULL) {
            size_t length = strlen(others);
            format(others + length, sizeof others - length, "%s%s", length > 0 ? "," : "", KEPT[i]);
        }
    }
}

/* Whether the host's groups are favored already; false if it has none of version 2, whose options hold for both. */
static bool is_favored(void) {
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent *mounted;
    bool favored = false;
    while (mounts != NULL && (mounted = getmntent(mounts)) != NULL) {
        if (strcmp(mounted->mnt_type, "cgroup2") == 0) {
            favored = hasmntopt(mounted, OPTION) != NULL;
            keep(mounted);
            break;
        }
    }
    if (mounts != NULL) {
        endmntent(mounts);
    }
    return favored;
}

/* The options are those of the one hierarchy, wherever it is mounted. */
static bool choose(const char *options) {
    return mount("none", place, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) == 0 &&
           umount2(place, MNT_DETACH) == 0;
}

void dynmods_favor(const char *directory) {
    char options[OPTIONS_BYTES + sizeof OPTION + 1];
    bool favored = is_favored();
    if (!format(place, sizeof place, "%s", directory)) {
        return;
    }
    if (favored) {
        changed = access(MARK, F_OK) == 0;
        return;
    }
    format(options, sizeof options, "%s%s%s", others, *others != '\0' ? "," : "", OPTION);
    changed = choose(options) && make_file(MARK, "", 0600) == 0;
}

void dynmods_restore(void) {
    if (changed) {
        (void)choose(others);
        (void)unlink(MARK);
        changed = false;
    }
}
