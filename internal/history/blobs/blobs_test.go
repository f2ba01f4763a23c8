package blobs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
)

// same fails the test unless got and want are equal.
func same(t *testing.T, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("-want +got:\n%s", d)
	}
}

// open opens a pack and closes it at the end of the test.
func open(t *testing.T, path string, l blobs.Limits) *blobs.Pack {
	t.Helper()
	p, err := blobs.Open(path, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func put(t *testing.T, p *blobs.Pack, content []byte) string {
	t.Helper()
	sum, size, err := p.Put(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(content)
	same(t, []any{sum, size}, []any{hex.EncodeToString(want[:]), int64(len(content))})
	return sum
}

func add(t *testing.T, p *blobs.Pack, n int) {
	t.Helper()
	if err := p.Append(numbered{n}); err != nil {
		t.Fatal(err)
	}
}

// numbered is a note of the tests.
type numbered struct {
	N int `json:"n"`
}

// notes returns the numbers of the notes of a pack, and the damage between them.
func notes(t *testing.T, p *blobs.Pack) (numbers []int, damage []blobs.Damage) {
	t.Helper()
	for n, err := range p.Notes(0) {
		if d := (blobs.Damage{}); errors.As(err, &d) {
			damage = append(damage, d)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var body numbered
		if err := json.Unmarshal(n.Body, &body); err != nil {
			t.Fatalf("note %s: %v", n.Body, err)
		}
		numbers = append(numbers, body.N)
	}
	return numbers, damage
}

// noise returns n bytes that cannot be compressed.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(b)
	return b
}

func TestContentsAreReadAsTheyWerePut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.undo")
	p := open(t, path, blobs.Limits{})
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("Open has created the file: %v", err)
	}
	same(t, p.Size(), int64(0))
	contents := [][]byte{nil, []byte("a"), []byte(strings.Repeat("package main\n", 500))}
	for _, n := range []int{1000, blobs.PartSize - 1, blobs.PartSize, blobs.PartSize + 1, 3*blobs.PartSize + 17} {
		contents = append(contents, noise(uint64(n), n), make([]byte, n))
	}
	for _, c := range contents {
		put(t, p, c)
	}
	other := open(t, path, blobs.Limits{})
	for _, c := range contents {
		sum := sha256.Sum256(c)
		for _, q := range []*blobs.Pack{p, other} {
			got, err := q.Read(hex.EncodeToString(sum[:]))
			if err != nil || !bytes.Equal(got, c) {
				t.Fatalf("a content of %d bytes: read %d, %v", len(c), len(got), err)
			}
		}
	}
	before := p.Size()
	third := open(t, path, blobs.Limits{})
	for _, c := range contents {
		put(t, p, c)
		put(t, other, c)
	}
	same(t, p.Size(), before)
	put(t, third, contents[len(contents)-2]) // it only looks for recent ones
	same(t, p.Size(), before)
	if _, _, err := p.Put(io.MultiReader(bytes.NewReader(contents[len(contents)-2]))); err != nil { // no Seeker
		t.Fatal(err)
	}
	if grown := p.Size() - before; grown > int64(len(contents[len(contents)-2]))+10*blobs.RecordSize(0) {
		t.Errorf("the pack has grown by %d bytes", grown)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestMissingContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.undo")
	p := open(t, path, blobs.Limits{})
	sum := sha256.Sum256([]byte("not there"))
	for range 2 {
		for _, s := range []string{hex.EncodeToString(sum[:]), "", "no hash"} {
			if _, err := p.Read(s); !errors.Is(err, blobs.ErrMissing) || p.Has(s) {
				t.Errorf("%q: %v", s, err)
			}
		}
		put(t, p, []byte("something else"))
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Put(strings.NewReader("something else")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Put into a closed pack: %v", err)
	}
	if p.Has(put(t, open(t, path, blobs.Limits{}), []byte("something else"))) {
		t.Error("a closed pack has a content")
	}
}

func TestReaderFailure(t *testing.T) {
	p := open(t, filepath.Join(t.TempDir(), "x.undo"), blobs.Limits{})
	broken := errors.New("broken disk")
	for _, n := range []int{10, blobs.PartSize + 10} {
		r := io.MultiReader(bytes.NewReader(noise(1, n)), failing{broken})
		if _, _, err := p.Put(r); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	same(t, p.Has(put(t, p, []byte("next"))), true)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestNotesOfSeveralWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.undo")
	a, b := open(t, path, blobs.Limits{}), open(t, path, blobs.Limits{})
	var want []int
	next := int64(0)
	for i := range 50 {
		add(t, []*blobs.Pack{a, b}[i%2], i)
		put(t, b, noise(uint64(i), 100))
		want = append(want, i)
		got, damage := notes(t, a)
		same(t, got, want)
		same(t, damage, []blobs.Damage(nil))
		seen := 0
		for n, err := range a.Notes(next) { // only the new one
			if err != nil {
				t.Fatal(err)
			}
			next, seen = n.Next, seen+1
		}
		same(t, seen, 1)
	}
	if err := errors.Join(a.Sync(), b.Sync()); err != nil {
		t.Fatal(err)
	}
	if err := a.Append(func() {}); err == nil {
		t.Error("a function was appended")
	}
}

func TestGrowthOfSmallEdits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.undo")
	var lines []string
	for i := range 150 { // 6 KB
		lines = append(lines, fmt.Sprintf("func f%03d(n int) int { return n*%d + 17 }", i, rand.IntN(1000)))
	}
	text := func() []byte { return []byte(strings.Join(lines, "\n")) }
	type state struct{ Kind, Hash string }
	type changed struct {
		Type, Call, Path string
		State            state
	}
	var sums []string
	for turn := range 100 {
		p := open(t, path, blobs.Limits{}) // by the supervisor of a command
		sums = append(sums, put(t, p, text()))
		file := "/home/somebody/projects/example/internal/package/file.go"
		err := p.Append(changed{"touched", "call_0123456789", file, state{"file", sums[turn]}})
		for range 2 {
			lines[rand.IntN(len(lines))] = fmt.Sprintf("func g%03d(n int) int { return n / %d }", turn, turn+1)
		}
		after := put(t, p, text())
		if err := errors.Join(err, p.Append(changed{"after", "call_0123456789", file, state{"file", after}}), p.Sync(), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, path, blobs.Limits{})
	for _, s := range sums {
		same(t, p.Has(s), true)
	}
	if p.Size() > 2<<20 {
		t.Errorf("the pack has %d bytes after 100 turns", p.Size())
	}
	t.Logf("%d bytes after 100 turns", p.Size())
}

func TestNewerAndUnreadablePacks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.undo")
	add(t, open(t, path, blobs.Limits{}), 1)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(text)
	newer[11]++
	copy(newer[20:], castagnoli(newer[:20]))
	if err := os.WriteFile(path, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := blobs.Open(path, blobs.Limits{}); !errors.Is(err, blobs.ErrNewer) {
		t.Fatalf("a newer pack: %v", err)
	}

	for _, damaged := range [][]byte{make([]byte, len(text)), []byte(strings.Repeat("no pack\n", 100))} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		p := open(t, path, blobs.Limits{})
		_, damage := notes(t, p)
		same(t, damage, []blobs.Damage{{Path: path, Size: int64(len(damaged))}})
		add(t, p, 7)
		same(t, p.Has(put(t, p, []byte("content"))), true)
		got, damage := notes(t, p)
		same(t, got, []int{7})
		same(t, damage, []blobs.Damage(nil))
		kept, err := os.ReadFile(filepath.Join(dir, "x.x-damaged.undo"))
		if err != nil || !bytes.Equal(kept, damaged) {
			t.Fatalf("the damaged pack: %d bytes, %v", len(kept), err)
		}
	}
	if err := blobs.Remove(dir, "x"); err != nil {
		t.Fatal(err)
	}
	same(t, names(t, dir), []string{".undo.lock"})
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func BenchmarkFirstAppendTo10MB(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.undo")
	p, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 5000 {
		if _, _, err := p.Put(bytes.NewReader(noise(uint64(i), 2000))); err != nil {
			b.Fatal(err)
		}
	}
	p.Close()
	for b.Loop() {
		p, err := blobs.Open(path, blobs.Limits{})
		if err == nil {
			err = p.Append(numbered{1})
		}
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

func BenchmarkFirstPutTo10MB(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.undo")
	p, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 5000 {
		if _, _, err := p.Put(bytes.NewReader(noise(uint64(i), 2000))); err != nil {
			b.Fatal(err)
		}
	}
	p.Close()
	for b.Loop() {
		p, err := blobs.Open(path, blobs.Limits{})
		if err == nil {
			_, _, err = p.Put(bytes.NewReader(noise(4999, 2000)))
		}
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

func BenchmarkPut6KB(b *testing.B) {
	p, err := blobs.Open(filepath.Join(b.TempDir(), "x.undo"), blobs.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	text := []byte(strings.Repeat("func f(n int) int { return n*3 + 17 }\n", 160))
	i := 0
	for b.Loop() {
		i++
		copy(text, fmt.Sprintf("%032d", i))
		if _, _, err := p.Put(bytes.NewReader(text)); err != nil && !errors.Is(err, blobs.ErrFull) {
			b.Fatal(err)
		}
	}
}
