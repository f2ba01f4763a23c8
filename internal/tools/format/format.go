// Package format runs the formatters that the user configured: programs that read the text
// of a file on standard input and print it formatted. They run without a shell and, if there
// is a sandbox, without the network and with the workspace read-only. The package writes no
// file. Start reading at Formatters.
package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/tools/confine"
	"agent/internal/tools/process"
)

const (
	defaultLimit = 5 * time.Second
	maxOutput    = 8 << 20 // bytes
	maxReason    = 300     // bytes of an error message of a formatter
	placeholder  = "{file}"
)

// Formatter is a program that formats certain files.
type Formatter struct {
	Files string   // glob: *.go by name, web/**/*.ts by path
	Args  []string // the program and its arguments; {file} stands for the path of the file
}

// name returns the name of the program.
func (f Formatter) name() string { return path.Base(strings.ReplaceAll(f.Args[0], `\`, "/")) }

// Options are what Formatters need.
type Options struct {
	Dir string // workspace, absolute
	All []Formatter
	Env func() []string // the complete environment
	// Area defines the sandbox; nil means none.
	Area *confine.Area
	// Check returns why a formatter must not be used; nil for none.
	Check func(Formatter) error
	Limit time.Duration // 0 means five seconds
}

// Formatters formats the files of a workspace. The zero value formats nothing.
type Formatters struct{ o Options }

// New returns the formatters of a workspace.
func New(o Options) *Formatters {
	// Of several globs that match, the longest counts.
	o.All = slices.Clone(o.All)
	slices.SortStableFunc(o.All, func(a, b Formatter) int { return len(b.Files) - len(a.Files) })
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	return &Formatters{o}
}

// find returns the formatter of a file.
func (f *Formatters) find(name string) (Formatter, bool) {
	for _, one := range f.o.All {
		at := name
		if !strings.Contains(one.Files, "/") {
			at = path.Base(name)
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(one.Files, "./"), at) {
			return one, true
		}
	}
	return Formatter{}, false
}

// Format returns the text of the file at a path in the workspace as its formatter prints
// it, and the name of the formatter, which is empty if there is none. A byte order mark
// stays, and CRLF if all lines end so. With an error, the text is unchanged; the error is
// for the user and the model.
func (f *Formatters) Format(ctx context.Context, name string, text []byte) (formatted []byte, by string, err error) {
	one, ok := f.find(name)
	if !ok || len(bytes.TrimSpace(text)) == 0 || !utf8.Valid(text) {
		return text, "", nil
	}
	by = one.name()
	if f.o.Check != nil {
		if err := f.o.Check(one); err != nil {
			return text, by, err
		}
	}
	mark := []byte("\ufeff")
	input, marked := bytes.CutPrefix(text, mark)
	returns := bytes.Count(input, []byte("\r\n"))
	returning := returns > 0 && returns == bytes.Count(input, []byte("\n"))
	if returning {
		input = bytes.ReplaceAll(input, []byte("\r\n"), []byte("\n"))
	}
	out, err := f.run(ctx, one, name, input)
	if err != nil {
		return text, by, fmt.Errorf("%s did not format %s: %w", by, name, err)
	}
	if returning {
		out = bytes.ReplaceAll(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	if out = bytes.TrimPrefix(out, mark); marked {
		out = slices.Concat(mark, out)
	}
	return out, by, nil
}

// run runs a formatter on input.
func (f *Formatters) run(ctx context.Context, one Formatter, name string, input []byte) ([]byte, error) {
	limited, stop := context.WithTimeout(ctx, f.o.Limit)
	defer stop()
	args := slices.Clone(one.Args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], placeholder, name)
		if strings.HasPrefix(one.Args[i], placeholder) && strings.HasPrefix(name, "-") {
			args[i] = "./" + args[i] // no option
		}
	}
	guard := f.o.Area.Begin(confine.Extent{Private: true})
	p, err := process.Start(process.Program{Args: args, Dir: f.o.Dir, Env: f.o.Env(), Sandbox: guard.Profile(), Grace: time.Second})
	if err != nil {
		return nil, err
	}
	ended := context.AfterFunc(limited, p.Kill)
	defer ended()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = p.Stdin().Write(input) // its exit code tells
		_ = p.Stdin().Close()
	}()
	defer func() {
		p.Kill() // closes the input, which a process that has escaped may hold without reading
		<-wrote
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout(), maxOutput+1))
	if err == nil && len(out) > maxOutput {
		p.Kill()
		return nil, fmt.Errorf("it printed more than %d MiB", maxOutput>>20)
	}
	<-p.Done()
	code, how := p.ExitStatus()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("it ran longer than %v, its time limit", f.o.Limit)
	case err != nil:
		return nil, fmt.Errorf("read its output: %w", err)
	case code != 0:
		// Code that many formatters print follows the reason.
		why := strings.ReplaceAll(p.Log().First(2), "\n", " ")
		return nil, errors.New(strings.TrimSuffix(how+": "+phrase.Clip(why, maxReason), ": "))
	case len(bytes.TrimSpace(out)) == 0:
		return nil, errors.New("it printed nothing. It must read the text on standard input and print it formatted")
	case !utf8.Valid(out):
		return nil, errors.New("its output is not UTF-8 text")
	}
	return out, nil
}
