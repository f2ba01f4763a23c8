package transcript

import (
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// maxListed is the number of paths in a collapsed item.
const maxListed = 5

// filesChanged shows what a call, a typed command or jobs did to files.
func (f *Feed) filesChanged(ev *event.FilesChanged) {
	f.changed.add(ev)
	if row := f.reply.tools[ev.ID]; row != nil {
		f.reply.call(ev.ID, func(t *Tool) { t.changes = ev })
		row.end = f.list.Pages.Events() - 1
		return
	}
	if f.shell.changed(ev) {
		return
	}
	f.list.append(&Changed{FilesChanged: ev})
}

// changed shows the changes of the typed command that ended last. It reports false if ev
// is not about it.
func (s *shell) changed(ev *event.FilesChanged) bool {
	if s.ended == nil || s.ended.Item.(*ShellCommand).id != ev.ID {
		return false
	}
	s.ended.Item.(*ShellCommand).changes = ev
	s.ended.end = s.list.Pages.Events() - 1
	s.ended.Touch()
	return true
}

// Changed is an item for file changes without a call that shows them, such as those
// of jobs.
type Changed struct {
	*event.FilesChanged
	expandable
}

func (i *Changed) more() bool { return len(i.Paths) > 0 }

// Draw implements Item.
func (i *Changed) Draw(c Canvas) []string {
	return ink.Hang(" ", changeLines(c, i.FilesChanged, c.Inner(), i.Open || c.Full))
}

// ChangedText returns what was changed: "changed 3 files, +40 −2", and for jobs "jobs
// changed 1 file, +1 −0". It is empty if nothing was.
func ChangedText(ev *event.FilesChanged) string {
	if ev.Files == 0 {
		return ""
	}
	text := fmt.Sprintf("changed %s, +%d −%d", phrase.Count(ev.Files, "file"), ev.Added, ev.Removed)
	if ev.ID == "" {
		text = "jobs " + text
	}
	return text
}

// SumText returns what a turn did: "3 files, +40 −2, 1 command". It is empty if it changed
// no files.
func SumText(s event.ChangeSum) string {
	if s.Files == 0 {
		return ""
	}
	text := fmt.Sprintf("%s, +%d −%d", phrase.Count(s.Files, "file"), s.Added, s.Removed)
	if s.Commands > 0 {
		text += ", " + phrase.Count(s.Commands, "command")
	}
	return text
}

// LostText returns why a change cannot be undone, on one line.
func LostText(l event.LostChange) string {
	return "cannot be undone: " + ink.SanitizeLine(strings.TrimPrefix(l.Path+": ", ": ")+l.Why)
}

// UnkeptText says that an undo cannot be undone for a file, on one line.
func UnkeptText(l event.LostChange) string {
	return "content not kept: " + ink.SanitizeLine(strings.TrimPrefix(l.Path+": ", ": ")+l.Why)
}

// ConflictText says that a file was not restored, on one line.
func ConflictText(path string) string {
	return "conflict: " + ink.SanitizeLine(path) + " was changed since and stays as it is"
}

// changeLines draws file changes, with all paths if open is set.
func changeLines(c Canvas, ev *event.FilesChanged, width int, open bool) []string {
	var out []string
	if text := ChangedText(ev); text != "" {
		out = ink.RenderLines(c.Styles.Dim, ink.Wrap(ink.MarkDone+" "+text, width))
	}
	if open {
		out = append(out, pathLines(c, ev.Paths, ev.Files, len(ev.Paths), width)...)
	}
	return append(out, lostLines(c, ev.Lost, width, open)...)
}

// pathLines draws at most limit of the paths. all is the number of paths in total.
func pathLines(c Canvas, paths []string, all, limit, width int) []string {
	var out []string
	for _, p := range paths[:min(len(paths), limit)] {
		out = append(out, c.Styles.Dim.Render(ink.Truncate("  "+ink.SanitizeLine(p), width)))
	}
	if more := all - len(out); more > 0 {
		out = append(out, c.Styles.Dim.Render(ink.Truncate("  … "+phrase.Count(more, "more file"), width)))
	}
	return out
}

// lostLines draws changes that cannot be undone.
func lostLines(c Canvas, lost []event.LostChange, width int, open bool) []string {
	var out []string
	for i, l := range lost {
		if !open && i == maxListed {
			more := fmt.Sprintf("… and %s that cannot be undone", phrase.Count(len(lost)-i, "more change"))
			return append(out, c.Styles.Yellow.Render(ink.Truncate(more, width)))
		}
		out = append(out, ink.RenderLines(c.Styles.Yellow, ink.Wrap(LostText(l), width))...)
	}
	return out
}

// Undone is an item for an undo or a redo of file changes.
type Undone struct {
	*event.Undone
	expandable
}

func (u *Undone) more() bool { return true }

// Title returns what was done, on one line: "undid the changes of 2 turns: 3 paths
// restored, 1 conflict".
func (u *Undone) Title() string {
	verb, restored := "undid", "restored"
	if u.Redo {
		verb, restored = "redid", "changed"
	}
	text := verb + " changes"
	if u.Turns > 0 {
		text = verb + " the changes of " + phrase.Count(u.Turns, "turn")
	}
	var facts []string
	for _, f := range []struct {
		n    int
		what string
	}{{len(u.Restored), restored}, {len(u.Merged), "merged"}} {
		if f.n > 0 {
			facts = append(facts, phrase.Count(f.n, "path")+" "+f.what)
		}
	}
	if n := len(u.Conflicts); n > 0 {
		facts = append(facts, phrase.Count(n, "conflict"))
	}
	if facts == nil {
		facts = []string{"nothing " + restored}
	}
	return text + ": " + strings.Join(facts, ", ")
}

// Alerts returns the lines about files that were not restored. They are sanitized.
func (u *Undone) Alerts() []string {
	var out []string
	for _, p := range u.Conflicts {
		out = append(out, ConflictText(p))
	}
	for _, l := range u.Lost {
		out = append(out, LostText(l))
	}
	for _, l := range u.Unsaved {
		out = append(out, UnkeptText(l))
	}
	return out
}

// Rest returns the lines about what else stays. They are sanitized.
func (u *Undone) Rest() []string {
	var out []string
	if len(u.Merged) > 0 {
		out = append(out, "merged with later changes: "+ink.SanitizeLine(strings.Join(u.Merged, ", ")))
	}
	return append(out, RestLines(u.Ignored, u.Git)...)
}

// RestLines returns the lines about ignored files that stay, and about git commands that
// the user can run. They are sanitized.
func RestLines(ignored int, git []string) []string {
	var out []string
	if ignored > 0 {
		out = append(out, "kept: "+phrase.Count(ignored, "ignored file")+" created by commands")
	}
	if len(git) > 0 {
		out = append(out, "Commits and branch switches stay. To undo them, run:")
		for _, g := range git {
			out = append(out, "  "+ink.SanitizeLine(g))
		}
	}
	return out
}

// Draw implements Item.
func (u *Undone) Draw(c Canvas) []string {
	width, open := max(c.Width-4, 1), u.Open || c.Full
	limit := maxListed
	if open {
		limit = len(u.Restored)
	}
	lines := pathLines(c, u.Restored, len(u.Restored), limit, width)
	for i, l := range u.Alerts() {
		if !open && i == 2*maxListed {
			more := phrase.Count(len(u.Conflicts)+len(u.Lost)-i, "more file")
			lines = append(lines, c.Styles.Yellow.Render(ink.Truncate("… and "+more+" not restored", width)))
			break
		}
		lines = append(lines, ink.RenderLines(c.Styles.Yellow, ink.Wrap(l, width))...)
	}
	for _, l := range u.Rest() {
		lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap(l, width))...)
	}
	out := ink.Hang(c.Styles.Green.Render(ink.MarkDone), ink.Wrap(u.Title(), c.Inner()))
	for _, l := range lines {
		out = append(out, "  "+l)
	}
	return out
}
