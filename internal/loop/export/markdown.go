package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop"
)

// shortOutput is how many lines of output stand in the open.
const shortOutput = 8

// Markdown writes a session as GitHub shows it: a heading for each prompt,
// answers as they are, thinking and long outputs folded.
func Markdown(w io.Writer, s Session) error {
	m := markdown{bufio.NewWriter(w)}
	m.head(s.Header, s.title())
	for i, err := range items(s.Events) {
		if err != nil {
			return err
		}
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
	field("Written by agent", h.Version)
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
		fmt.Fprintf(m, "*%s*\n\n", literal(oneLine(i.text, maxTitle)))
	case *other:
		m.folded(i.kind, fence("json", indent(i.body)))
	}
}

// prompt writes what the person said as a quote, unless the heading says it all.
func (m markdown) prompt(p *prompt) {
	words := oneLine(p.Text, maxWords)
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
		fmt.Fprintf(m, "*An image of the type %s, %s*\n\n", codeSpan(im.MediaType), size(len(im.Data)))
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
		fmt.Fprintf(m, "✗ %s · no result is recorded\n\n", codeSpan(oneLine(c.title, maxTitle)))
		m.input(c)
		return
	}
	mark := "✓"
	if c.end.Outcome != loop.OK {
		mark = "✗"
	}
	words := result(c.end)
	fmt.Fprintf(m, "%s %s", mark, codeSpan(oneLine(c.title, maxTitle)))
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
	m.input(c)
	m.output(c.end)
}

func (m markdown) input(c *call) {
	if text := arguments(c); text != "" {
		m.folded("Arguments", fence("json", text))
	}
}

// output writes what a tool gave back. Beside a change it is of little interest.
func (m markdown) output(e *loop.ToolEnd) {
	text := screen(e.Result.Text)
	switch n := lines(text); {
	case n == 0:
	case n <= shortOutput && len(e.Diffs) == 0:
		fmt.Fprintln(m, fence("text", text))
	default:
		m.folded("Output, "+count(n, "line"), fence("text", text))
	}
	m.images(e.Result.Images)
}

func (m markdown) finish(f *finish) {
	if f.Error != "" || f.Reason != loop.Done {
		said := ending(f.Reason)
		if f.Error != "" {
			said += ": " + oneLine(f.Error, 4*maxTitle)
		}
		fmt.Fprintf(m, "**%s**", literal(said))
		if f.Hint != "" {
			fmt.Fprintf(m, " %s", literal(oneLine(f.Hint, 4*maxTitle)))
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

// amounts tells in one line what a turn took.
func amounts(f *finish) string {
	cost := ""
	if f.Cost != nil {
		cost = dollars(*f.Cost)
	}
	return join(count(f.Steps, "step"), took(f.Duration), strings.Join(f.models, ", "), tokens(f.Usage), cost)
}

// result tells in a few words how a call ended.
func result(e *loop.ToolEnd) string {
	words := oneLine(e.Summary, maxWords)
	if words == "" && len(e.Diffs) == 1 {
		words = diffStat(e.Diffs[0])
	}
	return join(outcome(e.Outcome), words, duration(e))
}

// tells reports whether the line of c tells of d already.
func tells(c *call, d loop.Diff) bool {
	return len(c.end.Diffs) == 1 && c.end.Summary == "" && strings.Contains(c.title, d.Path)
}

// duration is how long a call took, where that is worth a word.
func duration(e *loop.ToolEnd) string {
	if e.Duration < 100*time.Millisecond {
		return ""
	}
	return took(e.Duration)
}

// decision tells what the person decided of a call.
func decision(d *loop.Decided) string {
	if d == nil {
		return ""
	}
	said := ""
	switch d.Decision {
	case loop.Allow:
		said = "Allowed by the person"
	case loop.Always:
		said = "Allowed by the person, and from here on: " + oneLine(d.Scope, maxTitle)
	case loop.Refuse:
		said = "Refused by the person"
	}
	if d.Note != "" {
		said += ": “" + oneLine(d.Note, 4*maxTitle) + "”"
	}
	return said
}

// diffStat tells the size of a change.
func diffStat(d loop.Diff) string {
	stat := fmt.Sprintf("+%d −%d", d.Added, d.Removed)
	switch {
	case d.Created:
		stat += ", new"
	case d.Deleted:
		stat += ", deleted"
	}
	return stat
}

// arguments returns what the model wanted of a tool, to be read. It is empty
// where the title or the change says as much.
func arguments(c *call) string {
	if c.message.Raw != "" {
		return clean(c.message.Raw)
	}
	if c.end != nil && len(c.end.Diffs) > 0 {
		return ""
	}
	var fields map[string]any
	if json.Unmarshal(c.message.Input, &fields) != nil {
		return ""
	}
	for _, v := range fields {
		if !strings.Contains(c.title, fmt.Sprint(v)) {
			return indent(c.message.Input)
		}
	}
	return ""
}

// indent writes JSON on many lines.
func indent(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return clean(string(raw))
	}
	return clean(b.String())
}
