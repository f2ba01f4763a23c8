package turn

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"regexp"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/text"
	"agent/internal/loop/turn/quote"
	"agent/internal/tools"
)

// callReader finds and understands the calls of replies. What it found is kept until the
// next reply begins.
type callReader struct {
	tools  []tools.Tool
	schema *Schema // of the last answer; may be nil
	conv   *Conversation
	notes  map[string]intakeNote // by the ID of a call
	// doubts are why calls that are written as text need approval, by ID.
	doubts map[string]string
}

// intakeNote is a finding of the intake in a call.
type intakeNote struct {
	ignored []string    // names of dropped arguments
	remarks []string    // how arguments were understood
	err     error       // why the call cannot run
	sent    llm.Message // the call as the model sent it
}

// Why a call that is written as text needs approval.
const (
	printedDoubt = "the model printed this call as text instead of calling the tool"
	quotedDoubt  = "the model wrote this call as text that is also in the conversation: it may only repeat it"
)

// begin forgets the calls of the last reply.
func (r *callReader) begin() { r.notes, r.doubts = map[string]intakeNote{}, map[string]string{} }

// printed returns said with calls in place of the text that prints them, in a form in
// which the model should not call tools, and whether there are any. Such a call needs
// approval, because the text may be an answer.
func (r *callReader) printed(said []llm.Message, reply *llm.Reply) (all []llm.Message, found bool) {
	i := slices.IndexFunc(said, func(m llm.Message) bool { return m.Kind != llm.Thinking })
	if i < 0 || i != len(said)-1 || said[i].Kind != llm.Assistant || reply.Finish.Reason != llm.Stop {
		return said, false
	}
	answer := said[i].Text
	calls := text.Printed(answer)
	if calls == nil || len(answer) > maxHeld || r.schema != nil && isJSON.MatchString(answer) || slices.ContainsFunc(calls, func(c text.Call) bool {
		return !r.fits(c.Tool, c.Arguments) || r.quotes(c.Tool, c.Arguments)
	}) {
		return said, false
	}
	all = slices.Clone(said[:i])
	for _, c := range calls {
		call := llm.Message{Kind: llm.ToolCall, Reply: said[i].Reply, ID: "call_" + rand.Text()[:16], Name: c.Tool, Input: json.RawMessage(c.Arguments)}
		r.doubts[call.ID] = printedDoubt
		all = append(all, call)
	}
	return all, true
}

// isJSON matches text that begins like JSON, alone or in a code fence.
var isJSON = regexp.MustCompile("^\\s*(```|[\\[{])")

// fits reports whether a tool is offered under exactly that name and takes the arguments.
func (r *callReader) fits(name, arguments string) bool {
	if !slices.ContainsFunc(r.conv.Prefix.Tools, func(t llm.ToolSpec) bool { return t.Name == name }) {
		return false
	}
	own := ownNames(r.conv.Prefix, []llm.Message{{Kind: llm.ToolCall, Name: name}})[0].Name
	c, err := tools.Accepted(r.tools).Read(own, arguments)
	return err == nil && c.Tool == own && len(c.Ignored) == 0
}

// understand gives the calls of a reply the names and arguments of the schemas: see
// package intake. It keeps a call that cannot be understood; the executor then
// returns the error. Then it replaces the secrets in the reply. It changes and returns said.
func (r *callReader) understand(said []llm.Message) []llm.Message {
	accepted := tools.Accepted(r.tools)
	for i, t := range accepted {
		accepted[i].Offered = offeredName(r.conv.Prefix, t.Name)
	}
	defer func() {
		for i, m := range said {
			said[i] = r.conv.secrets.Message(m)
		}
	}()
	for i, m := range said {
		if m.Kind != llm.ToolCall || m.Cut {
			continue
		}
		c, err := accepted.Read(m.Name, cmp.Or(m.Raw, string(m.Input)))
		r.notes[m.ID] = intakeNote{c.Ignored, c.Notes, err, m}
		if c.Tool != "" {
			said[i].Name = c.Tool
		}
		if c.Arguments != nil {
			said[i].Input, said[i].Raw = c.Arguments, ""
		}
	}
	return said
}

// doubtQuoted marks the calls of a reply whose calls are text if they repeat text of the
// conversation. said are the calls as the model wrote them.
func (r *callReader) doubtQuoted(said []llm.Message) {
	for _, m := range callsOf(said) {
		sent := r.notes[m.ID].sent
		arguments := sent.Raw
		if arguments == "" {
			arguments = string(sent.Input)
		}
		if r.quotes(sent.Name, arguments) {
			r.doubts[m.ID] = quotedDoubt
		}
	}
}

// quotes reports whether the conversation holds the text of a call: in a prompt, a result
// of a tool or the description of a tool.
func (r *callReader) quotes(name, arguments string) bool {
	docs := []string{r.conv.Prefix.System}
	for _, t := range r.conv.Prefix.Tools {
		docs = append(docs, t.Description)
	}
	for _, m := range r.conv.Messages {
		if m.Kind == llm.ToolResult || m.Kind == llm.User {
			docs = append(docs, m.Text, quote.WithoutPrefixes(m.Text))
		}
	}
	return quote.In(docs, name, arguments)
}

// differs reports whether the call that was sent would now be understood differently
// from m, as which it was recorded: calls that ran since have changed the working
// directory.
func (r *callReader) differs(sent, m llm.Message) bool {
	raw := cmp.Or(sent.Raw, string(sent.Input))
	if sent.Name == m.Name && raw == string(m.Input) {
		return false
	}
	c, err := tools.Accepted(r.tools).Read(sent.Name, raw)
	now := r.conv.secrets.Message(llm.Message{Kind: llm.ToolCall, Input: c.Arguments})
	return err != nil || c.Tool != m.Name || !bytes.Equal(now.Input, m.Input)
}
