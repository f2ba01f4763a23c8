package main

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// measureDelta sends short prompts.
func measureDelta(b *testing.B) string {
	s := newPacer(b)
	g := newHome(b, nil, s.env()...).gauge(b)
	g.wait(ready)
	var took []time.Duration
	for i := range 21 {
		text := fmt.Sprintf("piece%d", i)
		s.next(play{tokens: []string{text, " and", " another"}, every: 100 * time.Millisecond})
		seen := g.expect(text)
		g.send("go" + enter)
		took = append(took, g.get(seen).Sub(<-s.first))
		g.settle(500 * time.Millisecond)
	}
	return millis(median(took))
}

// measureStream streams an answer as fast as a fast model, three times, and reports
// the smallest cost and lag, because other processes on the machine can slow down a
// run for seconds.
func measureStream(b *testing.B) string {
	var lags, cpu []time.Duration
	var written []int64
	for range 3 {
		s := newPacer(b)
		g := newHome(b, nil, s.env()...).gauge(b)
		g.wait(ready)
		g.settle(300 * time.Millisecond)
		l := newLag(2000)
		s.next(play{tokens: append(numbered(speech(2000)), "\n\n```\n\nend of all"), every: 5 * time.Millisecond, send: l.send})
		before, bytes := g.cpu(b), g.written()
		g.observe(l.show)
		g.send("talk" + enter)
		g.wait("end of all")
		g.settle(300 * time.Millisecond)
		cpu, written = append(cpu, g.cpu(b)-before), append(written, int64(g.written()-bytes))
		lags = append(lags, l.median(b))
		g.close()
	}
	return millis(slices.Min(lags)) + "; " + seconds(slices.Min(cpu)) + "; " + kibibytes(int(median(written)))
}

// lag records when each numbered token was sent and when it first appeared.
type lag struct {
	mu   sync.Mutex
	sent []time.Time
	seen map[int]time.Duration
}

func newLag(tokens int) *lag {
	return &lag{sent: make([]time.Time, tokens+1), seen: map[int]time.Duration{}}
}

func (l *lag) send(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[i] = time.Now()
}

func (l *lag) show(screen string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := screen; ; {
		_, after, ok := strings.Cut(rest, "x")
		if !ok {
			return
		}
		rest = after
		i, err := strconv.Atoi(rest[:min(4, len(rest))])
		if _, seen := l.seen[i]; err == nil && !seen && i < len(l.sent) {
			l.seen[i] = at.Sub(l.sent[i])
		}
	}
}

// median returns the median lag.
func (l *lag) median(b *testing.B) time.Duration {
	b.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if least := len(l.sent) / 4; len(l.seen) < least {
		b.Fatalf("%d numbered tokens were seen on the screen, want at least %d", len(l.seen), least)
	}
	return median(slices.Collect(maps.Values(l.seen)))
}

// measureBurst receives an answer at full loopback speed.
func measureBurst(b *testing.B) string {
	var took, cpu []time.Duration
	var peak []float64
	for range 5 {
		s := newPacer(b)
		g := newHome(b, nil, s.env()...).gauge(b)
		g.wait(ready)
		g.settle(300 * time.Millisecond)
		s.next(play{tokens: append(speech(20_000), "\n\n```\n\nend of all")})
		before, seen := g.cpu(b), g.expect("end of all")
		g.send("talk" + enter)
		end := g.get(seen)
		took = append(took, end.Sub(<-s.first))
		g.settle(300 * time.Millisecond)
		cpu, peak = append(cpu, g.cpu(b)-before), append(peak, g.peak(b))
		g.close()
	}
	return seconds(median(took)) + "; " + seconds(median(cpu)) + "; " + mebibytes(median(peak))
}

// measureCancel interrupts answers and types immediately afterwards.
func measureCancel(b *testing.B) string {
	s := newPacer(b)
	g := newHome(b, nil, s.env()...).gauge(b)
	g.wait(ready)
	var dropped, typed []time.Duration
	for range 15 {
		s.next(play{tokens: speech(400), every: 5 * time.Millisecond, hold: true})
		g.send("talk" + enter)
		first := <-s.first
		time.Sleep(time.Until(first.Add(300 * time.Millisecond)))
		seen := g.expect("› zq")
		sent := g.send(ctrlC)
		g.send("zq")
		dropped = append(dropped, g.get(s.dropped).Sub(sent))
		typed = append(typed, g.get(seen).Sub(sent))
		g.settle(500 * time.Millisecond)
		g.send("\x15")
		g.settle(100 * time.Millisecond)
	}
	return millis(median(dropped)) + "; " + millis(median(typed))
}

// measureRounds lets the model read a file repeatedly.
func measureRounds(b *testing.B) string {
	const rounds = 20
	files := map[string]string{}
	for i := range rounds { // several files: repeating the same call would need permission
		files[fmt.Sprintf("main%d.go", i)] = goFile
	}
	var round, cpu []time.Duration
	for range 5 {
		s := newPacer(b)
		g := newHome(b, files, s.env()...).gauge(b)
		g.wait(ready)
		g.settle(300 * time.Millisecond)
		for i := range rounds {
			s.next(play{call: fmt.Sprintf("main%d.go", i)})
		}
		s.next(play{tokens: []string{"It is read."}})
		before := g.cpu(b)
		g.send("read it" + enter)
		g.wait("It is read.")
		g.settle(300 * time.Millisecond)
		cpu = append(cpu, g.cpu(b)-before)
		var all time.Duration
		for _, d := range s.between() {
			all += d
		}
		round = append(round, all/rounds)
		g.close()
	}
	return millis(median(round)) + "; " + seconds(median(cpu))
}

// measureRun sends one prompt with agent run.
func measureRun(b *testing.B) string {
	var wall, cpu []time.Duration
	var peak []float64
	s := newPacer(b)
	h := newHome(b, nil, s.env()...)
	for range 21 {
		cmd := exec.Command("agent", "run", "say something")
		cmd.Dir, cmd.Env = h.work, h.env
		// Measured before the answer ends: afterwards the peak that the kernel
		// reports includes that of the test.
		started, most := make(chan process, 1), make(chan float64, 1)
		s.next(play{tokens: []string{"It ", "is ", "one ", "sentence."}, last: func() { most <- (<-started).peak(b) }})
		var out bytes.Buffer
		cmd.Stdout = &out
		begun := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		started <- process(cmd.Process.Pid)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		wall, peak = append(wall, time.Since(begun)), append(peak, <-most)
		if got, want := out.String(), "It is one sentence.\n"; got != want {
			b.Fatalf("got %q, want %q", got, want)
		}
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	return millis(median(wall)) + "; " + seconds(median(cpu)) + "; " + mebibytes(median(peak))
}

// measureTurns runs many turns in one session and resumes it.
func measureTurns(b *testing.B) string {
	s := newPacer(b)
	h := newHome(b, nil, s.env()...)
	g := h.gauge(b)
	g.wait(ready)
	g.settle(300 * time.Millisecond)
	before := g.cpu(b)
	for i := range 100 {
		end := fmt.Sprintf("end of turn %d.", i)
		s.next(play{tokens: kilobytes(10, end)})
		g.send("continue" + enter)
		g.wait(end)
		g.settle(50 * time.Millisecond)
	}
	cpu := g.cpu(b) - before
	g.settle(time.Second)
	memory := g.memory(b)
	g.send(ctrlD)
	<-g.done
	var shown []time.Duration
	for range 11 {
		again := h.gauge(b, "--continue")
		shown = append(shown, again.wait("end of turn 99.").Sub(again.started))
		again.send(ctrlD)
		<-again.done
		again.close()
	}
	return seconds(cpu) + "; " + mebibytes(memory) + "; " + millis(median(shown))
}

// measureScroll pages up from the end of 10,000 messages.
func measureScroll(b *testing.B) string {
	g, _ := longSession(b, newPacer(b), 2000)
	g.settle(2 * time.Second) // by then the memory of startup is released
	var frames []time.Duration
	for range 200 {
		before := g.cpu(b)
		g.send("\x1b[5~") // page up
		time.Sleep(5 * time.Millisecond)
		g.settle(40 * time.Millisecond)
		frames = append(frames, g.cpu(b)-before)
	}
	return millis(quantile(frames, 1)) + "; " + millis(median(frames))
}

// measureOpen opens a very long session.
func measureOpen(b *testing.B) string {
	g, took := longSession(b, newPacer(b), 5000)
	g.settle(500 * time.Millisecond)
	return millis(took) + "; " + mebibytes(g.peak(b))
}
