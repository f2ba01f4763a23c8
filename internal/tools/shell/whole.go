package shell

import (
	"fmt"
	"os"
	"sync"
)

// MaxWhole is how many bytes the file of a whole output holds.
const MaxWhole = 1 << 30

// Whole is the file that holds the whole of an output, or its beginning.
type Whole struct {
	Path string // "" where there is no file: the output was short, or nobody wanted one
	Size int64  // bytes in it
	Cut  string // why it does not hold all; "" if it does
}

// whole writes all of an output to a file, once it is more than is kept
// otherwise. What goes wrong with the file ends the file alone.
type whole struct {
	open  func() (*os.File, error) // nil if nobody wants one
	keep  int                      // bytes that need no file
	limit int64
	start []byte // all so far, while there is no file
	file  *os.File
	ended bool

	mu   sync.Mutex
	told Whole
}

// add takes what comes next. It has one caller.
func (w *whole) add(b []byte) {
	switch {
	case w.open == nil || w.ended:
	case w.file == nil && len(w.start)+len(b) <= w.keep:
		w.start = append(w.start, b...)
	case w.file == nil:
		file, err := w.open()
		if err != nil {
			w.end(fmt.Sprintf("the file for it could not be made: %v", err))
			return
		}
		w.file = file
		w.write(w.start)
		w.start = nil
		w.write(b)
	default:
		w.write(b)
	}
}

func (w *whole) write(b []byte) {
	if w.ended {
		return
	}
	room := w.limit - w.state().Size
	n, err := w.file.Write(b[:min(int64(len(b)), room)])
	w.mu.Lock()
	w.told.Path = w.file.Name()
	w.told.Size += int64(n)
	w.mu.Unlock()
	switch {
	case err != nil:
		w.end(err.Error())
	case int64(len(b)) > room:
		w.end(fmt.Sprintf("the file holds no more than %d bytes", w.limit))
	}
}

// end gives the file up. What it holds stays.
func (w *whole) end(why string) {
	w.ended, w.start = true, nil
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told.Cut = why
}

func (w *whole) state() Whole {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

func (w *whole) close() {
	if w.file != nil {
		_ = w.file.Close() // its bytes are counted as written
	}
}
