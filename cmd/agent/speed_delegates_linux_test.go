package main

import (
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// manyDelegates is how many delegates the measurements start at once.
const manyDelegates = 8

// measureDelegates lets `agent run` start delegates that each send one request, which
// is answered at once, and compares that with the call of a read tool. It uses the
// smallest figures of several runs, because other processes on the machine can slow
// down a run.
func measureDelegates(b *testing.B) string {
	var with, without []time.Duration
	var memory []float64
	for range 10 {
		with = append(with, roundOf(b, play{tasks: manyDelegates}, manyDelegates))
		without = append(without, roundOf(b, play{call: "main.go"}, 0))
	}
	for range 5 {
		memory = append(memory, memoryOfDelegates(b))
	}
	return millis((slices.Min(with)-slices.Min(without))/manyDelegates) + "; " + fmt.Sprintf("%.1f MiB", slices.Min(memory))
}

// roundOf runs a prompt whose first answer is first, which makes that many delegates.
// It returns the time from the end of the first answer to the next request of the
// program itself, which has the results.
func roundOf(b *testing.B, first play, delegates int) time.Duration {
	b.Helper()
	s := newPacer(b)
	h := newHome(b, map[string]string{"main.go": goFile}, s.env()...)
	s.next(first)
	for range delegates {
		s.next(play{tokens: []string{"It ", "is ", "done."}})
	}
	s.next(play{tokens: []string{"All ", "is ", "done."}})
	cmd := exec.Command("agent", "run", "do it")
	cmd.Dir, cmd.Env = h.work, h.env
	if out, err := cmd.CombinedOutput(); err != nil || len(s.asked) != delegates+2 {
		b.Fatalf("%d requests, %v: %s", len(s.asked), err, out)
	}
	return s.asked[delegates+1].Sub(s.done[0])
}

// memoryOfDelegates returns by how much each of several delegates that stream an answer
// increases the memory of the program, in MiB.
func memoryOfDelegates(b *testing.B) float64 {
	b.Helper()
	s := newPacer(b)
	h := newHome(b, nil, s.env()...)
	started := make(chan process, 1)
	var before, during float64
	s.next(play{tasks: manyDelegates, last: func() {
		p := <-started
		started <- p
		before = p.memory(b)
	}})
	var streaming sync.WaitGroup
	streaming.Add(manyDelegates)
	measure := sync.OnceFunc(func() { during = (<-started).memory(b) })
	for range manyDelegates {
		s.next(play{tokens: speech(20), last: func() {
			streaming.Done()
			streaming.Wait()
			measure()
		}})
	}
	s.next(play{tokens: []string{"All ", "is ", "done."}})
	cmd := exec.Command("agent", "run", "do it")
	cmd.Dir, cmd.Env = h.work, h.env
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	started <- process(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return (during - before) / manyDelegates
}

// measureKeyDelegates types while delegates stream.
func measureKeyDelegates(b *testing.B) string {
	s := newPacer(b)
	g := newHome(b, nil, s.env()...).gauge(b)
	g.wait(ready)
	s.next(play{tasks: manyDelegates})
	for range manyDelegates {
		s.next(play{tokens: speech(1000), every: 5 * time.Millisecond, hold: true})
	}
	g.send("do it" + enter)
	g.wait(fmt.Sprintf("waiting for %d delegates", manyDelegates))
	for range manyDelegates {
		<-s.first
	}
	took := g.letters(200)
	g.send(ctrlC)
	for range manyDelegates {
		g.get(drain(s.dropped))
	}
	return millis(quantile(took, 0.95))
}
