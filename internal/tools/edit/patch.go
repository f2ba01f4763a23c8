package edit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// FileAction is what a patch does to one file: add, update (and optionally move)
// or delete it.
type FileAction struct {
	Kind    ActionKind
	Path    string
	MoveTo  string // of an Update; empty if the file is not moved
	Content []byte // of an Add
	Hunks   []Hunk // of an Update; empty if the file is only moved
}

// ActionKind is the kind of a FileAction.
type ActionKind string

// The kinds of FileAction.
const (
	Add    ActionKind = "Add"
	Update ActionKind = "Update"
	Delete ActionKind = "Delete"
)

// Hunk is a change at one place of a file.
type Hunk struct {
	Number int      // line of the patch at which it begins, from 1
	Inside []string // lines after @@, outermost first
	Lines  []Line
	AtEnd  bool // it is at the end of the file
}

// ParsePatch parses a patch between *** Begin Patch and *** End Patch, optionally
// in a here-document. Its errors contain line numbers.
func ParsePatch(text string) ([]FileAction, error) {
	p, err := newPatchReader(text)
	if err != nil {
		return nil, err
	}
	var out []FileAction
	for p.skipEmpty(); !p.done(); p.skipEmpty() {
		a, err := p.action()
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, errors.New("the patch is empty; put Add File, Update File or Delete File between *** Begin Patch and *** End Patch")
	}
	return out, nil
}

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
)

// patchReader parses the lines of a patch.
type patchReader struct {
	lines []string
	at    int
	first int // line number of lines[0], from 1
}

// hereDocument matches the first line of a patch that is written as a shell
// command.
var hereDocument = regexp.MustCompile(`^(?:apply_patch\s+|cat\s+)?<<-?\s*(['"]?)(\w+)(['"]?)$`)

// newPatchReader removes a here-document and the begin and end lines.
func newPatchReader(text string) (*patchReader, error) {
	if n := strings.Count(text, "\r\n"); n == strings.Count(text, "\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	p := &patchReader{lines: strings.Split(text, "\n"), first: 1}
	p.trim()
	if m := hereDocument.FindStringSubmatch(p.trimmed(0)); m != nil && m[1] == m[3] {
		p.drop(1)
		if p.trimmed(len(p.lines)-1) == m[2] {
			p.lines = p.lines[:len(p.lines)-1]
		}
		p.trim()
	}
	if p.trimmed(0) != beginPatch {
		return nil, fmt.Errorf("the first line of a patch must be %q, not %q", beginPatch, clip(p.trimmed(0)))
	}
	if last := p.trimmed(len(p.lines) - 1); last != endPatch {
		return nil, fmt.Errorf("the last line of a patch must be %q, not %q; if the patch was truncated, make smaller patches", endPatch, clip(last))
	}
	p.lines = p.lines[:len(p.lines)-1]
	p.drop(1)
	return p, nil
}

// trim removes empty lines at both ends.
func (p *patchReader) trim() {
	for len(p.lines) > 0 && p.trimmed(0) == "" {
		p.drop(1)
	}
	for len(p.lines) > 0 && p.trimmed(len(p.lines)-1) == "" {
		p.lines = p.lines[:len(p.lines)-1]
	}
}

func (p *patchReader) drop(n int) {
	p.lines, p.first = p.lines[n:], p.first+n
}

// trimmed returns line i without surrounding blanks, or "" if there is no such
// line.
func (p *patchReader) trimmed(i int) string {
	if i < 0 || i >= len(p.lines) {
		return ""
	}
	return strings.TrimSpace(p.lines[i])
}

func (p *patchReader) done() bool { return p.at >= len(p.lines) }

func (p *patchReader) skipEmpty() {
	for !p.done() && p.trimmed(p.at) == "" {
		p.at++
	}
}

func (p *patchReader) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %s", p.first+p.at, fmt.Sprintf(format, args...))
}

// action parses the action for one file.
func (p *patchReader) action() (FileAction, error) {
	line := p.trimmed(p.at)
	for header, kind := range map[string]ActionKind{addFile: Add, updateFile: Update, deleteFile: Delete} {
		path, ok := strings.CutPrefix(line, header)
		if !ok {
			continue
		}
		a := FileAction{Kind: kind, Path: strings.TrimSpace(path)}
		p.at++
		switch kind {
		case Add:
			a.Content = p.content()
			return a, nil
		case Update:
			return p.update(a)
		}
		return a, nil
	}
	return FileAction{}, p.errorf("%q is not a file header; use %q, %q or %q, and begin every line of an added file with +",
		clip(line), addFile+"path", updateFile+"path", deleteFile+"path")
}

// content parses the lines of an added file.
func (p *patchReader) content() []byte {
	out := []byte{}
	for ; !p.done() && strings.HasPrefix(p.lines[p.at], "+"); p.at++ {
		out = append(append(out, p.lines[p.at][1:]...), '\n')
	}
	return out
}

func (p *patchReader) update(a FileAction) (FileAction, error) {
	if to, ok := strings.CutPrefix(p.trimmed(p.at), moveTo); ok {
		a.MoveTo = strings.TrimSpace(to)
		p.at++
	}
	start := p.at
	for !p.done() && (len(a.Hunks) == 0 || strings.HasPrefix(p.lines[p.at], "@@")) && !strings.HasPrefix(p.lines[p.at], "*** ") {
		h, err := p.hunk()
		if err != nil {
			return a, err
		}
		if a.Hunks = append(a.Hunks, h); h.AtEnd {
			p.skipEmpty()
		}
	}
	if len(a.Hunks) == 0 && a.MoveTo == "" {
		p.at = start
		return a, p.errorf("the update of %s changes nothing; give lines that begin with a blank, - or +", a.Path)
	}
	return a, nil
}

// unifiedHeader matches the hunk header of a unified diff. Its line numbers are
// ignored.
var unifiedHeader = regexp.MustCompile(`^@@ -\d+(,\d+)? \+\d+(,\d+)? @@`)

// hunk parses one hunk. The first one may lack its @@ line.
func (p *patchReader) hunk() (Hunk, error) {
	h := Hunk{Number: p.first + p.at}
	for ; !p.done() && strings.HasPrefix(p.lines[p.at], "@@"); p.at++ {
		if unifiedHeader.MatchString(p.lines[p.at]) {
			continue
		}
		if inside := p.lines[p.at][2:]; strings.TrimSpace(inside) != "" {
			h.Inside = append(h.Inside, strings.TrimSpace(inside))
		}
	}
	changes := false
	for ; !p.done(); p.at++ {
		line := p.lines[p.at]
		if strings.TrimRight(line, blanks) == endOfFile {
			h.AtEnd = true
			p.at++
			break
		}
		if strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "*** ") {
			break
		}
		if strings.HasPrefix(line, `\ No newline`) {
			continue
		}
		if line == "" {
			line = " "
		}
		op := Op(line[0])
		if op != Keep && op != Drop && op != Insert {
			return h, p.errorf("%q is not a line of a hunk; begin it with a blank (unchanged), - (removed) or + (added)", clip(line))
		}
		changes = changes || op != Keep
		h.Lines = append(h.Lines, Line{op, line[1:]})
	}
	if !changes {
		return h, fmt.Errorf("line %d of the patch: the hunk changes nothing; give at least one line that begins with - or +", h.Number)
	}
	return h, nil
}
