package turn

import (
	"crypto/rand"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/text"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Why a call that is written as text needs approval.
const (
	printedDoubt = "the model printed this call as text instead of calling the tool"
	quotedDoubt  = "the model wrote this call as text that is also in the conversation: it may only repeat it"
)

// printedCalls returns said with calls in place of the text that prints them, in a form in
// which the model should not call tools. Such a call needs approval, because the text may be
// an answer.
func (r *run) printedCalls(said []llm.Message, reply *llm.Reply) []llm.Message {
	i := slices.IndexFunc(said, func(m llm.Message) bool { return m.Kind != llm.Thinking })
	if i < 0 || i != len(said)-1 || said[i].Kind != llm.Assistant || reply.Finish.Reason != llm.Stop || r.lastNote != "" || r.wantsText {
		return said
	}
	printed := said[i].Text
	calls := text.Printed(printed)
	if calls == nil || len(printed) > maxHeld || r.Schema != nil && isJSON.MatchString(printed) || slices.ContainsFunc(calls, func(c text.Call) bool {
		return !r.fits(c.Tool, c.Arguments) || r.conv.quotes(c.Tool, c.Arguments)
	}) {
		return said
	}
	all := slices.Clone(said[:i])
	for _, c := range calls {
		call := llm.Message{Kind: llm.ToolCall, Reply: said[i].Reply, ID: "call_" + rand.Text()[:16], Name: c.Tool, Input: json.RawMessage(c.Arguments)}
		r.calls.doubts[call.ID] = printedDoubt
		all = append(all, call)
	}
	return all
}

// isJSON matches text that begins like JSON, alone or in a code fence.
var isJSON = regexp.MustCompile("^\\s*(```|[\\[{])")

// fits reports whether a tool is offered under exactly that name and takes the arguments.
func (r *run) fits(name, arguments string) bool {
	if !slices.ContainsFunc(r.conv.Prefix.Tools, func(t llm.ToolSpec) bool { return t.Name == name }) {
		return false
	}
	own := ownNames(r.conv.Prefix, []llm.Message{{Kind: llm.ToolCall, Name: name}})[0].Name
	c, err := tools.Accepted(r.Tools).Read(own, arguments)
	return err == nil && c.Tool == own && len(c.Ignored) == 0
}

// textWanted matches prompts that ask for text in the form of a call.
var textWanted = regexp.MustCompile(`(?i)(tool|function)[ _-]?call|<function|<tool|<\||"(name|arguments|parameters)"|(^|[^.\w])json\b|` +
	`\b(show|print|write|output|example|format|syntax|how|what)\b[^.!?\n]{0,80}\b(call|invo)`)

// doubtQuoted marks the calls of a reply whose calls are text if they repeat text of the
// conversation. said are the calls as the model wrote them.
func (x *executor) doubtQuoted(said []llm.Message) {
	for _, m := range callsOf(said) {
		sent := x.notes[m.ID].sent
		arguments := sent.Raw
		if arguments == "" {
			arguments = string(sent.Input)
		}
		if x.conv.quotes(sent.Name, arguments) {
			x.doubts[m.ID] = quotedDoubt
		}
	}
}

// doubted returns the verdict v on c, with the question whether a doubtful call may run.
// Without a user such a call runs only if it reads.
func (x *executor) doubted(c *toolCall, v policy.Verdict) policy.Verdict {
	if c.doubt == "" || v.Refuse || x.approver == nil && onlyReads(c.call, v) {
		return v
	}
	v.Ask, v.Why, v.Rule, v.Offer, v.Remedies, v.Auto = true, c.doubt, c.doubt, policy.Grant{}, nil, false
	v.Warning = strings.TrimSuffix(c.doubt+"; "+v.Warning, "; ")
	return v
}

// onlyReads reports whether a call with the verdict v only reads.
func onlyReads(c tools.Call, v policy.Verdict) bool {
	return c.Effect == tools.Read || c.Effect == tools.Execute && v.Access.Private
}

// printsCalls makes m, which printed a call, write its calls as text for the rest of the
// session.
func (q *requester) printsCalls(m Model) {
	if m.AsText == nil || q.conv.textCalls[m.Name] {
		return
	}
	q.conv.textCalls[m.Name] = true
	q.out.emit(event.Notice{Text: m.Name + " printed a tool call instead of calling the tool. It now writes its tool calls as text in this session."})
}

// quotes reports whether the conversation holds the text of a call: in a prompt, a result
// of a tool or the description of a tool. It compares only visible ASCII characters, without what tools put
// before lines, and also what is inside strings of JSON.
func (c *Conversation) quotes(name, arguments string) bool {
	var args any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		args = arguments
	}
	var words []string
	leaves(args, func(s string) { words = append(words, squeeze(s)) })
	head := regexp.MustCompile(`("name":"|"tool":"|"tool_name":"|"function":"|<function=|<invokename="|to=|functions\.|Action:|TOOL_CALLS\]|tool_call>|tool_call_begin\|>|toolsep>|toolcallbegin>)` + regexp.QuoteMeta(squeeze(name)))
	docs := []string{c.Prefix.System}
	for _, t := range c.Prefix.Tools {
		docs = append(docs, t.Description)
	}
	for _, m := range c.Messages {
		if m.Kind == llm.ToolResult || m.Kind == llm.User {
			docs = append(docs, m.Text, linePrefix.ReplaceAllString(m.Text, ""))
		}
	}
	for _, doc := range docs {
		for range maxNested {
			if near(squeeze(doc), head, words, 2*len(arguments)+maxAround) {
				return true
			}
			next := escaped.ReplaceAllStringFunc(doc, unescape)
			if next == doc {
				break
			}
			doc = next
		}
	}
	return false
}

const (
	// maxAround is how much text may be between the parts of a quoted call, in bytes.
	maxAround = 300
	// maxNested is how deep strings of JSON inside each other are compared.
	maxNested = 4
)

var (
	linePrefix = regexp.MustCompile(`(?m)^(\s*\d+[\t:|-] ?|[^\s:]+[:-]\d+[:-])`)
	escaped    = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|.)`)
	unmatched  = regexp.MustCompile(`[^!-~]+`)
)

// unescape returns the character of an escape of JSON. Half of a surrogate pair becomes a
// replacement character.
func unescape(escape string) string {
	if code, err := strconv.ParseUint(strings.TrimPrefix(escape, `\u`), 16, 16); err == nil && strings.HasPrefix(escape, `\u`) {
		return string(rune(code))
	}
	if s, err := strconv.Unquote(`"` + escape + `"`); err == nil {
		return s
	}
	return escape[1:]
}

// squeeze returns the visible ASCII characters of s: all others can be written in several
// ways, and invalid ones are replaced when JSON is decoded.
func squeeze(s string) string { return unmatched.ReplaceAllString(s, "") }

// leaves passes all strings in a decoded JSON value to f.
func leaves(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			leaves(e, f)
		}
	case map[string]any:
		for _, e := range v {
			leaves(e, f)
		}
	}
}

// near reports whether all words are in doc at most distance bytes from a match of head.
func near(doc string, head *regexp.Regexp, words []string, distance int) bool {
	for at := 0; at < len(doc); {
		m := head.FindStringIndex(doc[at:])
		if m == nil {
			return false
		}
		at += m[0]
		part := doc[max(0, at-distance):min(len(doc), at+2*distance)] // around all heads in the next distance bytes
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(part, w) }) {
			return true
		}
		at += distance
	}
	return false
}
