//go:build linux || darwin

package terminal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/terminal/ptytest"
	"agent/internal/tui/terminal/rescue"
)

// faulty is the argument that makes this test binary a program that crashes. The
// path of the crash report follows it.
const faulty = "-faulty"

func TestMain(m *testing.M) {
	rescue.Run()
	if len(os.Args) == 3 && os.Args[1] == faulty {
		runFaulty(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// flawed is a model that panics in the place that a key selects.
type flawed struct{ where string }

func (f *flawed) Init() tea.Cmd { return nil }

func (f *flawed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return f, nil
	}
	f.where = key.String()
	broken := func() tea.Msg { panic("a fault in a command") }
	switch f.where {
	case "u":
		panic("a fault in Update")
	case "c":
		return f, broken
	case "b":
		return f, tea.Batch(tea.Batch(broken, nil), tea.ClearScreen)
	case "s":
		return f, tea.Sequence(tea.ClearScreen, broken)
	case "g":
		go func() { panic("a fault in a goroutine") }()
	case "m":
		go func() { _ = os.Args[len(os.Args)] }()
	case "q":
		return f, tea.Quit
	}
	return f, nil
}

func (f *flawed) View() tea.View {
	if f.where == "v" {
		panic("a fault in View")
	}
	v := tea.NewView("press a key")
	v.AltScreen, v.ReportFocus, v.MouseMode, v.WindowTitle = true, true, tea.MouseModeAllMotion, "flawed"
	return v
}

func runFaulty(fault string) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Show(ctx, cancel, &flawed{}, Options{Fault: fault}, func(func(any)) { <-ctx.Done() })
	fmt.Println("left:", err)
}

// victim is a program in a terminal without a shell.
type victim struct {
	*exec.Cmd
	*ptytest.Terminal
	found []byte
	fault string // path of the crash report
}

func startVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{Terminal: ptytest.Open(t, 80, 24), fault: filepath.Join(t.TempDir(), "faults", "one.txt")}
	var err error
	if v.found, err = rescue.State(int(v.Theirs.Fd())); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	v.Cmd = exec.Command(self, faulty, v.fault)
	v.Stdin, v.Stdout, v.Stderr = v.Theirs, v.Theirs, v.Theirs
	if err := v.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Process.Kill() })
	v.Expect("press a key")
	return v
}

// restored waits until the terminal is restored and returns all output.
func (v *victim) restored(t *testing.T) string {
	t.Helper()
	late := time.After(30 * time.Second)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		now, err := rescue.State(int(v.Theirs.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(now, v.found) {
			break
		}
		select {
		case <-look.C:
		case <-late:
			t.Fatal("the terminal stays raw")
		}
	}
	_ = v.Theirs.Close() // only the rescue process holds the terminal now; it exits
	return v.Whole()
}

// A panic in any goroutine restores the terminal, writes a crash report and prints
// its path.
func TestFaults(t *testing.T) {
	for key, want := range map[string]string{
		"u": "a fault in Update", "v": "a fault in View", "c": "a fault in a command", "b": "a fault in a command",
		"s": "a fault in a command", "g": "a fault in a goroutine", "m": "index out of range",
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			v := startVictim(t)
			v.Type(key)
			_ = v.Wait()
			if code := v.ProcessState.ExitCode(); code != 2 {
				t.Errorf("got exit code %d, want 2", code)
			}
			output := v.restored(t)
			if on := ptytest.Left(output); on != nil {
				t.Errorf("left on: %q", on)
			}
			message := output[strings.LastIndex(output, csi+"23;2t")+len(csi+"23;2t"):]
			if !strings.Contains(message, v.fault) || strings.Contains(message, "goroutine ") {
				t.Errorf("the message is %q, want the path of the report and no stack trace", message)
			}
			trace, err := os.ReadFile(v.fault)
			if err != nil || !strings.Contains(string(trace), want) || !strings.Contains(string(trace), "goroutine 1 [") {
				t.Errorf("got %v and the trace %s, want %q and all goroutines", err, trace, want)
			}
		})
	}
}

// The terminal is restored after the program was killed.
func TestKilled(t *testing.T) {
	v := startVictim(t)
	_ = v.Process.Kill()
	_ = v.Wait()
	output := v.restored(t)
	if on := ptytest.Left(output); on != nil {
		t.Errorf("left on: %q", on)
	}
	if trace, err := os.ReadFile(v.fault); err == nil {
		t.Errorf("there is a crash report without a crash: %s", trace)
	}
}

// After a normal exit, the rescue process does nothing.
func TestLeft(t *testing.T) {
	v := startVictim(t)
	v.Type("q")
	if err := v.Wait(); err != nil {
		t.Error(err)
	}
	output := v.restored(t)
	if on := ptytest.Left(output); on != nil {
		t.Errorf("left on: %q", on)
	}
	_, said, _ := strings.Cut(output, csi+"23;2t")
	if diff := cmp.Diff(said, "left: <nil>\r\n"); diff != "" {
		t.Errorf("after the end (-got +want):\n%s", diff)
	}
}
