package git

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
)

// Submodules returns the paths of the submodules in the index of a git directory, relative to
// the top directory, with slashes. If the index is split, it includes those of other parts
// that the directory holds, and isSplit is true. It runs no program.
func Submodules(dir string) (paths []string, isSplit bool) {
	b, err := readFile(filepath.Join(dir, "index"), maxIndex)
	if err != nil {
		return nil, false
	}
	paths = submodulesIn(b)
	if !bytes.Contains(b, []byte("link")) { // the name of an extension
		return paths, false
	}
	entries, _ := os.ReadDir(dir) // with an error, those that could be read
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "sharedindex.") {
			continue
		}
		isSplit = true
		if b, err := readFile(filepath.Join(dir, e.Name()), maxIndex); err == nil {
			paths = append(paths, submodulesIn(b)...)
		}
	}
	return paths, isSplit
}

// submodulesIn returns the paths of the submodules in an index. IDs have one of two lengths.
func submodulesIn(b []byte) []string {
	mode := binary.BigEndian.AppendUint32(nil, moduleMode)
	if len(b) < 12 || string(b[:4]) != "DIRC" || !bytes.Contains(b, mode) {
		return nil
	}
	for _, length := range []int{20, 32} {
		p := stagedParser{length: length, version: binary.BigEndian.Uint32(b[4:]), rest: b[12:]}
		var paths []string
		var err error
		for range binary.BigEndian.Uint32(b[8:]) {
			var e stagedEntry
			if e, err = p.next(); err != nil {
				break
			}
			if e.kind == moduleMode {
				paths = append(paths, e.Path)
			}
		}
		if err == nil {
			return paths
		}
	}
	return nil
}
