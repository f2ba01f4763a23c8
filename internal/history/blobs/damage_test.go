package blobs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/history/blobs"
	"agent/internal/sampling"
)

func castagnoli(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// sample is a pack with ten notes and ten contents in turn, one of which is in parts.
type sample struct {
	text []byte
	ends []int // of the notes, and of the contents after them
	sums []string
}

func newSample(t *testing.T) sample {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.undo")
	p := open(t, path, blobs.Limits{})
	var s sample
	for i := range 10 {
		add(t, p, i)
		s.ends = append(s.ends, int(p.Size()))
		c := noise(uint64(i), 10*i)
		if i == 4 {
			c = make([]byte, blobs.PartSize+5)
		}
		s.sums = append(s.sums, put(t, p, c))
		s.ends = append(s.ends, int(p.Size()))
	}
	var err error
	if s.text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return s
}

// stored writes a pack and opens it.
func stored(t *testing.T, dir string, text []byte) *blobs.Pack {
	t.Helper()
	path := filepath.Join(dir, "x.undo")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPackCutAtEveryByte(t *testing.T) {
	t.Parallel()
	s, dir := newSample(t), t.TempDir()
	for n := 0; n <= len(s.text); n += sampling.Step() {
		p := stored(t, dir, s.text[:n])
		var want []int
		check := func(when string) {
			got, damage := notes(t, p)
			if fmt.Sprint(got) != fmt.Sprint(want) || damage != nil {
				t.Fatalf("cut at %d, %s: notes %v, not %v; damage %v", n, when, got, want, damage)
			}
			for i, sum := range s.sums {
				if err := p.Copy(io.Discard, sum); (err == nil) != (s.ends[2*i+1] <= n) || err != nil && !errors.Is(err, blobs.ErrMissing) {
					t.Fatalf("cut at %d, %s: content %d: %v", n, when, i, err)
				}
			}
		}
		for i := range s.sums {
			if s.ends[2*i] <= n {
				want = append(want, i)
			}
		}
		check("before the next record")
		add(t, p, 99)
		want = append(want, 99)
		check("after the next record")
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Attr("promise", fmt.Sprintf("old contents survive a cut at any byte and the pack takes the next: cuts tried: %d", len(s.text)/sampling.Step()))
}

func TestFlipOfEveryByteOfPack(t *testing.T) {
	t.Parallel()
	s, dir := newSample(t), t.TempDir()
	for i := 0; i < len(s.text); i += sampling.Step() {
		damaged := bytes.Clone(s.text)
		damaged[i] ^= 0x15
		p := stored(t, dir, damaged)
		add(t, p, 99) // so that the damage is not at the end
		hit := 0
		for hit < len(s.ends) && s.ends[hit] <= i {
			hit++
		}
		if i < 24 {
			hit = -1 // the header
		}
		got, damage := notes(t, p)
		reported := len(damage) > 0
		for k, sum := range s.sums {
			err := p.Copy(io.Discard, sum)
			if err == nil {
				continue
			}
			reported = true
			if hit != 2*k+1 || !errors.Is(err, blobs.ErrDamaged) && !errors.Is(err, blobs.ErrMissing) {
				t.Fatalf("flip at %d in record %d: content %d: %v", i, hit, k, err)
			}
		}
		var want []int
		for k := range s.sums {
			if hit != 2*k {
				want = append(want, k)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(append(want, 99)) || !reported {
			t.Fatalf("flip at %d in record %d: notes %v, not %v; damage %v", i, hit, got, want, damage)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Attr("promise", fmt.Sprintf("a damaged byte of a pack costs one record and is reported: bytes tried: %d", len(s.text)/sampling.Step()))
}

func TestZeroedBlocksOfPack(t *testing.T) {
	t.Parallel()
	s, dir := newSample(t), t.TempDir()
	for from := 0; from < len(s.text)-512; from += 13 * sampling.Step() {
		to := from + 512
		damaged := bytes.Clone(s.text)
		clear(damaged[from:to])
		p := stored(t, dir, damaged)
		intact := func(record int) bool {
			start := 24
			if record > 0 {
				start = s.ends[record-1]
			}
			return s.ends[record] <= from || start >= to
		}
		var want []int
		for k, sum := range s.sums {
			if intact(2 * k) {
				want = append(want, k)
			}
			if _, err := p.Read(sum); (err == nil) != intact(2*k+1) {
				t.Fatalf("zeros at %d: content %d: %v", from, k, err)
			}
		}
		if got, _ := notes(t, p); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("zeros at %d: notes %v, not %v", from, got, want)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A content that is damaged is stored again when it is put again.
func TestDamagedContentIsStoredAgain(t *testing.T) {
	s, dir := newSample(t), t.TempDir()
	c := noise(9, 90)
	damaged := bytes.Clone(s.text)
	damaged[s.ends[19]-20] ^= 1 // in the last content
	p := stored(t, dir, damaged)
	defer p.Close()
	if _, err := p.Read(s.sums[9]); !errors.Is(err, blobs.ErrDamaged) {
		t.Fatalf("a damaged content: %v", err)
	}
	put(t, p, c)
	got, err := p.Read(s.sums[9])
	if err != nil || !bytes.Equal(got, c) {
		t.Fatalf("put again: %q, %v", got, err)
	}
}

// The content of a file may contain records, also those of a pack.
func TestContentWithRecords(t *testing.T) {
	s, dir := newSample(t), t.TempDir()
	path := filepath.Join(dir, "y.undo")
	p := open(t, path, blobs.Limits{})
	add(t, p, 1)
	start := p.Size()
	put(t, p, bytes.Repeat(s.text, 3))
	for n := start; n < p.Size(); n += 7 {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		q := stored(t, dir, text[:n])
		add(t, q, 2)
		got, damage := notes(t, q)
		same(t, got, []int{1, 2})
		same(t, damage, []blobs.Damage(nil))
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
