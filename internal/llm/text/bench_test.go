package text_test

import (
	"fmt"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/text"
)

// BenchmarkDecode measures the cost of a delta, which must not grow with their
// number.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := []llm.Delta{}
			for i := range n {
				piece := " word"
				switch {
				case i%10 == 9 && i < n/2:
					piece = " end\n"
				case i == n/2:
					piece = "\n<tool_call>{\"name\":\"write\",\"arguments\":{\"text\":\""
				}
				in = append(in, llm.TextDelta{Text: piece})
			}
			in = append(in, llm.TextDelta{Text: "\"}}</tool_call>"}, llm.Finish{Reason: llm.Stop})
			b.ReportAllocs()
			for b.Loop() {
				for range text.Decode(stream(in), text.Tagged) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/delta")
		})
	}
}
