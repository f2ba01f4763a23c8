package window

import (
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/loop/plan"
)

const (
	listHead = "[Compacted: this list replaces earlier tool calls and their results. If you need the contents again, read the files or run the commands again."
	// longList is the size in bytes above which a list loses its oldest entries.
	longList = 6 << 10
)

// list replaces the calls before the last replies, and their results, with lists of
// actions. Answers and the messages of the user stay.
func (s *shortener) list(msgs []llm.Message, replies int) []llm.Message {
	old := oldPart(msgs, replies)
	calls, results := repliesWithCalls(msgs[:old]), llm.Results(msgs)
	out := make([]llm.Message, 0, len(msgs))
	var done actions
	flush := func() {
		if text := done.text(); text != "" {
			full := ""
			if done.full.Len() > 0 {
				full = s.reference("steps", "", done.full.String())
			}
			out = append(out, llm.Message{Kind: llm.User, Reply: listNote, Text: listHead + full + "]\n" + text})
		}
		done = actions{}
	}
	for _, m := range msgs[:old] {
		switch {
		case m.Reply == listNote:
			_, body, _ := strings.Cut(m.Text, "]\n")
			done.earlier = append(done.earlier, body)
		case isPlanNote(m), m.Kind == llm.Thinking, m.Kind == llm.ToolResult:
		case m.Kind == llm.ToolCall && s.isPinned(m) && results[m.ID] != nil:
			flush()
			out = append(out, m, *results[m.ID])
		case m.Kind == llm.ToolCall:
			done.add(m, results[m.ID])
		case m.Kind == llm.Assistant && calls[m.Reply] && !s.isPinned(m):
			done.say(m.Text)
		default:
			flush()
			out = append(out, m)
		}
	}
	flush()
	return s.withPlans(msgs, append(out, msgs[old:]...), len(out))
}

// actions collects what a sequence of tool calls did.
type actions struct {
	earlier []string // the texts of lists
	entries []string
	verb    string // of the last entry, if that can take another object
	full    strings.Builder
}

// text returns the list, without the oldest entries of a long one.
func (a *actions) text() string {
	const separator = "; "
	text := strings.Join(append(a.earlier, a.entries...), separator)
	if len(text) <= longList {
		return text
	}
	text = strings.ToValidUTF8(text[len(text)-longList:], "")
	if _, rest, ok := strings.Cut(text, separator); ok {
		text = rest
	}
	return "(older entries are left out) " + text
}

// say adds the text that the model wrote before its calls.
func (a *actions) say(text string) {
	const long = 160
	if strings.TrimSpace(text) == "" {
		return
	}
	a.verb = ""
	a.entries = append(a.entries, `"`+oneLine(text, long)+`"`)
	a.full.WriteString(text + "\n\n")
}

// add adds a call with its result, which may be nil.
func (a *actions) add(call llm.Message, result *llm.Message) {
	a.full.WriteString(rendered(call))
	if result != nil {
		a.full.WriteString(rendered(*result))
	}
	if call.Name == todoTool { // the plan is kept
		return
	}
	verb, object := describe(call)
	ending := outcome(call, result)
	if n := len(a.entries); n > 0 && verb == a.verb && object != "" && ending == "" {
		if last := a.entries[n-1]; !strings.HasSuffix(last, " "+object) && !strings.Contains(last, " "+object+",") {
			a.entries[n-1] = last + ", " + object
		}
		return
	}
	a.entries = append(a.entries, strings.TrimSpace(verb+" "+object)+ending)
	if a.verb = verb; ending != "" {
		a.verb = ""
	}
}

// verbs are the names of tools in the past tense; other tools keep their name.
func verbs() map[string]string {
	return map[string]string{"edit": "edited", "write": "wrote", "patch": "patched", "apply_patch": "patched", "shell": "ran", "search": "searched for", "list": "listed", "fetch": "fetched", "ask": "asked", plan.Tool: "presented the plan"}
}

// describe returns what a call did and to what.
func describe(call llm.Message) (verb, object string) {
	const long = 100
	verb = call.Name
	if v, ok := verbs()[call.Name]; ok {
		verb = v
	}
	var args map[string]any
	if json.Unmarshal(call.Input, &args) != nil {
		return verb, ""
	}
	for _, key := range []string{"path", "command", "pattern", "url", "question", "action", "title"} {
		if text, ok := args[key].(string); ok && text != "" {
			return verb, oneLine(text, long) + linesOf(args)
		}
	}
	if patch, ok := args["patch"].(string); ok {
		return verb, oneLine(strings.Join(patchedFiles(patch), " "), long)
	}
	return verb, ""
}

// linesOf returns the lines that a call with args reads, as ":40-99" or ":40"; empty
// for all. The model needs them to continue where it was.
func linesOf(args map[string]any) string {
	first, hasFirst := args["offset"].(float64)
	limit, hasLimit := args["limit"].(float64)
	switch {
	case hasLimit && limit > 0:
		first = max(first, 1)
		return fmt.Sprintf(":%.0f-%.0f", first, first+limit-1)
	case hasFirst && first > 1:
		return fmt.Sprintf(":%.0f", first)
	}
	return ""
}

// patchedFiles returns the paths in a patch.
func patchedFiles(patch string) (paths []string) {
	for line := range strings.Lines(patch) {
		for _, begin := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ "} {
			if p, ok := strings.CutPrefix(line, begin); ok {
				paths = append(paths, strings.TrimSpace(p))
			}
		}
	}
	return paths
}

// outcome returns how a call ended, if that matters: the error of a call that
// failed, the last line of a command's output, the user's answer.
func outcome(call llm.Message, result *llm.Message) string {
	const long = 120
	if result == nil || strings.HasPrefix(result.Text, marker.Begin) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(result.Text), "\n")
	switch {
	case result.IsError && call.Name == "shell": // the end says what failed
		return " (failed: " + oneLine(strings.Join(lines[max(len(lines)-2, 0):], " "), long) + ")"
	case result.IsError:
		return " (failed: " + oneLine(lines[0], long) + ")"
	case call.Name == "shell":
		return " (" + oneLine(lines[len(lines)-1], long) + ")"
	case call.Name == "ask", call.Name == plan.Tool:
		return " (" + oneLine(lines[0], long) + ")"
	}
	return ""
}

// rendered returns m as text for a reader.
func rendered(m llm.Message) string {
	switch m.Kind {
	case llm.ToolCall:
		return "→ " + m.Name + " " + string(m.Input) + m.Raw + "\n"
	case llm.ToolResult:
		return strings.TrimRight(m.Text, "\n") + "\n\n"
	case llm.User:
		if isNote(m) {
			return m.Text + "\n\n"
		}
		return "USER: " + m.Text + "\n\n"
	case llm.Assistant:
		return "ASSISTANT: " + m.Text + "\n\n"
	}
	return ""
}
