package blobs_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"agent/internal/history/blobs"
	"agent/internal/sampling"
)

// writeVariable makes this test binary a program that writes to the named pack until it
// is killed.
const writeVariable = "BLOBS_TEST_WRITE"

func TestMain(m *testing.M) {
	path, seed, ok := strings.Cut(os.Getenv(writeVariable), "#")
	if !ok {
		os.Exit(m.Run())
	}
	n, err := strconv.Atoi(seed)
	if err == nil {
		err = write(path, n)
	}
	fmt.Println(err)
	os.Exit(1)
}

// ample are limits for a thousand writers, which store much.
var ample = blobs.Limits{Pack: 8 << 30, Total: 8 << 30}

// write writes contents and notes to a pack, and prints the hash of each content with
// its note when both are stored.
func write(path string, seed int) error {
	p, err := blobs.Open(path, ample)
	if err != nil {
		return err
	}
	for i := seed; ; i++ {
		size := rand.IntN(3000)
		if i%20 == 0 {
			size = blobs.PartSize + rand.IntN(blobs.PartSize)
		}
		sum, _, err := p.Put(bytes.NewReader(noise(uint64(i), size)))
		if err == nil {
			err = p.Append(numbered{i})
		}
		if err != nil {
			return err
		}
		fmt.Println(sum, i)
	}
}

// Several programs write to one pack and are killed at random moments. Everything that
// they reported as stored is there.
func TestKilledWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.undo")
	kills := sampling.Runs(10)
	var mu sync.Mutex
	var sums []string
	noted := map[int]bool{}
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for k := range kills / 2 {
				lines, err := killAfter(path, (w*kills+k)*1000, rand.IntN(30))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, l := range lines {
					sum, number, _ := strings.Cut(l, " ")
					n, err := strconv.Atoi(number)
					if err != nil {
						t.Errorf("a writer failed: %s", l)
					}
					sums, noted[n] = append(sums, sum), true
				}
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	p := open(t, path, ample)
	add(t, p, -1)
	got, damage := notes(t, p)
	same(t, damage, []blobs.Damage(nil))
	for _, n := range got {
		delete(noted, n)
	}
	if len(noted) > 0 {
		t.Errorf("%d notes are lost", len(noted))
	}
	for _, s := range sums {
		if err := p.Copy(io.Discard, s); err != nil {
			t.Errorf("content %s: %v", s, err)
		}
	}
	t.Attr("promise", fmt.Sprintf("an old content that was stored survives killed writers: writers killed: %d, contents: %d", kills, len(sums)))
}

// killAfter starts a program that writes to a pack, and kills it after it has printed a
// number of lines. It returns the complete lines.
func killAfter(path string, seed, lines int) ([]string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s#%d", writeVariable, path, seed))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var said []string
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		said = append(said, strings.TrimSuffix(line, "\n"))
		if len(said) == lines+1 {
			err = cmd.Process.Kill()
		}
		if err != nil {
			return nil, err
		}
	}
	_ = cmd.Wait() // killed
	return said, nil
}

func TestConcurrentWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.undo")
	const writers, each = 8, 40
	var running sync.WaitGroup
	for w := range writers {
		p := open(t, path, blobs.Limits{})
		for range 2 { // two goroutines that share a Pack
			running.Go(func() {
				for i := range each {
					sum, _, err := p.Put(bytes.NewReader(noise(uint64(i), 50*i))) // the same ones
					if err == nil {
						err = p.Append(numbered{w})
					}
					if err == nil {
						_, err = p.Read(sum)
					}
					for _, problem := range p.Notes(0) {
						err = errors.Join(err, problem)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	running.Wait()
	got, damage := notes(t, open(t, path, blobs.Limits{}))
	same(t, len(got), 2*writers*each)
	same(t, damage, []blobs.Damage(nil))
}
