package llm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/text"
	"agent/internal/llm/wire/wiretest"
	"agent/internal/sampling"
)

// TestDecodeAnyOrder decodes the events of each recording shuffled, dropped and
// repeated, and mixed with the events of the other recordings of its dialect. A server
// may send anything: the decoder must not panic, it must end with a Finish or an error,
// and what it decoded must be possible to send again.
func TestDecodeAnyOrder(t *testing.T) {
	rounds := 5
	if sampling.Whole() {
		rounds = 40
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		var all []string
		recorded := map[string][]string{}
		for name := range d.answers() {
			recorded[name] = eventsOf(d.recording(t, name))
			all = append(all, recorded[name]...)
		}
		slices.Sort(all)
		for name, events := range recorded {
			t.Run(name, func(t *testing.T) {
				for seed := range uint64(rounds) {
					r := rand.New(rand.NewPCG(seed, uint64(len(events))))
					mixed := disorder(r, events)
					if seed%2 == 1 {
						for range 1 + r.IntN(4) {
							mixed = slices.Insert(mixed, r.IntN(len(mixed)+1), all[r.IntN(len(all))])
						}
					}
					for i, event := range mixed {
						mixed[i] = disorderBlocks(r, event)
					}
					d.checkDisorder(t, seed, strings.Join(mixed, "\n\n")+"\n\n")
				}
			})
		}
	})
}

// checkDisorder decodes body, also with tool calls in its text.
func (d dialect) checkDisorder(t *testing.T, seed uint64, body string) {
	t.Helper()
	defer func() {
		if failure := recover(); failure != nil {
			t.Fatalf("seed %d: panic: %v\n%s", seed, failure, body)
		}
	}()
	for _, decode := range []func(io.Reader) iter.Seq2[llm.Delta, error]{
		d.decode,
		func(r io.Reader) iter.Seq2[llm.Delta, error] { return text.Decode(d.decode(r), text.Tagged) },
		func(r io.Reader) iter.Seq2[llm.Delta, error] { return text.Decode(d.decode(r), text.ReAct) },
	} {
		got := wiretest.Collect(decode(strings.NewReader(body)))
		switch {
		case got.Err == nil && got.Finish.Reason == "":
			t.Errorf("seed %d: neither an error nor a finish\n%s", seed, body)
		case got.Err != nil && (got.Err.Kind == "" || got.Err.Message == ""):
			t.Errorf("seed %d: an empty error: %#v\n%s", seed, got.Err, body)
		}
		for _, search := range []bool{false, true} {
			if req, err := d.request(llm.Request{Messages: got.Messages, WebSearch: search}); err != nil || !json.Valid(req) {
				t.Errorf("seed %d: sent again it is %s, %v\n%s", seed, req, err, body)
			}
		}
	}
}

// eventsOf returns the events of a recorded response.
func eventsOf(body []byte) []string {
	body = bytes.ReplaceAll(body, []byte("\r"), nil)
	return strings.Split(strings.Trim(string(body), "\n"), "\n\n")
}

// disorder returns list shuffled in part, with some elements dropped and some repeated.
func disorder[T any](r *rand.Rand, list []T) []T {
	var out []T
	for _, x := range list {
		for range []int{0, 1, 1, 1, 1, 1, 1, 2}[r.IntN(8)] {
			out = append(out, x)
		}
	}
	for range r.IntN(len(out) + 1) {
		i, j := r.IntN(len(out)), r.IntN(len(out))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// disorderBlocks returns an event with the elements of its JSON lists in disorder, most
// often unchanged.
func disorderBlocks(r *rand.Rand, event string) string {
	if r.IntN(3) > 0 {
		return event
	}
	head, data, ok := strings.Cut(event, "data: ")
	if !ok {
		head, data = "", event
	} else {
		head += "data: "
	}
	var v any
	if json.Unmarshal([]byte(data), &v) != nil {
		return event
	}
	changed, err := json.Marshal(disorderLists(r, v))
	if err != nil {
		return event
	}
	return head + string(changed)
}

// disorderLists returns a JSON value with its lists in disorder.
func disorderLists(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			v[key] = disorderLists(r, v[key])
		}
	case []any:
		for i := range v {
			v[i] = disorderLists(r, v[i])
		}
		return disorder(r, v)
	}
	return v
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
