package dialog

import (
	"strings"

	"agent/internal/elicit"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// formText returns the question of a server in one line.
func formText(f *elicit.Form) string {
	verb := " asks you"
	if !f.AsksValue() {
		verb = " wants you to open a page"
	}
	return "The MCP server " + ExactLine(f.Server) + verb + ", during the call of " + ExactLine(phrase.Quoted(f.Tool))
}

// pageRows returns the rows of a page.
func pageRows() []Row {
	return []Row{
		{Digit: 1, Kind: Yes, Text: "Open the page in the browser"},
		{Digit: 2, Kind: Copy, Text: "Copy the URL, to open it yourself", Short: "Copy"},
		{Digit: 3, Kind: No, Text: "Decline"},
	}
}

// PageWarning warns about the host of a page that can imitate another one; empty if it
// cannot.
func PageWarning(f *elicit.Form) string {
	if strings.Contains("."+f.Host(), ".xn--") {
		return "the name of the host has letters of another alphabet, written as xn--: it may imitate another name"
	}
	return ""
}

// page draws the message of the server, and the page that it wants the user to open.
func (q served) page(width int) (out []string) {
	out = append(q.message(width), "host  "+q.st.Bold.Render(ExactLine(q.ask.Form.Host())))
	if w := PageWarning(q.ask.Form); w != "" {
		out = append(out, ink.RenderLines(q.st.Yellow, ink.Wrap("warning: "+w, width))...)
	}
	for i, l := range ink.WrapExact(q.ask.Form.URL, max(width-6, 1)) {
		head := "      "
		if i == 0 {
			head = "URL   "
		}
		out = append(out, head+l)
	}
	return out
}

// givePage agrees to open a page.
func (f *form) givePage(kind Kind) Result {
	page := f.question.ask.Form.URL
	r := f.give(event.Answer{Decision: event.Allow})
	if kind == Copy {
		r.Copy = page
	} else {
		r.Open = page
	}
	return r
}
