package list

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Field is a full-screen text field with one line. A masked one shows only the number of its
// characters.
type Field struct {
	Keys        keys.Map
	St          *ink.Styles
	Head, Intro string // sanitized; Intro may be empty
	Masked      bool
	Enter       string // what Enter does: "test the key"
	Missing     string // says what to type, after Enter without a text
	// Gave takes the text, without blanks around it.
	Gave func(text string) tea.Cmd
	// Back is called when esc leaves the field; nil closes the list. Its command may be nil.
	Back func() tea.Cmd

	width, height int
	before, after []rune // the text around the cursor
	problem       string // why Enter did nothing
}

// Set replaces the text.
func (f *Field) Set(text string) { f.before, f.after = []rune(text), nil }

// Text returns the text, for display; empty if it is masked.
func (f *Field) Text() string {
	if f.Masked {
		return ""
	}
	return ink.SanitizeLine(string(f.before) + string(f.after))
}

// Restyle implements Overlay.
func (f *Field) Restyle(st *ink.Styles) { f.St = st }

// Update implements Overlay.
func (f *Field) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		f.width, f.height = msg.Width, msg.Height
	case tea.PasteMsg:
		f.insert(strings.TrimSpace(msg.Content))
	case Close:
		f.wipe()
		return nil, true
	case tea.KeyPressMsg:
		return f.press(msg)
	}
	return nil, false
}

// Give takes a text as if it was typed, and Enter.
func (f *Field) Give(text string) tea.Cmd {
	f.wipe()
	return f.Gave(strings.TrimSpace(text))
}

func (f *Field) press(msg tea.KeyPressMsg) (cmd tea.Cmd, over bool) {
	k := msg.String()
	is := func(a keys.Action) bool { return f.Keys.Is(k, a) }
	f.problem = ""
	switch {
	case is(keys.Send):
		text := string(f.before) + string(f.after)
		if strings.TrimSpace(text) == "" {
			f.problem = f.Missing
			return nil, false
		}
		return f.Give(text), true
	case is(keys.Interrupt):
		f.wipe()
		if f.Back == nil {
			return nil, true
		}
		return f.Back(), true
	case is(keys.Left) && len(f.before) > 0:
		last := len(f.before) - 1
		f.after = append([]rune{f.before[last]}, f.after...)
		f.before = f.before[:last]
	case is(keys.Right) && len(f.after) > 0:
		f.before, f.after = append(f.before, f.after[0]), f.after[1:]
	case is(keys.LineStart):
		f.before, f.after = nil, append(f.before, f.after...)
	case is(keys.LineEnd):
		f.before, f.after = append(f.before, f.after...), nil
	case is(keys.DeleteLeft) && len(f.before) > 0:
		f.before = f.before[:len(f.before)-1]
	case is(keys.DeleteRight) && len(f.after) > 0:
		f.after = f.after[1:]
	case is(keys.DeleteToStart):
		f.before = nil
	case is(keys.DeleteToEnd):
		f.after = nil
	case is(keys.DeleteWord), is(keys.DeleteWordLeft):
		text := strings.TrimRight(string(f.before), " ")
		f.before = []rune(text[:strings.LastIndexByte(text, ' ')+1])
	case msg.Text != "":
		f.insert(msg.Text)
	}
	return nil, false
}

// insert inserts a text, in one line.
func (f *Field) insert(text string) {
	f.before = append(f.before, []rune(strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", " "))...)
}

// wipe forgets the text.
func (f *Field) wipe() {
	clear(f.before)
	clear(f.after)
	f.before, f.after = nil, nil
}

// mostStars limits the stars of a masked text, so that it fits in one line.
const mostStars = 24

// line draws the text in at most width columns, and returns the column of the cursor.
func (f *Field) line(width int) (text string, cursor int) {
	if f.Masked {
		n := len(f.before) + len(f.after)
		stars := strings.Repeat("*", max(min(n, mostStars, width-1), 0))
		if n > 0 {
			text = f.St.Dim.Render("  " + strconv.Itoa(n) + " characters")
		}
		return stars + text, min(len(stars), len(f.before))
	}
	before, after := ink.SanitizeLine(string(f.before)), ink.SanitizeLine(string(f.after))
	for lipgloss.Width(before) > max(width-1, 0) {
		_, n := utf8.DecodeRuneInString(before)
		before = before[n:]
	}
	return before + after, lipgloss.Width(before)
}

// Lines implements Overlay.
func (f *Field) Lines() ([]string, *tea.Cursor) {
	room := max(f.width-ink.Gutter, 1)
	lines := []string{f.St.Dim.Render(ink.Truncate(f.Head, f.width))}
	const below = 5 // the field with blank lines around it, the problem and the hint
	lines = append(lines, introLines(f.Intro, f.width, f.height-1-below)...)
	lines = append(lines, "")
	text, at := f.line(room)
	cursor := tea.NewCursor(min(ink.Gutter+at, max(f.width-1, 0)), len(lines))
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	lines = append(lines, ink.Truncate(f.St.Cyan.Render(ink.MarkUser)+" "+text, f.width), "")
	if f.problem != "" {
		lines = append(lines, f.St.Yellow.Render(ink.Truncate("  "+f.problem, f.width)))
	}
	for len(lines) < f.height-1 {
		lines = append(lines, "")
	}
	esc := "esc back"
	if f.Back == nil {
		esc = "esc close"
	}
	hint := FitHints("enter "+f.Enter+" · "+esc+" · ctrl+c close", room)
	lines = append(lines[:max(min(len(lines), f.height-1), 0)], f.St.Dim.Render(ink.Truncate("  "+hint, f.width)))
	if cursor.Y >= f.height {
		return lines, nil
	}
	return lines, cursor
}

// introLines draws a text below the heading of a list, in at most limit lines.
func introLines(text string, width, limit int) []string {
	if text == "" || limit < 1 {
		return nil
	}
	lines := ink.Hang(" ", ink.Wrap(text, max(width-ink.Gutter, 1)))
	if len(lines) > limit {
		lines = append(lines[:limit-1], "  …")
	}
	return lines
}
