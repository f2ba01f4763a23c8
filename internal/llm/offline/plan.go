package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"agent/internal/llm"
)

// The tools that the guide knows how to call.
const (
	toolRead   = "read"
	toolWrite  = "write"
	toolEdit   = "edit"
	toolList   = "list"
	toolGlob   = "glob"
	toolSearch = "search"
	toolShell  = "shell"
)

// Their arguments.
type (
	readArgs struct {
		Path   string `json:"path"`
		Offset int    `json:"offset,omitempty"`
		Limit  int    `json:"limit,omitempty"`
	}
	writeArgs struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	editArgs struct {
		Path       string `json:"path"`
		Old        string `json:"old"`
		New        string `json:"new"`
		ReplaceAll bool   `json:"replace_all,omitempty"`
	}
	listArgs struct {
		Path  string `json:"path,omitempty"`
		Depth int    `json:"depth,omitempty"`
	}
	globArgs struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitempty"`
	}
	searchArgs struct {
		Pattern    string `json:"pattern"`
		Path       string `json:"path,omitempty"`
		Glob       string `json:"glob,omitempty"`
		IgnoreCase bool   `json:"ignore_case,omitempty"`
	}
	shellArgs struct {
		Command string `json:"command"`
	}
)

// maxCalls is how many calls of its own the guide makes in one turn at most,
// lest results it cannot recognise keep it going.
const maxCalls = 64

// call is a tool call that is still to be made.
type call struct {
	tool string
	args string // JSON
}

// record is a tool call that was made since the person spoke.
type record struct {
	id, tool string
	args     any
	result   *llm.Message
	used     bool
}

// outcome is what a call came to.
type outcome struct {
	text   string
	failed bool
	absent string // the tool that is not there; nothing was called
}

// ok reports whether the call did what it should.
func (o outcome) ok() bool { return !o.failed && o.absent == "" }

// refused reports whether the call was not allowed to run.
func (o outcome) refused() bool {
	return o.failed && strings.HasPrefix(strings.ToLower(strings.TrimSpace(o.text)), "refused")
}

// turn works through the requests of one prompt.
//
// It keeps no state between replies. Each time the requests are played from the
// first on: a call that was made before gives its result at once, one that was
// not is wanted, and once anything is wanted the reply is made of that.
type turn struct {
	tools   map[string]bool
	records []*record
	wanted  []call
	saying  string // what is said before the wanted calls, if anything
	told    bool   // what can be asked for stands in the conversation already
	stopped bool   // a change failed: nothing further is changed
}

func newTurn(req llm.Request) *turn {
	t := &turn{tools: map[string]bool{}, told: said(req.Messages, offer)}
	if req.ToolChoice.Mode != llm.ChoiceNone {
		for _, spec := range req.Tools {
			t.tools[spec.Name] = true
		}
	}
	from := 0
	for i, m := range req.Messages {
		if m.Kind == llm.User {
			from = i + 1
		}
	}
	byID := map[string]*record{}
	for _, m := range req.Messages[from:] {
		switch m.Kind {
		case llm.ToolCall:
			r := &record{id: m.ID, tool: m.Name, args: decoded(m.Input)}
			t.records, byID[m.ID] = append(t.records, r), r
		case llm.ToolResult:
			if r := byID[m.ID]; r != nil {
				r.result = &m
			}
		}
	}
	return t
}

// decoded is JSON made comparable.
func decoded(text []byte) any {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

// do returns what a call came to, or false if it is still to be made.
func (t *turn) do(tool string, args any) (outcome, bool) {
	if !t.tools[tool] {
		return outcome{absent: tool}, true
	}
	text, err := json.Marshal(args)
	if err != nil {
		return outcome{text: err.Error(), failed: true}, true
	}
	same := decoded(text)
	for _, r := range t.records {
		if !r.used && r.result != nil && r.tool == tool && reflect.DeepEqual(r.args, same) {
			r.used = true
			return outcome{text: r.result.Text, failed: r.result.IsError}, true
		}
	}
	if len(t.records) >= maxCalls {
		return outcome{text: fmt.Sprintf("not tried: this turn made %d calls already", len(t.records)), failed: true}, true
	}
	t.wanted = append(t.wanted, call{tool: tool, args: string(text)})
	return outcome{}, false
}

// play works through requests. It returns what there is to say about each, or
// true if calls are wanted first. What only reads is called side by side; what
// changes something waits for all before it.
func (t *turn) play(requests []request) ([]string, bool) {
	if len(requests) == 0 {
		return []string{t.welcome()}, false
	}
	var reports []string
	for _, r := range requests {
		if !reads(r.verb) {
			if len(t.wanted) > 0 {
				return nil, true
			}
			if t.stopped {
				reports = append(reports, "Not done, as something before it failed: "+code(r.said)+".")
				continue
			}
		}
		report, done := t.perform(r)
		switch {
		case done:
			reports = append(reports, report)
		case !reads(r.verb):
			return nil, true
		}
	}
	return reports, len(t.wanted) > 0
}

// reads reports whether a request changes nothing.
func reads(v verb) bool {
	switch v {
	case replace, create, store, extend, run, test, build:
		return false
	}
	return true
}

// perform does one request as far as it can. It is done when there is a report.
func (t *turn) perform(r request) (report string, done bool) {
	switch r.verb {
	case read:
		return t.single(r, toolRead, readRange(r), reportRead)
	case list:
		return t.single(r, toolList, listArgs{Path: cmp.Or(r.dir, ".")}, reportList)
	case glob:
		return t.single(r, toolGlob, globArgs{Pattern: r.glob, Path: r.dir}, reportGlob)
	case find:
		return t.single(r, toolSearch, searchArgs{Pattern: r.pattern, Path: r.path, Glob: r.glob, IgnoreCase: r.fold}, reportFind)
	case replace:
		return t.single(r, toolEdit, editArgs{Path: r.path, Old: r.old, New: r.new, ReplaceAll: r.all}, reportReplace)
	case create:
		return t.create(r)
	case store:
		return t.single(r, toolWrite, writeArgs{Path: r.path, Content: r.content}, reportCreate)
	case extend:
		return t.extend(r)
	case run:
		return t.single(r, toolShell, shellArgs{Command: r.command}, reportRun)
	case test, build:
		return t.check(r)
	case overview:
		return t.overview()
	case remove:
		return reportRemove(r), true
	case hello:
		return "Hello. " + t.welcome(), true
	case help:
		return t.welcome(), true
	}
	return t.puzzled(r), true
}

// single does a request that takes one call.
func (t *turn) single(r request, tool string, args any, tell func(request, outcome) string) (string, bool) {
	o, done := t.do(tool, args)
	if !done {
		return "", false
	}
	t.note(r, o)
	if o.ok() || tool == toolShell && o.absent == "" && !o.refused() {
		return tell(r, o), true
	}
	return trouble(r, o), true
}

// note remembers that a change failed.
func (t *turn) note(r request, o outcome) {
	if !reads(r.verb) && !o.ok() {
		t.stopped = true
	}
}

func readRange(r request) readArgs {
	a := readArgs{Path: r.path}
	if r.first > 1 {
		a.Offset = r.first
	}
	switch {
	case r.last >= max(r.first, 1):
		a.Limit = r.last - max(r.first, 1) + 1
	case r.first > 0:
		a.Limit = 1
	}
	return a
}

// extend reads a file and then lengthens its last lines by what is appended. As
// many of them are named as it takes to tell them from all others.
func (t *turn) extend(r request) (string, bool) {
	o, done := t.do(toolRead, readArgs{Path: r.path})
	if !done {
		return "", false
	}
	if !o.ok() {
		t.note(r, o)
		return trouble(r, o), true
	}
	file := numbered(o.text)
	notes := strings.Join(file.notes, "\n")
	if strings.Contains(notes, "offset") {
		t.stopped = true
		return fmt.Sprintf("%s is too long for me to see its end, so I appended nothing.", code(r.path)), true
	}
	newline := "\n"
	if strings.Contains(notes, "the lines end in CRLF") {
		newline = "\r\n"
	}
	args := editArgs{Path: r.path, New: r.content}
	if strings.TrimSpace(strings.Join(file.lines, "")) != "" {
		last, ok := tail(file.lines, newline)
		if !ok {
			t.stopped = true
			return fmt.Sprintf("The last lines of %s stand elsewhere in it too, so I appended nothing.", code(r.path)), true
		}
		more := strings.ReplaceAll(strings.TrimSuffix(r.content, "\n"), "\n", newline)
		args.Old, args.New = last, last+newline+more
	}
	return t.single(r, toolEdit, args, reportExtend)
}

// create makes a file and never replaces one: an edit of nothing fits a new or
// an empty file only. A file that is to be empty is looked for first.
func (t *turn) create(r request) (string, bool) {
	if r.content != "" && t.tools[toolEdit] {
		return t.single(r, toolEdit, editArgs{Path: r.path, New: r.content}, reportCreate)
	}
	o, done := t.do(toolRead, readArgs{Path: r.path, Limit: 1})
	switch {
	case !done:
		return "", false
	case o.ok():
		t.stopped = true
		return fmt.Sprintf("%s is there already, so I left it as it is.", code(r.path)), true
	}
	return t.single(r, toolWrite, writeArgs{Path: r.path, Content: r.content}, reportCreate)
}

// tail is the shortest run of last lines that stands in the file only once.
func tail(lines []string, newline string) (string, bool) {
	text := strings.Join(lines, newline)
	for i := len(lines) - 1; i >= 0; i-- {
		last := strings.Join(lines[i:], newline)
		if strings.TrimSpace(last) != "" && strings.Index(text, last) == strings.LastIndex(text, last) {
			return last, true
		}
	}
	return "", false
}
