package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
)

// measureStart types a letter into a program that has just started.
func measureStart(b *testing.B) string {
	s := newPacer(b)
	var shown, cpu []time.Duration
	for range 21 {
		g := newHome(b, nil, s.env()...).gauge(b)
		g.send("q")
		shown = append(shown, g.wait("› q").Sub(g.started))
		cpu = append(cpu, g.cpu(b))
		g.close()
	}
	return millis(median(shown)) + "; " + seconds(median(cpu))
}

// measureServers returns how much later a typed character is shown if five MCP servers are
// configured. The programs of the servers never answer.
func measureServers(b *testing.B) string {
	s := newPacer(b)
	var servers []string
	for i := range 5 {
		servers = append(servers, fmt.Sprintf(`"s%d": {"command": "sleep", "args": ["1000"]}`, i))
	}
	start := func(configured bool) time.Duration {
		h := newHome(b, nil, s.env()...)
		if configured {
			h.configure(b, `{"mcp": {"servers": {`+strings.Join(servers, ", ")+`}}}`)
		} else {
			h.configure(b, `{"mcp": {"servers": {}}}`)
		}
		g := h.gauge(b)
		defer g.close()
		g.send("q")
		return g.wait("› q").Sub(g.started)
	}
	var none, five []time.Duration
	for range 21 {
		none, five = append(none, start(false)), append(five, start(true))
	}
	return millis(median(five) - median(none))
}

// measureIdle measures an idle program after one turn.
func measureIdle(b *testing.B) string {
	s := newPacer(b)
	s.next(play{tokens: []string{"All ", "is ", "well."}})
	g := newHome(b, nil, s.env()...).gauge(b)
	g.wait(ready)
	g.send("how are you" + enter)
	g.wait("All is well.")
	g.settle(2 * time.Second)
	cpu, bytes := g.cpu(b), g.written()
	time.Sleep(10 * time.Second)
	cpu, bytes = g.cpu(b)-cpu, g.written()-bytes
	return mebibytes(g.memory(b)) + "; " + millis(cpu) + "; " + kibibytes(bytes)
}

func measureKey(b *testing.B) string {
	g := newHome(b, nil, newPacer(b).env()...).gauge(b)
	return millis(g.typing(200))
}

func measureKeyStreaming(b *testing.B) string {
	s := newPacer(b)
	return millis(newHome(b, nil, s.env()...).gauge(b).typingInto(s))
}

// measureKeyLong measures typing with and without an answer that streams, in a
// session of 10,000 messages.
func measureKeyLong(b *testing.B) string {
	s := newPacer(b)
	g, _ := longSession(b, s, 500)
	rest := g.typing(200)
	return millis(rest) + "; " + millis(g.typingInto(s))
}

// longSession opens a session of 10,000 messages of about size bytes each and
// returns how long that took.
func longSession(b *testing.B, s *pacer, size int) (*gauge, time.Duration) {
	b.Helper()
	h := newHome(b, nil, s.env()...)
	dir, err := history.Dir(func(name string) string { return map[string]string{"HOME": h.dir}[name] })
	if err != nil {
		b.Fatal(err)
	}
	h.configure(b, `{"catalog": {"openai/gpt-5.1": {"context": 100000000}}}`) // nothing is summarized
	written(b, history.Open(dir), history.Header{ID: "long", Dir: h.work}, 10_000, size)
	g := h.gauge(b, "--resume", "long")
	return g, g.wait("answer number 9995").Sub(g.started)
}

// typing types letters, each after the last has appeared, and returns the 95th
// percentile of the delay.
func (g *gauge) typing(keys int) time.Duration {
	g.b.Helper()
	g.wait(ready)
	g.settle(300 * time.Millisecond)
	return quantile(g.letters(keys), 0.95)
}

// typingInto types while an answer streams.
func (g *gauge) typingInto(s *pacer) time.Duration {
	g.b.Helper()
	g.wait(ready)
	s.next(play{tokens: speech(1000), every: 5 * time.Millisecond, hold: true})
	g.send("talk" + enter)
	g.wait("What happens to the timeout")
	took := g.letters(200)
	g.send(ctrlC)
	g.get(drain(s.dropped))
	return quantile(took, 0.95)
}

// drain returns c in a form for get.
func drain(c chan time.Time) <-chan time.Time { return c }

// letters types letters into the editor, clears it now and then, and returns the
// delay of each.
func (g *gauge) letters(keys int) (took []time.Duration) {
	g.b.Helper()
	const all = "zqxjkvwp"
	line := "› "
	for i := range keys {
		letter := string(all[i%len(all)])
		line += letter
		seen := g.expect(line)
		sent := g.send(letter)
		took = append(took, g.get(seen).Sub(sent))
		// Not in step with anything periodic in the program.
		time.Sleep(time.Duration(11+i*7%23) * time.Millisecond)
		if i%40 == 39 {
			g.send("\x15") // ctrl+u
			g.settle(50 * time.Millisecond)
			line = "› "
		}
	}
	return took
}
