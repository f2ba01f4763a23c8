package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/markdown"
)

// The keys that edit a plan in the dialog.
const (
	editKey     = "ctrl+e"
	finishKey   = "ctrl+s"
	externalKey = "ctrl+x ctrl+e"
)

// planCommentRow is the row that rejects a plan with a comment.
const planCommentRow = "No, and tell the model what to change"

// planRows returns the rows of a plan.
func planRows() []Row {
	return []Row{
		{Digit: 1, Kind: Yes, Text: "Yes, and ask before each edit", Mode: event.ModeAsk},
		{Digit: 2, Kind: Yes, Text: "Yes, and continue in mode auto", Mode: event.ModeAuto},
		{Digit: 3, Kind: No, Text: "No, keep planning"},
		{Digit: 4, Kind: Comment, Text: planCommentRow},
	}
}

// Plan is the plan in a question. The user can change its text in the dialog or in
// their own editor. The zero Plan is that of a question without a plan.
type Plan struct {
	presented string
	text      string // as the user changed it
	make      func() *editor.Editor
	edit      *editor.Editor // nil until the user edits; its undo history outlives closing
	open      bool           // the editor has the focus
}

// newPlan returns the plan that a question presents; make makes its editor.
func newPlan(presented string, make func() *editor.Editor) Plan {
	return Plan{presented: presented, text: presented, make: make}
}

// Text returns the current text of the plan, which may still be edited in the dialog.
// It is empty if the question has no plan.
func (p *Plan) Text() string {
	if p.open {
		return strings.TrimRight(p.edit.Text(), "\n")
	}
	return p.text
}

// Edited returns the text of the plan if the user changed it, otherwise "". The change
// may be incomplete. It returns "" for a blank plan.
func (p *Plan) Edited() string {
	text := p.Text()
	if strings.TrimSpace(text) == "" || samePlan(text, p.presented) {
		return ""
	}
	return text
}

// Problem says why the plan cannot be approved. It is empty if it can be approved, or
// if there is no plan. Only a plan that the user changed is checked.
func (p *Plan) Problem() string {
	if !p.changed() {
		return ""
	}
	return plan.Problem(p.text)
}

// changed reports whether the user finished a change.
func (p *Plan) changed() bool { return p.text != p.presented }

// set replaces the text.
func (p *Plan) set(text string) {
	if p.text = text; samePlan(text, p.presented) {
		p.text = p.presented
	}
}

// begin opens the editor.
func (p *Plan) begin() {
	p.load()
	p.open = true
	p.edit.Mode.Begin()
}

// load puts the text into the editor. Undo brings a discarded edit back.
func (p *Plan) load() {
	switch e := p.edit; {
	case e == nil:
		p.edit = p.make()
		p.edit.Load(p.text)
	case !p.open && !samePlan(e.Text(), p.text):
		e.ReplaceAll(p.text)
	}
}

// lines draws the editor at that width, below a line with the state of the edit.
func (p *Plan) lines(st *ink.Styles, width, height int) ([]string, *tea.Cursor) {
	p.edit.Resize(width, max(height-1, 1))
	lines, cursor := p.edit.Lines()
	edited := ""
	if p.Edited() != "" {
		edited = "edited"
	}
	facts := slices.DeleteFunc([]string{p.edit.Mode.Name(), p.edit.HiddenLines(), edited}, func(fact string) bool { return fact == "" })
	title := st.Yellow.Render(ink.MarkAsked) + " " + st.Bold.Render("Edit the plan")
	cursor.Y++
	return append([]string{ink.Spread(title, strings.Join(facts, " · "), width)}, lines...), cursor
}

// samePlan reports whether a and b are the same plan. Editors change white space at the
// ends and drop control characters.
func samePlan(a, b string) bool {
	tidy := func(s string) string { return strings.TrimSpace(editor.Typable(s)) }
	return a == b || tidy(a) == tidy(b)
}

// Plan returns the plan in the first question.
func (d *Dialog) Plan() *Plan { return &d.form.question.plan }

// SetPlan replaces the plan in the question with that ID and closes its editor. It
// reports false if that question is not the first one.
func (d *Dialog) SetPlan(id, text string) bool {
	if d.form.question.ask.ID != id || d.form.question.ask.Plan == "" {
		return false
	}
	p := &d.form.question.plan
	p.load()
	d.form.typing, p.open = false, false
	p.edit.ReplaceAll(text) // undo brings the previous text back
	d.form.question.setPlan(strings.TrimRight(editor.UnixLines(text), "\n"))
	return true
}

// closePlan closes the editor of the plan. For a moment no key approves, because the
// user may still be typing.
func (f *form) closePlan() {
	f.question.plan.open = false
	f.attention.end.begin(f.attention.now())
}

// pressPlan handles a key while the plan is edited in the dialog.
func (f *form) pressPlan(msg tea.KeyPressMsg) Result {
	k, e := msg.String(), f.question.plan.edit
	page := max(f.question.height-3, 1)
	switch {
	case k == "esc" && !e.Mode.HandlesEscape() && !e.Selection.ByKeys():
		f.closePlan()
		if !samePlan(e.Text(), f.question.plan.text) {
			f.hint = "your edit was discarded · to get it back, " + editKey + ", then undo"
		}
	case k == finishKey, k != "enter" && f.keys.Is(k, keys.Send):
		f.question.setPlan(f.question.plan.Text())
		f.closePlan()
		f.hint = f.question.plan.Problem()
	case opensEditor(k, f.keys):
		return Result{EditPlan: true}
	case k == "pgup":
		e.MoveRows(-page)
	case k == "pgdown":
		e.MoveRows(page)
	case k == "enter", f.keys.Is(k, keys.Newline):
		e.Newline()
	default:
		e.Press(msg)
	}
	return Result{}
}

// opensEditor reports whether k opens the plan in the user's editor: the key that does
// so for the prompt, or its default.
func opensEditor(k string, m keys.Map) bool { return k == externalKey || m.Is(k, keys.Edit) }

// setPlan replaces the text of the plan.
func (q *question) setPlan(text string) {
	q.plan.set(text)
	q.body.lines, q.body.scroll = nil, 0
}

// planFacts draws the warnings and the plan, starting at line at of the body.
func (q *question) planFacts(width, at int) []string {
	warnings := WarningsOf(q.ask)
	if p := q.plan.Problem(); p != "" {
		warnings = append(warnings[:len(warnings):len(warnings)], p)
	}
	var out []string
	for _, w := range warnings {
		out = append(out, ink.RenderLines(q.st.Yellow, ink.Wrap("warning: "+ink.Sanitize(w), width))...)
	}
	md := markdown.New(q.st)
	md.SetText(q.plan.text)
	md.Finish()
	q.body.change = at + len(out)
	return append(out, md.Lines(width)...)
}
