// Package recording keeps the traffic with a model provider in a file, and plays it
// again without a network. Recorder and Player wrap the transport of package wire. They
// know nothing of dialects, except where a request has its messages.
//
// A recording has one JSON object per line: a Header, a Model for each connected model,
// and an Exchange for each request, in the order in which the responses ended.
package recording

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Format is the version of the format.
const Format = 1

// Header is the first line of a recording.
type Header struct {
	Recording int    `json:"recording"` // Format
	Program   string `json:"program"`   // version of the program
}

// Model is how a model was connected.
type Model struct {
	Name    string          `json:"model"`              // PROVIDER/NAME
	Dialect string          `json:"dialect"`            // wire format
	BaseURL string          `json:"base_url,omitempty"` // without secrets
	Info    json.RawMessage `json:"info,omitempty"`     // what the program knew about the model
}

// Exchange is a request and its response.
type Exchange struct {
	Request  Request  `json:"request"`
	Response Response `json:"response"`
}

// Request is a request without its secrets.
type Request struct {
	At      int64             `json:"at_ms"` // since the start of the recording
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	JSON    json.RawMessage   `json:"json,omitempty"` // the body
	Text    string            `json:"text,omitempty"` // the body, if it is not JSON
}

// Response is a response without its secrets.
type Response struct {
	After   int64             `json:"after_ms"` // from the request to the headers, or to the error
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    []Piece           `json:"body,omitempty"`
	// Error is why there is no response, or why its body is incomplete.
	Error string `json:"error,omitempty"`
}

// Piece is a part of a body, as it arrived.
type Piece struct {
	Wait int64  `json:"ms"` // since the previous piece, or the headers
	Text string `json:"text,omitempty"`
	Data []byte `json:"data,omitempty"` // in place of Text, if it is not UTF-8
}

func newPiece(wait int64, b []byte) Piece {
	if utf8.Valid(b) {
		return Piece{Wait: wait, Text: string(b)}
	}
	return Piece{Wait: wait, Data: slices.Clone(b)}
}

func (p Piece) bytes() []byte {
	if p.Data != nil {
		return p.Data
	}
	return []byte(p.Text)
}

// kept are the headers that a recording has. All others may hold secrets.
var kept = []string{
	"Accept", "Content-Type", "Content-Encoding", "Date", "Location", "Retry-After", "Retry-After-Ms", "Server", "User-Agent", "X-Should-Retry",
	"Anthropic-Version", "Anthropic-Beta", "Openai-Beta", "Openai-Processing-Ms", "Openai-Version", "Request-Id", "X-Request-Id",
}

func keptHeaders(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		if slices.Contains(kept, name) || strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Anthropic-Ratelimit-") {
			out[name] = strings.Join(values, ", ")
		}
	}
	if at := out["Location"]; at != "" {
		out["Location"] = redacted(at)
	}
	return out
}
