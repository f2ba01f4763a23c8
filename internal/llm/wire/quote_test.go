package wire

import "testing"

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a < b && c > d", "\x00\x01\b\t\n\f\r\x1f\x7f\"\\/", "Grüße, 世界 🦫 \u2028\u2029 \ufffd", "\xff\xc3(\xe2\x28\xa1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString([]byte("before "), s)); got != "before "+string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
