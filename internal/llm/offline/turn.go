package offline

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"agent/internal/llm"
)

// The arguments of the tools.
type (
	readArgs struct {
		Path   string `json:"path"`
		Offset int    `json:"offset,omitempty"`
		Limit  int    `json:"limit,omitempty"`
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
	searchArgs struct { // also of glob
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitempty"`
		Glob    string `json:"glob,omitempty"`
	}
	shellArgs struct {
		Command string `json:"command"`
	}
)

// call is a tool call.
type call struct {
	tool string
	args string // JSON
}

// outcome is the result of a call.
type outcome struct {
	text   string
	failed bool
	absent bool // there is no such tool and nothing was called
}

// ok reports whether the call succeeded.
func (o outcome) ok() bool { return !o.failed && !o.absent }

// rejected reports whether the call was not allowed to run. Logs of older
// versions say "refused".
func (o outcome) rejected() bool {
	text := strings.ToLower(strings.TrimSpace(o.text))
	return o.failed && (strings.HasPrefix(text, "refused") || strings.HasPrefix(text, "rejected") || strings.HasPrefix(text, "denied"))
}

// turn executes the request of one prompt.
//
// It keeps no state between replies. Each reply replays the request from the beginning:
// callTool returns the results of earlier calls in order, and the first call without a
// result ends the replay and becomes the reply's call.
type turn struct {
	prompt  string
	tools   map[string]bool
	results []outcome // results of this turn's calls, not yet consumed
	next    *call     // the next call to make
}

func newTurn(req llm.Request) *turn {
	t := &turn{tools: map[string]bool{}}
	if req.ToolChoice.Mode != llm.ChoiceNone {
		for _, spec := range req.Tools {
			t.tools[spec.Name] = true
		}
	}
	for _, m := range req.Messages {
		switch {
		case m.Kind == llm.User && !m.Note:
			t.prompt, t.results = m.Text, nil
		case m.Kind == llm.ToolResult && strings.HasPrefix(m.ID, callPrefix):
			t.results = append(t.results, outcome{text: m.Text, failed: m.IsError})
		}
	}
	return t
}

// callTool returns the result of a call, or false if the call has not been made
// yet.
func (t *turn) callTool(tool string, args any) (outcome, bool) {
	if !t.tools[tool] {
		return outcome{absent: true}, true
	}
	if len(t.results) > 0 {
		o := t.results[0]
		t.results = t.results[1:]
		return o, true
	}
	text, err := json.Marshal(args)
	if err != nil {
		return outcome{text: err.Error(), failed: true}, true
	}
	t.next = &call{tool: tool, args: string(text)}
	return outcome{}, false
}

// perform executes the request as far as possible. The report is only valid if no call is
// wanted.
func (t *turn) perform(r request) string {
	switch r.verb {
	case overview:
		return t.overview()
	case read:
		return t.single(r, readRange(r), reportRead)
	case list:
		return t.single(r, listArgs{Path: cmp.Or(r.path, ".")}, reportList)
	case glob:
		if !strings.Contains(r.glob, "/") {
			r.glob = "**/" + r.glob
		}
		return t.single(r, searchArgs{Pattern: r.glob, Path: r.path}, reportGlob)
	case find:
		if strings.ContainsAny(r.path, "*?[{") {
			r.path, r.glob = "", r.path
		}
		return t.single(r, searchArgs{Pattern: expression(r.pattern), Path: r.path, Glob: r.glob}, reportFind)
	case replace:
		return t.single(r, editArgs{Path: r.path, Old: r.old, New: r.new, ReplaceAll: r.all != ""}, reportReplace)
	case create:
		r.content = strings.TrimSuffix(r.content, "\n") + "\n"
		// An edit with empty old text fails if the file has content.
		return t.single(r, editArgs{Path: r.path, New: r.content}, reportCreate)
	case run:
		return t.single(r, shellArgs{Command: r.command}, reportRun)
	case test:
		return t.test(r)
	case talk:
		if r.says != "" {
			return r.says
		}
		return t.welcome()
	}
	return t.notUnderstood(r)
}

// single executes a request that takes one call.
func (t *turn) single(r request, args any, report func(request, outcome) string) string {
	o, done := t.callTool(r.tool, args)
	switch {
	case !done:
		return ""
	case o.ok() || r.verb == run && !o.absent && !o.rejected():
		return report(r, o)
	}
	return failure(r, o)
}

func readRange(r request) readArgs {
	a := readArgs{Path: r.path, Offset: r.first}
	if r.first > 0 {
		a.Limit = max(r.last-r.first, 0) + 1
	}
	return a
}

// expression returns the regular expression for s: the one between slashes, or
// the one that finds s literally.
func expression(s string) string {
	if n := len(s); n > 2 && s[0] == '/' && s[n-1] == '/' {
		return s[1 : n-1]
	}
	return regexp.QuoteMeta(s)
}
