package transcript

import (
	"path"
	"strconv"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// foldCalls decides anew which of the calls of one reply are told of in one
// line: neighbours that only read, begin with the same verb and did not fail.
// Rows that look different from now on are touched.
func foldCalls(calls []*Row) {
	for i := 0; i < len(calls); {
		first := calls[i].Item.(*Tool)
		n := 1
		for i+n < len(calls) && folds(first, calls[i+n].Item.(*Tool)) {
			n++
		}
		if !foldable(first) {
			n = 1
		}
		regroup(calls[i : i+n])
		i += n
	}
}

// regroup makes the first of calls tell of all of them.
func regroup(calls []*Row) {
	first := calls[0].Item.(*Tool)
	tells := make([]*Tool, len(calls))
	changed := len(first.tells) != len(calls)
	for i, r := range calls {
		t := r.Item.(*Tool)
		tells[i] = t
		if t.head != first {
			t.head = first
			r.Touch()
			changed = true
		}
		if i > 0 {
			t.tells = nil
		}
	}
	first.tells = tells
	if changed {
		calls[0].Touch()
	}
}

func folds(first, next *Tool) bool {
	return next.joins && foldable(first) && foldable(next) && verb(first.Title) == verb(next.Title)
}

func foldable(t *Tool) bool {
	return t.Effect == "read" && !t.decided && len(t.todo) == 0 && (t.Stage == running || t.Stage == Finished && t.Outcome == event.OK)
}

func verb(title string) string {
	v, _, _ := strings.Cut(title, " ")
	return v
}

// foldedLine tells of several calls: "read 3 files   a.go, b.go, c.go".
func (t *Tool) foldedLine(c Canvas) string {
	var names []string
	lead := *t // runs as long as any of them does
	files := true
	for _, each := range t.tells {
		_, rest, _ := strings.Cut(each.Title, " ")
		names = append(names, rest)
		files = files && namesFile(each)
		lead.took = max(lead.took, each.took)
		if each.Stage == running {
			lead.Stage = running
		}
	}
	what := "×" + strconv.Itoa(len(t.tells))
	if files {
		what = phrase.Count(len(t.tells), "file")
	}
	left := ink.SanitizeLine(verb(t.Title) + " " + what + "   " + strings.Join(names, ", "))
	return lead.mark(c) + " " + lead.fields(c, left, "", lead.time(c))
}

// namesFile reports whether a call's title is about one file.
func namesFile(t *Tool) bool {
	return len(t.targets) == 1 && t.targets[0].Kind == "path" &&
		path.Ext(t.targets[0].Value) != "" && strings.Contains(t.Title, t.targets[0].Value)
}
