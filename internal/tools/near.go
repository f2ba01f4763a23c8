package tools

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Looking for near names is a courtesy: it stops at so many entries, and names
// so many.
const (
	maxNearEntries = 5000
	maxNearNames   = 3
)

// notThere says that p does not exist, from which directory on, and what is
// called nearly so there.
func (w *Workspace) notThere(name, p string) error {
	dir, base := path.Dir(p), path.Base(p)
	for dir != "." {
		if _, err := w.root.Stat(dir); err == nil {
			break
		}
		dir, base = path.Dir(dir), path.Base(dir)
	}
	what := "the directory " + dir
	switch {
	case w.prefix != "":
		what = "the directory of this session's outputs"
	case dir == ".":
		what = "the working directory"
	}
	msg := fmt.Sprintf("%s does not exist: there is no %s in %s.", name, base, what)
	if near := w.near(dir, base); len(near) > 0 {
		return fmt.Errorf("%s Near names there: %s", msg, strings.Join(near, ", "))
	}
	return fmt.Errorf("%s Use list or glob to find it", msg)
}

// near returns the paths in dir whose last element is most like base.
func (w *Workspace) near(dir, base string) []string {
	f, err := w.root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxNearEntries)
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, n := range names {
		if far := distance(strings.ToLower(n), strings.ToLower(base)); far <= max(len(base)/3, 1) {
			found = append(found, candidate{w.show(path.Join(dir, n)), far})
		} else if len(base) > 2 && stem(n) == stem(base) {
			found = append(found, candidate{w.show(path.Join(dir, n)), len(base)})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, c := range found[:min(len(found), maxNearNames)] {
		out = append(out, c.name)
	}
	return out
}

func stem(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
}

// distance is the number of bytes to insert, remove, replace, or swap with the
// next to make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			same := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				same++
			}
			best := min(same, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				best = min(best, rows[i-2][j-2]+1)
			}
			rows[i][j] = best
		}
	}
	return rows[len(a)][len(b)]
}
