package shell

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"agent/internal/llm/marker"
)

const (
	// minRun is how many similar progress lines are kept after the first one.
	// Shorter runs may be data, such as the percentiles of a benchmark.
	minRun = 12
	// maxProgressLine is the size in bytes above which a line is not filtered.
	maxProgressLine = 2 << 10
)

// progressFilter removes repeated progress from output: of a line that was rewritten with carriage
// returns it keeps the last state, and of a long run of lines that differ only in
// their progress the first and the last one.
type progressFilter struct {
	line    []byte   // the incomplete last line
	long    bool     // it is not filtered, and its beginning was returned
	last    progress // of the previous line
	held    [][]byte // progress lines after the first of a run, at most minRun
	run     int      // lines of the run after the first one
	removed bool     // something was left out since the last flush
	out     []byte   // the result of add, reused
}

// add returns the filtered form of b, as far as it is known. It is valid until the
// next call.
func (f *progressFilter) add(b []byte) []byte {
	out := f.out[:0]
	defer func() { f.out = out }()
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n') + 1
		complete := i > 0
		if !complete {
			i = len(b)
		}
		part := b[:i]
		b = b[i:]
		if f.long {
			out = append(out, part...)
			f.long = !complete
			continue
		}
		f.line = f.lastState(append(f.line, part...))
		switch {
		case complete:
			out = f.addLine(out, f.line)
			f.line = f.line[:0]
		case len(f.line) > maxProgressLine:
			out = append(f.endRun(out), f.line...)
			f.line, f.long = f.line[:0], true
		}
	}
	return out
}

// flush returns what add has kept back, and whether anything was left out since the
// last call.
func (f *progressFilter) flush() (rest []byte, removed bool) {
	rest = append(f.endRun(nil), f.line...)
	removed = f.removed
	f.line, f.removed = nil, false
	return rest, removed
}

// lastState returns line without the states that a carriage return has rewritten.
// The carriage returns at its end rewrite nothing yet.
func (f *progressFilter) lastState(line []byte) []byte {
	end := len(bytes.TrimRight(line, "\r\n"))
	if i := bytes.LastIndexByte(line[:end], '\r'); i >= 0 {
		f.removed = true
		return append(line[:0], line[i+1:]...)
	}
	return line
}

// addLine appends a complete line to out, or keeps it back if it continues a run.
func (f *progressFilter) addLine(out, line []byte) []byte {
	p, ok := progressOf(line)
	if ok && f.last.shape != "" && p.shape == f.last.shape && p.value >= f.last.value {
		f.last.value = p.value
		if f.run++; f.run > minRun {
			f.held = f.held[:0] // only the last one is needed
		}
		f.held = append(f.held, bytes.Clone(line))
		return out
	}
	out = append(f.endRun(out), line...)
	if ok {
		f.last = p
	}
	return out
}

// endRun appends the lines of the run to out that were kept back.
func (f *progressFilter) endRun(out []byte) []byte {
	if f.run > minRun {
		out = append(out, marker.Note("%d similar progress lines", f.run-1)+"\n"...)
		f.removed = true
	}
	for _, line := range f.held {
		out = append(out, line...)
	}
	f.held, f.run, f.last = nil, 0, progress{}
	return out
}

// progress is the progress of an operation, as a line shows it.
type progress struct {
	shape string // the line without what changes; empty if it shows no progress
	value float64
}

var (
	// done matches a percentage or a fraction, which is no part of a date or a path.
	done = pattern(`(\d+(?:\.\d+)?) ?%|(?:^|[^\w/.])(\d+) ?/ ?(\d+)(?:[^\w/.]|$)`)
	// changing matches what changes in a progress line: numbers with their units, and
	// bars.
	changing = pattern(`(^|[^\w.])\d[\d.,:]*(?: ?[kKMGT]?i?B(?:/s)?|[kKMGT]|m?s)?\b|[-=#>.*█▉▊▋▌▍▎▏░▒▓━╸╺]{2,}| {2,}`)
)

// progressOf returns the progress that a line shows.
func progressOf(line []byte) (progress, bool) {
	mayShow := bytes.IndexByte(line, '%') >= 0 || bytes.IndexByte(line, '/') >= 0
	if !mayShow || len(line) > maxProgressLine || !utf8.Valid(line) {
		return progress{}, false
	}
	m := done().FindSubmatch(line)
	if m == nil {
		return progress{}, false
	}
	number, total := m[1], m[3]
	if number == nil {
		number = m[2]
	}
	value, err := strconv.ParseFloat(string(number), 64)
	if most, bad := strconv.ParseFloat(string(total), 64); bad == nil && value > most {
		return progress{}, false
	}
	shape := changing().ReplaceAll(line, []byte("$1#"))
	return progress{shape: string(shape) + string(total), value: value}, err == nil
}
