package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/jsonrpc"
)

// What is known of a message that is too long comes from its beginning or its end.
func TestLongLines(t *testing.T) {
	x := strings.Repeat("x", 300_000)
	for text, want := range map[string]jsonrpc.Long{
		`{"jsonrpc":"2.0","id":7,"method":"m","params":{"x":"` + x + `"}}`: {ID: json.RawMessage("7"), Asks: true},
		`{"jsonrpc":"2.0","method":"m","params":["` + x + `"],"id":"a"}`:   {ID: json.RawMessage(`"a"`), Asks: true},
		`{"params":["` + x + `"],"method":"m","id":7,"jsonrpc":"2.0"}`:     {ID: json.RawMessage("7")},
		`{"method":"m","params":["` + x + `"]}`:                            {Asks: true},
		`{"id":7,"result":"` + x + `"}`:                                    {ID: json.RawMessage("7"), Answers: true},
		`{"error":{"message":"` + x + `"}, "id" : 7 }`:                     {ID: json.RawMessage("7"), Answers: true},
		`{"id":7,"x":"` + x + `"}`:                                         {ID: json.RawMessage("7")},
		x:                                                                  {},
	} {
		lines := jsonrpc.NewLines(strings.NewReader("first\n"+text+"\nlast"), 100_000, 0)
		if line, long, err := lines.Next(); string(line) != "first\n" || long != nil || err != nil {
			t.Errorf("the first line is %q, %v, %v", line, long, err)
		}
		line, long, err := lines.Next()
		if d := cmp.Diff(&want, long); d != "" || line != nil || err != nil {
			t.Errorf("%.60s: %v %s", text, err, d)
		}
		if line, long, err := lines.Next(); string(line) != "last" || long != nil || !errors.Is(err, io.EOF) {
			t.Errorf("the last line is %q, %v, %v", line, long, err)
		}
	}
	lines := jsonrpc.NewLines(strings.NewReader(x), 100_000, 100_000)
	if _, _, err := lines.Next(); !errors.Is(err, jsonrpc.ErrEndless) {
		t.Errorf("a line without an end gives %v", err)
	}
}

// Calls end with an answer, an error, their context or the connection.
func TestCalls(t *testing.T) {
	var sent []string
	var c *jsonrpc.Conn
	var answer func(m jsonrpc.Message)
	c = jsonrpc.New(t.Context(), jsonrpc.Options{
		Write: func(body []byte) error {
			sent = append(sent, string(body))
			if m, err := jsonrpc.Decode(body); err != nil {
				t.Error(err)
			} else if m.ID != nil && m.Method != "" {
				answer(m)
			}
			return nil
		},
		Handle: func(m jsonrpc.Message) {
			if err := c.Answer(m.ID, nil, errors.New("not known")); err != nil {
				t.Error(err)
			}
		},
		Cancel: func(id json.RawMessage) (string, any) { return "cancel", map[string]any{"id": id} },
	})
	answer = func(m jsonrpc.Message) { c.Receive(jsonrpc.Message{ID: m.ID, Result: json.RawMessage("[1]")}) }
	if got, err := c.Call(t.Context(), "a", nil); string(got) != "[1]" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	answer = func(m jsonrpc.Message) {
		c.Receive(jsonrpc.Message{ID: json.RawMessage("99"), Result: json.RawMessage("1")}) // no call waits for it
		c.Receive(jsonrpc.Message{ID: m.ID, Error: &jsonrpc.Error{Code: 5, Message: "no"}})
	}
	if _, err := c.Call(t.Context(), "b", []int{2}); err == nil || err.Error() != "no (code 5)" {
		t.Errorf("got %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	answer = func(jsonrpc.Message) { stop() }
	if _, err := c.Call(ctx, "c", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	c.Receive(jsonrpc.Message{ID: json.RawMessage("3"), Result: json.RawMessage("1")}) // too late
	c.Receive(jsonrpc.Message{ID: json.RawMessage(`"x"`), Method: "ask"})
	gone := errors.New("gone")
	answer = func(jsonrpc.Message) { c.End(gone) }
	if _, err := c.Call(t.Context(), "d", nil); !errors.Is(err, gone) || !errors.Is(c.Err(), gone) || c.Busy() {
		t.Errorf("got %v, %v", err, c.Err())
	}
	want := []string{
		`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":2,"method":"b","params":[2]}`,
		`{"jsonrpc":"2.0","id":3,"method":"c"}`, `{"jsonrpc":"2.0","method":"cancel","params":{"id":3}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"not known"}}`, `{"jsonrpc":"2.0","id":4,"method":"d"}`,
	}
	if d := cmp.Diff(want, sent); d != "" {
		t.Error(d)
	}
}
