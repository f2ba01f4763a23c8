//go:build amd64 || arm64

package watch

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// foreignMounts returns the IDs of the mounts of a thread that show other files than this process
// finds at the same paths, such as a temporary directory of its own, or nothing where the workspace
// of another agent is hidden. Other commands can rename what is in roots meanwhile, or make it
// unreadable: there a mount of the same file system is never foreign, and an error proves nothing.
func foreignMounts(t task, roots []string) map[uint64]bool {
	all := map[uint64]bool{}
	text, err := os.ReadFile(string(t) + "/mountinfo")
	if err != nil {
		return all
	}
	devices := map[uint64]bool{} // of the roots
	for _, root := range roots {
		var own unix.Stat_t
		if unix.Lstat(root, &own) == nil {
			devices[own.Dev] = true
		}
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		path := unescape(fields[4])
		seen, ok := statMount(t.seen(path))
		inRoot := slices.ContainsFunc(roots, func(root string) bool { return path == root || below(path, root) })
		if !ok || inRoot && devices[unix.Mkdev(seen.Dev_major, seen.Dev_minor)] {
			continue
		}
		var own unix.Stat_t
		switch err := unix.Lstat(path, &own); {
		case err == nil && (own.Ino != seen.Ino || own.Dev != unix.Mkdev(seen.Dev_major, seen.Dev_minor)), err == unix.ENOENT && !inRoot:
			all[seen.Mnt_id] = true
		}
	}
	return all
}

// statMount returns the inode and the mount of a path.
func statMount(path string) (info unix.Statx_t, ok bool) {
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_MNT_ID, &info)
	return info, err == nil && info.Mask&unix.STATX_MNT_ID != 0
}

// unescape returns a path of mountinfo, in which white space and backslashes are octal.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}
