package workspace

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// Looking for near names is a courtesy: it stops at so many entries, and names
// so many.
const (
	maxNearEntries = 5000
	maxNearName    = 255 // bytes; no file system has longer names
	maxNearNames   = 3
)

// notThere says that p does not exist, from which directory on, and what is
// called nearly so there.
func (t *tree) notThere(name, p string) error {
	dir, base := path.Dir(p), path.Base(p)
	for dir != "." {
		if _, err := t.root.Stat(dir); err == nil {
			break
		}
		dir, base = path.Dir(dir), path.Base(dir)
	}
	what := "the directory " + dir
	switch {
	case t.outputs:
		what = "the directory of this session's outputs"
	case dir == ".":
		what = "the working directory"
	}
	msg := fmt.Sprintf("%s does not exist: there is no %s in %s.", name, base, what)
	if near := t.near(dir, base); len(near) > 0 {
		return fmt.Errorf("%s Near names there: %s", msg, strings.Join(near, ", "))
	}
	return fmt.Errorf("%s Use list or glob to find it", msg)
}

// near returns the paths in dir whose last element is most like base.
func (t *tree) near(dir, base string) []string {
	if len(base) > maxNearName {
		return nil
	}
	f, err := t.root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxNearEntries)
	distance := map[string]int{}
	for _, n := range names {
		if far := phrase.Distance(strings.ToLower(n), strings.ToLower(base)); far <= max(len(base)/3, 1) {
			distance[t.show(path.Join(dir, n))] = far
		} else if len(base) > 2 && stem(n) == stem(base) {
			distance[t.show(path.Join(dir, n))] = len(base)
		}
	}
	found := slices.SortedFunc(maps.Keys(distance), func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b))
	})
	return found[:min(len(found), maxNearNames)]
}

func stem(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
}
