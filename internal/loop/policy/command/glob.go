package command

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// MaxEntries limits the directory entries that are looked at to expand the wildcards of a line.
const MaxEntries = 50_000

// Look returns the kind of file at a path. It follows symbolic links.
func Look(path string) Entry {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Missing
	case info.IsDir():
		return Directory
	case info.Mode().IsRegular():
		return File
	}
	return Special
}

// Glob returns the files that match a wildcard pattern as bash does without extra
// options: * and ? do not match a leading dot, and ** is *. A backslash in the pattern
// quotes the next character. A relative pattern starts at dir, and so do the results.
// Glob does not know character classes such as [[:alpha:]]. It takes the entries that it looks at
// from budget, and fails if they are more. If dots is set, wildcards match a leading dot.
func Glob(dir, pattern string, budget *int, dots bool) ([]string, error) {
	if strings.Contains(pattern, "[[:") || strings.Contains(pattern, "[[.") || strings.Contains(pattern, "[[=") {
		return nil, errors.New("character classes are not supported")
	}
	root, rest := slashes(strings.ReplaceAll(pattern, "[!", "[^"))
	if root != "" {
		dir = ""
	}
	found := []string{root}
	for rest != "" {
		end := strings.IndexByte(rest+"/", '/')
		name := rest[:end]
		separator, after := slashes(rest[end:])
		var next []string
		for _, at := range found {
			names, err := level(dir, at, name, budget, dots)
			if err != nil {
				return nil, err
			}
			for _, n := range names {
				if separator == "" || isDir(join(dir, at+n)) {
					next = append(next, at+n+separator)
				}
			}
		}
		found, rest = next, after
	}
	slices.Sort(found)
	return found, nil
}

var errTooMany = errors.New("the directories have too many entries")

// slashes splits text after its leading slashes.
func slashes(text string) (leading, rest string) {
	rest = strings.TrimLeft(text, "/")
	return text[:len(text)-len(rest)], rest
}

// level returns the names in a directory that match one element of a pattern.
func level(dir, at, pattern string, budget *int, dots bool) (out []string, err error) {
	if *budget--; *budget < 0 {
		return nil, errTooMany
	}
	if !strings.ContainsAny(pattern, "*?[") {
		name := strings.ReplaceAll(pattern, `\`, "")
		if _, err := os.Lstat(join(dir, at+name)); err != nil {
			return nil, nil
		}
		return []string{name}, nil
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%q is not a pattern", pattern)
	}
	d, err := os.Open(join(dir, at))
	if err != nil {
		return nil, nil // as bash, which finds nothing there
	}
	defer d.Close()
	entries, _ := d.ReadDir(*budget + 1)
	if *budget -= len(entries); *budget < 0 {
		return nil, errTooMany
	}
	for _, e := range entries {
		if !dots && strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(strings.TrimPrefix(pattern, `\`), ".") {
			continue
		}
		if ok, _ := path.Match(pattern, e.Name()); ok {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

func join(dir, name string) string {
	if name == "" {
		return dir
	}
	return absolute(dir, name, false)
}

func isDir(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}
