package loop_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop"
	"agent/internal/loop/event"
)

// endless is a response with a line of 100 MB, which is rejected after 8 MB and takes
// little memory.
func endless(st *stage, p phase) scene {
	stream, shown := half(st, p)
	mega := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
	var before runtime.MemStats
	return scene{acts: []act{broken(stream, func(l *peer) bool {
		l.shown(shown)
		runtime.ReadMemStats(&before)
		l.chunk("data: {\"filler\":\"")
		for range 100 {
			if !l.write(mega) {
				break
			}
		}
		return false
	})}, want: cutBy(p, overfull, ""), check: func(t *testing.T, _ played) {
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		const most = 64 << 20 // the buffer doubles up to 8 MiB and beyond
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("it took %d MiB", took>>20)
		}
	}}
}

// tiny is a reply of very many deltas, which do not repeat. None may be lost.
func tiny(st *stage, p phase) scene {
	pieces := make([]string, veryMany)
	var all strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for i := range pieces {
		pieces[i] = string(rune('a'+random.IntN(26))) + " "
		all.WriteString(pieces[i])
	}
	stream, want := said(st.d, pieces...), fmt.Sprintf(`
		assistant %q
		turn done
		requests 1`, all.String())
	if p == inTool {
		pieces = append(append([]string{`{"text":"`}, pieces...), `"}`)
		stream = st.d.begin() + st.d.call(0, "c1", "look", pieces...) + st.d.end(0) + ended(st.d, llm.Calls)
		want = fmt.Sprintf(`
			call c1 look {"text":"%s"}
			start c1 "look %s"
			end c1 "look %s" ok: did %s`, all.String(), all.String(), all.String(), all.String()) + again(2)
	}
	still := func(o *loop.Options) { o.Clock.Now = func() time.Time { return noon } }
	return scene{acts: []act{stream200("text/event-stream", pages(stream)...)}, options: still, want: want, check: func(t *testing.T, p played) {
		got := 0
		for _, e := range p.events {
			if s, ok := e.(event.Streamed); ok {
				switch d := s.Delta.(type) {
				case llm.TextDelta:
					got += len(d.Text)
				case llm.CallDelta:
					got += len(d.Args)
				}
			}
		}
		if want := 2 * veryMany; got < want {
			t.Errorf("%d bytes were shown as they came, want %d", got, want)
		}
	}}
}

// pages splits a long stream into larger chunks.
func pages(stream string) []string {
	const size = 16 << 10
	var out []string
	for len(stream) > size {
		out, stream = append(out, stream[:size]), stream[size:]
	}
	return append(out, stream)
}
