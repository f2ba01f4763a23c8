package turn

import (
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// prefixTokens estimates the tokens of the prefix.
func (c *Conversation) prefixTokens() int {
	if c.Prefix == nil {
		return 0
	}
	if c.counts.of != c.Prefix {
		c.counts.of, c.counts.prefix = c.Prefix, window.PrefixTokens(c.Prefix.System, c.Prefix.Tools)
	}
	return c.counts.prefix
}

// used returns how many tokens the next request uses.
func (c *Conversation) used() int {
	c.size = c.meter.OfCounted(&c.counts.messages, c.prefixTokens(), c.Messages)
	return c.size
}

// accept records that m has answered a request of the size that was measured last.
func (c *Conversation) accept(m Model) { c.accepted[m.Name] = max(c.accepted[m.Name], c.size) }

// budget returns the budget of requests to m. Its limit is 0 if the window of m is
// unknown.
func (c *Conversation) budget(m Model) window.Budget {
	b := window.Budget{Prefix: c.prefixTokens()}
	if m.Context > 0 && m.Window == nil { // nothing is removed because of an assumption
		b = window.NewBudget(b.Prefix, m.Context, m.MaxTokens)
	}
	if limit := c.learned[m.Name]; limit > 0 && (b.Limit == 0 || limit < b.Limit) {
		b = b.Within(limit)
	}
	return b
}

// content returns the input of a compaction. why is its reason, for the user.
func (c *Conversation) content(why string) window.Conversation {
	dir := ""
	if c.outputs != nil {
		dir = c.outputs.Outputs()
	}
	return window.Conversation{Messages: c.Messages, Marks: c.marks, Meter: c.meter, Outputs: dir, Why: why}
}

// Apply applies e to the conversation, saves the originals of shortened content, and
// emits e with meta. If the originals cannot be saved, e names no files; Apply emits
// a notice and returns the error.
func (c *Conversation) Apply(e *event.Compacted, emit func(event.Event), meta func() event.Meta) error {
	out, marks, originals := window.Apply(c.Messages, c.marks, e)
	err := c.saveOriginals(originals)
	if err != nil && e.Outputs != "" {
		emit(event.Notice{Text: "The model cannot look up the content removed by compaction: " + err.Error()})
		e.Outputs = ""
		out, marks, _ = window.Apply(c.Messages, c.marks, e)
	}
	e.Meta = meta()
	emit(e)
	c.meter = c.meter.Compacted(c.prefixTokens(), c.Messages)
	c.Messages, c.marks = out, marks
	c.setReads(window.Remaining(c.reads, out))
	return err
}

// saveOriginals saves the originals of shortened content.
func (c *Conversation) saveOriginals(originals []window.Original) error {
	if c.outputs == nil {
		return nil
	}
	for _, o := range originals {
		if err := c.outputs.SaveOutput(o.Name, o.Text); err != nil {
			return err
		}
	}
	return nil
}

// Edit makes the change that the user requested: see event.EditContext. It reports
// whether anything changed.
func (c *Conversation) Edit(r event.EditContext, emit func(event.Event), meta func() event.Meta) bool {
	e := &event.Compacted{Ref: r.Ref, Step: r.Step, Item: r.Item, Text: r.Text, Outputs: c.content("").Outputs, Why: "requested"}
	for _, item := range window.Items(c.Messages, c.marks, 0) {
		if item.ID == r.Item && r.Item != "" {
			e.Title = item.Title
		}
	}
	switch r.Step {
	case event.CompactPin, event.CompactUnpin, event.CompactDrop:
		if e.Title == "" {
			return false
		}
	case event.CompactUndo:
		if !c.marks.CanUndo() {
			return false
		}
	case event.CompactEdit:
		if r.Text == "" || window.SummaryOf(c.Messages) == "" {
			return false
		}
	default:
		return false
	}
	before := window.Tokens(c.Messages)
	out, _, _ := window.Apply(c.Messages, c.marks, e)
	e.Saved = before - window.Tokens(out)
	_ = c.Apply(e, emit, meta)
	return true
}

// Context returns what fills the context window of m. instructions is the end of the
// system prompt that comes from instruction files; it may be empty.
func (c *Conversation) Context(m Model, p event.Prefix, instructions string) event.ContextNow {
	if c.Prefix != nil {
		p = *c.Prefix
	}
	system, found := strings.CutSuffix(p.System, instructions)
	items := []event.ContextItem{{Kind: event.SystemItem, Title: "system prompt", Text: window.Prefix(system, 400), Tokens: window.TextTokens(system)}}
	if found && instructions != "" {
		var paths []string
		for _, f := range p.Instructions {
			paths = append(paths, f.Path)
		}
		items = append(items, event.ContextItem{Kind: event.InstructionsItem, Title: strings.Join(paths, ", "), Text: window.Prefix(instructions, 400), Tokens: window.TextTokens(instructions)})
	}
	own, mcp := p.Tools, []llm.ToolSpec(nil)
	if i := slices.IndexFunc(p.Tools, func(t llm.ToolSpec) bool { return event.IsMCPTool(t.Name) }); i >= 0 {
		own, mcp = p.Tools[:i], p.Tools[i:]
	}
	items = append(items, toolsItem("tool", own))
	if mcp != nil {
		items = append(items, toolsItem("MCP tool", mcp))
	}
	const least = 200 // tokens of a message that is listed
	items = append(items, window.Items(c.Messages, c.marks, least)...)
	return event.ContextNow{
		Used: c.meter.Of(window.PrefixTokens(p.System, p.Tools), c.Messages), Window: m.Context,
		Items: items, Summary: window.SummaryOf(c.Messages), CanUndo: c.marks.CanUndo(),
	}
}

// toolsItem returns the item of definitions of tools of a kind.
func toolsItem(kind string, specs []llm.ToolSpec) event.ContextItem {
	var names []string
	for _, t := range specs {
		names = append(names, t.Name)
	}
	return event.ContextItem{Kind: event.ToolsItem, Title: phrase.Count(len(names), kind), Text: strings.Join(names, ", "), Tokens: window.PrefixTokens("", specs)}
}
