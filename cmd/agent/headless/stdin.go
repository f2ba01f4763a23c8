package headless

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agent/cmd/agent/command"
)

// firstByte is how long a run that has a prompt waits for the first byte of its input.
const firstByte = 3 * time.Second

// Stdin is the standard input of a run, which is added to its prompt.
type Stdin struct {
	File  *os.File
	Notes io.Writer // for notices
	// Forever is set to wait for the input until it ends, also on a terminal.
	Forever bool
	// Prompted is set if the run has a prompt without the input.
	Prompted bool
	// After is time.After if it is nil.
	After func(time.Duration) <-chan time.Time
}

// Read returns the input. A terminal or another device has none, unless Forever is set. A
// run with a prompt does not wait long for a pipe or a socket that other programs have left
// open: if no byte comes within 3 s, there is no input. Late is then closed when a byte
// comes after all. After the first byte, Read returns when the input has ended.
func (s Stdin) Read() (text string, late <-chan struct{}, err error) {
	info, err := s.File.Stat()
	if !s.Forever && (err != nil || info.Mode()&os.ModeCharDevice != 0) {
		return "", nil, nil
	}
	notice := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(s.Notes, "Reading the prompt from standard input. If there is nothing to read, redirect it from /dev/null.")
	})
	defer notice.Stop()
	var elapsed <-chan time.Time // nil never elapses
	if s.Prompted && !s.Forever && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		after := s.After
		if after == nil {
			after = time.After
		}
		elapsed = after(firstByte)
	}
	text, late, err = readInput(s.File, elapsed)
	if late != nil {
		fmt.Fprintf(s.Notes, "Nothing came on standard input within %d s: the run goes on without it. To wait for input, use --stdin.\n", int(firstByte.Seconds()))
	}
	return text, late, err
}

// readInput reads r to its end. If elapsed yields before the first byte, it returns late,
// which is closed at the first byte.
func readInput(r io.Reader, elapsed <-chan time.Time) (text string, late <-chan struct{}, err error) {
	type input struct {
		text string
		err  error
	}
	begun, ended := make(chan struct{}), make(chan input, 1)
	go func() { // may run until the process exits, because a read cannot be cancelled
		text, err := readAll(r, begun)
		ended <- input{text, err}
	}()
	select {
	case <-begun:
	case in := <-ended:
		return in.text, nil, in.err
	case <-elapsed:
		select {
		case <-begun:
		default:
			return "", begun, nil
		}
	}
	in := <-ended
	return in.text, nil, in.err
}

// readAll returns the content of r. It closes begun after the first byte.
func readAll(r io.Reader, begun chan<- struct{}) (string, error) {
	first := make([]byte, 4<<10)
	n := 0
	var err error
	for n == 0 && err == nil {
		n, err = r.Read(first)
	}
	if n > 0 {
		close(begun)
	}
	var all bytes.Buffer
	all.Write(first[:n])
	if err == nil {
		_, err = io.Copy(&all, io.LimitReader(r, maxPrompt+1))
	}
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if all.Len() > maxPrompt {
		return "", command.Usage("standard input is larger than %d MiB: write it to a file and name the file in the prompt", maxPrompt>>20)
	}
	return strings.TrimSpace(strings.ToValidUTF8(all.String(), "\uFFFD")), nil
}
