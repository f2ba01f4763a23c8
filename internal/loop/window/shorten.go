package window

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
)

const (
	// Longer content is shortened. All sizes are in bytes.
	longResult   = 2 << 10
	longRead     = 400 // result of reading a file that was read again or changed later
	longThinking = 400
	longInput    = 200 // string in the arguments of a call

	keptResult = 300 // beginning of a result that is kept
	keptPrefix = 100 // beginning of a string or of thinking that is kept
)

// Shorten returns msgs with the content before the last replies shortened. Long
// thinking and arguments are truncated. Long results, and results of reading
// files that were read again or changed later, become a reference. Signed or
// encrypted thinking is dropped or kept, never truncated. Messages of the user
// and answers stay.
//
// References name files in the directory outputs, which the caller fills with
// the originals; if outputs is empty, they name none. Nothing is shortened twice,
// and the same messages are always shortened the same way.
func Shorten(msgs []llm.Message, replies int, outputs string) ([]llm.Message, []Original) {
	old := oldPart(msgs, replies)
	out := make([]llm.Message, 0, len(msgs))
	var originals []Original
	stale := staleReads(msgs[:old], msgs)
	for _, m := range msgs[:old] {
		switch m.Kind {
		case llm.Thinking:
			if m.Opaque != nil || m.Cut {
				continue
			}
			if len(m.Text) > longThinking {
				m.Text = beginning(m.Text)
			}
		case llm.ToolCall:
			m.Input, m.Raw = cutInput(m.Input), cutString(m.Raw)
		case llm.ToolResult:
			m = withoutImages(m)
			if short, ok := cutResult(m, stale[m.ID]); ok {
				name := nameOf(m)
				originals = append(originals, Original{Name: name, Text: m.Text})
				m.Text = short.words(outputs, name)
			}
		}
		out = append(out, m)
	}
	return append(out, msgs[old:]...), originals
}

// Original is the full text of a result that was replaced with a reference.
type Original struct {
	Name string // of its file
	Text string
}

// oldPart returns how many messages are older than the last replies.
func oldPart(msgs []llm.Message, replies int) int {
	n := 0
	for i := len(msgs) - 1; i >= 0; i-- {
		if !byModel(msgs[i]) || i > 0 && byModel(msgs[i-1]) && msgs[i-1].Reply == msgs[i].Reply {
			continue
		}
		if n++; n == replies {
			return i
		}
	}
	return 0
}

// byModel reports whether the model wrote m.
func byModel(m llm.Message) bool {
	return m.Kind == llm.Assistant || m.Kind == llm.Thinking || m.Kind == llm.ToolCall
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

// superseded reports whether a later access makes the result of a obsolete. A later
// result that says "unchanged" is smaller than that of a, to which it refers, and
// does not.
func superseded(a access, later []access) bool {
	for _, l := range later {
		if !l.read || l.offset <= a.offset && l.size >= a.size {
			return true
		}
	}
	return false
}

// withoutImages returns m with a note instead of its images. nameOf depends on the note.
func withoutImages(m llm.Message) llm.Message {
	if n := len(m.Images); n > 0 {
		m.Images = nil
		m.Text = strings.TrimLeft(m.Text+"\n", "\n") + "[" + phrase.Count(n, "image") + " cut]"
	}
	return m
}

// shortResult is the reference that replaces a result.
type shortResult struct {
	why   string
	began string // beginning of the result; empty if it is stale
}

// cutResult returns the reference that replaces the result m. It reports false if m
// stays.
func cutResult(m llm.Message, stale string) (shortResult, bool) {
	switch {
	case strings.HasPrefix(m.Text, marker.Begin):
	case stale != "" && len(m.Text) > longRead:
		return shortResult{why: stale + " was read again or changed later."}, true
	case len(m.Text) > longResult:
		return shortResult{fmt.Sprintf("the result had %d bytes.", len(m.Text)), Prefix(m.Text, keptResult)}, true
	}
	return shortResult{}, false
}

// words formats the reference. It names the file with the original, if there is one.
func (r shortResult) words(outputs, name string) string {
	text := marker.Begin + r.why
	if outputs != "" {
		text += " Full text: " + filepath.Join(outputs, name) + "."
	}
	if r.began == "" {
		return text + "]"
	}
	return text + " It begins:]\n" + r.began
}

// nameOf returns the file name for the original of a result. It depends on the text,
// because the ID of a call may be used again after a rewind.
func nameOf(m llm.Message) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, Prefix(m.ID, 64))
	return fmt.Sprintf("call-%s-%.4x.txt", safe, hash(m.Text))
}

// hash returns the SHA-256 of text without copying text.
func hash(text string) []byte {
	h := sha256.New()
	var part [4 << 10]byte
	for len(text) > 0 {
		n := copy(part[:], text)
		h.Write(part[:n])
		text = text[n:]
	}
	return h.Sum(nil)
}

// cutInput returns the arguments of a call with long strings truncated.
func cutInput(input json.RawMessage) json.RawMessage {
	if len(input) <= longInput {
		return input
	}
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	var v map[string]any
	if d.Decode(&v) != nil {
		return input
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(cutValue(v)) != nil || b.Len() >= len(input) {
		return input
	}
	return bytes.TrimSpace(b.Bytes())
}

func cutValue(v any) any {
	switch v := v.(type) {
	case string:
		return cutString(v)
	case []any:
		for i := range v {
			v[i] = cutValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = cutValue(v[k])
		}
	}
	return v
}

func cutString(s string) string {
	if len(s) <= longInput {
		return s
	}
	return beginning(s)
}

// beginning returns the beginning of s with a note that it is truncated.
func beginning(s string) string {
	return fmt.Sprintf("%s… [truncated, %d bytes]", Prefix(s, keptPrefix), len(s))
}

// Prefix returns at most the first n bytes of s, without a partial character.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
