package loop_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// streams are replies with an unusual or damaged encoding.
func streams() []fault {
	var all []fault
	add := func(n int, name string, scene func(*stage, phase) scene) {
		all = append(all, fault{n: n, name: name, scene: scene})
	}
	add(37, "noise", reframed(func(s string) string {
		noise := ": OPENROUTER PROCESSING\n\nretry: 10\n\nid: 7\n\nevent: surprise\ndata: {\"type\":\"surprise\",\"x\":1}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nnonsense\n\n"
		return noise + strings.ReplaceAll(s, "\n\n", "\n\n"+noise)
	}))
	for name, change := range map[string]func(string) string{
		"CRLF":                 func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":                   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"no space":             func(s string) string { return strings.ReplaceAll(s, "data: ", "data:") },
		"a byte order mark":    func(s string) string { return "\ufeff" + s },
		"data over many lines": func(s string) string { return strings.ReplaceAll(s, `,"`, ",\ndata: \"") },
	} {
		add(38, name, reframed(change))
	}
	add(39, "byte by byte", func(st *stage, p phase) scene {
		stream, want := whole(st, p)
		return scene{acts: []act{stream200("text/event-stream", bytewise(stream)...)}, want: want}
	})
	add(39, "split at every byte", everySplit)
	add(40, "UTF-8 over chunks", func(st *stage, p phase) scene {
		stream, want := whole(st, p)
		return scene{acts: []act{stream200("text/event-stream", letters(stream)...)}, want: want}
	})
	add(40, "bytes that are no UTF-8", func(st *stage, p phase) scene {
		stream, want := whole(st, p)
		return scene{acts: []act{sse(strings.ReplaceAll(stream, "ü", "\xfc"))}, want: strings.ReplaceAll(want, "ü", "\ufffd")}
	})
	add(42, "very many deltas", tiny)
	add(43, "an event that is no JSON", unreadable)
	return all
}

// reframed is a complete reply with another framing.
func reframed(change func(string) string) func(*stage, phase) scene {
	return func(st *stage, p phase) scene {
		stream, want := whole(st, p)
		return scene{acts: []act{stream200("text/event-stream", change(stream))}, want: want}
	}
}

// letters splits a stream within each multi-byte character.
func letters(stream string) []string {
	var out []string
	from := 0
	for i := 1; i < len(stream); i++ {
		if stream[i]&0xc0 == 0x80 {
			out = append(out, stream[from:i])
			from = i
		}
	}
	return append(out, stream[from:])
}

// everySplit reads a reply in two parts, split at each byte.
func everySplit(st *stage, p phase) scene {
	stream, want := whole(st, p)
	return scene{acts: []act{sse(stream)}, want: want, check: func(t *testing.T, _ played) {
		body := &pieces{}
		at := wire.Endpoint{Base: "http://127.0.0.1/v1", Transport: body}
		provider := st.d.provider(at)
		defer provider.Close()
		read := func(cut int) string {
			body.parts = []string{stream[:cut], stream[cut:]}
			reply := llm.NewReply("r")
			for d, err := range provider.Stream(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Kind: llm.User, Text: "go"}}}) {
				if err != nil {
					return fmt.Sprint("cut at ", cut, ": ", err)
				}
				reply.Add(d)
			}
			var b strings.Builder
			for _, m := range reply.Messages() {
				fmt.Fprintln(&b, line(m))
			}
			return fmt.Sprintf("%s%+v", &b, reply.Finish)
		}
		want := read(0)
		for cut := range stream {
			if d := cmp.Diff(read(cut), want); d != "" {
				t.Fatalf("cut at %d: got, want:\n%s", cut, d)
			}
		}
	}}
}

// pieces responds to every request with one body in the given parts.
type pieces struct{ parts []string }

func (b *pieces) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	var readers []io.Reader
	for _, p := range b.parts {
		readers = append(readers, bytes.NewReader([]byte(p)))
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(io.MultiReader(readers...)), Request: r}, nil
}

// unreadable is a reply with an event that is not JSON. Its text is kept; its calls
// cannot be trusted.
func unreadable(st *stage, p phase) scene {
	stream, want := whole(st, p)
	all := events(stream)
	all = append(all[:2:2], append([]string{"data: {\"type\":\"content_block_delta\",\"choices\":[{\"delta\":{\n\n"}, all[2:]...)...)
	if p == inTool {
		want = `
			call c1 look {"text":"Grüße"} (cut)
			notice test: a part of the answer could not be read, so its tool calls cannot be trusted. No tool call of this reply was run. Asking the model to repeat it.
			end c1 "look Grüße" interrupted: not run: the reply was cut off
			auto "` + callAgain + `"` + again(2)
	}
	return scene{acts: []act{sse(strings.Join(all, ""))}, want: want}
}

// bytewise splits a stream after each byte.
func bytewise(stream string) []string {
	out := make([]string, len(stream))
	for i := range len(stream) {
		out[i] = stream[i : i+1]
	}
	return out
}
