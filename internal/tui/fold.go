package tui

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
func foldCalls(calls []*row) {
	for i := 0; i < len(calls); {
		first := calls[i].item.(*tool)
		n := 1
		for i+n < len(calls) && folds(first, calls[i+n].item.(*tool)) {
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
func regroup(calls []*row) {
	first := calls[0].item.(*tool)
	tells := make([]*tool, len(calls))
	changed := len(first.tells) != len(calls)
	for i, r := range calls {
		t := r.item.(*tool)
		tells[i] = t
		if t.head != first {
			t.head = first
			r.touch()
			changed = true
		}
		if i > 0 {
			t.tells = nil
		}
	}
	first.tells = tells
	if changed {
		calls[0].touch()
	}
}

func folds(first, next *tool) bool {
	return next.joins && foldable(first) && foldable(next) && verb(first.title) == verb(next.title)
}

func foldable(t *tool) bool {
	return t.effect == "read" && !t.decided && len(t.todo) == 0 && (t.stage == running || t.stage == finished && t.outcome == event.OK)
}

func verb(title string) string {
	v, _, _ := strings.Cut(title, " ")
	return v
}

// foldedLine tells of several calls: "read 3 files   a.go, b.go, c.go".
func (t *tool) foldedLine(c canvas) string {
	var names []string
	lead := *t // runs as long as any of them does
	files := true
	for _, each := range t.tells {
		_, rest, _ := strings.Cut(each.title, " ")
		names = append(names, rest)
		files = files && namesFile(each)
		lead.took = max(lead.took, each.took)
		if each.stage == running {
			lead.stage = running
		}
	}
	what := "×" + strconv.Itoa(len(t.tells))
	if files {
		what = phrase.Count(len(t.tells), "file")
	}
	left := ink.SanitizeLine(verb(t.title) + " " + what + "   " + strings.Join(names, ", "))
	return lead.mark(c) + " " + lead.fields(c, left, "", lead.time(c))
}

// namesFile reports whether a call's title is about one file.
func namesFile(t *tool) bool {
	return len(t.targets) == 1 && t.targets[0].Kind == "path" &&
		path.Ext(t.targets[0].Value) != "" && strings.Contains(t.title, t.targets[0].Value)
}
