package history_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"agent/internal/history"
)

// memory is a file in memory. fail decides the result of each write, sync and
// truncation.
type memory struct {
	text []byte
	fail func(op string) (take int, err error) // bytes that a write takes; -1 for all
	torn bytes.Buffer                          // bytes that were cut off and saved

	longest int // bytes of a read
}

func (m *memory) ReadAt(b []byte, off int64) (int, error) {
	m.longest = max(m.longest, len(b))
	if off >= int64(len(m.text)) {
		return 0, io.EOF
	}
	n := copy(b, m.text[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) Write(b []byte) (int, error) {
	take, err := m.fate("write")
	if take < 0 || take > len(b) {
		take = len(b)
	}
	m.text = append(m.text, b[:take]...)
	return take, err
}

func (m *memory) Datasync() error {
	_, err := m.fate("sync")
	return err
}

func (m *memory) Truncate(size int64) error {
	_, err := m.fate("cut")
	if err == nil {
		m.text = m.text[:size]
	}
	return err
}

func (m *memory) fate(op string) (int, error) {
	if m.fail == nil {
		return -1, nil
	}
	return m.fail(op)
}

func (m *memory) Close() error { return nil }

func (m *memory) keep(r io.Reader) error {
	_, err := io.Copy(struct{ io.Writer }{&m.torn}, r) // in small reads
	return err
}

// resume opens the log in m.
func (m *memory) resume(t testing.TB) (*history.Log, []history.Problem) {
	t.Helper()
	l, problems, err := history.ResumeFile(m, int64(len(m.text)), m.keep)
	if err != nil {
		t.Fatal(err)
	}
	return l, problems
}

// revive opens text as a log, appends record 999, and returns the file, the
// other records, and the problems. It checks that valid bytes are unchanged,
// and that the next program finds the new record.
func revive(t testing.TB, text []byte) (m *memory, got []string, problems []history.Problem) {
	t.Helper()
	m = &memory{text: bytes.Clone(text)}
	l, problems := m.resume(t)
	fill(t, l, 999, 999)
	kept := m.torn.Len()
	if rest := m.text[:len(text)-kept]; !bytes.Equal(rest, text[:len(rest)]) || m.torn.String() != string(text[len(rest):]) {
		t.Fatal("bytes were changed that were neither cut nor kept")
	}
	again, _ := m.resume(t)
	if m.torn.Len() != kept {
		t.Fatal("the repaired log is damaged again")
	}
	got, _ = bodies(t, again.Records())
	if len(got) == 0 || got[len(got)-1] != body(999) {
		t.Fatalf("the last record is missing: %q", got)
	}
	return m, got[:len(got)-1], problems
}

// lacks fails the test unless got are the records 1 to n without the lost ones.
func lacks(t testing.TB, got []string, n int, lost func(int) bool) {
	t.Helper()
	var want []string
	for i := 1; i <= n; i++ {
		if !lost(i) {
			want = append(want, body(i))
		}
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		same(t, strings.Split(a, "\n"), strings.Split(b, "\n"))
		t.FailNow()
	}
}
