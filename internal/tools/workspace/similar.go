package workspace

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
)

// The limits of a search for similar names.
const (
	maxSimilarScan = 5000
	maxNameLength  = 255 // bytes; longer names exist in no file system
	maxSimilar     = 3
)

// notFound returns the error for a missing file p, with similar paths in the
// deepest directory of p that exists. name is what the model wrote.
func (t *tree) notFound(name, p string) error {
	name = t.temp.Shown(name)
	if t.kind == outsideTree || t.root == nil { // similar names would show what is there before that is approved
		return fmt.Errorf("%s does not exist", name)
	}
	dir, base := path.Dir(p), path.Base(p)
	for dir != "." {
		if _, err := t.root.Stat(dir); err == nil {
			break
		}
		dir, base = path.Dir(dir), path.Base(dir)
	}
	what := "directory " + dir
	switch {
	case t.kind == outputsTree:
		what = "the outputs directory of this session"
	case t.kind == temporaryTree:
		what = "directory " + t.show(dir)
	case dir == ".":
		what = "the working directory"
	}
	err := fmt.Errorf("%s does not exist", name)
	if same := t.sameName(p); len(same) > 0 {
		return advice.Add(err, "There is no %s in %s. Of the same name: %s", base, what, strings.Join(same, ", "))
	}
	if similar := t.similarPaths(dir, base); len(similar) > 0 {
		return advice.Add(err, "There is no %s in %s. Similar names: %s", base, what, strings.Join(similar, ", "))
	}
	return advice.Add(err, "There is no %s in %s. Use glob or list to find the file", base, what)
}

// sameName returns the paths of other files with the name of p, those with the most
// elements of p first. It looks at a limited number of directories, those near the
// top first, without hidden ones.
func (t *tree) sameName(p string) []string {
	if t.kind != workspaceTree || len(path.Base(p)) > maxNameLength {
		return nil
	}
	var found []string
	folded := Fold(path.Base(p))
	left := maxSimilarScan
	for dirs := []string{"."}; len(dirs) > 0 && left > 0; dirs = dirs[1:] {
		f, err := t.root.Open(dirs[0])
		if err != nil {
			continue
		}
		entries, _ := f.ReadDir(left)
		_ = f.Close() // only read
		left -= len(entries) + 1
		for _, e := range entries {
			at := path.Join(dirs[0], e.Name())
			switch {
			case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" && !t.isHidden(at):
				dirs = append(dirs, at)
			case e.Type().IsRegular() && Fold(e.Name()) == folded && !t.isHidden(at):
				found = append(found, at)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(commonEnd(b, p), commonEnd(a, p)), cmp.Compare(a, b))
	})
	found = found[:min(len(found), maxSimilar)]
	for i, f := range found {
		if path.Base(f) != path.Base(p) {
			found[i] = exactName(f)
		}
	}
	return found
}

// commonEnd returns how many elements at the ends of two paths are equal.
func commonEnd(a, b string) int {
	n := 0
	for a != "." && b != "." && path.Base(a) == path.Base(b) {
		a, b = path.Dir(a), path.Dir(b)
		n++
	}
	return n
}

// similarPaths returns the paths in dir whose last element is most similar to
// base.
func (t *tree) similarPaths(dir, base string) []string {
	if len(base) > maxNameLength {
		return nil
	}
	f, err := t.root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxSimilarScan)
	distance := map[string]int{}
	folded := strings.ToLower(Fold(base))
	for _, n := range names {
		far := phrase.Distance(strings.ToLower(Fold(n)), folded)
		if Fold(n) == Fold(base) {
			distance[exactName(t.show(path.Join(dir, n)))] = far
		} else if far <= max(len(base)/3, 1) {
			distance[t.show(path.Join(dir, n))] = far
		} else if len(base) > 2 && stem(n) == stem(base) {
			distance[t.show(path.Join(dir, n))] = len(base)
		}
	}
	found := slices.SortedFunc(maps.Keys(distance), func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b))
	})
	return found[:min(len(found), maxSimilar)]
}

func stem(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
}
