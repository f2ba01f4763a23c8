package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// shortOutput is the number of lines above which output is collapsed.
const shortOutput = 8

// Markdown writes a session as GitHub Markdown: a heading for each prompt, answers as
// they are, thinking and long outputs collapsed.
func Markdown(w io.Writer, s Session) error {
	m := markdown{bufio.NewWriter(w)}
	m.head(s.Header, s.title())
	for i := range items(s.Events) {
		m.item(i)
	}
	return m.Flush()
}

// markdown writes the parts of a document. Flush returns the first error.
type markdown struct{ *bufio.Writer }

func (m markdown) head(h history.Header, title string) {
	fmt.Fprintf(m, "# %s\n\n", literal(title))
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(m, "- %s: %s\n", name, codeSpan(value))
		}
	}
	field("Session", h.ID)
	if h.Agent != "" {
		field("Agent", h.Agent)
		field("Delegate of", h.Parent)
	} else {
		field("Forked from", h.Parent)
	}
	field("Directory", h.Dir)
	field("Started", when(h.Time))
	field("Program", program(h))
	fmt.Fprintln(m)
}

func (m markdown) item(i item) {
	switch i := i.(type) {
	case *prompt:
		m.prompt(i)
	case *speech:
		m.speech(i)
	case *call:
		m.call(i)
	case *delegation:
		m.delegation(i)
	case *proposal:
		m.proposal(i.PlanSet)
	case *finish:
		m.finish(i)
	case *note:
		fmt.Fprintf(m, "*%s*\n\n", literal(OneLine(i.text, MaxTitle)))
	case *other:
		m.folded(i.kind, fence("json", indent(i.body)))
	}
}

// prompt writes a message of the user as a quote, unless the heading shows all of it.
func (m markdown) prompt(p *prompt) {
	words := OneLine(p.Text, maxWords)
	switch {
	case p.turn > 0:
		if words == "" {
			words = "Empty prompt"
		}
		fmt.Fprintf(m, "## %d. %s\n\n", p.turn, literal(words))
	case p.Auto:
		fmt.Fprint(m, "**Sent by agent:**\n\n")
	default:
		fmt.Fprint(m, "**Sent during the turn:**\n\n")
	}
	if text := strings.TrimSpace(p.Text); text != "" && (p.turn == 0 || text != words) {
		m.quote(sanitizeMarkdown(text, true))
	}
	m.images(p.Images)
}

// quote writes sanitized Markdown as a quote.
func (m markdown) quote(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(m, strings.TrimRight("> "+line, " ")+trailing(line))
	}
	fmt.Fprintln(m)
}

// trailing returns the spaces at the end of line that make a hard line break.
func trailing(line string) string {
	if strings.HasSuffix(line, "  ") && strings.TrimSpace(line) != "" {
		return "  "
	}
	return ""
}

func (m markdown) images(images []llm.Image) {
	for _, im := range images {
		fmt.Fprintf(m, "*Image: %s, %s*\n\n", codeSpan(im.MediaType), phrase.Bytes(int64(len(im.Data))))
	}
}

func (m markdown) speech(s *speech) {
	text := strings.TrimSpace(s.Text)
	cut := ""
	if s.Cut {
		cut = "*(cut off here)*\n\n"
	}
	switch {
	case text == "":
	case s.Kind == llm.Thinking:
		m.folded("Thinking", sanitizeMarkdown(text, false)+"\n\n"+cut)
	default:
		fmt.Fprintf(m, "%s\n\n%s", sanitizeMarkdown(text, false), cut)
	}
}

func (m markdown) call(c *call) {
	if c.end == nil {
		fmt.Fprintf(m, "✗ %s · no result recorded\n\n", codeSpan(OneLine(c.title, MaxTitle)))
		m.input(c)
		return
	}
	mark := "✓"
	if c.end.Outcome != event.OK {
		mark = "✗"
	}
	words := result(c.end)
	fmt.Fprintf(m, "%s %s", mark, codeSpan(OneLine(c.title, MaxTitle)))
	if words != "" {
		fmt.Fprintf(m, " · %s", literal(words))
	}
	fmt.Fprint(m, "\n\n")
	switch text := decisions(c); {
	case c.Plan != nil:
		m.proposal(c.Plan)
	case text != "":
		fmt.Fprintf(m, "*%s*\n\n", literal(text))
	}
	if d := c.delegation; d != nil {
		fmt.Fprintf(m, "*%s*\n\n", literal(join(d.name(), d.words())))
		m.texts(d)
	}
	for _, d := range c.diffs() {
		if !titleShows(c, d) {
			fmt.Fprintf(m, "%s %s\n\n", codeSpan(d.Path), c.stat(d))
		}
		fmt.Fprintln(m, fence("diff", clean(d.Unified)))
	}
	if c.Plan == nil { // else its steps are the items
		m.plan(c.Todo)
	}
	m.input(c)
	m.output(c)
}

func (m markdown) plan(p *event.TodoSet) {
	if p == nil {
		return
	}
	for _, i := range p.Items {
		box, now := " ", ""
		switch i.State {
		case event.TodoDone:
			box = "x"
		case event.TodoActive:
			now = " *(active)*"
		}
		fmt.Fprintf(m, "- [%s] %s%s\n", box, literal(OneLine(i.Text, 4*MaxTitle)), now)
	}
	fmt.Fprintln(m)
}

func (m markdown) input(c *call) {
	if text := arguments(c); text != "" {
		m.folded("Arguments", fence("text", text))
	}
}

// output writes the output of a tool, collapsed if it is long or if the call has a
// diff or a plan.
func (m markdown) output(c *call) {
	text := c.output()
	switch n := lines(text); {
	case n == 0:
	case n <= shortOutput && !c.shown():
		fmt.Fprintln(m, fence("text", text))
	default:
		m.folded("Output, "+phrase.Count(n, "line"), fence("text", text))
	}
	m.images(c.end.Result.Images)
}

func (m markdown) finish(f *finish) {
	if f.Error != "" || f.Reason != event.Done {
		said := ending(f.Reason)
		if f.Error != "" {
			said += ": " + OneLine(f.Error, 4*MaxTitle)
		}
		fmt.Fprintf(m, "**%s**", literal(said))
		if f.Hint != "" {
			fmt.Fprintf(m, " %s", literal(OneLine(f.Hint, 4*MaxTitle)))
		}
		fmt.Fprint(m, "\n\n")
	}
	fmt.Fprintf(m, "*%s*\n\n", literal(amounts(f)))
	if line := f.Evidence.Line(); line != "" {
		fmt.Fprintf(m, "%s\n\n", literal(OneLine(line, 4*MaxTitle)))
	}
}

// folded writes a collapsed section. Inside is Markdown of complete lines.
func (m markdown) folded(summary, inside string) {
	fmt.Fprintf(m, "<details>\n<summary>%s</summary>\n\n%s\n\n</details>\n\n", entities(clean(summary)), strings.TrimRight(inside, "\n"))
}
