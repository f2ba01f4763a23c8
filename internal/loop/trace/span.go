package trace

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// The kinds of spans.
const (
	internal = 1
	client   = 3
)

// span is an OTLP span. In OTLP/JSON, IDs are hex, and 64-bit integers are text.
type span struct {
	TraceID    string      `json:"traceId"`
	ID         string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      nanoseconds `json:"startTimeUnixNano"`
	End        nanoseconds `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes,omitempty"`
	Status     status      `json:"status"`
}

type status struct {
	Code    int    `json:"code,omitempty"` // failed, or 0
	Message string `json:"message,omitempty"`
}

// failed is the Code of a failed span.
const failed = 2

type nanoseconds time.Time

// MarshalJSON writes the time since 1970.
func (t nanoseconds) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatInt(time.Time(t).UnixNano(), 10) + `"`), nil
}

// attribute is a named string, int, float64, bool or []string.
type attribute struct {
	key   string
	value any
}

// MarshalJSON writes the value with its type.
func (a attribute) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"key": a.key, "value": typed(a.value)})
}

func typed(value any) map[string]any {
	switch v := value.(type) {
	case int:
		return map[string]any{"intValue": strconv.Itoa(v)}
	case float64:
		return map[string]any{"doubleValue": v}
	case bool:
		return map[string]any{"boolValue": v}
	case []string:
		values := []any{}
		for _, text := range v {
			values = append(values, typed(text))
		}
		return map[string]any{"arrayValue": map[string]any{"values": values}}
	}
	return map[string]any{"stringValue": value}
}

// child returns a new span below s.
func (s *span) child(name string, kind int, start time.Time) *span {
	return &span{TraceID: s.TraceID, ID: newID(8), Parent: s.ID, Name: name, Kind: kind, Start: nanoseconds(start)}
}

// set adds an attribute, unless its value is empty or 0.
func (s *span) set(key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case int:
		if v == 0 {
			return
		}
	case *float64:
		if v == nil {
			return
		}
		value = *v
	}
	s.Attributes = append(s.Attributes, attribute{key, value})
}

// fail marks s as failed with an error of the given type.
func (s *span) fail(kind, message string) {
	s.set("error.type", kind)
	s.Status = status{failed, message}
}

// newID returns a random ID of n bytes in hex.
func newID(n int) string {
	id := make([]byte, n)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// request returns the line for a span: an OTLP request (ExportTraceServiceRequest).
func request(s *span, version string) ([]byte, error) {
	type object = map[string]any
	line, err := json.Marshal(object{"resourceSpans": []any{object{
		"resource": object{"attributes": []attribute{{"service.name", "agent"}, {"service.version", version}}},
		"scopeSpans": []any{object{
			"scope": object{"name": "agent", "version": version},
			"spans": []any{s},
		}},
	}}})
	return append(line, '\n'), err
}
