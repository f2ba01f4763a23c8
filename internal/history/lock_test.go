package history_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agent/internal/history"
)

// holdVariable makes this test binary a program that holds session x of the
// named store until its stdin ends.
const holdVariable = "HISTORY_TEST_HOLD"

func TestMain(m *testing.M) {
	dir := os.Getenv(holdVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	l, _, err := history.Open(dir).Resume("x")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	l.Close()
}

// hold starts a program that tries to hold x, and returns its output.
func hold(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd, said, err := start(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, said
}

// start is hold without a *testing.T failure, for any goroutine.
func start(t *testing.T, dir string) (*exec.Cmd, string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVariable+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, "", err
	}
	return cmd, said, nil
}

func TestOneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	s := history.Open(dir)
	begin(t, s, history.Header{ID: "x"}, 3)

	other, said := hold(t, dir)
	same(t, said, "held\n")
	_, _, err := s.Resume("x")
	var locked *history.LockedError
	if !errors.Is(err, history.ErrLocked) || !errors.As(err, &locked) {
		t.Fatalf("Resume of a session that is open elsewhere: %v", err)
	}
	if runtime.GOOS == "linux" && locked.PID != other.Process.Pid && locked.PID != 0 {
		t.Errorf("held by %d, not %d", other.Process.Pid, locked.PID)
	}
	_, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := bodies(t, records)
	same(t, got, wanted(1, 3))

	// The lock ends with its process.
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	other.Wait()
	l, problems, err := s.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	same(t, problems, nil)

	if _, said := hold(t, dir); said == "held\n" {
		t.Error("two programs hold the session")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, said = hold(t, dir)
	same(t, said, "held\n")
}

func TestFiftyProgramsOneWriter(t *testing.T) {
	const programs = 50
	dir := t.TempDir()
	s := history.Open(dir)
	begin(t, s, history.Header{ID: "x"}, 3)
	var cmds [programs]*exec.Cmd
	var said [programs]string
	var starting sync.WaitGroup
	for i := range programs {
		starting.Go(func() {
			var err error
			if cmds[i], said[i], err = start(t, dir); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	holder := -1
	for i, words := range said {
		switch {
		case words == "held\n" && holder >= 0:
			t.Fatalf("programs %d and %d hold the session", holder, i)
		case words == "held\n":
			holder = i
		case !strings.Contains(words, "is open in another program"):
			t.Errorf("program %d: %s", i, words)
		}
	}
	if holder < 0 {
		t.Fatalf("no program holds the session: %q", said)
	}
	if err := cmds[holder].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmds[holder].Wait()
	t.Attr("promise", fmt.Sprintf("a session has one writer, and is free when that one is killed: programs that opened it at once: %d", programs))
	got, problems := reopen(t, s)
	same(t, got, append(wanted(1, 3), body(99)))
	same(t, problems, nil)
}

func TestNewSessionIsLocked(t *testing.T) {
	dir := t.TempDir()
	l := history.Open(dir).Create(history.Header{ID: "x"})
	defer l.Close()
	fill(t, l, 1, 1)
	if _, said := hold(t, dir); said == "held\n" {
		t.Error("two programs hold the session")
	}
	if _, _, err := history.Open(dir).Resume("x"); !errors.Is(err, history.ErrLocked) {
		t.Errorf("Resume in the same program: %v", err)
	}
}
