#include "roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "devices.h"
#include "mounts.h"
#include "network.h"
#include "proc_files.h"
#include "sys.h"
#include "template.h"
#include "users.h"

enum { PATH_BYTES = 768 };
#define DEFAULT_DISK (1LL << 30)
#define DEFAULT_INODES 100000LL

static const char *place(char *path, const char *name) {
    format(path, PATH_BYTES, "%s/%s", template_mounts(), name);
    return path;
}

/* A disk of its own. It holds nothing that a guest may write but through this mount. No file is brought to safety when
 * it replaces another: nothing of it outlives the sandbox. */
static void mount_disk(const plan *p, const char *name, unsigned long flags) {
    char path[PATH_BYTES];
    if (mount(p->disk.path, place(path, name), "ext4", flags | MS_NOATIME, "noinit_itable,noauto_da_alloc,errors=continue") != 0) {
        plan_fail(p, "the sandbox's disk cannot be mounted");
    }
}

/* The writable layer, with a hard bound, gone with the mount namespace. */
static void mount_layer(const plan *p, const char *name, unsigned long flags) {
    char path[PATH_BYTES];
    if (p->disk.path[0] != '\0') {
        mount_disk(p, name, flags);
        return;
    }
    char options[128];
    format(options, sizeof options, "mode=755,size=%lld,nr_inodes=%lld",
           (long long)(p->spec->disk_bytes > 0 ? p->spec->disk_bytes : DEFAULT_DISK),
           (long long)(p->spec->inodes > 0 ? p->spec->inodes : DEFAULT_INODES));
    if (mount("layer", place(path, name), "tmpfs", flags, options) != 0) {
        plan_fail(p, "the writable layer cannot be mounted");
    }
}

static void make_below(const plan *p, const char *name, mode_t mode) {
    char path[PATH_BYTES];
    if (make_directory(place(path, name), mode) != 0) {
        plan_fail(p, "a directory of the writable layer cannot be made");
    }
}

/* Shows the template with its users moved into the sandbox's range. */
static void mount_lower(const plan *p) {
    char path[PATH_BYTES];
    int tree = sys_open_tree(AT_FDCWD, p->template_place, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0 || sys_mount_idmap(tree, p->userns) != 0 ||
        sys_move_mount(tree, "", AT_FDCWD, place(path, "lower"), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        plan_fail(p, "the template cannot be mounted with the sandbox's users (needs Linux 5.19)");
    }
    close(tree);
}

static void pivot(const plan *p, const char *root) {
    if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 ||
        chdir("/") != 0) {
        plan_fail(p, "the root directory cannot be changed");
    }
}

/* A template is not ours: a link in it must not lead out of it. */
static int open_etc(int root) {
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, root, "etc", &how, sizeof how);
}

/* In place of what the template has, which tells about another network. */
static void write_name_servers(const plan *p, const char *root) {
    if (p->spec->network == 0) {
        return;
    }
    int top = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int etc = top < 0 ? -1 : open_etc(top);
    int file = -1;
    if (etc >= 0) {
        (void)unlinkat(etc, "resolv.conf", 0);
        file = openat(etc, "resolv.conf", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    }
    /* Without it names do not resolve, which the guest sees. */
    if (file >= 0) {
        (void)write_all(file, network_names, strlen(network_names));
        close(file);
    }
    if (etc >= 0) {
        close(etc);
    }
    if (top >= 0) {
        close(top);
    }
}

static void write_names(const plan *p) {
    char hosts[256];
    char hostname[80];
    format(hostname, sizeof hostname, "%s\n", p->spec->hostname);
    format(hosts, sizeof hosts, "127.0.0.1 localhost %s\n::1 localhost ip6-localhost\n", p->spec->hostname);
    /* A template may have made one of these a link, or a directory: then it knows better. */
    (void)make_file("/etc/hostname", hostname, 0644);
    (void)make_file("/etc/hosts", hosts, 0644);
    write_name_servers(p, "/");
}

void roots_enter_template(const plan *p) {
    char root[PATH_BYTES];
    char upper[PATH_BYTES];
    mount_layer(p, "scratch", MS_NOSUID | MS_NODEV);
    make_below(p, "scratch/upper", 0755);
    make_below(p, "scratch/work", 0755);
    uid_t owner = users_root(p->slot);
    if (chown(place(upper, "scratch/upper"), owner, owner) != 0) {
        plan_fail(p, "the writable layer cannot be given to the sandbox");
    }
    mount_lower(p);
    /* volatile: nothing of this layer outlives the sandbox, so nothing needs to reach a disk. */
    static const char options[] = "lowerdir=lower,upperdir=scratch/upper,workdir=scratch/work,volatile";
    place(root, "root");
    /* Relative paths, for the sandbox sees these words in its list of mounts. */
    if (chdir(template_mounts()) != 0 ||
        mount("sandbox", root, "overlay", MS_NOSUID | MS_NODEV, options) != 0) {
        plan_fail(p, "the overlay cannot be mounted");
    }
    mounts_base(p, root);
    proc_files_show(p, root);
    pivot(p, root);
    write_names(p);
}

void roots_enter_zygote(const plan *p) {
    char root[PATH_BYTES];
    char path[PATH_BYTES];
    place(root, "root");
    if (mount(p->template_place, root, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, root, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) != 0) {
        plan_fail(p, "the template cannot be shown to the zygote");
    }
    if (mount("proc", place(path, "root/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "/proc cannot be mounted for the zygote");
    }
    devices_make(p, root);
    /* Not chroot: then the kernel would let it enter no user namespace. */
    pivot(p, root);
}

static void bind_read_only(const plan *p, const char *source, const char *root, const char *target) {
    char path[PATH_BYTES];
    struct stat status;
    if (stat(source, &status) != 0 || !format(path, sizeof path, "%s%s", root, target)) {
        plan_fail(p, "a path that the command needs does not exist");
    }
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
    if (S_ISDIR(status.st_mode) ? make_directory(path, 0755) != 0
                                : (make_file(path, "", 0644) != 0)) {
        plan_fail(p, "a place for a path of the host cannot be made");
    }
    if (mount(source, path, NULL, MS_BIND | MS_REC, NULL) != 0 ||
        (!S_ISSOCK(status.st_mode) &&
         mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) != 0)) {
        plan_fail(p, "a path of the host cannot be shown");
    }
}

void roots_enter_binds(const plan *p) {
    char root[PATH_BYTES];
    place(root, "root");
    if (mount("sandbox", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64m,nr_inodes=4096") != 0) {
        plan_fail(p, "an empty root cannot be mounted");
    }
    for (int i = 0; p->spec->binds[i] != NULL; i++) {
        bind_read_only(p, p->spec->binds[i], root, p->spec->binds[i]);
    }
    char path[PATH_BYTES];
    format(path, sizeof path, "%s/tmp", root);
    if (make_directory(path, 01777) != 0 || chmod(path, 01777) != 0) {
        plan_fail(p, "/tmp cannot be made");
    }
    mounts_base(p, root);
    pivot(p, root);
}

void roots_prepare_bundle(const plan *p) {
    char path[PATH_BYTES];
    /* Two file systems: what the guest writes has an exact bound of its own. */
    if (mount("scratch", place(path, "scratch"), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=4m,nr_inodes=256") != 0) {
        plan_fail(p, "the scratch directory cannot be mounted");
    }
    make_below(p, "scratch/rootfs", 0755);
    make_below(p, "scratch/state", 0700);
    make_below(p, "scratch/layer", 0755);
    mount_layer(p, "scratch/layer", MS_NODEV);
    make_below(p, "scratch/layer/upper", 0755);
    make_below(p, "scratch/layer/work", 0755);
    /* The guest's /tmp: here it counts as disk. */
    make_below(p, "scratch/layer/tmp", 0755);
    if (chmod(place(path, "scratch/layer/tmp"), 01777) != 0) {
        plan_fail(p, "/tmp cannot be opened to all");
    }
    /* Writable, so that the runtime can make the places where it mounts things. */
    char options[2 * PATH_BYTES];
    format(options, sizeof options, "lowerdir=%s,upperdir=scratch/layer/upper,workdir=scratch/layer/work,volatile",
           p->template_place);
    if (chdir(template_mounts()) != 0 ||
        mount("rootfs", place(path, "scratch/rootfs"), "overlay", MS_NODEV, options) != 0) {
        plan_fail(p, "the template cannot be shown beside the command");
    }
    write_name_servers(p, place(path, "scratch/rootfs"));
    if (p->spec->config != NULL && make_file(place(path, "scratch/config.json"), p->spec->config, 0600) != 0) {
        plan_fail(p, "config.json cannot be written");
    }
    /* A fresh /proc, for the pid namespace is new. Nothing is mounted below it: then a runtime may mount its own. */
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        plan_fail(p, "/proc cannot be mounted for the command");
    }
    /* gVisor takes a namespace with this directory for the host's own, in which it refuses to have a network. */
    if (p->spec->network != 0 && mount("none", "/proc/sys/net", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) != 0) {
        plan_fail(p, "/proc/sys/net cannot be hidden from the command");
    }
    proc_files_show_memory(p);
    if (chdir(place(path, "scratch")) != 0) {
        plan_fail(p, "the scratch directory cannot be entered");
    }
}
