package shell

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"sync"
)

// MaxOutputFile is the default size limit of an output file, in bytes.
const MaxOutputFile = 1 << 30

// Filter changes output before it is written to a file. Next adds output and returns the
// part that can be written; Rest returns the part that is still held back.
type Filter interface {
	Next([]byte) []byte
	Rest() []byte
}

// Whole is the state of the file with the complete output. The name of the file depends
// only on its content if its path was first reported after the end of the command.
type Whole struct {
	Path string // "" if there is no file
	Size int64  // bytes in the file
	Cut  string // why the file is incomplete; "" if it is complete
}

// outputFile writes the output to a file once it exceeds a threshold. Errors only
// stop the writing. At the end, a file whose path was not reported yet is named by its
// content, so that the same output has the same path.
type outputFile struct {
	open      func() (*os.File, error) // nil disables the file
	threshold int                      // output up to this size needs no file
	limit     int64
	filter    Filter // of what is written; nil for none
	pending   []byte // output before the file is created
	file      *os.File
	sum       hash.Hash // of the content of file
	closed    bool

	mu       sync.Mutex
	result   Whole
	reported bool // report has returned the path
}

// add adds output. It is not safe for concurrent use.
func (w *outputFile) add(b []byte) {
	switch {
	case w.open == nil || w.closed:
	case w.file == nil && len(w.pending)+len(b) <= w.threshold:
		w.pending = append(w.pending, b...)
	case w.file == nil:
		file, err := w.open()
		if err != nil {
			w.fail(fmt.Sprintf("cannot create the file: %v", err))
			return
		}
		w.file, w.sum = file, sha256.New()
		w.write(w.pending)
		w.pending = nil
		w.write(b)
	default:
		w.write(b)
	}
}

func (w *outputFile) write(b []byte) {
	if w.filter != nil {
		b = w.filter.Next(b)
	}
	w.store(b)
}

// store writes b to the file.
func (w *outputFile) store(b []byte) {
	if w.closed || len(b) == 0 {
		return
	}
	room := w.limit - w.state().Size
	n, err := w.file.Write(b[:min(int64(len(b)), room)])
	w.sum.Write(b[:n])
	w.mu.Lock()
	w.result.Path = w.file.Name()
	w.result.Size += int64(n)
	w.mu.Unlock()
	switch {
	case err != nil:
		w.fail(err.Error())
	case int64(len(b)) > room:
		w.fail(fmt.Sprintf("the file is limited to %d bytes", w.limit))
	}
}

// fail stops writing. The file is kept.
func (w *outputFile) fail(why string) {
	w.closed, w.pending = true, nil
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.Cut = why
}

func (w *outputFile) state() Whole {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.result
}

// report returns the state, whose path the file then keeps.
func (w *outputFile) report() Whole {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reported = w.reported || w.result.Path != ""
	return w.result
}

func (w *outputFile) close() {
	if w.file != nil {
		if w.filter != nil {
			w.store(w.filter.Rest())
		}
		info, err := w.file.Stat()
		_ = w.file.Close() // already counted as written
		if err == nil && info.Mode().IsRegular() {
			w.rename()
		}
	}
}

// rename names the closed file by its content, unless its path was reported. A file with
// that name has the same content.
func (w *outputFile) rename() {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := filepath.Join(filepath.Dir(w.result.Path), fmt.Sprintf("shell-%.13x.txt", w.sum.Sum(nil)))
	if w.result.Path != "" && !w.reported && os.Rename(w.result.Path, path) == nil {
		w.result.Path = path
	}
}
