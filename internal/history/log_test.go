package history_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
)

// body returns a record with a number.
func body(i int) string { return fmt.Sprintf(`{"type":"note","n":%d,"t":"\u2028"}`, i) }

// begin creates a session with the records 1 to n and closes it.
func begin(t testing.TB, s *history.Store, h history.Header, n int) string {
	t.Helper()
	l := s.Create(h)
	fill(t, l, 1, n)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Path()
}

// fill appends the records from to to.
func fill(t testing.TB, l *history.Log, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		if err := l.Append([]byte(body(i)), false); err != nil {
			t.Fatal(err)
		}
	}
}

// bodies collects the bodies of records and the texts of problems.
func bodies(t testing.TB, records iter.Seq2[history.Record, error]) (got, problems []string) {
	t.Helper()
	for r, err := range records {
		var p history.Problem
		switch {
		case errors.As(err, &p):
			problems = append(problems, p.Text)
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(r.Body))
		}
	}
	return got, problems
}

// wanted returns the bodies of the records from to to.
func wanted(from, to int) (want []string) {
	for i := from; i <= to; i++ {
		want = append(want, body(i))
	}
	return want
}

func same[T any](t testing.TB, got, want T) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestLogKeepsAppendedRecords(t *testing.T) {
	s := history.Open(t.TempDir())
	h := history.Header{Dir: "/home/ann/src", Version: "v1.2.3", Time: time.Unix(1763689392, 0).UTC(), Parent: "old"}
	l := s.Create(h)
	fill(t, l, 1, 3)
	got, _ := bodies(t, l.Records())
	same(t, got, wanted(1, 3))
	h.Format, h.ID = history.Format, l.Header().ID
	same(t, l.Header(), h)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	l, problems, err := s.Resume(h.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, problems, nil)
	same(t, l.Header(), h)
	fill(t, l, 4, 5)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	read, records, err := s.Read(h.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, read, h)
	got, problemTexts := bodies(t, records)
	same(t, got, wanted(1, 5))
	same(t, problemTexts, nil)
}

func TestLinesOnDisk(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x", Dir: "/d", Version: "v", Time: time.Unix(0, 0).UTC()}, 1)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"seq":0,"type":"header","format":1,"id":"x","dir":"/d","version":"v","time":"1970-01-01T00:00:00Z","crc":"1748045f"}
{"seq":1,"type":"note","n":1,"t":"\u2028","crc":"841e553f"}
`
	same(t, string(text), want)

	_, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		offset := int64(strings.Index(want, "\n") + 1)
		same(t, r, history.Record{Seq: 1, Offset: offset, Body: json.RawMessage(body(1))})
	}
}

func TestNoFileBeforeFirstAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "agent")
	s := history.Open(dir)
	l := s.Create(history.Header{})
	got, _ := bodies(t, l.Records())
	same(t, got, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if infos, err := s.List(""); err != nil || infos != nil {
		t.Errorf("List of nothing: %v, %v", infos, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", dir, err)
	}
}

func TestAppendRejectsInvalidRecords(t *testing.T) {
	s := history.Open(t.TempDir())
	l := s.Create(history.Header{})
	defer l.Close()
	for _, bad := range []string{``, `{}`, `[]`, `null`, `{"n":1}`, `{"type":"a"`, `{"type":"a"} {}`, `{"type":"header"}`, ` {"type":"a"}`} {
		if err := l.Append([]byte(bad), false); err == nil {
			t.Errorf("%s was appended", bad)
		}
	}
	if err := l.Append([]byte("{\"type\":\n\"a\"\n}"), true); err != nil {
		t.Error(err)
	}
	got, _ := bodies(t, l.Records())
	same(t, got, []string{`{"type":"a"}`})
}

func TestOnlyLineFeedEndsLine(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{})
	defer l.Close()
	odd := "{\"type\":\"a\",\"t\":\"\u2028\u2029\u0085\u00a0\xff\"}"
	if err := l.Append([]byte(odd), false); err != nil {
		t.Fatal(err)
	}
	got, _ := bodies(t, l.Records())
	same(t, got, []string{odd})
}

func TestAppendAfterClose(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{})
	fill(t, l, 1, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]byte(body(2)), false); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

func TestCreateRejectsBadID(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x"}, 1)
	before, _ := os.ReadFile(path)
	for _, id := range []string{"x", "../x", "a/b", "-x", "a b"} {
		if err := s.Create(history.Header{ID: id}).Append([]byte(body(9)), true); err == nil {
			t.Errorf("a session %q was made", id)
		}
	}
	after, _ := os.ReadFile(path)
	same(t, string(after), string(before))
}

func TestNewerFormatIsReadOnly(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x"}, 1)
	// A complete line of the next format, with a valid checksum.
	newer := `{"seq":0,"type":"header","format":2,"id":"x","dir":"","version":"","time":"1970-01-01T00:00:00Z","more":1,"crc":"8232ff4d"}` + "\n"
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Resume("x"); !errors.Is(err, history.ErrNewer) {
		t.Errorf("Resume: %v", err)
	}
	h, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	same(t, h.Format, 2)
	if _, problems := bodies(t, records); problems != nil {
		t.Errorf("problems: %v", problems)
	}
	after, _ := os.ReadFile(path)
	same(t, string(after), newer)
}

func TestDir(t *testing.T) {
	for _, c := range []struct{ xdg, home, want string }{
		{"/x", "/h", "/x/agent"},
		{"", "/h", "/h/.local/state/agent"},
		{"relative", "/h", "/h/.local/state/agent"},
		{"", "", ""},
	} {
		root := filepath.VolumeName(t.TempDir())
		at := func(path string) string {
			if strings.HasPrefix(path, "/") {
				path = root + filepath.FromSlash(path)
			}
			return path
		}
		env := map[string]string{"XDG_STATE_HOME": at(c.xdg), "HOME": at(c.home)}
		if runtime.GOOS == "windows" && c.home != "" {
			env["LocalAppData"] = at(c.home + "/.local/state")
		}
		got, err := history.Dir(func(name string) string { return env[name] })
		if got != at(c.want) || (err == nil) != (c.want != "") {
			t.Errorf("Dir with %+v: %q, %v", c, got, err)
		}
	}
}
