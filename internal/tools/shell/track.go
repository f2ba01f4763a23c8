package shell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"agent/internal/scratch"
	"agent/internal/tools/shell/checks"
)

var changesDir = pattern(`(^|[^\w.-])(cd|pushd|popd)($|[^\w.-])`)

// ChangesDir reports whether a line may change the directory of its shell.
func ChangesDir(line string) bool { return changesDir().MatchString(line) }

// maxDir limits the length of a report that is read, in bytes.
const maxDir = 64 << 10

// tracker reports the final directory of a shell, and for bash the exit codes of the last pipeline
// and of the checks. A nil tracker reports none.
type tracker struct {
	tmp     string
	watched *checks.Watched
}

// track makes the shell that runs line report its final directory, if line may change it, and exit
// codes if it has a pipe or, with watch, checks. It returns the line and environment to use. The
// report is an EXIT trap. For bash it is set through BASH_ENV and invisible to the line; for other
// shells it is prepended to the line. It does not run if the line replaces the
// shell or sets its own EXIT trap.
func track(c Command, env []string) (*tracker, string, []string) {
	line := c.Line
	bash := filepath.Base(Program()) == "bash"
	pipes := bash && strings.Contains(strings.ReplaceAll(line, "||", ""), "|")
	var watched *checks.Watched
	if bash && c.Checks && runtime.GOOS != "windows" {
		watched = checks.Find(line, c.Dir, env)
	}
	if runtime.GOOS == "windows" || !ChangesDir(line) && !pipes && watched == nil {
		return nil, line, env
	}
	tmp, err := scratch.MkdirTemp("agent-")
	if err != nil {
		return nil, line, env
	}
	f := &tracker{tmp: tmp}
	if strings.ContainsAny(tmp, "'\"$`\\\n") {
		return f, line, env
	}
	if f.watched = watched; watched != nil {
		line = watched.Line(Program(), f.file("checks"))
	}
	var report string
	if ChangesDir(c.Line) {
		report = fmt.Sprintf(`command pwd -P >|"%s" || :; `, f.file("dir"))
	}
	report = "set +x; " + report
	if pipes { // the first command still sees them
		report = fmt.Sprintf(`command printf %%s "${PIPESTATUS[*]}" >|"%s"; `, f.file("codes")) + report
	} else if !ChangesDir(c.Line) {
		return f, line, env
	}
	trap := "trap '{ " + report + "} 2>/dev/null' EXIT; "
	if !bash {
		return f, trap + line, env
	}
	start := filepath.Join(tmp, "start")
	if err := os.WriteFile(start, []byte("unset BASH_ENV\n"+trap+"\n"), 0o600); err != nil {
		return f, line, env
	}
	return f, line, append(env, "BASH_ENV="+start)
}

func (f *tracker) file(name string) string { return filepath.Join(f.tmp, name) }

// end returns the final directory, or "" if it is unknown, the exit codes of the last pipeline, nil
// if they are unknown, and the checks that ended. It removes the temporary files.
func (f *tracker) end() (dir string, codes []int, ended []checks.Ended) {
	if f == nil {
		return "", nil, nil
	}
	defer os.RemoveAll(f.tmp)
	ended = f.watched.Read(f.read("checks"))
	dir = strings.TrimSuffix(f.read("dir"), "\n")
	for word := range strings.FieldsSeq(f.read("codes")) {
		code, err := strconv.Atoi(word)
		if err != nil {
			return dir, nil, ended
		}
		codes = append(codes, code)
	}
	return dir, codes, ended
}

// read returns the content of a report; empty if there is none.
func (f *tracker) read(name string) string {
	file, err := os.OpenInRoot(f.tmp, name) // a command could have made a link
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxDir))
	if err != nil {
		return ""
	}
	return string(text)
}
