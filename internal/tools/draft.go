package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// draft is a file as a call would leave it. Nothing is written before the call
// runs.
type draft struct {
	sight
	after   []byte   // nil if it is removed, or never comes to be
	like    sight    // the file whose mode and attributes it gets
	movedTo string   // where what it held goes
	notes   []string // what the model is told of it
	spelled []string // other names of it that lead through symbolic links
}

// drafts are the files that one call would change, in the order in which it
// names them.
type drafts struct {
	w     *Workspace
	known *Ledger
	files []*draft
	warn  []string
}

// open returns the draft of the file that a model calls name. It is refused if
// it is not what the model knows any more.
func (d *drafts) open(name string) (*draft, error) {
	s, err := d.w.look(name)
	if err != nil {
		return nil, err
	}
	spelled, err := d.w.relative(name)
	if err != nil {
		return nil, err
	}
	for _, f := range d.files {
		if f.path == s.path {
			f.spell(spelled)
			return f, nil
		}
		if f.info != nil && s.info != nil && os.SameFile(f.info, s.info) {
			return nil, fmt.Errorf("%s and %s are the same file: use one of the names for all changes of it", f.path, name)
		}
	}
	if err := d.known.stale(s); err != nil {
		return nil, err
	}
	f := &draft{sight: s, after: s.content, like: s}
	f.spell(spelled)
	d.files = append(d.files, f)
	return f, nil
}

// spell notes a name by which the model called the file.
func (f *draft) spell(name string) {
	if name != f.path && !slices.Contains(f.spelled, name) {
		f.spelled = append(f.spelled, name)
	}
}

// existing is open for a file that must be there.
func (d *drafts) existing(name string) (*draft, error) {
	f, err := d.open(name)
	switch {
	case err != nil:
		return nil, err
	case f.after != nil:
		return f, nil
	case f.info != nil:
		return nil, fmt.Errorf("%s is not there any more: it is deleted or moved further up", name)
	}
	return nil, d.w.notThere(name, f.path)
}

// overwrite gives f a whole new content. What a person has there must not be
// lost by a guess: where it is known what the model has read, it must be among
// that.
func (d *drafts) overwrite(f *draft, content []byte) error {
	_, _, _, read := d.known.knows(f.path)
	if len(f.content) > 0 && d.known != nil && !read {
		return fmt.Errorf("%s exists (%s, %s) and you have not read it: read it before you replace all that it holds, or use edit to change a part",
			f.path, phrase.Count(countLines(f.content), "line"), phrase.Bytes(int64(len(f.content))))
	}
	f.after = content
	return nil
}

// titled is a verb and the files of a call, for people: up to so many by name.
func titled(verb string, paths []string, named int) string {
	rest := len(paths) - named
	if rest <= 0 {
		return verb + " " + strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s %s and %s", verb, strings.Join(paths[:named], ", "), phrase.Count(rest, "more file"))
}

// call is the call that makes the drafts real. The first so many are named in
// its title.
func (d *drafts) call(verb string, named int) (Call, error) {
	d.files = slices.DeleteFunc(d.files, func(f *draft) bool {
		return (f.info == nil) == (f.after == nil) && bytes.Equal(f.content, f.after)
	})
	if len(d.files) == 0 {
		return Call{}, errors.New("after all of it every file would hold what it does now: there is nothing to change")
	}
	c := Call{Effect: Write, Warnings: d.warn}
	var paths []string
	for _, f := range d.files {
		paths = append(paths, f.path)
		c.Targets = append(c.Targets, Target{Kind: Path, Value: f.path, Spelled: f.spelled})
		c.Changes = append(c.Changes, Change{Path: f.path, Before: f.content, After: f.after})
		if f.info != nil && f.after != nil {
			c.Warnings = append(c.Warnings, cautions(f.path, f.info)...)
		}
	}
	c.Title = titled(verb, paths, named)
	c.Run = func(ctx context.Context, ok Approved) (Result, error) { return d.run(ctx, ok.Changes) }
	return c, nil
}

// run makes the changes that were approved.
func (d *drafts) run(ctx context.Context, approved []Change) (Result, error) {
	given := map[string]Change{}
	for _, c := range approved {
		given[c.Path] = c
	}
	var todo []*draft
	for _, f := range d.files {
		c, ok := given[f.path]
		switch {
		case !ok || c.After == nil && f.after != nil:
			continue
		case c.After == nil && f.movedTo != "" && given[f.movedTo].After == nil:
			continue // or what it holds would be nowhere
		}
		as := *f
		as.after = c.After
		todo = append(todo, &as)
	}
	if len(todo) == 0 {
		return Result{}, errors.New("no change was approved, so nothing was written")
	}
	// What is moved must never be nowhere.
	slices.SortStableFunc(todo, func(a, b *draft) int {
		switch {
		case a.after != nil && b.after == nil:
			return -1
		case a.after == nil && b.after != nil:
			return 1
		}
		return 0
	})
	done, err := d.w.put(ctx, todo)
	if !done {
		return Result{}, err
	}
	return d.written(todo), err
}

// written is the result of changes that were made, perhaps fewer or others than
// were asked for.
func (d *drafts) written(done []*draft) Result {
	var r Result
	var lines []string
	for _, asked := range d.files {
		i := slices.IndexFunc(done, func(f *draft) bool { return f.path == asked.path })
		if i < 0 {
			lines = append(lines, asked.path+" is as it was: the person did not approve that change.")
			continue
		}
		f := done[i]
		r.Changes = append(r.Changes, Change{Path: f.path, Before: f.content, After: f.after})
		text := f.said()
		switch {
		case !bytes.Equal(f.after, asked.after):
			text += " The person approved only a part of the change or another one: read the file before going on."
		case f.after != nil:
			text = strings.Join(append([]string{text}, f.notes...), " ")
			r.Reads = append(r.Reads, Reading{Path: f.path, Sum: sumOf(f.after), Content: f.after})
		}
		lines = append(lines, text)
	}
	r.Text = strings.Join(lines, "\n")
	r.Summary = phrase.Count(len(done), "file")
	if len(d.files) == 1 {
		r.Summary = done[0].summary()
	}
	return r
}

// said tells what has become of the file.
func (f *draft) said() string {
	verb := "changed"
	switch {
	case f.after == nil && f.movedTo != "":
		return fmt.Sprintf("moved %s to %s.", f.path, f.movedTo)
	case f.after == nil:
		return fmt.Sprintf("removed %s.", f.path)
	case f.info == nil:
		verb = "created"
	}
	return fmt.Sprintf("%s %s: it has %s now, %s.", verb, f.path, phrase.Count(countLines(f.after), "line"), phrase.Bytes(int64(len(f.after))))
}

func (f *draft) summary() string {
	if f.after == nil {
		return "removed"
	}
	return phrase.Count(countLines(f.after), "line")
}

// countLines counts a last line without a newline too.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
