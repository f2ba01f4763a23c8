package tui

// Markdown draws the markdown of one message while it streams in.
type Markdown struct {
	st    *Styles
	text  string
	width int
	lines []string
}

// NewMarkdown returns an empty Markdown drawn with st.
func NewMarkdown(st *Styles) *Markdown { return &Markdown{st: st} }

// Append adds a streamed piece.
func (m *Markdown) Append(text string) { m.text += text; m.lines = nil }

// SetText replaces all text.
func (m *Markdown) SetText(text string) { m.text = text; m.lines = nil }

// Finish says that nothing is appended any more.
func (m *Markdown) Finish() { m.lines = nil }

// Text returns all text as it came.
func (m *Markdown) Text() string { return m.text }

// Lines returns the text drawn within width columns. The caller must not
// modify it.
func (m *Markdown) Lines(width int) []string {
	if m.lines == nil || m.width != width {
		m.lines, m.width = Wrap(Sanitize(m.text), width), width
	}
	return m.lines
}
