package hunk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tools/charset"
)

// choice is the decision on one hunk. The zero choice rejects it.
type choice struct {
	accepted bool
	text     *string // what the user wrote instead; nil if the hunk is not edited
}

// choices returns the decision a on each of the hunks. It returns an error if a names a
// hunk twice, or one that does not exist or cannot be edited.
func choices(hunks []Hunk, a event.HunkAnswer) ([]choice, error) {
	out := make([]choice, len(hunks))
	set := func(i int, c choice) error {
		switch {
		case i < 0 || i >= len(hunks):
			return fmt.Errorf("%s has no hunk %d", a.Path, i)
		case out[i].accepted:
			return fmt.Errorf("hunk %d of %s is accepted twice", i, a.Path)
		case c.text != nil && hunks[i].Fixed:
			return fmt.Errorf("hunk %d of %s cannot be edited", i, a.Path)
		}
		out[i] = c
		return nil
	}
	for _, i := range a.Accepted {
		if err := set(i, choice{accepted: true}); err != nil {
			return nil, err
		}
	}
	for _, e := range a.Edited {
		if e.Text == "" {
			continue // rejected
		}
		if err := set(e.Hunk, choice{accepted: true, text: &e.Text}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Apply returns what the file before becomes if only the hunks that a accepts are
// applied. d is the Diff from before to after, whose encoding is kept. If a accepts none, Apply returns before.
func Apply(before, after []byte, d event.Diff, a event.HunkAnswer) ([]byte, error) {
	hunks := Of(d)
	chosen, err := choices(hunks, a)
	switch {
	case err != nil:
		return nil, err
	case hunks[0].Whole && chosen[0].text != nil:
		return []byte(*chosen[0].text), nil
	case hunks[0].Whole && chosen[0].accepted:
		return after, nil
	case !slices.ContainsFunc(chosen, func(c choice) bool { return c.accepted }):
		return before, nil
	}
	text, e := charset.Text(before) // as in the Diff
	lines := slices.Collect(strings.Lines(string(text)))
	var b strings.Builder
	at := 0
	for i, h := range hunks {
		end := h.at + h.size
		if h.at < at || end > len(lines) || strings.Join(lines[h.at:end], "") != h.old() {
			return nil, fmt.Errorf("hunk %d of %s does not match the file", i, d.Path)
		}
		b.WriteString(strings.Join(lines[at:h.at], ""))
		switch c := chosen[i]; {
		case !c.accepted:
			b.WriteString(h.old())
		case c.text == nil:
			b.WriteString(h.New())
		default:
			b.WriteString(*c.text)
			if end < len(lines) && lineEnd(*c.text) == "" {
				b.WriteString("\n") // the next line must not be joined with it
			}
		}
		at = end
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return e.Encode([]byte(b.String()))
}

// Pick returns the Diff of what Apply changes. Its Unified is empty if that is nothing.
// The decision a must be valid for d.
func Pick(d event.Diff, a event.HunkAnswer) event.Diff {
	hunks := Of(d)
	chosen, err := choices(hunks, a)
	out := d
	out.Unified, out.Added, out.Removed = "", 0, 0
	switch {
	case err != nil:
		return out
	case hunks[0].Whole && chosen[0].text != nil:
		out.Unified, out.Added, out.Removed = Unified("", *chosen[0].text)
		return out
	case hunks[0].Whole && chosen[0].accepted:
		return d
	}
	var b strings.Builder
	shift := 0 // how many lines the new file has more than the old one, so far
	for i, h := range hunks {
		if !chosen[i].accepted {
			continue
		}
		parts := []Hunk{h}
		if text := chosen[i].text; text != nil {
			edited, _, _ := Unified(h.old(), *text)
			parts = parse(edited)
			for j := range parts {
				parts[j].at += h.at
			}
		}
		for _, p := range parts {
			added, removed := p.Size()
			b.WriteString(p.header(shift))
			_, body, _ := strings.Cut(p.Unified, "\n")
			b.WriteString(body)
			shift += added - removed
			out.Added, out.Removed = out.Added+added, out.Removed+removed
		}
	}
	out.Unified = b.String()
	return out
}

// header returns the header of the hunk in a file that has shift more lines before it.
func (h Hunk) header(shift int) string {
	added, removed := h.Size()
	return "@@ -" + formatRange(h.at, h.size) + " +" + formatRange(h.at+shift, h.size+added-removed) + " @@\n"
}

func formatRange(at, size int) string {
	switch size {
	case 0:
		return strconv.Itoa(at) + ",0"
	case 1:
		return strconv.Itoa(at + 1)
	}
	return strconv.Itoa(at+1) + "," + strconv.Itoa(size)
}

// Decision returns a as it is stored. It must be valid for d.
func Decision(d event.Diff, a event.HunkAnswer) event.HunkDecision {
	out := event.HunkDecision{Path: d.Path, Comments: a.Comments}
	chosen, _ := choices(Of(d), a)
	for i, c := range chosen {
		switch {
		case c.text != nil:
			out.Edited = append(out.Edited, i)
		case c.accepted:
			out.Accepted = append(out.Accepted, i)
		default:
			out.Rejected = append(out.Rejected, i)
		}
	}
	return out
}
