package transcript

import (
	"path"
	"strconv"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// grouping holds the calls that share one line.
type grouping struct {
	joins bool    // the call directly follows another one of the same reply
	head  *Tool   // the call whose line shows this call
	group []*Tool // the calls shown on the line of this call, itself first
}

// isGrouped reports whether the line of another call shows this one.
func (t *Tool) isGrouped() bool { return t.head != nil && t.head != t }

// groupCalls shows adjacent calls of a reply on one line if they only read, have the
// same verb and did not fail. It touches the rows that change.
func groupCalls(calls []*Row) {
	for i := 0; i < len(calls); {
		first := calls[i].Item.(*Tool)
		n := 1
		for i+n < len(calls) && sharesLine(first, calls[i+n].Item.(*Tool)) {
			n++
		}
		if !groupable(first) {
			n = 1
		}
		regroup(calls[i : i+n])
		i += n
	}
}

// regroup shows calls on the line of the first one.
func regroup(calls []*Row) {
	first := calls[0].Item.(*Tool)
	changed := len(first.group) != len(calls)
	first.group = nil
	for _, r := range calls {
		t := r.Item.(*Tool)
		if t.head != first {
			t.head = first
			r.Touch()
			changed = true
		}
		t.group = nil
		first.group = append(first.group, t)
	}
	if changed {
		calls[0].Touch()
	}
}

// sharesLine reports whether next can share a line with first.
func sharesLine(first, next *Tool) bool {
	return next.joins && groupable(first) && groupable(next) && verb(first.Title) == verb(next.Title)
}

// groupable reports whether a call can share a line.
func groupable(t *Tool) bool {
	return t.Effect == event.ReadEffect && t.delegate == nil && !t.decided.byUser && len(t.todo) == 0 && t.plan == nil && (t.Stage == running || t.Stage == Finished && t.Outcome == event.OK)
}

// verb returns the first word of a title.
func verb(title string) string {
	v, _, _ := strings.Cut(title, " ")
	return v
}

// groupLine draws several calls in a line: "read 3 files   a.go, b.go, c.go".
func (t *Tool) groupLine(c Canvas) string {
	var names []string
	lead := *t // running while any call is
	files := true
	for _, each := range t.group {
		_, rest, _ := strings.Cut(each.Title, " ")
		names = append(names, rest)
		files = files && namesFile(each)
		lead.course.took = max(lead.course.took, each.course.took)
		if each.Stage == running {
			lead.Stage = running
		}
	}
	what := "×" + strconv.Itoa(len(t.group))
	if files {
		what = phrase.Count(len(t.group), "file")
	}
	left := ink.SanitizeLine(verb(t.Title) + " " + what + "   " + strings.Join(names, ", "))
	return lead.mark(c) + " " + lead.fields(c, left, "", lead.time())
}

// namesFile reports whether the title of a call names a single file.
func namesFile(t *Tool) bool {
	return len(t.targets) == 1 && t.targets[0].Kind == event.PathTarget &&
		path.Ext(t.targets[0].Value) != "" && strings.Contains(t.Title, t.targets[0].Value)
}
