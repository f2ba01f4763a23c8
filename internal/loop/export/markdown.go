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

// shortOutput is how many lines of output stand in the open.
const shortOutput = 8

// Markdown writes a session as GitHub shows it: a heading for each prompt,
// answers as they are, thinking and long outputs folded.
func Markdown(w io.Writer, s Session) error {
	m := markdown{bufio.NewWriter(w)}
	m.head(s.Header, s.title())
	for i := range items(s.Events) {
		m.item(i)
	}
	return m.Flush()
}

// markdown writes the parts of a document. An error shows at Flush.
type markdown struct{ *bufio.Writer }

func (m markdown) head(h history.Header, title string) {
	fmt.Fprintf(m, "# %s\n\n", literal(title))
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(m, "- %s: %s\n", name, codeSpan(value))
		}
	}
	field("Session", h.ID)
	field("Forked from", h.Parent)
	field("Directory", h.Dir)
	field("Begun", when(h.Time))
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
	case *finish:
		m.finish(i)
	case *note:
		fmt.Fprintf(m, "*%s*\n\n", literal(OneLine(i.text, MaxTitle)))
	case *other:
		m.folded(i.kind, fence("json", indent(i.body)))
	}
}

// prompt writes what the person said as a quote, unless the heading says it all.
func (m markdown) prompt(p *prompt) {
	words := OneLine(p.Text, maxWords)
	switch {
	case p.turn > 0:
		if words == "" {
			words = "An empty prompt"
		}
		fmt.Fprintf(m, "## %d. %s\n\n", p.turn, literal(words))
	case p.Auto:
		fmt.Fprint(m, "**The program, in the person's place:**\n\n")
	default:
		fmt.Fprint(m, "**Said meanwhile:**\n\n")
	}
	if text := strings.TrimSpace(p.Text); text != "" && (p.turn == 0 || text != words) {
		for line := range strings.SplitSeq(harmless(text, true), "\n") {
			fmt.Fprintln(m, strings.TrimRight("> "+line, " ")+trailing(line))
		}
		fmt.Fprintln(m)
	}
	m.images(p.Images)
}

// trailing returns the blanks that make a line of Markdown end where it ends.
func trailing(line string) string {
	if strings.HasSuffix(line, "  ") && strings.TrimSpace(line) != "" {
		return "  "
	}
	return ""
}

func (m markdown) images(images []llm.Image) {
	for _, im := range images {
		fmt.Fprintf(m, "*An image of the type %s, %s*\n\n", codeSpan(im.MediaType), phrase.Bytes(int64(len(im.Data))))
	}
}

func (m markdown) speech(s *speech) {
	text := strings.TrimSpace(s.Text)
	cut := ""
	if s.Cut {
		cut = "*(cut here)*\n\n"
	}
	switch {
	case text == "":
	case s.Kind == llm.Thinking:
		m.folded("Thinking", harmless(text, false)+"\n\n"+cut)
	default:
		fmt.Fprintf(m, "%s\n\n%s", harmless(text, false), cut)
	}
}

func (m markdown) call(c *call) {
	if c.end == nil {
		fmt.Fprintf(m, "✗ %s · no result is recorded\n\n", codeSpan(OneLine(c.title, MaxTitle)))
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
	if said := decision(c.decided); said != "" {
		fmt.Fprintf(m, "*%s*\n\n", literal(said))
	}
	for _, d := range c.end.Diffs {
		if !tells(c, d) {
			fmt.Fprintf(m, "%s %s\n\n", codeSpan(d.Path), diffStat(d))
		}
		fmt.Fprintln(m, fence("diff", clean(d.Unified)))
	}
	m.plan(c.plan)
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
			now = " *(now)*"
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

// output writes what a tool gave back. Beside a change or a plan that is of
// little interest.
func (m markdown) output(c *call) {
	text := screen(c.end.Result.Text)
	switch n := lines(text); {
	case n == 0:
	case n <= shortOutput && len(c.end.Diffs) == 0 && c.plan == nil:
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
}

// folded writes what is seen when it is opened. Inside is whole lines of
// Markdown.
func (m markdown) folded(summary, inside string) {
	fmt.Fprintf(m, "<details>\n<summary>%s</summary>\n\n%s\n\n</details>\n\n", entities(clean(summary)), strings.TrimRight(inside, "\n"))
}
