package main

import (
	"fmt"
	"testing"
	"time"

	"agent/internal/history"
)

// BenchmarkOpenSession opens a session of 10,000 messages and 50 MB. It measures
// the time until the last answer appears, the memory, and the time from the first
// prompt to its first request, which is for a summary: the session exceeds the context
// window.
func BenchmarkOpenSession(b *testing.B) {
	useProgram(b, buildProgram(b))
	s := newPacer(b)
	h := newHome(b, nil, s.env()...)
	store := h.store()
	written(b, store, history.Header{ID: "x", Dir: h.work}, 10_000, 5_000)
	var opened, asked []time.Duration
	var peak, peakAsked []float64
	for b.Loop() {
		g := h.gauge(b, "--resume", "x")
		opened = append(opened, g.wait("answer number 9995").Sub(g.started))
		g.settle(500 * time.Millisecond) // until the rest of the session is read
		peak = append(peak, g.peak(b))
		reply := fmt.Sprintf("Reply %d.", len(opened))
		s.next(play{tokens: []string{"Goal: measure."}})
		s.next(play{tokens: []string{reply}})
		sent := g.send("continue" + enter)
		g.wait(reply)
		asked = append(asked, (<-s.first).Sub(sent))
		<-s.first
		peakAsked = append(peakAsked, g.peak(b))
		g.close()
		if _, err := store.Repair("x"); err != nil { // fails while a process holds it
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(median(opened).Microseconds())/1000, "ms-to-screen")
	b.ReportMetric(median(peak), "MB-peak")
	b.ReportMetric(float64(median(asked).Microseconds())/1000, "ms-to-request")
	b.ReportMetric(median(peakAsked), "MB-peak-asked")
	b.ReportMetric(0, "ns/op")
}
