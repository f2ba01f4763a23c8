package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
)

// fault is the result of one call to a file.
type fault struct {
	name string
	take int // bytes that a write takes; -1 for all
	err  error
}

func TestFileFailuresAtEveryCall(t *testing.T) {
	t.Parallel()
	faults := []fault{
		{"full disk", 0, syscall.ENOSPC},
		{"full disk in the middle of a record", 20, syscall.ENOSPC},
		{"quota reached after the record", -1, syscall.EDQUOT},
		{"broken disk", 7, syscall.EIO},
		{"short write", 13, nil},
		{"short write of zero bytes", 0, nil},
	}
	text, ends := sample(t, 1)
	empty := text[:ends[0]]
	tried := 0
	for _, f := range faults {
		for _, calls := range []int{1, 2, 5} { // consecutive failing calls
			for at := 0; failsFrom(t, empty, f, at, calls); at++ {
				tried++
			}
		}
	}
	t.Attr("promise", fmt.Sprintf("a full or broken disk at any call corrupts nothing, and the log can be continued: failures tried: %d", tried))
}

// failsFrom appends 12 records to an empty log whose file fails from a given
// call on, and repeats each until it succeeds. It reports whether the file got
// that many calls.
func failsFrom(t *testing.T, empty []byte, f fault, at, calls int) bool {
	name := fmt.Sprintf("%s at calls %d to %d", f.name, at, at+calls-1)
	m := &memory{text: bytes.Clone(empty)}
	l, _ := m.resume(t)
	call := 0
	m.fail = func(op string) (int, error) {
		call++
		if call-1 < at || call-1 >= at+calls {
			return -1, nil
		}
		if f.err == nil && op != "write" {
			return -1, nil
		}
		return f.take, f.err
	}
	for i := 1; i <= 12; i++ {
		sync := i%3 == 0
		err := l.Append([]byte(body(i)), sync)
		for tries := 0; err != nil && tries <= calls; tries++ {
			if f.err != nil && !errors.Is(err, f.err) || f.err == nil && !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("%s: %v", name, err)
			}
			got, _ := bodies(t, l.Records())
			lacks(t, got, i-1, func(int) bool { return false })
			killed(t, name, m.text, i-1)
			err = l.Append([]byte(body(i)), sync)
		}
		if err != nil {
			t.Fatalf("%s: record %d was never taken: %v", name, i, err)
		}
		killed(t, name, m.text, i)
	}
	m.fail = nil
	if err := l.Close(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, problems := m.resume(t)
	if problems != nil {
		t.Fatalf("%s: %v", name, problems)
	}
	after, _ := bodies(t, got.Records())
	lacks(t, after, 12, func(int) bool { return false })
	return call > at
}

// killed fails the test unless, after a crash now, the log holds records 1 to n
// and at most the record being written.
func killed(t *testing.T, name string, text []byte, n int) {
	t.Helper()
	m := &memory{text: bytes.Clone(text)}
	l, _ := m.resume(t)
	got, _ := bodies(t, l.Records())
	if s := strings.Join(got, ""); s != strings.Join(wanted(1, n), "") && s != strings.Join(wanted(1, n+1), "") {
		t.Fatalf("%s: %d records were acknowledged, and there are %q", name, n, got)
	}
}
