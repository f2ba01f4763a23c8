//go:build amd64 || arm64

package watch

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"agent/internal/tools/snapshot"
)

// The limits of NewTurn. The open files of a job can be logs and databases, which would fill the
// store if each turn kept them.
const (
	maxOpen        = 2 << 20  // size in bytes of the largest file whose content is kept
	maxRead        = 64 << 20 // bytes of all files together
	maxDescriptors = 10_000   // that are examined
	maxListings    = 10       // of the processes of the command
)

// lostOpen is why a file cannot be restored to its state at the begin of a turn.
const lostOpen = "it was open for writing when the turn began, and is larger than 2 MB"

// NewTurn begins a new turn: paths that were kept before are kept again when they change. Paths that
// the command can change without a further call are kept now: those of calls that are not answered
// yet, and those of files that are open for writing. processes returns the IDs of the processes of
// the command.
func (k *keeper) NewTurn(processes func() []int) {
	k.links.unshareAll()
	again := map[string]bool{}
	k.mu.Lock()
	for path, e := range k.kept {
		if e.calls > 0 && k.order.wanted(path) {
			again[path] = true
		}
	}
	k.kept = map[string]*entry{}
	k.mu.Unlock()
	k.addOpen(processes, again) // the other calls have installed their descriptors by now
	left := int64(maxRead)
	for _, path := range slices.Sorted(maps.Keys(again)) {
		left -= k.keepAgain(path, left)
	}
}

// addOpen adds the paths of the files that processes have open for writing and whose changes are to
// be kept.
func (k *keeper) addOpen(processes func() []int, paths map[string]bool) {
	seen, left := map[int]bool{}, maxDescriptors
	for range maxListings { // a process that ends leaves its descriptors to its children
		known := len(seen)
		for _, id := range processes() {
			if seen[id] {
				continue
			}
			seen[id] = true
			dir := "/proc/" + strconv.Itoa(id) + "/fd/"
			open, _ := os.ReadDir(dir) // none if the process has ended, or cannot be inspected
			for _, fd := range open[:min(left, len(open))] {
				if path := k.openAt(dir + fd.Name()); path != "" {
					paths[path] = true
				}
			}
			left -= min(left, len(open))
		}
		if len(seen) == known {
			return
		}
	}
}

// openAt returns the path of the file to which a link in /proc leads, if the link stands for a
// descriptor that is open for writing, and changes of the path are to be kept.
func (k *keeper) openAt(link string) string {
	var info, file syscall.Stat_t
	if syscall.Lstat(link, &info) != nil || info.Mode&unix.S_IWUSR == 0 {
		return ""
	}
	path, err := readlink(link)
	if err != nil || !k.order.wanted(path) || !utf8.ValidString(path) || syscall.Stat(link, &file) != nil {
		return ""
	}
	// Only the command may see this path, and another file may have it by now.
	p, err := look(path)
	if err != nil || !p.file() || p.info.Ino != file.Ino || p.info.Dev != file.Dev {
		return ""
	}
	return path
}

// keepAgain adds the present state of a path to the store. It reads at most left bytes of a file, and
// returns how many. It refuses nothing: the next call that changes the path is checked, and keeps it,
// as if it had not been kept in this turn.
func (k *keeper) keepAgain(path string, left int64) (read int64) {
	p, err := look(path)
	if err != nil {
		return 0
	}
	var contents snapshot.Contents = k.store
	if p.info.Size > maxOpen {
		contents = snapshot.Hashes{}
	}
	before := snapshot.OfStat(&p.info)
	if p.file() && p.info.Size > left {
		before.Stamp = snapshot.StampOf(&p.info)
	} else {
		before = k.state(p, contents)
		read = before.Size
	}
	if before.Kind == snapshot.File && before.Lost == "" && p.info.Size > maxOpen {
		before.Lost = lostOpen
	}
	_ = k.put(path, before) // Problem has the error
	return read
}
