package dialog

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
)

// fields is a form as the user has filled it in so far. Its rows are the fields, followed by
// a row that sends the form and one that declines.
type fields struct {
	all    []entry
	at     int   // the marked row, negative for none
	starts []int // first line of each row in the last drawing, and the end of the last row
	make   func() *editor.Editor

	choiceLine int // last line of the choice at the marker in the last drawing, negative for none
}

// entry is a field with its value.
type entry struct {
	elicit.Field
	edit    *editor.Editor // of a value that is typed, nil until its row is marked
	value   any            // of a value that is selected; nil for none
	at      int            // the marked choice of several that can be selected
	problem string         // why the value is not valid; empty until it was checked
}

// newFields returns an empty form with the defaults of its fields; nil if it has none,
// because it is about a page or no form at all.
func newFields(form *elicit.Form, make func() *editor.Editor) *fields {
	if form == nil || form.URL != "" {
		return nil
	}
	f := &fields{make: make}
	for _, field := range form.Fields {
		e := entry{Field: field, value: field.Default}
		if e.typed() && field.Default != nil {
			e.edit = make()
			e.edit.Restore(field.Show(field.Default))
		}
		f.all = append(f.all, e)
	}
	f.mark(0)
	return f
}

// typed reports whether the value of the field is typed and not selected.
func (e *entry) typed() bool {
	return e.Kind == elicit.Text || e.Kind == elicit.Number || e.Kind == elicit.Integer
}

// result returns the value of the field, nil for none, and notes why it is not valid.
func (e *entry) result() (value any, ok bool) {
	var err error
	switch list, _ := e.value.([]any); {
	case e.typed() && e.edit == nil:
		value, err = e.Parse("")
	case e.typed():
		value, err = e.Parse(e.edit.Text())
	case e.Kind == elicit.Some && len(list) == 0 && e.Required: // nothing is a selection, too
		value = []any{}
		err = e.Check(value)
	case e.Kind == elicit.Some && len(list) == 0:
		value = nil
	default:
		value = e.value
		err = e.Check(value)
	}
	if e.problem = ""; err != nil {
		e.problem = err.Error()
	}
	return value, err == nil
}

// choices returns what can be selected.
func (e *entry) choices() []elicit.Choice {
	if e.Kind == elicit.YesNo {
		return []elicit.Choice{{Value: "yes"}, {Value: "no"}}
	}
	return e.Choices
}

// selected reports whether choice i is selected.
func (e *entry) selected(i int) bool {
	switch v := e.value.(type) {
	case bool:
		return v == (i == 0)
	case []any:
		return slices.Contains(v, any(e.Choices[i].Value))
	case string:
		return v == e.Choices[i].Value
	}
	return false
}

// choose selects choice i, or deselects it if several can be selected.
func (e *entry) choose(i int) {
	if i < 0 || i >= len(e.choices()) {
		return
	}
	e.problem = ""
	switch e.Kind {
	case elicit.YesNo:
		e.value = i == 0
	case elicit.One:
		e.value = e.Choices[i].Value
	case elicit.Some:
		was := e.selected(i)
		var list []any
		for j, c := range e.Choices {
			if j == i && !was || j != i && e.selected(j) {
				list = append(list, c.Value)
			}
		}
		e.at, e.value = i, list
	}
}

// turn selects the next choice, or the previous one; of several that can be selected, it
// only moves the marker.
func (e *entry) turn(by int) {
	n := len(e.choices())
	if e.Kind == elicit.Some {
		e.at = (e.at + by + n) % n
		return
	}
	at := -1
	for i := range n {
		if e.selected(i) {
			at = i
		}
	}
	if at < 0 && by < 0 {
		at = 0
	}
	e.choose((at + by + n) % n)
}

// The rows below the fields.
func (f *fields) sendRow() int    { return len(f.all) }
func (f *fields) declineRow() int { return len(f.all) + 1 }

// mark marks a row.
func (f *fields) mark(row int) {
	f.at = max(0, min(row, f.declineRow()))
	if e := f.marked(); e != nil && e.typed() && e.edit == nil {
		e.edit = f.make()
	}
	if e := f.typing(); e != nil {
		e.MoveToEnd()
		e.Mode.Begin()
	}
}

// marked returns the field of the marked row; nil if there is none.
func (f *fields) marked() *entry {
	if f == nil || f.at < 0 || f.at >= len(f.all) {
		return nil
	}
	return &f.all[f.at]
}

// typing returns the editor of the marked row; nil if nothing is typed there.
func (f *fields) typing() *editor.Editor {
	if e := f.marked(); e != nil && e.typed() {
		return e.edit
	}
	return nil
}

// values returns the values of all fields. If one is not valid, it marks that field and
// reports false.
func (f *fields) values() (map[string]any, bool) {
	out, wrong := map[string]any{}, -1
	for i := range f.all {
		value, ok := f.all[i].result()
		switch {
		case !ok && wrong < 0:
			wrong = i
		case value != nil:
			out[f.all[i].Name] = value
		}
	}
	if wrong >= 0 {
		f.mark(wrong)
	}
	return out, wrong < 0
}

// outcome is the effect of a key on a form.
type outcome int

const (
	handled  outcome = iota
	outside          // no row is marked: the key is for the draft
	unused           // the marked row only takes enter
	sent             // the user sends the form
	declined         // the user declines it
)

// press handles a key.
func (f *fields) press(msg tea.KeyPressMsg, m keys.Map) outcome {
	k, typing := msg.String(), f.typing()
	switch {
	case k == "up" && (typing == nil || typing.CaretRow() == 0), k == "shift+tab":
		f.move(-1)
	case k == "down" || k == "tab":
		f.move(1)
	case f.at < 0:
		return outside
	case typing != nil && k != "enter" && m.Is(k, keys.Newline):
		typing.Newline()
	case k == "enter" || m.Is(k, keys.Send):
		return f.enter()
	case typing != nil:
		f.marked().problem = ""
		typing.Press(msg)
	case f.marked() != nil:
		f.marked().press(msg)
	default:
		return unused
	}
	return handled
}

// move moves the marker, from no row to the first one.
func (f *fields) move(by int) {
	if f.at < 0 {
		by = 1
	}
	f.mark(f.at + by)
}

// enter checks the value of the marked field and goes to the next row. On the rows below
// the fields it sends the form or declines it.
func (f *fields) enter() outcome {
	switch e := f.marked(); {
	case e != nil:
		if _, ok := e.result(); ok {
			f.mark(f.at + 1)
		}
		return handled
	case f.at == f.declineRow():
		return declined
	}
	return sent
}

// paste pastes text into the value that is typed. It reports whether there is one.
func (f *fields) paste(text string) bool {
	e := f.typing()
	if e == nil {
		return false
	}
	f.marked().problem = ""
	e.Paste(text)
	return true
}

// press handles a key for a value that is selected.
func (e *entry) press(msg tea.KeyPressMsg) {
	k := msg.String()
	n, err := strconv.Atoi(msg.Text)
	switch {
	case k == "left":
		e.turn(-1)
	case k == "right":
		e.turn(1)
	case k == "space" && e.Kind == elicit.Some:
		e.choose(e.at)
	case k == "space":
		e.turn(1)
	case k == "backspace" || k == "delete":
		e.value, e.problem = nil, ""
	case err == nil:
		e.choose(n - 1)
	case e.Kind == elicit.YesNo && strings.EqualFold(msg.Text, "y"):
		e.value = true
	case e.Kind == elicit.YesNo && strings.EqualFold(msg.Text, "n"):
		e.value = false
	}
}

// pressFields handles a key while a form is shown.
func (f *form) pressFields(msg tea.KeyPressMsg) Result {
	k, q := msg.String(), &f.question
	typing := q.fields.typing()
	switch {
	case k == "ctrl+g", f.full && k == "esc":
		f.full = !f.full
		return Result{}
	case k == "pgup" || k == "pgdown":
		q.body.press(k)
		return Result{}
	case k == "esc" && (typing == nil || !typing.Mode.HandlesEscape()), f.keys.Is(k, keys.Clear):
		if f.escRejects() {
			return f.give(event.Answer{Decision: event.Refuse})
		}
		return Result{Interrupt: true}
	}
	q.body.follows = true
	done := q.fields.press(msg, f.keys)
	f.typing = f.typing && done == outside
	switch {
	case done == outside && (msg.Text == "" || msg.Mod == keys.Virtual):
		return Result{Pass: ToScreen}
	case done == outside:
		return Result{Draft: msg.Text}
	case done == unused:
		f.hint = "enter confirms the marked row"
	case done == declined:
		return f.give(event.Answer{Decision: event.Refuse})
	case done == sent && !q.body.seen:
		f.hint = q.body.unread()
	case done == sent && !f.end.over(f.now()):
		f.hint = "enter is ignored for a moment, because the end of the form has just come into view"
	case done == sent:
		if values, ok := q.fields.values(); ok {
			return f.give(event.Answer{Decision: event.Answered, Values: values})
		}
	}
	return Result{}
}
