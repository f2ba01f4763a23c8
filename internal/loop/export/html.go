package export

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// HTML writes a session as one self-contained page, which fetches nothing and runs no
// script.
func HTML(w io.Writer, s Session) error {
	templates, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("parse the page template: %w", err)
	}
	h := page{out: bufio.NewWriter(w), templates: templates, prose: newProse()}
	if err := h.head(s); err != nil {
		return err
	}
	for i := range items(s.Events) {
		if h.item(i); h.err != nil {
			return h.err
		}
	}
	h.endTurn()
	h.write("foot", clean(s.Header.ID))
	if h.err != nil {
		return h.err
	}
	return h.out.Flush()
}

// page writes the parts of a page.
type page struct {
	out       *bufio.Writer
	templates *template.Template
	prose     *prose
	inTurn    bool
	err       error // the first error
}

// write writes a part of the page.
func (h *page) write(part string, data any) {
	if h.err != nil {
		return
	}
	if err := h.templates.ExecuteTemplate(h.out, part, data); err != nil {
		h.err = fmt.Errorf("write the page: %w", err)
	}
}

// head is the data of the part before the conversation.
type head struct {
	Title     string
	Style     template.HTML
	StyleHash template.HTMLAttr
	Facts     []fact
	Turns     []turnRow // empty if they are fewer than listTurns
	FewTurns  bool
	Total     turnRow
}

type fact struct{ Name, Value string }

// The list of turns is shown from listTurns on, and collapsed above foldTurns.
const (
	listTurns = 3
	foldTurns = 15
)

func (h *page) head(s Session) error {
	rows, total := turnRows(s.Events)
	if len(rows) < listTurns {
		rows = nil
	}
	sum := sha256.Sum256([]byte(pageCSS))
	h.write("head", head{
		Title: s.title(), Facts: facts(s.Header, total),
		Style:     template.HTML("<style>" + pageCSS + "</style>"),
		StyleHash: template.HTMLAttr(base64.StdEncoding.EncodeToString(sum[:])),
		Turns:     rows, FewTurns: len(rows) <= foldTurns, Total: total,
	})
	return h.err
}

func facts(h history.Header, total turnRow) []fact {
	var out []fact
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, clean(value)})
		}
	}
	add("Directory", h.Dir)
	add("Started", when(h.Time))
	add("Models", strings.Join(total.models, ", "))
	add("Session", h.ID)
	if h.Agent != "" {
		add("Agent", h.Agent)
		add("Delegate of", h.Parent)
	} else {
		add("Forked from", h.Parent)
	}
	add("Program", program(h))
	return out
}

func (h *page) item(i item) {
	switch i := i.(type) {
	case *prompt:
		h.prompt(i)
	case *speech:
		h.speech(i)
	case *call:
		v := callOf(i)
		v.Delegation, v.Proposal = h.delegationOf(i.delegation), h.proposalOf(i.Plan)
		h.write("call", v)
	case *delegation:
		h.write("delegation", h.delegationOf(i))
	case *proposal:
		h.write("proposal", h.proposalOf(i.PlanSet))
	case *finish:
		h.finish(i)
	case *note:
		h.write("note", clean(i.text))
	case *other:
		h.write("other", struct{ Kind, Body string }{clean(i.kind), indent(i.body)})
	}
}

func (h *page) prompt(p *prompt) {
	view := struct {
		Label, Text string
		Images      []picture
	}{Text: strings.TrimSpace(clean(p.Text)), Images: pictures(p.Images)}
	switch {
	case p.turn > 0:
		h.endTurn()
		h.inTurn = true
		h.write("turn", struct {
			Turn int
			Time *moment
		}{p.turn, momentOf(p.Time)})
	case p.Auto:
		view.Label = "sent by agent"
	default:
		view.Label = "sent during the turn"
	}
	h.write("prompt", view)
}

func (h *page) endTurn() {
	if h.inTurn {
		h.inTurn = false
		fmt.Fprintln(h.out, "</section>")
	}
}

// moment is a time in both forms that the page needs.
type moment struct{ Stamp, Words string }

func momentOf(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	return &moment{t.Format(time.RFC3339), when(t)}
}

func (h *page) speech(s *speech) {
	if strings.TrimSpace(s.Text) == "" {
		return
	}
	part := "answer"
	if s.Kind == llm.Thinking {
		part = "thinking"
	}
	h.write(part, struct {
		Prose template.HTML
		Cut   bool
	}{h.prose.html(s.Text), s.Cut})
}

func (h *page) finish(f *finish) {
	view := struct {
		Trouble, Hint, Words, Evidence string
		List                           []string
	}{Words: amounts(f), Hint: clean(f.Hint), Evidence: clean(f.Evidence.Line())}
	if view.Evidence != "" {
		for _, line := range f.Evidence.List() {
			view.List = append(view.List, clean(line))
		}
	}
	if f.Reason != event.Done || f.Error != "" {
		view.Trouble = ending(f.Reason)
		if f.Error != "" {
			view.Trouble += ": " + clean(f.Error)
		}
		view.Trouble = strings.TrimSuffix(view.Trouble, ".") + "."
	}
	h.write("finish", view)
}

// picture is the data of an image.
type picture struct {
	Source template.URL // empty if its type is not shown
	Words  string
}

func pictures(images []llm.Image) []picture {
	var out []picture
	for i, im := range images {
		p := picture{Words: fmt.Sprintf("image %d: %s, %s", i+1, OneLine(im.MediaType, maxWords), phrase.Bytes(int64(len(im.Data))))}
		switch im.MediaType {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			p.Source = template.URL("data:" + im.MediaType + ";base64," + base64.StdEncoding.EncodeToString(im.Data))
		}
		out = append(out, p)
	}
	return out
}
