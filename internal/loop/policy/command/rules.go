package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// rule judges a command by the rule that its row of programs.txt names. It returns
// why the command needs approval; empty if it only reads.
func (v *prover) rule(p *Part, rule string, argv []string) string {
	name, args := argv[0], argv[1:]
	switch rule {
	case "echo":
		return ""
	case "printf":
		return printing(args)
	case "test":
		return testing(p, args)
	case "bracket":
		if len(args) == 0 || args[len(args)-1] != "]" {
			return "`[` has no closing `]`"
		}
		return testing(p, args[:len(args)-1])
	case "cd":
		if len(args) != 1 || args[0] == "" || strings.HasPrefix(args[0], "-") {
			return "`cd` does not name a directory"
		}
		for _, dir := range p.dirs {
			p.Reads = append(p.Reads, absolute(dir, args[0], true), absolute(dir, args[0], false))
		}
		return ""
	case "seq":
		return sequence(args)
	case "sleep":
		return sleeping(args)
	case "date":
		return dating(args)
	case "ps":
		return processes(args)
	case "pip":
		return installed(name, args)
	case "goTool":
		return v.goTool(p, args)
	case "find":
		return finding(p, args)
	case "sed":
		return v.streamEditing(p, args)
	case "jq":
		return v.querying(p, args)
	case "git":
		return v.versioning(p, args)
	}
	return v.wrapper(p, name, args)
}

// conversion matches a conversion of printf that assigns to a variable.
var conversion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[^%A-Za-z]*[hlLjzt]*n`) })

// printing judges printf.
func printing(args []string) string {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || conversion().MatchString(args[0]) {
		return "`printf` sets a variable or has an option that is not known to be safe"
	}
	return ""
}

// Operators of test that have a file before or after them.
var (
	fileTests    = [...]string{"-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-L", "-p", "-r", "-s", "-S", "-u", "-w", "-x", "-O", "-G", "-N", "-a"}
	fileCompares = [...]string{"-nt", "-ot", "-ef"}
)

// testing judges test without its closing bracket. Any word after a file operator
// counts as a file, also where test reads it as an operand of another operator.
func testing(p *Part, args []string) string {
	for i, w := range args {
		if w == "-v" || w == "-R" {
			return "`test " + w + "` evaluates its operand, which can run commands"
		}
		if i > 0 && (slices.Contains(fileTests[:], args[i-1]) || slices.Contains(fileCompares[:], args[i-1])) ||
			i+1 < len(args) && slices.Contains(fileCompares[:], args[i+1]) {
			p.opens(w)
		}
	}
	return ""
}

// number matches the operands of seq.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?[0-9]{1,6}(\.[0-9]{1,3})?$`) })

// sequence judges seq: its numbers must be small, so that it ends soon.
func sequence(args []string) string {
	for len(args) > 0 && (args[0] == "-w" || args[0] == "--equal-width") {
		args = args[1:]
	}
	for _, w := range args {
		if !number().MatchString(w) || strings.Trim(w, "-0.") == "" && len(args) == 3 {
			return "`seq` has an argument that is not known to be safe"
		}
	}
	return ""
}

// maxSleep is the longest time in seconds that sleep may run without approval.
const maxSleep = 60

// sleeping judges sleep.
func sleeping(args []string) string {
	total := 0.0
	for _, w := range args {
		seconds, err := strconv.ParseFloat(strings.TrimSuffix(w, "s"), 64)
		if err != nil || !(seconds >= 0 && seconds <= maxSleep) {
			return "`sleep` waits longer than " + strconv.Itoa(maxSleep) + " seconds"
		}
		total += seconds
	}
	if len(args) == 0 || total > maxSleep {
		return "`sleep` waits longer than " + strconv.Itoa(maxSleep) + " seconds"
	}
	return ""
}

// dating judges date: any operand but a format sets the clock.
func dating(args []string) string {
	row := newProgram("words", []string{"-uR", "-I?", "-d:", "--date=", "--utc", "--universal", "--rfc-email", "--iso-8601?", "--rfc-3339="})
	a, why := row.sort("date", args)
	if why != "" {
		return why
	}
	for _, o := range a.operands {
		if !strings.HasPrefix(o, "+") {
			return "`date` sets the clock"
		}
	}
	return ""
}

// columns are the columns of ps that show no environment.
var columns = [...]string{
	"pid", "ppid", "pgid", "pgrp", "sid", "sess", "uid", "user", "euser", "ruser", "gid", "group", "comm", "cmd", "args", "command", "etime", "etimes", "time", "cputime",
	"stat", "state", "s", "pcpu", "%cpu", "c", "pmem", "%mem", "rss", "rssize", "vsz", "vsize", "sz", "tty", "tt", "tname", "start", "lstart", "stime", "start_time", "ni", "nice", "pri", "nlwp", "wchan", "psr",
}

// psOptions matches words of ps that do not show environments, as the letter e of
// the BSD form does.
var psOptions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(a?u?x?|ax?u?|axjf|auxf|auxww|auxwwf|axo|-e|-f|-ef|-A|-F|-eF|-efw|-efww|-l|-el|-x|-a|-T|-H|-ejH|-w|-ww|-eLf|--no-headers|--forest|--sort=-?[a-z%_,]+)$`)
})

// processes judges ps.
func processes(args []string) string {
	unsafe := "`ps` has an argument that is not known to be safe"
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case slices.Contains([]string{"-o", "-eo", "-Ao", "-axo", "axo", "-p", "--pid", "--ppid", "-u", "-U", "-C", "-t", "--sort"}, w):
			i++
			if i == len(args) || strings.HasPrefix(args[i], "-") && w != "--sort" {
				return unsafe
			}
			if strings.HasSuffix(w, "o") && !safeColumns(args[i]) {
				return unsafe
			}
		case strings.Trim(w, "0123456789,") == "" && w != "":
		case !psOptions().MatchString(w):
			return unsafe
		}
	}
	return ""
}

func safeColumns(list string) bool {
	for _, c := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		c, _, _ = strings.Cut(c, "=")
		name, _, _ := strings.Cut(c, ":")
		if !slices.Contains(columns[:], name) {
			return false
		}
	}
	return true
}

// installed judges pip: it may only list and show installed packages, without the
// network.
func installed(name string, args []string) string {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-V") {
		return ""
	}
	row := newProgram("words", []string{"-vq", "--format=", "--user", "--local", "--not-required", "--disable-pip-version-check", "--no-color"})
	if len(args) > 0 && args[0] == "show" {
		row = newProgram("words", []string{"-f", "--files", "--verbose", "--disable-pip-version-check"})
	} else if len(args) == 0 || args[0] != "list" {
		return code(name, first(args)) + " is not known to only read"
	}
	_, why := row.sort(name, args[1:])
	return why
}

// first returns the first word of args; empty if there is none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// finding judges find. Its starting points are the words before its expression.
func finding(p *Part, args []string) string {
	places, tests := findPlaces(args)
	p.opens(places...)
	for i := 0; i < len(tests); i++ {
		w := tests[i]
		switch findTest(w) {
		case 0:
			if does := findActions(w); does != "" {
				return "`find " + w + "` " + does
			}
			return "`find` has an argument that is not known to be safe: " + shown(w)
		case 1:
		case 2, 3:
			i++
			if i == len(tests) {
				return "`find " + w + "` has no argument"
			}
			if findTest(w) == 3 {
				p.opens(tests[i])
			}
		}
	}
	return ""
}

// findPlaces separates the starting points of find from its expression.
func findPlaces(args []string) (places, tests []string) {
	for len(args) > 0 && (args[0] == "-H" || args[0] == "-P") {
		args = args[1:]
	}
	n := slices.IndexFunc(args, func(w string) bool { return strings.HasPrefix(w, "-") || w == "(" || w == "!" || w == ")" || w == "," })
	if n < 0 {
		n = len(args)
	}
	if n == 0 {
		return []string{"."}, args
	}
	return args[:n], args[n:]
}

// findActions describes the effect of an action of find; empty for other words.
func findActions(w string) string {
	switch w {
	case "-delete":
		return "deletes files"
	case "-exec", "-execdir", "-ok", "-okdir":
		return "runs a program for each file"
	case "-fprint", "-fprint0", "-fprintf", "-fls":
		return "writes a file"
	case "-L", "-follow":
		return "follows symbolic links, also out of the workspace"
	}
	return ""
}

// findTest returns 1 for a word of a find expression without an argument, 2 with an
// argument, 3 with a file as its argument, and 0 for other words.
func findTest(w string) int {
	switch w {
	case "(", ")", "!", ",", "-not", "-a", "-and", "-o", "-or", "-print", "-print0", "-prune", "-ls", "-quit", "-true", "-false", "-empty", "-depth", "-d", "-xdev", "-mount",
		"-daystart", "-noleaf", "-nouser", "-nogroup", "-readable", "-writable", "-executable", "-ignore_readdir_race", "-nowarn", "-warn":
		return 1
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-regextype", "-lname", "-ilname", "-type", "-xtype", "-size", "-mtime", "-mmin",
		"-ctime", "-cmin", "-atime", "-amin", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid", "-links", "-inum", "-used", "-fstype", "-printf", "-newermt", "-newerct", "-newerat":
		return 2
	case "-newer", "-anewer", "-cnewer", "-samefile", "-newermm", "-newercm":
		return 3
	}
	return 0
}
