package shell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"agent/internal/scratch"
)

var changesDir = pattern(`(^|[^\w.-])(cd|pushd|popd)($|[^\w.-])`)

// ChangesDir reports whether a line may change the directory of its shell.
func ChangesDir(line string) bool { return changesDir().MatchString(line) }

// maxDir limits the length of a path that is read, in bytes.
const maxDir = 64 << 10

// dirTracker reports the final directory of a shell. A nil dirTracker reports
// none.
type dirTracker struct{ tmp string }

// trackDir makes the shell that runs line report its final directory, if line may
// change it. It returns the line and environment to use. The report is an EXIT
// trap. For bash it is set through BASH_ENV and invisible to the line; for other
// shells it is prepended to the line. It does not run if the line replaces the
// shell or sets its own EXIT trap.
func trackDir(line string, env []string) (*dirTracker, string, []string) {
	if runtime.GOOS == "windows" || !ChangesDir(line) {
		return nil, line, env
	}
	tmp, err := scratch.MkdirTemp("agent-")
	if err != nil {
		return nil, line, env
	}
	f := &dirTracker{tmp: tmp}
	if strings.ContainsAny(tmp, "'\"$`\\\n") {
		return f, line, env
	}
	trap := fmt.Sprintf(`trap '{ set +x; command pwd -P >|"%s" || :; } 2>/dev/null' EXIT; `, f.file())
	if filepath.Base(Program()) != "bash" {
		return f, trap + line, env
	}
	start := filepath.Join(tmp, "start")
	if err := os.WriteFile(start, []byte("unset BASH_ENV\n"+trap+"\n"), 0o600); err != nil {
		return f, line, env
	}
	return f, line, append(env, "BASH_ENV="+start)
}

func (f *dirTracker) file() string { return filepath.Join(f.tmp, "dir") }

// end returns the final directory, or "" if it is unknown, and removes the
// temporary files.
func (f *dirTracker) end() string {
	if f == nil {
		return ""
	}
	defer os.RemoveAll(f.tmp)
	file, err := os.OpenInRoot(f.tmp, filepath.Base(f.file())) // a command could have made a link
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxDir))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}
