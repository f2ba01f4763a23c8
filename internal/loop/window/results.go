package window

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
)

// Sizes in bytes.
const (
	longResult = 2 << 10 // longer results become a reference
	longRead   = 400     // the same for a file that was read again or changed later
	keptResult = 300     // beginning of a result that is kept
	maxPath    = 200     // of the path of a file in a reference
)

// results replaces the results before the last replies with references: the long
// ones and those of reading files that were read again or changed later, or all
// that a reference makes shorter. It keeps that of the approved plan, and removes
// thinking, the images of results and the content of web searches.
func (s *shortener) results(msgs []llm.Message, replies int, all bool) []llm.Message {
	old := oldPart(msgs, replies)
	stale := staleReads(msgs[:old], msgs)
	_, approved := approvedPlan(msgs)
	calls := map[string]llm.Message{}
	out := make([]llm.Message, 0, len(msgs))
	for _, m := range msgs[:old] {
		if m.Kind == llm.ToolCall {
			calls[m.ID] = m
		}
		if m.Kind == llm.Thinking {
			continue
		}
		if m.Kind == llm.WebSearch || len(m.Sources) > 0 { // the model gets a note of the search
			m.Opaque = nil
		}
		if m.Kind == llm.ToolResult && !s.isPinned(m) && m.ID != approved {
			m = s.result(m, calls[m.ID], stale[m.ID], all)
		}
		out = append(out, m)
	}
	return append(out, msgs[old:]...)
}

// result returns the result m of a call, or a reference to it.
func (s *shortener) result(m, call llm.Message, stale string, all bool) llm.Message {
	m = withoutImage(m)
	var why, began string
	switch {
	case strings.HasPrefix(m.Text, marker.Begin):
		if head, _, cut := strings.Cut(m.Text, " It begins:]\n"); cut && all { // it was a long one
			m.Text = head + "]"
		}
		return m
	case (all || len(m.Text) > longResult || stale != "" && len(m.Text) > longRead) && readLines(m, call) != "":
		text := marker.Note("%s. Read the lines you need again.", readLines(m, call))
		if stale != "" {
			text = marker.Note("%s, which was read again or changed later.", readLines(m, call))
		}
		if len(text) < len(m.Text) {
			m.Text = text
		}
		return m
	case stale != "" && len(m.Text) > longRead:
		why = stale + " was read again or changed later."
	case len(m.Text) > longResult && !all:
		why, began = fmt.Sprintf("the result had %d bytes.", len(m.Text)), Prefix(m.Text, keptResult)
	case all:
		why = fmt.Sprintf("the result had %d bytes.", len(m.Text))
	default:
		return m
	}
	kept := s.originals
	text := marker.Begin + why + s.reference("call", m.ID, m.Text)
	if began == "" {
		text += "]"
	} else {
		text += " It begins:]\n" + began
	}
	if all && len(text) >= len(m.Text) {
		s.originals = kept
		return m
	}
	m.Text = text
	return m
}

// lineNumber matches the number with which read begins a line.
var lineNumber = regexp.MustCompile(`(?m)^ *([0-9]+)\t`)

// readLines names the file and the lines that a result of read shows; empty if it shows none, or
// is no result of read. The model can read them again, so no copy is kept.
func readLines(m, call llm.Message) string {
	var args struct {
		Path string `json:"path"`
	}
	if call.Name != "read" || m.IsError || json.Unmarshal(call.Input, &args) != nil || args.Path == "" {
		return ""
	}
	numbers := lineNumber.FindAllStringSubmatch(m.Text, -1)
	if numbers == nil {
		return ""
	}
	return fmt.Sprintf("lines %s-%s of %s", numbers[0][1], numbers[len(numbers)-1][1], phrase.OneLine(args.Path, maxPath))
}

// access is a call that read or changed a file.
type access struct {
	at     int // index in the conversation
	id     string
	read   bool
	offset int // first line that was read
	size   int // of its result in bytes
}

// staleReads returns the calls in old, the beginning of msgs, whose results show a
// file that was read again or changed later: the paths by call ID.
func staleReads(old, msgs []llm.Message) map[string]string {
	results := map[string]llm.Message{}
	for _, m := range msgs {
		if m.Kind == llm.ToolResult && !m.IsError {
			results[m.ID] = m
		}
	}
	files := map[string][]access{}
	for i, m := range msgs {
		result, ok := results[m.ID]
		if m.Kind != llm.ToolCall || !ok {
			continue
		}
		var args struct {
			Path   string `json:"path"`
			Offset int    `json:"offset"`
		}
		if json.Unmarshal(m.Input, &args) != nil || args.Path == "" {
			continue
		}
		name := path.Clean(filepath.ToSlash(args.Path))
		files[name] = append(files[name], access{i, m.ID, m.Name == "read", max(args.Offset, 1), len(result.Text)})
	}
	stale := map[string]string{}
	for name, all := range files {
		for i, a := range all {
			if a.read && a.at < len(old) && superseded(a, all[i+1:]) {
				stale[a.id] = name
			}
		}
	}
	return stale
}

// superseded reports whether a later access makes the result of a obsolete. A smaller
// result does not: it may only say "unchanged" and refer to the result of a.
func superseded(a access, later []access) bool {
	for _, l := range later {
		if !l.read || l.offset <= a.offset && l.size >= a.size {
			return true
		}
	}
	return false
}

// withoutImage returns m with a note instead of its images. The file name of the
// original depends on the note.
func withoutImage(m llm.Message) llm.Message {
	if n := len(m.Images); n > 0 {
		m.Images = nil
		m.Text = strings.TrimLeft(m.Text+"\n", "\n") + "[" + phrase.Count(n, "image") + " cut]"
	}
	return m
}

// withoutImages returns msgs with a note instead of the images from message from on,
// which the provider rejected.
func withoutImages(msgs []llm.Message, from int) []llm.Message {
	out := append([]llm.Message(nil), msgs...)
	for i, m := range out[from:] {
		if n := len(m.Images); n > 0 {
			m.Images = nil
			m.Text = strings.TrimLeft(m.Text+"\n", "\n") + marker.Note("%s removed: the provider rejected it", phrase.Count(n, "image"))
			out[from+i] = m
		}
	}
	return out
}

// answers shortens the texts of the model before the last replies.
func (s *shortener) answers(msgs []llm.Message, replies int) []llm.Message {
	const long = 2 * keptResult
	out := append([]llm.Message(nil), msgs...)
	for i, m := range out[:oldPart(msgs, replies)] {
		if m.Kind == llm.Assistant && len(m.Text) > long && !s.isPinned(m) {
			out[i].Text = s.bothEnds("answer", m.Text, keptResult)
		}
	}
	return out
}
