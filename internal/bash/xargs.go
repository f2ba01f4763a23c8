package bash

import "strings"

// Xargs is what xargs runs for the words that it reads.
type Xargs struct {
	Command   []string // nil if the arguments of xargs are not all known
	Marker    string   // stands for the words in command; empty if they follow it
	Separator string   // the separator, if it is neither the default nor a newline or NUL
	File      bool     // the words come from a file
	Null      bool     // NUL separates the words
	Lines     bool     // a newline separates them
}

// XargsOf reads the arguments of xargs.
func XargsOf(args []string) (e Xargs) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if !strings.HasPrefix(w, "-") || w == "-" || w == "--" {
			if e.Command = args[i:]; w == "--" {
				e.Command = args[i+1:]
			}
			return e
		}
		option, value, attached := cutOption(w)
		if flags := strings.TrimSuffix(w, value); option == "--null" || flags[1] != '-' && strings.Contains(flags, "0") {
			e.Separator, e.Null, e.Lines = "", true, false
		}
		switch option {
		case "--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty", "":
			continue
		case "-n", "-P", "-L", "-s", "-d", "-E", "-I", "-a", "--max-args", "--max-procs", "--max-chars", "--delimiter", "--arg-file":
			if !attached {
				if i++; i == len(args) {
					return e
				}
				value = args[i]
			}
		case "-i", "--replace":
			if value == "" {
				value = "{}"
			}
		case "-l", "-e", "--max-lines", "--eof":
		default:
			return Xargs{}
		}
		switch option {
		case "-I", "-i", "--replace":
			e.Marker = value
		case "-d", "--delimiter":
			e.Separator, e.Null, e.Lines = value, value == `\0`, value == `\n` || value == "\n"
			if e.Null || e.Lines {
				e.Separator = ""
			}
		case "-a", "--arg-file":
			e.File = true
		}
	}
	e.Command = []string{}
	return e
}

// cutOption returns the option of xargs that w ends with, without flags before it, and the
// value in w. The option is empty if w consists of flags.
func cutOption(w string) (option, value string, attached bool) {
	if strings.HasPrefix(w, "--") {
		return strings.Cut(w, "=")
	}
	w = strings.TrimLeft(w[1:], "0rtxpo")
	if w == "" {
		return "", "", false
	}
	return "-" + w[:1], w[1:], len(w) > 1
}
