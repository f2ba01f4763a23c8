package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
)

// alike collects the names in a path that do not exist, each with the entries of its
// directory that look the same. A nil alike finds none.
type alike struct {
	pairs   []lookAlike
	several *lookAlike // the first name that looks like more than one entry
}

// lookAlike is a name and the paths that look the same, as a model writes them.
type lookAlike struct {
	name  string
	paths []string
}

// maxAlikeScan limits the entries of a directory that are compared with a name. In a
// larger directory no name looks the same.
const maxAlikeScan = 20_000

// find returns the only entry of the directory dir of t that looks like name, which does
// not exist there; "" for none.
func (a *alike) find(t *tree, dir, name string) string {
	if a == nil || len(name) > maxNameLength {
		return ""
	}
	f, err := t.root.Open(dir)
	if err != nil {
		return ""
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxAlikeScan + 1)
	if len(names) > maxAlikeScan {
		return ""
	}
	folded := Fold(name)
	names = slices.DeleteFunc(names, func(n string) bool { return n == name || Fold(n) != folded || t.isHidden(path.Join(dir, n)) })
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	found := lookAlike{name: name}
	for _, n := range names {
		found.paths = append(found.paths, t.show(path.Join(dir, n)))
	}
	if len(names) > 1 {
		a.several = &found
		return ""
	}
	a.pairs = append(a.pairs, found)
	return names[0]
}

// Fold returns a name or a path in the form in which those that look the same are equal:
// composed, and with one kind of space, quote and dash. Invisible characters are removed.
// Bytes that are not UTF-8 are Latin-1.
func Fold(name string) string {
	if isASCII(name) {
		return strings.ReplaceAll(name, "`", "'")
	}
	if !utf8.ValidString(name) {
		var text []rune
		for _, b := range []byte(name) {
			text = append(text, rune(b))
		}
		name = string(text)
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(name) {
		b.WriteString(foldRune(r))
	}
	return b.String()
}

// foldRune returns the text that stands for r in Fold.
func foldRune(r rune) string {
	switch {
	case unicode.Is(unicode.Zs, r):
		return " "
	case unicode.Is(unicode.Pd, r), r == '\u2212': // minus sign
		return "-"
	case strings.ContainsRune("`´ʹʻʼʽˈ‘’‚‛′‵‹›＇", r):
		return "'"
	case strings.ContainsRune("ʺ“”„‟″‶«»＂", r):
		return `"`
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return ""
	case r >= '\ufb00' && r <= '\ufb06': // ligatures
		return [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-'\ufb00']
	case r >= '\u2024' && r <= '\u2026': // one to three dots
		return strings.Repeat(".", int(r-'\u2023'))
	}
	return string(r)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// note tells the model which entries were used in place of its names; "" for none.
func (a *alike) note() string {
	var out []string
	for _, p := range a.pairs {
		out = append(out, fmt.Sprintf("No entry has the exact name %s. Used %s, which looks the same.", exactName(p.name), exactName(p.paths[0])))
	}
	return strings.Join(out, " ")
}

// checkNew returns an error if the file that a model calls name would look like another
// one, or d is a file that only looks like it.
func (a *alike) checkNew(name string, d *Draft) error {
	if a.several != nil && d.info == nil {
		return advice.Add(fmt.Errorf("%s does not exist, and %s looks like %s", name, exactName(a.several.name), a.several.list()), "Use edit for one of these, or another name")
	}
	if len(a.pairs) == 0 || d.info == nil {
		return nil
	}
	last := a.pairs[len(a.pairs)-1]
	if path.Base(last.paths[0]) != path.Base(d.Path) || path.Base(filepath.ToSlash(name)) != last.name {
		return nil
	}
	return advice.Add(fmt.Errorf("%s does not exist, but a file whose name looks the same does: %s", name, exactName(d.Path)),
		"To change that file, read it and use edit with the same path. Otherwise use another name")
}

// list returns the paths of l for an error.
func (l *lookAlike) list() string {
	var out []string
	for _, p := range l.paths[:min(len(l.paths), maxSimilar)] {
		out = append(out, exactName(p))
	}
	return strings.Join(out, " and ")
}

// exactName quotes a name, with escapes for the characters outside ASCII.
func exactName(name string) string { return phrase.Clip(strconv.QuoteToASCII(name), maxShown) }

// locateAlike is locate for a path whose names may look like those of existing files. Names
// in it that only look the same are replaced, and added to a.
func (w *Workspace) locateAlike(name string, a *alike) (*tree, string, error) {
	for range maxLinks {
		t, at, err := w.locate(name)
		if err != nil || t.kind != outsideTree || at == t.dir {
			return t, at, err
		}
		now, done, err := t.enter()
		if err != nil {
			return nil, "", err
		}
		found := len(a.pairs)
		p, err := now.walk(at, a)
		done()
		if err != nil || len(a.pairs) == found {
			return t, at, err
		}
		name = t.show(p) // it can lead to another tree
	}
	return nil, "", fmt.Errorf("%s has too many names that do not exist", phrase.Clip(name, maxShown))
}
