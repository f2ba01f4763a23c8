package policy

import (
	"regexp"
	"slices"
	"strings"
)

// Rules by which a command cannot be always allowed. They complete "This one cannot
// be always allowed: ".
const (
	ruleDiscards  = "commands that delete, overwrite or discard data need approval every time"
	ruleOutput    = "commands that run what other commands print need approval every time"
	ruleDocument  = "commands with a here-document need approval every time"
	ruleGit       = "only git commands that read, add or commit can be always allowed"
	ruleCode      = "an interpreter may only run code from a file that the command names"
	ruleFind      = "commands that run a program for each file need approval every time"
	ruleDirectory = "it changes to a directory that it does not name"
	ruleUnknown   = "its text does not show which files it uses"
	ruleLimits    = "it names too many files, or a file that is too large or cannot be read"
	ruleProtected = "commands that name protected paths need approval every time"
	ruleGone      = "its directory does not exist"
)

// danger is why a command needs approval every time.
type danger struct {
	rule    string // one of the rules above
	warning string // what the command certainly does, as a clause; may be empty
}

// destroyers maps programs that must not be always allowed to their effects.
var destroyers = map[string]string{
	"rm": deletes, "rmdir": deletes, "unlink": deletes, "srm": deletes, "del": deletes, "erase": deletes, "rd": deletes, "remove-item": deletes,
	"shred": overwrites, "dd": overwrites, "truncate": overwrites, "wipefs": overwrites, "fdisk": overwrites, "parted": overwrites, "mkfs": overwrites,
	"mv": replaces, "cp": replaces, "tee": replaces, "ln": replaces, "rsync": replaces,
	"sudo": elevates, "doas": elevates, "su": elevates, "pkexec": elevates, "runas": elevates,
	"shutdown": stops, "reboot": stops, "poweroff": stops, "halt": stops,
	"kill": kills, "pkill": kills, "killall": kills,
	"chown": exposes, "chmod": exposes, "chattr": exposes,
	"crontab": "changes scheduled commands", "-delete": deletes,
}

// Effects that several destroyers share.
const (
	deletes    = "deletes files"
	overwrites = "overwrites data"
	replaces   = "can overwrite files"
	elevates   = "runs a command as another user"
	stops      = "shuts down or restarts the computer"
	kills      = "ends processes"
	exposes    = "changes who can access files"
)

// Programs that run, download or evaluate other code, and words that remove data.
var (
	wrappers    = []string{"sudo", "doas", "env", "nohup", "time", "exec", "command", "builtin", "timeout", "nice", "ionice", "setsid", "stdbuf", "xargs", "su", "busybox"}
	keywords    = []string{"{", "!", "if", "then", "elif", "else", "while", "until", "do"}
	perFile     = []string{"-exec", "-execdir", "-ok", "-okdir"}
	runners     = []string{"xargs", "parallel", "entr"}
	downloaders = []string{"curl", "wget", "aria2c", "fetch", "http", "https", "iwr", "invoke-webrequest"}
	evaluators  = []string{"eval", "source", "."}
	printers    = []string{"grep", "egrep", "fgrep", "rg", "ag", "echo", "printf"}
	removals    = []string{"delete", "destroy", "prune", "purge", "uninstall", "remove", "rm"}
)

// interpreter matches interpreters of programming languages.
var interpreter = regexp.MustCompile(`^(python|pypy|perl|ruby|node|nodejs|deno|php|lua|luajit|tclsh|wish|rscript|osascript|pwsh|powershell|guile|racket|julia)[0-9.]*w?$`)

// danger returns why a command needs approval every time; the zero value if its text
// shows no reason. A danger with a warning takes precedence.
func (p parsed) danger() danger {
	var found []danger
	for _, line := range p.lines {
		found = append(found, line.dangers()...)
	}
	if slices.ContainsFunc(p.words, destroys) { // also in what may be a script
		found = append(found, danger{rule: ruleDiscards})
	}
	if !p.known {
		found = append(found, danger{rule: ruleUnknown})
	}
	if len(found) == 0 {
		return danger{}
	}
	if i := slices.IndexFunc(found, func(d danger) bool { return d.warning != "" }); i >= 0 {
		return found[i]
	}
	return found[0]
}

// destroys reports whether a word is a program or an option that deletes or
// overwrites, at any position of the command.
func destroys(w string) bool {
	name := programOf(w)
	return destroyers[name] != "" || strings.HasPrefix(name, "mkfs.") || strings.HasPrefix(name, "--del") || strings.HasPrefix(name, "--remove")
}

// dangers returns why a script needs approval every time.
func (s splitter) dangers() (out []danger) {
	download := s.downloads()
	after := false // a pipe came before
	for _, c := range s.commands {
		after = after || c.piped
		name, wrapped := c.program()
		runs := runsCode(name) || wrapped && slices.ContainsFunc(c.words, runsCode)
		switch {
		case download && runs && (c.piped || s.output), download && s.output && slices.Contains(evaluators, name):
			out = append(out, danger{ruleOutput, "runs downloaded code"})
		case runs && (after || s.output), slices.ContainsFunc(c.words, func(w string) bool { return slices.Contains(runners, programOf(w)) }):
			out = append(out, danger{rule: ruleOutput})
		}
		out = append(out, c.dangers(name, wrapped)...)
	}
	if s.document {
		out = append(out, danger{rule: ruleDocument})
	}
	if len(s.overwritten()) > 0 {
		out = append(out, danger{rule: ruleDiscards})
	}
	return out
}

// downloads reports whether a script runs a program that downloads, also in a
// $(command) within a word.
func (s splitter) downloads() bool {
	return slices.ContainsFunc(s.words(), func(w string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(special, r) }), func(part string) bool {
			return slices.Contains(downloaders, programOf(part))
		})
	})
}

// overwritten returns the files that redirections overwrite.
func (s splitter) overwritten() (out []string) {
	for _, file := range s.written {
		if !strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "/dev/sd") || strings.HasPrefix(file, "/dev/nvme") {
			out = append(out, file)
		}
	}
	return out
}

// program returns the name of the program that a command runs. wrapped is set if that
// program runs another one, which a later word names.
func (c simple) program() (name string, wrapped bool) {
	for _, w := range c.words {
		if slices.Contains(keywords, w) || assignment.MatchString(w) {
			continue
		}
		name = programOf(w)
		return name, slices.Contains(wrappers, name)
	}
	return "", false
}

// assignment matches the words before a program that set variables.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)

// runsCode reports whether a word is a shell or another interpreter.
func runsCode(w string) bool {
	name := programOf(w)
	return interpreter.MatchString(name) || slices.Contains(shells, name) && !slices.Contains([]string{"watch", "flock", "script", "trap", "xargs", "parallel"}, name)
}

// dangers returns why a command needs approval every time. Its program is name.
func (c simple) dangers(name string, wrapped bool) (out []danger) {
	for i, w := range c.words {
		program := programOf(w)
		does := destroyers[program]
		if strings.HasPrefix(program, "mkfs.") {
			does = overwrites
		}
		switch {
		case does != "" && (program == name || wrapped || w == "-delete"):
			out = append(out, danger{ruleDiscards, "`" + program + "` " + does})
		case strings.HasPrefix(w, "--del"), strings.HasPrefix(w, "--remove"):
			option, _, _ := strings.Cut(w, "=")
			out = append(out, danger{ruleDiscards, "`" + option + "` " + deletes})
		case program == "git":
			if d := gitDanger(c.words[i+1:]); d != (danger{}) {
				out = append(out, d)
			}
		case slices.Contains(perFile, w):
			out = append(out, danger{rule: ruleFind})
		case edits(program, c.words[i+1:]):
			out = append(out, danger{ruleDiscards, "`" + program + " -i` overwrites files"})
		case program == "awk" && strings.Contains(strings.Join(c.words, " "), "system("):
			out = append(out, danger{rule: ruleCode})
		}
	}
	if len(c.words) > 1 && name != "git" && !slices.Contains(printers, name) {
		if slices.Contains(removals, c.words[1]) {
			out = append(out, danger{ruleDiscards, "`" + name + " " + c.words[1] + "` can delete data"})
		} else if slices.ContainsFunc(c.words, func(w string) bool { return slices.Contains(removals, w) }) {
			out = append(out, danger{rule: ruleDiscards})
		}
	}
	if c.movesAnywhere() {
		out = append(out, danger{rule: ruleDirectory})
	}
	if name == "install" {
		out = append(out, danger{ruleDiscards, "`install` " + replaces})
	}
	if _, ok := c.scripts(); !ok {
		out = append(out, danger{rule: ruleCode})
	}
	return out
}

// movesAnywhere reports whether c changes to a directory that it does not name.
func (c simple) movesAnywhere() bool {
	for i, w := range c.words {
		named := slices.ContainsFunc(c.words[i+1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
		if slices.Contains([]string{"cd", "pushd", "popd"}, w) && !named {
			return true
		}
	}
	return false
}

// edits reports whether a program edits files in place.
func edits(program string, args []string) bool {
	if !slices.Contains([]string{"sed", "gsed", "perl", "ruby"}, program) {
		return false
	}
	return slices.ContainsFunc(args, func(a string) bool {
		short := strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--")
		return short && strings.Contains(a, "i") || strings.HasPrefix(a, "--in-place")
	})
}

// scripts returns the files that interpreters in c run. It reports false if an
// interpreter runs something else: a module, code in an argument, or standard input.
func (c simple) scripts() (files []string, ok bool) {
	for i, w := range c.words {
		if !interpreter.MatchString(programOf(w)) {
			continue
		}
		script := ""
		for _, a := range c.words[i+1:] {
			if !strings.HasPrefix(a, "-") {
				script = a
				break
			}
			if a == "--version" || a == "-V" {
				return nil, true
			}
			if a == "-" || strings.HasPrefix(a, "--") || strings.ContainsAny(a, "mceEprMI") {
				return nil, false
			}
		}
		if script == "" {
			return nil, false
		}
		files = append(files, script)
	}
	return files, true
}

// gitReaders are git commands that change nothing, unless an option makes them
// run a program or write a file.
var gitReaders = []string{
	"status", "diff", "log", "show", "blame", "annotate", "describe", "rev-parse", "rev-list", "ls-files", "ls-tree", "cat-file", "shortlog", "grep",
	"merge-base", "name-rev", "show-ref", "for-each-ref", "diff-tree", "diff-index", "diff-files", "check-ignore", "count-objects", "version", "--version", "add",
}

// gitListings are git commands that change nothing if all arguments are listed.
var gitListings = map[string][]string{
	"branch": {"-a", "--all", "-r", "--remotes", "-v", "-vv", "--verbose", "--show-current", "-l", "--list"},
	"tag":    {"-l", "--list", "-n"},
	"remote": {"-v", "--verbose"},
}

// gitDiscards maps git commands that can lose work to their effects.
var gitDiscards = map[string]string{
	"checkout": discards, "restore": discards, "reset": discards, "stash": discards, "rebase": discards, "read-tree": discards, "checkout-index": discards,
	"clean": "deletes untracked files", "rm": deletes,
	"gc": loses, "prune": loses, "reflog": loses, "update-ref": loses, "filter-branch": loses, "filter-repo": loses,
}

const (
	discards = "can discard changes"
	loses    = "can delete commits"
)

// gitDanger returns why git with these arguments needs approval every time.
func gitDanger(args []string) danger {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--version" {
		option, _, joined := strings.Cut(args[0], "=")
		if option == "-c" || option == "--config-env" || option == "--exec-path" {
			return danger{rule: ruleGit}
		}
		args = args[1:]
		if !joined && len(args) > 0 && slices.Contains([]string{"-C", "--git-dir", "--work-tree", "--namespace"}, option) {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return danger{rule: ruleGit}
	}
	name, args := args[0], args[1:]
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(a, p) })
		})
	}
	switch {
	case slices.Contains(gitReaders, name) && !has("--output", "-O", "--open-files", "--ext-diff", "--textconv"),
		name == "commit" && !has("--am", "--fix", "-n", "--no-v"),
		gitListings[name] != nil && !slices.ContainsFunc(args, func(a string) bool { return !slices.Contains(gitListings[name], a) }):
		return danger{}
	case name == "push" && has("-f", "--force", "--mirror", "--del", "-d", "+", ":"):
		return danger{ruleGit, "`git push` can overwrite or delete remote branches"}
	case name == "switch" && has("-f", "--force", "--discard", "-C"):
		return danger{ruleGit, "`git switch` " + discards}
	case name == "branch" && has("-d", "-D", "--del", "-f", "--force", "-M"), name == "tag" && has("-d", "--del", "-f", "--force"):
		return danger{ruleGit, "`git " + name + "` " + loses}
	case name == "worktree" && has("remove", "prune"):
		return danger{ruleGit, "`git worktree` " + discards}
	case gitDiscards[name] != "" && !(name == "checkout" && has("-b")):
		return danger{ruleGit, "`git " + name + "` " + gitDiscards[name]}
	}
	return danger{rule: ruleGit}
}
