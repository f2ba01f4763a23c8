package command

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed programs.txt
var programsText string

// programs holds the rows of programs.txt by program name.
var programs = sync.OnceValue(func() map[string]program {
	out := map[string]program{}
	for line := range strings.Lines(programsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		p := newProgram(fields[1], fields[2:])
		for name := range strings.SplitSeq(fields[0], ",") {
			out[name] = p
		}
	}
	return out
})

// program is the row of programs.txt for a program or for one of its subcommands.
type program struct {
	operands string
	options  map[string]option // by name, with its dashes
	separate bool              // an option with a value is alone in its word
}

// option says what follows an option.
type option struct {
	value    bool // a value, in the same word or the next
	file     bool // the value is a file that is read
	attached bool // a value only in the same word
	pattern  bool // the value, or the option itself, replaces the pattern operand
}

// newProgram reads the fields of a row: its operands and its options.
func newProgram(operands string, fields []string) program {
	p := program{operands: operands, options: map[string]option{}}
	for _, f := range fields {
		var o option
		f, o.pattern = strings.CutSuffix(f, "!")
		if f == "~" {
			p.separate = true
			continue
		}
		if operands == "version" {
			p.options[f] = o
			continue
		}
		name := f
		if last := len(f) - 1; last > 1 {
			switch f[last] {
			case ':', '=':
				o.value, name = true, f[:last]
			case '<':
				o.value, o.file, name = true, true, f[:last]
			case '?':
				o.attached, name = true, f[:last]
			}
		}
		if strings.HasPrefix(name, "--") {
			p.options[name] = o
			continue
		}
		for _, letter := range name[1:] {
			p.options["-"+string(letter)] = o
		}
	}
	return p
}

// arguments are the arguments of a command, sorted by the table.
type arguments struct {
	operands []string
	files    []string            // values of options that are files
	values   map[string][]string // of each option that is given
	pattern  bool                // an option gave the pattern
}

// has reports whether one of the options is given.
func (a arguments) has(names ...string) bool {
	for _, name := range names {
		if _, ok := a.values[name]; ok {
			return true
		}
	}
	return false
}

// sort sorts arguments into options and operands. It returns why they need approval,
// as a clause; name is the program for that text.
func (p program) sort(name string, args []string) (a arguments, why string) {
	a.values = map[string][]string{}
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w == "--":
			a.operands = append(a.operands, args[i+1:]...)
			return a, ""
		case w == "-" || !strings.HasPrefix(w, "-"):
			a.operands = append(a.operands, w)
			continue
		}
		used, bad := 0, ""
		if strings.HasPrefix(w, "--") {
			used, bad = p.long(&a, w, args[i+1:])
		} else {
			used, bad = p.short(&a, w, args[i+1:])
		}
		if bad != "" {
			return a, code(name) + " has an option that is not known to be safe: " + shown(bad)
		}
		i += used
	}
	return a, ""
}

// long reads a long option. It returns how many words of rest belong to it, and the
// option if it needs approval.
func (p program) long(a *arguments, w string, rest []string) (used int, bad string) {
	name, value, attached := strings.Cut(w, "=")
	o, ok := p.options[name]
	switch {
	case !ok, attached && !o.value && !o.attached:
		return 0, w
	case o.value && !attached:
		if len(rest) == 0 || suspect(rest[0]) {
			return 0, w
		}
		value, used = rest[0], 1
	}
	a.add(name, value, o)
	return used, ""
}

// short reads a word of short options: -la, -n5, -n 5.
func (p program) short(a *arguments, w string, rest []string) (used int, bad string) {
	if _, number := p.options["-#"]; number && strings.Trim(w[1:], "0123456789") == "" {
		return 0, ""
	}
	for i, letter := range w[1:] {
		name := "-" + string(letter)
		o, ok := p.options[name]
		value := w[1+i+len(string(letter)):]
		switch {
		case !ok || letter == '#':
			return 0, w
		case o.attached:
			a.add(name, value, o)
			return 0, ""
		case !o.value:
			a.add(name, "", o)
			continue
		case p.separate && len(w) > 2:
			return 0, w
		case value == "":
			if len(rest) == 0 || suspect(rest[0]) {
				return 0, w
			}
			value, used = rest[0], 1
		}
		a.add(name, value, o)
		return used, ""
	}
	return 0, ""
}

func (a *arguments) add(name, value string, o option) {
	a.values[name] = append(a.values[name], value)
	a.pattern = a.pattern || o.pattern
	if o.file {
		a.files = append(a.files, value)
	}
}

// suspect reports whether the value of an option, in a separate word, looks like an
// option. Another version of the program may parse it as one.
func suspect(value string) bool {
	return len(value) > 1 && value[0] == '-' && strings.Trim(value[1:2], "0123456789") != ""
}
