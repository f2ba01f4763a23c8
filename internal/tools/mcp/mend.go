package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mend returns a message of a server with its content in a form that the SDK decodes. The SDK
// rejects a whole result because of one block of an unknown type or with damaged data: here
// such a block becomes a text that names it. A result that is only a content gets its envelope.
// Other messages are returned as they are.
func mend(message []byte) []byte {
	_, after, found := bytes.Cut(message, []byte(`"result"`))
	if !found || !isContent(bytes.TrimLeft(after, ": \t\r\n")) && !bytes.Contains(message, []byte(`"content`)) {
		return message
	}
	var envelope, result map[string]json.RawMessage
	if json.Unmarshal(message, &envelope) != nil {
		return message
	}
	changed := isContent(envelope["result"])
	if changed {
		result = map[string]json.RawMessage{"content": envelope["result"]}
	} else if json.Unmarshal(envelope["result"], &result) != nil {
		return message
	}
	replace := func(in map[string]json.RawMessage, key string, with json.RawMessage, ok bool) {
		if ok {
			in[key], changed = with, true
		}
	}
	if content, ok := result["content"]; ok {
		with, ok := mendBlocks(content)
		replace(result, "content", with, ok)
		isError, given := result["isError"]
		replace(result, "isError", encode(claimsError(isError)), given && string(isError) != "true" && string(isError) != "false")
	}
	if contents, ok := result["contents"]; ok {
		with, ok := mendContents(contents)
		replace(result, "contents", with, ok)
	}
	if messages, ok := result["messages"]; ok {
		with, ok := mendMessages(messages)
		replace(result, "messages", with, ok)
	}
	if meta, given := result["_meta"]; given && fieldsOf(meta) == nil {
		delete(result, "_meta")
		changed = true
	}
	if !changed {
		return message
	}
	var err error
	if envelope["result"], err = json.Marshal(result); err != nil {
		return message
	}
	mended, err := json.Marshal(envelope)
	if err != nil {
		return message
	}
	return mended
}

// isContent reports whether a value in JSON is a text or a list.
func isContent(value []byte) bool { return len(value) > 0 && (value[0] == '"' || value[0] == '[') }

// claimsError reports whether a server says in another form than true that a call failed.
func claimsError(value json.RawMessage) bool {
	text := strings.ToLower(string(value))
	return text == `"true"` || text == "1"
}

// mendBlocks mends the content of a result. Changed is false if the SDK decodes it.
func mendBlocks(content json.RawMessage) (mended json.RawMessage, changed bool) {
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil { // a single block
		blocks, changed = []json.RawMessage{content}, true
	}
	out := []json.RawMessage{}
	for _, b := range blocks {
		if string(b) == "null" {
			changed = true
			continue
		}
		with, ok := mendBlock(b)
		out, changed = append(out, with), changed || ok
	}
	return encode(out), changed
}

// mendMessages mends the content of the messages of a prompt.
func mendMessages(messages json.RawMessage) (mended json.RawMessage, changed bool) {
	var all []map[string]json.RawMessage
	if json.Unmarshal(messages, &all) != nil {
		return nil, false
	}
	for _, m := range all {
		if with, ok := mendBlock(m["content"]); ok && m["content"] != nil {
			m["content"], changed = with, true
		}
	}
	return encode(all), changed
}

// mendContents mends the contents of a resource.
func mendContents(contents json.RawMessage) (mended json.RawMessage, changed bool) {
	var all []json.RawMessage
	if json.Unmarshal(contents, &all) != nil {
		all, changed = []json.RawMessage{contents}, true
	}
	out := []any{}
	for _, c := range all {
		var r sdk.ResourceContents
		if json.Unmarshal(c, &r) == nil {
			out = append(out, c)
			continue
		}
		changed = true
		f := fieldsOf(c)
		text := f.text("text")
		if text == "" {
			text = fmt.Sprintf("[resource %s, not shown: its data is damaged]", clipped(f.text("uri")))
		}
		out = append(out, sdk.ResourceContents{URI: f.text("uri"), Text: text})
	}
	return encode(out), changed
}

// mendBlock mends a block of content. Changed is false if the SDK decodes it.
func mendBlock(block json.RawMessage) (mended json.RawMessage, changed bool) {
	var text string
	if json.Unmarshal(block, &text) == nil {
		return textBlock(text), true
	}
	f := fieldsOf(block)
	if f == nil {
		return textBlock(string(block)), true
	}
	kind := f.text("type")
	if decodes(block) && kind != "tool_use" && kind != "tool_result" { // these two belong to another request
		return block, false
	}
	switch text = f.text("text"); kind {
	case "text":
		if text == "" {
			text = string(f["text"])
		}
		return textBlock(text), true
	case "image", "audio":
		what := strings.TrimSuffix(kind+", "+clipped(f.text("mimeType")), ", ")
		return textBlock("[" + what + ", not shown: its data is damaged]"), true
	case "resource":
		inner := fieldsOf(f["resource"])
		if text = inner.text("text"); text != "" {
			return textBlock("[resource " + clipped(inner.text("uri")) + "]\n" + text), true
		}
		return textBlock(fmt.Sprintf("[resource %s, not shown: its data is damaged]", clipped(inner.text("uri")))), true
	case "resource_link":
		return textBlock("[resource " + clipped(strings.Join(strings.Fields(f.text("uri")+" "+f.text("name")+" "+f.text("description")), " ")) + "]"), true
	case "":
		if text != "" {
			return textBlock(text), true
		}
	}
	note := fmt.Sprintf("[content of the unknown type %q, not shown]", clipped(kind))
	if text != "" {
		note = fmt.Sprintf("[content of the unknown type %q]\n%s", clipped(kind), text)
	}
	return textBlock(note), true
}

// decodes reports whether the SDK decodes a block.
func decodes(block json.RawMessage) bool {
	var r sdk.CallToolResult
	return json.Unmarshal(encode(map[string]any{"content": []json.RawMessage{block}}), &r) == nil
}

// fields are the fields of a JSON object.
type fields map[string]json.RawMessage

// fieldsOf returns the fields of an object; nil if object is something else.
func fieldsOf(object json.RawMessage) (f fields) {
	if json.Unmarshal(object, &f) != nil {
		return nil
	}
	return f
}

// text returns a field that is a string; empty if it is not.
func (f fields) text(name string) (s string) {
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

// textBlock returns a block of text.
func textBlock(text string) json.RawMessage {
	return encode(map[string]string{"type": "text", "text": text})
}

// encode returns v as JSON. Its values are strings and JSON that was decoded before.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

// mendBody returns the body of an HTTP response with its messages mended: one message, or the
// events of a stream.
// ID is that of the request, which may be nil: it gets an error if an answer is too long.
func mendBody(body io.ReadCloser, events bool, requests *unanswered, id json.RawMessage) io.ReadCloser {
	return &mendedBody{ReadCloser: body, in: bufio.NewReader(body), events: events, requests: requests, id: id}
}

// mendedBody is the body of an HTTP response. The body below limits its size.
type mendedBody struct {
	io.ReadCloser
	in     *bufio.Reader
	events bool
	// requests fails the stream if the server sends too many requests.
	requests *unanswered
	id       json.RawMessage // see mendBody
	lines    []byte          // with the data of the current event
	data     []byte          // in lines
	ready    []byte          // mended
	err      error           // after ready
}

func (b *mendedBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		switch {
		case b.err != nil:
			return 0, b.err
		case b.events:
			b.readLine()
		default:
			b.ready, b.err = io.ReadAll(b.in)
			switch {
			case b.err == nil:
				b.ready, b.err = mend(b.ready), io.EOF
			case errors.Is(b.err, errTooLong) && b.findID(b.ready):
				b.ready, b.err = tooLongAnswer(b.id), io.EOF
			}
		}
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// readLine reads a line of a stream of events. The lines with data are ready once another
// line follows.
func (b *mendedBody) readLine() {
	var line []byte
	line, b.err = b.in.ReadBytes('\n')
	if errors.Is(b.err, errTooLong) && b.findID(append(b.data, bytes.TrimPrefix(line, []byte("data:"))...)) {
		b.ready, b.err = fmt.Appendf(nil, "data: %s\n\n", tooLongAnswer(b.id)), io.EOF
		return
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && b.err == nil {
		b.lines, b.data = append(b.lines, line...), append(b.data, data...)
		return
	}
	if err := b.requests.read(b.data); err != nil {
		b.err = err
		return
	}
	if mended := mend(b.data); !bytes.Equal(mended, b.data) {
		b.lines = append(append([]byte("data: "), mended...), '\n')
	}
	b.ready = append(b.lines, line...)
	b.lines, b.data = nil, nil
}

// findID finds the ID of the request that an incomplete message answers, and reports whether
// there is one.
func (b *mendedBody) findID(begin []byte) bool {
	if b.id == nil {
		b.id = answeredID(begin)
	}
	return b.id != nil
}
