package undo

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"agent/internal/history/blobs"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/workspace"
)

// Plan is an undo that the user can approve. It changes nothing before it is applied.
type Plan struct {
	ID    string
	Redo  bool
	Turns []event.ChangedTurn // the steps to undo, newest first
	Items []Item              // what to restore, sorted by path
	// Conflicts stay as they are, because somebody else changed them. Their To is the state
	// that is not restored.
	Conflicts []Item
	Lost      []event.LostChange // what cannot be restored
	Ignored   int                // files that git ignores and that commands created; they stay
	Git       []string           // commands for the user that undo commits and switches of branches
	Why       string             // why Items is empty, for the user
	// Partial is set by Apply if an error, such as a full disk, kept it from restoring some of
	// the Items, but not all. They are restored if the user undoes the undo and repeats it.
	Partial bool

	steps       []string    // IDs of the steps
	turns       int         // how many of them are turns
	directories directories // those of the history included
	// repositories are those whose state the plan restores, or should. Their items are in Items,
	// too.
	repositories []repository
}

// Item is a path to restore.
type Item struct {
	Path    string // absolute
	Shown   string // for the user: relative to the workspace, if it lies there
	Now, To snapshot.State
	Merged  bool   // To has later changes by others, too
	content []byte // of To, if it is not in the pack
	linked  bool   // To is a name of a file with several hard links, and Now is not: see relink
	link    string // another name of the file of To, absolute; empty to write its content
	left    bool   // the steps left Now, so no change by others is lost if it cannot be stored
	unsaved string // why the content of Now cannot be kept, for the user; empty if it can be
}

// changeRun is what consecutive steps did to a path, without changes by others between
// them. A path has several if others changed it between steps.
type changeRun struct {
	before snapshot.State
	after  *snapshot.State // nil if unknown
	tool   bool            // a tool made the first of the changes
}

// changeRuns returns what steps did to each path, oldest first.
func changeRuns(steps []*step) map[string][]changeRun {
	all := map[string][]changeRun{}
	for _, s := range steps {
		for _, c := range s.changes {
			if !c.isChange() {
				continue
			}
			k := all[c.path]
			if n := len(k); n > 0 && (k[n-1].after == nil || k[n-1].after.Same(c.before) || c.follows) {
				k[n-1].after = c.after
			} else {
				k = append(k, changeRun{c.before, c.after, c.tool})
			}
			all[c.path] = k
		}
	}
	return all
}

// planner makes the items of a Plan.
type planner struct {
	pack    *blobs.Pack
	roots   *roots
	removes bool // see Back
	plan    *Plan
	items   map[string]*Item
	missing []Item // whose To is not restored, and may have another name: see holdLast

	repositories map[string]*repository // by their directory
}

// fill plans to restore the paths, which are sorted. runsOf returns the runs of a path.
func (w *planner) fill(ctx context.Context, paths []string, runsOf func(path string) []changeRun) error {
	w.items, w.repositories = map[string]*Item{}, map[string]*repository{}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.add(path, runsOf(path))
	}
	w.relink(paths)
	w.checkDirectories(paths)
	for w.holdLast(paths) {
		w.checkDirectories(paths)
	}
	w.finishRepositories(ctx, paths)
	slices.SortStableFunc(w.plan.Lost, func(a, b event.LostChange) int { return strings.Compare(a.Path, b.Path) })
	for _, path := range paths {
		if it := w.items[path]; it != nil {
			w.plan.Items = append(w.plan.Items, *it)
		}
	}
	return nil
}

// add plans to restore one path.
func (w *planner) add(path string, runs []changeRun) {
	at, ok := w.roots.at(path)
	if !ok {
		return
	}
	if at.repository != "" {
		w.addState(at, path, runs)
		return
	}
	runs = w.resolve(runs)
	last := runs[len(runs)-1]
	now := at.now(last.after)
	it := Item{Path: path, Shown: w.roots.show(path), Now: now.State, To: runs[0].before}
	it.left = last.after != nil && now.Same(*last.after)
	to, v := w.revert(now, runs)
	switch {
	case v.lost != "":
		w.lose(it, v.lost)
	case v.conflict:
		w.conflict(&it)
	case to.State.Same(it.Now):
	case to.Kind == snapshot.Absent && it.Now.Kind != snapshot.Dir && !runs[0].tool && !w.removes && at.isIgnored():
		w.plan.Ignored++
	case to.Kind == snapshot.File && to.content == nil && !to.isLinked(it.Now) && !w.pack.Has(to.Hash):
		w.lose(it, "its old content is no longer stored")
	default:
		it.To, it.content, it.linked, it.Merged = to.State, to.content, to.isLinked(it.Now), v.merged
		it.unsaved = at.unsaved(it.Now)
		w.items[path] = &it
	}
}

// resolve returns runs with the hashes of kept files.
func (w *planner) resolve(runs []changeRun) []changeRun {
	out := slices.Clone(runs)
	for i := range out {
		out[i].before = resolved(w.pack, out[i].before)
		if after := out[i].after; after != nil && after.Kept != "" {
			state := resolved(w.pack, *after)
			out[i].after = &state
		}
	}
	return out
}

// unsaved returns why the content of the file at p, in that state, cannot be kept; empty if it can be,
// and if it is no file.
func (p rootPath) unsaved(now snapshot.State) string {
	if now.Kind != snapshot.File || now.Hash != "" {
		return ""
	}
	if now.Size > snapshot.MaxFile {
		return snapshot.UnsavedSize
	}
	f, err := p.open.Open(p.rel)
	if err != nil {
		return "it cannot be read: " + workspace.Cause(err).Error()
	}
	_ = f.Close()
	return ""
}

// unsaved returns the items whose present content cannot be kept. It names the first of them.
func unsaved(items []Item) (all []event.LostChange) {
	more := 0
	for _, it := range items {
		switch {
		case it.unsaved == "":
		case len(all) < maxPaths:
			all = append(all, event.LostChange{Path: it.Shown, Why: it.unsaved})
		default:
			more++
		}
	}
	if more > 0 {
		all = append(all, event.LostChange{Why: phrase.Count(more, "more file")})
	}
	return all
}

func (w *planner) lose(it Item, why string) {
	w.plan.Lost = append(w.plan.Lost, event.LostChange{Path: it.Shown, Why: why})
	w.missing = append(w.missing, it)
}

// value is a state with the content of a file, if that is not in the pack.
type value struct {
	snapshot.State
	content []byte
}

// now returns the current state, in a form that can be compared with left.
func (p rootPath) now(left *snapshot.State) value {
	if left != nil && left.Kind == snapshot.File && left.Hash == "" {
		return value{State: p.look()}
	}
	var c capture
	s := p.capture(&c)
	if left != nil && left.Hash != "" && s.Kind == snapshot.File && s.Hash == "" && s.Size == left.Size && s.Size > snapshot.MaxFile {
		s = p.sum(s)
	}
	return value{State: s, content: c.content}
}

// sum returns the state of the file at p, which is s, with the hash of its content. The file can be too
// large to be copied, but not to be kept as a link.
func (p rootPath) sum(s snapshot.State) snapshot.State {
	f, err := p.open.Open(p.rel)
	if err != nil {
		return s
	}
	defer f.Close()
	if hash, size, err := (snapshot.Hashes{}).Put(f); err == nil && size == s.Size && p.look().Stamp == s.Stamp {
		s.Hash = hash
		if s.Lost == snapshot.UnsavedSize {
			s.Lost = ""
		}
	}
	return s
}

// verdict is the result of reverting the changes of a path.
type verdict struct {
	conflict, merged bool
	lost             string // why it cannot be restored
}

// revert returns now without the changes of runs.
func (w *planner) revert(now value, runs []changeRun) (value, verdict) {
	cur, all := now, verdict{}
	for _, r := range slices.Backward(runs) {
		next, v := w.revertRun(cur, r)
		if v.conflict || v.lost != "" {
			return cur, v
		}
		all.merged = all.merged || v.merged
		cur = next
	}
	return cur, all
}

// revertRun returns cur without the changes of r.
func (w *planner) revertRun(cur value, r changeRun) (value, verdict) {
	before := value{State: r.before}
	switch {
	case cur.Same(r.before):
		return cur, verdict{}
	case r.relinks(cur.State):
		return before, verdict{}
	case w.plan.Redo && r.replaced(cur.State):
		return before, verdict{}
	case r.before.Lost != "" && !(r.tool && inPlace(r.before, cur.State)):
		return cur, verdict{lost: r.before.Lost}
	case r.after == nil && cur.Kind == snapshot.File && cur.Hash == "":
		return cur, verdict{lost: "its current content cannot be stored: " + cur.Lost}
	case r.after == nil || cur.Same(*r.after):
		return before, verdict{}
	case cur.SameUnread(*r.after) && cur.Mode == r.after.Mode: // nobody knows more about it
		return before, verdict{}
	case cur.Kind != r.after.Kind:
		return cur, verdict{conflict: cur.Kind != r.before.Kind || cur.Kind != snapshot.Dir}
	case cur.Kind == snapshot.Dir && r.before.Kind == snapshot.Absent:
		return before, verdict{}
	case cur.Kind == snapshot.File && r.before.Kind == snapshot.File:
		return w.mergeFile(cur, r)
	case cur.Kind == snapshot.Dir && r.before.Kind == snapshot.Dir:
		return cur, verdict{conflict: r.after.Mode != r.before.Mode}
	}
	return cur, verdict{conflict: true}
}

// relinks reports whether r removed one of several hard links of a file, and nothing is at
// its path since.
func (r changeRun) relinks(cur snapshot.State) bool {
	return r.before.Lost == snapshot.UnsavedLinks && cur.Kind == snapshot.Absent && (r.after == nil || r.after.Kind == snapshot.Absent)
}

// replaced reports whether r, which is an undo, put what is at its path now in the place of a file
// whose content it stored. That file can always be written again.
func (r changeRun) replaced(cur snapshot.State) bool {
	return r.before.Kind == snapshot.File && r.before.Hash != "" && r.after != nil && cur.Same(*r.after) && !inPlace(r.before, cur)
}

// mergeFile reverts the changes that r made to the mode and the content of a file, and
// keeps those that somebody else has made since.
func (w *planner) mergeFile(cur value, r changeRun) (value, verdict) {
	out := cur
	switch {
	case cur.SameMode(*r.after):
		out.Mode, out.Denied = r.before.Mode, r.before.Denied
	case !r.before.SameMode(*r.after) && !cur.SameMode(r.before):
		return cur, verdict{conflict: true}
	}
	switch {
	case cur.SameContent(*r.after):
		if cur.Owner == r.after.Owner {
			out.Owner = r.before.Owner
		}
		out.State.Hash, out.Size, out.Stamp, out.Kept, out.content = r.before.Hash, r.before.Size, r.before.Stamp, r.before.Kept, nil
	case !r.before.SameContent(*r.after) && !cur.SameContent(r.before):
		text, ok := w.mergeText(cur, r)
		if !ok {
			return cur, verdict{conflict: true}
		}
		out.content = []byte(text)
		out.Hash, out.Size, _ = snapshot.Hashes{}.Put(bytes.NewReader(out.content))
		out.Stamp, out.Kept = "", ""
	}
	return out, verdict{merged: true}
}

// mergeText merges the contents of a file. It reports false if that is not possible.
func (w *planner) mergeText(cur value, r changeRun) (string, bool) {
	var texts [3]string
	for i, v := range []value{{State: *r.after}, cur, {State: r.before}} {
		content, err := w.content(v)
		if err != nil || !isText(content) {
			return "", false
		}
		texts[i] = string(content)
	}
	return merge(texts[0], texts[1], texts[2])
}

// content returns the content of a file of at most maxText bytes.
func (w *planner) content(v value) ([]byte, error) {
	if v.content != nil {
		return v.content, nil
	}
	if v.Size > maxText || v.Hash == "" {
		return nil, fmt.Errorf("the content is not stored")
	}
	return w.pack.Read(v.Hash)
}

// checkDirectories turns items that cannot be restored into conflicts, because another
// path is in the way. It drops the removal of directories that keep files.
func (w *planner) checkDirectories(paths []string) {
	for _, path := range slices.Backward(paths) { // the contents of a directory come before it
		it := w.items[path]
		if it == nil || it.Now.Kind != snapshot.Dir || it.To.Kind == snapshot.Dir || w.emptied(path) {
			continue
		}
		if it.To.Kind == snapshot.Absent {
			delete(w.items, path)
			continue
		}
		w.conflict(it)
	}
	for _, path := range paths {
		if it := w.items[path]; it != nil && it.To.Kind != snapshot.Absent && !w.hasDirectory(path) {
			w.conflict(it)
		}
	}
}

func (w *planner) conflict(it *Item) {
	w.plan.Conflicts = append(w.plan.Conflicts, *it)
	if it.To.Lost != "" {
		w.missing = append(w.missing, *it)
	}
	delete(w.items, it.Path)
}

// emptied reports whether the plan removes everything in a directory. The removal of
// subdirectories that keep files must have been dropped before.
func (w *planner) emptied(dir string) bool {
	at, _ := w.roots.at(dir)
	d, err := at.open.Open(at.rel)
	if err != nil {
		return false
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return false
	}
	for _, name := range names {
		if it := w.items[join(dir, name)]; it == nil || it.To.Kind != snapshot.Absent {
			return false
		}
	}
	return true
}

// hasDirectory reports whether the parents of path are directories after the undo, or
// can be created.
func (w *planner) hasDirectory(path string) bool {
	at, _ := w.roots.at(path)
	for i, c := range at.rel {
		if c != '/' {
			continue
		}
		parent := rootPath{root: at.root, rel: at.rel[:i]}
		if it := w.items[join(at.dir, parent.rel)]; it != nil {
			if it.To.Kind != snapshot.Dir && it.To.Kind != snapshot.Absent {
				return false
			}
			continue
		}
		if s, _ := snapshot.Look(parent.open, parent.rel); s.Kind != snapshot.Dir && s.Kind != snapshot.Absent {
			return false
		}
	}
	return true
}

// changesNothing reports whether nothing is left of the changes that the plan undoes.
func (p *Plan) changesNothing() bool {
	return len(p.Items)+len(p.Conflicts)+len(p.Lost)+p.Ignored == 0
}

// describe completes the plan for the user.
func (p *Plan) describe(h *history, steps []*step) {
	shown := steps
	if p.Redo && len(steps) > 0 {
		shown = h.named(steps[0].of)
	}
	p.ID, p.Turns = rand.Text(), summaries(shown)
	for _, s := range shown {
		if s.kind == kindTurn {
			p.turns++
		}
	}
	for _, s := range steps {
		p.steps = append(p.steps, s.id)
	}
	if h.damaged {
		p.Lost = append(p.Lost, event.LostChange{Why: "a part of the record of changes is damaged"})
	}
	slices.SortFunc(p.Conflicts, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	if len(p.Items) > 0 {
		return
	}
	p.Why = "the files are already in their earlier state"
	switch {
	case len(steps) > 0 && len(p.Conflicts) > 0:
		p.Why = "no change can be undone without a conflict"
		if p.Redo {
			p.Why = "no change can be redone without a conflict"
		}
	case len(steps) > 0 && len(p.Lost) > 0:
		p.Why = "the earlier state of the files cannot be restored"
	case len(steps) > 0 && p.Ignored > 0:
		p.Why = "only files that git ignores are left"
	case len(steps) > 0:
	case p.Redo:
		p.Why = "there is no undo to redo, or a later turn changed files"
	default:
		p.Why = "nothing is left to undo in this session. A fork undoes only its own changes"
	}
}
